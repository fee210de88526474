// SPDX-License-Identifier: GPL-3.0-or-later
// What a checkpoint is good for without training: masks filled, a folder for others.
#include <torch/torch.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/run_stages.h"
#include "core/run/session/launch_model.h"
#include "core/run/session/run_session.h"
#include "core/store/workspace.h"
#include "core/text/masking.h"
#include "core/text/tokenizer.h"

namespace batchwise {
namespace {

Result<RunCheckpoint> openFrom(const std::filesystem::path& folder, const std::string& run,
                               const std::string& checkpoint, const Clock& clock) {
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(folder, Workspace::Mode::ReadOnly, clock));
  return openCheckpoint(*workspace, run, checkpoint);
}

Result<Tokenizer> tokenizerOf(const RunCheckpoint& checkpoint) {
  return Tokenizer::fromTexts(checkpoint.facts.tokenizer, "the tokenizer of the checkpoint");
}

/// What a person may write for the mask token of any vocabulary.
constexpr std::string_view kMask = "[MASK]";

const std::string& maskToken(const Tokenizer& tokenizer) {
  return tokenizer.vocabulary().token(tokenizer.vocabulary().special().mask);
}

/// Returns the ids of a text in which [MASK] and the model's own token stand for the mask.
std::vector<std::int32_t> encodeMasked(const Tokenizer& tokenizer, std::string text) {
  const std::string& own = maskToken(tokenizer);
  const std::int32_t mask = tokenizer.vocabulary().special().mask;
  for (std::size_t at = text.find(kMask); at != std::string::npos; at = text.find(kMask, at + own.size()))
    text.replace(at, kMask.size(), own);
  std::vector<std::int32_t> ids = tokenizer.encode(text, SpecialTokensInText::Recognize);
  if (std::ranges::find(ids, mask) != ids.end()) return ids;
  // A tokenizer.json need not list its mask among the added tokens; transformers adds it by its name then.
  ids.clear();
  for (std::string_view rest = text;;) {
    const std::size_t end = rest.find(own);
    const std::vector<std::int32_t> part = tokenizer.encode(rest.substr(0, end), SpecialTokensInText::Recognize);
    ids.insert(ids.end(), part.begin(), part.end());
    if (end == std::string_view::npos) return ids;
    ids.push_back(mask);
    rest.remove_prefix(end + own.size());
  }
}

/// Returns the text as one sequence whose masks are to be predicted.
Result<MicroBatch> maskedBatch(const Tokenizer& tokenizer, const std::string& text, std::int64_t maxPositions) {
  const SpecialIds& special = tokenizer.vocabulary().special();
  MicroBatch batch;
  batch.tokenIds.push_back(special.cls);
  for (const std::int32_t id : encodeMasked(tokenizer, text)) batch.tokenIds.push_back(id);
  batch.tokenIds.push_back(special.sep);
  if (batch.tokens() > maxPositions)
    return Error::config(
        formatText("the text has {} tokens; this model takes at most {}", batch.tokens(), maxPositions));
  for (std::int32_t place = 0; place < batch.tokens(); ++place)
    if (batch.tokenIds[static_cast<std::size_t>(place)] == special.mask) batch.predictedPositions.push_back(place);
  if (batch.predictedPositions.empty())
    return Error::config(maskToken(tokenizer) == kMask
                             ? "there is no [MASK] in the text; write [MASK] where a token is to be predicted"
                             : formatText("there is no mask in the text; write [MASK] or {}, the mask token of this "
                                          "model, where a token is to be predicted",
                                          maskToken(tokenizer)));
  batch.labels.assign(batch.predictedPositions.size(), special.mask);
  batch.sequenceStarts = {0, static_cast<std::int32_t>(batch.tokens())};
  batch.sampleIds = {0};
  batch.indicesInStep = {0};
  batch.longest = static_cast<std::int32_t>(batch.tokens());
  return batch;
}

std::vector<MaskCandidate> topCandidates(const at::Tensor& logits, const Tokenizer& tokenizer, int candidates) {
  const std::int64_t tokens = tokenizer.vocabulary().size();
  // Special tokens, and rows that fill up the vocabulary, take part in the softmax, as in transformers, but no text has
  // them where a mask stands.
  const std::vector<std::int32_t>& special = tokenizer.vocabulary().specialIds();
  const at::Tensor ofTokens = torch::softmax(logits, 0).narrow(0, 0, tokens).clone();
  ofTokens.index_fill_(0, torch::tensor(special, torch::kInt64), -1);
  const auto count = std::clamp<std::int64_t>(candidates, 1, tokens - std::ssize(special));
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
    return Error::config(formatText(
        "the model of checkpoint {} predicts no numbers (NaN): its weights are not finite, or so large that they "
        "overflow, because the run diverged; use an earlier checkpoint, or train with a smaller optimizer.lr",
        source.record.id));
  FilledMasks found{usedOf(source), maskToken(tokenizer), {}};
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
  RETURN_IF_ERROR(writeModelFolder(folder, model, tokenizer, longestSequence(source.facts.config), replaces));
  return usedOf(source);
}

Result<UsedCheckpoint> exportVectors(const std::filesystem::path& workspace, const std::string& run,
                                     const std::string& checkpoint, const std::filesystem::path& folder,
                                     Pooling pooling, Replaces replaces, const Clock& clock) {
  ASSIGN_OR_RETURN(auto source, openFrom(workspace, run, checkpoint, clock));
  ASSIGN_OR_RETURN(const auto pretrained, modelOf(source));
  ASSIGN_OR_RETURN(const auto tokenizer, tokenizerOf(source));
  ModelShape shape = pretrained.shape();
  shape.taskHead = TaskHead::Vectors;
  ASSIGN_OR_RETURN(const auto model, withHead(pretrained, shape, Precision::Fp32, pretrained.device(), 0));
  const std::int64_t longest = longestSequence(source.facts.config);
  RETURN_IF_ERROR(writeModelFolder(folder, model, tokenizer, longest, replaces));
  RETURN_IF_ERROR(makeFolders(folder / "1_Pooling"));
  for (const auto& [name, text] : sentenceTransformersFiles(shape, longest, choiceName(pooling)))
    RETURN_IF_ERROR(writeFileAtomically(folder / name, text));
  return usedOf(source);
}

}  // namespace batchwise
