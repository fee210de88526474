// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/error.h"

namespace batchwise {

/// Returns `failure`, or a DiskFull error with both byte counts if `failure` is Io or DiskFull and the file system of
/// `path` (or of its nearest existing parent folder) has less than `neededBytes` free. SQLite and other libraries
/// report a full disk as a general read or write error.
Error explainFullDisk(const Error& failure, const std::filesystem::path& path, std::int64_t neededBytes);

}  // namespace batchwise
