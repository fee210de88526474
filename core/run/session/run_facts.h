// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>

#include "core/base/result.h"
#include "core/config/train_config.h"
#include "core/model/shape/model_shape.h"
#include "core/plan/plan.h"
#include "core/text/prepare_data.h"
#include "core/train/devices.h"

namespace batchwise {

/// What a run is made from besides weights and clocks. Saved in each checkpoint, so that one file suffices to resume,
/// export or try the model.
struct RunFacts {
  TrainConfig config;
  ResolvedValues resolved;
  TokenizerTexts tokenizer;
  std::string trainIdentity;  ///< of the training data set, hexadecimal
  std::string evalIdentity;   ///< PreparedData::evaluationIdentity()
  std::string modelConfig;    ///< text of config.json
  std::string environment;    ///< JSON: versions, devices, threads
};

RunFacts runFacts(const TrainConfig& config, const ResolvedValues& resolved, const PreparedData& data,
                  const ModelShape& shape, const std::string& environment);
/// Serializes the facts by name, for a checkpoint.
std::map<std::string, std::string> factsToText(const RunFacts& facts);
/// Parses facts. Fails with Corrupt, naming what is missing.
Result<RunFacts> factsFromText(const std::map<std::string, std::string>& text);

/// Returns, as JSON, the names, versions and numbers that decide whether a resume is bit-identical.
std::string environmentText(const TrainConfig& config, const DeviceChoice& devices);
/// Describes how two environments differ; empty if a resume is bit-identical.
std::string environmentDifference(const std::string& before, const std::string& now);

/// Returns "torch 2.11.0" and so on, one per line.
std::string libraryVersions();

}  // namespace batchwise
