// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/machine.h"
#include "core/config/config_file.h"
#include "core/plan/run_plan.h"
#include "core/store/workspace.h"

namespace batchwise {

struct DeviceClocks;  // core/analysis/run_comparison.h

/// What a run computes on: GPUs, or cores of processors.
struct ComputeUnits {
  bool gpus = false;
  std::int64_t count = 1;  ///< of all devices and processes
  bool operator==(const ComputeUnits&) const = default;
};

/// Measured speed of a run; of a fork without what it continues.
struct MeasuredSpeed {
  std::string run;             ///< name of the run
  double tokensPerSec = 0;     ///< real tokens per second of training, over the whole run and all its devices
  double tokensPerSample = 0;  ///< 0: not known
  std::int64_t devices = 1;
  double operationsPerSec = 0;             ///< floating-point operations of the model; 0: not stored
  std::optional<ComputeUnits> units = {};  ///< nothing: not stored, or they changed during the run
  bool training = false;                   ///< the run is not over
  bool similar = false;                    ///< the run trained another model, of about as many operations per token
};

/// Returns the speed of `run`. Fails with NotFound if it has trained nothing yet.
Result<MeasuredSpeed> speedOf(const RunDetail& run);

/// Speeds of the newest runs of a workspace, finished or training; reads each run once, on demand. Not thread-safe.
class MeasuredSpeeds {
 public:
  /// `workspace` must outlive this object.
  explicit MeasuredSpeeds(const Workspace& workspace);

  enum class Units { AsPlanned, Any };

  /// Returns the speed of the newest run that also has the sizes, the text and the devices of `config`; else of the
  /// newest one with the same model and vocabulary, however they are named; else of the newest one whose model takes
  /// about as many operations per token, at its operations per second; nothing if none of the latest runs matches.
  /// `units`: AsPlanned takes runs on GPUs only if `config` would train on GPUs, and on processors only if it would
  /// not. Tokens per sample of another model or sequence length are left out.
  std::optional<MeasuredSpeed> of(const LoadedConfig& config, Units units = Units::AsPlanned);

 private:
  struct Trained {
    TrainConfig config;
    MeasuredSpeed speed;
    double operationsPerToken = 0;  ///< without attention; 0: not stored
  };
  void readNext();
  bool isRead(std::size_t index);
  const Trained* ofSameModel(const TrainConfig& config, Units units);
  std::optional<MeasuredSpeed> ofSimilar(const LoadedConfig& config, Units units);

  const Workspace& workspace_;
  std::vector<std::string> unread_;  // ids of runs, newest last
  std::vector<Trained> read_;        // runs with a speed, newest first
};

/// Cost of one optimizer step on one device, and the size of its gradient sums.
struct StepCost {
  double tokensPerStep = 0;       ///< real tokens, over all devices
  std::int64_t unitsPerStep = 0;  ///< samples or packs, which are not split; 0: any share is possible
  double secondsPerToken = 0;     ///< on one device, measured: forward, backward and update
  double microbatchTokens = 0;    ///< of one pass on one device
  std::int64_t parameters = 0;
  std::int64_t embeddingParameters =
      0;  ///< word embeddings, whose gradient is complete only at the end of the backward pass
};

/// Network between the devices.
struct Interconnect {
  std::int64_t devicesPerNode = 8;
  double nodeBytesPerSec = 360e9;    ///< from one device to the others of its node
  double clusterBytesPerSec = 45e9;  ///< from one device to other nodes: 400 Gb/s
  double latencySec = 20e-6;         ///< of one sum between two devices
};

/// Predicted speed on a number of devices, at the same global batch.
struct ScalingPoint {
  std::int64_t devices = 1;
  std::int64_t unitsPerDevice = 0;  ///< samples or packs of the busiest device, per step; 0: not known
  std::int64_t idleDevices = 0;     ///< without a sample
  double tokensPerDevice = 0;       ///< per step, of the busiest device
  double computeSec = 0;
  double communicationSec = 0;  ///< of all gradient sums
  double exposedSec = 0;        ///< communication not hidden by the backward pass
  double stepSec = 0;
  double efficiency = 1;  ///< speed divided by the ideal speed
  double tokensPerSec = 0;
};

/// Predicts T(N) = T_compute x share + exposed, where the busiest device decides: it has ceil(units / N) of the units.
/// Gradients have 4 bytes per parameter and are summed by rings: 2 (N-1)/N bytes / bandwidth, plus per bucket a latency
/// that grows with log2 N. All but the word embeddings' gradients overlap with the backward pass of the step's last
/// micro-batch, two thirds of its time (a backward pass has twice the products of a forward pass). Assumes units of
/// equal cost and no other waiting. With fewer units than devices, the remaining devices are idle, and count in the
/// efficiency. Pure.
std::vector<ScalingPoint> predictScaling(const StepCost& cost, const Interconnect& between,
                                         std::span<const std::int64_t> devices);

/// Returns the training time of `runs` on that many devices, of an interconnect as by default: each optimizer step as
/// predictScaling() has it, with its own tokens and samples, from the speed that the run was measured at. Fails with
/// Config if a run does not tell its speed or its model.
Result<DeviceClocks> predictedClocks(const Workspace& workspace, const std::vector<std::string>& runs,
                                     std::int64_t devices);

/// What a run takes on this machine, before it starts.
struct RunCost {
  double tokens = 0;
  double operations = 0;               ///< floating-point operations of the training
  double seconds = 0;                  ///< of the training, without evaluations and checkpoints
  std::optional<MeasuredSpeed> speed;  ///< from which the seconds follow; none: a guess, see roughOperationsPerSec()
};

/// Returns the cost of a run whose stages have these totals. `speed`: of a run on the planned kind of device, see
/// MeasuredSpeeds::of(); its operations per second and GPU or core are assumed, so that other lengths and numbers of
/// devices count. Nothing if the end of the run or its model is not known. Reads the config.json and the vocabulary
/// that the configuration names. Thread-safe.
std::optional<RunCost> runCost(const LoadedConfig& config, const std::vector<Plan::Totals>& stages,
                               std::optional<MeasuredSpeed> speed, const MachineInfo& machine);

std::vector<Plan::Totals> totalsOfStages(const RunPlan& plan);

/// Returns what the configuration would train on: its devices, if they are GPUs; else devices.threads for each of them,
/// or all cores of `machine`, whatever their number.
ComputeUnits plannedUnits(const TrainConfig& config, const MachineInfo& machine);

/// Returns a cautious guess of the floating-point operations per second that training on the configured devices
/// reaches: 15 G per processor core, 40 T per GPU.
double roughOperationsPerSec(const TrainConfig& config, const MachineInfo& machine);

}  // namespace batchwise
