// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/score.h"

namespace batchwise {

// Metrics of downstream tasks, all higher is better. Pure functions. Where a metric is not defined (no example, no
// class predicted, no spread) it is 0, as scikit-learn has it by default.

/// Share of equal texts. Requires as many predictions as labels, here and below.
double accuracyOf(std::span<const std::string> labels, std::span<const std::string> predictions);
/// 2 TP / (2 TP + FP + FN) of the class `positive`.
double f1Of(std::span<const std::string> labels, std::span<const std::string> predictions, std::string_view positive);
/// Mean of the F1 of all classes that are a label or a prediction.
double macroF1Of(std::span<const std::string> labels, std::span<const std::string> predictions);
/// Matthews correlation of any number of classes. Source: Gorodkin 2004, Comparing two K-category assignments, eq. 8.
double matthewsOf(std::span<const std::string> labels, std::span<const std::string> predictions);
double pearsonOf(std::span<const double> x, std::span<const double> y);
/// Pearson correlation of the ranks; equal numbers have their mean rank.
double spearmanOf(std::span<const double> x, std::span<const double> y);
/// Normalized discounted cumulative gain of the first ten. `ranked`: relevance of the documents, the best ranked first;
/// `relevant`: that of all documents that have one, in any order. DCG = sum rel_i / log2(i + 1), i from 1. Source:
/// Jarvelin and Kekalainen 2002, with the discount of trec_eval, as BEIR reports it.
double ndcgAt10(std::span<const double> ranked, std::vector<double> relevant);

/// A metric over fixed examples by how often each counts (at least 0 times), for resampling.
using WeightedMetric = std::function<double(std::span<const double> weights)>;
/// "f1", "f1_macro", "matthews", "pearson" and "spearman" are computed from labels and predictions; "f1" of two classes
/// is that of the one that sorts last ("1" of "0" and "1"; numbers by value), of more the macro F1. All other metrics,
/// such as "accuracy" and "ndcg_at_10", are the mean of the scores.
WeightedMetric weightedMetric(std::string_view metric, std::span<const ExampleScore> examples);

/// Returns the metric over all examples; see weightedMetric().
double scoreOf(std::string_view metric, std::span<const ExampleScore> examples);

}  // namespace batchwise
