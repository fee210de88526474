// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/backend_check.h"

#include <dlfcn.h>
#include <torch/torch.h>
#include <torch/version.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/hash.h"
#include "core/base/json.h"

namespace batchwise {
namespace {

using Tensors = std::vector<at::Tensor>;

struct CheckedType {
  at::ScalarType type;
  const char* name;
  double tolerance;  ///< of sums of some dozen products of numbers around 1; fp32: also of TF32 in attention
};
constexpr CheckedType kTypes[] = {{at::kFloat, "fp32", 5e-3}, {at::kBFloat16, "bf16", 5e-2}, {at::kHalf, "fp16", 1e-2}};

constexpr std::int64_t kRows = 37, kVocabulary = 523;

/// Made-up inputs of one check, the same in each call: a generator of their own leaves that of the run alone.
class Inputs {
 public:
  Inputs(at::Device device, at::ScalarType rounding, at::ScalarType type)
      : device_(device), rounding_(rounding), type_(type), generator_(at::detail::createCPUGenerator(7)) {}

  /// Activations: rounded to the type under test, also for the reference.
  at::Tensor activations(at::IntArrayRef shape) { return numbers(shape).to(rounding_).to(device_, type_); }
  at::Tensor weights(at::IntArrayRef shape) { return numbers(shape).to(device_); }
  at::Tensor indices(std::int64_t count, std::int64_t end) {
    return at::randint(end, {count}, generator_, at::kLong).to(device_);
  }
  at::Tensor rowKeys() { return at::arange(kRows, at::kLong).mul(977).to(device_); }
  at::Tensor onDevice(const std::vector<std::int32_t>& values) const {
    return at::tensor(values, at::kInt).to(device_);
  }
  at::ScalarType type() const { return type_; }

 private:
  at::Tensor numbers(at::IntArrayRef shape) { return at::randn(shape, generator_); }

  at::Device device_;
  at::ScalarType rounding_, type_;
  at::Generator generator_;
};

Tensors norms(const Backend& backend, Inputs& in) {
  Tensors all;
  for (const std::int64_t width : {96, 772, 99}) {  // the last one has no packs
    for (const bool centered : {true, false}) {
      NormOptions options;
      options.dropout = makeDropout(1, 2, 3, DropoutSite::LayerOutput, 0.1);
      options.centered = centered;
      const at::Tensor gamma = in.weights({width}), beta = centered ? in.weights({width}) : at::Tensor();
      const NormResult r = backend.addNorm(in.activations({kRows, width}), in.weights({width}),
                                           in.activations({kRows, width}), in.rowKeys(), gamma, beta, options);
      const NormOutputGradients outer{in.activations({kRows, width}), in.activations({kRows, width}),
                                      in.activations({kRows, width})};
      const NormGradient g = backend.addNormGradient(outer, r, in.rowKeys(), gamma, options);
      const at::Tensor starts = in.onDevice({0, 1, 21, 21, kRows}).to(at::kLong);  // an empty sequence among them
      const at::Tensor ofSequences = backend.sequenceNorms(outer, r, starts, centered);
      for (const at::Tensor& one : {r.output, r.sum, g.input, g.residual, g.bias, g.gamma, ofSequences})
        all.push_back(one);
      if (centered) all.push_back(g.beta);
    }
  }
  return all;
}

Tensors embeddings(const Backend& backend, Inputs& in) {
  constexpr std::int64_t kWords = 50, kWidth = 64;
  NormOptions options;
  options.dropout = makeDropout(1, 2, -1, DropoutSite::Embeddings, 0.1);
  const EmbeddingWeights weights{in.weights({kWords, kWidth}), in.weights({kRows, kWidth}), in.weights({2, kWidth}),
                                 in.weights({kWidth}), in.weights({kWidth})};
  const at::Tensor ids = in.indices(kRows, kWords), positions = in.indices(kRows, kRows);
  const NormResult r = backend.embed(ids, positions, in.rowKeys(), weights, options, in.type());
  const EmbeddingGradient g =
      backend.embedGradient(in.activations({kRows, kWidth}), r, ids, positions, in.rowKeys(), weights, options);
  return {r.output, g.word, g.position, g.type, g.gamma, g.beta};
}

constexpr Activation kActivations[] = {Activation::Gelu, Activation::GeluTanh, Activation::Relu, Activation::Silu};

Tensors activations(const Backend& backend, Inputs& in) {
  Tensors all;
  for (const std::int64_t width : {264, 31})
    for (const Activation activation : kActivations) {
      const at::Tensor bias = in.weights({width});
      const auto [output, saved] =
          backend.biasActivation(in.activations({kRows, width}), bias, activation, /*training=*/true);
      const auto [input, ofBias] =
          backend.biasActivationGradient(in.activations({kRows, width}), saved, bias, activation);
      for (const at::Tensor& one : {output, input, ofBias}) all.push_back(one);
    }
  return all;
}

Tensors gatedActivations(const Backend& backend, Inputs& in) {
  constexpr std::int64_t kWidth = 72;
  Tensors all;
  for (const Activation activation : kActivations) {
    const auto [output, saved] = backend.gatedActivation(in.activations({kRows, 2 * kWidth}), activation, true);
    all.push_back(output.clone());
    all.push_back(backend.gatedActivationGradient(in.activations({kRows, kWidth}), saved, activation));
  }
  return all;
}

/// Sequences of 1, 20 and 16 tokens, `keyValueHeads` of 4 heads of 32 features.
AttentionPlan attentionPlan(const Inputs& in, std::int64_t keyValueHeads, std::int64_t window) {
  const std::vector<std::int32_t> starts = {0, 1, 21, static_cast<std::int32_t>(kRows)};
  AttentionPlan plan;
  plan.queryStarts = plan.keyStarts = std::make_shared<const std::vector<std::int32_t>>(starts);
  plan.queryStartsTensor = plan.keyStartsTensor = in.onDevice(starts);
  plan.longestQuery = plan.longestKey = 20;
  plan.heads = 4;
  plan.keyValueHeads = keyValueHeads;
  plan.headSize = 32;
  plan.scale = 0.2;
  plan.window = window;
  return plan;
}

RotaryPlan rotaryPlan(Inputs& in, std::int64_t headSize, bool interleaved) {
  const at::Tensor angles = in.weights({kRows, headSize / 2}), positions = in.indices(kRows, kRows);
  return {angles.cos(), angles.sin(), positions, positions, interleaved};
}

Tensors attentions(const Backend& backend, Inputs& in) {
  Tensors all;
  for (const auto& [keyValueHeads, window] : {std::pair(4, -1), std::pair(2, -1), std::pair(4, 3)}) {
    AttentionPlan plan = attentionPlan(in, keyValueHeads, window);
    plan.queryRowKeys = in.rowKeys();
    const std::int64_t width = plan.heads * plan.headSize, both = 2 * plan.keyValueHeads * plan.headSize;
    const AttentionInput input{{}, in.activations({kRows, width + both})};
    plan.biased = keyValueHeads == plan.heads && window < 0;
    if (!plan.biased) plan.rotary = rotaryPlan(in, plan.headSize, /*interleaved=*/window >= 0);
    rotateBoth(backend, {}, input.packed, plan, /*inverse=*/false);
    const AttentionResult r = backend.attention(input, plan, /*training=*/true);
    const at::Tensor outer = in.activations({kRows, width});
    const AttentionGradient g = backend.attentionGradient(outer, {}, input, r, plan);
    for (const at::Tensor& one : {input.packed, r.output, g.packed}) all.push_back(one);
    if (plan.biased) all.push_back(g.bias.defined() ? g.bias : at::sum(g.packed, {0}, false, at::kFloat));
  }
  return all;
}

Tensors crossEntropies(const Backend& backend, Inputs& in) {
  Tensors all;
  for (const std::int64_t padding : {0, 5}) {  // with it, rows are aligned
    at::Tensor logits = in.activations({kRows, kVocabulary + padding}) * 3;
    const LossRows rows = backend.crossEntropy(logits, in.weights({kVocabulary}), in.indices(kRows, kVocabulary),
                                               kVocabulary, /*overwrite=*/true);
    all.push_back(rows.loss);
    all.push_back(logits);
  }
  return all;
}

Tensors run(OperationGroup group, const Backend& backend, Inputs in) {
  switch (group) {
    case OperationGroup::Norm: return norms(backend, in);
    case OperationGroup::Embedding: return embeddings(backend, in);
    case OperationGroup::Activation: return activations(backend, in);
    case OperationGroup::GatedActivation: return gatedActivations(backend, in);
    case OperationGroup::Attention: return attentions(backend, in);
    case OperationGroup::CrossEntropy: break;
  }
  return crossEntropies(backend, in);
}

/// The largest difference, relative to the largest number of its tensor or to 1; NaN if a result is none.
double largestDifference(const Tensors& found, const Tensors& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const at::Tensor one = found[i].to(at::kDouble), other = expected[i].to(at::kDouble);
    const double scale = std::max(1.0, other.abs().max().item<double>());
    const double difference = (one - other).abs().max().item<double>() / scale;
    if (std::isnan(difference)) return difference;
    largest = std::max(largest, difference);
  }
  return largest;
}

OperationCheck checkGroup(OperationGroup group, const CheckedType& checked, const Backend& backend, at::Device device) {
  OperationCheck check{group, checked.name, 0, {}};
  Tensors expected;
  try {
    expected = run(group, atenBackend(), Inputs(device, checked.type, at::kFloat));
  } catch (const std::exception&) {
    return check;  // nothing to compare with, and nothing to replace it by
  }
  try {
    const Tensors found = run(group, backend, Inputs(device, checked.type, checked.type));
    check.error = largestDifference(found, expected) / checked.tolerance;
  } catch (const c10::Error& problem) {
    check.problem = problem.what_without_backtrace();
  } catch (const std::exception& problem) {
    check.problem = problem.what();
  }
  return check;
}

std::atomic<std::uint32_t> replaced{0};  // a bit for each group and type

std::uint32_t bitOf(OperationGroup group, std::size_t type) {
  return 1U << (static_cast<std::size_t>(group) * std::size(kTypes) + type);
}

using nlohmann::json;

constexpr const char* kSchema = "batchwise.gpu-check/1";
constexpr std::int64_t kMostBytes = 1 << 20;

std::string textOf(const CheckedGpu& gpu, const std::vector<OperationCheck>& checks) {
  json list = json::array();
  for (const OperationCheck& check : checks)
    list.push_back({{"operation", operationName(check.group)},
                    {"type", check.type},
                    {"error", jsonNumber(check.error)},
                    {"good", check.good()}});
  return jsonText({{"schema", kSchema},
                   {"gpu", gpu.name},
                   {"uuid", gpu.uuid},
                   {"driver", gpu.driver},
                   {"build", gpu.build},
                   {"checks", std::move(list)}}) +
         "\n";
}

std::optional<OperationCheck> checkFrom(const json& one) {
  const std::optional<double> error = numberFromJson(one.at("error"));
  const auto group = std::ranges::find(kOperationGroups, one.at("operation").get<std::string>(), operationName);
  if (!error || group == kOperationGroups.end()) return std::nullopt;
  return OperationCheck{*group, one.at("type").get<std::string>(), *error, {}};
}

// Returns the checks in a text; nothing if it does not hold those of `gpu`, each once and all of them.
std::optional<std::vector<OperationCheck>> checksIn(const std::string& text, const CheckedGpu& gpu) try {
  const json object = parseJsonOrDiscarded(text);
  if (!object.is_object() || object.at("schema") != kSchema) return std::nullopt;
  const auto named = [&object](const char* name) { return object.at(name).get<std::string>(); };
  if (CheckedGpu{named("gpu"), named("uuid"), named("driver"), named("build")} != gpu) return std::nullopt;
  std::vector<OperationCheck> checks;
  for (const json& one : object.at("checks")) {
    auto check = checkFrom(one);
    if (!check || one.at("good") != check->good()) return std::nullopt;
    checks.push_back(std::move(*check));
  }
  const std::vector<std::string> types = checkedTypes();
  if (checks.size() != kOperationGroups.size() * types.size()) return std::nullopt;
  for (std::size_t i = 0; i < checks.size(); ++i)
    if (checks[i].group != kOperationGroups[i / types.size()] || checks[i].type != types[i % types.size()])
      return std::nullopt;
  return checks;
} catch (const json::exception&) {
  return std::nullopt;
}

}  // namespace

std::string operationName(OperationGroup group) {
  switch (group) {
    case OperationGroup::Norm: return "norm";
    case OperationGroup::Embedding: return "embedding";
    case OperationGroup::Activation: return "activation";
    case OperationGroup::GatedActivation: return "gated activation";
    case OperationGroup::Attention: return "attention";
    case OperationGroup::CrossEntropy: break;
  }
  return "cross-entropy";
}

std::vector<std::string> checkedTypes() {
  std::vector<std::string> names;
  for (const CheckedType& type : kTypes) names.emplace_back(type.name);
  return names;
}

std::vector<OperationCheck> checkOperations(const Backend& backend, at::Device device) {
  const torch::NoGradGuard noGrad;
  std::vector<OperationCheck> checks;
  for (const OperationGroup group : kOperationGroups)
    for (const CheckedType& type : kTypes) checks.push_back(checkGroup(group, type, backend, device));
  return checks;
}

void replaceOperations(const std::vector<OperationCheck>& checks) {
  std::uint32_t bits = 0;
  for (const OperationCheck& check : checks)
    for (std::size_t i = 0; i < std::size(kTypes); ++i)
      if (!check.good() && check.type == kTypes[i].name) bits |= bitOf(check.group, i);
  replaced = bits;
}

const Backend& backendFor(OperationGroup group, at::Device device, at::ScalarType type) {
  if (!device.is_cuda()) return cpuBackend();
  const std::uint32_t bits = replaced.load(std::memory_order_relaxed);
  for (std::size_t i = 0; bits != 0 && i < std::size(kTypes); ++i)
    if (kTypes[i].type == type && (bits & bitOf(group, i)) != 0) return atenBackend();
  return cudaBackend();
}

std::string buildIdentity() {
  std::string identity = BATCHWISE_VERSION ", LibTorch " TORCH_VERSION;
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&buildIdentity), &info) == 0 || info.dli_fname == nullptr) return identity;
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(info.dli_fname, failed);
  const auto time = std::filesystem::last_write_time(info.dli_fname, failed);
  if (failed) return identity;
  return identity + ", " + std::to_string(bytes) + " bytes of " + std::to_string(time.time_since_epoch().count());
}

std::filesystem::path rememberedChecksFile(const std::filesystem::path& folder, const CheckedGpu& gpu) {
  const std::string all = gpu.name + "\n" + gpu.uuid + "\n" + gpu.driver + "\n" + gpu.build;
  return folder / (kRememberedChecks + hash128(all).hex() + ".json");
}

std::vector<OperationCheck> rememberedChecks(const std::filesystem::path& folder, const CheckedGpu& gpu,
                                             const std::function<std::vector<OperationCheck>()>& check) {
  if (folder.empty()) return check();
  const std::filesystem::path file = rememberedChecksFile(folder, gpu);
  if (const Result<std::string> text = readFile(file, kMostBytes); text.ok())
    if (auto checks = checksIn(*text, gpu)) return std::move(*checks);
  std::vector<OperationCheck> checks = check();
  const auto threw = [](const OperationCheck& one) { return !one.problem.empty(); };
  if (std::ranges::none_of(checks, threw) && makeFolders(folder).ok())
    static_cast<void>(writeFileAtomically(file, textOf(gpu, checks)));
  return checks;
}

}  // namespace batchwise
