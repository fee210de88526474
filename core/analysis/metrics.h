// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/score.h"

namespace batchwise {

// Metrics of downstream tasks, all higher is better. Pure functions. Where a metric is not defined (no example, no
// class predicted, no spread) it is 0, as scikit-learn has it by default.

/// Normalized discounted cumulative gain of the first ten. `ranked`: relevance of the documents, the best ranked first;
/// `relevant`: that of all documents that have one, in any order. DCG = sum rel_i / log2(i + 1), i from 1. Source:
/// Jarvelin and Kekalainen 2002, with the discount of trec_eval, as BEIR reports it.
double ndcgAt10(std::span<const double> ranked, std::vector<double> relevant);

/// A metric over fixed examples, by how often each example counts: for resampling.
class WeightedMetric {
 public:
  /// "f1", "f1_macro", "matthews", "pearson" and "spearman" are computed from labels and predictions; "f1" of two
  /// classes is that of the one that sorts last ("1" of "0" and "1"; numbers by value), of more the macro F1: the mean
  /// of all classes that are a label or a prediction. Spearman: equal numbers have their mean rank. Matthews of any
  /// number of classes: Gorodkin 2004, Comparing two K-category assignments, eq. 8. All other metrics, such as
  /// "accuracy" and "ndcg_at_10", are the mean of the scores.
  WeightedMetric(std::string_view metric, std::span<const ExampleScore> examples);
  /// `weights`: one per example, at least 0.
  double value(std::span<const double> weights) const;

 private:
  enum class Kind { Mean, F1, MacroF1, Matthews, Pearson, Spearman };
  std::vector<double> confusion(std::span<const double> weights) const;  // [label][prediction]

  Kind kind_ = Kind::Mean;
  std::vector<double> scores_;                 // of Mean
  std::vector<std::size_t> labels_, guesses_;  // classes by number, sorted
  std::size_t classes_ = 0, positive_ = 0;
  std::vector<double> x_, y_;  // of Pearson and Spearman: labels and predictions
  std::vector<std::size_t> xOrder_, yOrder_;
};

/// Returns the metric over all examples; see WeightedMetric.
double scoreOf(std::string_view metric, std::span<const ExampleScore> examples);

}  // namespace batchwise
