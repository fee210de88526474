// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>
#include <vector>

#include "core/config/device_names.h"
#include "core/config/schema_builder.h"

// Fields of machine, evaluation, checkpoints, log and launch, declared once.

namespace batchwise::config {
namespace {

void declareMachine(SchemaBuilder& s) {
  s.field("precision", &TrainConfig::precision)
      .choices({"fp32", "bf16", "fp16"})
      .help("Number format of the computation; weights and optimiser state stay in fp32.");
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
      .help("On the processor: the tensor memory per device that auto plans with, in place of a GPU's memory.");
  s.field("devices.threads", devices, &DevicesConfig::threads)
      .min(1)
      .max(1024)
      .advanced()
      .unit("threads")
      .help("Threads per device. auto: cores / devices, at least 1.");
}

void declareRecords(SchemaBuilder& s) {
  s.field("eval.interval", &TrainConfig::eval, &EvalConfig::interval)
      .units(anyUnit())
      .above(0)
      .help("How often the model is evaluated; one Time or several. Empty: no evaluation while training.");
  s.field("eval.microbatch_size", &TrainConfig::eval, &EvalConfig::microbatchSize)
      .min(1)
      .max(1099511627776.0)  // 2^40, as the sizes of batches
      .unit("samples")
      .advanced()
      .help("Samples per device and pass in evaluation. auto: as in training.");

  constexpr auto checkpoint = &TrainConfig::checkpoint;
  s.field("checkpoint.interval", checkpoint, &CheckpointConfig::interval)
      .units(anyUnit())
      .above(0)
      .help("How often the whole state is saved; one Time or several. One more is saved at the end and on a stop.");
  s.field("checkpoint.keep_last", checkpoint, &CheckpointConfig::keepLast)
      .min(1)
      .max(1'000'000)
      .unit("checkpoints")
      .help("How many of the newest are kept.");
  s.field("checkpoint.keep_best", checkpoint, &CheckpointConfig::keepBest)
      .min(0)
      .max(1'000'000)
      .unit("checkpoints")
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
      .help("A row for every optimiser step besides that of the global batch.");
  s.field("log.noise_scale", log, &LogConfig::noiseScale)
      .advanced()
      .help("Measure the gradient noise scale (McCandlish et al. 2018) from the micro-batches of each step.");
}

void declareLaunch(SchemaBuilder& s) {
  constexpr auto guard = &TrainConfig::guard;
  s.field("guard.non_finite", guard, &GuardConfig::nonFinite)
      .choices({"skip", "stop"})
      .help(
          "After a step whose gradient is not finite (the weights were left alone): go on, or stop with a checkpoint.");
  s.field("guard.non_finite_limit", guard, &GuardConfig::nonFiniteLimit)
      .min(1)
      .max(1'000'000)
      .unit("steps")
      .advanced()
      .help("Skipped steps in a row after which the run stops anyway.");

  constexpr auto launch = &TrainConfig::launch;
  s.field("launch.target", launch, &LaunchConfig::target)
      .choices({"local"})
      .advanced()
      .help("Where the run is started: on this machine.");
  s.field("launch.tags", launch, &LaunchConfig::tags).help("Words to find the run by.");
  s.field("launch.why", launch, &LaunchConfig::why).help("A line on the reason for the run, shown with it.");
}

}  // namespace

void declareRunFields(SchemaBuilder& s) {
  declareMachine(s);
  declareRecords(s);
  declareLaunch(s);
}

}  // namespace batchwise::config
