// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/store_fixture.h"

#include <gtest/gtest.h>

#include "core/store/checkpoints/checkpoint_file.h"
#include "tests/support/checked.h"

namespace batchwise::test {

std::shared_ptr<Workspace> openStore(const std::filesystem::path& folder, const Clock& clock) {
  auto opened = Workspace::open(folder, Workspace::Mode::ReadWrite, clock);
  if (!opened.ok()) {
    ADD_FAILURE() << opened.error().text();
    throw std::runtime_error("no workspace");
  }
  return *opened;
}

std::string makeRun(Workspace& workspace, const std::string& name) {
  NewRun run;
  run.name = name;
  run.configYaml = "version: 1\n";
  run.resolvedYaml = "version: 1\nseed: 17\n";
  run.plannedBatches = 100;
  return *checked(workspace.createRun(run));
}

std::unique_ptr<RunWriter> startRun(const std::shared_ptr<Workspace>& workspace, const std::string& run,
                                    const Timestamp& from) {
  auto writer = RunWriter::open(workspace, run, {from, "", "{}", ""});
  if (!writer.ok()) {
    ADD_FAILURE() << writer.error().text();
    throw std::runtime_error("no writer");
  }
  return std::move(*writer);
}

std::string fillStore(const std::shared_ptr<Workspace>& workspace, std::int64_t rows) {
  NewRun run;
  run.name = "run";
  run.configYaml = "version: 1\noptimizer: {lr: 5e-4}\n" + std::string(6000, '#') + "\n";
  run.resolvedYaml = "version: 1\nseed: 17\noptimizer: {lr: 0.0005}\n";
  run.resolvedValues = {{"batch.microbatch", "32"}, {"scheduler.t_max", "100ba"}};
  run.references = {{"unigram_entropy", 6.25}};
  run.plannedBatches = rows;
  run.tags = {"baseline", "wikitext"};
  run.why = "to be looked at";
  const std::string id = *workspace->createRun(run);
  const auto writer = startRun(workspace, id);
  for (std::int64_t batch = 1; batch <= rows; ++batch) {
    writer->publish(rowOf(batch));
    if (batch % 50 == 0) writer->publish(EvalResult{afterBatches(batch), 4.0, 54.6, 0.25, 640, 64'000, 1.5});
    if (batch % 200 == 0)
      writer->publish(RunNote{NoteLevel::Info, "note at " + std::to_string(batch), afterBatches(batch)});
  }
  writer->publish(RunFinished{RunStatus::Finished, "done", afterBatches(rows), "c1"});
  EXPECT_TRUE(writer->flush().ok());
  auto checkpoint = CheckpointWriter::create(workspace->checkpointFolder() / "c1.sqlite", 100);
  EXPECT_TRUE(checkpoint.ok() && checkpoint->finish({{"clock", "{}"}}).ok());
  CheckpointRecord record = checkpointOf("c1", rows, "checkpoints/c1.sqlite");
  record.metric = 4.0;
  EXPECT_TRUE(writer->addCheckpoint(record).ok());
  EXPECT_TRUE(workspace->setNote(id, "**good**").ok());
  EXPECT_TRUE(workspace->saveSetting("layout", "{\"docks\": 3}").ok());
  return id;
}

Timestamp afterBatches(std::int64_t batch) {
  Timestamp at;
  at.batch = batch;
  at.step = batch;
  at.sample = batch * 32;
  at.token = batch * 3200;
  at.seconds = static_cast<double>(batch) * 0.25;
  at.batchInEpoch = batch;
  at.unitInEpoch = at.sampleInEpoch = at.sample;
  at.tokenInEpoch = at.token;
  return at;
}

MetricsRow rowOf(std::int64_t batch, double loss) {
  MetricsRow row;
  row.at = afterBatches(batch);
  row.loss = loss;
  row.learningRate = static_cast<double>(batch) * 1e-6;
  row.stepSamples = row.globalBatchSamples = 32;
  row.gradNorm = 1.5;
  row.samplesPerSec = 128;
  row.tokensPerSec = 12800;
  row.stepSec = 0.25;
  row.fill = 0.75;
  row.devices = {{"cpu:0", 1000 + batch, 0, 2000 + batch, 1 << 30}};
  return row;
}

MetricsRow rowOf(std::int64_t batch) {
  return rowOf(batch, 10.0 / (1.0 + static_cast<double>(batch)));
}

CheckpointRecord checkpointOf(const std::string& id, std::int64_t batch, const std::string& file) {
  CheckpointRecord record;
  record.id = id;
  record.at = afterBatches(batch);
  record.file = file;
  record.reason = CheckpointReason::Interval;
  return record;
}

}  // namespace batchwise::test
