// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/micro_batch.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace batchwise {
namespace {

/// Appends where the documents of one sequence start, which begins at `start` of the batch.
void appendDocumentStarts(std::span<const std::int32_t> sequence, std::int32_t start, const JoinedDocuments& joined,
                          std::vector<std::int32_t>& starts) {
  starts.push_back(start);
  // Some tokenizers have one token for both.
  for (std::size_t i = 1; i + 1 < sequence.size(); ++i)
    if (sequence[i] == joined.sep && sequence[i + 1] == joined.cls)
      starts.push_back(start + static_cast<std::int32_t>(i + 1));
}

}  // namespace

MicroBatch buildMicroBatch(const TokenDataset& dataset, std::span<const std::int64_t> sampleIds,
                           std::int64_t firstIndexInStep, const MaskingKey& key, const MaskSpec& spec) {
  std::vector<std::int32_t> places(sampleIds.size());
  std::iota(places.begin(), places.end(), static_cast<std::int32_t>(firstIndexInStep));
  return buildMicroBatch(dataset, sampleIds, places, key, spec);
}

MicroBatch buildMicroBatch(const TokenDataset& dataset, std::span<const std::int64_t> sampleIds,
                           std::span<const std::int32_t> indicesInStep, const MaskingKey& key, const MaskSpec& spec) {
  assert(sampleIds.size() == indicesInStep.size());
  MicroBatch batch;
  batch.indicesInStep.assign(indicesInStep.begin(), indicesInStep.end());
  if (!indicesInStep.empty()) batch.firstIndexInStep = indicesInStep.front();
  batch.sampleIds.assign(sampleIds.begin(), sampleIds.end());
  batch.sequenceStarts.reserve(sampleIds.size() + 1);
  batch.sequenceStarts.push_back(0);
  const bool separated = spec.joined && !spec.joined->attentionAcross;
  for (const std::int64_t sample : sampleIds) {
    assert(sample >= 0 && sample < dataset.size());
    const std::int32_t start = batch.sequenceStarts.back();
    dataset.appendTokens(sample, batch.tokenIds);
    const std::span sequence = std::span(batch.tokenIds).subspan(static_cast<std::size_t>(start));
    if (separated) appendDocumentStarts(sequence, start, *spec.joined, batch.attentionStarts);
    const std::size_t predictedBefore = batch.predictedPositions.size();
    maskSequence(sequence, sample, key, spec, batch.predictedPositions, batch.labels);
    for (std::size_t i = predictedBefore; i < batch.predictedPositions.size(); ++i)
      batch.predictedPositions[i] += start;
    const auto end = static_cast<std::int32_t>(batch.tokenIds.size());
    batch.longest = std::max(batch.longest, end - start);
    batch.sequenceStarts.push_back(end);
  }
  if (separated) batch.attentionStarts.push_back(batch.sequenceStarts.back());
  return batch;
}

}  // namespace batchwise
