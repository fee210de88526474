// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/text_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/text.h"
#include "core/text/csv_row.h"
#include "core/text/table_library.h"
#include "core/text/text_check.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 18;
constexpr std::size_t kHeaderBytes = std::size_t{1} << 20;  // of a CSV file, at most
constexpr std::size_t kColumnsShown = 20;
constexpr std::string_view kGzipEnding = ".gz", kZstdEnding = ".zst", kLongZstdEnding = ".zstd";

/// Window over the decompressed file: grows at its end, is consumed at its start.
class TextWindow {
 public:
  TextWindow(std::unique_ptr<ByteSource> source, bool returnsEndLines)
      : source_(std::move(source)), returnsEndLines_(returnsEndLines) {}

  std::string_view view() const { return std::string_view(bytes_).substr(start_, visible_ - start_); }
  std::int64_t position() const { return position_; }
  std::int64_t fileBytesRead() const { return source_->fileBytesRead(); }

  /// Returns false at the end of the file.
  Result<bool> grow() {
    bytes_.erase(0, start_);
    visible_ -= std::exchange(start_, 0);
    const std::size_t before = bytes_.size(), visibleBefore = visible_;
    bytes_.resize(before + kReadBytes);
    const auto got = source_->read(std::span(bytes_).subspan(before));
    bytes_.resize(before + (got.ok() ? *got : 0));
    if (!got.ok()) return got.error();
    if (returnsEndLines_)
      endLines(*got == 0);
    else
      visible_ = bytes_.size();
    return *got > 0 || visible_ > visibleBefore;
  }

  void consume(std::size_t bytes) {
    start_ += bytes;
    position_ += static_cast<std::int64_t>(bytes);
  }

  /// Goes on at `position`, which must not be before position().
  Result<void> skipTo(std::int64_t position) {
    const std::int64_t bytes = position - position_, held = std::ssize(bytes_) - static_cast<std::int64_t>(start_);
    if (bytes > held) RETURN_IF_ERROR(source_->skip(bytes - held));
    start_ += static_cast<std::size_t>(std::min(bytes, held));
    visible_ = std::max(visible_, start_);
    position_ = position;
    return {};
  }

 private:
  /// Turns carriage returns into line feeds, except a few before one, which end a line with it. Those at the end of
  /// the window stay out of view until what follows is known.
  void endLines(bool atEnd) {
    constexpr std::size_t kMostBeforeOne = 3;
    for (std::size_t at = bytes_.find('\r', visible_); at != std::string::npos;) {
      const std::size_t end = std::min(bytes_.find_first_not_of('\r', at), bytes_.size());
      if (end == bytes_.size() && !atEnd && end - at <= kMostBeforeOne) {
        visible_ = at;
        return;
      }
      if (end == bytes_.size() || bytes_[end] != '\n' || end - at > kMostBeforeOne)
        std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at), end - at, '\n');
      at = bytes_.find('\r', end);
    }
    visible_ = bytes_.size();
  }

  std::unique_ptr<ByteSource> source_;
  std::string bytes_;
  std::size_t start_ = 0;      // consumed bytes before the view
  std::size_t visible_ = 0;    // where the view ends
  std::int64_t position_ = 0;  // position of bytes_[start_] in the file
  bool returnsEndLines_;
};

/// Copies `raw` without NUL and without carriage returns before line feeds; replaces ill-formed UTF-8, counts it, and
/// tells in which line the first is, counted from 0, if there is one.
void repair(std::string_view raw, std::string& text, std::int64_t& replaced, std::int64_t& line) {
  text.clear();
  const std::string_view all = raw;
  const std::int64_t before = replaced;
  while (!raw.empty()) {
    const char c = raw.front();
    if (static_cast<std::uint8_t>(c) < 0x80) {
      const bool dropped = c == '\0' || (c == '\r' && raw.size() > 1 && raw[1] == '\n');
      if (!dropped) text.push_back(c);
      raw.remove_prefix(1);
      continue;
    }
    const Utf8Step step = decodeUtf8(raw);
    if (step.wellFormed) {
      text.append(raw.substr(0, static_cast<std::size_t>(step.bytes)));
    } else {
      text.append("\xEF\xBF\xBD");
      if (replaced++ == before) line = std::ranges::count(all.substr(0, all.size() - raw.size()), '\n');
    }
    raw.remove_prefix(static_cast<std::size_t>(step.bytes));
  }
}

/// Returns the value of four hexadecimal digits at `at`, or -1.
int hexAt(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return -1;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 4, value, 16);
  return error == std::errc{} && end == text.data() + at + 4 ? value : -1;
}

/// Replaces escapes of lone surrogates in a line of JSON by that of U+FFFD, and counts them.
void repairSurrogates(std::string& line, std::int64_t& replaced) {
  const auto unitAt = [&](std::size_t at) { return line.compare(at, 2, "\\u") == 0 ? hexAt(line, at + 2) : -1; };
  for (std::size_t at = line.find('\\'); at < line.size(); at = line.find('\\', at)) {
    const int unit = unitAt(at);
    const bool first = unit >= 0xD800 && unit < 0xDC00, second = unit >= 0xDC00 && unit < 0xE000;
    const int next = first && at + 6 < line.size() ? unitAt(at + 6) : -1;
    const bool paired = next >= 0xDC00 && next < 0xE000;
    if (second || (first && !paired)) {
      line.replace(at, 6, "\\ufffd");
      ++replaced;
    }
    at += unit < 0 ? 2 : paired ? 12 : 6;
  }
}

/// Returns where to cut a text longer than `limit`: after the last white space in the second half, else before a code
/// point.
std::size_t cutPosition(std::string_view text, std::size_t limit) {
  for (std::size_t at = limit; at > limit / 2; --at)
    if (isBlank(text[at - 1])) return at;
  std::size_t at = limit;
  while (at > limit - std::min<std::size_t>(limit - 1, 3) && isUtf8Continuation(text[at])) --at;
  return isUtf8Continuation(text[at]) ? limit : at;
}

constexpr std::string_view kStringNoun = "a string";

/// SAX handler that keeps one string field of a JSON object and discards everything else, to bound memory.
class FieldReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit FieldReader(std::string_view field) : field_(field) {}

  /// A row without text, as in a table with null there.
  bool null() override {
    const bool isText = depth_ == 1 && wanted_;
    if (isText) text_.emplace();
    return value(isText ? kStringNoun : "null");
  }
  bool boolean(bool) override { return value("a boolean"); }
  bool number_integer(number_integer_t) override { return value(kNumberNoun); }
  bool number_unsigned(number_unsigned_t) override { return value(kNumberNoun); }
  bool number_float(number_float_t, const string_t&) override { return value(kNumberNoun); }
  bool binary(binary_t&) override { return value("binary data"); }
  bool string(string_t& content) override {
    if (depth_ == 1 && wanted_) text_ = std::move(content);
    return value(kStringNoun);
  }
  bool start_object(std::size_t) override {
    if (!value(kObjectNoun)) return false;
    ++depth_;
    return true;
  }
  bool end_object() override { return --depth_, true; }
  bool start_array(std::size_t) override {
    if (!value(kListNoun)) return false;
    ++depth_;
    return true;
  }
  bool end_array() override { return --depth_, true; }
  bool key(string_t& name) override {
    wanted_ = depth_ == 1 && name == field_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    constexpr int kNumberOverflow = 406;  // of nlohmann's exceptions
    problem_ = error.id == kNumberOverflow ? formatText("has a number at byte {} that no double can hold", position)
                                           : formatText("is not valid JSON at byte {}", position);
    return false;
  }

  /// Returns the text of the field. Fails with Config describing the defect of the line.
  Result<std::string> take() {
    if (!problem_.empty()) return Error::config(problem_);
    if (text_) return std::move(*text_);
    return Error::config(formatText("has no field '{}' (set data.text_field)", field_));
  }

 private:
  bool value(std::string_view kind) {
    if (depth_ == 0 && kind != kObjectNoun) problem_ = formatText("holds {} instead of a JSON object", kind);
    if (depth_ == 1 && wanted_ && kind != kStringNoun)
      problem_ = formatText("has {} in the field '{}' instead of a string", kind, field_);
    return problem_.empty();
  }

  std::string_view field_;
  int depth_ = 0;
  bool wanted_ = false;  // the last key of the outermost object was field_
  std::optional<std::string> text_;
  std::string problem_;
};

Result<std::string> fieldOf(const std::string& line, std::string_view field) {
  FieldReader reader(field);
  nlohmann::json::sax_parse(line, &reader);
  return reader.take();
}

class PlainSource final : public ByteSource {
 public:
  PlainSource(FileDescriptor file, fs::path path, std::int64_t size)
      : ByteSource(std::move(path)), file_(std::move(file)), size_(size) {}

  Result<std::size_t> read(std::span<char> buffer) override {
    while (true) {
      const ssize_t got = ::read(file_.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Error::fromErrno(errno, "cannot read '{}'", path().native());
      position_ += got;
      return static_cast<std::size_t>(got);
    }
  }

  Result<void> skip(std::int64_t bytes) override {
    if (position_ + bytes > size_) return isShorter();
    if (::lseek(file_.get(), bytes, SEEK_CUR) < 0) return Error::fromErrno(errno, "cannot read '{}'", path().native());
    position_ += bytes;
    return {};
  }

  std::int64_t fileBytesRead() const override { return position_; }

 private:
  FileDescriptor file_;
  std::int64_t size_;
  std::int64_t position_ = 0;
};

/// What sources of packed files share: a file that is read piece by piece, and how it may be damaged.
class PackedSource : public ByteSource {
 public:
  explicit PackedSource(PlainSource packed)
      : ByteSource(packed.path()), packed_(std::move(packed)), input_(std::size_t{1} << 16) {}

  /// Fails with OutOfMemory.
  virtual Result<void> start() = 0;

  std::int64_t fileBytesRead() const override { return packed_.fileBytesRead(); }

 protected:
  /// Returns the next bytes of the file; none at its end.
  Result<std::span<char>> packedBytes() {
    ASSIGN_OR_RETURN(const auto got, packed_.read(input_));
    return std::span(input_).first(got);
  }
  Error damaged(const std::string& how) const {
    return Error::corrupt(formatText("'{}' {}; download or compress it again", path().native(), how));
  }
  Error noMemory() const {
    return {ErrorCode::OutOfMemory, formatText("not enough memory to unpack '{}'", path().native()), {}};
  }

 private:
  PlainSource packed_;
  std::vector<char> input_;
};

/// Decompresses gzip data (RFC 1952), concatenated members included. Like gzip, ignores zero padding after a member.
class GzipSource final : public PackedSource {
 public:
  using PackedSource::PackedSource;
  ~GzipSource() override {
    if (ready_) ::inflateEnd(&stream_);
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  Result<void> start() override {
    ready_ = ::inflateInit2(&stream_, 15 + 16) == Z_OK;  // 15: the largest window; 16: gzip frames
    return ready_ ? Result<void>() : noMemory();
  }

  Result<std::size_t> read(std::span<char> buffer) override {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(buffer.size(), std::size_t{1} << 30));
    const uInt wanted = stream_.avail_out;
    while (stream_.avail_out == wanted) {
      if (stream_.avail_in == 0) {
        ASSIGN_OR_RETURN(const auto input, packedBytes());
        if (input.empty()) return atEnd();
        stream_.next_in = reinterpret_cast<Bytef*>(input.data());
        stream_.avail_in = static_cast<uInt>(input.size());
      }
      if (skipPadding()) continue;
      RETURN_IF_ERROR(unpack());
    }
    return static_cast<std::size_t>(wanted - stream_.avail_out);
  }

 private:
  Result<std::size_t> atEnd() {
    if (memberOpen_) return damaged("ends in the middle of its gzip data");
    return std::size_t{0};
  }

  /// Skips zeros between members. Returns true if the input buffer is used up.
  bool skipPadding() {
    while (memberEnded_ && !memberOpen_ && stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    return stream_.avail_in == 0;
  }

  Result<void> unpack() {
    memberOpen_ = true;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      memberOpen_ = false;
      memberEnded_ = true;
      ::inflateReset(&stream_);
      return {};
    }
    if (status == Z_OK || status == Z_BUF_ERROR) return {};
    return damaged("holds damaged gzip data");
  }

  z_stream stream_{};
  bool ready_ = false;
  bool memberOpen_ = false;
  bool memberEnded_ = false;  // at least one member was read completely
};

/// Decompresses Zstandard data (RFC 8878), concatenated and skippable frames included.
class ZstdSource final : public PackedSource {
 public:
  using PackedSource::PackedSource;

  Result<void> start() override {
    if (stream_ == nullptr) return noMemory();
    ::ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, kLargestWindowBits);
    return {};
  }

  Result<std::size_t> read(std::span<char> buffer) override {
    ZSTD_outBuffer output{buffer.data(), buffer.size(), 0};
    while (output.pos == 0) {
      if (input_.pos == input_.size && !mayHoldMore_) {
        ASSIGN_OR_RETURN(const auto input, packedBytes());
        if (input.empty() && frameOpen_) return damaged("ends in the middle of its Zstandard data");
        if (input.empty()) break;
        input_ = {input.data(), input.size(), 0};
      }
      const std::size_t status = ::ZSTD_decompressStream(stream_.get(), &output, &input_);
      if (::ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge)
        return damaged("was compressed with a window above 128 MiB: use zstd --long=27 at most");
      if (::ZSTD_isError(status) != 0) return damaged("holds damaged Zstandard data");
      frameOpen_ = status != 0;
      mayHoldMore_ = frameOpen_ && output.pos == output.size;
    }
    return output.pos;
  }

 private:
  static constexpr int kLargestWindowBits = 27;
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ::ZSTD_freeDStream(stream); }
  };

  std::unique_ptr<ZSTD_DStream, Free> stream_{::ZSTD_createDStream()};
  ZSTD_inBuffer input_{};
  bool frameOpen_ = false;
  bool mayHoldMore_ = false;  // the decompressor, of what it has taken
};

}  // namespace

TextCounts& TextCounts::operator+=(const TextCounts& other) {
  documents += other.documents;
  textBytes += other.textBytes;
  replacedSequences += other.replacedSequences;
  cutDocuments += other.cutDocuments;
  return *this;
}

class DocumentReader::Impl {
 public:
  Impl(std::filesystem::path path, std::unique_ptr<ByteSource> source, TextFormat format, std::string textField,
       TextLimits limits, bool returnsEndLines)
      : path_(std::move(path)),
        window_(std::move(source), returnsEndLines),
        format_(format),
        textField_(std::move(textField)),
        limits_(limits) {}

  /// Skips a byte order mark, reads the header of a CSV file, and goes on to `start`.
  Result<void> begin(TextPosition start) {
    RETURN_IF_ERROR(window_.grow());
    if (window_.view().starts_with("\xEF\xBB\xBF")) window_.consume(3);
    if (format_ == TextFormat::Csv) RETURN_IF_ERROR(readHeader());
    skipPieces_ = start.piece;
    if (start.byte <= window_.position()) return {};
    line_ = start.line;
    return window_.skipTo(start.byte);
  }

  Result<bool> next(std::string& document) {
    while (true) {
      auto found = namesTextField(format_) ? nextOfRecord(document) : nextOfText(document);
      if (!found.ok() || !*found) return found;
      if (isBlank(document)) continue;
      ++counts_.documents;
      counts_.textBytes += std::ssize(document);
      return true;
    }
  }

  const TextCounts& counts() const { return counts_; }
  TextPosition position() const { return {window_.position(), line_, pieces_.empty() ? skipPieces_ : returnedPieces_}; }
  std::int64_t fileBytesRead() const { return window_.fileBytesRead(); }
  std::int64_t replacedLine() const { return replacedLine_; }
  std::int64_t blankRecords() const { return blankRecords_; }

 private:
  /// Returns the end of the line that starts at `from`, including its newline; the end of the window if the file ends
  /// or `limit` bytes hold no newline.
  Result<std::size_t> lineEnd(std::size_t from, std::size_t limit) {
    std::size_t searched = from;
    while (true) {
      const std::size_t newline = window_.view().find('\n', searched);
      if (newline != std::string_view::npos) return newline + 1;
      searched = window_.view().size();
      if (searched >= limit) return searched;
      ASSIGN_OR_RETURN(const auto grown, window_.grow());
      if (!grown) return searched;
    }
  }

  Result<bool> nextOfText(std::string& document) {
    const auto limit = static_cast<std::size_t>(limits_.documentBytes);
    std::size_t bytes = 0;  // of the document so far
    while (true) {
      ASSIGN_OR_RETURN(const auto end, lineEnd(bytes, limit + 1));
      const std::string_view line = window_.view().substr(bytes, end - bytes);
      const bool atEnd = line.empty();
      const bool blank = isBlank(line);
      if (bytes == 0 && blank && !atEnd) {
        consume(end);
        continue;
      }
      if (!atEnd && !blank) bytes = end;
      if (bytes > limit) {
        ++counts_.cutDocuments;
        return take(cutPosition(window_.view(), limit), document);
      }
      if (atEnd || blank || format_ == TextFormat::Lines) return take(bytes, document);
    }
  }

  /// Consumes `bytes` and puts their repaired text into `document`. Returns false if there are none.
  Result<bool> take(std::size_t bytes, std::string& document) {
    const std::int64_t before = counts_.replacedSequences;
    std::int64_t line = 0;
    repair(window_.view().substr(0, bytes), document, counts_.replacedSequences, line);
    noteReplaced(before, line);
    while (!document.empty() && isBlank(document.back())) document.pop_back();
    consume(bytes);
    return bytes > 0;
  }

  Result<bool> nextOfRecord(std::string& document) {
    while (pieces_.empty()) {
      const auto more = readRecord();
      if (!more.ok() || !*more) return more;
    }
    document = std::move(pieces_.front());
    pieces_.pop_front();
    ++returnedPieces_;
    if (pieces_.empty()) finishRecord();
    return true;
  }

  /// Splits the text of the current line or row into pieces_; it is consumed with its last piece.
  Result<bool> readRecord() {
    const TextCounts before = counts_;
    const bool countedBefore = skipPieces_ > 0;  // by the reader that returned its first pieces
    returnedPieces_ = 0;
    ASSIGN_OR_RETURN(auto text, format_ == TextFormat::Csv ? textOfRow() : textOfJsonLine());
    if (recordBytes_ == 0) return false;
    cutIntoPieces(text);
    if (countedBefore) counts_ = before;
    if (pieces_.empty()) finishRecord();
    return true;
  }

  Result<std::string> textOfJsonLine() {
    const auto limit = static_cast<std::size_t>(limits_.jsonLineBytes);
    ASSIGN_OR_RETURN(recordBytes_, lineEnd(0, limit + 1));
    if (recordBytes_ > limit) return problemAt(0, formatText("the line is longer than {} bytes", limit));
    const std::int64_t before = counts_.replacedSequences;
    std::string line;
    std::int64_t ignored = 0;  // it is one line
    repair(window_.view().substr(0, recordBytes_), line, counts_.replacedSequences, ignored);
    repairSurrogates(line, counts_.replacedSequences);
    noteReplaced(before, 0);
    if (isBlank(line)) return std::string();
    auto text = fieldOf(line, textField_);
    if (!text.ok()) return problemAt(0, formatText("the line {}", text.error().message));
    blankRecords_ += isBlank(*text) ? 1 : 0;
    return text;
  }

  /// Finds the column of the text.
  Result<void> readHeader() {
    ASSIGN_OR_RETURN(const CsvRow row, readRow(CsvRow::kAll, kHeaderBytes));
    if (recordBytes_ == 0) return {};
    std::vector<std::string> names(row.fields());
    std::int64_t ignored = 0;
    for (std::size_t i = 0; i < names.size(); ++i) repair(row.kept()[i], names[i], ignored, ignored);
    columns_ = names.size();
    if (std::ranges::count(names, textField_) > 1) return problemAt(0, severalColumns(textField_));
    column_ = static_cast<std::size_t>(std::ranges::find(names, textField_) - names.begin());
    if (column_ == columns_) {
      const std::string nearest = nearestName(textField_, names);
      const std::size_t shown = std::min(names.size(), kColumnsShown);
      const bool byTabs = csvSeparator(path_) == '\t';
      if (columns_ == 1 && names.front().find_first_of(byTabs ? ",;|" : "\t;|") != std::string::npos)
        return problemAt(0, formatText("the columns are not separated by {}; save the file with commas, or with tabs "
                                       "as .tsv",
                                       byTabs ? "tabs" : "commas"));
      return problemAt(0, formatText("there is no column '{}'{}; set data.text_field to one of {}{}", textField_,
                                     nearest.empty() ? "" : formatText(" (did you mean '{}'?)", nearest),
                                     joined(std::span(names).first(shown)), shown < names.size() ? ", ..." : ""));
    }
    finishRecord();
    return {};
  }

  /// Reads the row that begins the window; recordBytes_ is 0 at the end of the file.
  Result<CsvRow> readRow(std::size_t wanted, std::size_t limit) {
    CsvRow row(csvSeparator(path_), wanted);
    for (recordBytes_ = 0; !row.ended();) {
      recordBytes_ += row.take(window_.view().substr(recordBytes_));
      if (recordBytes_ > limit)
        return problemAt(
            row.inQuotes() ? row.linesBeforeQuote() : 0,
            formatText("the row is longer than {} bytes{}", limit,
                       row.inQuotes() ? "; does the quote that begins a field in this line end where it should?" : ""));
      if (row.ended()) break;
      ASSIGN_OR_RETURN(const auto grown, window_.grow());
      if (!grown) break;
    }
    if (row.inQuotes()) return problemAt(row.linesBeforeQuote(), "a quote that begins a field in this line never ends");
    if (row.joinsRows())
      return problemAt(
          0,
          "a quote that begins a field ends inside of a field of a later line, as where quotes are meant as "
          "they stand; put such fields in quotes, with those inside doubled, or write JSON Lines");
    return row;
  }

  Result<std::string> textOfRow() {
    ASSIGN_OR_RETURN(const CsvRow row, readRow(column_, static_cast<std::size_t>(limits_.jsonLineBytes)));
    std::string text;
    if (isBlank(window_.view().substr(0, recordBytes_))) return text;
    if (row.fields() != columns_)
      return problemAt(0, formatText("the row has {}, but the header has {}",
                                     countText(static_cast<std::int64_t>(row.fields()), "field"),
                                     countText(static_cast<std::int64_t>(columns_), "column")));
    const std::int64_t before = counts_.replacedSequences;
    std::int64_t line = 0;
    repair(row.kept().front(), text, counts_.replacedSequences, line);
    noteReplaced(before, row.linesBeforeKept() + line);
    blankRecords_ += isBlank(text) ? 1 : 0;
    return text;
  }

  /// `line`: counted from the one that begins the window.
  Error problemAt(std::int64_t line, std::string text) const { return problemAt(line, Error::config(std::move(text))); }
  Error problemAt(std::int64_t line, const Error& error) const {
    return error.within(path_.native() + ":" + std::to_string(line_ + line));
  }

  void cutIntoPieces(std::string& text) {
    std::erase(text, '\0');
    const auto limit = static_cast<std::size_t>(limits_.documentBytes);
    std::string_view rest = text;
    while (rest.size() > limit) {
      const std::size_t at = cutPosition(rest, limit);
      pieces_.emplace_back(rest.substr(0, at));
      rest.remove_prefix(at);
      ++counts_.cutDocuments;
    }
    pieces_.emplace_back(rest);
    for (; skipPieces_ > 0 && !pieces_.empty(); --skipPieces_, ++returnedPieces_) pieces_.pop_front();
  }

  void finishRecord() {
    consume(recordBytes_);
    skipPieces_ = 0;
  }

  /// `line`: counted from the one that begins the window.
  void noteReplaced(std::int64_t before, std::int64_t line) {
    if (counts_.replacedSequences > before) replacedLine_ = line_ + line;
  }

  void consume(std::size_t bytes) {
    const std::string_view text = window_.view().substr(0, bytes);
    line_ += std::count(text.begin(), text.end(), '\n');
    window_.consume(bytes);
  }

  std::filesystem::path path_;
  TextWindow window_;
  TextFormat format_;
  std::string textField_;
  TextLimits limits_;
  TextCounts counts_;
  std::int64_t line_ = 1;
  std::int64_t replacedLine_ = 0, blankRecords_ = 0;
  std::int64_t skipPieces_ = 0;     // of the next line, returned by an earlier reader
  std::deque<std::string> pieces_;  // of the current line, not yet returned
  std::int64_t returnedPieces_ = 0;
  std::size_t recordBytes_ = 0;
  std::size_t column_ = 0, columns_ = 0;  // of a CSV file: that of the text, and how many
};

Result<DocumentReader> DocumentReader::open(const std::filesystem::path& path, TextFormat format, std::string textField,
                                            TextPosition start, TextLimits limits) {
  ASSIGN_OR_RETURN(const auto head, inspectText(path, format));
  ASSIGN_OR_RETURN(auto source, isTableFormat(format) ? openTable(path, format, textField) : openByteSource(path));
  auto impl =
      std::make_unique<Impl>(path, std::move(source), format, std::move(textField), limits, head.returnsEndLines);
  RETURN_IF_ERROR(impl->begin(start));
  return DocumentReader(std::move(impl));
}

DocumentReader::DocumentReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DocumentReader::DocumentReader(DocumentReader&&) noexcept = default;
DocumentReader& DocumentReader::operator=(DocumentReader&&) noexcept = default;
DocumentReader::~DocumentReader() = default;

Result<bool> DocumentReader::next(std::string& document) {
  return impl_->next(document);
}
const TextCounts& DocumentReader::counts() const {
  return impl_->counts();
}
TextPosition DocumentReader::position() const {
  return impl_->position();
}
std::int64_t DocumentReader::replacedLine() const {
  return impl_->replacedLine();
}
std::int64_t DocumentReader::blankRecords() const {
  return impl_->blankRecords();
}
std::int64_t DocumentReader::fileBytesRead() const {
  return impl_->fileBytesRead();
}

Result<std::unique_ptr<ByteSource>> openByteSource(const fs::path& path) {
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file.valid()) return Error::fromErrno(errno, "cannot read '{}'", path.native());
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return Error::fromErrno(errno, "cannot read '{}'", path.native());
  if (S_ISDIR(info.st_mode)) return Error::config(formatText("'{}' is a folder, a file is needed", path.native()));
  if (!S_ISREG(info.st_mode))
    return Error::config(formatText("'{}' is a pipe, socket or device; a regular file is needed", path.native()));
  PlainSource plain(std::move(file), path, info.st_size);
  if (!isPacked(path)) return std::unique_ptr<ByteSource>(new PlainSource(std::move(plain)));
  std::unique_ptr<PackedSource> packed;
  if (!path.native().ends_with(kGzipEnding))
    packed = std::make_unique<ZstdSource>(std::move(plain));
  else
    packed = std::make_unique<GzipSource>(std::move(plain));
  RETURN_IF_ERROR(packed->start());
  return std::unique_ptr<ByteSource>(std::move(packed));
}

std::string_view unpackedName(const fs::path& file) {
  std::string_view name = file.native();
  for (const std::string_view ending : {kGzipEnding, kZstdEnding, kLongZstdEnding})
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return name;
}

bool isPacked(const fs::path& file) {
  return unpackedName(file).size() < file.native().size();
}

}  // namespace batchwise
