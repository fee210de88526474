// SPDX-License-Identifier: GPL-3.0-or-later
// Runs model and optimizer on batches that a judge prepared, and writes down what came out: the C++ half of the parity
// tests and of the speed comparison. Usage: model_tool JOB.json. One JSON object per line on standard output.
#include <torch/torch.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/model/adamw.h"
#include "core/model/encoder_model.h"
#include "core/model/hugging_face/hugging_face.h"

namespace batchwise {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

template <typename Value>
Value orThrow(Result<Value> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(*result);
}
void orThrow(const Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().text());
}

/// {"sequences": [[id…]…], "positions": [[place in the sequence…]…], "labels": [[id…]…], "first_place": n}
MicroBatch microBatch(const json& job) {
  MicroBatch batch;
  batch.firstIndexInStep = job.value("first_place", std::int64_t{0});
  batch.sequenceStarts.push_back(0);
  for (std::size_t s = 0; s < job["sequences"].size(); ++s) {
    const std::int32_t start = batch.sequenceStarts.back();
    for (const auto& id : job["sequences"][s]) batch.tokenIds.push_back(id.get<std::int32_t>());
    for (const auto& place : job["positions"][s]) batch.predictedPositions.push_back(start + place.get<std::int32_t>());
    for (const auto& label : job["labels"][s]) batch.labels.push_back(label.get<std::int32_t>());
    batch.sequenceStarts.push_back(static_cast<std::int32_t>(batch.tokenIds.size()));
    batch.longest = std::max(batch.longest, batch.sequenceStarts.back() - start);
    batch.sampleIds.push_back(static_cast<std::int64_t>(s));
    batch.indicesInStep.push_back(static_cast<std::int32_t>(batch.firstIndexInStep + static_cast<std::int64_t>(s)));
  }
  return batch;
}

using Step = std::vector<MicroBatch>;

std::vector<Step> stepsOf(const json& job) {
  std::vector<Step> steps;
  for (const auto& step : job["steps"]) {
    steps.emplace_back();
    for (const auto& batch : step) steps.back().push_back(microBatch(batch));
  }
  return steps;
}

std::span<const std::byte> bytesOf(const at::Tensor& tensor) {
  return {static_cast<const std::byte*>(tensor.const_data_ptr()), static_cast<std::size_t>(tensor.nbytes())};
}

void writeTensors(const std::string& path, const std::vector<NamedTensor>& tensors) {
  std::vector<TensorBytes> all;
  for (const auto& [name, tensor] : tensors)
    all.push_back({name, TensorType::F32, tensor.sizes().vec(), bytesOf(tensor)});
  orThrow(writeSafetensors(path, all));
}

ModelConfig configOf(const json& job) {
  ModelConfig config;
  config.preset = choiceFromName<ModelPreset>(job.value("preset", "mini")).value();
  if (job.contains("family")) config.family = choiceFromName<ModelFamily>(job["family"].get<std::string>()).value();
  const std::pair<const char*, std::optional<std::int64_t>*> sizes[] = {
      {"hidden_size", &config.hiddenSize},
      {"num_hidden_layers", &config.numHiddenLayers},
      {"num_attention_heads", &config.numAttentionHeads},
      {"intermediate_size", &config.intermediateSize},
      {"global_attn_every_n_layers", &config.globalAttnEveryNLayers},
      {"local_attention", &config.localAttention}};
  for (const auto& [name, size] : sizes)
    if (job.contains(name)) *size = job[name].get<std::int64_t>();
  config.hiddenDropoutProb = job.value("hidden_dropout_prob", 0.0);
  config.attentionProbsDropoutProb = job.value("attention_probs_dropout_prob", 0.0);
  config.layerDrop = job.value("layer_drop", 0.0);
  if (job.contains("hidden_act"))
    config.hiddenAct = choiceFromName<Activation>(job["hidden_act"].get<std::string>()).value();
  if (job.contains("tie_word_embeddings"))
    config.tieWordEmbeddings = job["tie_word_embeddings"].get<bool>() ? WeightTying::Tied : WeightTying::Untied;
  return config;
}

EncoderModel modelOf(const json& job) {
  const auto precision = choiceFromName<Precision>(job.value("precision", "fp32")).value();
  const auto seed = job.value("seed", std::uint64_t{17});
  if (!job.contains("folder"))
    return orThrow(
        EncoderModel::create(orThrow(resolveModelShape(configOf(job), job.at("vocab_size").get<std::int64_t>(),
                                                       job.value("max_seq_len", std::int64_t{128}))),
                             precision, at::kCPU, seed));
  const auto source = orThrow(readHuggingFaceModel(job["folder"].get<std::string>()));
  EncoderModel model = orThrow(EncoderModel::create(
      orThrow(resolveModelShape(configOf(job), source.shape, source.shape.vocabSize, 1)), precision, at::kCPU, seed));
  orThrow(model.load(source));
  return model;
}

/// Gradient of a whole step: the sum over its micro-batches, divided by all predicted tokens. Returns the mean loss.
double accumulate(EncoderModel& model, const Step& step, std::int64_t number, std::uint64_t seed) {
  std::int64_t predicted = 0;
  for (const MicroBatch& batch : step) predicted += batch.predicted();
  double loss = 0;
  for (const MicroBatch& batch : step) {
    const LossSums sums = model.forward(toDevice(batch, at::kCPU), {seed, number, true});
    model.backward(sums, 1.0 / static_cast<double>(predicted));
    loss += sums.loss.item<double>();
  }
  return loss / static_cast<double>(predicted);
}

void runGradients(const json& job, EncoderModel& model, const std::vector<Step>& steps) {
  const double loss = accumulate(model, steps.at(0), 0, job.value("seed", std::uint64_t{17}));
  std::vector<NamedTensor> results;
  std::vector<at::Tensor> logits;
  for (const MicroBatch& batch : steps.at(0)) logits.push_back(model.logits(toDevice(batch, at::kCPU)));
  results.push_back({"logits", at::cat(logits).contiguous()});
  for (const auto& [name, tensor] : model.parameters())
    results.push_back({"gradient." + name, tensor.grad().contiguous()});
  writeTensors(job.at("out").get<std::string>(), results);
  std::cout << json{{"loss", loss}}.dump() << std::endl;
}

AdamW optimizerOf(const json& job, const EncoderModel& model) {
  AdamWOptions options;
  options.beta1 = job.value("beta1", options.beta1);
  options.beta2 = job.value("beta2", options.beta2);
  options.eps = job.value("eps", options.eps);
  options.weightDecay = job.value("weight_decay", options.weightDecay);
  options.gradClipNorm = job.value("grad_clip_norm", options.gradClipNorm);
  return AdamW(model.parameters(), options);
}

/// Trains on all steps, once over, and prints a line for each: loss, gradient norm, seconds of the clock and of the
/// processors, real tokens.
void runTraining(const json& job, EncoderModel& model, const std::vector<Step>& steps) {
  AdamW optimizer = optimizerOf(job, model);
  const double rate = job.value("lr", 5e-4);
  std::int64_t number = 0;
  for (const Step& step : steps) {
    const auto begin = Clock::now();
    const std::clock_t processorBegin = std::clock();
    optimizer.zeroGradients();
    const double loss = accumulate(model, step, number++, job.value("seed", std::uint64_t{17}));
    const StepOutcome found = optimizer.step(rate);
    model.parametersChanged();
    const double norm = found.gradientNorm.item<double>();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const double processorSeconds = static_cast<double>(std::clock() - processorBegin) / CLOCKS_PER_SEC;
    std::int64_t tokens = 0;
    for (const MicroBatch& batch : step) tokens += batch.tokens();
    std::cout << json{{"loss", loss},
                      {"grad_norm", norm},
                      {"seconds", seconds},
                      {"processor_seconds", processorSeconds},
                      {"tokens", tokens}}
                     .dump()
              << std::endl;
  }
}

void exportModel(const json& job, const EncoderModel& model) {
  std::vector<std::string> tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  while (static_cast<std::int64_t>(tokens.size()) < model.shape().vocabSize)
    tokens.push_back("t" + std::to_string(tokens.size()));
  std::vector<TensorBytes> all;
  const auto state = model.stateTensors();
  for (const auto& [name, tensor] : state)
    all.push_back({name, TensorType::F32, tensor.sizes().vec(), bytesOf(tensor)});
  orThrow(writeHuggingFaceModel(job["export"].get<std::string>(), model.shape(), all,
                                Tokenizer::bert(orThrow(Vocabulary::fromTokens(tokens)), true), 128,
                                Replaces::AnyFiles));
}

void run(const std::string& path) {
  std::ifstream file(path);
  const json job = json::parse(file);
  if (job.contains("threads")) at::set_num_threads(job["threads"].get<int>());
  EncoderModel model = modelOf(job);
  const auto steps = stepsOf(job);
  const std::string mode = job.at("mode").get<std::string>();
  if (mode == "gradients") runGradients(job, model, steps);
  if (mode == "train") runTraining(job, model, steps);
  if (job.contains("export")) exportModel(job, model);
}

}  // namespace
}  // namespace batchwise

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: model_tool JOB.json");
  batchwise::run(argv[1]);
  return 0;
} catch (const std::exception& e) {
  std::cerr << "model_tool: " << e.what() << "\n";
  return 1;
}
