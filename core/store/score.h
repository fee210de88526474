// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchwise {

/// What a model did on one example of a task.
struct ExampleScore {
  /// Row of the data from 0, of a word see firstWordOf() in core/text/task_data.h; of retrieval: the query.
  std::int64_t example = 0;
  std::string label;       ///< what is right, as text
  std::string prediction;  ///< what the model said, as text
  double score = 0;  ///< higher is better: 1 or 0 if right or wrong, minus the squared error, nDCG@10 of the query

  bool operator==(const ExampleScore&) const = default;
};

/// The score of a model on a task (SCHEMA.md, "Scores").
struct Score {
  std::string run;    ///< id; empty: the model is a folder
  std::string model;  ///< file of the checkpoint as in CheckpointRecord, or the absolute path of a Hugging Face folder
  std::string task;   ///< name of the task, or of the evaluation set
  std::string taskHash;  ///< of the task's definition and data: scores of unequal hashes are not compared
  std::string method;    ///< "eval", "probe", "finetune"
  std::string
      metric;  ///< "accuracy", "f1", "matthews", "pearson", "spearman", "ndcg_at_10", "loss", "bits_per_byte", …
  std::string split;  ///< "validation", "test"
  std::int64_t seed = 0;
  double rate = 0;  ///< learning rate of a fine-tuning; 0: none
  double value = 0;
  std::int64_t examples = 0;
  std::int64_t atMs = 0;                       ///< when it was measured, in milliseconds since 1970 UTC
  std::vector<ExampleScore> predictions = {};  ///< empty where they are not kept

  bool operator==(const Score&) const = default;
};

/// Which scores: all, or those whose members equal what is given.
struct ScoreQuery {
  std::optional<std::string> run = {};  ///< id; empty text: folders
  std::optional<std::string> model = {};
  std::optional<std::string> task = {};
};

}  // namespace batchwise
