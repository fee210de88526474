// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/data/text_source.h"
#include "core/data/token_cache.h"
#include "core/data/wordpiece.h"

namespace batchwise {

/// Where the vocabulary comes from.
struct TokenizerRequest {
  std::filesystem::path path;  ///< vocab.txt or a folder with one; empty: train on the text. Relative to baseFolder
  std::int32_t vocabSize = 0;  ///< of a trained vocabulary, special tokens included
  bool lowercase = true;
};

/// What to tokenise and how. A plain value, filled from the configuration by the caller.
struct DataRequest {
  std::vector<std::string> train;  ///< files, folders, globs
  std::vector<std::string> eval;   ///< empty: `holdout` is taken from train
  TextFormat format = TextFormat::Text;
  std::string textField = "text";    ///< of jsonl lines
  std::filesystem::path baseFolder;  ///< relative names start here: the folder of the configuration file
  std::int32_t maxSeqLen = 128;      ///< tokens of the longest sequence, [CLS] and [SEP] included; 3 to 65,536
  bool joinDocuments = false;        ///< fill sequences with several documents, one after the other
  double holdout = 0.01;             ///< share of documents, by hash, for evaluation; 0: none. Below 1
  TokenizerRequest tokenizer;
  std::filesystem::path cacheFolder;      ///< made if missing
  std::optional<std::uint64_t> demoSeed;  ///< set: the embedded demo corpus in place of train and eval
};

/// How far a preparation is. `phase` is a short text for people ("reading files", "tokenising", ...).
struct PrepareProgress {
  std::string_view phase;
  std::int64_t doneBytes = 0;
  std::int64_t totalBytes = 0;
};
using ProgressFn = std::function<void(const PrepareProgress&)>;

struct PreparedData {
  TokenDataset train;
  std::optional<TokenDataset> eval;  ///< none if neither data.eval nor a holdout gave a document
  WordPiece tokenizer;
  double unigramNats = 0.0;        ///< see unigramCrossEntropy: of eval by train's frequencies, of train without eval
  bool fromCache = false;          ///< nothing had to be tokenised
  std::vector<std::string> notes;  ///< for people: replaced bytes, documents cut, an empty holdout, ...
};

/// Finds the files, trains or loads the vocabulary, tokenises what is not in the cache yet, and opens the result.
/// Needs at most about 300 MB, whatever the size of the text. An interrupted preparation goes on where it stood.
/// Several processes may prepare the same data: one works, the others wait for it. `progress` is called a few times per
/// second, from this thread. Fails with Config or NotFound for input that a person has to change, Stopped on `stop`,
/// DiskFull, Io, Corrupt.
Result<PreparedData> prepareData(const DataRequest& request, const ProgressFn& progress, std::stop_token stop);

}  // namespace batchwise
