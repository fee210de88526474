// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// Whether a character is ASCII white space or NUL (which readers drop). Lines of such characters separate documents.
constexpr bool isBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}
inline bool isBlank(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return isBlank(c); });
}

/// What the beginning of a text file says about all of it.
struct TextHead {
  /// Lines end with carriage returns alone, as old Macs wrote them, at least in some places.
  bool returnsEndLines = false;
};

/// Reads the first 64 KiB of a file, decompressed, and says whether it is text in UTF-8: the one rule of every command,
/// of the window and of the reader. Fails with Config for what is none (pictures, archives, PDF, Parquet, programs,
/// UTF-16, ...), naming the file and, where its first bytes tell, what it is; else as openByteSource().
Result<TextHead> inspectText(const std::filesystem::path& file);
/// The same of several files; fails with the first one that is no text, and says how many more are none.
Result<std::vector<TextHead>> inspectTexts(std::span<const std::filesystem::path> files);

/// Returns the warning that `count` invalid sequences were replaced while `subject` was read, the first at `line`.
std::string invalidUnicodeText(const std::string& subject, std::int64_t count, const std::string& file,
                               std::int64_t line);
/// Returns the error of a stop request.
Error stoppedWhileReading(const std::filesystem::path& file);

}  // namespace batchwise
