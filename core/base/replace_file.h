// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>

#include "core/base/result.h"

namespace batchwise {

/// Takes the next bytes of a file. Fails with Io or DiskFull.
using FileSink = std::function<Result<void>(std::span<const std::byte>)>;

/// As writeFileAtomically (file.h), with the content given piece by piece: `write` is called once and hands its bytes
/// to the sink. If it fails, the old file is untouched and its error is returned.
Result<void> replaceFile(const std::filesystem::path& path, const std::function<Result<void>(const FileSink&)>& write);

}  // namespace batchwise
