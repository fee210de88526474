// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/choices.h"
#include "core/model/device_batch.h"
#include "core/model/hugging_face/hugging_face.h"
#include "core/model/shape/tensor_names.h"

namespace batchwise {

/// A tensor with its name in the state dictionary of its family's masked language model (parameterTensors()).
struct NamedTensor {
  std::string name;
  at::Tensor tensor;
};

class ExampleNorms;

/// Options of a forward pass. Dropout and LayerDrop are deterministic in seed and step.
struct ForwardOptions {
  std::uint64_t seed = 0;
  std::int64_t step = 0;  ///< number of preceding optimizer steps
  bool training = true;   ///< enables dropout, LayerDrop and the autograd graph
  bool measureLogits = false;
  ExampleNorms* examples = nullptr;  ///< measures in the backward pass of this one; null: nothing does
};

/// Sums over the predicted tokens of one micro-batch, on the device; reading them synchronizes.
struct LossSums {
  at::Tensor loss;     ///< [], fp32: sum of cross-entropies in nats, detached
  at::Tensor correct;  ///< [], int64: predicted tokens whose argmax is the label
  std::int64_t predicted = 0;
  at::Tensor largestLogit;  ///< [], fp32: see AttentionOutput; undefined without measureLogits
  at::Tensor objective;     ///< [], fp32, with graph when training: sum of loss and penalties
};

struct EncoderWeights;

/// Returns the element type of activations.
at::ScalarType computeType(Precision precision);
/// Sets the precision of fp32 matrix products on all GPUs of the process; the CPU is not affected.
void setMatmulPrecision(Precision precision);

/// Checks that attention on `device` supports the head size in this precision. GPU: a multiple of 4 for
/// memory-efficient attention (fp32, tf32), of 8 and at most 256 for flash attention (bf16, fp16). Fails with Config.
Result<void> checkHeadSize(const ModelShape& shape, Precision precision, at::Device device);

/// An encoder with masked-language-model head (Devlin et al. 2019), or that of a task, of any family
/// (core/model/shape/model_shape.h) on one device, computing on unpadded sequences. Weights are fp32, computation is in
/// `precision`. Not thread-safe; different models may be used in parallel.
///
/// Every row of the word embeddings learns, also that of a padding token, which transformers leaves out. Hidden dropout
/// of modernbert applies to the attention output only, as in its training code.
class EncoderModel {
 public:
  /// Creates a model with random weights: matrices as InitKind of the family, 1 and 0 for norm weights and biases; each
  /// tensor is deterministic in (seed, name). Fails with Config (see checkHeadSize()), OutOfMemory or
  /// Device.
  static Result<EncoderModel> create(const ModelShape& shape, Precision precision, at::Device device,
                                     std::uint64_t seed);

  const ModelShape& shape() const { return shape_; }
  at::Device device() const { return device_; }

  /// Trainable tensors: fp32 leaves in a fixed order, without a tied decoder. Their .grad() is always allocated; zero
  /// it in place.
  const std::vector<NamedTensor>& parameters() const { return parameters_; }

  /// Replaces weights by name; missing tensors of the head are left unchanged. Fails with Config, naming the tensor, if
  /// an encoder tensor is missing or a shape differs.
  Result<void> load(const HuggingFaceModel& source);
  /// Returns parameters, then extras (unused weights of the source folder, on the host), for export and checkpoints.
  /// Shares memory with the model.
  std::vector<NamedTensor> stateTensors() const;
  /// Sets a tensor of stateTensors(), or adds an extra. Fails with Config if the shape differs.
  Result<void> setTensor(const std::string& name, const at::Tensor& value);

  /// Sets the bases of rotary positions from the next pass on; they have no weights. Requires a family with them.
  void setRopeThetas(double global, double local);

  /// Updates the low-precision copies. Call after each change of parameters (optimizer step, load). No-op in fp32.
  void parametersChanged();

  /// Computes the sum of losses over the predicted tokens. When training, `objective` carries the graph. Does not
  /// synchronize with the device. Throws c10::OutOfMemoryError and c10::Error.
  LossSums forward(const DeviceBatch& batch, const ForwardOptions& options);

  /// Returns the outputs of a task head, fp32, with graph when training: [sequences, outputs] of TaskHead::Sequence,
  /// for a batch that predicts the tokens of pooledPlaces(); [predicted, outputs] of TaskHead::Tokens. Throws like
  /// forward().
  at::Tensor taskOutputs(const DeviceBatch& batch, const ForwardOptions& options);

  /// Returns the weights and biases of the norm layers that ExampleNorms measures: all but that of the embeddings.
  std::vector<at::Tensor> measuredNorms() const;

  /// Adds the gradient of `sums.objective * scale * lossScale` to .grad(). scale: 1 / predicted tokens of the step;
  /// lossScale: [1], fp32, on the device; undefined: 1.
  void backward(const LossSums& sums, double scale, const at::Tensor& lossScale = {});

  /// Enables activation checkpointing per layer (Chen et al. 2016): the same bits with less memory and about a third
  /// more time.
  void recomputeLayers(bool recompute) { recomputesLayers_ = recompute; }

  /// Returns logits of the predicted positions, [predicted, vocabulary], fp32, without graph; for fill-mask.
  at::Tensor logits(const DeviceBatch& batch);

  /// Returns the last hidden states of the predicted positions, [predicted, hidden], fp32, without graph or dropout.
  at::Tensor hidden(const DeviceBatch& batch);

 private:
  at::Tensor predictedRows(const DeviceBatch& batch);
  EncoderModel(ModelShape shape, Precision precision, at::Device device);
  void allocate();
  void initialize(std::uint64_t seed);
  void growRotaryTables(std::int64_t longest);

  ModelShape shape_;
  Precision precision_;
  at::Device device_;
  std::vector<NamedTensor> parameters_;
  std::vector<NamedTensor> extras_;
  std::shared_ptr<EncoderWeights> weights_;  // the parameters by role
  bool recomputesLayers_ = false;
};

/// Returns the means of `rows`, of the predicted tokens, [predicted, width], over each sequence, [sequences, width].
/// Each must have some. The order of the sums is fixed.
at::Tensor meanOfSequences(const at::Tensor& rows, const DeviceBatch& batch);

/// Returns the places in a sequence of `length` tokens that TaskHead::Sequence reads: the first, or all.
std::vector<std::int32_t> pooledPlaces(const ModelShape& shape, std::int32_t length);

/// Returns which layers LayerDrop (Fan et al. 2019) keeps at this step: equal on every device, at least one.
std::vector<bool> keptLayers(const ModelShape& shape, std::uint64_t seed, std::int64_t step);

/// Returns whether a parameter is excluded from weight decay: biases and norm weights, which are named "…norm.weight"
/// in all families.
bool isUndecayed(const std::string& parameterName);

}  // namespace batchwise
