// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/choices.h"

namespace batchwise {

struct TextCounts {
  std::int64_t documents = 0;
  std::int64_t textBytes = 0;          ///< of the documents, after repair
  std::int64_t replacedSequences = 0;  ///< ill-formed UTF-8 and lone JSON surrogates, each replaced by one U+FFFD
  std::int64_t cutDocuments = 0;       ///< cuts made in documents longer than the limit
  TextCounts& operator+=(const TextCounts& other);
  bool operator==(const TextCounts&) const = default;
};

/// Position between two documents from which another reader can resume.
struct TextPosition {
  std::int64_t byte = 0;   ///< in the decompressed file
  std::int64_t line = 1;   ///< number of the line at `byte`
  std::int64_t piece = 0;  ///< documents already returned from the JSONL line or CSV row at `byte`
  bool operator==(const TextPosition&) const = default;
};

/// Limits of a reader. The defaults bound its memory to a few megabytes for any file.
struct TextLimits {
  std::int64_t documentBytes = std::int64_t{1} << 20;  ///< longer documents are cut, at white space if possible
  std::int64_t jsonLineBytes = std::int64_t{16}
                               << 20;  ///< longer lines of a JSONL file and rows of a CSV file are errors
};

/// Reads the documents of one file in order, in bounded memory; decompresses packed files. Drops a leading byte order
/// mark, carriage returns before line feeds, and NUL bytes; other carriage returns end lines if the file has some among
/// its first 64 KiB (inspectText()); replaces ill-formed UTF-8 and escapes of lone surrogates in JSON ("\ud800"). Skips
/// documents that are empty or ASCII white space. Not thread-safe.
class DocumentReader {
 public:
  /// Opens `path` at `start`. Fails with NotFound, Io, or Config if it is a folder, pipe, device, or no
  /// text in UTF-8, as inspectText() says, or a CSV file without the column `textField`.
  static Result<DocumentReader> open(const std::filesystem::path& path, TextFormat format,
                                     std::string textField = "text", TextPosition start = {}, TextLimits limits = {});
  DocumentReader(DocumentReader&&) noexcept;
  DocumentReader& operator=(DocumentReader&&) noexcept;
  ~DocumentReader();

  /// Reads the next document; returns false at the end. Fails with Corrupt for damaged packed data, Config (naming
  /// file and line) for a line that is not a JSON object with the text field or a row that does not fit the header of
  /// its CSV file, or Io.
  Result<bool> next(std::string& document);

  /// Returns counts since the reader was opened.
  const TextCounts& counts() const;
  /// Returns the position after the last returned document.
  TextPosition position() const;
  /// Returns the number of the line with the first replacement in the last line or document that had any; 0: none had.
  std::int64_t replacedLine() const;
  /// Returns how many rows and lines since the reader was opened had null or white space for a text.
  std::int64_t blankRecords() const;
  /// Returns the bytes read from the file (compressed size of packed files), for progress.
  std::int64_t fileBytesRead() const;

 private:
  class Impl;
  explicit DocumentReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Returns the path without the ending of a packed file, .gz or .zst.
std::string_view unpackedName(const std::filesystem::path& file);
/// Whether readers decompress the file, as its name says.
bool isPacked(const std::filesystem::path& file);

/// Sequential reader of a regular file in bounded memory; decompresses packed files: gzip, and Zstandard with windows
/// of up to 128 MiB. Not thread-safe.
class ByteSource {
 public:
  explicit ByteSource(std::filesystem::path path) : path_(std::move(path)) {}
  virtual ~ByteSource() = default;
  /// Fills the start of `buffer` and returns the number of bytes, 0 only at the end. Fails with Io, or Corrupt for
  /// damaged packed data.
  virtual Result<std::size_t> read(std::span<char> buffer) = 0;
  /// Skips `bytes` >= 0. Fails like read(), or with Corrupt if the file ends first.
  virtual Result<void> skip(std::int64_t bytes) {
    std::vector<char> scratch(std::size_t{1} << 16);
    while (bytes > 0) {
      const auto part = static_cast<std::size_t>(std::min<std::int64_t>(bytes, std::ssize(scratch)));
      ASSIGN_OR_RETURN(const auto got, read(std::span(scratch).first(part)));
      if (got == 0) return isShorter();
      bytes -= static_cast<std::int64_t>(got);
    }
    return {};
  }
  /// Returns the bytes read or skipped in the file itself (compressed size of packed files).
  virtual std::int64_t fileBytesRead() const = 0;
  const std::filesystem::path& path() const { return path_; }

 protected:
  /// The error of a file that ends before a place that was reached in it.
  Error isShorter() const {
    return Error::corrupt(
        formatText("'{}' is shorter than it was before; restore it, or prepare the data again", path_.native()));
  }

 private:
  std::filesystem::path path_;
};

/// Opens `path`. Fails with NotFound, Io, or Config if it is a folder, pipe or device.
Result<std::unique_ptr<ByteSource>> openByteSource(const std::filesystem::path& path);

}  // namespace batchwise
