// SPDX-License-Identifier: GPL-3.0-or-later
// What a checkpoint is good for without training: masks filled, a folder for others.
#include <torch/torch.h>

#include <algorithm>
#include <span>

#include "core/base/result.h"
#include "core/config/run_stages.h"
#include "core/data/messages.h"
#include "core/data/micro_batch.h"
#include "core/data/tokenizer.h"
#include "core/run/messages.h"
#include "core/run/session/launch_model.h"
#include "core/run/session/run_session.h"
#include "core/store/workspace.h"

namespace batchwise {
namespace {

Result<RunCheckpoint> openFrom(const std::filesystem::path& folder, const std::string& run,
                               const std::string& checkpoint, const Clock& clock) {
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(folder, Workspace::Mode::ReadOnly, clock));
  return openCheckpoint(*workspace, run, checkpoint);
}

Result<Tokenizer> tokenizerOf(const RunCheckpoint& checkpoint) {
  return Tokenizer::fromTexts(checkpoint.facts.tokenizer, messages::checkpointTokenizerNoun().text());
}

// Returns the text as one sequence whose [MASK]s are to be predicted.
Result<MicroBatch> maskedBatch(const Tokenizer& tokenizer, const std::string& text, std::int64_t maxPositions) {
  const SpecialIds& special = tokenizer.vocabulary().special();
  MicroBatch batch;
  batch.tokenIds.push_back(special.cls);
  for (const std::int32_t id : tokenizer.encode(text, SpecialTokensInText::Recognize)) batch.tokenIds.push_back(id);
  batch.tokenIds.push_back(special.sep);
  if (batch.tokens() > maxPositions) return Error::config(messages::trialTextTooLong(batch.tokens(), maxPositions));
  for (std::int32_t place = 0; place < batch.tokens(); ++place)
    if (batch.tokenIds[static_cast<std::size_t>(place)] == special.mask) batch.predictedPositions.push_back(place);
  if (batch.predictedPositions.empty()) return Error::config(messages::trialTextLacksMask());
  batch.labels.assign(batch.predictedPositions.size(), special.mask);
  batch.sequenceStarts = {0, static_cast<std::int32_t>(batch.tokens())};
  batch.sampleIds = {0};
  batch.indicesInStep = {0};
  batch.longest = static_cast<std::int32_t>(batch.tokens());
  return batch;
}

std::vector<MaskCandidate> topCandidates(const at::Tensor& logits, const Tokenizer& tokenizer, int candidates) {
  const std::int64_t tokens = tokenizer.vocabulary().size();
  const auto count = std::clamp<std::int64_t>(candidates, 1, tokens);
  // Rows that fill up the vocabulary take part in the softmax, as in transformers, but stand for no token.
  const at::Tensor ofTokens = torch::softmax(logits, 0).narrow(0, 0, tokens);
  const auto [probabilities, ids] = torch::topk(ofTokens, count);
  std::vector<MaskCandidate> best;
  for (std::int64_t i = 0; i < count; ++i)
    best.push_back({tokenizer.shownToken(static_cast<std::int32_t>(ids[i].item<std::int64_t>())),
                    probabilities[i].item<double>()});
  return best;
}

UsedCheckpoint usedOf(const RunCheckpoint& checkpoint) {
  return {checkpoint.record.id, checkpoint.notes};
}

}  // namespace

Result<FilledMasks> fillMasks(const std::filesystem::path& workspace, const std::string& run,
                              const std::string& checkpoint, const std::string& text, int candidates,
                              const Clock& clock) try {
  const torch::NoGradGuard noGrad;
  ASSIGN_OR_RETURN(auto source, openFrom(workspace, run, checkpoint, clock));
  ASSIGN_OR_RETURN(auto model, modelOf(source));
  ASSIGN_OR_RETURN(const auto tokenizer, tokenizerOf(source));
  ASSIGN_OR_RETURN(const auto batch, maskedBatch(tokenizer, text, model.shape().maxPositions));
  const at::Tensor logits = model.logits(toDevice(batch, model.device()));
  if (!torch::isfinite(logits).all().item<bool>())
    return Error{ErrorCode::NonFinite, messages::modelPredictsNoNumbers(source.record.id), {}};
  FilledMasks found{usedOf(source), {}};
  for (std::int64_t mask = 0; mask < logits.size(0); ++mask)
    found.masks.push_back(topCandidates(logits[mask], tokenizer, candidates));
  return found;
} catch (const c10::Error& e) {
  return Error{ErrorCode::Device, e.what_without_backtrace(), "fill-mask"};
}

Result<UsedCheckpoint> exportModel(const std::filesystem::path& workspace, const std::string& run,
                                   const std::string& checkpoint, const std::filesystem::path& folder,
                                   Replaces replaces, const Clock& clock) {
  ASSIGN_OR_RETURN(auto source, openFrom(workspace, run, checkpoint, clock));
  ASSIGN_OR_RETURN(auto model, modelOf(source));
  ASSIGN_OR_RETURN(const auto tokenizer, tokenizerOf(source));
  std::vector<TensorBytes> tensors;
  const std::vector<NamedTensor> named = model.stateTensors();
  for (const NamedTensor& tensor : named)
    tensors.push_back({tensor.name, TensorType::F32, tensor.tensor.sizes().vec(),
                       std::as_bytes(std::span(tensor.tensor.const_data_ptr<float>(),
                                               static_cast<std::size_t>(tensor.tensor.numel())))});
  if (Result<void> written = writeHuggingFaceModel(folder, model.shape(), tensors, tokenizer,
                                                   longestSequence(source.facts.config), replaces);
      !written.ok())
    return written.error();
  return usedOf(source);
}

}  // namespace batchwise
