// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/store/process_identity.h"

namespace batchwise {

/// Returns the name of a file system that several machines may share ("NFS", "type 0x1234"), given `f_type` of
/// statfs(2); nullopt if it is known to be local. Unknown types count as shared: SQLite's WAL needs memory shared by
/// all users of the file, and a wrong guess costs the database.
std::optional<std::string> networkFileSystemName(long type);

/// The same for the file system of `folder`; nullopt if the folder does not exist.
std::optional<std::string> networkFileSystemOf(const std::filesystem::path& folder);

/// Returns whether a FUSE file system (all of them have the same `f_type`) is local: on a block device, or the upper
/// layer of a container. `mounts`: text of /proc/self/mountinfo; `device`: "major:minor" of the file system.
bool isLocalFuse(std::string_view mounts, std::string_view device);

/// Returns the machine named in `workspace.host` of `folder`, if it is not `machine`.
std::optional<MachineIdentity> otherMachineOf(const std::filesystem::path& folder, const MachineIdentity& machine);

/// Claims the workspace on a shared file system, where only one machine may open the database: writes `machine` into
/// `workspace.host`, also when it has changed (a restart). Fails with Unsupported if
/// another machine has claimed it.
Result<void> claimForMachine(const std::filesystem::path& folder, const std::string& fileSystem,
                             const MachineIdentity& machine);

}  // namespace batchwise
