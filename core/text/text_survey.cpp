// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/text_survey.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/text/csv_row.h"
#include "core/text/general_text.h"
#include "core/text/table_library.h"
#include "core/text/text_check.h"
#include "core/text/text_files.h"
#include "core/text/text_source.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kHeadBytes = std::size_t{1} << 16;
constexpr auto kLongestLine = static_cast<std::size_t>(TextLimits().jsonLineBytes);
constexpr std::int64_t kPartBytes = std::int64_t{1} << 20;  // of a file, at least
constexpr std::int64_t kLanguageBytes = std::int64_t{1} << 20;
constexpr std::size_t kMostLengths = 1'000'000;
constexpr std::size_t kSampleLines = 5, kSampleBytes = 300;
constexpr std::int64_t kFewestWordsToTrain = 20, kEnoughWords = 2'000;

/// Returns the beginning of a file: at least its first line, unless that is longer than a reader takes.
Result<std::string> headOf(const fs::path& file) {
  ASSIGN_OR_RETURN(const auto source, openByteSource(file));
  std::string head;
  bool lineEnded = false;
  while (head.size() < (lineEnded ? kHeadBytes : kLongestLine)) {
    const std::size_t filled = head.size();
    head.resize(filled + kHeadBytes);
    ASSIGN_OR_RETURN(const auto got, source->read(std::span(head).subspan(filled)));
    head.resize(filled + got);
    if (got == 0) break;
    lineEnded = lineEnded || head.find('\n', filled) != std::string::npos;
  }
  if (!lineEnded) std::ranges::replace(head, '\r', '\n');  // a reader ends lines there
  return head;
}

/// Returns the JSON value of a line, discarded if it is invalid. If its UTF-8 is ill-formed, reads '?' for each byte
/// that is not ASCII.
nlohmann::json parsedObject(std::string_view line) {
  auto object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_discarded()) return object;
  std::string ascii(line);
  std::replace_if(
      ascii.begin(), ascii.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return nlohmann::json::parse(ascii, nullptr, /*allow_exceptions=*/false);
}

/// Total length of each string field in the first JSON objects of `head`; empty if its first line is none.
std::map<std::string, std::size_t> stringFields(std::string_view head) {
  constexpr int kMostObjects = 20;
  std::map<std::string, std::size_t> lengths;
  int objects = 0;
  for (const std::string_view line : partsOf<std::string_view>(head, '\n')) {
    if (isBlank(line)) continue;
    const auto object = parsedObject(line);
    if (!object.is_object() || ++objects > kMostObjects) break;
    for (const auto& [name, value] : object.items())
      if (value.is_string()) lengths[name] += value.get_ref<const std::string&>().size();
  }
  return lengths;
}

/// Total length of each column in the first rows of the beginning of a CSV file.
std::map<std::string, std::size_t> columnLengths(std::string_view head, char separator) {
  constexpr int kMostRows = 100;
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  head = head.substr(head.starts_with("\xEF\xBB\xBF") ? 3 : 0, kMostBytes);
  const auto nextRow = [&] {
    CsvRow row(separator, CsvRow::kAll);
    head.remove_prefix(row.take(head));
    return row.kept();
  };
  const std::vector<std::string> names = nextRow();
  std::map<std::string, std::size_t> lengths;
  for (int rows = 0; rows < kMostRows && (rows == 0 || !head.empty()); ++rows) {
    const auto fields = nextRow();
    for (std::size_t i = 0; i < names.size(); ++i) lengths[names[i]] += i < fields.size() ? fields[i].size() : 0;
  }
  return lengths;
}

/// Returns the names of the fields of JSON objects, the likely text first: "text" and the like, else the longest.
/// Columns are named for what they hold, so the longest of them is first.
std::vector<std::string> likelyFields(const std::map<std::string, std::size_t>& lengths, TextFormat format) {
  constexpr std::array<std::string_view, 4> kUsual{"text", "content", "body", "document"};
  const auto rank = [&](const std::string& name) {
    return format != TextFormat::Jsonl ? 0 : std::find(kUsual.begin(), kUsual.end(), name) - kUsual.begin();
  };
  std::vector<std::string> names;
  for (const auto& [name, length] : lengths) names.push_back(name);
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : lengths.at(a) > lengths.at(b);
  });
  return names;
}

/// Guesses the layout of plain text: blank lines separate documents; without any, a line is a document, or, where there
/// are many files, a file is.
TextFormat layoutOf(std::string_view head, std::size_t files) {
  constexpr std::size_t kFewestLines = 5, kManyFiles = 20;
  auto lines = partsOf<std::string_view>(head, '\n');
  while (!lines.empty() && isBlank(lines.back())) lines.pop_back();
  if (std::ranges::any_of(lines, [](std::string_view line) { return isBlank(line); })) return TextFormat::Text;
  return lines.size() >= kFewestLines && files < kManyFiles ? TextFormat::Lines : TextFormat::Text;
}

/// Finds the files to survey. Without a format, takes plain text, JSON lines, CSV or tables, whichever has most
/// bytes.
Result<std::vector<fs::path>> findSurveyed(const SurveyRequest& request) {
  if (request.format) return findTextFiles(request.paths, {}, *request.format);
  auto most = findTextFiles(request.paths, {}, TextFormat::Text);
  for (const TextFormat format : {TextFormat::Jsonl, TextFormat::Csv, TextFormat::Parquet, TextFormat::Mds})
    if (auto found = findTextFiles(request.paths, {}, format);
        found.ok() && (!most.ok() || sizeOnDisk(*found) > sizeOnDisk(*most)))
      most = std::move(found);
  return most;
}

std::int64_t countTextWords(std::string_view text) {
  std::int64_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool ideograph = byte >= 0xE3 && byte <= 0xE9;  // leads U+3000 to U+9FFF
    if (isUtf8Continuation(c)) continue;
    const bool inWord = byte > ' ' && !ideograph;
    if (ideograph || (inWord && !inside)) ++words;
    inside = inWord;
  }
  return words;
}

/// Bytes of `file` that the documents so far came from; of a compressed file those read.
std::int64_t bytesUsed(const DocumentReader& reader, const fs::path& file) {
  const bool isText = !isPacked(file) && !hasEndingOf(TextFormat::Parquet, file) && !hasEndingOf(TextFormat::Mds, file);
  return isText ? reader.position().byte : reader.fileBytesRead();
}

std::string cutLine(std::string_view line) {
  if (line.size() <= kSampleBytes) return std::string(line);
  std::size_t end = kSampleBytes;
  while (end > 0 && isUtf8Continuation(line[end])) --end;
  return std::string(line.substr(0, end)) + "…";
}

std::int64_t takeQuantile(std::vector<std::int64_t>& values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

class Survey {
 public:
  Survey(const SurveyRequest& request, const ProgressFn& progress, std::stop_token stop)
      : request_(request), progress_(progress), stop_(std::move(stop)) {}

  Result<TextSurvey> run() {
    ASSIGN_OR_RETURN(files_, findSurveyed(request_));
    found_.files = std::ssize(files_);
    found_.fileBytes = sizeOnDisk(files_);
    RETURN_IF_ERROR(chooseFormat());
    if (const auto heads = inspectTexts(files_, found_.format); !heads.ok()) return heads.error();
    RETURN_IF_ERROR(readParts());
    return summarize();
  }

 private:
  Result<void> chooseFormat() {
    const auto filled =
        std::find_if(files_.begin(), files_.end(), [](const fs::path& file) { return sizeOnDisk(file) > 0; });
    if (filled == files_.end())
      return Error::config(
          formatText("there is no text in {}: nothing but white space or control characters", files_.front().native()));
    for (const TextFormat table : {TextFormat::Parquet, TextFormat::Mds})
      if (request_.format ? *request_.format == table : hasEndingOf(table, *filled))
        return chooseColumn(*filled, table);
    RETURN_IF_ERROR(inspectText(*filled));
    ASSIGN_OR_RETURN(const auto head, headOf(*filled));
    const bool isCsv = request_.format ? *request_.format == TextFormat::Csv : hasEndingOf(TextFormat::Csv, *filled);
    const auto fields = isCsv ? columnLengths(head, csvSeparator(*filled)) : stringFields(head);
    const TextFormat guessed = isCsv            ? TextFormat::Csv
                               : fields.empty() ? layoutOf(head, files_.size())
                                                : TextFormat::Jsonl;
    found_.format = request_.format.value_or(guessed);
    found_.fields = likelyFields(fields, found_.format);
    if (!request_.textField.empty())
      found_.textField = request_.textField;
    else if (!found_.fields.empty())
      found_.textField = found_.fields.front();
    if (isCsv) warnOfColumns();
    return {};
  }

  void warnOfColumns() {
    if (request_.textField.empty() && found_.fields.size() > 1)
      found_.warnings.push_back(formatText("the text is taken from the column '{}', whose fields are the longest of {}",
                                           found_.textField, countText(std::ssize(found_.fields), "column")));
  }

  /// Of a table.
  Result<void> chooseColumn(const fs::path& file, TextFormat format) {
    ASSIGN_OR_RETURN(const TableColumns columns, tableColumns(file, format));
    if (columns.texts.empty())
      return Error::config(formatText("'{}' has no column of text, but {}", file.native(), joined(columns.others)));
    std::map<std::string, std::size_t> lengths;
    for (const std::string& name : columns.texts) {
      ASSIGN_OR_RETURN(const auto source, openTable(file, format, name));
      std::string rows(kHeadBytes, '\0');
      ASSIGN_OR_RETURN(const auto bytes, source->read(rows));
      const auto ends = std::count(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(bytes), '\n');
      lengths[name] = bytes / (static_cast<std::size_t>(ends) + 1);
    }
    found_.format = format;
    found_.fields = likelyFields(lengths, found_.format);
    found_.textField = request_.textField.empty() ? found_.fields.front() : request_.textField;
    warnOfColumns();
    return {};
  }

  /// Reads all files, or of large data the beginnings of files that are spread evenly.
  Result<void> readParts() {
    const auto count = std::ssize(files_);
    const bool all = found_.fileBytes <= request_.readBytes;
    const std::int64_t part =
        all ? std::numeric_limits<std::int64_t>::max() : std::max(kPartBytes, request_.readBytes / count);
    const std::int64_t parts = all ? count : std::clamp<std::int64_t>(request_.readBytes / part, 1, count);
    total_ = std::min(found_.fileBytes, request_.readBytes);
    for (std::int64_t i = 0; i < parts; ++i)
      RETURN_IF_ERROR(readPart(files_[static_cast<std::size_t>(i * count / parts)], part));
    return {};
  }

  Result<void> readPart(const fs::path& file, std::int64_t part) {
    if (sizeOnDisk(file) == 0) return {};
    ASSIGN_OR_RETURN(auto reader, DocumentReader::open(file, found_.format, found_.textField));
    std::string document;
    bool ended = false;
    std::int64_t firstReplaced = 0;  // line
    while (bytesUsed(reader, file) < part) {
      if (stop_.stop_requested()) return stoppedWhileReading(file);
      ASSIGN_OR_RETURN(const auto more, reader.next(document));
      ended = !more;
      if (ended) break;
      if (firstReplaced == 0) firstReplaced = reader.replacedLine();
      take(document);
      report(bytesUsed(reader, file));
    }
    read_ += ended ? sizeOnDisk(file) : std::min(bytesUsed(reader, file), sizeOnDisk(file));
    if (reader.counts().replacedSequences > worst_.count)
      worst_ = {file, reader.counts().replacedSequences, firstReplaced};
    counts_ += reader.counts();
    return {};
  }

  void take(const std::string& document) {
    const std::int64_t words = countTextWords(document);
    words_ += words;
    if (lengths_.size() < kMostLengths) lengths_.push_back(words);
    if (languageBytes_ < kLanguageBytes) language_.add(document);
    languageBytes_ += std::ssize(document);
    if (found_.sample.size() == kSampleLines) return;
    for (const std::string_view line : partsOf<std::string_view>(document, '\n')) {
      found_.sample.push_back(cutLine(line));
      if (found_.sample.size() == kSampleLines) return;
    }
  }

  void report(std::int64_t bytesOfFile) {
    constexpr std::int64_t kStep = std::int64_t{1} << 18;
    if (!progress_ || read_ + bytesOfFile < reported_ + kStep) return;
    reported_ = read_ + bytesOfFile;
    progress_({"reading files", std::min(reported_, total_), total_});
  }

  Result<TextSurvey> summarize() {
    if (counts_.documents == 0)
      return Error::config(
          formatText("there is no text in {}: nothing but white space or control characters", files_.front().native()));
    if (words_ < kFewestWordsToTrain)
      return Error::config(formatText("the text has only {}; at least {} are needed to train on: add more files",
                                      countText(words_, "word"), formatInteger(kFewestWordsToTrain)));
    found_.readShare = std::min(1.0, static_cast<double>(read_) / static_cast<double>(found_.fileBytes));
    const auto inAll = [this](std::int64_t count) {
      return std::llround(static_cast<double>(count) / std::max(found_.readShare, 1e-9));
    };
    found_.documents = inAll(counts_.documents);
    found_.words = inAll(words_);
    found_.textBytes = inAll(counts_.textBytes);
    found_.bytesPerToken = expectedBytesPerToken(vocabularyForText(found_.textBytes));
    found_.medianWords = takeQuantile(lengths_, 0.5);
    found_.longWords = takeQuantile(lengths_, 0.95);
    found_.language = language_.code();
    warn();
    return std::move(found_);
  }

  void warn() {
    constexpr std::int64_t kRare = 1000;  // bytes of text per repaired place in UTF-8 with a few defects
    const auto& [file, replaced, line] = worst_;
    if (replaced > 0 && counts_.replacedSequences * kRare > counts_.textBytes)
      found_.warnings.push_back(
          formatText("'{}' is probably not UTF-8: {} places are not valid and would be replaced; convert it first, for "
                     "instance with iconv -f WINDOWS-1252 -t UTF-8",
                     file.native(), formatInteger(replaced)));
    else if (replaced > 0)
      found_.warnings.push_back(invalidUnicodeText(file.filename().native(), replaced, file.native(), line));
    if (found_.words < kEnoughWords)
      found_.warnings.push_back(
          formatText("the text has only {} words; a model learns little from fewer than {}: add more text, or continue "
                     "a model that is trained already",
                     formatInteger(found_.words), formatInteger(kEnoughWords)));
    if (found_.documents == 1)
      found_.warnings.push_back(
          "all text is one document, so none is held out for evaluation; separate documents by blank lines, or choose "
          "one document per line");
  }

  const SurveyRequest& request_;
  const ProgressFn& progress_;
  const std::stop_token stop_;
  TextSurvey found_;
  std::vector<fs::path> files_;
  std::vector<std::int64_t> lengths_;  // words of each document
  LanguageGuess language_;
  TextCounts counts_;
  struct {
    fs::path file;
    std::int64_t count = 0, line = 0;
  } worst_;  // file with the most ill-formed places, and the line of its first
  std::int64_t words_ = 0, languageBytes_ = 0, read_ = 0, reported_ = 0, total_ = 0;
};

}  // namespace

std::int64_t TextSurvey::estimatedTokens() const {
  return std::max(words, static_cast<std::int64_t>(static_cast<double>(textBytes) / bytesPerToken));
}

std::int64_t TextSurvey::tokensOf(std::int64_t count) const {
  return words == 0 ? count
                    : std::llround(static_cast<double>(count) * static_cast<double>(estimatedTokens()) /
                                   static_cast<double>(words));
}

std::int64_t vocabularyForText(std::int64_t textBytes) {
  if (textBytes < 450'000) return 1000;
  if (textBytes < 4'500'000) return 4000;
  if (textBytes < 45'000'000) return 8000;
  return textBytes < 450'000'000 ? 16'000 : 30'522;
}

double expectedBytesPerToken(std::int64_t vocabulary) {
  constexpr double kMost = 4.5, kEnough = 16'000, kPerDoubling = 0.4, kLeast = 1.0;
  const double doublings = std::log2(kEnough / static_cast<double>(std::max<std::int64_t>(1, vocabulary)));
  return std::clamp(kMost - kPerDoubling * doublings, kLeast, kMost);
}

Result<TextSurvey> surveyText(const SurveyRequest& request, const ProgressFn& progress, std::stop_token stop) {
  return Survey(request, progress, std::move(stop)).run();
}

}  // namespace batchwise
