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
  s.field("precision", {},
          "Number format of the computation; weights and optimizer state stay in fp32. auto: bf16 on GPUs that have "
          "it, else fp32, found at launch and then kept. tf32 is fp32 with faster, less exact matrix products on GPUs. "
          "With fp16 the loss is scaled, and a step whose gradient does not fit is skipped.",
          &TrainConfig::precision);
  constexpr auto devices = &TrainConfig::devices;
  s.field("devices.use", {.check = checkDeviceNames},
          "auto (all GPUs, else the processor), cpu, cpu:4 (four devices played by the processor), cuda, or cuda:0,1.",
          devices, &DevicesConfig::use);
  s.field("devices.deterministic", {},
          "Only operations that repeat bit for bit. Off is a little faster on GPUs, and a resumed run then gives "
          "close, not equal numbers.",
          devices, &DevicesConfig::deterministic);
  s.field("devices.memory_limit", {.min = 1, .unit = messages::unitBytes(), .advanced = true},
          "The memory per device that auto plans with and tensors cannot exceed: in place of all the memory of a GPU, "
          "and the only limit on the processor.",
          devices, &DevicesConfig::memoryLimitBytes);
  s.field("devices.threads", {.min = 1, .max = 1024, .unit = messages::unitThreads(), .advanced = true},
          "Threads per device. auto: cores / devices, at least 1.", devices, &DevicesConfig::threads);
  s.field("devices.activation_checkpointing", {.advanced = true},
          "Keep only what goes into each layer, and compute the rest again in the backward pass: larger micro-batches "
          "for about a third more time. The numbers stay the same, bit for bit.",
          devices, &DevicesConfig::activationCheckpointing);
}

void declareRecords(SchemaBuilder& s) {
  s.field("eval.interval", {.above = 0, .units = anyUnit()},
          "How often the model is evaluated; one Time or several. auto: ten times per run, where there is something to "
          "evaluate on. []: no evaluation while training.",
          &TrainConfig::eval, &EvalConfig::interval);
  s.field("eval.microbatch_size", {.min = 1, .max = kLargestSize, .unit = messages::unitSamples(), .advanced = true},
          "Samples per device and pass in evaluation. auto: as many as make 8,192 tokens, on a GPU 65,536.",
          &TrainConfig::eval, &EvalConfig::microbatchSize);

  constexpr auto checkpoint = &TrainConfig::checkpoint;
  s.field("checkpoint.interval", {.above = 0, .units = anyUnit()},
          "How often the whole state is saved; one Time or several. One more is saved at the end and on a stop. auto: "
          "every 10 minutes, so a killed run loses no more. []: only at the end and on a stop.",
          checkpoint, &CheckpointConfig::interval);
  s.field("checkpoint.keep_last", {.min = 1, .max = 1'000'000, .unit = messages::unitCheckpoints()},
          "How many of the newest are kept.", checkpoint, &CheckpointConfig::keepLast);
  s.field("checkpoint.keep_best", {.min = 0, .max = 1'000'000, .unit = messages::unitCheckpoints()},
          "How many of the best by best_metric are kept besides.", checkpoint, &CheckpointConfig::keepBest);
  s.field("checkpoint.best_metric", {.advanced = true},
          "What the best is judged by; a lower loss or perplexity or a higher accuracy wins.", checkpoint,
          &CheckpointConfig::bestMetric);
  s.field("checkpoint.keep_every", {.above = 0, .units = lengthUnits(), .unset = "none", .advanced = true},
          "Checkpoints at multiples of this are kept for good.", checkpoint, &CheckpointConfig::keepEvery);

  constexpr auto log = &TrainConfig::log;
  s.field("log.interval", {.above = 0, .units = anyUnit(), .advanced = true},
          "How often a row of metrics is recorded. 1ba: one for each global batch.", log, &LogConfig::interval);
  s.field("log.every_step", {.advanced = true}, "A row for every optimizer step besides that of the global batch.", log,
          &LogConfig::everyStep);
  s.field("log.noise_scale", {.advanced = true},
          "Measure the gradient noise scale (McCandlish et al. 2018) from the micro-batches of each step.", log,
          &LogConfig::noiseScale);
}

std::vector<std::string> actions(std::initializer_list<const char*> more) {
  std::vector<std::string> names = {"off", "note", "pause", "stop"};
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

void declareNonFinite(SchemaBuilder& s) {
  constexpr auto guard = &TrainConfig::guard;
  s.field("guard.non_finite", {.choices = {"skip", "pause", "stop", "roll_back"}},
          "After a step whose gradient is not finite (the weights were left alone): go on, pause, stop with a "
          "checkpoint, or go back to the last good checkpoint and pass over the data since.",
          guard, &GuardConfig::nonFinite);
  s.field("guard.non_finite_limit", {.min = 1, .max = 1'000'000, .unit = messages::unitSteps(), .advanced = true},
          "Skipped steps in a row after which the run stops anyway.", guard, &GuardConfig::nonFiniteLimit);
  s.field("guard.roll_back_limit", {.min = 1, .max = 1'000'000, .unit = messages::unitTimes(), .advanced = true},
          "How often guards may take the run back; the next time it stops with a checkpoint.", guard,
          &GuardConfig::rollBackLimit);
}

void declareLossGuards(SchemaBuilder& s) {
  constexpr auto guard = &TrainConfig::guard;
  constexpr auto spike = &GuardConfig::lossSpike;
  s.field("guard.loss_spike.action", {.choices = actions({"skip", "roll_back"})},
          "When the loss of a step is more than sigma standard deviations above the mean of the window. skip: the "
          "optimizer passes over that step. roll_back: the last good checkpoint, and on behind the data since.",
          guard, spike, &SpikeGuardConfig::action);
  s.field("guard.loss_spike.sigma",
          {.above = 0.0, .max = 1000.0, .unit = messages::unitStandardDeviations(), .advanced = true},
          "How far above the mean of the window a loss counts as a spike.", guard, spike, &SpikeGuardConfig::sigma);
  s.field("guard.loss_spike.window", {.min = 4, .max = 10'000, .unit = messages::unitSteps(), .advanced = true},
          "Steps that a loss is compared with; nothing is judged before half of them are done.", guard, spike,
          &SpikeGuardConfig::window);
  constexpr auto plateau = &GuardConfig::plateau;
  s.field("guard.plateau.action", {.choices = actions({})},
          "When the training loss no longer falls. stop: the run ends as finished, with a checkpoint.", guard, plateau,
          &PlateauGuardConfig::action);
  s.field("guard.plateau.window", {.min = 2, .max = 1'000'000, .unit = messages::unitGlobalBatches(), .advanced = true},
          "The mean loss of the newer half of the window is compared with that of the older half.", guard, plateau,
          &PlateauGuardConfig::window);
  s.field("guard.plateau.min_delta", {.min = 0.0, .max = 1000.0, .unit = messages::unitNats(), .advanced = true},
          "The loss must have fallen by more than this, or it counts as a plateau.", guard, plateau,
          &PlateauGuardConfig::minDelta);
}

void declareLimits(SchemaBuilder& s) {
  constexpr auto guard = &TrainConfig::guard;
  const auto limit = [&s](const std::string& path, LimitGuardConfig GuardConfig::*which, const char* help) {
    s.field(path + ".limit", {.above = 0.0, .max = 1e9}, help, guard, which, &LimitGuardConfig::limit);
  };
  s.field("guard.grad_norm.action", {.choices = actions({"skip", "roll_back"})},
          "When the norm of the gradient, before clipping, exceeds the limit.", guard, &GuardConfig::gradNorm,
          &LimitGuardConfig::action);
  limit("guard.grad_norm", &GuardConfig::gradNorm, "Largest gradient norm, before clipping, that is let pass.");
  s.field("guard.update_ratio.action", {.choices = actions({"roll_back"})},
          "When one step changes a weight matrix by more than the limit, as a share of its norm. Known only once the "
          "step is done, so it cannot be skipped.",
          guard, &GuardConfig::updateRatio, &LimitGuardConfig::action);
  limit("guard.update_ratio", &GuardConfig::updateRatio,
        "Largest norm of the change of a weight matrix over the norm of the matrix; 0.001 is usual.");
  s.field("guard.attention_logit.action", {.choices = actions({"skip", "roll_back"})},
          "When the largest attention logit of a step exceeds the limit; model.attention_logit_l2 keeps logits small.",
          guard, &GuardConfig::attentionLogit, &LimitGuardConfig::action);
  limit("guard.attention_logit", &GuardConfig::attentionLogit,
        "Largest attention logit that is let pass. What is compared is the log-sum-exp of a row of logits, at most the "
        "logarithm of the sequence length above its largest.");
}

void declareEndGuards(SchemaBuilder& s) {
  constexpr auto guard = &TrainConfig::guard;
  constexpr auto early = &GuardConfig::earlyStop;
  s.field("guard.early_stop.action", {.choices = actions({})},
          "When evaluations bring no better result any more. stop: the run ends as finished, with a checkpoint.", guard,
          early, &EarlyStopConfig::action);
  s.field("guard.early_stop.metric", {.advanced = true},
          "What is judged; a lower loss or perplexity or a higher accuracy is better.", guard, early,
          &EarlyStopConfig::metric);
  s.field("guard.early_stop.patience", {.min = 1, .max = 1'000'000, .unit = messages::unitEvaluations()},
          "Evaluations in a row without a better result after which the guard acts.", guard, early,
          &EarlyStopConfig::patience);
  s.field("guard.early_stop.min_delta", {.min = 0.0, .max = 1000.0, .advanced = true},
          "A result counts as better if it beats the best by more than this.", guard, early,
          &EarlyStopConfig::minDelta);
  constexpr auto hang = &GuardConfig::hang;
  s.field("guard.hang.action", {.choices = {"off", "note", "stop"}, .advanced = true},
          "When set-up, a step, an evaluation or a checkpoint gives no sign of life for longer than its limit. off: "
          "nothing happens; note: the run says so, and once more at twice the limit; stop: at twice the limit it ends "
          "as failed.",
          guard, hang, &HangGuardConfig::action);
  s.field("guard.hang.minimum", {.above = 0.0, .max = 1e9, .unit = messages::unitSeconds(), .advanced = true},
          "The least limit; ten times this where fewer than three of a kind have been measured.", guard, hang,
          &HangGuardConfig::minimumSec);
  s.field("guard.hang.factor", {.min = 1.0, .max = 1e6, .unit = messages::unitMedians(), .advanced = true},
          "The limit as a multiple of the median time of what is measured.", guard, hang, &HangGuardConfig::factor);
}

void declareLaunch(SchemaBuilder& s) {
  constexpr auto launch = &TrainConfig::launch;
  s.field("launch.target", {.advanced = true}, "Where the run is started: on this machine.", launch,
          &LaunchConfig::target);
  s.field("launch.journal", {.advanced = true},
          "Record the run in a journal beside the workspace's database, which `batchwise runs sync` takes in, instead "
          "of in the database itself. auto: where the workspace lies on a network file system and another machine has "
          "its database open. A run is resumed where it is recorded, or after `runs sync`.",
          launch, &LaunchConfig::journal);
  s.field("launch.time_limit", {.above = 0, .units = {TimeUnit::Second}, .unset = "none", .advanced = true},
          "How long this process may run, on the clock on the wall, as a cluster allows. The run takes a checkpoint "
          "and stops before that, with room for the longest step and checkpoint so far. Counts anew at each resume.",
          launch, &LaunchConfig::timeLimit);
  s.field("launch.tags", {}, "Words to find the run by.", launch, &LaunchConfig::tags);
  s.field("launch.why", {}, "A line on the reason for the run, shown with it.", launch, &LaunchConfig::why);
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
