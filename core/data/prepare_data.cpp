// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/prepare_data.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/data/corpus_tokenizer.h"
#include "core/data/demo_corpus.h"
#include "core/data/file_identity.h"
#include "core/data/vocabulary_trainer.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

/// Text that a vocabulary is trained on; of more, documents are drawn evenly by their hash.
constexpr std::int64_t kTrainingSampleBytes = std::int64_t{128} << 20;
constexpr std::chrono::milliseconds kBetweenReports{200};
constexpr std::string_view kWaitingPhase = "waiting for another process that tokenises the same text";
constexpr double kTypicalGzipRatio = 3.0;
constexpr std::int64_t kDemoEvalParagraphs = 400;
constexpr std::uint64_t kDemoEvalPurpose = 0x6576616C;  // "eval"

/// What a preparation passes from step to step.
class Preparation {
 public:
  Preparation(const DataRequest& request, const ProgressFn& progress, std::stop_token stop)
      : request_(request), progress_(progress), stop_(std::move(stop)) {}

  Result<PreparedData> run() {
    if (auto checked = check(); !checked.ok()) return checked.error();
    if (auto made = makeFolders(request_.cacheFolder); !made.ok()) return made.error();
    if (request_.demoSeed)
      if (auto written = writeDemo(*request_.demoSeed); !written.ok()) return written.error();
    if (auto found = findFiles(); !found.ok()) return found.error();
    auto tokenizer = makeTokenizer();
    if (!tokenizer.ok()) return tokenizer.error();
    return tokenise(std::move(*tokenizer));
  }

 private:
  bool takesHoldout() const { return request_.eval.empty() && request_.holdout > 0.0; }

  Result<void> check() const {
    if (request_.train.empty() && !request_.demoSeed)
      return Error::config("data.train names no text; give files, folders or patterns such as text/*.txt");
    if (request_.maxSeqLen < 3 || request_.maxSeqLen > 65'536)
      return Error::config("data.max_seq_len is " + std::to_string(request_.maxSeqLen) + "; it must be 3 to 65536");
    if (!(request_.holdout >= 0.0 && request_.holdout < 1.0))
      return Error::config("data.holdout is " + formatExact(request_.holdout) + "; it must be at least 0 and below 1");
    return {};
  }

  Result<void> writeDemo(std::uint64_t seed) {
    const fs::path folder =
        request_.cacheFolder / ("demo-" + std::to_string(kDemoCorpusVersion) + "-" + std::to_string(seed));
    if (auto made = makeFolders(folder); !made.ok()) return made;
    const std::pair<fs::path, DemoCorpusSpec> parts[] = {
        {folder / "train.txt", {seed, DemoCorpusSpec{}.paragraphs}},
        {folder / "eval.txt", {subKey(seed, kDemoEvalPurpose), kDemoEvalParagraphs}}};
    for (const auto& [path, spec] : parts) {
      const std::string text = demoCorpus(spec);
      const auto present = readFile(path);
      if (present.ok() && *present == text) continue;
      if (auto written = writeFileAtomically(path, text); !written.ok()) return written;
    }
    request_.train = {(folder / "train.txt").native()};
    request_.eval = {(folder / "eval.txt").native()};
    request_.format = TextFormat::Text;
    return {};
  }

  Result<void> findFiles() {
    const auto identify = [&](const std::vector<std::string>& patterns, std::string_view field,
                              std::vector<FileIdentity>& files) -> Result<void> {
      std::vector<std::string> repeated;
      const auto paths = findTextFiles(patterns, request_.baseFolder, request_.format, &repeated);
      if (!paths.ok()) return paths.error().within(field);
      for (const std::string& note : repeated) notes_.push_back(std::string(field) + ": " + note);
      FileIdentities identities(request_.cacheFolder / "files.json");
      auto identified = identities.of(*paths, reporter("reading files"), stop_);
      if (!identified.ok()) return identified.error();
      files = std::move(*identified);
      return {};
    };
    if (auto found = identify(request_.train, "data.train", trainFiles_); !found.ok()) return found;
    if (auto found = identify(request_.eval, "data.eval", evalFiles_); !found.ok()) return found;
    noteCopies();
    return {};
  }

  /// Copies and links: text that counts twice, or that is trained on and evaluated.
  void noteCopies() {
    std::map<std::string, const fs::path*> trained;  // by content
    std::vector<std::string> copies, evaluated;
    const auto same = [](const fs::path& path, const fs::path& other) {
      return "'" + path.native() + "' has the content of '" + other.native() + "'";
    };
    for (const FileIdentity& file : trainFiles_) {
      const auto [first, added] = trained.emplace(file.content.hex(), &file.path);
      if (!added && file.bytes > 0) copies.push_back(same(file.path, *first->second));
    }
    for (const FileIdentity& file : evalFiles_)
      if (const auto found = trained.find(file.content.hex()); found != trained.end() && file.bytes > 0)
        evaluated.push_back(same(file.path, *found->second));
    if (copies.size() == 1) notes_.push_back("data.train: " + copies[0] + "; both are read");
    if (copies.size() > 1)
      notes_.push_back("data.train: " + std::to_string(copies.size()) +
                       " files have the content of another one; all are read. The first: " + copies[0]);
    if (!evaluated.empty())
      notes_.push_back("data.eval: " + evaluated[0] +
                       ", which is trained on: the evaluation says little about new text. Files concerned: " +
                       std::to_string(evaluated.size()));
  }

  /// Passes byte counts on, but not more often than people can see, and the end.
  std::function<void(std::int64_t, std::int64_t)> reporter(std::string_view phase) {
    using Watch = std::chrono::steady_clock;
    return [this, phase, next = Watch::time_point(), ended = false](std::int64_t done, std::int64_t total) mutable {
      const auto now = Watch::now();
      const bool waits = total < 0;  // for another process
      const bool ends = done >= total && !ended && !waits;
      if (!progress_ || (now < next && !ends)) return;
      next = now + kBetweenReports;
      ended = ended || ends;
      progress_({waits ? kWaitingPhase : phase, done, std::max<std::int64_t>(0, total)});
    };
  }

  Result<WordPiece> makeTokenizer() {
    const TokenizerRequest& wanted = request_.tokenizer;
    if (wanted.path.empty()) {
      auto vocabulary = trainedVocabulary();
      if (!vocabulary.ok()) return vocabulary.error();
      return WordPiece(std::move(*vocabulary), wanted.lowercase);
    }
    auto vocabulary = Vocabulary::load(request_.baseFolder / wanted.path);
    if (!vocabulary.ok()) return vocabulary.error().within("tokenizer.path");
    return WordPiece(std::move(*vocabulary), wanted.lowercase);
  }

  fs::path vocabularyPath() const {
    Hasher hasher;
    hasher.update("vocabulary 1 " + std::to_string(request_.tokenizer.vocabSize) +
                  (request_.tokenizer.lowercase ? " lower " : " cased ") +
                  std::string(textFormatName(request_.format)) + " " + request_.textField + " " +
                  (takesHoldout() ? formatExact(request_.holdout) : "-"));
    for (const FileIdentity& file : trainFiles_)
      hasher.update(file.content.hex() + (file.path.native().ends_with(".gz") ? "z" : "t"));
    return request_.cacheFolder / (hasher.digest().hex() + ".vocab.txt");
  }

  Result<Vocabulary> trainedVocabulary() {
    const fs::path path = vocabularyPath();
    const fs::path seal = fs::path(path).replace_extension(".hash");  // tells damage
    const auto sealed = readFile(seal);
    if (auto known = Vocabulary::load(path); known.ok() && sealed.ok() && known->identity().hex() == *sealed)
      return known;
    WordCounter counter(request_.tokenizer.lowercase);
    const auto heldOut = countWords(counter);
    if (!heldOut.ok()) return heldOut.error();
    if (counter.isEmpty()) return noText("data.train", trainFiles_.size(), *heldOut > 0);
    auto trained = trainVocabulary(counter, request_.tokenizer.vocabSize);
    if (!trained.ok()) return trained;
    if (auto saved = writeFileAtomically(path, trained->text()); !saved.ok()) return saved.error();
    if (auto saved = writeFileAtomically(seal, trained->identity().hex()); !saved.ok()) return saved.error();
    return trained;
  }

  /// Documents that are held out for evaluation do not shape the vocabulary; their number is returned.
  Result<std::int64_t> countWords(WordCounter& counter) {
    std::int64_t heldOut = 0;
    double expected = 0.0;
    std::int64_t total = 0, done = 0;
    for (const FileIdentity& file : trainFiles_) {
      total += file.bytes;
      expected += static_cast<double>(file.bytes) * (file.path.native().ends_with(".gz") ? kTypicalGzipRatio : 1.0);
    }
    const double share = expected > 0.0 ? static_cast<double>(kTrainingSampleBytes) / expected : 1.0;
    const auto report = reporter("training the vocabulary");
    std::string document;
    for (const FileIdentity& file : trainFiles_) {
      auto reader = DocumentReader::open(file.path, request_.format, request_.textField);
      if (!reader.ok()) return reader.error();
      while (true) {
        const auto more = reader->next(document);
        if (!more.ok()) return more.error();
        if (!*more) break;
        if (stop_.stop_requested()) return Error{ErrorCode::Stopped, "stopped while training the vocabulary", {}};
        report(done + reader->fileBytesRead(), total);
        const bool skipped = takesHoldout() && isHeldOut(document, request_.holdout);
        const bool drawn = share >= 1.0 || unitRandom(hash128(document).high) < share;
        heldOut += skipped ? 1 : 0;
        if (!skipped && drawn) counter.add(document);
      }
      done += file.bytes;
    }
    return heldOut;
  }

  CorpusJob job(const std::vector<FileIdentity>& files, const WordPiece& tokenizer, double holdout) const {
    return {files,   request_.format,     request_.textField, tokenizer, request_.maxSeqLen, request_.joinDocuments,
            holdout, request_.cacheFolder};
  }

  Result<CorpusDatasets> datasets(const std::vector<FileIdentity>& files, const WordPiece& tokenizer, double holdout) {
    auto made = tokenizeCorpus(job(files, tokenizer, holdout), reporter("tokenising"), stop_);
    if (made.ok() || made.error().code != ErrorCode::DiskFull) return made;
    Error full = made.error();
    full.message += "; free some space or choose another workspace, the preparation goes on where it stood";
    return full;
  }

  Result<PreparedData> tokenise(WordPiece tokenizer) {
    auto train = datasets(trainFiles_, tokenizer, takesHoldout() ? request_.holdout : 0.0);
    if (!train.ok()) return train.error();
    if (train->train.size() == 0)
      return noText("data.train", trainFiles_.size(), train->heldOut && train->heldOut->size() > 0);
    std::optional<TokenDataset> eval = train->heldOut;
    bool fromCache = train->fromCache;
    if (!evalFiles_.empty()) {
      auto given = datasets(evalFiles_, tokenizer, 0.0);
      if (!given.ok()) return given.error();
      if (given->train.size() == 0) return noText("data.eval", evalFiles_.size(), false);
      fromCache = fromCache && given->fromCache;
      eval = std::move(given->train);
    }
    if (eval && eval->size() == 0) {
      notes_.push_back("the holdout of " + formatValue(request_.holdout * 100) + " % took none of the " +
                       formatInteger(train->train.statistics().text.documents) +
                       " documents: nothing is evaluated; name texts in data.eval or raise data.holdout");
      eval.reset();
    }
    noteProblems("data.train", train->train.statistics());
    if (eval) noteProblems("the evaluation text", eval->statistics());
    const double nats = unigramCrossEntropy(eval ? *eval : train->train, train->train);
    return PreparedData{std::move(train->train), std::move(eval), std::move(tokenizer), nats, fromCache,
                        std::move(notes_)};
  }

  static Error noText(std::string_view field, std::size_t files, bool heldOut) {
    const std::string where = std::to_string(files) + (files == 1 ? " file" : " files");
    if (heldOut)
      return Error::config("all documents of " + where +
                           " were held out for evaluation; lower data.holdout or give more text")
          .within(field);
    return Error::config("there is no text in " + where + ": nothing but white space or control characters")
        .within(field);
  }

  void noteProblems(std::string_view what, const DatasetStatistics& statistics) {
    const TextCounts& text = statistics.text;
    if (text.replacedSequences > 0)
      notes_.push_back(std::string(what) + ": " + formatInteger(text.replacedSequences) +
                       " places are not valid Unicode; each was replaced by U+FFFD, which the tokenizer drops");
    if (text.cutDocuments > 0)
      notes_.push_back(std::string(what) + ": documents longer than 1 MiB were cut in " +
                       formatInteger(text.cutDocuments) + " places");
  }

  DataRequest request_;
  const ProgressFn& progress_;
  std::stop_token stop_;
  std::vector<FileIdentity> trainFiles_;
  std::vector<FileIdentity> evalFiles_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<PreparedData> prepareData(const DataRequest& request, const ProgressFn& progress, std::stop_token stop) {
  return Preparation(request, progress, std::move(stop)).run();
}

}  // namespace batchwise
