// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>

#include "core/base/result.h"

namespace batchwise {

/// Appends bytes to a file being written. Fails with Io or DiskFull.
using FileSink = std::function<Result<void>(std::span<const std::byte>)>;

/// Streaming form of writeFileAtomically (file.h): calls `write` once with a sink for the content. If `write` fails,
/// the old file is untouched and its error is returned.
Result<void> replaceFile(const std::filesystem::path& path, const std::function<Result<void>(const FileSink&)>& write);

}  // namespace batchwise
