// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// How documents lie in a text file.
enum class TextFormat {
  Text,   ///< separated by blank lines
  Lines,  ///< one per line
  Jsonl,  ///< one JSON object per line; the text is one of its string fields
};

/// "text", "lines", "jsonl".
std::string_view textFormatName(TextFormat format);
/// Fails with Config, naming what is known.
Result<TextFormat> textFormatFromName(std::string_view name);

/// The files that `patterns` name, absolute, each once, sorted by path. A pattern is a file, a folder (its files whose
/// names fit `format`, in all depths, hidden ones and links to folders aside) or a glob with * ? [] per path part and
/// ** for any depth; relative ones start at `baseFolder`.
/// `notes`, if given, gets a sentence if files are named more than once.
/// Fails with NotFound for a pattern that finds nothing and with Config for one that names no regular file.
Result<std::vector<std::filesystem::path>> findTextFiles(const std::vector<std::string>& patterns,
                                                         const std::filesystem::path& baseFolder, TextFormat format,
                                                         std::vector<std::string>* notes = nullptr);

/// What a reader met so far.
struct TextCounts {
  std::int64_t documents = 0;
  std::int64_t textBytes = 0;          ///< of the documents, after repair
  std::int64_t replacedSequences = 0;  ///< ill-formed UTF-8 and lone surrogates of JSON, each replaced by one U+FFFD
  std::int64_t cutDocuments = 0;       ///< extra cuts made in documents longer than the limit
  TextCounts& operator+=(const TextCounts& other);
  bool operator==(const TextCounts&) const = default;
};

/// Where a reader stands between two documents, enough to go on from there in another process.
struct TextPosition {
  std::int64_t byte = 0;   ///< in the unpacked bytes of the file
  std::int64_t line = 1;   ///< number of the line that starts or goes on there
  std::int64_t piece = 0;  ///< documents already given out of the jsonl line that starts there
  bool operator==(const TextPosition&) const = default;
};

/// Limits of a reader; the defaults bound its memory to a few megabytes, whatever the file.
struct TextLimits {
  std::int64_t documentBytes = std::int64_t{1} << 20;   ///< a longer document is cut, at white space if there is some
  std::int64_t jsonLineBytes = std::int64_t{16} << 20;  ///< a longer line of a jsonl file is an error
};

/// Reads the documents of one file in order, in bounded memory. Files ending in .gz are unpacked on the way. A byte
/// order mark at the start, carriage returns before line ends and NUL bytes are dropped; ill-formed UTF-8 is replaced,
/// and so are the escapes of lone surrogates in JSON ("\ud800"). A document is never empty or only ASCII white space.
/// One thread at a time.
class DocumentReader {
 public:
  /// Opens `path` at `start`. Fails with NotFound, Io, or Config if it is a folder, a pipe, a device, or text in
  /// UTF-16 or UTF-32 (by its mark, or by what it looks like).
  static Result<DocumentReader> open(const std::filesystem::path& path, TextFormat format,
                                     std::string textField = "text", TextPosition start = {}, TextLimits limits = {});
  DocumentReader(DocumentReader&&) noexcept;
  DocumentReader& operator=(DocumentReader&&) noexcept;
  ~DocumentReader();

  /// Puts the next document into `document`; false at the end. Fails with Corrupt for damaged gzip data, Config for a
  /// line that is no JSON object with the wanted field (file and line are named), Io.
  Result<bool> next(std::string& document);

  /// What was met since the reader was opened.
  const TextCounts& counts() const;
  /// Behind the last document given out.
  TextPosition position() const;
  /// Bytes of the file (packed, if it is packed) taken in so far; for progress.
  std::int64_t fileBytesRead() const;

 private:
  class Impl;
  explicit DocumentReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchwise
