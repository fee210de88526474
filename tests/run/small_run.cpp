// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/run/small_run.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <map>

#include "core/base/file.h"
#include "core/data/demo_corpus.h"
#include "core/store/workspace.h"

namespace batchwise::test {
namespace {

constexpr const char* kConfig = R"(version: 1
name: small
seed: 5
model: {preset: tiny, hidden_size: 32, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 64,
        max_position_embeddings: 64, hidden_dropout_prob: 0.1}
tokenizer: {train: {vocab_size: 300}}
data: {train: [text.txt], max_seq_len: 32, holdout: 0.05}
max_duration: 12ba
batch: {global_train_batch_size: 16, device_train_microbatch_size: 6}
optimizer: {lr: 2e-3}
scheduler: {name: linear_with_warmup, t_warmup: 3ba}
eval: {interval: 4ba}
checkpoint: {interval: 5ba, keep_last: 100}
devices: {use: cpu, threads: 1}
log: {every_step: true}
)";

// Takes every event down and posts one command when a step has been reported.
class Recorder final : public EventSink {
 public:
  Recorder(RunLog& log, CommandMailbox& commands, std::optional<std::int64_t> commandAfter, RunCommand command)
      : log_(log), commands_(commands), commandAfter_(commandAfter), command_(command) {}

  void publish(const RunEvent& event) override {
    std::visit([this](const auto& one) { take(one); }, event);
  }

 private:
  void take(const RunStarted& event) {
    log_.started.push_back(event);
    reached(event.from.step);
  }
  void take(const PhaseProgress&) {}
  void take(const MetricsRow& event) {
    log_.rows.push_back(event);
    reached(event.at.step);
  }
  void take(const EvalResult& event) { log_.evaluations.push_back(event); }
  void take(const CheckpointSaved& event) { log_.checkpoints.push_back(event); }
  void take(const RunNote& event) { log_.notes.push_back(event); }
  void take(const RunFinished& event) { log_.finished.push_back(event); }
  // The loop reads commands in every step: one that comes after step n - 1 is obeyed after step n.
  void reached(std::int64_t step) {
    if (commandAfter_ == step + 1) commands_.post(command_);
  }

  RunLog& log_;
  CommandMailbox& commands_;
  const std::optional<std::int64_t> commandAfter_;
  const RunCommand command_;
};

LoopState withoutSeconds(LoopState state) {
  for (Timestamp* at : {&state.now, &state.batchStart, &state.growth.askedAt}) at->seconds = 0;
  state.window.seconds = 0;
  return state;
}

}  // namespace

bool RunLog::hasNote(const std::string& part) const {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const RunNote& note) { return note.text.find(part) != std::string::npos; });
}

SmallRuns::SmallRuns() {
  DemoCorpusSpec spec;
  spec.paragraphs = 45;
  const Result<void> written = writeFileAtomically(folder_ / "text.txt", demoCorpus(spec));
  EXPECT_TRUE(written.ok());
}

LoadedConfig SmallRuns::config(const std::vector<std::string>& changes) const {
  LoadedConfig config = parseConfigWith(kConfig, "small.yaml", folder_.path(), changes);
  EXPECT_TRUE(config.ok()) << config.errorText();
  return config;
}

LaunchRequest SmallRuns::fresh(const std::vector<std::string>& changes) const {
  LaunchRequest request;
  request.workspace = folder_ / "workspace";
  request.config = config(changes);
  return request;
}

LaunchRequest SmallRuns::resume(const std::string& run, const std::vector<std::string>& changes) const {
  LaunchRequest request = fresh(changes);
  request.resumeRun = run;
  return request;
}

SmallRuns::Outcome SmallRuns::train(const LaunchRequest& request, std::optional<std::int64_t> stopAfter,
                                    RunCommand command) const {
  RunLog log;
  CommandMailbox commands;
  Recorder recorder(log, commands, stopAfter, command);
  Result<RunFinished> end = trainRun(request, recorder, commands, clock_);
  return {std::move(end), std::move(log)};
}

std::shared_ptr<Workspace> SmallRuns::workspace() const {
  Result<std::shared_ptr<Workspace>> opened = Workspace::open(folder_ / "workspace", Workspace::Mode::ReadOnly, clock_);
  EXPECT_TRUE(opened.ok());
  return *opened;
}

RunCheckpoint SmallRuns::newest(const std::string& run) const {
  Result<RunCheckpoint> opened = openCheckpoint(*workspace(), run, "");
  EXPECT_TRUE(opened.ok()) << opened.error().text();
  return *opened;
}

void expectSameState(const RunCheckpoint& left, const RunCheckpoint& right) {
  EXPECT_EQ(withoutSeconds(left.loop), withoutSeconds(right.loop));
  EXPECT_EQ(left.facts.resolved, right.facts.resolved);
  EXPECT_EQ(left.facts.trainIdentity, right.facts.trainIdentity);
  ASSERT_EQ(left.state.tensors.size(), right.state.tensors.size());
  for (std::size_t i = 0; i < left.state.tensors.size(); ++i) {
    EXPECT_EQ(left.state.tensors[i].name, right.state.tensors[i].name);
    EXPECT_TRUE(torch::equal(left.state.tensors[i].tensor, right.state.tensors[i].tensor))
        << left.state.tensors[i].name;
  }
}

void expectSameRows(const std::vector<MetricsRow>& left, const std::vector<MetricsRow>& right) {
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    MetricsRow a = left[i];
    MetricsRow b = right[i];
    for (MetricsRow* row : {&a, &b}) {
      row->at.seconds = row->stepSec = row->samplesPerSec = row->tokensPerSec = 0;
      row->devices.clear();
    }
    EXPECT_EQ(a, b) << "row " << i << " at step " << a.at.step << ": loss " << a.loss << " and " << b.loss;
  }
}

}  // namespace batchwise::test
