// SPDX-License-Identifier: GPL-3.0-or-later
// The families against figures of Hugging Face transformers, and what their attention may see.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "core/model/backend.h"
#include "tests/model/small_model.h"
#include "tests/support/checked.h"

namespace batchwise {
namespace {

constexpr std::int32_t kMask = 3;

ModelShape referenceShape(ModelFamily family) {
  ModelShape shape = test::smallShape(family);
  shape.vocabSize = 128;
  shape.hiddenSize = 64;
  shape.heads = shape.keyValueHeads = 4;
  shape.intermediateSize = 96;
  shape.maxPositions = 64;
  if (family == ModelFamily::Roberta) shape.typeVocabSize = 1;
  if (family == ModelFamily::EuroBert) {
    shape.keyValueHeads = 2;
    shape.ropeTheta = 250'000;
  }
  if (family == ModelFamily::ModernBert) {
    shape.globalAttentionEvery = 3;
    shape.localAttention = 8;
    shape.ropeTheta = 160'000;
    shape.localRopeTheta = 10'000;
  }
  return shape;
}

bool isNorm(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.find("norm") != std::string::npos && name.ends_with("weight");
}

/// Weights that any library can make: sines, numbered by sorted names.
EncoderModel referenceModel(const ModelShape& shape) {
  auto model = test::checked(EncoderModel::create(shape, Precision::Fp32, at::kCPU, 5));
  std::map<std::string, at::Tensor> sorted;
  for (const auto& [name, tensor] : model->parameters()) sorted[name] = tensor;
  const torch::NoGradGuard noGrad;
  double k = 0;
  for (auto& [name, tensor] : sorted) {
    const at::Tensor sine = at::sin(at::arange(tensor.numel(), at::kDouble) * 0.37 + k++).view(tensor.sizes());
    tensor.copy_(isNorm(name) ? 1 + 0.1 * sine : 0.2 * sine);
  }
  model->parametersChanged();
  return std::move(*model);
}

MicroBatch referenceBatch() {
  MicroBatch batch;
  for (std::int32_t t = 0; t < 24; ++t) {
    const std::int32_t id = 7 * t % 120 + 4;
    const bool predicted = t % 5 == 3;
    batch.tokenIds.push_back(predicted ? kMask : id);
    if (!predicted) continue;
    batch.predictedPositions.push_back(t);
    batch.labels.push_back(id);
  }
  batch.sequenceStarts = {0, 24};
  batch.sampleIds = {0};
  batch.indicesInStep = {0};
  batch.longest = 24;
  return batch;
}

struct Figures {
  double loss, logit, gradientNorm;
};

Figures figuresOf(const ModelShape& shape) {
  EncoderModel model = referenceModel(shape);
  const DeviceBatch batch = toDevice(referenceBatch(), at::kCPU);
  const LossSums sums = model.forward(batch, {1, 0, true});
  const double predicted = static_cast<double>(sums.predicted);
  model.backward(sums, 1.0 / predicted);
  double square = 0;
  for (const auto& [name, tensor] : model.parameters()) square += tensor.grad().square().sum().item<double>();
  return {sums.loss.item<double>() / predicted, model.logits(batch)[0][5].item<double>(), std::sqrt(square)};
}

struct Reference {
  ModelFamily family;
  Figures figures;  // of transformers 5.23 in fp64
};

class FamiliesTest : public testing::TestWithParam<Reference> {};
INSTANTIATE_TEST_SUITE_P(Families, FamiliesTest,
                         testing::Values(Reference{ModelFamily::Bert, {4.773951045, -0.262021976, 4.98962817}},
                                         Reference{ModelFamily::Roberta, {5.070652184, 1.253545902, 6.79740962}},
                                         Reference{ModelFamily::ModernBert, {4.960025787, 0.237725293, 4.01302970}},
                                         Reference{ModelFamily::EuroBert, {5.301741123, -0.590353945, 34.91006590}}),
                         [](const auto& each) { return std::string(choiceName(each.param.family)); });

TEST_P(FamiliesTest, ComputesWhatTransformersComputes) {
  const Figures expected = GetParam().figures;
  const Figures found = figuresOf(referenceShape(GetParam().family));
  EXPECT_NEAR(found.loss, expected.loss, 1e-5);
  EXPECT_NEAR(found.logit, expected.logit, 1e-5);
  EXPECT_NEAR(found.gradientNorm, expected.gradientNorm, 2e-5 * expected.gradientNorm);
}

struct NormUses {
  std::set<torch::autograd::Node*> norms;
  std::int64_t added = 0;  // gradients of an output of a norm that autograd adds to another one
};

NormUses normUsesOf(const at::Tensor& objective) {
  using torch::autograd::Node;
  NormUses found;
  std::set<std::pair<Node*, std::uint32_t>> used;
  std::set<Node*> seen;
  std::vector<Node*> open = {objective.grad_fn().get()};
  while (!open.empty()) {
    Node* const node = open.back();
    open.pop_back();
    if (!seen.insert(node).second) continue;
    if (node->name().find("AddNormFunction") != std::string::npos) found.norms.insert(node);
    for (const torch::autograd::Edge& edge : node->next_edges()) {
      if (!edge.is_valid()) continue;
      Node* const next = edge.function.get();
      const bool first = used.emplace(next, edge.input_nr).second;
      if (!first && next->name().find("AddNormFunction") != std::string::npos) ++found.added;
      open.push_back(next);
    }
  }
  return found;
}

TEST(ResidualTest, TheNormAddsTheGradientsOfItsUses) {
  for (const ModelFamily family : test::kFamilies) {
    const ModelShape shape = test::smallShape(family);
    auto model = test::checked(EncoderModel::create(shape, Precision::Fp32, at::kCPU, 5));
    const NormUses found = normUsesOf(model->forward(test::drawnBatch({0, 1}, 8, 4), {3, 7, true}).objective);
    EXPECT_GE(found.norms.size(), static_cast<std::size_t>(2 * shape.layers)) << choiceName(family);
    // In the last layer, with norm: pre, keys and the queries of predicted tokens are made of the same output.
    EXPECT_EQ(found.added, shape.norm == NormPlacement::Pre ? 1 : 0) << choiceName(family);
  }
}

// Losses of transformers with the same mistake made there.
TEST(ModernBertTest, EachChoiceOfModernBertChangesTheLossAsInTransformers) {
  const auto lossWith = [](const auto& change) {
    ModelShape shape = referenceShape(ModelFamily::ModernBert);
    change(shape);
    return figuresOf(shape).loss;
  };
  constexpr double kNoise = 2e-6;  // of fp32
  EXPECT_NEAR(lossWith([](ModelShape& shape) { shape.localAttention = 6; }), 4.959855556, kNoise);
  EXPECT_NEAR(lossWith([](ModelShape& shape) { shape.globalAttentionEvery = 1; }), 4.960310936, kNoise);
  EXPECT_NEAR(lossWith([](ModelShape& shape) { std::swap(shape.ropeTheta, shape.localRopeTheta); }), 4.957011700,
              kNoise);
}

TEST(WindowTest, AQueryAttendsToHalfAWindowOnEachSide) {
  // Queries and keys of zero attend equally to all keys they see: the log-sum-exp is the logarithm of their number.
  constexpr std::int64_t kTokens = 300;
  AttentionPlan plan;
  plan.keyStarts = plan.queryStarts = std::make_shared<const std::vector<std::int32_t>>(
      std::vector<std::int32_t>{0, static_cast<std::int32_t>(kTokens), static_cast<std::int32_t>(kTokens + 40)});
  plan.longestKey = plan.longestQuery = kTokens;
  plan.headSize = 4;
  for (const std::int64_t localAttention : {128, 7, 1}) {
    plan.window = localAttention / 2;
    const AttentionResult found = cpuBackend().attention({{}, at::zeros({kTokens + 40, 12})}, plan, /*training=*/false);
    const at::Tensor counts = found.logSum[0].exp();
    const auto expected = [&](std::int64_t place, std::int64_t length) {
      return static_cast<double>(std::min(place + plan.window, length - 1) -
                                 std::max<std::int64_t>(place - plan.window, 0) + 1);
    };
    for (std::int64_t i = 0; i < kTokens; ++i)
      ASSERT_NEAR(counts[i].item<double>(), expected(i, kTokens), 1e-3) << localAttention << " " << i;
    for (std::int64_t i = 0; i < 40; ++i)
      ASSERT_NEAR(counts[kTokens + i].item<double>(), expected(i, 40), 1e-3) << localAttention << " " << i;
  }
}

/// Documents of these lengths in one sequence, or each in a sequence of its own.
DeviceBatch documents(const std::vector<std::int32_t>& lengths, bool packed) {
  MicroBatch batch;
  std::vector<std::int32_t> starts = {0};
  for (const std::int32_t length : lengths) {
    for (std::int32_t i = 0; i < length; ++i) {
      const std::int32_t place = starts.back() + i;
      if (i % 4 == 1) {
        batch.predictedPositions.push_back(place);
        batch.labels.push_back(place * 7 % test::kSmallVocabulary);
      }
      batch.tokenIds.push_back(place * 5 % test::kSmallVocabulary);
    }
    starts.push_back(starts.back() + length);
  }
  batch.sequenceStarts = starts;
  batch.indicesInStep = {0, 1, 2, 3, 4};
  if (packed) {
    batch.sequenceStarts = {0, starts.back()};
    batch.attentionStarts = starts;
    batch.indicesInStep = {0};
  }
  batch.sampleIds.assign(batch.sequenceStarts.size() - 1, 0);
  batch.indicesInStep.resize(batch.sampleIds.size());
  batch.longest = starts.back();
  return toDevice(batch, at::kCPU);
}

class EncoderFamilyTest : public testing::TestWithParam<ModelFamily> {};
INSTANTIATE_TEST_SUITE_P(Families, EncoderFamilyTest, testing::ValuesIn(test::kFamilies),
                         [](const auto& each) { return std::string(choiceName(each.param)); });

TEST_P(EncoderFamilyTest, PackedDocumentsAreEachAsIfAlone) {
  auto model = test::checked(EncoderModel::create(test::smallShape(GetParam()), Precision::Fp32, at::kCPU, 5));
  const std::vector<std::int32_t> lengths = {9, 1, 20, 3};
  const at::Tensor together = model->logits(documents(lengths, true));
  EXPECT_TRUE(at::equal(together, model->logits(documents(lengths, false))));
  const at::Tensor first = model->logits(documents({9}, false));
  EXPECT_TRUE(at::allclose(together.narrow(0, 0, first.size(0)), first, 1e-5, 1e-6));
  const at::Tensor joined = model->logits(documents({33}, false));
  EXPECT_GT((joined.narrow(0, 0, first.size(0)) - first).abs().max().item<double>(), 1e-4);
}

TEST_P(EncoderFamilyTest, LongerSequencesThanTheTablesOfRotaryPositionsGrowThem) {
  if (traitsOf(GetParam()).positions == PositionKind::Learned) return;
  ModelShape shape = test::smallShape(GetParam());
  shape.maxPositions = 4096;
  auto model = test::checked(EncoderModel::create(shape, Precision::Fp32, at::kCPU, 5));
  const at::Tensor before = model->logits(documents({40}, false));
  EXPECT_TRUE(at::isfinite(model->logits(documents({700}, false))).all().item<bool>());
  EXPECT_TRUE(at::equal(model->logits(documents({40}, false)), before));
  model->setRopeThetas(shape.ropeTheta * 50, shape.localRopeTheta * 50);
  EXPECT_FALSE(at::equal(model->logits(documents({40}, false)), before));
}

}  // namespace
}  // namespace batchwise
