// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/session/run_facts.h"

#include <ATen/Version.h>
#include <ATen/cuda/CUDAContext.h>
#include <torch/version.h>

#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/texts.h"
#include "core/config/default_values.h"
#include "core/model/hugging_face/hugging_face.h"

namespace batchwise {
namespace {

constexpr const char* kConfig = "config";
constexpr const char* kResolved = "resolved";
constexpr const char* kVocabulary = "tokenizer.vocab";
constexpr const char* kLowercase = "tokenizer.lowercase";
constexpr const char* kTokenizerJson = "tokenizer.json";           // of tokenizers other than BERT's; the vocabulary
constexpr const char* kTokenizerConfig = "tokenizer_config.json";  // is empty then
constexpr const char* kTrainData = "data.train";
constexpr const char* kEvalData = "data.eval";
constexpr const char* kModelConfig = "model.config";
constexpr const char* kEnvironment = "environment";

}  // namespace

RunFacts runFacts(const TrainConfig& config, const ResolvedValues& resolved, const PreparedData& data,
                  const ModelShape& shape, const std::string& environment) {
  RunFacts facts;
  facts.config = config;
  facts.resolved = resolved;
  facts.tokenizer = data.tokenizer.texts();
  facts.trainIdentity = data.train.identity().hex();
  facts.evalIdentity = data.evaluationIdentity();
  facts.modelConfig = storedConfig(shape, data.tokenizer.vocabulary().special());
  facts.environment = environment;
  return facts;
}

std::map<std::string, std::string> factsToText(const RunFacts& facts) {
  std::map<std::string, std::string> text = {{kConfig, configToYaml(facts.config, YamlScope::Everything)},
                                             {kResolved, nlohmann::json(facts.resolved).dump()},
                                             {kVocabulary, facts.tokenizer.vocabulary},
                                             {kLowercase, facts.tokenizer.lowercase ? "true" : "false"},
                                             {kTrainData, facts.trainIdentity},
                                             {kEvalData, facts.evalIdentity},
                                             {kModelConfig, facts.modelConfig},
                                             {kEnvironment, facts.environment}};
  if (facts.tokenizer.json.empty()) return text;
  text[kTokenizerJson] = facts.tokenizer.json;
  text[kTokenizerConfig] = facts.tokenizer.config;
  return text;
}

Result<RunFacts> factsFromText(const std::map<std::string, std::string>& text) {
  for (const char* name :
       {kConfig, kResolved, kVocabulary, kLowercase, kTrainData, kEvalData, kModelConfig, kEnvironment})
    if (!text.contains(name)) return Error::corrupt(formatText("the checkpoint does not record its {}", name));
  RunFacts facts;
  const LoadedConfig config = parseConfig(text.at(kConfig), std::string("the checkpoint"), {});
  if (!config.ok()) return Error::corrupt(formatText("the configuration in the checkpoint: {}", config.errorText()));
  facts.config = config.config;
  const nlohmann::json resolved = parseJsonOrDiscarded(text.at(kResolved));
  if (!resolved.is_object()) return Error::corrupt("the resolved values in the checkpoint are not a JSON object");
  for (const auto& [name, value] : resolved.items()) {
    if (!value.is_string())
      return Error::corrupt(formatText("the resolved value {} in the checkpoint is not a string", name));
    facts.resolved[name] = value.get<std::string>();
  }
  facts.tokenizer.vocabulary = text.at(kVocabulary);
  facts.tokenizer.lowercase = text.at(kLowercase) == "true";
  if (const auto json = text.find(kTokenizerJson); json != text.end()) facts.tokenizer.json = json->second;
  if (const auto names = text.find(kTokenizerConfig); names != text.end()) facts.tokenizer.config = names->second;
  facts.trainIdentity = text.at(kTrainData);
  facts.evalIdentity = text.at(kEvalData);
  facts.modelConfig = text.at(kModelConfig);
  facts.environment = text.at(kEnvironment);
  return facts;
}

std::string libraryVersions() {
  std::string text = "batchwise " BATCHWISE_VERSION "\ntorch " TORCH_VERSION "\ncuda ";
  const int cuda = CUDART_VERSION;
  text += std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10) + "\n";
  if (at::hasMKL()) text += at::get_mkl_version() + "\n";
  text += at::get_mkldnn_version() + "\n" + at::get_openmp_version() + "\n" + at::get_cpu_capability();
  return text;
}

std::string environmentText(const TrainConfig& config, const DeviceChoice& devices) {
  nlohmann::json names = nlohmann::json::array();
  for (std::int64_t process = 0; process < devices.share.processes; ++process)
    for (const c10::Device& device : devices.devices) names.push_back(deviceDescription(device));
  const nlohmann::json environment = {{"versions", libraryVersions()},
                                      {"device_kind", devices.onGpu() ? "cuda" : "cpu"},
                                      {"devices", names},
                                      {"threads_per_device", devices.threadsPerDevice},
                                      {"deterministic", config.devices.deterministic}};
  return environment.dump();
}

std::string environmentDifference(const std::string& before, const std::string& now) {
  const nlohmann::json old = parseJsonOrDiscarded(before);
  const nlohmann::json current = parseJsonOrDiscarded(now);
  std::string differences;
  const auto compare = [&](const char* key, const std::string& difference) {
    if (old.is_object() && current.is_object() &&
        old.value(key, nlohmann::json()) == current.value(key, nlohmann::json()))
      return;
    differences = differences.empty() ? difference : listItemsText(differences, difference);
  };
  compare("versions", "other library versions");
  compare("device_kind", "another kind of device");
  compare("devices", "other devices");
  compare("threads_per_device", "other threads per device");
  compare("deterministic", "another setting of devices.deterministic");
  return differences;
}

}  // namespace batchwise
