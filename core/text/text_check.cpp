// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/text_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/text/table_library.h"
#include "core/text/text_source.h"

namespace batchwise {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TextOverlap, documents, shared, file)

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kInspectedBytes = std::size_t{1} << 16;

/// Formats by the bytes at a place of the file.
struct Signature {
  std::size_t at;
  std::string_view bytes;
  const char* name;
  bool isPrintable = false;  ///< a text may begin with it; files of the format have control characters, too
};
constexpr Signature kSignatures[] = {
    {0, "\x89PNG"sv, "PNG"},
    {0, "\xFF\xD8\xFF"sv, "JPEG"},
    {0, "GIF87a"sv, "GIF", true},
    {0, "GIF89a"sv, "GIF", true},
    {0, "II*\0"sv, "TIFF"},
    {0, "MM\0*"sv, "TIFF"},
    {0, "%PDF-"sv, "PDF"},
    {0, "{\\rtf"sv, "RTF"},
    {0, "AT&TFORM"sv, "DjVu"},
    {0, "PK\x03\x04"sv, "ZIP (docx, xlsx, pptx, odt, epub, jar, npz)"},
    {0, "PK\x05\x06"sv, "ZIP"},
    {0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "Microsoft Office (doc, xls, ppt)"},
    {4, "1AY&SY"sv, "bzip2"},
    {0, "\xFD\x37zXZ"sv, "XZ"},
    {0, "\x5D\0\0"sv, "LZMA"},
    {0, "\x04\x22\x4D\x18"sv, "LZ4"},
    {0, "\x1F\x9D"sv, "compress (Z)"},
    {0, "7z\xBC\xAF\x27\x1C"sv, "7z"},
    {0, "Rar!\x1A\x07"sv, "RAR"},
    {257, "ustar"sv, "tar", true},
    {0, "FEA1"sv, "Feather", true},
    {0, "Obj\x01"sv, "Avro"},
    {0, "\x89HDF"sv, "HDF5"},
    {0, "\x93NUMPY"sv, "NumPy"},
    {4, "\0\0\0\0{\""sv, "safetensors"},
    {0, "\x80\x02"sv, "pickle"},
    {0, "\x80\x03"sv, "pickle"},
    {0, "\x80\x04"sv, "pickle"},
    {0, "\x80\x05"sv, "pickle"},
    {0, "SQLite format 3\0"sv, "SQLite"},
    {0,
     "\x7F"
     "ELF"sv,
     "ELF (a program or library)"},
    {0, "\0asm"sv, "WebAssembly"},
    {0, "\xCA\xFE\xBA\xBE"sv, "Java class or Mach-O"},
    {8, "WEBP"sv, "WebP", true},
    {8, "WAVEfmt"sv, "WAV", true},
    {0, "ID3\x03"sv, "MP3"},
    {0, "ID3\x04"sv, "MP3"},
};

bool isControl(std::uint32_t c) {
  return (c < 0x20 && (c < '\t' || c > '\r') && c != 0x1B) || c == 0x7F;
}

/// Returns the name of the format that `head` begins like; null if it is none of the known ones.
const char* signatureOf(std::string_view head) {
  const bool hasControl = std::ranges::any_of(head, [](char c) { return isControl(static_cast<std::uint8_t>(c)); });
  for (const Signature& one : kSignatures)
    if ((hasControl || !one.isPrintable) && head.size() >= one.at && head.substr(one.at).starts_with(one.bytes))
      return one.name;
  return nullptr;
}

/// Returns whether more than 1 % of the bytes, and more than two, are control characters that text does not have.
bool isBinary(std::string_view head) {
  constexpr int kFew = 2;
  if (isBlank(head)) return false;
  const auto strange = std::ranges::count_if(head, [](char c) { return isControl(static_cast<std::uint8_t>(c)); });
  return strange > kFew && strange * 100 > std::ssize(head);
}

/// Returns whether more than a fifth of the characters, and more than a few, are no UTF-8: text in another encoding,
/// of which most would be trained on as U+FFFD, or binary data without control characters.
bool isNoUtf8(std::string_view head) {
  constexpr int kFew = 32;
  std::int64_t strange = 0, all = 0;
  for (; !head.empty(); ++all) {
    const Utf8Step step = decodeUtf8(head);
    strange += step.wellFormed ? 0 : 1;
    head.remove_prefix(static_cast<std::size_t>(step.bytes));
  }
  return strange > kFew && strange * 5 > all;
}

/// Returns whether units of `bytes` bytes each are characters, but for one in twenty.
bool holdsWideText(std::string_view text, std::size_t bytes, bool bigEnd) {
  std::size_t strange = 0, units = 0;
  bool paired = false;  // the last unit was the first half of a pair
  for (std::size_t at = 0; at + bytes <= text.size(); at += bytes, ++units) {
    std::uint32_t unit = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      unit = unit << 8 | static_cast<std::uint8_t>(text[at + (bigEnd ? i : bytes - 1 - i)]);
    const bool first = unit >= 0xD800 && unit < 0xDC00, second = unit >= 0xDC00 && unit < 0xE000;
    strange += unit > 0x10FFFF || isControl(unit) || (bytes == 4 ? first || second : second != paired) ? 1 : 0;
    paired = first;
  }
  return strange * 20 < units;
}

/// Returns the encoding of 7 bits whose escape sequences to East Asian characters the text has; null if it has none.
const char* escapedEncoding(std::string_view text) {
  for (const char* sequence : {"\x1B$B", "\x1B$@"})
    if (text.find(sequence) != text.npos) return "ISO-2022-JP";
  return text.find("\x1B$)C") != text.npos ? "ISO-2022-KR" : nullptr;
}

/// Guesses the wide encoding of text without a byte order mark; null if it does not look wide. In UTF-16 and UTF-32,
/// NUL is at least half of the bytes of Latin text. With fewer NULs, the text counts as wide only if the other bytes do
/// not look like UTF-8.
const char* detectWideEncoding(std::string_view start) {
  constexpr std::size_t kPairs = 4096, kFewest = 4;
  const std::size_t pairs = std::min(kPairs, start.size() / 2);
  if (pairs < kFewest) return nullptr;
  start = start.substr(0, 2 * pairs);
  std::size_t even = 0, odd = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    even += start[2 * i] == '\0' ? 1 : 0;
    odd += start[2 * i + 1] == '\0' ? 1 : 0;
  }
  if (even * 10 > pairs * 3 && odd * 10 > pairs * 3 && even + odd > pairs && (even + odd) * 10 < pairs * 18) {
    if (!holdsWideText(start, 4, even > odd)) return nullptr;
    return even > odd ? "UTF-32BE" : "UTF-32LE";
  }
  const std::size_t more = std::max(even, odd), fewer = std::min(even, odd);
  if (fewer * 50 > more || more == 0 || !holdsWideText(start, 2, even > odd)) return nullptr;
  std::size_t strange = 0;  // ill-formed sequences and control characters
  for (std::string_view rest = start; !rest.empty();) {
    const Utf8Step step = decodeUtf8(rest);
    strange += !step.wellFormed || (step.codePoint < 0x20 && step.codePoint != 0 && !isBlank(rest.front())) ? 1 : 0;
    rest.remove_prefix(static_cast<std::size_t>(step.bytes));
  }
  if (more * 10 < pairs * 3 && strange * 20 < pairs) return nullptr;
  return even > odd ? "UTF-16BE" : "UTF-16LE";
}

Result<std::string> inspectedBytes(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const auto source, openByteSource(file));
  std::string head(kInspectedBytes, '\0');
  std::size_t filled = 0;
  while (filled < head.size()) {
    ASSIGN_OR_RETURN(const auto got, source->read(std::span(head).subspan(filled)));
    if (got == 0) break;
    filled += got;
  }
  head.resize(filled);
  return head;
}

bool hasLoneReturn(std::string_view head) {
  for (std::size_t at = head.find('\r'); at != std::string_view::npos; at = head.find('\r', at)) {
    at = head.find_first_not_of('\r', at);
    if (at == std::string_view::npos) return head.size() < kInspectedBytes;
    if (head[at] != '\n') return true;
  }
  return false;
}

using nlohmann::json;

constexpr double kMostEvaluatedBytes = 64 << 20;

/// Calls take(line) for each line of a document that is not blank, without white space around it.
template <typename Take>
void eachLine(std::string_view document, const Take& take) {
  while (!document.empty()) {
    std::string_view line = takePart(document, '\n');
    while (!line.empty() && isBlank(line.front())) line.remove_prefix(1);
    while (!line.empty() && isBlank(line.back())) line.remove_suffix(1);
    if (!line.empty()) take(line);
  }
}

std::uint64_t hashOfLine(std::string_view line) {
  return hash128(line).low;
}

/// Lines by their hashes, and which of them have been seen in the training text.
class LineSet {
 public:
  void add(std::uint64_t hash) { hashes_.push_back(hash); }
  void complete() {
    std::ranges::sort(hashes_);
    hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
    hashes_.shrink_to_fit();
    seen_.assign(hashes_.size(), false);
    maybe_.assign(std::size_t{1} << kFilterBits, false);
    for (const std::uint64_t hash : hashes_) maybe_[hash >> (64 - kFilterBits)] = true;
  }
  void see(std::uint64_t hash) {
    if (!maybe_[hash >> (64 - kFilterBits)]) return;
    const auto found = std::ranges::lower_bound(hashes_, hash);
    if (found != hashes_.end() && *found == hash) seen_[placeOf(found)] = true;
  }
  bool isSeen(std::uint64_t hash) const { return seen_[placeOf(std::ranges::lower_bound(hashes_, hash))]; }

 private:
  static constexpr int kFilterBits = 25;  // 4 MiB: most lines of the training text need no search
  std::size_t placeOf(std::vector<std::uint64_t>::const_iterator found) const {
    return static_cast<std::size_t>(found - hashes_.begin());
  }

  std::vector<std::uint64_t> hashes_;
  std::vector<bool> seen_, maybe_;
};

std::int64_t bytesOf(const std::vector<FileIdentity>& files) {
  std::int64_t bytes = 0;
  for (const FileIdentity& file : files) bytes += file.bytes;
  return bytes;
}

class Comparison {
 public:
  Comparison(const OverlapJob& job, const std::function<void(std::int64_t, std::int64_t)>& progress,
             std::stop_token stop)
      : job_(job), progress_(progress), stop_(std::move(stop)) {
    std::int64_t evaluated = 0;
    for (const auto& files : job.evaluated) evaluated += bytesOf(files);
    share_ = std::min(1.0, kMostEvaluatedBytes / static_cast<double>(std::max<std::int64_t>(1, evaluated)));
    total_ = 2 * evaluated + bytesOf(job.train);
  }

  Result<std::vector<TextOverlap>> run() {
    for (const auto& files : job_.evaluated)
      RETURN_IF_ERROR(eachDocument(files, [this](std::size_t, const std::string& document) {
        if (isDrawn(document)) eachLine(document, [this](std::string_view line) { lines_.add(hashOfLine(line)); });
      }));
    lines_.complete();
    RETURN_IF_ERROR(eachDocument(job_.train, [this](std::size_t, const std::string& document) {
      eachLine(document, [this](std::string_view line) { lines_.see(hashOfLine(line)); });
    }));
    std::vector<TextOverlap> found;
    for (const auto& files : job_.evaluated) {
      TextOverlap& overlap = found.emplace_back();
      RETURN_IF_ERROR(
          eachDocument(files, [&](std::size_t file, const std::string& document) { judge(file, document, overlap); }));
      overlap.documents = std::llround(static_cast<double>(overlap.documents) / share_);
      overlap.shared = std::llround(static_cast<double>(overlap.shared) / share_);
    }
    return found;
  }

 private:
  bool isDrawn(const std::string& document) const {
    return share_ >= 1.0 || unitRandom(hash128(std::string_view(document)).high) < share_;
  }

  void judge(std::size_t file, const std::string& document, TextOverlap& overlap) const {
    if (!isDrawn(document)) return;
    std::size_t bytes = 0, known = 0;
    eachLine(document, [&](std::string_view line) {
      bytes += line.size();
      if (lines_.isSeen(hashOfLine(line))) known += line.size();
    });
    ++overlap.documents;
    if (2 * known < bytes) return;
    if (overlap.shared++ == 0) overlap.file = file;
  }

  /// Calls take(place of the file, document).
  template <typename Take>
  Result<void> eachDocument(const std::vector<FileIdentity>& files, const Take& take) {
    std::string document;
    for (std::size_t i = 0; i < files.size(); ++i) {
      ASSIGN_OR_RETURN(auto reader, DocumentReader::open(files[i].path, job_.format, job_.textField));
      while (true) {
        ASSIGN_OR_RETURN(const auto more, reader.next(document));
        if (!more) break;
        if (stop_.stop_requested()) return stoppedWhileReading(files[i].path);
        take(i, document);
        progress_(done_ + reader.fileBytesRead(), total_);
      }
      done_ += files[i].bytes;
    }
    return {};
  }

  const OverlapJob& job_;
  const std::function<void(std::int64_t, std::int64_t)>& progress_;
  const std::stop_token stop_;
  double share_ = 1.0;  // of the evaluation documents
  std::int64_t done_ = 0, total_ = 0;
  LineSet lines_;
};

std::filesystem::path answerFile(const OverlapJob& job) {
  Hasher hasher;
  hasher.update("overlap 1 " + std::string(choiceName(job.format)) + " " + job.textField);
  const auto add = [&](const std::vector<FileIdentity>& files) {
    hasher.update(std::string_view("\n"));
    for (const FileIdentity& file : files) hasher.update(file.readingKey());
  };
  add(job.train);
  for (const auto& files : job.evaluated) add(files);
  return job.cacheFolder / (hasher.digest().hex() + ".overlap.json");
}

std::vector<TextOverlap> readAnswer(const std::filesystem::path& file, const OverlapJob& job) {
  const auto text = readFile(file);
  if (!text.ok()) return {};
  try {
    auto found = parseJsonOrDiscarded(*text).get<std::vector<TextOverlap>>();
    if (found.size() != job.evaluated.size()) return {};
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i].file >= std::max<std::size_t>(1, job.evaluated[i].size())) return {};
    return found;
  } catch (const json::exception&) {  // damaged: compared again
    return {};
  }
}

}  // namespace

Result<TextHead> inspectText(const std::filesystem::path& file, TextFormat format) {
  if (isTableFormat(format)) {
    const auto columns = tableColumns(file, format);
    if (columns.ok()) return TextHead{};
    if (const auto head = inspectedBytes(file); head.ok()) RETURN_IF_ERROR(checkFetched(file, *head));
    return columns.error();
  }
  ASSIGN_OR_RETURN(const auto head, inspectedBytes(file));
  const std::string& path = file.native();
  if (isTable(head))
    return Error::config(formatText(
        "'{}' is a table of Parquet or Arrow: set data.format to parquet, and data.text_field to its column of text",
        path));
  RETURN_IF_ERROR(checkFetched(file, head));
  for (const auto& [bytes, packing, ending] :
       {std::tuple{"\x1F\x8B", "gzip", ".gz"}, std::tuple{"\x28\xB5\x2F\xFD", "Zstandard", ".zst"}})
    if (head.starts_with(bytes))
      return Error::config(
          formatText("'{}' holds {} data; give it a name that ends in {}, and it is unpacked as it is read", path,
                     packing, ending));
  if (const char* known = signatureOf(head); known != nullptr)
    return Error::config(
        formatText("'{}' is no text: it holds {} data; leave it out of the pattern, or convert it to plain text first",
                   path, known));
  if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF"))
    return Error::config(
        formatText("'{}' is UTF-16 or UTF-32 text; convert it to UTF-8, for instance with iconv", path));
  if (!head.starts_with("\xEF\xBB\xBF"))
    if (const char* wide = detectWideEncoding(head); wide != nullptr)
      return Error::config(
          formatText("'{0}' looks like {1} text without a byte order mark; convert it to UTF-8: iconv -f {1} -t UTF-8",
                     path, wide));
  if (const char* encoding = escapedEncoding(head); encoding != nullptr)
    return Error::config(
        formatText("'{0}' looks like {1} text; convert it to UTF-8: iconv -f {1} -t UTF-8", path, encoding));
  if (isBinary(head))
    return Error::config(formatText(
        "'{}' is not a text file: it holds binary data; choose plain text (.txt, .md, .jsonl, .csv), or convert "
        "it to text first",
        path));
  if (isNoUtf8(head))
    return Error::config(formatText(
        "'{}' is no text in UTF-8: more than a fifth of its characters are invalid; if it is text in another "
        "encoding, convert it, for instance with iconv -f WINDOWS-1251 -t UTF-8",
        path));
  return TextHead{hasLoneReturn(head)};
}

Result<std::vector<TextHead>> inspectTexts(std::span<const std::filesystem::path> files, TextFormat format) {
  std::vector<TextHead> heads;
  std::string first;
  std::int64_t others = 0;
  for (const std::filesystem::path& file : files) {
    const auto head = inspectText(file, format);
    if (head.ok()) {
      heads.push_back(*head);
    } else if (head.error().code != ErrorCode::Config) {
      return head.error();
    } else if (first.empty()) {
      first = head.error().message;
    } else {
      ++others;
    }
  }
  if (first.empty()) return heads;
  return Error::config(others == 0 ? first
                                   : formatText("{}. No text either: {} more {}", first, formatInteger(others),
                                                pluralText(others, "file", "files")));
}

std::string invalidUnicodeText(const std::string& subject, std::int64_t count, const std::string& file,
                               std::int64_t line) {
  return formatText("{}: {} {} not valid Unicode; each was replaced by U+FFFD. The first: '{}', line {}", subject,
                    formatInteger(count), pluralText(count, "place is", "places are"), file, formatInteger(line));
}

Error stoppedWhileReading(const std::filesystem::path& file) {
  return {ErrorCode::Stopped, formatText("stopped while reading '{}'", file.native()), {}};
}

Result<std::vector<TextOverlap>> findOverlap(const OverlapJob& job,
                                             const std::function<void(std::int64_t, std::int64_t)>& progress,
                                             std::stop_token stop) {
  const bool keeps = !job.cacheFolder.empty();
  const std::filesystem::path file = answerFile(job);
  if (auto known = keeps ? readAnswer(file, job) : std::vector<TextOverlap>(); !known.empty()) return known;
  ASSIGN_OR_RETURN(auto found, Comparison(job, progress, std::move(stop)).run());
  if (keeps) RETURN_IF_ERROR(writeFileAtomically(file, json(found).dump()));
  return found;
}

}  // namespace batchwise
