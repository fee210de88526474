// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/gradient_parts.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/model/backend_check.h"
#include "tests/model/small_model.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

constexpr std::array<std::int32_t, 8> kLengths = {5, 31, 12, 12, 7, 40, 3, 22};

/// Sequences of `lengths`; the last but one predicts nothing if it is short.
MicroBatch sequencesOf(std::size_t first, std::size_t end) {
  MicroBatch batch;
  batch.sequenceStarts.push_back(0);
  for (std::size_t place = first; place < end; ++place) {
    for (std::int32_t i = 0; i < kLengths[place]; ++i) {
      const std::uint64_t drawn = 100 * place + static_cast<std::uint64_t>(i);
      if (i % 6 == 4) {
        batch.predictedPositions.push_back(static_cast<std::int32_t>(batch.tokenIds.size()));
        batch.labels.push_back(static_cast<std::int32_t>(boundedRandom(randomBits(2, drawn), test::kSmallVocabulary)));
      }
      batch.tokenIds.push_back(static_cast<std::int32_t>(boundedRandom(randomBits(1, drawn), test::kSmallVocabulary)));
    }
    batch.sequenceStarts.push_back(static_cast<std::int32_t>(batch.tokenIds.size()));
    batch.sampleIds.push_back(static_cast<std::int64_t>(place));
    batch.indicesInStep.push_back(static_cast<std::int32_t>(place));
    batch.longest = std::max(batch.longest, kLengths[place]);
  }
  return batch;
}

EncoderModel modelOf(const ModelShape& shape, Precision precision = Precision::Fp32) {
  return *test::checked(EncoderModel::create(shape, precision, at::kCPU, 5));
}

void zeroGradients(const EncoderModel& model) {
  for (const NamedTensor& named : model.parameters()) at::Tensor(named.tensor).mutable_grad().zero_();
}

void pass(EncoderModel& model, const MicroBatch& batch, double scale, ExampleNorms* examples = nullptr) {
  const LossSums sums =
      model.forward(toDevice(batch, at::kCPU), {3, 0, /*training=*/true, /*measureLogits=*/false, examples});
  model.backward(sums, scale);
}

double squaredNorm(const std::vector<at::Tensor>& parameters) {
  double sum = 0;
  for (const at::Tensor& parameter : parameters) sum += parameter.grad().to(at::kDouble).square().sum().item<double>();
  return sum;
}

std::vector<at::Tensor> allOf(const EncoderModel& model) {
  std::vector<at::Tensor> all;
  for (const NamedTensor& named : model.parameters()) all.push_back(named.tensor);
  return all;
}

// The norms of single samples in one pass, against a backward pass for each.
TEST(GradientPartsTest, NormsOfExamplesAreThoseOfAPassForEach) {
  for (const ModelFamily family : test::kFamilies) {
    for (const bool recomputes : {false, true}) {
      ModelShape shape = test::smallShape(family);
      shape.maxPositions = 48;
      shape.hiddenDropout = family == ModelFamily::Bert ? 0.1 : 0;
      EncoderModel model = modelOf(shape);
      model.recomputeLayers(recomputes);
      const MicroBatch all = sequencesOf(0, kLengths.size());
      ExampleNorms examples;
      examples.begin(all, at::kCPU);
      pass(model, all, 0.25, &examples);
      const at::Tensor found = examples.normSquared().clone();
      ASSERT_EQ(found.size(0), std::ssize(kLengths));
      for (std::size_t i = 0; i < kLengths.size(); ++i) {
        zeroGradients(model);
        const MicroBatch one = sequencesOf(i, i + 1);
        EXPECT_EQ(examples.predicted()[static_cast<std::int64_t>(i)].item<double>(),
                  static_cast<double>(one.predicted()));
        if (one.predicted() > 0) pass(model, one, 0.25);
        const double expected = squaredNorm(model.measuredNorms());
        EXPECT_NEAR(found[static_cast<std::int64_t>(i)].item<double>(), expected, 1e-4 * expected)
            << choiceName(family) << " " << i << " " << recomputes;
      }
    }
  }
}

TEST(GradientPartsTest, MeasuringExamplesChangesNoGradient) {
  EncoderModel plain = modelOf(test::smallShape()), measured = modelOf(test::smallShape());
  const MicroBatch all = sequencesOf(0, kLengths.size());
  pass(plain, all, 0.25);
  GradientParts parts(measured, GradientParts::Of::Samples);
  pass(measured, all, 0.25, parts.startPass(all));
  for (std::size_t i = 0; i < plain.parameters().size(); ++i)
    EXPECT_TRUE(torch::equal(plain.parameters()[i].tensor.grad(), measured.parameters()[i].tensor.grad()));
}

TEST(GradientPartsTest, BrainFloatsGiveAboutTheSameNorms) {
  const MicroBatch all = sequencesOf(0, kLengths.size());
  at::Tensor norms[2];
  for (const Precision precision : {Precision::Fp32, Precision::Bf16}) {
    EncoderModel model = modelOf(test::smallShape(), precision);
    ExampleNorms examples;
    examples.begin(all, at::kCPU);
    pass(model, all, 1, &examples);
    norms[precision == Precision::Fp32 ? 0 : 1] = examples.normSquared().clone();
  }
  EXPECT_TRUE(torch::allclose(norms[0], norms[1], 0.1, 1e-6)) << norms[0] << norms[1];
}

TEST(GradientPartsTest, WhatLibTorchAddsUpOnAGpuIsWhatAProcessorAddsUp) {
  constexpr std::int64_t kWidth = 24;
  const MicroBatch all = sequencesOf(0, kLengths.size());
  for (const auto type : {at::kFloat, at::kBFloat16})
    for (const bool ofPredicted : {false, true})
      for (const bool hasBeta : {false, true})
        for (const bool hasSecond : {false, true}) {
          std::vector<std::int64_t> starts = {0};
          for (std::size_t i = 0; i < kLengths.size(); ++i)
            starts.push_back(starts[i] + (ofPredicted ? sequencesOf(i, i + 1).predicted() : kLengths[i]));
          const std::int64_t rows = ofPredicted ? all.predicted() : all.tokens();
          NormOutputGradients gradients;
          gradients.output = torch::randn({rows, kWidth}).to(type);
          if (hasSecond) gradients.second = torch::randn({rows, kWidth}).to(type);
          NormResult result;
          result.sum = torch::randn({rows, kWidth}).to(type);
          result.mean = torch::randn({rows});
          result.rstd = torch::rand({rows}) + 0.5;
          ExampleNorms examples;
          examples.begin(all, at::kCPU);
          examples.add(gradients, result, hasBeta);
          const at::Tensor found = atenBackend().sequenceNorms(gradients, result, torch::tensor(starts), hasBeta);
          EXPECT_TRUE(torch::allclose(found, examples.normSquared(), 1e-4, 1e-6))
              << type << ofPredicted << hasBeta << hasSecond << found << examples.normSquared();
        }
}

// Parts weigh by their predicted tokens, and each is the mean over its own.
TEST(GradientPartsTest, MicrobatchesWeighByTheirPredictedTokens) {
  EncoderModel model = modelOf(test::smallShape());
  GradientParts parts(model, GradientParts::Of::Microbatches);
  const MicroBatch one = sequencesOf(0, 3), other = sequencesOf(3, 8);
  const std::int64_t predicted = one.predicted() + other.predicted();
  for (int round = 0; round < 2; ++round) {
    zeroGradients(model);
    parts.startStep();
    double expected = 0;
    for (const MicroBatch& batch : {one, other}) {
      EncoderModel alone = modelOf(test::smallShape());
      pass(alone, batch, 1.0 / static_cast<double>(batch.predicted()));
      expected += squaredNorm(allOf(alone)) * static_cast<double>(batch.predicted()) / static_cast<double>(predicted);
      parts.startPass(batch);
      pass(model, batch, 1.0 / static_cast<double>(predicted));
      parts.endPass(batch, predicted);
    }
    EXPECT_NEAR(parts.sum().item<double>(), expected, 1e-4 * expected);
  }
  EXPECT_FALSE(parts.wholeNormSquared().defined());
}

TEST(GradientPartsTest, ExamplesWeighByTheirPredictedTokensOverPasses) {
  EncoderModel model = modelOf(test::smallShape());
  GradientParts parts(model, GradientParts::Of::Samples);
  const MicroBatch one = sequencesOf(0, 3), other = sequencesOf(3, 8);
  const std::int64_t predicted = one.predicted() + other.predicted();
  parts.startStep();
  for (const MicroBatch& batch : {one, other}) {
    pass(model, batch, 1.0 / static_cast<double>(predicted), parts.startPass(batch));
    parts.endPass(batch, predicted);
  }
  EXPECT_NEAR(parts.wholeNormSquared().item<double>(), squaredNorm(model.measuredNorms()), 1e-9);
  double expected = 0;
  for (std::size_t i = 0; i < kLengths.size(); ++i) {
    const MicroBatch alone = sequencesOf(i, i + 1);
    if (alone.predicted() == 0) continue;
    zeroGradients(model);
    pass(model, alone, 1.0 / static_cast<double>(alone.predicted()));
    expected +=
        squaredNorm(model.measuredNorms()) * static_cast<double>(alone.predicted()) / static_cast<double>(predicted);
  }
  EXPECT_NEAR(parts.sum().item<double>(), expected, 1e-4 * expected);
}

}  // namespace
}  // namespace batchwise
