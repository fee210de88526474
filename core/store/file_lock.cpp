// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/file_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <sstream>
#include <thread>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/text.h"
#include "core/store/records.h"

namespace batchwise {
namespace {

constexpr LockRange kWhole{};
constexpr LockRange kFarByte{std::int64_t{1} << 60, 1};

struct flock lockOf(const LockRange& range, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = range.start;
  lock.l_len = range.length;
  return lock;
}

bool setLock(int descriptor, const LockRange& range, short type) {
  struct flock lock = lockOf(range, type);
  return ::fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

Error noLocks(const std::filesystem::path& path, const std::string& reason) {
  return Error::unsupported(
      formatText("cannot lock '{}': {}; two programs would write over each other there. Put the workspace on a file "
                 "system with working locks (NFS: without 'nolock', with its lock service running)",
                 path.native(), reason));
}

struct NamedType {
  long type;
  const char* name;
};

constexpr long kFuse = 0x65735546;

// Magic numbers from linux/magic.h and the file systems' own sources. Each of these is mounted by one kernel at a time
// and has locks and shared mappings.
constexpr std::array kLocalTypes{
    0xEF53L,      // ext2, ext3, ext4
    0x58465342L,  // XFS
    0x9123683EL,  // Btrfs
    0x2FC12FC1L,  // ZFS
    0xF2F52010L,  // F2FS
    0xCA451A4EL,  // bcachefs
    0x3153464AL,  // JFS
    0x52654973L,  // ReiserFS
    0x3434L,      // NILFS2
    0x01021994L,  // tmpfs
    0x858458F6L,  // ramfs
    0x794C7630L,  // overlayfs: its upper layer, where files are written, cannot be NFS (kernel, overlayfs.rst)
    0x61756673L,  // aufs, as overlayfs
    0x24051905L,  // UBIFS
    0x4D44L,      // FAT
    0x2011BAB0L,  // exFAT
    0x7366746EL,  // NTFS (ntfs3)
    0x5346544EL,  // NTFS (the older driver)
    0x482BL,      // HFS+
    0x15013346L,  // UDF
};

// Known to be shared; the names appear in the message. WSL mounts Windows drives with 9P; virtio-fs reports FUSE.
constexpr std::array kNetworkTypes{
    NamedType{0x6969, "NFS"},        NamedType{0x517B, "SMB"},        NamedType{0xFE534D42, "SMB2"},
    NamedType{0xFF534D42, "CIFS"},   NamedType{0x0BD00BD0, "Lustre"}, NamedType{0x47504653, "GPFS"},
    NamedType{0x5346414F, "AFS"},    NamedType{0x6B414653, "AFS"},    NamedType{0x00C36400, "Ceph"},
    NamedType{0x19830326, "BeeGFS"}, NamedType{0x73757245, "Coda"},   NamedType{0x01161970, "GFS2"},
    NamedType{0x7461636F, "OCFS2"},  NamedType{kFuse, "FUSE"},        NamedType{0x01021997, "9P"},
    NamedType{0x786F4256, "vboxsf"}, NamedType{0xBACBACBC, "vmhgfs"},
};

constexpr const char* kMachineFile = "workspace.host";
constexpr std::int64_t kMaxMachineTextBytes = 4096;

std::string hexadecimal(long number) {
  std::ostringstream text;
  text << "0x" << std::hex << static_cast<unsigned long>(number);
  return text.str();
}

std::string deviceOf(const std::filesystem::path& folder) {
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0) return {};
  return std::to_string(major(info.st_dev)) + ":" + std::to_string(minor(info.st_dev));
}

Error claimedElsewhere(const std::filesystem::path& file, const std::string& fileSystem, const MachineIdentity& owner,
                       const MachineIdentity& machine) {
  const std::string self =
      owner.host == machine.host ? "another one of that name" : std::string("'" + machine.host + "'");
  return Error::unsupported(
      formatText("the workspace '{}' lies on {} and is used by the machine '{}', this is {}: a database on a shared "
                 "file system can be open on one machine only; choose another workspace here, or delete '{}' if that "
                 "machine no longer uses it",
                 file.parent_path().native(), fileSystem, owner.host, self, file.native()));
}

/// Creates `file` with the whole `text`, in one step where the file system can, so that no other machine finds it
/// empty; does nothing if it exists. Never replaces the file of another machine. Fails with Io or DiskFull.
Result<void> createAtOnce(const std::filesystem::path& file, const std::string& text) {
  if (fileIdOf(file)) return {};
  const std::filesystem::path beside = file.native() + "." + newRecordId();
  RETURN_IF_ERROR(writeFileAtomically(beside, text));
  // Like creating a file exclusively, link(2) is atomic on NFS.
  const bool linked = ::link(beside.c_str(), file.c_str()) == 0 || errno == EEXIST;
  const bool renamed = !linked && ::renameat2(AT_FDCWD, beside.c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE) == 0;
  const bool exists = linked || renamed || errno == EEXIST;
  if (!renamed) ::unlink(beside.c_str());
  if (exists) return {};
  const Result<FileDescriptor> made = createFile(file);
  if (!made.ok()) return errno == EEXIST ? Result<void>() : made.error();
  RETURN_IF_ERROR(writeAll(*made, std::as_bytes(std::span(text)), file));
  return ::fsync(made->get()) == 0 ? Result<void>() : Error::fromErrno(errno, "cannot write '{}'", file.native());
}

}  // namespace

Result<bool> tryLock(const FileDescriptor& file, const std::filesystem::path& path, const LockRange& range) {
  while (!setLock(file.get(), range, F_WRLCK)) {
    if (errno == EAGAIN || errno == EACCES) return false;
    if (errno != EINTR) return noLocks(path, formatText("the file system has no locks ({})", std::strerror(errno)));
  }
  return true;
}

std::optional<bool> isLocked(const FileDescriptor& file, const LockRange& range) {
  struct flock lock = lockOf(range, F_WRLCK);
  if (!file.valid() || ::fcntl(file.get(), F_OFD_GETLK, &lock) != 0) return std::nullopt;
  return lock.l_type != F_UNLCK;
}

bool mayBeLocked(const FileDescriptor& file, const LockRange& range) {
  return isLocked(file, range).value_or(true);
}

Result<void> checkLocksWork(const FileDescriptor& file, const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const auto locked, tryLock(file, path, kFarByte));
  if (!locked) return {};  // held by another process, so locks work
  const FileDescriptor other{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  const bool kept = !other.valid() || mayBeLocked(other, kFarByte);
  setLock(file.get(), kFarByte, F_UNLCK);
  return kept ? Result<void>() : noLocks(path, "the file system grants the same lock twice");
}

Result<FileLock> FileLock::open(const std::filesystem::path& file) {
  FileDescriptor opened{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)};
  if (!opened.valid()) return Error::fromErrno(errno, "cannot open the lock '{}'", file.native());
  RETURN_IF_ERROR(checkLocksWork(opened, file));
  return FileLock(std::move(opened), file);
}

FileLock::Guard::~Guard() {
  if (descriptor_ >= 0) setLock(descriptor_, kWhole, F_UNLCK);
}

Result<FileLock::Guard> FileLock::acquire(std::chrono::milliseconds timeout) const {
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + timeout;
  std::chrono::microseconds pause{200};
  // Polls, because the blocking form has no time limit: a stopped process would block every other one.
  for (;;) {
    ASSIGN_OR_RETURN(const auto locked, tryLock(file_, path_, kWhole));
    if (locked) return Guard(file_.get());
    if (steady_clock::now() >= deadline)
      return Error{
          ErrorCode::Busy,
          formatText("another program has held '{}' for {} s; find it with `fuser`, and end it or let it continue",
                     path_.native(), std::chrono::duration_cast<std::chrono::seconds>(timeout).count()),
          {}};
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(pause * 2, std::chrono::milliseconds{10});
  }
}

std::optional<std::string> networkFileSystemName(long type) {
  if (std::find(kLocalTypes.begin(), kLocalTypes.end(), type) != kLocalTypes.end()) return std::nullopt;
  for (const NamedType& known : kNetworkTypes)
    if (known.type == type) return known.name;
  return formatText("an unknown file system, type {}", hexadecimal(type));
}

bool isLocalFuse(std::string_view mounts, std::string_view device) {
  bool local = false;
  for (const std::string& line : partsOf(mounts, '\n')) {  // "36 35 8:1 / /mnt options [tags] - type source options"
    std::istringstream fields(line);
    std::string id, parent, at, field, type;
    fields >> id >> parent >> at;
    if (at != device) continue;
    while (fields >> field && field != "-") continue;
    fields >> type;
    local = type == "fuseblk" || type == "fuse.fuse-overlayfs";
  }
  return local;
}

std::optional<std::string> networkFileSystemOf(const std::filesystem::path& folder) {
  struct statfs info {};
  if (::statfs(folder.c_str(), &info) != 0)
    return errno == ENOENT || errno == ENOTDIR ? std::nullopt
                                               : std::optional<std::string>(std::string("an unknown file system"));
  const auto type = static_cast<long>(info.f_type);
  if (type == kFuse)
    if (const auto mounts = readFile("/proc/self/mountinfo"); mounts.ok() && isLocalFuse(*mounts, deviceOf(folder)))
      return std::nullopt;
  return networkFileSystemName(type);
}

std::optional<MachineIdentity> otherMachineOf(const std::filesystem::path& folder, const MachineIdentity& machine) {
  const auto text = readFile(folder / kMachineFile, kMaxMachineTextBytes);
  if (!text.ok()) return std::nullopt;
  MachineIdentity owner = machineFromText(*text);
  if (isSameMachine(owner, machine)) return std::nullopt;
  return owner;
}

Result<void> claimForMachine(const std::filesystem::path& folder, const std::string& fileSystem,
                             const MachineIdentity& machine) {
  const std::filesystem::path file = folder / kMachineFile;
  const std::string own = machineText(machine);
  RETURN_IF_ERROR(createAtOnce(file, own));
  const auto text = readFile(file, kMaxMachineTextBytes);
  if (!text.ok()) return text.error();
  const MachineIdentity owner = machineFromText(*text);
  if (!text->empty() && !isSameMachine(owner, machine)) return claimedElsewhere(file, fileSystem, owner, machine);
  return *text == own ? Result<void>() : writeFileAtomically(file, own);
}

}  // namespace batchwise
