// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <span>
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

/// A metric over fixed examples by how often each counts (at least 0 times), for resampling.
using WeightedMetric = std::function<double(std::span<const double> weights)>;
/// From labels and predictions: "f1", 2 TP / (2 TP + FP + FN), of two classes that of the one that sorts last ("1" of
/// "0" and "1"; numbers by value), of more "f1_macro", the mean over all classes that are a label or a prediction;
/// "f1_micro", of all classes but "O" together; "matthews" of any number of classes (Gorodkin 2004, Comparing two
/// K-category assignments, eq. 8); "pearson"; "spearman", equal numbers with their mean rank. All other metrics, such
/// as "accuracy" and "ndcg_at_10", are the mean of the scores.
WeightedMetric weightedMetric(std::string_view metric, std::span<const ExampleScore> examples);

/// Returns the metric over all examples; see weightedMetric().
double scoreOf(std::string_view metric, std::span<const ExampleScore> examples);

}  // namespace batchwise
