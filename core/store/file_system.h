// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace batchwise {

/// The name of a file system that several machines may share ("NFS"), from `f_type` of statfs(2); nothing for a local
/// one.
std::optional<std::string> networkFileSystemName(long type);

/// The same for the file system that `folder` lies on.
std::optional<std::string> networkFileSystemOf(const std::filesystem::path& folder);

/// The machine that opens the database in `folder`, by its `workspace.host`, if that is another than `host`.
std::optional<std::string> otherHostOf(const std::filesystem::path& folder, const std::string& host);

/// On a shared file system only one machine may open the database. The first writes its name into `workspace.host`; on
/// another this fails with Unsupported and says what would do.
Result<void> claimForHost(const std::filesystem::path& folder, const std::string& fileSystem, const std::string& host);

}  // namespace batchwise
