// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/file_system.h"

#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/base/file.h"

namespace batchwise {
namespace {

struct NetworkType {
  long type;
  const char* name;
};

// Magic numbers of linux/magic.h and of the file systems' own sources.
constexpr std::array kNetworkTypes{
    NetworkType{0x6969, "NFS"},        NetworkType{0x517B, "SMB"},        NetworkType{0xFE534D42, "SMB2"},
    NetworkType{0xFF534D42, "CIFS"},   NetworkType{0x0BD00BD0, "Lustre"}, NetworkType{0x47504653, "GPFS"},
    NetworkType{0x5346414F, "AFS"},    NetworkType{0x6B414653, "AFS"},    NetworkType{0x00C36400, "Ceph"},
    NetworkType{0x19830326, "BeeGFS"}, NetworkType{0x73757245, "Coda"},   NetworkType{0x01161970, "GFS2"},
    NetworkType{0x7461636F, "OCFS2"},  NetworkType{0x65735546, "FUSE"},   NetworkType{0x01021997, "9P"},
};

constexpr const char* kHostFile = "workspace.host";
constexpr std::int64_t kLongestHostName = 4096;

}  // namespace

std::optional<std::string> networkFileSystemName(long type) {
  for (const NetworkType& known : kNetworkTypes)
    if (known.type == type) return known.name;
  return std::nullopt;
}

std::optional<std::string> networkFileSystemOf(const std::filesystem::path& folder) {
  struct statfs info {};
  if (::statfs(folder.c_str(), &info) != 0) return std::nullopt;
  return networkFileSystemName(static_cast<long>(info.f_type));
}

std::optional<std::string> otherHostOf(const std::filesystem::path& folder, const std::string& host) {
  auto owner = readFile(folder / kHostFile, kLongestHostName);
  if (!owner.ok() || *owner == host) return std::nullopt;
  return std::move(*owner);
}

Result<void> claimForHost(const std::filesystem::path& folder, const std::string& fileSystem, const std::string& host) {
  const std::filesystem::path file = folder / kHostFile;
  const FileDescriptor made{::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)};
  if (made.valid()) {
    const ssize_t written = ::write(made.get(), host.data(), host.size());
    if (written == static_cast<ssize_t>(host.size()) && ::fsync(made.get()) == 0) return {};
    return Error::fromErrno(errno, "cannot write", file.native());
  }
  if (errno != EEXIST) return Error::fromErrno(errno, "cannot write", file.native());
  const auto owner = readFile(file, kLongestHostName);
  if (!owner.ok()) return owner.error();
  if (*owner == host) return {};
  return Error::unsupported("the workspace '" + folder.native() + "' lies on " + fileSystem +
                            " and is used by the machine '" + *owner + "', this is '" + host +
                            "': a database on a shared file system can be open on one machine only; choose another "
                            "workspace here, or delete '" +
                            file.native() + "' if that machine no longer uses it");
}

}  // namespace batchwise
