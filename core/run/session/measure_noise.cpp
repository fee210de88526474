// SPDX-License-Identifier: GPL-3.0-or-later
// The noise scale of a checkpoint's gradient, by a backward pass per sequence.
#include <torch/torch.h>

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/model/device_error.h"
#include "core/plan/run_plan.h"
#include "core/run/launch/launch_data.h"
#include "core/run/launch/resolved_values.h"
#include "core/run/ranks/run_ranks.h"
#include "core/run/session/launch_model.h"
#include "core/run/session/run_preparation.h"
#include "core/run/session/run_session.h"
#include "core/store/workspace_folder.h"
#include "core/train/evaluation.h"
#include "core/train/gradient_parts.h"
#include "core/train/step_stream.h"

namespace batchwise {
namespace {

struct RunData {
  std::optional<Plan> plan;
  TrainingData training;
};

/// Prepares the text that the run reads at the checkpoint, and its plan for one device and single samples.
Result<RunData> dataAt(const RunCheckpoint& checkpoint, const std::filesystem::path& workspace, EventSink& events,
                       std::vector<std::string>& notes) {
  const RunFacts& facts = checkpoint.facts;
  LoadedConfig config;
  config.config = facts.config;
  if (const auto folder = facts.resolved.find(resolved_names::kBaseFolder); folder != facts.resolved.end())
    config.baseFolder = folder->second;
  const std::filesystem::path cache = workspace / kCacheFolder;
  CommandMailbox noCommands;
  ASSIGN_OR_RETURN(auto moved, findMovedData(config, cache, events, noCommands));
  notes.insert(notes.end(), moved.begin(), moved.end());
  ASSIGN_OR_RETURN(const auto own, prepareLaunchData(config, cache, events, noCommands));
  if (own.train.identity().hex() != facts.trainIdentity)
    return Error::config(
        "the training text or the tokenizer is not what the run has trained on; restore the files under data.train");
  ASSIGN_OR_RETURN(const auto stages, prepareStageData(config, own, cache, events, noCommands));
  const auto inputs = [&stages, index = std::size_t{0}](const RunStage&) mutable {
    RunPlan::StageInput input{std::make_shared<DatasetLengths>(stages[index].train), {1, 1, 0}};
    ++index;
    return Result<RunPlan::StageInput>(std::move(input));
  };
  ASSIGN_OR_RETURN(const auto runPlan, RunPlan::restore(config.config, facts.resolved, inputs));
  LoopState state = checkpoint.loop;
  state.microbatchUnits = 1;
  ASSIGN_OR_RETURN(auto plan, planOf(runPlan, state));
  const auto stage = static_cast<std::size_t>(state.stage);
  return RunData{std::move(plan), trainingData(runPlan.stages()[stage].config, stages[stage])};
}

/// Measures steps of `samples` sequences at fixed weights.
class NoiseMeter {
 public:
  NoiseMeter(EncoderModel& model, const TrainingData& data, std::int64_t step)
      : model_(model),
        seed_(data.seed),
        step_(step),
        parts_(model, GradientParts::Of::Microbatches),
        ofNorms_(model, GradientParts::Of::Samples) {
    whole_.setHalfLife(std::numeric_limits<double>::infinity());
    norms_ = whole_;
  }

  void add(const std::vector<MicroBatch>& sequences) {
    std::int64_t predicted = 0;
    StepNoise step{0, 1, 0, 0, std::ssize(sequences), 0};
    for (const MicroBatch& one : sequences) {
      predicted += one.predicted();
      step.tokens += one.tokens();
      step.inverse += static_cast<double>(one.predicted()) * static_cast<double>(one.predicted());
    }
    if (predicted == 0) return;
    step.inverse /= static_cast<double>(predicted) * static_cast<double>(predicted);
    for (const NamedTensor& parameter : model_.parameters()) parameter.tensor.mutable_grad().zero_();
    parts_.startStep();
    ofNorms_.startStep();
    for (const MicroBatch& one : sequences) {
      parts_.startPass(one);
      const LossSums sums = model_.forward(toDevice(one, model_.device()),
                                           {seed_, step_, /*training=*/true, false, ofNorms_.startPass(one)});
      model_.backward(sums, 1.0 / static_cast<double>(predicted));
      parts_.endPass(one, predicted);
      ofNorms_.endPass(one, predicted);
    }
    StepNoise ofNorms = step;
    step.partNormSquared = parts_.sum().item<double>();
    std::vector<at::Tensor> parameters;
    for (const NamedTensor& parameter : model_.parameters()) parameters.push_back(parameter.tensor);
    step.normSquared = squaredGradientNorm(parameters).item<double>();
    ofNorms.partNormSquared = ofNorms_.sum().item<double>();
    ofNorms.normSquared = ofNorms_.wholeNormSquared().item<double>();
    whole_.add(step);
    norms_.add(ofNorms);
  }

  const NoiseEstimator& whole() const { return whole_; }
  const NoiseEstimator& norms() const { return norms_; }

 private:
  EncoderModel& model_;
  const std::uint64_t seed_;
  const std::int64_t step_;
  GradientParts parts_, ofNorms_;
  NoiseEstimator whole_, norms_;
};

}  // namespace

Result<MeasuredNoise> measureNoise(const NoiseRequest& request, EventSink& events, const Clock& clock) try {
  DevicesConfig devicesConfig;
  devicesConfig.use = request.device;
  ASSIGN_OR_RETURN(const auto devices, useNotedDevices(devicesConfig, events));
  setMatmulPrecision(Precision::Fp32);
  ASSIGN_OR_RETURN(const auto workspace, Workspace::open(request.workspace, Workspace::Mode::ReadOnly, clock));
  ASSIGN_OR_RETURN(const auto checkpoint, openCheckpoint(*workspace, request.run, request.checkpoint));
  MeasuredNoise found;
  found.checkpoint = {checkpoint.record.id, checkpoint.notes};
  found.at = checkpoint.loop.now;
  ASSIGN_OR_RETURN(const auto data, dataAt(checkpoint, request.workspace, events, found.checkpoint.notes));
  ASSIGN_OR_RETURN(auto model, modelOf(checkpoint, devices.devices.front()));
  // A pack is cut into its sequences, each a pass of its own.
  constexpr std::int64_t kCut = std::int64_t{1} << 31;
  const auto streamFrom = [&](const Timestamp& at) {
    return std::make_unique<StepStream>(*data.plan, data.training, 0, at, checkpoint.loop.growth, kCut);
  };
  const auto progress = publishedProgress([&events](const RunEvent& event) { events.publish(event); }, clock,
                                          "measuring the noise of the gradient", "samples");
  NoiseMeter meter(model, data.training, checkpoint.loop.now.step);
  auto stream = streamFrom(checkpoint.loop.now);
  const std::int64_t wanted = request.batches * request.batchSamples;
  const double began = clock.monotonicSec();
  std::vector<MicroBatch> sequences;
  while (found.samples < wanted) {
    ASSIGN_OR_RETURN(auto next, stream->next());
    if (!next) {  // the end of the run, or of its stage
      if (std::exchange(found.seenBefore, true))
        return Error::config("the run has too few samples; lower --batches or --batch-size");
      stream = streamFrom(data.plan->start());
      continue;
    }
    if (next->batch.sequences() == 0) continue;
    found.tokens += next->batch.tokens();
    ++found.samples;
    sequences.push_back(std::move(next->batch));
    if (std::ssize(sequences) < request.batchSamples) continue;
    meter.add(std::exchange(sequences, {}));
    progress(found.samples, wanted);
  }
  found.seconds = clock.monotonicSec() - began;
  found.scale = meter.whole().scale();
  found.trace = meter.whole().trace();
  found.gradientSquared = meter.whole().gradientSquared();
  found.ofNorms = meter.norms().scale();
  return found;
} catch (const std::exception&) {
  return caughtError("noise");
}

}  // namespace batchwise
