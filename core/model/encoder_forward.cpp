// SPDX-License-Identifier: GPL-3.0-or-later
#include <ATen/CPUGeneratorImpl.h>
#include <torch/torch.h>

#include <cmath>
#include <numeric>
#include <optional>

#include "core/base/random.h"
#include "core/model/device_batch.h"
#include "core/model/encoder_model.h"
#include "core/model/shape/training_cost.h"
#include "core/model/weights.h"

namespace batchwise {
namespace {

/// A forward pass of the encoder. Rows are the tokens of the batch; from the last layer's queries on, only predicted
/// tokens are computed.
class Encoder {
 public:
  Encoder(const EncoderWeights& weights, const ModelShape& shape, at::ScalarType type, const DeviceBatch& batch,
          const ForwardOptions& options)
      : weights_(weights), shape_(shape), traits_(shape.traits()), type_(type), batch_(batch), options_(options) {}

  /// Returns the normalized rows of the predicted tokens, [predicted, hidden].
  at::Tensor run();
  /// Enables recomputation: layers except the last save only their inputs. `weights` must be those of the constructor;
  /// shared until the backward pass.
  void recomputeWith(std::shared_ptr<const EncoderWeights> weights) { recomputeWeights_ = std::move(weights); }
  /// Penalty of attention_logit_l2; undefined if there is none.
  at::Tensor penalty;
  /// Largest log-sum-exp of attention logits over all layers; undefined unless measured.
  at::Tensor largestLogit;

 private:
  /// Residual stream and its normalized form. With norm: post they are equal, yet two outputs of the norm (see
  /// AddNormOutput): each is used once.
  struct Stream {
    at::Tensor residual;
    at::Tensor normed;
    at::Tensor rowKeys;
  };

  struct LayerRecompute;
  struct RecomputedLayer;

  at::Tensor positionRows() const;
  Stream embeddings() const;
  Stream recomputedLayer(const Stream& in, std::int64_t index, const NormWeights& nextNorm);
  void addPenalty(const at::Tensor& more);
  void updateLargestLogit(const at::Tensor& logit);
  Stream layer(const Stream& in, std::int64_t index, const NormWeights& nextNorm, bool last);
  at::Tensor attend(Stream& in, std::int64_t index, bool last);
  bool needsAllQueries(std::int64_t index) const;
  AttentionPlan attentionPlan(std::int64_t index, bool predictedOnly) const;
  RotaryPlan rotaryPlan(std::int64_t index, bool predictedOnly) const;
  std::vector<float> penaltyWeights(std::int64_t window) const;
  at::Tensor feedForward(const at::Tensor& input, const LayerWeights& w) const;
  Stream add(const at::Tensor& input, const at::Tensor& bias, const Stream& in, const NormWeights& norm,
             std::int64_t index, DropoutSite site) const;
  NormOptions normOptions(std::int64_t index, DropoutSite site) const;
  void selectPredicted(Stream& stream) const;
  bool pre() const { return shape_.norm == NormPlacement::Pre; }

  const EncoderWeights& weights_;
  const ModelShape& shape_;
  const FamilyTraits& traits_;
  at::ScalarType type_;
  const DeviceBatch& batch_;
  const ForwardOptions& options_;
  std::int64_t kept_ = 0;
  std::shared_ptr<const EncoderWeights> recomputeWeights_;  // null: no recomputation
};

/// Copies of everything that a layer depends on besides its input, because the backward pass may outlive the encoder.
struct Encoder::LayerRecompute {
  std::shared_ptr<const EncoderWeights> weights;
  ModelShape shape;
  at::ScalarType type;
  DeviceBatch batch;
  ForwardOptions options;
  std::int64_t kept;
  std::int64_t index;
  const NormWeights* nextNorm;  // in weights

  struct Out {
    Stream stream;
    at::Tensor penalty, largestLogit;
    /// Outputs with gradients: residual, normed, penalty if defined.
    torch::autograd::variable_list differentiable() const {
      torch::autograd::variable_list all = {stream.residual, stream.normed};
      if (penalty.defined()) all.push_back(penalty);
      return all;
    }
  };
  Out run(const Stream& in) const {
    Encoder encoder(*weights, shape, type, batch, options);
    encoder.kept_ = kept;
    Out out;
    out.stream = encoder.layer(in, index, *nextNorm, /*last=*/false);
    out.penalty = encoder.penalty;
    out.largestLogit = encoder.largestLogit;
    return out;
  }
};

struct Encoder::RecomputedLayer : torch::autograd::Function<RecomputedLayer> {
  using Context = torch::autograd::AutogradContext;
  using Tensors = torch::autograd::variable_list;

  /// Returns differentiable(), then the largest logit if measured.
  static Tensors forward(Context* context, const at::Tensor& residual, const at::Tensor& normed,
                         const LayerRecompute& replay) {
    const LayerRecompute::Out out = replay.run({residual, normed, replay.batch.rowKeys});
    context->set_materialize_grads(false);
    context->save_for_backward({residual, normed});
    saveForBackward(context, replay);
    Tensors made = out.differentiable();
    if (out.largestLogit.defined()) {
      made.push_back(out.largestLogit);
      context->mark_non_differentiable({made.back()});
    }
    return made;
  }

  static Tensors backward(Context* context, Tensors outer) {
    const Tensors saved = context->get_saved_variables();
    const LayerRecompute& replay = savedForBackward<LayerRecompute>(context);
    const torch::AutoGradMode recording(true);
    const at::Tensor residual = saved[0].detach().requires_grad_(true);
    const at::Tensor normed = saved[1].detach().requires_grad_(true);
    const Tensors made = replay.run({residual, normed, replay.batch.rowKeys}).differentiable();
    Tensors roots, gradients;
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (!outer[i].defined()) continue;
      roots.push_back(made[i]);
      gradients.push_back(outer[i]);
    }
    torch::autograd::backward(roots, gradients);
    return {residual.grad(), normed.grad(), {}};
  }
};

NormOptions Encoder::normOptions(std::int64_t index, DropoutSite site) const {
  NormOptions options;
  options.eps = shape_.layerNormEps;
  options.training = options_.training;
  options.keepSum = pre();
  options.examples = options_.examples;
  options.centered = traits_.norm != NormKind::RmsNorm;
  const bool drops = !traits_.dropsAttentionOutputOnly || site == DropoutSite::AttentionOutput;
  if (options_.training && drops)
    options.dropout = makeDropout(options_.seed, options_.step, index, site, shape_.hiddenDropout);
  return options;
}

/// Returns the row of each token in the table of learned positions, [tokens].
at::Tensor Encoder::positionRows() const {
  if (traits_.firstPosition == 0) return batch_.positions;
  if (shape_.unplacedToken < 0) return batch_.positions + traits_.firstPosition;
  const at::Tensor placed = batch_.tokenIds.ne(shape_.unplacedToken).to(at::kLong);
  const at::Tensor before = placed.cumsum(0) - placed;  // placed tokens before each token, of all segments
  const at::Tensor starts = torch::arange(placed.size(0), placed.options()) - batch_.positions;
  const at::Tensor places = before - before.index_select(0, starts);
  return (places + 1) * placed + (traits_.firstPosition - 1);
}

Encoder::Stream Encoder::embeddings() const {
  EmbeddingWeights weights = weights_.embeddings;
  at::Tensor rows = positionRows();
  if (batch_.segmentTypes.defined()) {
    // The kernels add type 0 to every token: what differs in type 1 comes with a second table of positions.
    rows = rows + batch_.segmentTypes * weights.position.size(0);
    weights.position = at::cat({weights.position, weights.position + (weights.type[1] - weights.type[0])});
  }
  const at::Tensor x =
      embed(batch_.tokenIds, rows, batch_.rowKeys, weights, normOptions(-1, DropoutSite::Embeddings), type_);
  return {x, x, batch_.rowKeys};
}

/// The penalty covers all pairs of tokens; a window on a GPU needs the queries in their places.
bool Encoder::needsAllQueries(std::int64_t index) const {
  return (options_.training && shape_.attentionLogitL2 > 0) || (shape_.isLocal(index) && batch_.tokenIds.is_cuda());
}

RotaryPlan Encoder::rotaryPlan(std::int64_t index, bool predictedOnly) const {
  RotaryPlan plan;
  if (traits_.positions == PositionKind::Learned) return plan;
  const RotaryTable& table = shape_.isLocal(index) ? weights_.localRotary : weights_.globalRotary;
  plan.cosines = table.cosines;
  plan.sines = table.sines;
  plan.interleaved = traits_.positions == PositionKind::RotaryInterleaved;
  plan.keyPositions = batch_.positions;
  plan.queryPositions = predictedOnly ? batch_.positions.index_select(0, batch_.predictedPositions) : batch_.positions;
  return plan;
}

/// Weight of a sequence: its predicted tokens; within it, mean over layers, heads and pairs of tokens.
std::vector<float> Encoder::penaltyWeights(std::int64_t window) const {
  std::vector<float> weights;
  for (std::size_t s = 0; s + 1 < batch_.hostStarts->size(); ++s) {
    const double length = (*batch_.hostStarts)[s + 1] - (*batch_.hostStarts)[s];
    const double predicted = (*batch_.predictedStarts)[s + 1] - (*batch_.predictedStarts)[s];
    weights.push_back(static_cast<float>(shape_.attentionLogitL2 * predicted /
                                         (static_cast<double>(kept_ * shape_.heads) * attendedPairs(length, window))));
  }
  return weights;
}

AttentionPlan Encoder::attentionPlan(std::int64_t index, bool predictedOnly) const {
  AttentionPlan plan;
  plan.keyStarts = batch_.hostStarts;
  plan.keyStartsTensor = batch_.attentionStarts;
  plan.longestKey = batch_.longest;
  plan.queryStarts = predictedOnly ? batch_.predictedStarts : batch_.hostStarts;
  plan.queryStartsTensor = predictedOnly ? batch_.predictedStartsTensor : batch_.attentionStarts;
  if (predictedOnly) plan.queryPlaces = batch_.predictedPlaces;
  plan.longestQuery = predictedOnly ? batch_.maxPredicted : batch_.longest;
  plan.heads = shape_.heads;
  plan.keyValueHeads = shape_.keyValueHeads;
  plan.headSize = shape_.headSize();
  plan.scale = 1.0 / std::sqrt(static_cast<double>(plan.headSize));
  plan.window = shape_.isLocal(index) ? shape_.localAttention / 2 : -1;
  plan.rotary = rotaryPlan(index, predictedOnly);
  plan.measureLogits = options_.measureLogits;
  if (!options_.training) return plan;
  plan.dropoutProbability = shape_.attentionDropout;
  plan.firstIndexInStep = batch_.firstIndexInStep;
  plan.dropout =
      makeDropout(options_.seed, options_.step, index, DropoutSite::AttentionWeights, shape_.attentionDropout);
  if (shape_.attentionLogitL2 > 0) plan.logitPenalty = penaltyWeights(plan.window);
  return plan;
}

void Encoder::selectPredicted(Stream& stream) const {
  stream.residual = stream.residual.index_select(0, batch_.predictedPositions);
  stream.normed = pre() ? stream.normed.index_select(0, batch_.predictedPositions) : stream.residual;
  stream.rowKeys = stream.rowKeys.index_select(0, batch_.predictedPositions);
}

/// Self-attention including its output projection. In the last layer reduces `in` to the predicted tokens.
at::Tensor Encoder::attend(Stream& in, std::int64_t index, bool last) {
  const LayerWeights& w = weights_.layers[static_cast<std::size_t>(index)];
  const bool predictedOnly = last && !needsAllQueries(index);
  const std::int64_t h = shape_.hiddenSize, keys = 2 * shape_.keyValueSize();
  AttentionInput input;
  const Bias bias = predictedOnly ? rowsOf(w.queryKeyValueBias, h, keys) : w.queryKeyValueBias;
  if (predictedOnly) {
    input.packed = linear(in.normed, rowsOf(w.queryKeyValue, h, keys), constantBias(bias));
    selectPredicted(in);
    input.query = linear(in.normed, rowsOf(w.queryKeyValue, 0, h), rowsOf(w.queryKeyValueBias, 0, h));
  } else {
    input.packed = linear(in.normed, w.queryKeyValue, constantBias(bias));
  }
  AttentionPlan plan = attentionPlan(index, predictedOnly);
  plan.queryRowKeys = in.rowKeys;
  AttentionOutput out = attention(input, bias, plan, options_.training);
  addPenalty(out.penalty);
  updateLargestLogit(out.largestLogit);
  if (last && !predictedOnly) {
    selectPredicted(in);
    out.output = out.output.index_select(0, batch_.predictedPositions);
  }
  return linear(out.output, w.attentionOutput);
}

Encoder::Stream Encoder::add(const at::Tensor& input, const at::Tensor& bias, const Stream& in, const NormWeights& norm,
                             std::int64_t index, DropoutSite site) const {
  const auto out = addNorm(input, bias, in.residual, in.rowKeys, norm.gamma, norm.beta, normOptions(index, site));
  return {out.residual, out.output, in.rowKeys};
}

at::Tensor Encoder::feedForward(const at::Tensor& input, const LayerWeights& w) const {
  const at::Tensor inner = linear(input, w.intermediate);
  const at::Tensor activated = traits_.feedForward == FeedForward::Gated
                                   ? gatedActivation(inner, shape_.activation, options_.training)
                                   : biasActivation(inner, w.intermediateBias, shape_.activation, options_.training);
  return linear(activated, w.output);
}

/// One layer. With norm: post each half ends with its own norm; with norm: pre, with the norm at the start of the next
/// half, layer or head.
Encoder::Stream Encoder::layer(const Stream& in, std::int64_t index, const NormWeights& nextNorm, bool last) {
  const LayerWeights& w = weights_.layers[static_cast<std::size_t>(index)];
  Stream stream = in;
  const at::Tensor attended = attend(stream, index, last);
  stream = add(attended, w.attentionOutputBias, stream, pre() ? w.outputNorm : w.attentionNorm, index,
               DropoutSite::AttentionOutput);
  return add(feedForward(stream.normed, w), w.outputBias, stream, pre() ? nextNorm : w.outputNorm, index,
             DropoutSite::LayerOutput);
}

at::Tensor Encoder::run() {
  std::vector<std::int64_t> order;
  const auto kept = options_.training ? keptLayers(shape_, options_.seed, options_.step)
                                      : std::vector<bool>(static_cast<std::size_t>(shape_.layers), true);
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i]) order.push_back(static_cast<std::int64_t>(i));
  kept_ = static_cast<std::int64_t>(order.size());
  Stream stream = embeddings();
  const NormWeights& first = weights_.layers[static_cast<std::size_t>(order.front())].attentionNorm;
  if (pre() && first.gamma.defined()) {
    NormOptions options = normOptions(-1, DropoutSite::Embeddings);
    options.dropout = {};
    const auto out = addNorm(stream.residual, {}, {}, stream.rowKeys, first.gamma, first.beta, options);
    stream = {out.residual, out.output, stream.rowKeys};
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool last = i + 1 == order.size();
    const NormWeights& next =
        last ? weights_.finalNorm : weights_.layers[static_cast<std::size_t>(order[i + 1])].attentionNorm;
    stream = recomputeWeights_ && !last ? recomputedLayer(stream, order[i], next) : layer(stream, order[i], next, last);
  }
  return stream.normed;
}

Encoder::Stream Encoder::recomputedLayer(const Stream& in, std::int64_t index, const NormWeights& nextNorm) {
  const auto made = RecomputedLayer::apply(
      in.residual, in.normed,
      LayerRecompute{recomputeWeights_, shape_, type_, batch_, options_, kept_, index, &nextNorm});
  std::size_t next = 2;
  if (shape_.attentionLogitL2 > 0) addPenalty(made[next++]);
  if (options_.measureLogits) updateLargestLogit(made[next++]);
  return {made[0], made[1], in.rowKeys};
}

void Encoder::addPenalty(const at::Tensor& more) {
  if (more.defined()) penalty = penalty.defined() ? penalty + more : more;
}

void Encoder::updateLargestLogit(const at::Tensor& logit) {
  if (logit.defined()) largestLogit = largestLogit.defined() ? at::maximum(largestLogit, logit) : logit;
}

/// MLM head up to the decoder (Devlin et al. 2019, appendix A.2): dense, activation, norm; or nothing.
at::Tensor applyTransform(const at::Tensor& rows, const EncoderWeights& w, const ModelShape& shape,
                          const DeviceBatch& batch, bool training, ExampleNorms* examples = nullptr) {
  const FamilyTraits& traits = shape.traits();
  if (traits.head == HeadKind::Decoder) return rows;
  const Activation activation = shape.family == ModelFamily::Bert ? shape.activation : Activation::Gelu;
  const at::Tensor inner = biasActivation(linear(rows, w.transform), w.transformBias, activation, training);
  NormOptions options;
  options.eps = shape.layerNormEps;
  options.centered = traits.norm != NormKind::RmsNorm;
  options.training = training;
  options.examples = examples;
  return addNorm(inner, {}, {}, batch.rowKeys, w.transformNorm.gamma, w.transformNorm.beta, options).output;
}

/// Draws on the host, number by number: a row per sequence or label is little, and every device drops the same.
at::Tensor dropped(const at::Tensor& rows, double probability, std::uint64_t key) {
  const at::Generator generator = at::detail::createCPUGenerator(key);
  at::Tensor kept = stagingTensor(rows.sizes(), at::kFloat, rows.device());
  kept.bernoulli_(1.0 - probability, generator).div_(1.0 - probability);
  return rows * kept.to(rows.device(), /*non_blocking=*/true);
}

std::optional<at::Tensor> optionalTensor(const at::Tensor& tensor) {
  return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

}  // namespace

std::vector<bool> keptLayers(const ModelShape& shape, std::uint64_t seed, std::int64_t step) {
  std::vector<bool> kept(static_cast<std::size_t>(shape.layers), true);
  if (shape.layerDrop <= 0) return kept;
  const std::uint64_t key =
      subKey(subKey(seed, 0x6C6179657264726FULL), static_cast<std::uint64_t>(step));  // "layerdro"
  std::size_t best = 0;
  for (std::size_t layer = 0; layer < kept.size(); ++layer) {
    kept[layer] = unitRandom(randomBits(key, layer)) >= shape.layerDrop;
    if (randomBits(key, layer) > randomBits(key, best)) best = layer;
  }
  kept[best] = true;  // always keep at least the layer with the largest random number
  return kept;
}

LossSums EncoderModel::forward(const DeviceBatch& batch, const ForwardOptions& options) {
  const auto scalars = at::TensorOptions().device(device_);
  LossSums sums;
  sums.predicted = batch.predicted();
  if (sums.predicted == 0) {
    sums.loss = at::zeros({}, scalars.dtype(at::kFloat));
    sums.correct = at::zeros({}, scalars.dtype(at::kLong));
    sums.objective = sums.loss;
    return sums;
  }
  growRotaryTables(batch.longest);
  const torch::AutoGradMode mode(options.training);
  Encoder encoder(*weights_, shape_, computeType(precision_), batch, options);
  if (recomputesLayers_ && options.training) encoder.recomputeWith(weights_);
  const at::Tensor rows = applyTransform(encoder.run(), *weights_, shape_, batch, options.training, options.examples);
  const TokenLoss found = decoderLoss(rows, weights_->decoder, weights_->decoderBias, batch.labels, options.training);
  sums.objective = encoder.penalty.defined() ? found.loss + encoder.penalty : found.loss;
  sums.loss = found.loss.detach();
  sums.largestLogit = encoder.largestLogit;
  sums.correct = found.correct;
  return sums;
}

at::Tensor EncoderModel::taskOutputs(const DeviceBatch& batch, const ForwardOptions& options) {
  growRotaryTables(batch.longest);
  const torch::AutoGradMode mode(options.training);
  Encoder encoder(*weights_, shape_, computeType(precision_), batch, options);
  if (recomputesLayers_ && options.training) encoder.recomputeWith(weights_);
  const TaskHeadTraits& head = shape_.traits().taskHead;
  const EncoderWeights& w = *weights_;
  const bool drops = options.training && shape_.hiddenDropout > 0;
  std::uint64_t key = subKey(subKey(options.seed, 0x7461736B68656164ULL), static_cast<std::uint64_t>(options.step));
  key = subKey(key, static_cast<std::uint64_t>(batch.firstIndexInStep));  // "taskhead", step, pass
  at::Tensor rows = encoder.run().to(at::kFloat);
  if (shape_.taskHead == TaskHead::Sequence && shape_.poolsMean()) rows = meanOfSequences(rows, batch);
  if (w.transform.parts[0].defined()) {
    if (drops && head.dropsPooled) rows = dropped(rows, shape_.hiddenDropout, subKey(key, 0));
    rows = at::linear(rows, w.transform.parts[0], optionalTensor(w.transformBias));
    rows = head.tanh ? rows.tanh() : at::gelu(rows);
    if (w.transformNorm.gamma.defined())
      rows = at::layer_norm(rows, {shape_.hiddenSize}, w.transformNorm.gamma, optionalTensor(w.transformNorm.beta),
                            shape_.layerNormEps);
  }
  if (drops && head.drops) rows = dropped(rows, shape_.hiddenDropout, subKey(key, 1));
  return at::linear(rows, w.classifier, w.classifierBias);
}

at::Tensor meanOfSequences(const at::Tensor& rows, const DeviceBatch& batch) {
  return at::segment_reduce(rows, "mean", {}, {}, batch.predictedStartsTensor.to(at::kLong), 0, /*unsafe=*/true);
}

std::vector<std::int32_t> pooledPlaces(const ModelShape& shape, std::int32_t length) {
  std::vector<std::int32_t> places(shape.poolsMean() ? static_cast<std::size_t>(length) : 1);
  std::iota(places.begin(), places.end(), 0);
  return places;
}

void EncoderModel::backward(const LossSums& sums, double scale, const at::Tensor& lossScale) {
  if (sums.predicted == 0) return;
  at::Tensor factor = at::full_like(sums.loss, scale);
  if (lossScale.defined()) factor.mul_(lossScale.squeeze());
  torch::autograd::backward({sums.objective}, {factor});
}

at::Tensor EncoderModel::predictedRows(const DeviceBatch& batch) {
  growRotaryTables(batch.longest);
  ForwardOptions options;
  options.training = false;
  return Encoder(*weights_, shape_, computeType(precision_), batch, options).run();
}

at::Tensor EncoderModel::hidden(const DeviceBatch& batch) {
  const torch::NoGradGuard noGrad;
  return predictedRows(batch).to(at::kFloat);
}

at::Tensor EncoderModel::logits(const DeviceBatch& batch) {
  const torch::NoGradGuard noGrad;
  const at::Tensor rows = applyTransform(predictedRows(batch), *weights_, shape_, batch, false);
  const at::Tensor logits = at::mm(rows, weights_->decoder.compute.t()).narrow(1, 0, shape_.vocabSize);
  return weights_->decoderBias.defined() ? logits.to(at::kFloat) + weights_->decoderBias : logits.to(at::kFloat);
}

}  // namespace batchwise
