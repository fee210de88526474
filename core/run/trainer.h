// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/config_file.h"
#include "core/events/run_command.h"
#include "core/events/run_event.h"

namespace batchwise {

class Workspace;
enum class Replaces;  // core/exchange/hugging_face.h

/// A new run, or the continuation of one.
struct LaunchRequest {
  std::filesystem::path workspace;
  LoadedConfig config;           ///< a new run (or fork); without errors
  std::string resumeRun;         ///< id; then `config` is what was stored, with changes applied
  std::string resumeCheckpoint;  ///< empty: the newest good one
  bool fork = false;
  bool stretch = false;  ///< resolve the schedule anew for a longer max_duration
  /// Where the same request is made several times, as by each job of a chain: number of the first segment that it
  /// begins. A checkpoint from there on has been stretched, and is gone on with as it is. Empty: it is made once.
  std::optional<std::int64_t> firstSegment = {};
  /// Seconds that this process may run, as the cluster gives them; beside launch.time_limit, the shorter counts.
  std::optional<double> timeLimitSec = {};
  /// Id that a new run gets, from newRecordId(), with launch.journal: always; or of one that was interrupted before its
  /// first checkpoint, which begins again; empty: any. Whatever happens it can go on: it takes one before its first
  /// step.
  std::string runId = {};
  /// Called once the end of a run that hangs has been told and stored, from the thread that watches it; the thread that
  /// trains may never come back. Gets the reason. A process that does nothing but this run should end. Empty: nothing
  /// more happens.
  std::function<void(const std::string& reason)> onHung = {};
  /// Asked before each step: why whoever takes the events can take no more for now, or nothing; the run waits until
  /// then (a Slurm job does not: what it says is read then). Empty: they are always taken.
  std::function<std::string()> eventsHeldUp = {};
};

/// One candidate for a [MASK], best first.
struct MaskCandidate {
  std::string token;
  double probability = 0;
};

/// The checkpoint whose weights were taken.
struct UsedCheckpoint {
  std::string id;
  std::vector<std::string> notes;  ///< why newer ones were passed over
};

struct FilledMasks {
  UsedCheckpoint checkpoint;
  std::vector<std::vector<MaskCandidate>> masks;  ///< of the text, in order
};

struct ComputeDevice {
  std::string name;         ///< "cpu:0", "cuda:0"
  std::string description;  ///< "NVIDIA H200", the processor's name
  std::int64_t totalBytes = 0;
  std::int64_t freeBytes = 0;
};

/// Answer of the largest-batch search, with every probe made.
struct FoundBatch {
  struct Probe {
    std::int64_t microbatchUnits = 0;
    std::int64_t peakBytes = 0;
    bool fits = false;
  };
  std::int64_t microbatchUnits = 0;
  std::int64_t limitBytes = 0;
  std::vector<Probe> probes;
};

/// What needs LibTorch, behind an interface without it: implemented by libbatchwise_trainer.so, loaded on demand.
/// Functions block; call them from a thread that may. One training at a time per process.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// Trains to the end, a stop, or a failure, writing the store itself and telling `events` all that happens, the
  /// RunFinished included. The Result is the same outcome. Errors before the run exists (bad data, no such device) have
  /// no RunFinished.
  virtual Result<RunFinished> train(const LaunchRequest& request, EventSink& events, CommandMailbox& commands) = 0;

  /// Fills each [MASK] of `text` with the weights of a checkpoint (empty: the run's newest good one). Fails with Config
  /// if there is no [MASK].
  virtual Result<FilledMasks> fillMask(const std::filesystem::path& workspace, const std::string& run,
                                       const std::string& checkpoint, const std::string& text, int candidates) = 0;

  /// Writes config.json, model.safetensors, vocab.txt and the tokenizer files into `folder`, of a checkpoint as above.
  /// Fails as writeHuggingFaceModel().
  virtual Result<UsedCheckpoint> exportHuggingFace(const std::filesystem::path& workspace, const std::string& run,
                                                   const std::string& checkpoint, const std::filesystem::path& folder,
                                                   Replaces replaces) = 0;

  /// Searches the largest micro-batch for a configuration without starting a run.
  virtual Result<FoundBatch> findBatch(const LoadedConfig& config, const std::filesystem::path& workspace,
                                       EventSink& events) = 0;

  virtual std::vector<ComputeDevice> devices() = 0;
  /// Versions of the libraries in use, one "name version" a line.
  virtual std::string versions() = 0;
};

/// Where a trainer comes from: loadTrainer, or what a test gives. Called at each need, by a thread that may wait.
using TrainerSource = std::function<Result<std::shared_ptr<Trainer>>()>;

/// Loads libbatchwise_trainer.so (beside the program, or $BATCHWISE_TRAINER) at the first call and keeps it. Fails with
/// Unsupported, naming the file and the loader's words. Any thread. See passive_threads.h for what programs do before.
Result<std::shared_ptr<Trainer>> loadTrainer();

}  // namespace batchwise
