// SPDX-License-Identifier: GPL-3.0-or-later
#include <initializer_list>
#include <string>
#include <vector>

#include "core/config/default_values.h"
#include "core/config/schema_builder.h"

// Declares the fields of machine, evaluation, checkpoints, log, guards and launch.

namespace batchwise::config {
namespace {

void declareMachine(SchemaBuilder& s) {
  s.group("devices", "Devices");
  s.field("precision", "Number format", {},
          "Number format of the computation; weights and optimizer state stay in fp32. auto: bf16 on GPUs that support "
          "it, else fp32, chosen at launch and then fixed. tf32 is fp32 with faster, less exact matrix products on "
          "GPUs. With fp16 the loss is scaled, and a step whose gradient overflows is skipped.",
          &TrainConfig::precision);
  constexpr auto devices = &TrainConfig::devices;
  s.field("devices.use", "Devices", {.check = checkDeviceNames},
          "auto (all GPUs, else the processor), cpu, cpu:4 (four devices on the processor), cuda (all GPUs), or "
          "cuda:0,1 (GPUs by number).",
          devices, &DevicesConfig::use);
  s.field(
      "devices.deterministic", "Deterministic", {},
      "Use only operations that repeat bit for bit. Off is for throughput: about 1 % on a GPU by estimate. A resumed "
      "run then gives close, not equal numbers.",
      devices, &DevicesConfig::deterministic);
  s.field("devices.memory_limit", "Memory limit", {.min = 1, .unit = "bytes", .advanced = true},
          "Memory per device that auto plans with and that tensors cannot exceed. On a GPU it replaces the full "
          "memory; on the processor it is the only limit.",
          devices, &DevicesConfig::memoryLimitBytes);
  s.field("devices.threads", "Threads per device", {.min = 1, .max = 1024, .unit = "threads", .advanced = true},
          "Threads per device. auto: cores / devices, at least 1.", devices, &DevicesConfig::threads);
  s.field("devices.activation_checkpointing", "Activation checkpointing", {.advanced = true},
          "Store only the input of each layer and recompute the rest in the backward pass: larger micro-batches for "
          "about a third more time. The numbers stay the same, bit for bit.",
          devices, &DevicesConfig::activationCheckpointing);
}

void declareRecords(SchemaBuilder& s) {
  s.group("eval", "Evaluation");
  s.group("checkpoint", "Checkpoints");
  s.group("log", "Metrics");
  s.field("eval.interval", "Evaluate every", {.above = 0, .units = anyUnit()},
          "How often the model is evaluated; one time or several. auto: ten times per run, if there is evaluation "
          "text. []: no evaluation while training.",
          &TrainConfig::eval, &EvalConfig::interval);
  s.field("eval.microbatch_size", "Evaluation micro-batch",
          {.min = 1, .max = kLargestSize, .unit = kUnitSamples, .advanced = true},
          "Samples per device and pass in evaluation. auto: enough for 8,192 tokens, on a GPU 65,536.",
          &TrainConfig::eval, &EvalConfig::microbatchSize);
  s.field("eval.seed", "Seed of the evaluation masks", {.min = 0, .advanced = true},
          "The masks of an evaluation follow from this number and the text alone. Results of runs are comparable only "
          "if they have the same value.",
          &TrainConfig::eval, &EvalConfig::seed);
  s.field("eval.mlm_probability", "Share of masked tokens in evaluation", {.above = 0, .max = 1, .advanced = true},
          "Share of the tokens of each sequence that an evaluation predicts, independent of the share in training.",
          &TrainConfig::eval, &EvalConfig::mlmProbability);
  s.field("eval.draws", "Mask draws per evaluation", {.min = 1, .max = 1000, .unit = "draws", .advanced = true},
          "Each evaluation is the mean over so many fixed draws of masks, which makes that of a small text less noisy "
          "and takes so many times as long. From 2 on, eval.draw_error is the standard error of that mean.",
          &TrainConfig::eval, &EvalConfig::draws);
  s.field("eval.sets", "Named evaluation sets", {.advanced = true},
          "Evaluation texts with names, each a series of its own: {own: [own.txt], general: {text: [wiki.txt], weight: "
          "0.5}}. eval.loss is the mean over the sets by weight. data.eval, or else the held-out share, is one more "
          "set of weight 1, named eval or held_out. Empty: that set alone.",
          &TrainConfig::eval, &EvalConfig::sets);
  s.field("tasks", "Tasks", {.advanced = true},
          "Labelled text on which a probe scores the model at each evaluation: a series of its own, "
          "eval.task.movie-reviews.accuracy. A list of task files, [{path: movie-reviews.yaml}], or of their content. "
          "Training "
          "is the same with and without tasks.",
          &TrainConfig::tasks);

  constexpr auto checkpoint = &TrainConfig::checkpoint;
  s.field("checkpoint.interval", "Save every", {.above = 0, .units = anyUnit()},
          "How often the whole state is saved; one time or several. It is also saved at the end and on a stop. auto: "
          "every 10 minutes, so a killed run loses no more than that. []: only at the end and on a stop.",
          checkpoint, &CheckpointConfig::interval);
  s.field("checkpoint.keep_last", "Checkpoints: keep last", {.min = 0, .max = 1'000'000, .unit = "checkpoints"},
          "Number of newest checkpoints to keep. 0: the newest one, and none is taken where the run ends as planned.",
          checkpoint, &CheckpointConfig::keepLast);
  s.field("checkpoint.keep_best", "Checkpoints: keep best", {.min = 0, .max = 1'000'000, .unit = "checkpoints"},
          "Number of best checkpoints by best_metric to keep in addition.", checkpoint, &CheckpointConfig::keepBest);
  s.field("checkpoint.best_metric", "Checkpoints: metric for the best", {.advanced = true},
          "Metric that selects the best: a lower loss or perplexity, or a higher accuracy.", checkpoint,
          &CheckpointConfig::bestMetric);
  s.field("checkpoint.keep_every", "Checkpoints: keep every",
          {.above = 0, .units = lengthUnits(), .unset = "none", .advanced = true},
          "Checkpoints at multiples of this are never deleted automatically.", checkpoint,
          &CheckpointConfig::keepEvery);

  constexpr auto log = &TrainConfig::log;
  s.field("log.interval", "Write metrics every", {.above = 0, .units = anyUnit(), .advanced = true},
          "How often a row of metrics is recorded. 1ba: one for each global batch.", log, &LogConfig::interval);
  s.field("log.every_step", "Rows for every step", {.advanced = true},
          "Record a row for every optimizer step in addition to that of the global batch.", log, &LogConfig::everyStep);
  s.field("log.noise_scale", "Gradient noise scale", {.advanced = true},
          "Measure the gradient noise scale (McCandlish et al. 2018), with its 95 % interval. microbatches: from all "
          "micro-batches of each step on all devices. examples: from single samples, by the gradients of the norm "
          "layers alone, also where a step is one micro-batch on one device. auto (or true): microbatches where every "
          "step has "
          "several, else examples.",
          log, &LogConfig::noiseScale);
  s.field("log.noise_half_life", "Noise scale: half-life",
          {.above = 0, .units = {TimeUnit::Token}, .unset = "auto", .advanced = true},
          "Tokens after which a step counts half in the mean that the noise scale is: a longer one is less noisy and "
          "follows later. auto: 2 % of the tokens of the run, at least those of 20 steps.",
          log, &LogConfig::noiseHalfLife);
  s.field("log.tensorboard", "TensorBoard folder", {.advanced = true},
          "Folder in which the run also logs for TensorBoard while it trains, as an inner folder with event files; a "
          "resumed run adds a file. Empty: nothing is logged.",
          log, &LogConfig::tensorboard);
}

std::vector<std::string> actions(std::initializer_list<const char*> more) {
  std::vector<std::string> names = {"off", "note", "pause", "stop"};
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

void declareNonFinite(SchemaBuilder& s) {
  s.group("guard", "Safety");
  constexpr auto guard = &TrainConfig::guard;
  s.field("guard.non_finite", "After a NaN or infinity", {.choices = {"skip", "pause", "stop", "roll_back"}},
          "After a step whose gradient is not finite (the weights did not change): continue, pause, stop with a "
          "checkpoint, or return to the last good checkpoint and skip the data since.",
          guard, &GuardConfig::nonFinite);
  s.field("guard.non_finite_limit", "Consecutive skipped steps allowed",
          {.min = 1, .max = 1'000'000, .unit = "steps", .advanced = true},
          "Skipped steps in a row after which the run stops anyway.", guard, &GuardConfig::nonFiniteLimit);
  s.field("guard.roll_back_limit", "Roll-backs allowed",
          {.min = 1, .max = 1'000'000, .unit = "times", .advanced = true},
          "How often guards may roll the run back; the next time it stops with a checkpoint.", guard,
          &GuardConfig::rollBackLimit);
  s.field("guard.slow_below", "Speed alert below",
          {.min = 0.05, .max = 0.95, .unit = "of the usual speed", .advanced = true},
          "A speed that stays below this share of the usual one for a minute is an alert.", guard,
          &GuardConfig::slowBelow);
}

void declareLossGuards(SchemaBuilder& s) {
  s.group("guard.loss_spike", "Loss spike");
  s.group("guard.plateau", "Plateau");
  constexpr auto guard = &TrainConfig::guard;
  constexpr auto spike = &GuardConfig::lossSpike;
  s.field("guard.loss_spike.action", "Loss spike: action", {.choices = actions({"skip", "roll_back"})},
          "What to do when the loss of a step is more than sigma standard deviations above the mean of the window. "
          "skip: the optimizer skips that step. roll_back: return to the last good checkpoint and skip the data since.",
          guard, spike, &SpikeGuardConfig::action);
  s.field("guard.loss_spike.sigma", "Loss spike: threshold",
          {.above = 0.0, .max = 1000.0, .unit = "standard deviations", .advanced = true},
          "How many standard deviations above the mean of the window a loss counts as a spike.", guard, spike,
          &SpikeGuardConfig::sigma);
  s.field("guard.loss_spike.window", "Loss spike: window", {.min = 4, .max = 10'000, .unit = "steps", .advanced = true},
          "Number of steps that a loss is compared with. Spikes are detected once half of them are done.", guard, spike,
          &SpikeGuardConfig::window);
  constexpr auto plateau = &GuardConfig::plateau;
  s.field("guard.plateau.action", "Plateau: action", {.choices = actions({})},
          "What to do when the training loss no longer falls. stop: the run ends as finished, with a checkpoint.",
          guard, plateau, &PlateauGuardConfig::action);
  s.field("guard.plateau.window", "Plateau: window",
          {.min = 2, .max = 500'000, .unit = "global batches", .advanced = true},
          "The mean loss of the newer half of the window is compared with that of the older half.", guard, plateau,
          &PlateauGuardConfig::window);
  s.field("guard.plateau.min_delta", "Plateau: minimum decrease",
          {.min = 0.0, .max = 1000.0, .unit = "nats", .advanced = true},
          "The loss must fall by more than this; otherwise it counts as a plateau.", guard, plateau,
          &PlateauGuardConfig::minDelta);
}

void declareLimits(SchemaBuilder& s) {
  s.group("guard.grad_norm", "Gradient norm");
  s.group("guard.update_ratio", "Update-to-weight ratio");
  s.group("guard.attention_logit", "Attention logit");
  constexpr auto guard = &TrainConfig::guard;
  const auto limit = [&s](const std::string& path, const char* label, LimitGuardConfig GuardConfig::*which,
                          const char* help) {
    s.field(path + ".limit", label, {.above = 0.0, .max = 1e9}, help, guard, which, &LimitGuardConfig::limit);
  };
  s.field("guard.grad_norm.action", "Gradient norm: action", {.choices = actions({"skip", "roll_back"})},
          "What to do when the norm of the gradient, before clipping, exceeds the limit.", guard,
          &GuardConfig::gradNorm, &LimitGuardConfig::action);
  limit("guard.grad_norm", "Gradient norm: limit", &GuardConfig::gradNorm,
        "Largest gradient norm allowed, before clipping.");
  s.field("guard.grad_norm.scale_with_batch", "Gradient norm: limit follows the batch size", {.advanced = true},
          "The limit is that of a full global batch; a step of b samples has it times sqrt((1 + N / b) / (1 + N / full "
          "size)), N being the gradient noise scale, as the norm of noise falls with the batch size. Until N is "
          "measured, times sqrt(full size / b).",
          guard, &GuardConfig::gradNorm, &LimitGuardConfig::scaleWithBatch);
  s.field("guard.update_ratio.action", "Update-to-weight ratio: action", {.choices = actions({"roll_back"})},
          "What to do when one step changes a weight matrix by more than the limit, as a share of its norm. Known only "
          "once the step is done, so it cannot be skipped.",
          guard, &GuardConfig::updateRatio, &LimitGuardConfig::action);
  limit("guard.update_ratio", "Update-to-weight ratio: limit", &GuardConfig::updateRatio,
        "Largest norm of the change of a weight matrix over the norm of the matrix; 0.001 is usual.");
  s.field("guard.attention_logit.action", "Attention logit: action", {.choices = actions({"skip", "roll_back"})},
          "What to do when the largest attention logit of a step exceeds the limit; model.attention_logit_l2 keeps "
          "logits small.",
          guard, &GuardConfig::attentionLogit, &LimitGuardConfig::action);
  limit("guard.attention_logit", "Attention logit: limit", &GuardConfig::attentionLogit,
        "Largest attention logit allowed. The log-sum-exp of each row of logits is compared, which exceeds the largest "
        "logit by at most the logarithm of the sequence length.");
}

void declareEndGuards(SchemaBuilder& s) {
  s.group("guard.early_stop", "Early stop");
  s.group("guard.hang", "Hang");
  constexpr auto guard = &TrainConfig::guard;
  constexpr auto early = &GuardConfig::earlyStop;
  s.field("guard.early_stop.action", "Early stop: action", {.choices = actions({})},
          "What to do when evaluations no longer improve. stop: the run ends as finished, with a checkpoint.", guard,
          early, &EarlyStopConfig::action);
  s.field("guard.early_stop.metric", "Early stop: metric", {.advanced = true},
          "Metric to watch; a lower loss or perplexity, or a higher accuracy, is better.", guard, early,
          &EarlyStopConfig::metric);
  s.field("guard.early_stop.patience", "Early stop: patience", {.min = 1, .max = 1'000'000, .unit = "evaluations"},
          "Evaluations in a row without a better result after which the guard acts.", guard, early,
          &EarlyStopConfig::patience);
  s.field(
      "guard.early_stop.min_delta", "Early stop: minimum improvement", {.min = 0.0, .max = 1000.0, .advanced = true},
      "A result counts as better if it beats the best by more than this.", guard, early, &EarlyStopConfig::minDelta);
  constexpr auto hang = &GuardConfig::hang;
  s.field(
      "guard.hang.action", "Hang: action", {.choices = {"off", "note", "stop"}, .advanced = true},
      "What to do when set-up, a step, an evaluation or a checkpoint makes no progress for longer than its limit. off: "
      "nothing happens; note: a message, repeated once at twice the limit; stop: at twice the limit the run ends as "
      "failed.",
      guard, hang, &HangGuardConfig::action);
  s.field("guard.hang.minimum", "Hang: minimum limit", {.above = 0.0, .max = 1e9, .unit = "seconds", .advanced = true},
          "The smallest limit; ten times this while fewer than three of a kind have been measured.", guard, hang,
          &HangGuardConfig::minimumSec);
  s.field("guard.hang.factor", "Hang: multiple of the median",
          {.min = 1.0, .max = 1e6, .unit = "medians", .advanced = true},
          "The limit as a multiple of the median time of what is measured.", guard, hang, &HangGuardConfig::factor);
}

void declareLaunch(SchemaBuilder& s) {
  s.group("launch", "Launch");
  constexpr auto launch = &TrainConfig::launch;
  s.field("launch.journal", "Journal instead of database", {.advanced = true},
          "Record the run in a journal next to the workspace's database instead of in the database itself; `batchwise "
          "runs sync` imports it. auto: if the workspace is on a network file system and another machine has its "
          "database open. A run is resumed where it is recorded, or after `runs sync`.",
          launch, &LaunchConfig::journal);
  s.field(
      "launch.time_limit", "Wall-clock limit",
      {.above = 0, .units = {TimeUnit::Second}, .unset = "none", .advanced = true},
      "Wall-clock time that this process may run, such as the time limit of a cluster. Before that the run saves a "
      "checkpoint and stops, with room for the longest step and checkpoint so far. The count restarts at each resume.",
      launch, &LaunchConfig::timeLimit);
  s.field("launch.stop_at", "Stop at", {.above = 0, .units = scheduleUnits(), .unset = "none", .advanced = true},
          "Ends the run after the global batch that reaches this place, with an evaluation and a checkpoint; rates and "
          "batch "
          "sizes are those of the whole max_duration. A resume with a later place, or none, goes on as if it had not "
          "ended.",
          launch, &LaunchConfig::stopAt);
  s.field("launch.tags", "Tags", {}, "Words for finding the run.", launch, &LaunchConfig::tags);
  s.field("launch.why", "Reason for the run", {}, "One line on the reason for the run, shown with it.", launch,
          &LaunchConfig::why);
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
