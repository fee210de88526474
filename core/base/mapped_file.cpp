// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/mapped_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <utility>

#include "core/base/mutex.h"

namespace batchwise {

/// One mapping, in a list that only grows: a place is used again when its mapping has gone. A thread that faults holds
/// its own mapping, so the entry of that mapping does not change while the handler looks for it; entries that do change
/// meanwhile have an odd `version` or another one afterwards.
struct MappedFile::Guarded {
  std::atomic<unsigned> version{0};
  std::atomic<std::uintptr_t> begin{0}, end{0};  // both 0: free
  std::atomic<bool> damaged{false};
  Guarded* next = nullptr;
};

namespace {

using Guarded = MappedFile::Guarded;
std::atomic<Guarded*> mappings{nullptr};
Mutex changing;  // guards the list against others that change it; the handler reads without it
struct sigaction before {};

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

Guarded* mappingAt(std::uintptr_t address) {
  for (Guarded* entry = mappings.load(); entry != nullptr; entry = entry->next) {
    const unsigned version = entry->version.load();
    const bool inside = address >= entry->begin.load() && address < entry->end.load();
    if (inside && version % 2 == 0 && entry->version.load() == version) return entry;
  }
  return nullptr;
}

/// Zeros from the page of the fault to the end: behind the end of a file that was cut there is nothing more to read.
bool replaceByZeros(std::uintptr_t address) {
  Guarded* mapping = mappingAt(address);
  if (mapping == nullptr) return false;
  mapping->damaged.store(true);
  const auto pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t page = address / pageBytes * pageBytes;
  // The address is a number that the signal came with. NOLINTNEXTLINE(performance-no-int-to-ptr)
  void* zeros = ::mmap(reinterpret_cast<void*>(page), mapping->end.load() - page, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  return zeros != MAP_FAILED;
}

void onBusError(int signal, siginfo_t* info, void* context) {
  const int number = errno;
  const bool ours = info->si_code > 0 && replaceByZeros(reinterpret_cast<std::uintptr_t>(info->si_addr));
  errno = number;
  if (ours) return;
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler == SIG_IGN && info->si_code <= 0) return;
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
  ::signal(signal, SIG_DFL);  // a fault comes again when this returns, and then ends the process as it always did
  if (info->si_code <= 0) ::raise(signal);
}

void installHandler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &before);
  });
}

Guarded* guard(std::uintptr_t begin, std::uintptr_t end) {
  const MutexLock lock(changing);
  Guarded* entry = mappings.load();
  while (entry != nullptr && entry->end.load() != 0) entry = entry->next;
  const bool isNew = entry == nullptr;
  if (isNew) entry = new Guarded;
  ++entry->version;
  entry->damaged.store(false);
  entry->begin.store(begin);
  entry->end.store(end);
  ++entry->version;
  if (isNew) entry->next = mappings.load();
  if (isNew) mappings.store(entry);
  return entry;
}

void release(Guarded& entry) {
  const MutexLock lock(changing);
  ++entry.version;
  entry.begin.store(0);
  entry.end.store(0);
  ++entry.version;
}

std::int64_t changedNsOf(const struct stat& info) {
  return std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0) return Error::fromErrno(errno, "cannot read", path.native());
  if (!S_ISREG(info.st_mode)) return Error::config("'" + path.native() + "' is no regular file");
  MappedFile mapped;
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return mapped;
  installHandler();
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (start == MAP_FAILED) return Error::fromErrno(errno, "cannot map", path.native());
  mapped.bytes_ = {static_cast<const std::byte*>(start), size};
  mapped.path_ = path;
  mapped.file_ = std::move(file);
  mapped.changedNs_ = changedNsOf(info);
  const auto begin = reinterpret_cast<std::uintptr_t>(start);
  mapped.guarded_ = guard(begin, begin + size);
  return mapped;
}

Result<void> MappedFile::intact() const {
  if (guarded_ == nullptr) return {};
  struct stat info {};
  const bool asked = ::fstat(file_.get(), &info) == 0;
  const bool same = asked && info.st_size == static_cast<off_t>(bytes_.size()) && changedNsOf(info) == changedNs_;
  if (same && !guarded_->damaged.load()) return {};
  guarded_->damaged.store(true);
  return Error::corrupt("'" + path_.native() +
                        "' was changed, cut short or became unreadable while it was in use; let nothing write to it, "
                        "and start again");
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})),
      path_(std::move(other.path_)),
      file_(std::move(other.file_)),
      changedNs_(other.changedNs_),
      guarded_(std::exchange(other.guarded_, nullptr)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(changedNs_, other.changedNs_);
  std::swap(guarded_, other.guarded_);
  return *this;
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  release(*guarded_);  // first: the addresses may be given to somebody else at once
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace batchwise
