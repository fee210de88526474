// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/watched_files.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
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
constexpr int kWatchedFolder = 0;

struct Watch {
  std::mutex mutex;  // guards everything below
  std::string folder;
  bool recording = false;
  std::vector<FileOp> ops;
  std::map<int, Opened> byDescriptor;
  std::map<std::string, int> nodeOfPath;  // files and folders
  int nodes = 0;
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

std::string absoluteName(const char* path) {
  return std::filesystem::absolute(path).lexically_normal().native();
}

std::string nameIn(int folder, const char* path) {
  if (path[0] == '/' || folder == AT_FDCWD) return absoluteName(path);
  std::error_code unknown;
  const auto at = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(folder), unknown);
  return (at / path).lexically_normal().native();
}

std::string parentOf(const std::string& path) {
  return std::filesystem::path(path).parent_path().native();
}
std::string lastOf(const std::string& path) {
  return std::filesystem::path(path).filename().native();
}

/// The content as another process, or a call that is not watched, left it.
std::string contentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The number of a file or folder that is there. One that was not seen yet is recorded as new, with its content. The
/// caller holds the mutex.
int nodeAt(const std::string& path) {
  Watch& all = watch();
  if (const auto known = all.nodeOfPath.find(path); known != all.nodeOfPath.end()) return known->second;
  const int parent = nodeAt(parentOf(path));
  const int node = all.nodeOfPath[path] = ++all.nodes;
  const bool isFolder = std::filesystem::is_directory(path);
  all.ops.push_back(
      {.kind = isFolder ? Kind::MakeFolder : Kind::Create, .file = node, .folder = parent, .name = lastOf(path)});
  if (isFolder) return node;
  if (std::string content = contentOf(path); !content.empty())
    all.ops.push_back({.kind = Kind::Write, .file = node, .bytes = std::move(content)});
  return node;
}

/// Does `take` with the mutex held, if names below the watched folder are recorded and this is one.
template <typename Take>
void noteName(const std::string& path, const Take& take) {
  if (!watching) return;
  const std::scoped_lock lock(watch().mutex);
  if (watch().recording && isWatched(path)) take(watch());
}

void noteRemoved(const std::string& path) {
  noteName(path, [&](Watch& all) {
    const auto known = all.nodeOfPath.find(path);
    if (known == all.nodeOfPath.end()) return;
    all.ops.push_back({.kind = Kind::Remove, .folder = nodeAt(parentOf(path)), .name = lastOf(path)});
    all.nodeOfPath.erase(known);
  });
}

void noteRenamed(const std::string& from, const std::string& to) {
  noteName(to, [&](Watch& all) {
    if (!all.nodeOfPath.contains(from)) return (void)nodeAt(to);
    const int node = all.nodeOfPath.at(from);
    all.ops.push_back({.kind = Kind::Rename,
                       .file = node,
                       .folder = nodeAt(parentOf(from)),
                       .name = lastOf(from),
                       .toFolder = nodeAt(parentOf(to)),
                       .target = lastOf(to)});
    std::map<std::string, int> moved;
    std::erase_if(all.nodeOfPath, [&](const auto& entry) {
      if (entry.first != from && !entry.first.starts_with(from + "/")) return false;
      moved[to + entry.first.substr(from.size())] = entry.second;
      return true;
    });
    for (const auto& [path, number] : moved) all.nodeOfPath[path] = number;
  });
}

void noteLinked(const std::string& from, const std::string& to) {
  noteName(to, [&](Watch& all) {
    const auto known = all.nodeOfPath.find(from);
    if (known == all.nodeOfPath.end()) return (void)nodeAt(to);
    all.ops.push_back(
        {.kind = Kind::Create, .file = known->second, .folder = nodeAt(parentOf(to)), .name = lastOf(to)});
    all.nodeOfPath[to] = known->second;
  });
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
  const std::string name = absoluteName(path);
  const std::scoped_lock lock(watch().mutex);
  Watch& all = watch();
  if (!name.starts_with(all.folder)) return;
  Opened& opened = all.byDescriptor[descriptor] = Opened{name, -1};
  if (!all.recording || !isWatched(name) || std::filesystem::is_directory(name)) return;
  opened.file = nodeAt(name);
  if ((flags & O_TRUNC) != 0) all.ops.push_back({.kind = Kind::Truncate, .file = opened.file});
}

void note(int descriptor, FileOp op) {
  if (!watching) return;
  const std::scoped_lock lock(watch().mutex);
  Watch& all = watch();
  const auto found = all.byDescriptor.find(descriptor);
  if (!all.recording || found == all.byDescriptor.end()) return;
  op.file = found->second.file;
  if (op.file < 0) {
    if (op.kind != Kind::Sync || !std::filesystem::is_directory(found->second.path)) return;
    op = {.kind = Kind::SyncFolder, .folder = nodeAt(found->second.path)};
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
    note(descriptor, {.kind = Kind::Write,
                      .offset = offset,
                      .bytes = std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(done))});
  return done;
}

int syncAs(const char* which, int descriptor) {
  using Sync = int (*)(int);
  if (failsByPlan({Fault::Sync}, pathOf(descriptor))) return -1;
  const int code = freeSyncs > 0 || watching ? 0 : original<Sync>(which)(descriptor);
  note(descriptor, {.kind = Kind::Sync});
  return code;
}

int truncateAs(const char* which, int descriptor, off_t length) {
  using Truncate = int (*)(int, off_t);
  if (failsByPlan({Fault::Write, Fault::WriteNoSpace}, pathOf(descriptor))) return -1;
  const int code = original<Truncate>(which)(descriptor, length);
  if (code == 0) note(descriptor, {.kind = Kind::Truncate, .offset = length});
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

void applyName(std::map<std::pair<int, std::string>, int>& names, const FileOp& op) {
  if (op.kind == Kind::Remove || op.kind == Kind::Rename) names.erase({op.folder, op.name});
  if (op.kind == Kind::Rename) names[{op.toFolder, op.target}] = op.file;
  if (op.kind == Kind::Create || op.kind == Kind::MakeFolder) names[{op.folder, op.name}] = op.file;
}

bool isNameIn(const FileOp& op, int folder) {
  return op.folder == folder || (op.kind == Kind::Rename && op.toFolder == folder);
}

/// What is there, as written and synced long ago. The caller holds the mutex.
void recordWhatIsThere(const std::vector<std::string>& paths) {
  Watch& all = watch();
  for (const std::string& path : paths)
    if (isWatched(path)) (void)nodeAt(path);
  for (const auto& [path, node] : all.nodeOfPath) all.ops.push_back({.kind = Kind::Sync, .file = node});
  for (const auto& [path, node] : all.nodeOfPath) all.ops.push_back({.kind = Kind::SyncFolder, .folder = node});
  all.ops.push_back({.kind = Kind::Start});
}

}  // namespace

void startRecording(const std::filesystem::path& folder) {
  std::vector<std::string> there;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    there.push_back(entry.path().native());
  Watch& all = watch();
  const std::scoped_lock lock(all.mutex);
  all.folder = folder.native();
  all.ops.clear();
  all.byDescriptor.clear();
  all.nodeOfPath = {{all.folder, kWatchedFolder}};
  all.nodes = kWatchedFolder;
  recordWhatIsThere(there);
  all.recording = watching = true;
}

void mark(const std::string& text) {
  const std::scoped_lock lock(watch().mutex);
  watch().ops.push_back({.kind = Kind::Mark, .name = text});
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

PowerLoss::PowerLoss(std::vector<FileOp> ops) : ops_(std::move(ops)) {
  while (first_ < ops_.size() && ops_[first_].kind != Kind::Start) ++first_;
  advance(first_);
}

std::vector<std::string> PowerLoss::advance(std::size_t end) {
  std::vector<std::string> marks;
  for (; next_ < end && next_ < ops_.size(); ++next_) {
    const FileOp& op = ops_[next_];
    Content& content = contents_[op.file];
    switch (op.kind) {
      case Kind::Mark: marks.push_back(op.name); break;
      case Kind::Start: break;
      case Kind::Write:
      case Kind::Truncate: content.pending.push_back(&op); break;
      case Kind::Sync:
        for (const FileOp* one : content.pending) apply(content.synced, *one);
        content.pending.clear();
        break;
      case Kind::MakeFolder: folders_.insert(op.file); [[fallthrough]];
      case Kind::Create:
      case Kind::Rename:
      case Kind::Remove: pendingNames_.push_back(&op); break;
      case Kind::SyncFolder:
        std::erase_if(pendingNames_, [&](const FileOp* one) {
          if (!isNameIn(*one, op.folder)) return false;
          applyName(names_, *one);
          return true;
        });
    }
  }
  return marks;
}

PowerLoss::Names PowerLoss::namesLeft(std::mt19937_64& random) const {
  Names names = names_;
  const std::size_t kept = random() % (pendingNames_.size() + 1);
  const bool inOneOrder = random() % 2 == 0;
  std::map<int, std::size_t> keptOf;  // by folder
  for (std::size_t i = 0; i < pendingNames_.size(); ++i) {
    const FileOp& op = *pendingNames_[i];
    if (inOneOrder && i >= kept) break;
    if (!inOneOrder) {
      auto& left = keptOf.try_emplace(op.folder, random() % (pendingNames_.size() + 1)).first->second;
      if (left == 0) continue;
      --left;
    }
    applyName(names, op);
  }
  return names;
}

void PowerLoss::write(const std::filesystem::path& folder, std::mt19937_64& random,
                      const std::function<bool(const std::string& path)>& wanted) const {
  const Names names = namesLeft(random);
  const std::uint64_t keptOf4 = random() % 5;  // nothing, some, everything
  writeFolder(folder, "", names, kWatchedFolder, random, keptOf4, wanted);
}

void PowerLoss::writeFolder(const std::filesystem::path& root, const std::string& below, const Names& names, int folder,
                            std::mt19937_64& random, std::uint64_t keptOf4,
                            const std::function<bool(const std::string& path)>& wanted) const {
  std::filesystem::create_directories(root / below);
  for (auto entry = names.lower_bound({folder, ""}); entry != names.end() && entry->first.first == folder; ++entry) {
    const auto& [name, node] = *entry;
    const std::string path = below.empty() ? name.second : below + "/" + name.second;
    if (folders_.contains(node)) {
      writeFolder(root, path, names, node, random, keptOf4, wanted);
    } else if (wanted(path)) {
      const Content& content = contents_.at(node);
      std::string bytes = content.synced;
      for (const FileOp* op : content.pending) applySome(bytes, *op, random, keptOf4);
      std::ofstream(root / path, std::ios::binary) << bytes;
    }
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
BATCHWISE_SHOWN int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = modeOf(flags, rest);
  va_end(rest);
  using OpenAt = int (*)(int, const char*, int, ...);
  const int descriptor = original<OpenAt>("openat")(folder, path, flags, mode);
  const int kept = errno;
  if (watching && descriptor >= 0) noteOpened(descriptor, nameIn(folder, path).c_str(), flags);
  errno = kept;
  return descriptor;
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
    note(fd, {.kind = FileOp::Kind::Write,
              .offset = at,
              .bytes = std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(done))});
  return done;
}
BATCHWISE_SHOWN ssize_t writev(int fd, const struct iovec* parts, int count) {
  using Writev = ssize_t (*)(int, const struct iovec*, int);
  if (pathOf(fd).empty()) return original<Writev>("writev")(fd, parts, count);
  ssize_t all = 0;
  for (int i = 0; i < count; ++i) {
    const ssize_t done = write(fd, parts[i].iov_base, parts[i].iov_len);
    if (done < 0) return all > 0 ? all : done;
    all += done;
    if (static_cast<size_t>(done) < parts[i].iov_len) break;
  }
  return all;
}
/// Who copies so (std::filesystem::copy_file) falls back to write.
BATCHWISE_SHOWN ssize_t sendfile(int out, int in, off_t* offset, size_t count) noexcept {
  using Sendfile = ssize_t (*)(int, int, off_t*, size_t);
  if (pathOf(out).empty()) return original<Sendfile>("sendfile")(out, in, offset, count);
  errno = EINVAL;
  return -1;
}
BATCHWISE_SHOWN int rename(const char* from, const char* to) noexcept {
  using Rename = int (*)(const char*, const char*);
  const std::string path = watching ? absoluteName(from) : "";
  if (failsByPlan({Fault::Name}, path)) return -1;
  const int code = original<Rename>("rename")(from, to);
  if (code == 0 && watching) noteRenamed(path, absoluteName(to));
  return code;
}
BATCHWISE_SHOWN int link(const char* from, const char* to) noexcept {
  using Link = int (*)(const char*, const char*);
  const int code = original<Link>("link")(from, to);
  if (code == 0 && watching) noteLinked(absoluteName(from), absoluteName(to));
  return code;
}
BATCHWISE_SHOWN int mkdir(const char* path, mode_t mode) noexcept {
  using Mkdir = int (*)(const char*, mode_t);
  const int code = original<Mkdir>("mkdir")(path, mode);
  if (code == 0 && watching) noteName(absoluteName(path), [&](auto&) { (void)nodeAt(absoluteName(path)); });
  return code;
}

namespace {
int removeAs(const char* which, const char* name) {
  using Remove = int (*)(const char*);
  const int code = original<Remove>(which)(name);
  if (code == 0 && watching) noteRemoved(absoluteName(name));
  return code;
}
}  // namespace

BATCHWISE_SHOWN int unlink(const char* name) noexcept {
  return removeAs("unlink", name);
}
BATCHWISE_SHOWN int rmdir(const char* name) noexcept {
  return removeAs("rmdir", name);
}
BATCHWISE_SHOWN int remove(const char* name) noexcept {
  return removeAs("remove", name);
}
BATCHWISE_SHOWN int unlinkat(int folder, const char* name, int flags) noexcept {
  using UnlinkAt = int (*)(int, const char*, int);
  const std::string path = watching ? nameIn(folder, name) : "";
  const int code = original<UnlinkAt>("unlinkat")(folder, name, flags);
  if (code == 0 && watching) noteRemoved(path);
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
