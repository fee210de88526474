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

#include "core/base/format.h"
#include "core/base/mutex.h"

namespace batchwise {

/// One mapping, in a list that only grows; free entries are reused. A faulting thread owns its mapping, so that entry
/// is stable while the handler searches the list. Entries that change meanwhile have an odd or a changed `version` (a
/// seqlock).
struct MappedFile::Mapping {
  std::atomic<unsigned> version{0};
  std::atomic<std::uintptr_t> begin{0}, end{0};  // both 0: free
  std::atomic<bool> damaged{false};
  Mapping* next = nullptr;
};

namespace {

using Mapping = MappedFile::Mapping;
std::atomic<Mapping*> mappings{nullptr};
Mutex listMutex;  // serializes writers of the list; the handler reads it without a lock
struct sigaction previousAction {};

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

Mapping* mappingAt(std::uintptr_t address) {
  for (Mapping* entry = mappings.load(); entry != nullptr; entry = entry->next) {
    const unsigned version = entry->version.load();
    const bool inside = address >= entry->begin.load() && address < entry->end.load();
    if (inside && version % 2 == 0 && entry->version.load() == version) return entry;
  }
  return nullptr;
}

/// Maps zeros from the faulting page to the end of the mapping: past the end of a truncated file there is no data.
bool replaceByZeros(std::uintptr_t address) {
  Mapping* mapping = mappingAt(address);
  if (mapping == nullptr) return false;
  mapping->damaged.store(true);
  const auto pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t page = address / pageBytes * pageBytes;
  // The signal delivers the address as an integer. NOLINTNEXTLINE(performance-no-int-to-ptr)
  void* zeros = ::mmap(reinterpret_cast<void*>(page), mapping->end.load() - page, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  return zeros != MAP_FAILED;
}

void onBusError(int signal, siginfo_t* info, void* context) {
  const int number = errno;
  const bool ours = info->si_code > 0 && replaceByZeros(reinterpret_cast<std::uintptr_t>(info->si_addr));
  errno = number;
  if (ours) return;
  if ((previousAction.sa_flags & SA_SIGINFO) != 0) return previousAction.sa_sigaction(signal, info, context);
  if (previousAction.sa_handler == SIG_IGN && info->si_code <= 0) return;
  if (previousAction.sa_handler != SIG_DFL && previousAction.sa_handler != SIG_IGN)
    return previousAction.sa_handler(signal);
  ::signal(signal, SIG_DFL);  // the fault repeats when this returns, and then ends the process as by default
  if (info->si_code <= 0) ::raise(signal);
}

void installHandler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &previousAction);
  });
}

Mapping* registerMapping(std::uintptr_t begin, std::uintptr_t end) {
  const MutexLock lock(listMutex);
  Mapping* entry = mappings.load();
  while (entry != nullptr && entry->end.load() != 0) entry = entry->next;
  const bool isNew = entry == nullptr;
  if (isNew) entry = new Mapping;
  ++entry->version;
  entry->damaged.store(false);
  entry->begin.store(begin);
  entry->end.store(end);
  ++entry->version;
  if (isNew) entry->next = mappings.load();
  if (isNew) mappings.store(entry);
  return entry;
}

void unregisterMapping(Mapping& entry) {
  const MutexLock lock(listMutex);
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
  FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};  // a pipe is refused, not waited for
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0)
    return Error::fromErrno(errno, "cannot read '{}'", path.native());
  if (!S_ISREG(info.st_mode)) return Error::config(formatText("'{}' is not a regular file", path.native()));
  MappedFile mapped;
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return mapped;
  installHandler();
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (start == MAP_FAILED) return Error::fromErrno(errno, "cannot memory-map '{}'", path.native());
  mapped.bytes_ = {static_cast<const std::byte*>(start), size};
  mapped.path_ = path;
  mapped.file_ = std::move(file);
  mapped.changedNs_ = changedNsOf(info);
  const auto begin = reinterpret_cast<std::uintptr_t>(start);
  mapped.mapping_ = registerMapping(begin, begin + size);
  return mapped;
}

Result<void> MappedFile::intact() const {
  if (mapping_ == nullptr) return {};
  struct stat info {};
  const bool asked = ::fstat(file_.get(), &info) == 0;
  const bool same = asked && info.st_size == static_cast<off_t>(bytes_.size()) && changedNsOf(info) == changedNs_;
  if (same && !mapping_->damaged.load()) return {};
  mapping_->damaged.store(true);
  return Error::corrupt(
      formatText("'{}' was changed, truncated or became unreadable while it was in use; make sure that nothing writes "
                 "to it, and start again",
                 path_.native()));
}

MappedFile::MappedFile(MappedFile&& other) noexcept {
  *this = std::move(other);
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(changedNs_, other.changedNs_);
  std::swap(mapping_, other.mapping_);
  return *this;
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  unregisterMapping(*mapping_);  // first, because the addresses may be reused once they are unmapped
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace batchwise
