// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/store/process_identity.h"

namespace batchwise {

/// The name of a file system that several machines may share ("NFS", "type 0x1234"), from `f_type` of statfs(2);
/// nothing for one that is known to be of one machine only. What nobody has looked at may be shared: SQLite's WAL needs
/// memory that all who have the file open share, and a wrong guess costs the database.
std::optional<std::string> networkFileSystemName(long type);

/// The same for the file system that `folder` lies on; nothing if there is no such folder.
std::optional<std::string> networkFileSystemOf(const std::filesystem::path& folder);

/// Whether a FUSE file system (whose `f_type` is the same for all of them) is of one machine: one on a block device, or
/// the upper layer of a container. `mounts`: /proc/self/mountinfo; `device`: "major:minor" of the file system.
bool isLocalFuse(std::string_view mounts, std::string_view device);

/// The machine that opens the database in `folder`, by its `workspace.host`, if that is another than `machine`.
std::optional<MachineIdentity> otherMachineOf(const std::filesystem::path& folder, const MachineIdentity& machine);

/// On a shared file system only one machine may open the database. The first writes what it is into `workspace.host`,
/// and again where that has changed (a restart, a file of an early version); on another this fails with Unsupported and
/// says what would do.
Result<void> claimForMachine(const std::filesystem::path& folder, const std::string& fileSystem,
                             const MachineIdentity& machine);

}  // namespace batchwise
