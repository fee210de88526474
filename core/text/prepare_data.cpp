// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/prepare_data.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/text/corpus_tokenizer.h"
#include "core/text/demo_corpus.h"
#include "core/text/file_identity.h"
#include "core/text/text_check.h"
#include "core/text/text_files.h"
#include "core/text/text_source.h"
#include "core/text/vocabulary_trainer.h"

namespace batchwise {
namespace fs = std::filesystem;
namespace {

/// Text used to train a vocabulary. From more text, documents are sampled uniformly by hash.
constexpr std::int64_t kTrainingSampleBytes = std::int64_t{128} << 20;
constexpr std::chrono::milliseconds kReportInterval{200};
constexpr double kTypicalPackingRatio = 3.0;
constexpr std::int64_t kDemoEvalParagraphs = 400;
constexpr std::uint64_t kDemoEvalPurpose = 0x6576616C;  // "eval"

class Preparation {
 public:
  Preparation(const DataRequest& request, const ProgressFn& progress, std::stop_token stop)
      : request_(request), progress_(progress), stop_(std::move(stop)) {}

  Result<PreparedData> run() {
    RETURN_IF_ERROR(check());
    RETURN_IF_ERROR(makeFolders(request_.cacheFolder));
    if (request_.demoSeed) RETURN_IF_ERROR(writeDemo(*request_.demoSeed));
    RETURN_IF_ERROR(readFiles());
    holdout_ = chosenHoldout();
    const std::size_t notesBefore = notes_.size();
    Result<PreparedData> made = prepareFiles();
    if (made.ok() || request_.holdout || !allHeldOut_) return made;
    holdout_ = 0.0;  // a text of one document
    notes_.erase(notes_.begin() + static_cast<std::ptrdiff_t>(notesBefore), notes_.end());
    notes_.push_back(
        {"",
         "the training text has too few documents to hold some out, so nothing is evaluated; name texts in data.eval"});
    return prepareFiles();
  }

  Result<std::vector<FieldProblem>> review() {
    if (request_.demoSeed) return std::vector<FieldProblem>();
    RETURN_IF_ERROR(check());
    RETURN_IF_ERROR(readFiles());
    return std::move(notes_);
  }

 private:
  Result<void> readFiles() {
    RETURN_IF_ERROR(findFiles());
    return request_.demoSeed ? Result<void>() : noteOverlap();
  }

  bool usesHoldout() const { return holdout_ > 0.0; }

  double chosenHoldout() const {
    if (!request_.eval.empty()) return 0.0;
    if (request_.holdout) return *request_.holdout;
    return request_.evalSets.empty() ? automaticHoldout(expectedBytes(trainFiles_)) : 0.0;
  }

  double expectedBytes(const std::vector<FileIdentity>& files) const {
    double bytes = 0.0;
    const auto packed = [this](const fs::path& path) {
      return request_.format == TextFormat::Parquet || isPacked(path);
    };
    for (const FileIdentity& file : files)
      bytes += static_cast<double>(file.bytes) * (packed(file.path) ? kTypicalPackingRatio : 1.0);
    return bytes;
  }

  Result<PreparedData> prepareFiles() {
    ASSIGN_OR_RETURN(auto tokenizer, makeTokenizer());
    return tokenize(std::move(tokenizer));
  }

  Result<void> check() const {
    if (request_.train.empty() && !request_.demoSeed)
      return Error::config("data.train names no text; give files, folders or patterns such as text/*.txt");
    if (request_.maxSeqLen < 3 || request_.maxSeqLen > 65'536)
      return Error::config(formatText("data.max_seq_len is {}; it must be 3 to 65536", request_.maxSeqLen));
    if (request_.holdout && !(*request_.holdout >= 0.0 && *request_.holdout < 1.0))
      return Error::config(
          formatText("data.holdout is {}; it must be at least 0 and below 1", formatExact(*request_.holdout)));
    return {};
  }

  Result<void> writeDemo(std::uint64_t seed) {
    const fs::path folder =
        request_.cacheFolder / ("demo-" + std::to_string(kDemoCorpusVersion) + "-" + std::to_string(seed));
    RETURN_IF_ERROR(makeFolders(folder));
    const std::pair<fs::path, DemoCorpusSpec> parts[] = {
        {folder / "train.txt", {seed, DemoCorpusSpec{}.paragraphs}},
        {folder / "eval.txt", {subKey(seed, kDemoEvalPurpose), kDemoEvalParagraphs}}};
    for (const auto& [path, spec] : parts) {
      const std::string text = demoCorpus(spec);
      const auto present = readFile(path);
      if (present.ok() && *present == text) continue;
      RETURN_IF_ERROR(writeFileAtomically(path, text));
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
      if (!paths.ok()) return paths.error().about(field);
      for (const std::string& note : repeated) notes_.push_back({std::string(field), note});
      if (const auto heads = inspectTexts(*paths, request_.format); !heads.ok()) return heads.error().about(field);
      FileIdentities identities(request_.cacheFolder.empty() ? fs::path() : request_.cacheFolder / "files.json");
      ASSIGN_OR_RETURN(files, identities.of(*paths, reporter("reading files"), stop_));
      return {};
    };
    for (const TextSource& source : request_.train.sources) {
      RETURN_IF_ERROR(identify(source.text, "data.train", sourceFiles_.emplace_back()));
      trainFiles_.insert(trainFiles_.end(), sourceFiles_.back().begin(), sourceFiles_.back().end());
    }
    RETURN_IF_ERROR(identify(request_.eval, "data.eval", evalFiles_));
    for (const EvalSetRequest& set : request_.evalSets)
      RETURN_IF_ERROR(identify(set.text, fieldOf(set), setFiles_.emplace_back()));
    for (const std::string& pattern : request_.evaluated)
      RETURN_IF_ERROR(identify({pattern}, "data.eval", setFiles_.emplace_back()));
    vocabularyFiles_ = trainFiles_;
    const bool trainsOnOther = request_.tokenizer.path.empty() && !request_.tokenizer.text.empty();
    if (trainsOnOther) RETURN_IF_ERROR(identify(request_.tokenizer.text, "data.train", vocabularyFiles_));
    noteCopies();
    return {};
  }

  /// Notes training text that occurs twice, as copy or link.
  void noteCopies() {
    std::map<std::string, const fs::path*> trained;  // by content
    std::vector<std::string> copies;
    for (const FileIdentity& file : trainFiles_) {
      const auto [first, added] = trained.emplace(file.content.hex(), &file.path);
      if (!added && file.bytes > 0 && *first->second != file.path)
        copies.push_back(formatText("'{}' has the same content as '{}'", file.path.native(), first->second->native()));
    }
    if (copies.size() == 1) notes_.push_back({"data.train", formatText("{}; both are read", copies[0])});
    if (copies.size() > 1)
      notes_.push_back(
          {"data.train", formatText("{} files have the same content as another one; all are read. The first: {}",
                                    copies.size(), copies[0])});
  }

  /// Notes evaluation documents that are also trained on. A caller that has stopped already, because it wants only
  /// what the cache has, gets what is known.
  Result<void> noteOverlap() {
    OverlapJob job{trainFiles_, setFiles_, request_.format, request_.textField, request_.cacheFolder};
    job.evaluated.insert(job.evaluated.begin(), evalFiles_);
    if (std::ranges::all_of(job.evaluated, &std::vector<FileIdentity>::empty)) return {};
    const auto found = findOverlap(job, reporter("comparing evaluation text with training text"), stop_);
    if (!found.ok()) return found.error().code == ErrorCode::Stopped ? Result<void>() : found.error();
    for (std::size_t i = 0; i < found->size(); ++i) {
      const TextOverlap& overlap = (*found)[i];
      if (overlap.shared == 0) continue;
      const std::size_t set = i - 1;  // of setFiles_
      const std::string field = i > 0 && set < request_.evalSets.size() ? fieldOf(request_.evalSets[set]) : "data.eval";
      notes_.push_back(
          {std::string(field),
           formatText("{} of {} also {} in the training text: the evaluation says "
                      "little about new text. The first: in '{}'",
                      formatInteger(overlap.shared), countText(overlap.documents, "document"),
                      pluralText(overlap.shared, "stands", "stand"), job.evaluated[i][overlap.file].path.native())});
    }
    return {};
  }

  /// Returns a callback that passes byte counts on at a limited rate, and always the last one.
  std::function<void(std::int64_t, std::int64_t)> reporter(std::string phase) {
    using Watch = std::chrono::steady_clock;
    return [this, phase, next = Watch::time_point(), ended = false](std::int64_t done, std::int64_t total) mutable {
      const auto now = Watch::now();
      const bool waits = total < 0;  // for another process
      const bool ends = done >= total && !ended && !waits;
      if (!progress_ || (now < next && !ends)) return;
      next = now + kReportInterval;
      ended = ended || ends;
      progress_({waits ? "waiting for another process that tokenizes the same text" : phase, done,
                 std::max<std::int64_t>(0, total)});
    };
  }

  Result<Tokenizer> makeTokenizer() {
    const TokenizerRequest& wanted = request_.tokenizer;
    constexpr const char* kName = "the trained tokenizer";
    if (wanted.path.empty() && wanted.kind == TokenizerKind::ByteBpe) {
      ASSIGN_OR_RETURN(auto text, trainedText(trainedPath("byte pairs 1 ", false, ".tokenizer.json"), BytePairCounter(),
                                              trainBytePairs));
      return Tokenizer::fromTexts({{}, false, std::move(text), {}}, kName);
    }
    if (wanted.path.empty()) {
      const auto train = [](const WordCounter& counter, std::int32_t size) -> Result<std::string> {
        ASSIGN_OR_RETURN(const auto vocabulary, trainVocabulary(counter, size));
        return vocabulary.text();
      };
      ASSIGN_OR_RETURN(auto vocabulary, trainedText(trainedPath("vocabulary 1 ", wanted.lowercase, ".vocab.txt"),
                                                    WordCounter(wanted.lowercase), train));
      return Tokenizer::fromTexts({std::move(vocabulary), wanted.lowercase, {}, {}}, kName);
    }
    auto tokenizer = Tokenizer::load(request_.baseFolder / expandedHome(wanted.path), wanted.lowercase);
    if (!tokenizer.ok()) return tokenizer.error().about("tokenizer.path");
    if (tokenizer->isBert() && tokenizer->lowercase() != wanted.lowercase)
      notes_.push_back({"", "tokenizer.lowercase is not used: the files of the tokenizer decide about the case"});
    return tokenizer;
  }

  /// The file of a trained tokenizer; `kind` names what is trained.
  fs::path trainedPath(const char* kind, bool lowercase, const char* ending) const {
    Hasher hasher;
    hasher.update(kind + std::to_string(request_.tokenizer.vocabSize) + (lowercase ? " lower " : " cased ") +
                  std::string(choiceName(request_.format)) + " " + request_.textField + " " +
                  (usesHoldout() ? formatExact(holdout_) : "-"));
    for (const FileIdentity& file : vocabularyFiles_) hasher.update(file.readingKey());
    return request_.cacheFolder / (hasher.digest().hex() + ending);
  }

  /// Returns the file of a trained tokenizer: from the cache, or what `train` makes of the counted words.
  template <typename Counter, typename Train>
  Result<std::string> trainedText(const fs::path& path, Counter counter, const Train& train) {
    const fs::path hashFile = fs::path(path).replace_extension(".hash");  // detects damage
    auto known = readFile(path);
    const auto storedHash = readFile(hashFile);
    if (known.ok() && storedHash.ok() && hash128(std::string_view(*known)).hex() == *storedHash) return known;
    ASSIGN_OR_RETURN(const auto heldOut, countWords(counter));
    if (counter.isEmpty()) return noText("data.train", vocabularyFiles_.size(), heldOut > 0);
    Result<std::string> trained = train(counter, request_.tokenizer.vocabSize);
    if (!trained.ok()) return trained;
    RETURN_IF_ERROR(writeFileAtomically(path, *trained));
    RETURN_IF_ERROR(writeFileAtomically(hashFile, hash128(std::string_view(*trained)).hex()));
    return trained;
  }

  /// Counts the words of the sampled documents, without held-out ones. Returns the number of held-out documents.
  template <typename Counter>
  Result<std::int64_t> countWords(Counter& counter) {
    std::int64_t heldOut = 0;
    const double expected = expectedBytes(vocabularyFiles_);
    std::int64_t total = 0, done = 0;
    for (const FileIdentity& file : vocabularyFiles_) total += file.bytes;
    const double share = expected > 0.0 ? static_cast<double>(kTrainingSampleBytes) / expected : 1.0;
    const auto report = reporter("training the vocabulary");
    std::string document;
    for (const FileIdentity& file : vocabularyFiles_) {
      ASSIGN_OR_RETURN(auto reader, DocumentReader::open(file.path, request_.format, request_.textField));
      while (true) {
        ASSIGN_OR_RETURN(const auto more, reader.next(document));
        if (!more) break;
        if (stop_.stop_requested()) return Error{ErrorCode::Stopped, "stopped while training the vocabulary", {}};
        report(done + reader.fileBytesRead(), total);
        const bool skipped = usesHoldout() && isHeldOut(document, holdout_);
        const bool drawn = share >= 1.0 || unitRandom(hash128(document).high) < share;
        heldOut += skipped ? 1 : 0;
        if (!skipped && drawn) counter.add(document);
      }
      done += file.bytes;
    }
    return heldOut;
  }

  CorpusJob job(const std::vector<FileIdentity>& files, const Tokenizer& tokenizer, double holdout) const {
    return {files,
            request_.format,
            request_.textField,
            tokenizer,
            request_.maxSeqLen,
            request_.joinDocuments,
            request_.documentSeparator,
            holdout,
            request_.cacheFolder};
  }

  Result<CorpusDatasets> datasets(const std::vector<FileIdentity>& files, const Tokenizer& tokenizer, double holdout) {
    return datasets(job(files, tokenizer, holdout), "tokenizing");
  }

  Result<CorpusDatasets> datasets(const CorpusJob& job, const std::string& phase) {
    auto made = tokenizeCorpus(job, reporter(phase), stop_);
    if (made.ok() || made.error().code != ErrorCode::DiskFull) return made;
    Error full = made.error();
    full.message = formatText(
        "{}; free some space or choose another workspace, and the preparation resumes where it stopped", full.message);
    return full;
  }

  /// Tokenizes each source of the training text, and mixes them.
  Result<CorpusDatasets> trainingData(const Tokenizer& tokenizer, std::vector<SourceShare>& shares) {
    const std::vector<TextSource>& sources = request_.train.sources;
    std::vector<TokenDataset::Source> train, heldOut;
    std::optional<CorpusDatasets> made;
    bool fromCache = true;
    std::vector<FileIdentity> before;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::vector<FileIdentity>& files = sourceFiles_[i];
      CorpusJob own = job(files, tokenizer, holdout_);
      own.removeDuplicates = request_.removeDuplicates;
      if (own.removeDuplicates) own.before = before;
      before.insert(before.end(), files.begin(), files.end());
      const std::string& name = sources[i].name;
      ASSIGN_OR_RETURN(made, datasets(own, name.empty() ? "tokenizing" : "tokenizing " + name));
      const std::string what = name.empty() ? "data.train" : "the text " + name;
      const std::int64_t held = made->heldOut ? made->heldOut->size() : 0;
      if (made->train.size() == 0 && made->removed > 0)
        return Error::config("data.train", formatText("all documents of {} also stand in the sources before it", what));
      if (made->train.size() == 0) return noText("data.train", files.size(), held > 0);
      noteProblems(what, made->train.statistics(), files, made->replacedInTrain);
      if (made->removed > 0)
        notes_.push_back(
            {"data.remove_duplicates", formatText("{}: {} removed", what, countText(made->removed, "duplicate"))});
      noteBlank(what, *made);
      fromCache = fromCache && made->fromCache;
      train.push_back({made->train, made->train.size()});
      if (held > 0) heldOut.push_back({*made->heldOut, held});
    }
    if (!request_.train.hasNames()) return *std::move(made);
    RETURN_IF_ERROR(weigh(train));
    for (std::size_t i = 0; i < sources.size(); ++i)
      shares.push_back({sources[i].name, train[i].samples, train[i].tokens(),
                        static_cast<double>(train[i].samples) / static_cast<double>(train[i].data.size())});
    noteShares(shares);
    CorpusDatasets whole{TokenDataset::mix(std::move(train)), made->heldOut, fromCache};
    if (!heldOut.empty()) whole.heldOut = TokenDataset::mix(std::move(heldOut));
    return whole;
  }

  void noteShares(const std::vector<SourceShare>& shares) {
    std::int64_t tokens = 0;
    for (const SourceShare& share : shares) tokens += share.tokens;
    std::string text;
    for (const SourceShare& share : shares)
      text +=
          formatText("{}{} {} % of the tokens, {} over its text", text.empty() ? "an epoch has of " : "; of ",
                     share.name, formatValue(100.0 * static_cast<double>(share.tokens) / static_cast<double>(tokens)),
                     share.passes == 1.0 ? "one pass" : formatValue(share.passes) + " passes");
    notes_.push_back({"data.train", text});
  }

  Result<void> weigh(std::vector<TokenDataset::Source>& train) const {
    constexpr double kMostPasses = 1e6;
    std::vector<DatasetStatistics> statistics;
    std::vector<double> weights;
    for (const TokenDataset::Source& source : train) statistics.push_back(source.data.statistics());
    for (const TextSource& source : request_.train.sources)
      if (source.weight) weights.push_back(*source.weight);
    const std::vector<double> passes = mixturePasses(statistics, weights, request_.temperature);
    for (std::size_t i = 0; i < train.size(); ++i) {
      if (passes[i] > kMostPasses)
        return Error::config("data.train",
                             formatText("the weights would repeat {} more than a million times in an epoch; bring them "
                                        "nearer to one another, or raise data.temperature",
                                        request_.train.sources[i].name));
      train[i].samples = std::llround(passes[i] * static_cast<double>(train[i].data.size()));
    }
    return {};
  }

  Result<PreparedData> tokenize(Tokenizer tokenizer) {
    std::vector<SourceShare> shares;
    ASSIGN_OR_RETURN(auto train, trainingData(tokenizer, shares));
    std::optional<TokenDataset> eval = train.heldOut;
    TextPlace evalPlace = train.replacedInHeldOut;
    bool fromCache = train.fromCache;
    if (!evalFiles_.empty()) {
      ASSIGN_OR_RETURN(auto given, datasets(evalFiles_, tokenizer, 0.0));
      if (given.train.size() == 0) return noText("data.eval", evalFiles_.size(), false);
      fromCache = fromCache && given.fromCache;
      evalPlace = given.replacedInTrain;
      noteBlank("data.eval", given);
      eval = std::move(given.train);
    }
    std::vector<NamedDataset> sets;
    for (std::size_t i = 0; i < request_.evalSets.size(); ++i) {
      const EvalSetRequest& set = request_.evalSets[i];
      ASSIGN_OR_RETURN(auto given, datasets(setFiles_[i], tokenizer, 0.0));
      if (given.train.size() == 0) return noText(fieldOf(set), setFiles_[i].size(), false);
      fromCache = fromCache && given.fromCache;
      noteProblems(std::string(fieldOf(set)), given.train.statistics(), setFiles_[i], given.replacedInTrain);
      noteBlank(fieldOf(set), given);
      sets.push_back({set.name, std::move(given.train)});
    }
    if (eval && eval->size() == 0) {
      notes_.push_back(
          {"",
           formatText("the holdout of {} % took none of the {}: nothing is evaluated; name texts in data.eval "
                      "or raise data.holdout",
                      formatValue(holdout_ * 100), countText(train.train.statistics().text.documents, "document"))});
      eval.reset();
    }
    if (eval)
      noteProblems("the evaluation text", eval->statistics(), evalFiles_.empty() ? trainFiles_ : evalFiles_, evalPlace);
    const double nats = unigramCrossEntropy(eval ? *eval : train.train, train.train);
    std::string text = evaluationText(eval.has_value());
    std::string trained = trainingText();
    return PreparedData{std::move(train.train),
                        std::move(eval),
                        std::move(tokenizer),
                        nats,
                        fromCache,
                        std::move(notes_),
                        std::move(sets),
                        holdout_,
                        std::move(text),
                        std::move(trained),
                        std::move(shares)};
  }

  /// See PreparedData::trainingText.
  std::string trainingText() const {
    const double holdout = usesHoldout() ? holdout_ : 0.0;
    if (!request_.train.hasNames()) return textHash(trainFiles_, holdout);
    std::string mixture = formatExact(request_.temperature);
    for (std::size_t i = 0; i < sourceFiles_.size(); ++i) {
      const std::optional<double> weight = request_.train.sources[i].weight;
      mixture += formatText(" {} {}", weight ? formatExact(*weight) : "-", textHash(sourceFiles_[i], holdout));
    }
    return hash128(mixture).hex();
  }

  /// See PreparedData::evaluationText.
  std::string evaluationText(bool hasEval) const {
    std::string text;
    if (hasEval) text = textHash(evalFiles_.empty() ? trainFiles_ : evalFiles_, usesHoldout() ? holdout_ : 0.0);
    for (std::size_t i = 0; i < request_.evalSets.size(); ++i)
      text += " " + request_.evalSets[i].name + " " + textHash(setFiles_[i], 0.0);
    return text;
  }

  /// Returns a hash of the content of files and of what decides which documents are read from them.
  std::string textHash(const std::vector<FileIdentity>& files, double holdout) const {
    Hasher hasher;
    hasher.update(std::string(choiceName(request_.format)) + " " +
                  (namesTextField(request_.format) ? request_.textField : "") + " " + formatExact(holdout) +
                  (request_.removeDuplicates ? " once" : ""));
    for (const FileIdentity& file : files) hasher.update(" " + file.readingKey());
    return hasher.digest().hex();
  }

  static std::string fieldOf(const EvalSetRequest& set) { return "eval.sets." + set.name; }

  Error noText(std::string_view field, std::size_t files, bool heldOut) {
    allHeldOut_ = heldOut;
    if (heldOut)
      return Error::config(
          field, formatText("all documents of {} were held out for evaluation; lower data.holdout or add text",
                            countText(files, "file")));
    return Error::config(field, formatText("there is no text in {}: nothing but white space or control characters",
                                           countText(files, "file")));
  }

  void noteBlank(const std::string& what, const CorpusDatasets& made) {
    if (made.blank > 0)
      notes_.push_back({"", formatText("{}: {} without text {} left out", what, countText(made.blank, "record"),
                                       pluralText(made.blank, "is", "are"))});
  }

  void noteProblems(const std::string& what, const DatasetStatistics& statistics,
                    const std::vector<FileIdentity>& files, TextPlace replaced) {
    const TextCounts& text = statistics.text;
    if (text.replacedSequences > 0 && replaced.line > 0)
      notes_.push_back(
          {"", invalidUnicodeText(what, text.replacedSequences, files[replaced.file].path.native(), replaced.line)});
    else if (text.replacedSequences > 0)
      notes_.push_back({"", formatText("{}: {} {} not valid Unicode; each was replaced by U+FFFD", what,
                                       formatInteger(text.replacedSequences),
                                       pluralText(text.replacedSequences, "place is", "places are"))});
    if (text.cutDocuments > 0)
      notes_.push_back({"", formatText("{}: documents longer than 1 MiB were cut in {} places", what,
                                       formatInteger(text.cutDocuments))});
  }

  DataRequest request_;
  double holdout_ = 0.0;  // in use
  const ProgressFn& progress_;
  std::stop_token stop_;
  std::vector<FileIdentity> trainFiles_;
  std::vector<std::vector<FileIdentity>> sourceFiles_;  // of request_.train
  std::vector<FileIdentity> evalFiles_;
  std::vector<std::vector<FileIdentity>> setFiles_;  // of request_.evalSets, then of request_.evaluated
  std::vector<FileIdentity> vocabularyFiles_;
  std::vector<FieldProblem> notes_;
  bool allHeldOut_ = false;  // of the documents, for evaluation
};

}  // namespace

double automaticHoldout(double textBytes) {
  constexpr double kWantedBytes = 20'000;  // some 700 predicted tokens of 15 %
  constexpr double kLeast = 0.01, kMost = 0.1;
  return textBytes > 0.0 ? std::clamp(kWantedBytes / textBytes, kLeast, kMost) : kLeast;
}

std::string PreparedData::evaluationIdentity() const {
  std::string identity = eval ? eval->identity().hex() : "";
  for (const NamedDataset& set : evalSets) identity += " " + set.name + " " + set.samples.identity().hex();
  return identity;
}

Result<PreparedData> prepareData(const DataRequest& request, const ProgressFn& progress, std::stop_token stop) {
  return Preparation(request, progress, std::move(stop)).run();
}

Result<std::vector<FieldProblem>> reviewText(const DataRequest& request, const ProgressFn& progress,
                                             std::stop_token stop) {
  return Preparation(request, progress, std::move(stop)).review();
}

}  // namespace batchwise
