// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/model/hugging_face/hugging_face.h"
#include "core/model/shape/model_shape.h"

namespace batchwise {

/// Fits the weights of a folder to the model that starts from it. `shape` differs from the folder's at most in its
/// training options, tying and rows of the vocabulary, of which the first `tokens` stand for tokens and the others only
/// fill up. New rows are the mean of the folder's rows, also in the decoder's bias; there, rows that stand for no token
/// get its smallest value. A decoder that becomes untied starts as a copy of the word embeddings. Requires at least as
/// many rows as the folder has.
HuggingFaceModel fittedWeights(HuggingFaceModel folder, const ModelShape& shape, std::int64_t tokens);

/// Returns weights of a larger model made by repeating those of a smaller one of the same family: each matrix has the
/// smaller one in its middle and repeats it around, separately for queries, keys, values and both halves of a gated
/// feed-forward part; layer i of n starts from layer round(i m / n) of m. Rows that stand for tokens, positions and
/// types keep their places. Tensors that the folder lacks are missing. Fails with Config if the families differ or a
/// size is smaller than the folder's. Source: Warner et al. 2024, section 2.2 (initialization of the large model).
Result<HuggingFaceModel> tiledWeights(const HuggingFaceModel& smaller, const ModelShape& shape);

/// Describes how a model of `shape`, with `tokens` tokens, starts from a folder: values of config.json that are not
/// used, a head that starts fresh, tensors without use, a copied or dropped decoder, new rows. Empty if the folder
/// is used completely and unchanged.
std::vector<std::string> startNotes(const FolderTensors& folder, const ModelShape& shape, std::int64_t tokens);

}  // namespace batchwise
