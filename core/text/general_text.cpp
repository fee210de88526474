// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/general_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <queue>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/text/corpus_tokenizer.h"
#include "core/text/text_check.h"
#include "core/text/text_files.h"
#include "core/text/text_source.h"

namespace batchwise {
namespace {

constexpr double kEvalBytes = 1 << 20;
constexpr double kMostEvalShare = 0.5;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Returns the document as a reader of `format` finds it again; empty if it finds none or several.
std::string readAgain(const std::string& document, TextFormat format) {
  std::string text;
  if (format == TextFormat::Jsonl) {
    text = document;
  } else {
    std::string_view rest = document;
    if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (isBlank(line)) continue;
      if (!text.empty()) text += format == TextFormat::Lines ? ' ' : '\n';
      text += line;
      while (text.back() == '\r') text.pop_back();
    }
    while (!text.empty() && isBlank(text.back())) text.pop_back();
  }
  return std::ssize(text) <= TextLimits{}.documentBytes ? text : std::string();
}

std::string written(const std::string& text, TextFormat format, const std::string& field) {
  if (format == TextFormat::Jsonl) return nlohmann::json{{field, text}}.dump() + "\n";
  return text + (format == TextFormat::Lines ? "\n" : "\n\n");
}

/// Chooses documents by their place, lowest first, until they have a number of bytes; holds only what it has chosen.
class LowestPlaces {
 public:
  explicit LowestPlaces(double bytes) : wanted_(bytes) {}

  void offer(double place, std::int64_t bytes) {
    chosen_.emplace(place, bytes);
    bytes_ += bytes;
    while (!chosen_.empty() && static_cast<double>(bytes_ - chosen_.top().second) >= wanted_) {
      bytes_ -= chosen_.top().second;
      chosen_.pop();
    }
  }
  /// Returns the highest place of those chosen; negative without any.
  double last() const { return chosen_.empty() ? -1.0 : chosen_.top().first; }

 private:
  double wanted_;
  std::int64_t bytes_ = 0;
  std::priority_queue<std::pair<double, std::int64_t>> chosen_;
};

class Drawing {
 public:
  Drawing(const GeneralTextRequest& request, const ProgressFn& progress, std::stop_token stop)
      : request_(request),
        progress_(progress),
        stop_(std::move(stop)),
        evalShare_(
            std::min(kMostEvalShare, kEvalBytes / std::max(1.0, static_cast<double>(request.general.textBytes)))) {}

  Result<GeneralText> run() {
    const std::string ending = request_.own.format == TextFormat::Jsonl ? ".jsonl" : ".txt";
    RETURN_IF_ERROR(makeFolders(request_.folder));
    made_.warnings = request_.general.warnings;
    made_.eval = request_.folder / ("general-eval" + ending);
    made_.train = request_.folder / ("general-train" + ending);
    RETURN_IF_ERROR(choose());
    RETURN_IF_ERROR(replaceFile(made_.train, [&](const FileSink& train) {
      return replaceFile(made_.eval, [&](const FileSink& eval) { return writeAll(train, eval); });
    }));
    if (made_.trainDocuments > 0) return made_;
    std::error_code ignored;
    std::filesystem::remove(made_.train, ignored);
    made_.train.clear();
    return made_;
  }

 private:
  struct Document {
    std::string text;  // as it will be read again
    double place = 0;  // from 0 to 1, by its hash
  };

  bool evaluates(const Document& document) const { return document.place < evalShare_; }
  bool mayTrain(const Document& document) const {
    return !evaluates(document) && !isHeldOut(document.text, request_.holdout);
  }

  // Of the own text, the run holds out that share, too.
  Result<void> choose() {
    const double own = static_cast<double>(request_.own.textBytes) * (1.0 - request_.holdout);
    LowestPlaces lowest(own * request_.share / (1.0 - request_.share));
    RETURN_IF_ERROR(visitAll([&](const Document& document) -> Result<void> {
      if (mayTrain(document)) lowest.offer(document.place, std::ssize(document.text));
      return {};
    }));
    lastTrained_ = lowest.last();
    return {};
  }

  Result<void> writeAll(const FileSink& train, const FileSink& eval) {
    RETURN_IF_ERROR(visitAll([&](const Document& document) -> Result<void> {
      const bool evaluated = evaluates(document);
      if (!evaluated && (document.place > lastTrained_ || !mayTrain(document))) return {};
      (evaluated ? made_.evalDocuments : made_.trainDocuments) += 1;
      (evaluated ? made_.evalBytes : made_.trainBytes) += std::ssize(document.text);
      const std::string text = written(document.text, request_.own.format, request_.own.textField);
      return (evaluated ? eval : train)(std::as_bytes(std::span(text)));
    }));
    return made_.evalDocuments > 0
               ? Result<void>()
               : Error::config(
                     "the general text has too few documents to train on some and to evaluate on others; give more");
  }

  template <typename Visit>
  Result<void> visitAll(const Visit& visit) {
    ASSIGN_OR_RETURN(const auto files, findTextFiles(request_.paths, {}, request_.general.format));
    const std::int64_t total = kPasses * sizeOnDisk(files);
    for (const std::filesystem::path& file : files) {
      if (sizeOnDisk(file) == 0) continue;
      ASSIGN_OR_RETURN(auto reader, DocumentReader::open(file, request_.general.format, request_.general.textField));
      std::string document;
      while (true) {
        ASSIGN_OR_RETURN(const auto more, reader.next(document));
        if (!more) break;
        if (stop_.stop_requested()) return stoppedWhileReading(file);
        std::string text = readAgain(document, request_.own.format);
        const double place = unitRandom(hash128(text).high);
        if (!text.empty()) RETURN_IF_ERROR(visit(Document{std::move(text), place}));
        if (progress_) progress_({"reading files", done_ + reader.fileBytesRead(), total});
      }
      done_ += sizeOnDisk(file);
    }
    return {};
  }

  static constexpr std::int64_t kPasses = 2;  // to choose, and to write

  const GeneralTextRequest& request_;
  const ProgressFn& progress_;
  const std::stop_token stop_;
  const double evalShare_;   // places below it evaluate
  double lastTrained_ = -1;  // other places up to it are trained on
  std::int64_t done_ = 0;    // bytes of files that have been read
  GeneralText made_;
};

}  // namespace

Result<GeneralText> writeGeneralText(const GeneralTextRequest& request, const ProgressFn& progress,
                                     std::stop_token stop) {
  return Drawing(request, progress, std::move(stop)).run();
}

}  // namespace batchwise
