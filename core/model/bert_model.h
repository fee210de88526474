// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/hugging_face.h"
#include "core/exchange/model_shape.h"
#include "core/model/device_batch.h"
#include "core/precision/precision.h"

namespace batchwise {

/// A tensor under the name it has in a Hugging Face BertForMaskedLM state dictionary.
struct NamedTensor {
  std::string name;
  at::Tensor tensor;
};

/// What a forward pass depends on besides weights and batch. Dropout and LayerDrop are pure functions of it.
struct ForwardOptions {
  std::uint64_t seed = 0;
  std::int64_t step = 0;  ///< optimiser steps done before this one
  bool training = true;   ///< dropout, LayerDrop and a graph for the gradient; false: neither
  bool measureLogits = false;
};

/// Sums over the predicted tokens of one micro-batch, on the device: reading one makes the host wait.
struct LossSums {
  at::Tensor loss;     ///< [], fp32: sum of cross-entropies in nats, detached
  at::Tensor correct;  ///< [], int64: predicted tokens whose most likely token is the right one
  std::int64_t predicted = 0;
  at::Tensor largestLogit;  ///< [], fp32: see AttentionOutput; undefined without measureLogits
  at::Tensor objective;     ///< [], fp32, with graph when training: loss and penalties, to be divided by a token count
};

struct BertWeights;

/// Fails with Config if attention on `device` cannot take heads of this shape's size in this precision: on a GPU
/// memory-efficient attention (fp32, tf32) wants a multiple of 4, flash attention (bf16, fp16) one of 8, at most 256.
Result<void> checkHeadSize(const ModelShape& shape, Precision precision, at::Device device);

/// BERT with its masked-language-model head (Devlin et al. 2019), on one device, unpadded throughout. Weights are fp32;
/// the computation is in `precision`. One thread at a time, but any number of models in parallel.
class BertModel {
 public:
  /// Fresh weights: normal(0, initializerRange) for matrices, 1 and 0 for norms and biases, each tensor a pure function
  /// of (seed, its name). Fails with Config (see checkHeadSize), OutOfMemory or Device.
  static Result<BertModel> create(const ModelShape& shape, Precision precision, at::Device device, std::uint64_t seed);

  const ModelShape& shape() const { return shape_; }
  at::Device device() const { return device_; }
  Precision precision() const { return precision_; }

  /// The trainable tensors, fp32 leaves, always in the same order. A tied decoder is the word embedding and not listed
  /// again. Their .grad() is allocated and zero from the start; keep it so (zero in place).
  const std::vector<NamedTensor>& parameters() const { return parameters_; }
  /// Weights that came with the folder and are only handed on at export, on the host.
  const std::vector<NamedTensor>& extras() const { return extras_; }

  /// Puts weights by name in place of the present ones; tensors of the head that are missing stay as they are. Fails
  /// with Config (naming the tensor) if one of the encoder is missing or a shape differs.
  Result<void> load(const HuggingFaceModel& source);
  /// Everything an export or a checkpoint holds: parameters, then extras. The tensors share the model's memory.
  std::vector<NamedTensor> stateTensors() const;
  /// Sets one tensor of stateTensors(), or adds an extra. Fails with Config if the shape differs.
  Result<void> setTensor(const std::string& name, const at::Tensor& value);

  /// To be called whenever parameters were changed (after each optimiser step, load): renews the copies in the
  /// precision of the computation. Does nothing in fp32.
  void parametersChanged();

  /// Sum of losses over the predicted tokens of `batch`. When training, `objective` carries the graph. Never waits for
  /// the device. Throws what LibTorch throws (c10::OutOfMemoryError, c10::Error): the step turns it into an Error.
  LossSums forward(const DeviceBatch& batch, const ForwardOptions& options);

  /// Adds the gradient of `sums.objective * scale` to the parameters' .grad(). scale: 1 / predicted tokens of the step.
  /// lossScale: a further factor, [1], fp32, on the device; undefined: 1.
  void backward(const LossSums& sums, double scale, const at::Tensor& lossScale = {});

  /// With true, a training pass keeps only what goes into each layer and computes the rest of it again in the backward
  /// pass (Chen et al. 2016): the same bits, less memory, about a third more time.
  void recomputeLayers(bool recompute) { recomputesLayers_ = recompute; }

  /// Logits of the predicted positions, [predicted, vocabulary], fp32, no graph: for trying a model out.
  at::Tensor logits(const DeviceBatch& batch);

 private:
  BertModel(ModelShape shape, Precision precision, at::Device device);
  void allocate();
  void initialise(std::uint64_t seed);

  ModelShape shape_;
  Precision precision_;
  at::Device device_;
  std::vector<NamedTensor> parameters_;
  std::vector<NamedTensor> extras_;
  std::shared_ptr<BertWeights> weights_;  // the parameters by their place in the computation
  bool recomputesLayers_ = false;
};

/// The layers that LayerDrop (Fan et al. 2019) keeps at this step: the same on every device. All of them if the
/// probability is 0; at least one always.
std::vector<bool> keptLayers(const ModelShape& shape, std::uint64_t seed, std::int64_t step);

/// True for tensors that weight decay leaves alone: biases and LayerNorm weights.
bool isUndecayed(const std::string& parameterName);

}  // namespace batchwise
