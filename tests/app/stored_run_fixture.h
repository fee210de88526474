// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>

#include "core/config/config_file.h"
#include "core/store/recording/run_writer.h"
#include "core/store/workspace.h"
#include "tests/app/command_fixture.h"

namespace batchwise::test {

/// A workspace that runs are entered into without training them.
class StoredRunFixture : public CommandTest {
 protected:
  /// Enters a run of three global batches with the loss 4, 3, nan.
  std::string storeRun(const std::string& name, double rate) const {
    const auto opened = Workspace::open(workspace());
    EXPECT_TRUE(opened.ok()) << opened.error().text();
    TrainConfig config;
    config.name = name;
    config.optimizer.lr = rate;
    NewRun run;
    run.name = name;
    run.configYaml = configToYaml(config, YamlScope::ChangedOnly);
    run.resolvedYaml = configToYaml(config, YamlScope::Everything);
    run.resolvedValues = {{"scheduler.t_max", "3ba"}};
    run.plannedBatches = 3;
    const auto id = (*opened)->createRun(run);
    EXPECT_TRUE(id.ok()) << id.error().text();
    const auto writer = RunWriter::open(*opened, *id, {});
    EXPECT_TRUE(writer.ok()) << writer.error().text();
    Timestamp at;
    for (const double loss : {4.0, 3.0, std::nan("")}) {
      at = at.afterStep({32, 320, 0.5}, 32).afterBatch();
      MetricsRow row;
      row.at = at;
      row.loss = loss;
      row.learningRate = rate;
      row.devices = {{"cpu:0", 1 << 20, 1 << 20, std::int64_t{3} << 30, std::int64_t{8} << 30}};
      (*writer)->publish(row);
    }
    (*writer)->publish(RunFinished{RunStatus::Finished, "max_duration reached", at, ""});
    EXPECT_TRUE((*writer)->flush().ok());
    return *id;
  }
};

}  // namespace batchwise::test
