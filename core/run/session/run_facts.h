// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>

#include "core/base/result.h"
#include "core/batch/plan.h"
#include "core/config/train_config.h"
#include "core/data/prepare_data.h"
#include "core/exchange/model_shape.h"
#include "core/train/devices.h"

namespace batchwise {

/// What a run is made from, beside weights and clocks: written into each of its checkpoints, so that one file is enough
/// to go on, to export or to try the model.
struct RunFacts {
  TrainConfig config;
  ResolvedValues resolved;
  std::string vocabulary;  ///< text of vocab.txt
  bool lowercase = true;
  std::string trainIdentity;  ///< of the data set, hexadecimal
  std::string evalIdentity;   ///< empty without evaluation data
  std::string modelConfig;    ///< text of config.json
  std::string environment;    ///< JSON: versions, devices, threads
};

RunFacts runFacts(const TrainConfig& config, const ResolvedValues& resolved, const PreparedData& data,
                  const ModelShape& shape, const std::string& environment);
/// By name, for a checkpoint.
std::map<std::string, std::string> factsToText(const RunFacts& facts);
/// Fails with Corrupt, naming what is missing.
Result<RunFacts> factsFromText(const std::map<std::string, std::string>& text);

/// Names, versions and numbers that decide whether a resume gives the same bits, as JSON.
std::string environmentText(const TrainConfig& config, const DeviceChoice& devices);
/// What differs between two environments, in words; empty if a resume continues bit for bit.
std::string environmentDifference(const std::string& before, const std::string& now);

/// "torch 2.11.0" and so on, one a line.
std::string libraryVersions();

}  // namespace batchwise
