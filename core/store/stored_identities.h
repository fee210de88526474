// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise::resolved_names {

// Names of resolved values that say what a run was measured with.

/// Tokenizer::identity() in hexadecimal digits.
inline constexpr const char* kTokenizerIdentity = "tokenizer.identity";
/// PreparedData::evaluationText. A resume on other text stores it with its segment.
inline constexpr const char* kEvaluationText = "evaluation.text";
/// PreparedData::trainingText; of a run with stages that of the first.
inline constexpr const char* kTrainingText = "training.text";
/// evaluationSet(), see core/analysis/measured_alike.h.
inline constexpr const char* kEvaluationSet = "evaluation.set";
inline constexpr const char* kBaseFolder = "config.folder";  ///< base of relative paths in the configuration

}  // namespace batchwise::resolved_names
