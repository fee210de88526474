// SPDX-License-Identifier: GPL-3.0-or-later
#include <initializer_list>
#include <string>
#include <vector>

#include "core/config/device_names.h"
#include "core/config/messages.h"
#include "core/config/schema_builder.h"

// Declares the fields of machine, evaluation, checkpoints, log, guards and launch.

namespace batchwise::config {
namespace {

void declareMachine(SchemaBuilder& s) {
  s.field("precision", &TrainConfig::precision)
      .choices({"auto", "fp32", "tf32", "bf16", "fp16"})
      .help(
          "Number format of the computation; weights and optimizer state stay in fp32. auto: bf16 on GPUs that have "
          "it, "
          "else fp32, found at launch and then kept. tf32 is fp32 with faster, less "
          "exact matrix products on GPUs. With fp16 the loss is scaled, and a step whose gradient does not fit is "
          "skipped.");
  constexpr auto devices = &TrainConfig::devices;
  s.field("devices.use", devices, &DevicesConfig::use)
      .check(checkDeviceNames)
      .help(
          "auto (all GPUs, else the processor), cpu, cpu:4 (four devices played by the processor), cuda, or cuda:0,1.");
  s.field("devices.deterministic", devices, &DevicesConfig::deterministic)
      .help(
          "Only operations that repeat bit for bit. Off is a little faster on GPUs, and a resumed run then gives "
          "close, not equal numbers.");
  s.field("devices.memory_limit", devices, &DevicesConfig::memoryLimitBytes)
      .bytes()
      .min(1)
      .advanced()
      .help(
          "The memory per device that auto plans with and tensors cannot exceed: in place of all the memory of a GPU, "
          "and the only limit on the processor.");
  s.field("devices.threads", devices, &DevicesConfig::threads)
      .min(1)
      .max(1024)
      .advanced()
      .unit(messages::unitThreads())
      .help("Threads per device. auto: cores / devices, at least 1.");
  s.field("devices.activation_checkpointing", devices, &DevicesConfig::activationCheckpointing)
      .advanced()
      .help(
          "Keep only what goes into each layer, and compute the rest again in the backward pass: larger micro-batches "
          "for about a third more time. The numbers stay the same, bit for bit.");
}

void declareRecords(SchemaBuilder& s) {
  s.field("eval.interval", &TrainConfig::eval, &EvalConfig::interval)
      .units(anyUnit())
      .above(0)
      .help(
          "How often the model is evaluated; one Time or several. auto: ten times per run, where there is something to "
          "evaluate on. []: no evaluation while training.");
  s.field("eval.microbatch_size", &TrainConfig::eval, &EvalConfig::microbatchSize)
      .min(1)
      .max(1099511627776.0)  // 2^40, like batch sizes
      .unit(messages::unitSamples())
      .advanced()
      .help("Samples per device and pass in evaluation. auto: as many as make 8,192 tokens, on a GPU 65,536.");

  constexpr auto checkpoint = &TrainConfig::checkpoint;
  s.field("checkpoint.interval", checkpoint, &CheckpointConfig::interval)
      .units(anyUnit())
      .above(0)
      .help(
          "How often the whole state is saved; one Time or several. One more is saved at the end and on a stop. auto: "
          "every 10 minutes, so a killed run loses no more. []: only at the end and on a stop.");
  s.field("checkpoint.keep_last", checkpoint, &CheckpointConfig::keepLast)
      .min(1)
      .max(1'000'000)
      .unit(messages::unitCheckpoints())
      .help("How many of the newest are kept.");
  s.field("checkpoint.keep_best", checkpoint, &CheckpointConfig::keepBest)
      .min(0)
      .max(1'000'000)
      .unit(messages::unitCheckpoints())
      .help("How many of the best by best_metric are kept besides.");
  s.field("checkpoint.best_metric", checkpoint, &CheckpointConfig::bestMetric)
      .choices({"eval.loss", "eval.perplexity", "eval.accuracy"})
      .advanced()
      .help("What the best is judged by; a lower loss or perplexity or a higher accuracy wins.");
  s.field("checkpoint.keep_every", checkpoint, &CheckpointConfig::keepEvery)
      .units(lengthUnits())
      .above(0)
      .empty("none")
      .advanced()
      .help("Checkpoints at multiples of this are kept for good.");

  constexpr auto log = &TrainConfig::log;
  s.field("log.interval", log, &LogConfig::interval)
      .units(anyUnit())
      .above(0)
      .advanced()
      .help("How often a row of metrics is recorded. 1ba: one for each global batch.");
  s.field("log.every_step", log, &LogConfig::everyStep)
      .advanced()
      .help("A row for every optimizer step besides that of the global batch.");
  s.field("log.noise_scale", log, &LogConfig::noiseScale)
      .advanced()
      .help("Measure the gradient noise scale (McCandlish et al. 2018) from the micro-batches of each step.");
}

std::vector<std::string> actions(std::initializer_list<const char*> more) {
  std::vector<std::string> names = {"off", "note", "pause", "stop"};
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

void declareNonFinite(SchemaBuilder& s) {
  constexpr auto guard = &TrainConfig::guard;
  s.field("guard.non_finite", guard, &GuardConfig::nonFinite)
      .choices({"skip", "pause", "stop", "roll_back"})
      .help(
          "After a step whose gradient is not finite (the weights were left alone): go on, pause, stop with a "
          "checkpoint, or go back to the last good checkpoint and pass over the data since.");
  s.field("guard.non_finite_limit", guard, &GuardConfig::nonFiniteLimit)
      .min(1)
      .max(1'000'000)
      .unit(messages::unitSteps())
      .advanced()
      .help("Skipped steps in a row after which the run stops anyway.");
  s.field("guard.roll_back_limit", guard, &GuardConfig::rollBackLimit)
      .min(1)
      .max(1'000'000)
      .unit(messages::unitTimes())
      .advanced()
      .help("How often guards may take the run back; the next time it stops with a checkpoint.");
}

void declareLossGuards(SchemaBuilder& s) {
  constexpr auto guard = &TrainConfig::guard;
  constexpr auto spike = &GuardConfig::lossSpike;
  s.field("guard.loss_spike.action", guard, spike, &SpikeGuardConfig::action)
      .choices(actions({"skip", "roll_back"}))
      .help(
          "When the loss of a step is more than sigma standard deviations above the mean of the window. skip: the "
          "optimizer passes over that step. roll_back: the last good checkpoint, and on behind the data since.");
  s.field("guard.loss_spike.sigma", guard, spike, &SpikeGuardConfig::sigma)
      .above(0.0)
      .max(1000.0)
      .advanced()
      .unit(messages::unitStandardDeviations())
      .help("How far above the mean of the window a loss counts as a spike.");
  s.field("guard.loss_spike.window", guard, spike, &SpikeGuardConfig::window)
      .min(4)
      .max(10'000)
      .advanced()
      .unit(messages::unitSteps())
      .help("Steps that a loss is compared with; nothing is judged before half of them are done.");
  constexpr auto plateau = &GuardConfig::plateau;
  s.field("guard.plateau.action", guard, plateau, &PlateauGuardConfig::action)
      .choices(actions({}))
      .help("When the training loss no longer falls. stop: the run ends as finished, with a checkpoint.");
  s.field("guard.plateau.window", guard, plateau, &PlateauGuardConfig::window)
      .min(2)
      .max(1'000'000)
      .advanced()
      .unit(messages::unitGlobalBatches())
      .help("The mean loss of the newer half of the window is compared with that of the older half.");
  s.field("guard.plateau.min_delta", guard, plateau, &PlateauGuardConfig::minDelta)
      .min(0.0)
      .max(1000.0)
      .advanced()
      .unit(messages::unitNats())
      .help("The loss must have fallen by more than this, or it counts as a plateau.");
}

void declareLimits(SchemaBuilder& s) {
  constexpr auto guard = &TrainConfig::guard;
  const auto limit = [&s](const std::string& path, LimitGuardConfig GuardConfig::*which, const char* help) {
    s.field(path + ".limit", guard, which, &LimitGuardConfig::limit).above(0.0).max(1e9).help(help);
  };
  s.field("guard.grad_norm.action", guard, &GuardConfig::gradNorm, &LimitGuardConfig::action)
      .choices(actions({"skip", "roll_back"}))
      .help("When the norm of the gradient, before clipping, exceeds the limit.");
  limit("guard.grad_norm", &GuardConfig::gradNorm, "Largest gradient norm, before clipping, that is let pass.");
  s.field("guard.update_ratio.action", guard, &GuardConfig::updateRatio, &LimitGuardConfig::action)
      .choices(actions({"roll_back"}))
      .help(
          "When one step changes a weight matrix by more than the limit, as a share of its norm. Known only once the "
          "step is done, so it cannot be skipped.");
  limit("guard.update_ratio", &GuardConfig::updateRatio,
        "Largest norm of the change of a weight matrix over the norm of the matrix; 0.001 is usual.");
  s.field("guard.attention_logit.action", guard, &GuardConfig::attentionLogit, &LimitGuardConfig::action)
      .choices(actions({"skip", "roll_back"}))
      .help(
          "When the largest attention logit of a step exceeds the limit; model.attention_logit_l2 keeps logits small.");
  limit("guard.attention_logit", &GuardConfig::attentionLogit,
        "Largest attention logit that is let pass. What is compared is the log-sum-exp of a row of logits, at most the "
        "logarithm of the sequence length above its largest.");
}

void declareEndGuards(SchemaBuilder& s) {
  constexpr auto guard = &TrainConfig::guard;
  constexpr auto early = &GuardConfig::earlyStop;
  s.field("guard.early_stop.action", guard, early, &EarlyStopConfig::action)
      .choices(actions({}))
      .help("When evaluations bring no better result any more. stop: the run ends as finished, with a checkpoint.");
  s.field("guard.early_stop.metric", guard, early, &EarlyStopConfig::metric)
      .choices({"eval.loss", "eval.perplexity", "eval.accuracy"})
      .advanced()
      .help("What is judged; a lower loss or perplexity or a higher accuracy is better.");
  s.field("guard.early_stop.patience", guard, early, &EarlyStopConfig::patience)
      .min(1)
      .max(1'000'000)
      .unit(messages::unitEvaluations())
      .help("Evaluations in a row without a better result after which the guard acts.");
  s.field("guard.early_stop.min_delta", guard, early, &EarlyStopConfig::minDelta)
      .min(0.0)
      .max(1000.0)
      .advanced()
      .help("A result counts as better if it beats the best by more than this.");
  constexpr auto hang = &GuardConfig::hang;
  s.field("guard.hang.action", guard, hang, &HangGuardConfig::action)
      .choices({"off", "note", "stop"})
      .advanced()
      .help(
          "When set-up, a step, an evaluation or a checkpoint gives no sign of life for longer than its limit. off: "
          "nothing happens; note: the run says so, and once more at twice the limit; stop: at twice the limit it ends "
          "as failed.");
  s.field("guard.hang.minimum", guard, hang, &HangGuardConfig::minimumSec)
      .above(0.0)
      .max(1e9)
      .advanced()
      .unit(messages::unitSeconds())
      .help("The least limit; ten times this where fewer than three of a kind have been measured.");
  s.field("guard.hang.factor", guard, hang, &HangGuardConfig::factor)
      .min(1.0)
      .max(1e6)
      .advanced()
      .unit(messages::unitMedians())
      .help("The limit as a multiple of the median time of what is measured.");
}

void declareLaunch(SchemaBuilder& s) {
  constexpr auto launch = &TrainConfig::launch;
  s.field("launch.target", launch, &LaunchConfig::target)
      .choices({"local"})
      .advanced()
      .help("Where the run is started: on this machine.");
  s.field("launch.journal", launch, &LaunchConfig::journal)
      .choices({"auto", "always", "never"})
      .advanced()
      .help(
          "Record the run in a journal beside the workspace's database, which `batchwise runs sync` takes in, instead "
          "of in the database itself. auto: where the workspace lies on a network file system and another machine "
          "has its database open. A run is resumed where it is recorded, or after `runs sync`.");
  s.field("launch.time_limit", launch, &LaunchConfig::timeLimit)
      .units({TimeUnit::Second})
      .above(0)
      .empty("none")
      .advanced()
      .help(
          "How long this process may run, on the clock on the wall, as a cluster allows. The run takes a checkpoint "
          "and "
          "stops before that, with room for the longest step and checkpoint so far. Counts anew at each resume.");
  s.field("launch.tags", launch, &LaunchConfig::tags).help("Words to find the run by.");
  s.field("launch.why", launch, &LaunchConfig::why).help("A line on the reason for the run, shown with it.");
}

}  // namespace

void declareRunFields(SchemaBuilder& s) {
  declareMachine(s);
  declareRecords(s);
  declareNonFinite(s);
  declareLossGuards(s);
  declareLimits(s);
  declareEndGuards(s);
  declareLaunch(s);
}

}  // namespace batchwise::config
