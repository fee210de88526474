// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/analysis/comparison_fixture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/config/config_file.h"
#include "core/store/recording/run_writer.h"
#include "tests/support/checked.h"

namespace batchwise::test {

double madeLoss(const MadeRun& made, std::int64_t batch) {
  return batch == made.nanAt || batch >= made.nanFrom ? std::nan("")
                                                      : made.floor + 8 / (1 + static_cast<double>(batch) / 10);
}

std::string storeMadeRun(const std::shared_ptr<Workspace>& workspace, const MadeRun& made) {
  const LoadedConfig config =
      checked(parseConfig("data: {train: [a.txt]}\nmax_duration: 1ep\n" + made.yaml, "made", {}));
  NewRun run;
  run.name = made.name;
  run.configYaml = configToYaml(config.config, YamlScope::ChangedOnly);
  run.resolvedYaml = configToYaml(config.config, YamlScope::Everything);
  run.plannedBatches = made.batches;
  run.resolvedValues = made.resolvedValues;
  const auto id = checked(workspace->createRun(run));
  const auto writer = checked(RunWriter::open(workspace, *id, {}));
  Timestamp at;
  const std::int64_t tokens = made.tokens > 0 ? made.tokens : made.samples * 100;
  for (std::int64_t batch = 1; batch <= made.batches; ++batch) {
    const std::int64_t samples = made.samples / made.parts, ofStep = tokens / made.parts;
    double loss = 0;
    for (std::int64_t part = 0; part < made.parts; ++part) {
      at = at.afterStep({samples, ofStep, made.secondsPerBatch / static_cast<double>(made.parts)}, samples);
      const double begun = static_cast<double>(batch) + static_cast<double>(part) / static_cast<double>(made.parts);
      loss += (part == 0 ? madeLoss(made, batch) : made.floor + 8 / (1 + begun / 10)) / static_cast<double>(made.parts);
    }
    at = at.afterBatch();
    made.afterBatch();
    if (batch % made.every != 0) continue;
    MetricsRow row;
    row.at = at;
    row.loss = loss;
    row.parts = made.parts;
    row.learningRate = 1e-4;
    row.stepSamples = samples;
    row.globalBatchSamples = made.samples;
    row.tokensPerSec = static_cast<double>(tokens) / made.secondsPerBatch;
    row.devices = {{"cpu:0", 1 << 20, 0, (made.samples + batch) << 20, 0}};
    (*writer)->publish(row);
    if (batch % made.evaluateEvery == 0 || (made.evaluateAtEnd && batch == made.batches))
      (*writer)->publish(
          EvalResult{at, madeLoss(made, batch) + 0.1, 1, 0.5, 10, 1000, 1, made.sets, {}, {}, 0, 0, made.tasks});
  }
  (*writer)->publish(RunFinished{RunStatus::Finished, "max_duration reached", at, ""});
  EXPECT_TRUE((*writer)->flush().ok());
  return *id;
}

std::vector<std::string> storeAblations(const std::shared_ptr<Workspace>& workspace) {
  std::vector<std::string> ids;
  for (int ablation = 0; ablation < 5; ++ablation)
    for (int seed = 0; seed < 2; ++seed) {
      MadeRun made;
      made.name = "rate-" + std::to_string(ablation) + "-seed-" + std::to_string(seed);
      made.yaml = "seed: " + std::to_string(seed + 1) + "\noptimizer: {lr: " + std::to_string(ablation + 1) + "e-4}\n";
      made.batches = 120 + 10 * ablation;
      made.floor = 2.5 - 0.2 * ablation + 0.02 * seed;
      ids.push_back(storeMadeRun(workspace, made));
    }
  return ids;
}

}  // namespace batchwise::test
