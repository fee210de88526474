// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/bert_model.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "core/base/hash.h"
#include "core/base/integer_math.h"
#include "core/base/random.h"
#include "core/model/messages.h"
#include "core/model/parallel.h"
#include "core/model/weights.h"

namespace batchwise {
namespace {

using Shape = std::vector<std::int64_t>;

std::string shapeText(c10::IntArrayRef shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

/// Returns standard normal numbers 2 * pair and 2 * pair + 1 of `key` (Box and Muller 1958).
std::pair<double, double> normalPair(std::uint64_t key, std::uint64_t pair) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - unitRandom(randomBits(key, 2 * pair))));
  const double angle = 2.0 * std::numbers::pi * unitRandom(randomBits(key, 2 * pair + 1));
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

at::Tensor normalTensor(const at::Tensor& like, std::uint64_t seed, const std::string& name, double deviation) {
  const std::uint64_t key = subKey(subKey(seed, 0x77656967687473ULL), hash128(name).low);  // "weights"
  at::Tensor host = at::empty(like.sizes(), at::TensorOptions().dtype(at::kFloat));
  float* values = host.mutable_data_ptr<float>();
  const std::int64_t count = host.numel();
  parallelFor((count + 1) / 2, 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t pair = begin; pair < end; ++pair) {
      const auto [first, second] = normalPair(key, static_cast<std::uint64_t>(pair));
      values[2 * pair] = static_cast<float>(first * deviation);
      if (2 * pair + 1 < count) values[2 * pair + 1] = static_cast<float>(second * deviation);
    }
  });
  return host;
}

bool isNormWeight(const std::string& name) {
  return name.ends_with("LayerNorm.weight");
}

/// Allocates the parameters and their gradients, in the order of the state dictionary.
class Allocator {
 public:
  Allocator(std::vector<NamedTensor>& parameters, at::Device device, Precision precision)
      : parameters_(parameters),
        options_(at::TensorOptions().dtype(at::kFloat).device(device)),
        precision_(precision) {}

  at::Tensor add(const std::string& name, const Shape& shape) { return adopt(name, at::zeros(shape, options_)); }

  NormWeights addNorm(const std::string& name, std::int64_t width) {
    return {add(name + ".weight", {width}), add(name + ".bias", {width})};
  }

  Matrix addMatrix(const std::string& name, std::int64_t outputs, std::int64_t inputs) {
    return addMatrix(name, outputs, inputs, outputs);
  }
  /// With `rows` in the compute copy; rows beyond `outputs` are zero.
  Matrix addMatrix(const std::string& name, std::int64_t outputs, std::int64_t inputs, std::int64_t rows) {
    Matrix matrix;
    matrix.parts[0] = add(name, {outputs, inputs});
    matrix.compute = computeCopy(matrix.parts[0].detach(), rows);
    return matrix;
  }
  Matrix addDecoder(const std::string& name, std::int64_t vocabulary, std::int64_t inputs) {
    return addMatrix(name, vocabulary, inputs, decoderRows(vocabulary, computeType(precision_), options_.device()));
  }

  /// Adds query, key and value as views of `whole`.
  void addParts(const std::string& prefix, const std::string& suffix, const at::Tensor& whole, at::Tensor (&parts)[3]) {
    const std::int64_t rows = whole.size(0) / 3;
    const char* const names[] = {"query", "key", "value"};
    for (std::int64_t i = 0; i < 3; ++i)
      parts[i] = adopt(prefix + names[i] + suffix, whole.narrow(0, i * rows, rows).detach());
  }

  at::Tensor zeros(const Shape& shape) { return at::zeros(shape, options_); }

  at::Tensor computeCopy(const at::Tensor& source) { return computeCopy(source, source.size(0)); }
  at::Tensor computeCopy(const at::Tensor& source, std::int64_t rows) {
    if (computeType(precision_) == at::kFloat) return source;
    Shape shape = source.sizes().vec();
    shape[0] = rows;
    at::Tensor copy = at::zeros(shape, source.options().dtype(computeType(precision_)));
    copies.push_back(copy.narrow(0, 0, source.size(0)));
    sources.push_back(source);
    return copy;
  }

  std::vector<at::Tensor> copies, sources;

 private:
  at::Tensor adopt(const std::string& name, at::Tensor tensor) {
    tensor.requires_grad_(true);
    tensor.mutable_grad() = at::zeros_like(tensor);
    parameters_.push_back({name, tensor});
    return tensor;
  }

  std::vector<NamedTensor>& parameters_;
  at::TensorOptions options_;
  Precision precision_;
};

LayerWeights makeLayer(Allocator& allocator, const ModelShape& shape, std::int64_t layer) {
  const std::string prefix = "bert.encoder.layer." + std::to_string(layer) + ".";
  const std::int64_t h = shape.hiddenSize;
  LayerWeights w;
  const at::Tensor weight = allocator.zeros({3 * h, h});
  const at::Tensor bias = allocator.zeros({3 * h});
  allocator.addParts(prefix + "attention.self.", ".weight", weight, w.queryKeyValue.parts);
  allocator.addParts(prefix + "attention.self.", ".bias", bias, w.queryKeyValueBias.parts);
  w.queryKeyValue.compute = allocator.computeCopy(weight);
  w.queryKeyValueBias.compute = allocator.computeCopy(bias);
  w.query = {{w.queryKeyValue.parts[0]}, w.queryKeyValue.compute.narrow(0, 0, h)};
  w.queryBias = {{w.queryKeyValueBias.parts[0]}, w.queryKeyValueBias.compute.narrow(0, 0, h)};
  w.keyValue = {{w.queryKeyValue.parts[1], w.queryKeyValue.parts[2]}, w.queryKeyValue.compute.narrow(0, h, 2 * h)};
  w.keyValueBias = {{w.queryKeyValueBias.parts[1], w.queryKeyValueBias.parts[2]},
                    w.queryKeyValueBias.compute.narrow(0, h, 2 * h)};
  w.attentionOutput = allocator.addMatrix(prefix + "attention.output.dense.weight", h, h);
  w.attentionOutputBias = allocator.add(prefix + "attention.output.dense.bias", {h});
  w.attentionNorm = allocator.addNorm(prefix + "attention.output.LayerNorm", h);
  w.intermediate = allocator.addMatrix(prefix + "intermediate.dense.weight", shape.intermediateSize, h);
  w.intermediateBias = allocator.add(prefix + "intermediate.dense.bias", {shape.intermediateSize});
  w.output = allocator.addMatrix(prefix + "output.dense.weight", h, shape.intermediateSize);
  w.outputBias = allocator.add(prefix + "output.dense.bias", {h});
  w.outputNorm = allocator.addNorm(prefix + "output.LayerNorm", h);
  return w;
}

/// Returns whether load() accepts a folder without the parameter; only the MLM head may be missing.
bool isOptional(const std::string& name) {
  return name.starts_with("cls.");
}

}  // namespace

std::int64_t decoderRows(std::int64_t vocabulary, at::ScalarType type, at::Device device) {
  constexpr std::int64_t kStep = 64;
  return device.is_cuda() && type != at::kFloat ? ceilDiv(vocabulary, kStep) * kStep : vocabulary;
}

Result<void> checkHeadSize(const ModelShape& shape, Precision precision, at::Device device) {
  if (!device.is_cuda()) return {};
  return checkGpuHeadSize(shape, computeType(precision) != at::kFloat);
}

BertModel::BertModel(ModelShape shape, Precision precision, at::Device device)
    : shape_(shape), precision_(precision), device_(device), weights_(std::make_shared<BertWeights>()) {}

Result<BertModel> BertModel::create(const ModelShape& shape, Precision precision, at::Device device,
                                    std::uint64_t seed) try {
  RETURN_IF_ERROR(checkHeadSize(shape, precision, device));
  BertModel model(shape, precision, device);
  model.allocate();
  model.initialize(seed);
  return model;
} catch (const c10::OutOfMemoryError& e) {
  return Error{
      ErrorCode::OutOfMemory, messages::modelOutOfMemory(shape.parameterCount(), e.what_without_backtrace()), {}};
} catch (const c10::Error& e) {
  return Error{ErrorCode::Device, e.what_without_backtrace(), device.str()};
}

void BertModel::allocate() {
  const torch::NoGradGuard noGrad;
  Allocator allocator(parameters_, device_, precision_);
  const std::int64_t h = shape_.hiddenSize;
  BertWeights& w = *weights_;
  // Embedding lookups use fp32; the compute copy is for the decoder.
  const Matrix word = allocator.addDecoder("bert.embeddings.word_embeddings.weight", shape_.vocabSize, h);
  w.embeddings.word = word.parts[0];
  w.embeddings.position = allocator.add("bert.embeddings.position_embeddings.weight", {shape_.maxPositions, h});
  w.embeddings.type = allocator.add("bert.embeddings.token_type_embeddings.weight", {shape_.typeVocabSize, h});
  const NormWeights norm = allocator.addNorm("bert.embeddings.LayerNorm", h);
  w.embeddings.gamma = norm.gamma;
  w.embeddings.beta = norm.beta;
  for (std::int64_t layer = 0; layer < shape_.layers; ++layer) w.layers.push_back(makeLayer(allocator, shape_, layer));
  if (shape_.norm == NormPlacement::Pre) w.finalNorm = allocator.addNorm("bert.encoder.LayerNorm", h);
  w.decoderBias = allocator.add("cls.predictions.bias", {shape_.vocabSize});
  w.transform = allocator.addMatrix("cls.predictions.transform.dense.weight", h, h);
  w.transformBias = allocator.add("cls.predictions.transform.dense.bias", {h});
  w.transformNorm = allocator.addNorm("cls.predictions.transform.LayerNorm", h);
  w.decoder =
      shape_.tieWordEmbeddings ? word : allocator.addDecoder("cls.predictions.decoder.weight", shape_.vocabSize, h);
  w.copies = std::move(allocator.copies);
  w.sources = std::move(allocator.sources);
}

void BertModel::initialize(std::uint64_t seed) {
  const torch::NoGradGuard noGrad;
  for (auto& [name, tensor] : parameters_) {
    if (tensor.dim() == 2) {
      tensor.copy_(normalTensor(tensor, seed, name, shape_.initializerRange));
    } else {
      tensor.fill_(isNormWeight(name) ? 1.0 : 0.0);
    }
  }
  parametersChanged();
}

void BertModel::parametersChanged() {
  const torch::NoGradGuard noGrad;
  if (!weights_->copies.empty()) at::_foreach_copy_(weights_->copies, weights_->sources);
}

Result<void> BertModel::load(const HuggingFaceModel& source) {
  std::map<std::string, const NamedFloats*> given;
  for (const auto& tensor : source.tensors) given[tensor.name] = &tensor;
  for (const auto& [name, tensor] : parameters_) {
    const auto found = given.find(name);
    if (found == given.end()) {
      if (isOptional(name)) continue;
      return Error::config(messages::folderLacksTensor(name));
    }
    if (found->second->shape != tensor.sizes().vec())
      return Error::config(
          messages::weightsTensorShapeMismatch(name, shapeText(found->second->shape), shapeText(tensor.sizes())));
  }
  const auto asTensor = [](const NamedFloats& values) {
    at::Tensor tensor = at::empty(values.shape, at::TensorOptions().dtype(at::kFloat));
    std::copy(values.values.begin(), values.values.end(), tensor.mutable_data_ptr<float>());
    return tensor;
  };
  const torch::NoGradGuard noGrad;
  for (auto& [name, tensor] : parameters_) {
    const auto found = given.find(name);
    if (found != given.end()) tensor.copy_(asTensor(*found->second));
  }
  extras_.clear();
  for (const auto& extra : source.extras) extras_.push_back({extra.name, asTensor(extra)});
  parametersChanged();
  return {};
}

std::vector<NamedTensor> BertModel::stateTensors() const {
  std::vector<NamedTensor> all;
  for (const auto& [name, tensor] : parameters_) all.push_back({name, tensor.detach()});
  all.insert(all.end(), extras_.begin(), extras_.end());
  return all;
}

Result<void> BertModel::setTensor(const std::string& name, const at::Tensor& value) {
  const torch::NoGradGuard noGrad;
  for (const auto* list : {&parameters_, &extras_}) {
    for (const auto& [known, tensor] : *list) {
      if (known != name) continue;
      if (tensor.sizes() != value.sizes())
        return Error::config(
            messages::modelTensorShapeMismatch(name, shapeText(value.sizes()), shapeText(tensor.sizes())));
      at::Tensor(tensor).copy_(value);
      return {};
    }
  }
  extras_.push_back({name, value.detach().to(at::kCPU, at::kFloat, /*non_blocking=*/false, /*copy=*/true)});
  return {};
}

bool isUndecayed(const std::string& parameterName) {
  return parameterName.ends_with(".bias") || isNormWeight(parameterName);
}

}  // namespace batchwise
