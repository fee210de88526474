// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/general_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/data/corpus_tokenizer.h"
#include "core/data/messages.h"
#include "core/data/text_files.h"
#include "core/data/text_source.h"

namespace batchwise {
namespace {

constexpr double kEvalBytes = 1 << 20;
constexpr double kMostEvalShare = 0.5;

/// Returns the document as the reader of that format finds it again.
std::string written(const std::string& document, TextFormat format, const std::string& field) {
  if (format == TextFormat::Jsonl) return nlohmann::json{{field, document}}.dump() + "\n";
  std::string text = document;
  if (format == TextFormat::Lines) std::ranges::replace(text, '\n', ' ');
  return text + (format == TextFormat::Lines ? "\n" : "\n\n");
}

class Drawing {
 public:
  Drawing(const GeneralTextRequest& request, const ProgressFn& progress, std::stop_token stop)
      : request_(request), progress_(progress), stop_(std::move(stop)) {
    const double all = std::max<double>(1.0, static_cast<double>(request.general.textBytes));
    evalShare_ = std::min(kMostEvalShare, kEvalBytes / all);
    const double wanted =
        static_cast<double>(request.own.textBytes) * request.share / (1.0 - request.share) / (1.0 - request.holdout);
    trainEnd_ = std::min(1.0, evalShare_ + wanted / all);
  }

  Result<GeneralText> run() {
    const std::string ending = request_.own.format == TextFormat::Jsonl ? ".jsonl" : ".txt";
    RETURN_IF_ERROR(makeFolders(request_.folder));
    made_.eval = request_.folder / ("general-eval" + ending);
    made_.train = request_.folder / ("general-train" + ending);
    RETURN_IF_ERROR(replaceFile(made_.train, [&](const FileSink& train) {
      return replaceFile(made_.eval, [&](const FileSink& eval) { return drawAll(train, eval); });
    }));
    if (made_.evalDocuments == 0) return Error::config(messages::generalTextTooSmall());
    if (made_.trainDocuments > 0) return made_;
    std::error_code ignored;
    std::filesystem::remove(made_.train, ignored);
    made_.train.clear();
    return made_;
  }

 private:
  Result<void> drawAll(const FileSink& train, const FileSink& eval) {
    ASSIGN_OR_RETURN(const auto files, findTextFiles(request_.paths, {}, request_.general.format));
    const std::int64_t total = sizeOnDisk(files);
    std::int64_t done = 0;
    for (const std::filesystem::path& file : files) {
      if (sizeOnDisk(file) == 0) continue;
      ASSIGN_OR_RETURN(auto reader, DocumentReader::open(file, request_.general.format, request_.general.textField));
      std::string document;
      while (true) {
        ASSIGN_OR_RETURN(const auto more, reader.next(document));
        if (!more) break;
        if (stop_.stop_requested())
          return Error{ErrorCode::Stopped, messages::stoppedWhileReadingFile(file.native()), {}};
        RETURN_IF_ERROR(draw(document, train, eval));
        if (progress_) progress_({messages::readingFilesProgress(), done + reader.fileBytesRead(), total});
      }
      done += sizeOnDisk(file);
    }
    return {};
  }

  Result<void> draw(const std::string& document, const FileSink& train, const FileSink& eval) {
    const double place = unitRandom(hash128(document).high);
    const bool evaluates = place < evalShare_;
    if (!evaluates && (place >= trainEnd_ || isHeldOut(document, request_.holdout))) return {};
    const std::string text = written(document, request_.own.format, request_.own.textField);
    (evaluates ? made_.evalDocuments : made_.trainDocuments) += 1;
    (evaluates ? made_.evalBytes : made_.trainBytes) += std::ssize(document);
    return (evaluates ? eval : train)(std::as_bytes(std::span(text)));
  }

  const GeneralTextRequest& request_;
  const ProgressFn& progress_;
  const std::stop_token stop_;
  double evalShare_ = 0, trainEnd_ = 0;  // of the hashes: from 0 to evaluate, then up to trainEnd_ to train
  GeneralText made_;
};

}  // namespace

Result<GeneralText> writeGeneralText(const GeneralTextRequest& request, const ProgressFn& progress,
                                     std::stop_token stop) {
  return Drawing(request, progress, std::move(stop)).run();
}

}  // namespace batchwise
