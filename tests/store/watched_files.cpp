// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/watched_files.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <optional>

namespace batchwise::test {
namespace {

using Kind = FileOp::Kind;

struct Opened {
  std::string path;  // absolute
  int file = -1;     // -1: a folder, or not recorded
};

struct Watch {
  std::mutex mutex;  // guards everything below
  std::string folder;
  bool recording = false;
  std::vector<FileOp> ops;
  std::map<int, Opened> byDescriptor;
  std::map<std::string, int> fileOfPath;
  int files = 0;
  std::optional<FaultPlan> plan;
  std::int64_t calls = 0;
  bool failed = false;
};
Watch& watch() {
  static auto* one = new Watch;  // used until the very end of the process
  return *one;
}
std::atomic<bool> watching{false};
std::atomic<int> freeSyncs{0};

template <typename Function>
Function original(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

/// Shared memory and locks mean nothing after a restart.
bool isWatched(const std::string& path) {
  const Watch& all = watch();
  return path.starts_with(all.folder + "/") && !path.ends_with("-shm") && !path.ends_with(".lock");
}

std::string relative(const std::string& path) {
  return path.substr(watch().folder.size() + 1);
}

/// Whether this call is the one to fail. The caller holds the mutex.
bool mustFail(Fault fault, const std::string& path) {
  Watch& all = watch();
  if (!all.plan || all.plan->fault != fault || !path.starts_with(all.folder)) return false;
  const std::int64_t call = ++all.calls;
  const bool now = call == all.plan->n || (all.plan->forever && call > all.plan->n);
  all.failed = all.failed || now;
  return now;
}

/// True and errno set if a plan wants this call to fail.
bool failsByPlan(std::initializer_list<Fault> faults, const std::string& path) {
  if (!watching) return false;
  const std::scoped_lock lock(watch().mutex);
  for (const Fault fault : faults) {
    if (!mustFail(fault, path)) continue;
    errno = fault == Fault::WriteNoSpace ? ENOSPC : EIO;
    return true;
  }
  return false;
}

std::string pathOf(int descriptor) {
  if (!watching) return "";
  const std::scoped_lock lock(watch().mutex);
  const auto found = watch().byDescriptor.find(descriptor);
  return found == watch().byDescriptor.end() ? "" : found->second.path;
}

void noteOpened(int descriptor, const char* path, int flags) {
  if (!watching || descriptor < 0) return;
  const std::string name = std::filesystem::absolute(path).lexically_normal().native();
  const std::scoped_lock lock(watch().mutex);
  Watch& all = watch();
  if (!name.starts_with(all.folder)) return;
  Opened& opened = all.byDescriptor[descriptor] = Opened{name, -1};
  if (!all.recording || !isWatched(name) || std::filesystem::is_directory(name)) return;
  const auto known = all.fileOfPath.find(name);
  if (known != all.fileOfPath.end()) {
    opened.file = known->second;
    if ((flags & O_TRUNC) != 0) all.ops.push_back({Kind::Truncate, opened.file, "", "", 0, ""});
    return;
  }
  opened.file = all.fileOfPath[name] = ++all.files;
  all.ops.push_back({Kind::Create, opened.file, relative(name), "", 0, ""});
}

void note(int descriptor, FileOp op) {
  if (!watching) return;
  const std::scoped_lock lock(watch().mutex);
  Watch& all = watch();
  const auto found = all.byDescriptor.find(descriptor);
  if (!all.recording || found == all.byDescriptor.end()) return;
  if (found->second.file < 0) {
    if (op.kind != Kind::Sync) return;
    op = {Kind::SyncFolder, 0, found->second.path == all.folder ? "" : relative(found->second.path), "", 0, ""};
  } else {
    op.file = found->second.file;
  }
  all.ops.push_back(std::move(op));
}

int openAs(const char* which, const char* path, int flags, mode_t mode) {
  using Open = int (*)(const char*, int, ...);
  if (watching && failsByPlan({Fault::Name}, std::filesystem::absolute(path).native())) return -1;
  const int descriptor = original<Open>(which)(path, flags, mode);
  const int kept = errno;
  noteOpened(descriptor, path, flags);
  errno = kept;
  return descriptor;
}

ssize_t writeAt(const char* which, int descriptor, const void* bytes, size_t count, off_t offset) {
  using Write = ssize_t (*)(int, const void*, size_t, off_t);
  if (failsByPlan({Fault::Write, Fault::WriteNoSpace}, pathOf(descriptor))) return -1;
  const ssize_t done = original<Write>(which)(descriptor, bytes, count, offset);
  if (done > 0)
    note(descriptor, {Kind::Write, 0, "", "", offset,
                      std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(done))});
  return done;
}

int syncAs(const char* which, int descriptor) {
  using Sync = int (*)(int);
  if (failsByPlan({Fault::Sync}, pathOf(descriptor))) return -1;
  const int code = freeSyncs > 0 || watching ? 0 : original<Sync>(which)(descriptor);
  note(descriptor, {Kind::Sync, 0, "", "", 0, ""});
  return code;
}

int truncateAs(const char* which, int descriptor, off_t length) {
  using Truncate = int (*)(int, off_t);
  if (failsByPlan({Fault::Write, Fault::WriteNoSpace}, pathOf(descriptor))) return -1;
  const int code = original<Truncate>(which)(descriptor, length);
  if (code == 0) note(descriptor, {Kind::Truncate, 0, "", "", length, ""});
  return code;
}

ssize_t readAt(const char* which, int descriptor, void* bytes, size_t count, off_t offset) {
  using Read = ssize_t (*)(int, void*, size_t, off_t);
  if (failsByPlan({Fault::Read}, pathOf(descriptor))) return -1;
  return original<Read>(which)(descriptor, bytes, count, offset);
}

void applyWrite(std::string& content, std::int64_t offset, std::string_view bytes) {
  const auto end = static_cast<std::size_t>(offset) + bytes.size();
  if (content.size() < end) content.resize(end, '\0');
  content.replace(static_cast<std::size_t>(offset), bytes.size(), bytes);
}

void apply(std::string& content, const FileOp& op) {
  if (op.kind == Kind::Write) return applyWrite(content, op.offset, op.bytes);
  content.resize(static_cast<std::size_t>(op.offset), '\0');
}

/// Keeps some sectors of a write.
void applySome(std::string& content, const FileOp& op, std::mt19937_64& random, std::uint64_t keptOf4) {
  if (op.kind == Kind::Truncate) {
    if (random() % 4 < keptOf4) apply(content, op);
    return;
  }
  for (std::size_t at = 0; at < op.bytes.size();) {
    const std::size_t inSector = (static_cast<std::size_t>(op.offset) + at) % 512;
    const std::size_t count = std::min(512 - inSector, op.bytes.size() - at);
    if (random() % 4 < keptOf4)
      applyWrite(content, op.offset + static_cast<std::int64_t>(at), std::string_view{op.bytes}.substr(at, count));
    at += count;
  }
}

void applyName(std::map<std::string, int>& names, const FileOp& op) {
  if (op.kind == Kind::Create) {
    names[op.path] = op.file;
  } else if (op.kind == Kind::Unlink) {
    names.erase(op.path);
  } else if (const auto found = names.find(op.path); found != names.end()) {
    names[op.target] = found->second;
    names.erase(op.path);
  }
}

std::string parentOf(const std::string& path) {
  return std::filesystem::path(path).parent_path().native();
}

}  // namespace

void startRecording(const std::filesystem::path& folder) {
  Watch& all = watch();
  const std::scoped_lock lock(all.mutex);
  all.folder = folder.native();
  all.ops.clear();
  all.byDescriptor.clear();
  all.fileOfPath.clear();
  all.files = 0;
  all.recording = watching = true;
}

void mark(const std::string& text) {
  const std::scoped_lock lock(watch().mutex);
  watch().ops.push_back({Kind::Mark, 0, text, "", 0, ""});
}

std::vector<FileOp> stopRecording() {
  Watch& all = watch();
  const std::scoped_lock lock(all.mutex);
  all.recording = watching = false;
  return std::move(all.ops);
}

FreeSyncs::FreeSyncs() {
  ++freeSyncs;
}
FreeSyncs::~FreeSyncs() {
  --freeSyncs;
}

void startFaults(const std::filesystem::path& folder, const FaultPlan& plan) {
  Watch& all = watch();
  const std::scoped_lock lock(all.mutex);
  all.folder = folder.native();
  all.byDescriptor.clear();
  all.plan = plan;
  all.calls = 0;
  all.failed = false;
  watching = true;
}

bool stopFaults() {
  Watch& all = watch();
  const std::scoped_lock lock(all.mutex);
  all.plan.reset();
  watching = false;
  return all.failed;
}

std::vector<std::string> PowerLoss::advance(std::size_t end) {
  std::vector<std::string> marks;
  for (; next_ < end && next_ < ops_.size(); ++next_) {
    const FileOp& op = ops_[next_];
    Content& content = contents_[op.file];
    switch (op.kind) {
      case Kind::Mark: marks.push_back(op.path); break;
      case Kind::Write:
      case Kind::Truncate: content.pending.push_back(&op); break;
      case Kind::Sync:
        for (const FileOp* one : content.pending) apply(content.synced, *one);
        content.pending.clear();
        break;
      case Kind::Create:
      case Kind::Rename:
      case Kind::Unlink: pendingNames_.push_back(&op); break;
      case Kind::SyncFolder: {
        std::vector<const FileOp*> others;
        for (const FileOp* one : pendingNames_) {
          if (parentOf(one->path) == op.path) {
            applyName(names_, *one);
          } else {
            others.push_back(one);
          }
        }
        pendingNames_ = std::move(others);
      }
    }
  }
  return marks;
}

void PowerLoss::write(const std::filesystem::path& folder, std::mt19937_64& random,
                      const std::function<bool(const std::string& path)>& wanted) const {
  auto names = names_;
  const std::size_t kept = random() % (pendingNames_.size() + 1);
  for (std::size_t i = 0; i < kept; ++i) applyName(names, *pendingNames_[i]);
  const std::uint64_t keptOf4 = random() % 5;  // nothing, some, everything
  for (const auto& [path, file] : names) {
    if (!wanted(path)) continue;
    std::filesystem::create_directories((folder / path).parent_path());
    const Content& content = contents_.at(file);
    std::string bytes = content.synced;
    for (const FileOp* op : content.pending) applySome(bytes, *op, random, keptOf4);
    std::ofstream(folder / path, std::ios::binary) << bytes;
  }
}

}  // namespace batchwise::test

// ---- In place of the C library's, for this program and the libraries it uses.

#define BATCHWISE_SHOWN extern "C" __attribute__((visibility("default")))
using namespace batchwise::test;  // NOLINT: the end of the file

namespace {
mode_t modeOf(int flags, va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(rest, int)) : 0;
}
}  // namespace

BATCHWISE_SHOWN int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = modeOf(flags, rest);
  va_end(rest);
  return openAs("open", path, flags, mode);
}
BATCHWISE_SHOWN int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = modeOf(flags, rest);
  va_end(rest);
  return openAs("open64", path, flags, mode);
}
BATCHWISE_SHOWN ssize_t pwrite(int fd, const void* bytes, size_t count, off_t at) {
  return writeAt("pwrite", fd, bytes, count, at);
}
BATCHWISE_SHOWN ssize_t pwrite64(int fd, const void* bytes, size_t count, off64_t at) {
  return writeAt("pwrite64", fd, bytes, count, at);
}
BATCHWISE_SHOWN ssize_t pread(int fd, void* bytes, size_t count, off_t at) {
  return readAt("pread", fd, bytes, count, at);
}
BATCHWISE_SHOWN ssize_t pread64(int fd, void* bytes, size_t count, off64_t at) {
  return readAt("pread64", fd, bytes, count, at);
}
BATCHWISE_SHOWN int fsync(int fd) {
  return syncAs("fsync", fd);
}
BATCHWISE_SHOWN int fdatasync(int fd) {
  return syncAs("fdatasync", fd);
}
BATCHWISE_SHOWN int ftruncate(int fd, off_t length) noexcept {
  return truncateAs("ftruncate", fd, length);
}
BATCHWISE_SHOWN int ftruncate64(int fd, off64_t length) noexcept {
  return truncateAs("ftruncate64", fd, length);
}
BATCHWISE_SHOWN ssize_t write(int fd, const void* bytes, size_t count) {
  using Write = ssize_t (*)(int, const void*, size_t);
  const std::string path = pathOf(fd);
  if (path.empty()) return original<Write>("write")(fd, bytes, count);
  if (failsByPlan({Fault::Write, Fault::WriteNoSpace}, path)) return -1;
  const off_t at = ::lseek(fd, 0, SEEK_CUR);
  const ssize_t done = original<Write>("write")(fd, bytes, count);
  if (done > 0)
    note(fd, {FileOp::Kind::Write, 0, "", "", at,
              std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(done))});
  return done;
}
BATCHWISE_SHOWN int rename(const char* from, const char* to) noexcept {
  using Rename = int (*)(const char*, const char*);
  const std::string path = watching ? std::filesystem::absolute(from).lexically_normal().native() : "";
  if (failsByPlan({Fault::Name}, path)) return -1;
  const int code = original<Rename>("rename")(from, to);
  if (code != 0 || !watching) return code;
  const std::scoped_lock lock(watch().mutex);
  Watch& all = watch();
  const auto found = all.fileOfPath.find(path);
  if (!all.recording || found == all.fileOfPath.end()) return code;
  const std::string target = std::filesystem::absolute(to).lexically_normal().native();
  all.ops.push_back({FileOp::Kind::Rename, found->second, relative(path), relative(target), 0, ""});
  all.fileOfPath[target] = found->second;
  all.fileOfPath.erase(path);
  return code;
}
BATCHWISE_SHOWN int unlink(const char* name) noexcept {
  using Unlink = int (*)(const char*);
  const int code = original<Unlink>("unlink")(name);
  if (code != 0 || !watching) return code;
  const std::string path = std::filesystem::absolute(name).lexically_normal().native();
  const std::scoped_lock lock(watch().mutex);
  Watch& all = watch();
  if (!all.recording || all.fileOfPath.erase(path) == 0) return code;
  all.ops.push_back({FileOp::Kind::Unlink, 0, relative(path), "", 0, ""});
  return code;
}
BATCHWISE_SHOWN int close(int fd) {
  using Close = int (*)(int);
  if (watching) {
    const std::scoped_lock lock(watch().mutex);
    watch().byDescriptor.erase(fd);
  }
  return original<Close>("close")(fd);
}
