// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/vocabulary.h"

namespace batchwise::test {

/// Writes a file, with the folders it needs. Ends the test program if that fails.
std::filesystem::path writeText(const std::filesystem::path& path, std::string_view content);

/// `content` as one gzip member.
std::string gzip(std::string_view content);

/// `content` as one Zstandard frame, with a window of 2 to the power `windowBits`, if given.
std::string zstd(std::string_view content, int windowBits = 0);

/// The special tokens at ids 0 to 4, then `pieces`.
Vocabulary smallVocabulary(const std::vector<std::string>& pieces);

}  // namespace batchwise::test
