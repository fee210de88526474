// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/schema.h"
#include "core/text/text_source.h"
#include "core/text/token_cache.h"
#include "core/text/tokenizer.h"

namespace batchwise {

/// A named evaluation text.
struct EvalSetRequest {
  std::string name;
  std::vector<std::string> text;  ///< files, folders, globs
};

struct TokenizerRequest {
  /// tokenizer.json, vocab.txt or a folder with either, relative to baseFolder; empty: train on the text
  std::filesystem::path path;
  TokenizerKind kind = TokenizerKind::WordPiece;  ///< of a trained tokenizer
  std::int32_t vocabSize = 0;                     ///< of a trained vocabulary, special tokens included
  bool lowercase = true;
  std::vector<std::string> text;  ///< to train on: files, folders, globs; empty: DataRequest::train
};

/// Input of prepareData(), filled from the configuration by the caller.
struct DataRequest {
  TrainingText train;                         ///< files, folders, globs
  double temperature = 1.0;                   ///< of the shares of its sources
  bool removeDuplicates = false;              ///< leave out training documents that have occurred before
  std::vector<std::string> eval;              ///< empty: use `holdout` of train
  std::vector<EvalSetRequest> evalSets = {};  ///< beside eval
  TextFormat format = TextFormat::Text;
  std::string textField = "text";    ///< of JSONL objects
  std::filesystem::path baseFolder;  ///< base of relative names: the folder of the configuration file
  std::int32_t maxSeqLen = 128;      ///< longest sequence in tokens, [CLS] and [SEP] included; 3 to 65,536
  bool joinDocuments = false;        ///< concatenate documents in one sequence
  bool documentSeparator = true;     ///< [SEP] [CLS] between them
  /// Share of documents, by hash, for evaluation; in [0, 1), 0: none. Unset: none beside evalSets, else
  /// automaticHoldout().
  std::optional<double> holdout;
  TokenizerRequest tokenizer;
  std::filesystem::path cacheFolder;      ///< created if missing
  std::optional<std::uint64_t> demoSeed;  ///< if set, the built-in demo corpus replaces train and eval
  /// Text that the run evaluates on elsewhere: files, folders, globs. Only noted where it is also in train.
  std::vector<std::string> evaluated = {};
};

/// Progress of a preparation. `phase` is a short text for people ("reading files", "tokenizing", ...).
struct PrepareProgress {
  std::string phase;
  std::int64_t doneBytes = 0;
  std::int64_t totalBytes = 0;
};
using ProgressFn = std::function<void(const PrepareProgress&)>;

struct NamedDataset {
  std::string name;
  TokenDataset samples;
};

/// What a source has in an epoch.
struct SourceShare {
  std::string name;
  std::int64_t samples = 0, tokens = 0;
  double passes = 1.0;  ///< over its text
};

struct PreparedData {
  TokenDataset train;
  std::optional<TokenDataset> eval;  ///< empty if neither data.eval nor the holdout gave a document
  Tokenizer tokenizer;
  double unigramNats = 0.0;         ///< unigramCrossEntropy() of eval by train's frequencies; without eval, of train
  bool fromCache = false;           ///< all tokens came from the cache
  std::vector<FieldProblem> notes;  ///< for people: replaced bytes, documents cut, an empty holdout, ...
  std::vector<NamedDataset> evalSets = {};
  double holdout = 0.0;  ///< share that was held out
  /// Identifies the text of all evaluation data, whatever its names and its tokens are: a hash over the files that
  /// `eval` was read from, followed by " name hash" of each set; empty without any.
  std::string evaluationText = {};
  std::string trainingText = {};          ///< same for the text of `train`
  std::vector<SourceShare> sources = {};  ///< of `train`, by TokenDataset::sourceOf(); empty if they have no names

  bool hasEvaluation() const { return eval || !evalSets.empty(); }
  /// Identifies all evaluation data: the hash of `eval`, followed by " name hash" of each set; empty without any.
  std::string evaluationIdentity() const;
};

/// Returns the share that is held out of a text of so many bytes if none is given: 1 %, and more of one that is so
/// small that this would be noise, at most 10 %.
double automaticHoldout(double textBytes);

/// Finds the files, trains or loads the tokenizer, tokenizes what is not cached, and opens the result. Uses at most
/// about 300 MB regardless of the text size. Resumes an interrupted preparation. If several processes prepare the same
/// data, one works and the others wait. `progress` is called a few times per second from the calling thread. Fails with
/// Config or NotFound for invalid input, Stopped on `stop`, DiskFull, Io, or Corrupt.
Result<PreparedData> prepareData(const DataRequest& request, const ProgressFn& progress, std::stop_token stop);

/// Returns what prepareData() notes of the text before it is tokenized: files named twice, copies, and evaluation
/// documents that are also trained on. Writes to `cacheFolder` alone, and only if it is not empty. Reads all of the
/// text unless the cache knows it. Fails as prepareData().
Result<std::vector<FieldProblem>> reviewText(const DataRequest& request, const ProgressFn& progress,
                                             std::stop_token stop);

}  // namespace batchwise
