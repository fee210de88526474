// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/encoder_model.h"

#include <ATen/Context.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/base/integer_math.h"
#include "core/base/random.h"
#include "core/model/backend.h"
#include "core/model/device_error.h"
#include "core/model/weights.h"

namespace batchwise {
namespace {

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

at::Tensor normalTensor(const at::Tensor& like, std::uint64_t key, double deviation) {
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

/// Returns a standard normal number of `key` within two deviations: the first of a sequence that is.
double truncatedNormal(std::uint64_t key) {
  constexpr double kCut = 2.0;
  for (std::uint64_t pair = 0;; ++pair) {
    const auto [first, second] = normalPair(key, pair);
    if (std::abs(first) <= kCut) return first;
    if (std::abs(second) <= kCut) return second;
  }
}

/// Returns a tensor of the shape of `like` whose element i is valueOf(i).
template <typename ValueOf>
at::Tensor tensorOf(const at::Tensor& like, const ValueOf& valueOf) {
  at::Tensor host = at::empty(like.sizes(), at::TensorOptions().dtype(at::kFloat));
  float* values = host.mutable_data_ptr<float>();
  parallelFor(host.numel(), 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) values[i] = static_cast<float>(valueOf(static_cast<std::uint64_t>(i)));
  });
  return host;
}

bool isNormWeight(const std::string& name) {
  return name.ends_with("norm.weight") || name.ends_with("Norm.weight");
}

/// Returns whether the tensor is a matrix whose fresh weights shrink with the depth of the model (InitKind::Truncated).
/// The head's matrix is among them, as in transformers.
bool shrinksWithDepth(TensorRole role) {
  return role == TensorRole::AttentionOutput || role == TensorRole::Output || role == TensorRole::Transform;
}

/// Returns fresh weights of a matrix.
at::Tensor freshMatrix(const ModelShape& shape, const ParameterTensor& tensor, const at::Tensor& like,
                       std::uint64_t seed) {
  const std::uint64_t key = subKey(subKey(seed, 0x77656967687473ULL), hash128(tensor.name).low);  // "weights"
  const bool ofTask = tensor.role == TensorRole::Classifier && shape.traits().init == InitKind::Truncated;
  // ModernBERT's last matrix is wider, in transformers.
  const double range = ofTask ? 1.0 / std::sqrt(static_cast<double>(shape.hiddenSize)) : shape.initializerRange;
  switch (shape.traits().init) {
    case InitKind::Uniform:
      return tensorOf(like, [&](std::uint64_t i) { return range * (2.0 * unitRandom(randomBits(key, i)) - 1.0); });
    case InitKind::Truncated: {
      const double deviation =
          shrinksWithDepth(tensor.role) ? range / std::sqrt(2.0 * static_cast<double>(shape.layers)) : range;
      return tensorOf(like, [&](std::uint64_t i) { return deviation * truncatedNormal(subKey(key, i)); });
    }
    case InitKind::Normal: break;
  }
  return normalTensor(like, key, range);
}

/// Allocates the parameters and their gradients, and puts them in their places among the weights.
class Allocator {
 public:
  Allocator(std::vector<NamedTensor>& parameters, EncoderWeights& weights, const ModelShape& shape, at::Device device,
            Precision precision)
      : parameters_(parameters),
        weights_(weights),
        shape_(shape),
        options_(at::TensorOptions().dtype(at::kFloat).device(device)),
        precision_(precision) {}

  void add(const ParameterTensor& tensor) { tensor.layer < 0 ? addOutside(tensor) : addToLayer(tensor); }

 private:
  void addOutside(const ParameterTensor& tensor);
  void addToLayer(const ParameterTensor& tensor);

  at::Tensor vector(const ParameterTensor& t) { return adopt(t.name, at::zeros(t.shape, options_)); }

  Matrix matrix(const ParameterTensor& t) { return matrix(t, t.shape.front()); }
  /// With `rows` in the compute copy; rows beyond the tensor's are zero.
  Matrix matrix(const ParameterTensor& t, std::int64_t rows) {
    Matrix made;
    made.parts[0] = vector(t);
    made.compute = computeCopy(made.parts[0].detach(), rows);
    return made;
  }
  Matrix decoder(const ParameterTensor& t) {
    return matrix(t, decoderRows(shape_.vocabSize, computeType(precision_), options_.device()));
  }

  /// Adds part `part` of stacked tensors, which have `rows` rows together and follow each other.
  template <typename Stacked>
  void addPart(Stacked& stacked, const ParameterTensor& t, std::size_t part, std::int64_t rows) {
    if (part == 0) {
      std::vector<std::int64_t> whole = t.shape;
      whole[0] = rows;
      stack_ = at::zeros(whole, options_);
      firstRow_ = 0;
      stacked.compute = computeCopy(stack_, rows);
    }
    stacked.parts[part] = adopt(t.name, stack_.narrow(0, firstRow_, t.shape[0]).detach());
    firstRow_ += t.shape[0];
  }

  at::Tensor computeCopy(const at::Tensor& source, std::int64_t rows) {
    if (computeType(precision_) == at::kFloat) return source;
    std::vector<std::int64_t> shape = source.sizes().vec();
    shape[0] = rows;
    at::Tensor copy = at::zeros(shape, source.options().dtype(computeType(precision_)));
    weights_.copies.push_back(copy.narrow(0, 0, source.size(0)));
    weights_.sources.push_back(source);
    return copy;
  }

  at::Tensor adopt(const std::string& name, at::Tensor tensor) {
    tensor.requires_grad_(true);
    tensor.mutable_grad() = at::zeros_like(tensor);
    parameters_.push_back({name, tensor});
    return tensor;
  }

  std::vector<NamedTensor>& parameters_;
  EncoderWeights& weights_;
  const ModelShape& shape_;
  at::TensorOptions options_;
  Precision precision_;
  at::Tensor stack_;  // of the parts being added
  std::int64_t firstRow_ = 0;
};

void Allocator::addOutside(const ParameterTensor& t) {
  EncoderWeights& w = weights_;
  switch (t.role) {
    case TensorRole::WordEmbeddings: {
      // Embedding lookups use fp32; the compute copy is for a tied decoder.
      if (!shape_.tieWordEmbeddings || shape_.taskHead != TaskHead::None) {
        w.embeddings.word = vector(t);
        break;
      }
      w.decoder = decoder(t);
      w.embeddings.word = w.decoder.parts[0];
      break;
    }
    case TensorRole::PositionEmbeddings: w.embeddings.position = vector(t); break;
    case TensorRole::TypeEmbeddings: w.embeddings.type = vector(t); break;
    case TensorRole::EmbeddingNorm: w.embeddings.gamma = vector(t); break;
    case TensorRole::EmbeddingNormBias: w.embeddings.beta = vector(t); break;
    case TensorRole::FinalNorm: w.finalNorm.gamma = vector(t); break;
    case TensorRole::FinalNormBias: w.finalNorm.beta = vector(t); break;
    case TensorRole::DecoderBias: w.decoderBias = vector(t); break;
    case TensorRole::Transform: w.transform = matrix(t); break;
    case TensorRole::TransformBias: w.transformBias = vector(t); break;
    case TensorRole::TransformNorm: w.transformNorm.gamma = vector(t); break;
    case TensorRole::TransformNormBias: w.transformNorm.beta = vector(t); break;
    case TensorRole::Decoder: w.decoder = decoder(t); break;
    case TensorRole::Classifier: w.classifier = vector(t); break;
    case TensorRole::ClassifierBias: w.classifierBias = vector(t); break;
    default: TORCH_CHECK(false, "tensor ", t.name, " belongs to a layer");
  }
}

void Allocator::addToLayer(const ParameterTensor& t) {
  weights_.layers.resize(static_cast<std::size_t>(shape_.layers));
  LayerWeights& w = weights_.layers[static_cast<std::size_t>(t.layer)];
  const std::int64_t rows = shape_.hiddenSize + 2 * shape_.keyValueSize();
  const std::int64_t both = 2 * shape_.intermediateSize;
  switch (t.role) {
    case TensorRole::Query:
    case TensorRole::QueryKeyValue: addPart(w.queryKeyValue, t, 0, rows); break;
    case TensorRole::Key: addPart(w.queryKeyValue, t, 1, rows); break;
    case TensorRole::Value: addPart(w.queryKeyValue, t, 2, rows); break;
    case TensorRole::QueryBias: addPart(w.queryKeyValueBias, t, 0, rows); break;
    case TensorRole::KeyBias: addPart(w.queryKeyValueBias, t, 1, rows); break;
    case TensorRole::ValueBias: addPart(w.queryKeyValueBias, t, 2, rows); break;
    case TensorRole::AttentionOutput: w.attentionOutput = matrix(t); break;
    case TensorRole::AttentionOutputBias: w.attentionOutputBias = vector(t); break;
    case TensorRole::AttentionNorm: w.attentionNorm.gamma = vector(t); break;
    case TensorRole::AttentionNormBias: w.attentionNorm.beta = vector(t); break;
    case TensorRole::Intermediate: w.intermediate = matrix(t); break;
    case TensorRole::IntermediateBias: w.intermediateBias = vector(t); break;
    case TensorRole::Gate:
    case TensorRole::GateUp: addPart(w.intermediate, t, 0, both); break;
    case TensorRole::Up: addPart(w.intermediate, t, 1, both); break;
    case TensorRole::Output: w.output = matrix(t); break;
    case TensorRole::OutputBias: w.outputBias = vector(t); break;
    case TensorRole::OutputNorm: w.outputNorm.gamma = vector(t); break;
    case TensorRole::OutputNormBias: w.outputNorm.beta = vector(t); break;
    default: TORCH_CHECK(false, "tensor ", t.name, " does not belong to a layer");
  }
}

}  // namespace

std::int64_t decoderRows(std::int64_t vocabulary, at::ScalarType type, at::Device device) {
  constexpr std::int64_t kStep = 64;
  return device.is_cuda() && type != at::kFloat ? ceilDiv(vocabulary, kStep) * kStep : vocabulary;
}

at::ScalarType computeType(Precision precision) {
  switch (precision) {
    case Precision::Fp32:
    case Precision::Tf32: return at::kFloat;
    case Precision::Bf16: return at::kBFloat16;
    case Precision::Fp16: break;
  }
  return at::kHalf;
}

void setMatmulPrecision(Precision precision) {
  at::globalContext().setAllowTF32CuBLAS(precision == Precision::Tf32);
}

Result<void> checkHeadSize(const ModelShape& shape, Precision precision, at::Device device) {
  if (!device.is_cuda()) return {};
  return checkGpuHeadSize(shape, computeType(precision) != at::kFloat);
}

EncoderModel::EncoderModel(ModelShape shape, Precision precision, at::Device device)
    : shape_(shape), precision_(precision), device_(device), weights_(std::make_shared<EncoderWeights>()) {}

Result<EncoderModel> EncoderModel::create(const ModelShape& shape, Precision precision, at::Device device,
                                          std::uint64_t seed) try {
  RETURN_IF_ERROR(checkHeadSize(shape, precision, device));
  EncoderModel model(shape, precision, device);
  model.allocate();
  model.initialize(seed);
  return model;
} catch (const c10::Error& e) {
  if (!isOutOfMemory(e)) return Error{ErrorCode::Device, e.what_without_backtrace(), device.str()};
  return Error{ErrorCode::OutOfMemory,
               formatText("not enough memory for the model's {} parameters with their gradients: {}",
                          shape.parameterCount(), e.what_without_backtrace()),
               {}};
}

void EncoderModel::allocate() {
  const torch::NoGradGuard noGrad;
  Allocator allocator(parameters_, *weights_, shape_, device_, precision_);
  for (const ParameterTensor& tensor : parameterTensors(shape_)) allocator.add(tensor);
}

void EncoderModel::initialize(std::uint64_t seed) {
  const torch::NoGradGuard noGrad;
  const std::vector<ParameterTensor> described = parameterTensors(shape_);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    auto& [name, tensor] = parameters_[i];
    if (tensor.dim() == 2) {
      tensor.copy_(freshMatrix(shape_, described[i], tensor, seed));
    } else {
      tensor.fill_(isNormWeight(name) ? 1.0 : 0.0);
    }
  }
  parametersChanged();
}

RotaryTable rotaryTable(double theta, std::int64_t headSize, std::int64_t rows, at::Device device) {
  const std::int64_t half = headSize / 2;
  RotaryTable table{at::empty({rows, half}, at::kFloat), at::empty({rows, half}, at::kFloat)};
  float* cosines = table.cosines.mutable_data_ptr<float>();
  float* sines = table.sines.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < half; ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(headSize);
    const float frequency = 1.0F / std::pow(static_cast<float>(theta), exponent);
    for (std::int64_t position = 0; position < rows; ++position) {
      const float angle = static_cast<float>(position) * frequency;
      cosines[position * half + i] = std::cos(angle);
      sines[position * half + i] = std::sin(angle);
    }
  }
  return {table.cosines.to(device), table.sines.to(device)};
}

void EncoderModel::growRotaryTables(std::int64_t longest) {
  constexpr std::int64_t kFewestRows = 512;
  EncoderWeights& w = *weights_;
  if (shape_.traits().positions == PositionKind::Learned || longest <= w.globalRotary.rows()) return;
  std::int64_t rows = kFewestRows;
  while (rows < longest) rows *= 2;
  w.globalRotary = rotaryTable(shape_.ropeTheta, shape_.headSize(), rows, device_);
  if (shape_.globalAttentionEvery > 1)
    w.localRotary = rotaryTable(shape_.localRopeTheta, shape_.headSize(), rows, device_);
}

void EncoderModel::setRopeThetas(double global, double local) {
  shape_.ropeTheta = global;
  shape_.localRopeTheta = local;
  weights_->globalRotary = weights_->localRotary = {};
}

void EncoderModel::parametersChanged() {
  const torch::NoGradGuard noGrad;
  if (!weights_->copies.empty()) at::_foreach_copy_(weights_->copies, weights_->sources);
}

Result<void> EncoderModel::load(const HuggingFaceModel& source) {
  std::map<std::string, const NamedFloats*> given;
  for (const auto& tensor : source.tensors) given[tensor.name] = &tensor;
  if (shape_.taskHead != TaskHead::None)  // a pooler
    for (const auto& tensor : source.extras) given[tensor.name] = &tensor;
  const std::vector<ParameterTensor> described = parameterTensors(shape_);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto& [name, tensor] = parameters_[i];
    const auto found = given.find(name);
    if (found == given.end()) {
      if (isHeadRole(described[i].role)) continue;
      return missingTensor(name, shape_.family);
    }
    if (found->second->shape != tensor.sizes().vec())
      return Error::config(formatText("tensor \"{}\" in the folder has the shape {}, but the model needs {}", name,
                                      shapeText(found->second->shape), shapeText(tensor.sizes())));
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
  if (shape_.taskHead == TaskHead::None)
    for (const auto& extra : source.extras) extras_.push_back({extra.name, asTensor(extra)});
  parametersChanged();
  return {};
}

std::vector<at::Tensor> EncoderModel::measuredNorms() const {
  std::vector<at::Tensor> found;
  const auto add = [&found](const NormWeights& norm) {
    for (const at::Tensor& each : {norm.gamma, norm.beta})
      if (each.defined()) found.push_back(each);
  };
  for (const LayerWeights& layer : weights_->layers) {
    add(layer.attentionNorm);
    add(layer.outputNorm);
  }
  add(weights_->finalNorm);
  add(weights_->transformNorm);
  return found;
}

std::vector<NamedTensor> EncoderModel::stateTensors() const {
  std::vector<NamedTensor> all;
  for (const auto& [name, tensor] : parameters_) all.push_back({name, tensor.detach()});
  all.insert(all.end(), extras_.begin(), extras_.end());
  return all;
}

Result<void> EncoderModel::setTensor(const std::string& name, const at::Tensor& value) {
  const torch::NoGradGuard noGrad;
  for (const auto* list : {&parameters_, &extras_}) {
    for (const auto& [known, tensor] : *list) {
      if (known != name) continue;
      if (tensor.sizes() != value.sizes())
        return Error::config(formatText("tensor \"{}\" has the shape {}, but the model needs {}", name,
                                        shapeText(value.sizes()), shapeText(tensor.sizes())));
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
