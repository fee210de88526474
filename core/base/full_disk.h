// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/error.h"

namespace batchwise {

/// `failure`; if it is of kind Io or DiskFull and the file system of `path` (or of the nearest folder above it that is
/// there) has less than `neededBytes` free: a DiskFull that gives both figures. SQLite and libraries report a full disk
/// as an error of reading or writing.
Error explainFullDisk(const Error& failure, const std::filesystem::path& path, std::int64_t neededBytes);

}  // namespace batchwise
