// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/run/small_run.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/run/launch/launch_data.h"
#include "core/run/launch/resolved_values.h"
#include "core/run/ranks/run_ranks.h"
#include "core/store/workspace.h"
#include "core/text/demo_corpus.h"

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

// The command that is to be obeyed after a step, if any.
using CommandAfter = std::function<std::optional<RunCommand>(std::int64_t step)>;

// Takes every event down and posts commands when steps have been reported.
class Recorder final : public EventSink {
 public:
  Recorder(RunLog& log, CommandMailbox& commands, CommandAfter commandAfter)
      : log_(log), commands_(commands), commandAfter_(std::move(commandAfter)) {}

  void publish(const RunEvent& event) override {
    std::visit([this](const auto& one) { take(one); }, event);
  }

 private:
  void take(const RunStarted& event) {
    log_.started.push_back(event);
    reached(event.from.step);
  }
  void take(const PhaseProgress& event) { log_.phases.push_back(event); }
  void take(const MetricsRow& event) {
    addRow(log_.rows, event);
    if (event.at.stepInBatch > 0) log_.steps.push_back(event);
    reached(event.at.step);
  }
  void take(const EvalResult& event) { log_.evaluations.push_back(event); }
  void take(const CheckpointSaved& event) { log_.checkpoints.push_back(event); }
  void take(const RunNote& event) { log_.notes.push_back(event); }
  void take(const RunFinished& event) { log_.finished.push_back(event); }
  // The loop reads commands in every step: one that comes after step n - 1 is obeyed after step n.
  void reached(std::int64_t step) {
    if (step < asked_) return;  // a part has a row, and the global batch it ends has one too
    asked_ = step + 1;
    if (const auto command = commandAfter_(step + 1)) commands_.post(*command);
  }

  RunLog& log_;
  CommandMailbox& commands_;
  const CommandAfter commandAfter_;
  std::int64_t asked_ = 0;  // the step after which the newest command was asked for
};

SmallRuns::Outcome trainWith(const LaunchRequest& request, const CommandAfter& commandAfter, const Clock& clock) {
  RunLog log;
  CommandMailbox commands;
  Recorder recorder(log, commands, commandAfter);
  Result<RunFinished> end = trainRun(request, recorder, commands, clock);
  return {std::move(end), std::move(log)};
}

// Numbers that are no numbers are equal to each other.
double comparable(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::lowest() : value;
}

// A row without what may differ.
MetricsRow comparable(MetricsRow row) {
  row.devices.clear();
  row.at.seconds = row.stepSec = row.samplesPerSec = row.tokensPerSec = 0;
  for (double* value : {&row.loss, &row.gradNorm}) *value = comparable(*value);
  if (row.gradNormMean) row.gradNormMean = comparable(*row.gradNormMean);
  return row;
}

bool sameRow(const MetricsRow& left, const MetricsRow& right, double secondsApart) {
  return comparable(left) == comparable(right) && std::abs(left.at.seconds - right.at.seconds) <= secondsApart &&
         std::abs(left.stepSec - right.stepSec) <= secondsApart;
}

bool sameEvaluation(EvalResult left, EvalResult right, double secondsApart) {
  const bool near = std::abs(left.at.seconds - right.at.seconds) <= secondsApart;
  for (EvalResult* result : {&left, &right}) {
    result->seconds = result->at.seconds = 0;
    for (double* value : {&result->loss, &result->perplexity}) *value = comparable(*value);
    if (result->bitsPerByte) result->bitsPerByte = comparable(*result->bitsPerByte);
  }
  return near && left == right;
}

// The seconds of a state, and the state as text without them.
std::pair<std::vector<double>, std::string> comparable(LoopState state) {
  std::vector<double> seconds;
  for (double* value : {&state.now.seconds, &state.batchStart.seconds, &state.stageStart.seconds,
                        &state.growth.evaluatedAt.seconds, &state.window.seconds})
    seconds.push_back(std::exchange(*value, 0.0));
  return {seconds, loopStateText(state)};
}

std::string text(double value) {
  return formatExact(value);
}

}  // namespace

double TickingClock::monotonicSec() const {
  constexpr double kTickSec = 1.0 / 4.0;
  thread_local std::int64_t ticks = 0;
  return static_cast<double>(++ticks) * kTickSec;
}

std::vector<std::string> with(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void addRow(std::vector<MetricsRow>& rows, const MetricsRow& row) {
  const bool whole = row.at.stepInBatch == 0 && row.parts == 1;
  if (whole && !rows.empty() && rows.back().at.stepInBatch > 0 && rows.back().at.step == row.at.step) rows.pop_back();
  rows.push_back(row);
}

bool RunLog::hasPhase(const std::string& phase, const std::string& unit) const {
  return std::any_of(phases.begin(), phases.end(), [&](const PhaseProgress& told) {
    return told.phase == phase && told.unit == unit && told.total > 0;
  });
}

bool RunLog::hasNote(const std::string& part) const {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const RunNote& note) { return note.text.find(part) != std::string::npos; });
}

SmallRuns::SmallRuns() {
  DemoCorpusSpec spec;
  spec.paragraphs = 45;
  const auto written = checked(writeFileAtomically(folder_ / "text.txt", demoCorpus(spec)));
}

LoadedConfig SmallRuns::config(const std::vector<std::string>& changes) const {
  LoadedConfig config = checked(parseConfig(kConfig, "small.yaml", folder_.path(), changes));
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
  const CommandAfter once = [=](std::int64_t step) {
    return stopAfter == step ? std::optional(command) : std::nullopt;
  };
  return trainWith(request, once, clock_);
}

SmallRuns::Outcome SmallRuns::trainSavingEachStep(const LaunchRequest& request) const {
  return trainWith(
      request, [](std::int64_t) { return RunCommand::SaveCheckpoint; }, clock_);
}

RunCheckpoint SmallRuns::takenAfter(const std::string& run, std::int64_t step) const {
  return *checked(openCheckpoint(*workspace(), run, run + "-0-" + std::to_string(step)));
}

std::shared_ptr<Workspace> SmallRuns::workspace() const {
  return *checked(Workspace::open(folder_ / "workspace", Workspace::Mode::ReadOnly, clock_));
}

RunCheckpoint SmallRuns::newest(const std::string& run) const {
  return *checked(openCheckpoint(*workspace(), run, ""));
}

std::string stateDifference(const RunCheckpoint& left, const RunCheckpoint& right, double secondsApart) {
  const auto near = [&](double a, double b) { return std::abs(a - b) <= secondsApart; };
  const auto [secondsBefore, before] = comparable(left.loop);
  const auto [secondsAfter, after] = comparable(right.loop);
  if (before != after || !std::equal(secondsBefore.begin(), secondsBefore.end(), secondsAfter.begin(), near))
    return "state: " + loopStateText(left.loop) + " and " + loopStateText(right.loop);
  if (left.state.tensors.size() != right.state.tensors.size()) return "the number of tensors";
  for (std::size_t i = 0; i < left.state.tensors.size(); ++i) {
    const auto& [name, tensor] = left.state.tensors[i];
    if (name != right.state.tensors[i].name) return "tensor " + name + " and " + right.state.tensors[i].name;
    const auto bytes = static_cast<std::size_t>(tensor.nbytes());
    const at::Tensor& other = right.state.tensors[i].tensor;
    if (bytes != other.nbytes() || std::memcmp(tensor.data_ptr(), other.data_ptr(), bytes) != 0)
      return "tensor " + name;
  }
  return {};
}

std::string rowsDifference(const std::vector<MetricsRow>& left, const std::vector<MetricsRow>& right,
                           double secondsApart) {
  if (left.size() != right.size())
    return std::to_string(left.size()) + " and " + std::to_string(right.size()) + " rows";
  for (std::size_t i = 0; i < left.size(); ++i)
    if (!sameRow(left[i], right[i], secondsApart))
      return "row " + std::to_string(i) + " at step " + std::to_string(left[i].at.step) + ": loss " +
             text(left[i].loss) + " and " + text(right[i].loss) + ", " + text(left[i].at.seconds) + " s and " +
             text(right[i].at.seconds) + " s";
  return {};
}

std::string evaluationsDifference(const std::vector<EvalResult>& left, const std::vector<EvalResult>& right,
                                  double secondsApart) {
  if (left.size() != right.size())
    return std::to_string(left.size()) + " and " + std::to_string(right.size()) + " evaluations";
  for (std::size_t i = 0; i < left.size(); ++i)
    if (!sameEvaluation(left[i], right[i], secondsApart))
      return "evaluation " + std::to_string(i) + ": loss " + text(left[i].loss) + " and " + text(right[i].loss);
  return {};
}

void expectSameState(const RunCheckpoint& left, const RunCheckpoint& right, double secondsApart) {
  EXPECT_EQ(stateDifference(left, right, secondsApart), "");
  EXPECT_EQ(left.facts.resolved, right.facts.resolved);
  EXPECT_EQ(left.facts.trainIdentity, right.facts.trainIdentity);
}

void expectSameRows(const std::vector<MetricsRow>& left, const std::vector<MetricsRow>& right, double secondsApart) {
  EXPECT_EQ(rowsDifference(left, right, secondsApart), "");
}

std::vector<StepMicroBatch> microBatchesAfter(const SmallRuns& runs, const RunCheckpoint& from, std::int64_t device,
                                              std::size_t most) {
  LoadedConfig config = runs.config();
  config.config = from.facts.config;
  NullSink nobody;
  CommandMailbox commands;
  const auto data = checked(prepareLaunchData(config, runs.workspace()->cacheFolder(), nobody, commands));
  const DeviceShape shape{std::stoll(from.facts.resolved.at(resolved_names::kDevices)), from.loop.microbatchUnits};
  const auto plan =
      checked(Plan::restore(config.config, from.facts.resolved, std::make_shared<DatasetLengths>(data->train), shape));
  StepStream stream(*plan, trainingData(config.config, *data), device, from.loop.now, from.loop.growth,
                    from.loop.passesPerPack);
  std::vector<StepMicroBatch> all;
  std::int64_t step = from.loop.now.step - 1;
  while (all.size() < most) {
    auto next = checked(stream.next());
    if (!*next) break;
    if ((*next)->index == 0) ++step;
    all.push_back({step, std::move((*next)->batch)});
  }
  return all;
}

void expectSameMicroBatches(const std::vector<StepMicroBatch>& left, const std::vector<StepMicroBatch>& right) {
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    SCOPED_TRACE("micro-batch " + std::to_string(i) + ", step " + std::to_string(left[i].step));
    EXPECT_EQ(left[i].step, right[i].step);
    EXPECT_EQ(left[i].batch.sampleIds, right[i].batch.sampleIds);
    EXPECT_EQ(left[i].batch.tokenIds, right[i].batch.tokenIds);
    EXPECT_EQ(left[i].batch.predictedPositions, right[i].batch.predictedPositions);
    EXPECT_EQ(left[i].batch.labels, right[i].batch.labels);
    EXPECT_EQ(left[i].batch.indicesInStep, right[i].batch.indicesInStep);
  }
}

}  // namespace batchwise::test
