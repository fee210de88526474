// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/choices.h"
#include "core/text/file_identity.h"

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
Result<TextHead> inspectText(const std::filesystem::path& file, TextFormat format = TextFormat::Text);
/// The same of several files; fails with the first one that is no text, and says how many more are none.
Result<std::vector<TextHead>> inspectTexts(std::span<const std::filesystem::path> files, TextFormat format);

/// Returns the warning that `count` invalid sequences were replaced while `subject` was read, the first at `line`.
std::string invalidUnicodeText(const std::string& subject, std::int64_t count, const std::string& file,
                               std::int64_t line);
/// Returns the error of a stop request.
Error stoppedWhileReading(const std::filesystem::path& file);

/// Evaluation documents that also stand in the training text.
struct TextOverlap {
  std::int64_t documents = 0;  ///< of the evaluation text
  std::int64_t shared = 0;     ///< of which at least half of the text stands, line by line, in the training text
  std::size_t file = 0;        ///< of the evaluation text: where the first one is
};

struct OverlapJob {
  std::vector<FileIdentity> train;
  std::vector<std::vector<FileIdentity>> evaluated;  ///< the files of each evaluation text
  TextFormat format = TextFormat::Text;
  std::string textField;
  std::filesystem::path cacheFolder;  ///< empty: none
};

/// Compares each evaluation text with the training text, and keeps the answer in the cache folder, if there is one. Of
/// more than 64 MiB of evaluation text, documents are drawn by their hash, and the counts are estimates.
/// `progress(done, total)` reports bytes. Uses at most about 100 MB. Fails as DocumentReader, with Io, or with Stopped
/// on `stop`.
Result<std::vector<TextOverlap>> findOverlap(const OverlapJob& job,
                                             const std::function<void(std::int64_t, std::int64_t)>& progress,
                                             std::stop_token stop);

}  // namespace batchwise
