// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/analysis/judge_result.h"
#include "core/analysis/noise_scale.h"
#include "core/base/result.h"
#include "core/config/config_file.h"
#include "core/config/events/run_command.h"
#include "core/config/events/run_event.h"
#include "core/text/task_data.h"

namespace batchwise {

inline constexpr const char* kProcessAlreadyTraining =
    "this process is already training a run; wait for it or stop it, or start another process for a second run";

class Workspace;
enum class Replaces;  // core/base/output_file.h

/// Request for a new run, a resume or a fork.
struct LaunchRequest {
  std::filesystem::path workspace;
  LoadedConfig config;           ///< of a new run or fork; without errors
  std::string resumeRun;         ///< id; then `config` is the stored configuration with changes applied
  std::string resumeCheckpoint;  ///< empty: the newest good one
  bool fork = false;
  bool stretch = false;  ///< resolve the schedule again for a longer max_duration
  /// Index of the first segment that a repeated request, as of each job of a chain, creates. Checkpoints from that
  /// segment on are already stretched and are resumed unchanged. Empty: the request is made once.
  std::optional<std::int64_t> firstSegment = {};
  /// Seconds that the cluster gives this process; the shorter of this and launch.time_limit applies.
  std::optional<double> timeLimitSec = {};
  /// Id of a run of the queue, or of one that was interrupted before its first checkpoint, which begins again. With
  /// launch.journal: always also the id for a new run, from newRecordId(); such a run saves a checkpoint before its
  /// first step, so that it can always be resumed. Empty: any.
  std::string runId = {};
  /// Called with the reason after the end of a hung run was reported and stored, on the monitoring thread; the training
  /// thread may never return. A process that only trains this run should exit. Empty: nothing more happens.
  std::function<void(const std::string& reason)> onHung = {};
  /// Polled before each step: why the consumer of the events cannot take more now, or empty; the run waits meanwhile.
  /// (A Slurm job does not wait; its events are read later.) Empty function: events are always taken.
  std::function<std::string()> eventsBlockedReason = {};
};

/// One candidate for a [MASK], best first.
struct MaskCandidate {
  std::string token;
  double probability = 0;
};

/// The checkpoint whose weights were used.
struct UsedCheckpoint {
  std::string id;
  std::vector<std::string> notes;  ///< why newer checkpoints were skipped
};

struct FilledMasks {
  UsedCheckpoint checkpoint;
  std::string maskToken;                          ///< of the model, for which [MASK] can be written
  std::vector<std::vector<MaskCandidate>> masks;  ///< one list per mask, in text order, without special tokens
};

/// A checkpoint of a run, as in Trainer::fillMask(), or a folder in the Hugging Face layout.
struct ModelSource {
  std::filesystem::path workspace;
  std::string run, checkpoint;  ///< an empty run: the folder
  std::filesystem::path folder;
};

/// A model and the text it is evaluated on. An empty optional of `eval`: the value of the model's run, of a folder the
/// default. Documents are not joined.
struct EvaluationRequest : ModelSource {
  std::vector<std::string> text;  ///< files, folders or patterns; absolute
  std::optional<TextFormat> format;
  std::string textField;  ///< for formats that name one; empty: guessed, as the format is
  std::optional<std::int64_t> draws, seed, maxSeqLen;
  std::optional<double> mlmProbability;
  std::optional<std::int64_t> documents;  ///< the first ones; empty: all
  std::string device = "auto";            ///< as devices.use; the first of several
  bool pseudoPerplexity = false;          ///< of the first samples
  std::filesystem::path masksFile;        ///< gets masked ids and labels; empty: none
  Replaces masksReplace = {};
};

struct EvaluatedModel {
  UsedCheckpoint checkpoint;  ///< no id: a folder
  std::string model;          ///< CheckpointRecord::file, or the path of the folder
  EvalResult result;
  std::optional<double> pseudoPerplexity;  ///< see pseudoPerplexity() in core/train/evaluation.h
  std::int64_t pseudoWords = 0, pseudoSamples = 0;
  std::int64_t documents = 0, textBytes = 0;
  std::int64_t draws = 1, seed = 0, maxSeqLen = 0;
  double mlmProbability = 0;
  std::string measured;   ///< hash of the documents and of what decides the masks, whatever the tokenizer
  std::string tokenizer;  ///< identity
};

/// A checkpoint whose gradient is measured, on `batches` x `batchSamples` samples that its run reads next.
struct NoiseRequest : ModelSource {
  std::int64_t batches = 16, batchSamples = 64;
  std::string device = "auto";  ///< as devices.use; the first of several
};

struct MeasuredNoise {
  UsedCheckpoint checkpoint;
  Timestamp at;                       ///< clocks of the checkpoint
  std::optional<NoiseScale> scale;    ///< nothing: not measurable by so many batches
  std::optional<NoiseScale> ofNorms;  ///< of the norm layers alone, as log.noise_scale: examples measures
  std::optional<double> trace, gradientSquared;
  std::int64_t samples = 0, tokens = 0;
  bool seenBefore = false;  ///< the run ends earlier: samples from its begin
  double seconds = 0;
};

/// A model and the task that it is judged on.
struct JudgeRequest : ModelSource {
  std::shared_ptr<const TaskData> task;
  std::string device = "auto";  ///< as devices.use; the first of several
  bool onlyChecks = false;      ///< finds out what would fail, and publishes the notes; scores nothing
  Pooling pooling = Pooling::Mean;
  std::optional<FineTuneOptions> fineTuning;  ///< empty: a probe
  std::filesystem::path exportFolder;         ///< for the fine-tuned model, checked before the training; empty: none
  Replaces exportReplaces = {};
  bool exports = false;  ///< write the model into exportFolder
};

struct ComputeDevice {
  std::string name;         ///< "cpu:0", "cuda:0"
  std::string description;  ///< "NVIDIA H200, compute capability 9.0", the processor's name
  std::int64_t totalBytes = 0;
  std::int64_t freeBytes = 0;
  std::string problem = {};  ///< why runs cannot use it; empty if they can
};

/// Result of the largest-batch search, with every probe made.
struct BatchSearchResult {
  struct Probe {
    std::int64_t microbatchUnits = 0;
    std::int64_t peakBytes = 0;
    bool fits = false;
  };
  std::int64_t microbatchUnits = 0;  ///< the largest that fits, as far as it was tried
  std::int64_t runUnits = 0;         ///< what a run takes of it: at most a device's share of the global batch
  std::int64_t limitBytes = 0;
  std::string bound;  ///< why no larger one was tried; empty: the memory decides
  std::vector<Probe> probes;
};

/// Interface to the parts that need LibTorch, free of its headers; implemented by libbatchwise_trainer.so, loaded on
/// demand. Functions block. One training at a time per process.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// Trains until the end, a stop or a failure, writes the store, and publishes all events to `events`, including
  /// RunFinished; returns the same outcome. Errors before the run exists (bad data, missing device) publish no
  /// RunFinished.
  virtual Result<RunFinished> train(const LaunchRequest& request, EventSink& events, CommandMailbox& commands) = 0;

  /// Predicts each [MASK], or mask token of the model, of `text` with the weights of a checkpoint (empty: the run's
  /// newest good one). Fails with Config if there is none, or if the weights are not finite.
  virtual Result<FilledMasks> fillMask(const std::filesystem::path& workspace, const std::string& run,
                                       const std::string& checkpoint, const std::string& text, int candidates) = 0;

  /// Evaluates a checkpoint or a folder on a text in fp32, with progress on `events`. Fails with Config if the folder
  /// has no head or the model does not take so long sequences, with Busy during a training, otherwise as
  /// openCheckpoint(), surveyText() and Evaluation.
  virtual Result<EvaluatedModel> evaluate(const EvaluationRequest& request, EventSink& events) = 0;

  /// Measures the noise scale of a run's gradient at a checkpoint in fp32, by a backward pass per sample, with the
  /// run's own data, masks and dropout. Fails with Config if its text has changed or is too short, with Busy during a
  /// training, otherwise as openCheckpoint() and prepareData().
  virtual Result<MeasuredNoise> measureNoise(const NoiseRequest& request, EventSink& events) = 0;

  /// Scores a checkpoint or a folder by a probe in fp32, or fine-tunes it once. Notes on texts and model, and progress
  /// go to `events`. Fails with Busy during a training, with Stopped, with Config if the model does not take maxSeqLen
  /// tokens, otherwise as openCheckpoint(), TaskProbe, FineTuning and writeHuggingFaceModel().
  virtual Result<JudgeResult> judge(const JudgeRequest& request, EventSink& events, const std::stop_token& stop) = 0;

  /// Writes config.json, model.safetensors and the tokenizer files into `folder`; `checkpoint` as in
  /// fillMask(). Fails as writeHuggingFaceModel().
  virtual Result<UsedCheckpoint> exportHuggingFace(const std::filesystem::path& workspace, const std::string& run,
                                                   const std::string& checkpoint, const std::filesystem::path& folder,
                                                   Replaces replaces) = 0;

  /// Writes the encoder into `folder` for sentence-transformers, which pools its hidden states. Fails likewise.
  virtual Result<UsedCheckpoint> exportSentenceTransformers(const std::filesystem::path& workspace,
                                                            const std::string& run, const std::string& checkpoint,
                                                            const std::filesystem::path& folder, Pooling pooling,
                                                            Replaces replaces) = 0;

  /// Searches for the largest micro-batch of a configuration without starting a run.
  virtual Result<BatchSearchResult> findBatch(const LoadedConfig& config, const std::filesystem::path& workspace,
                                              EventSink& events) = 0;

  virtual std::vector<ComputeDevice> devices() = 0;
  /// Returns versions of the libraries in use, one "name version" per line.
  virtual std::string versions() = 0;
};

/// Returns a trainer: loadTrainer(), or a test's. Called each time one is needed, on a thread that may block.
using TrainerSource = std::function<Result<std::shared_ptr<Trainer>>()>;

/// Loads libbatchwise_trainer.so (from the folder of the program, or $BATCHWISE_TRAINER) at the first call and keeps
/// it. Fails with Unsupported, naming the file and the loader's message. Thread-safe. See also own_program.h.
Result<std::shared_ptr<Trainer>> loadTrainer();

/// Incremented whenever the layout of Trainer, or of a type in its signatures, changes: program and library must match.
constexpr int kTrainerInterface = 15;

/// The two symbols that libbatchwise_trainer.so exports.
constexpr const char* kTrainerInterfaceSymbol = "batchwiseTrainerInterface";
constexpr const char* kMakeTrainerSymbol = "batchwiseMakeTrainer";
using TrainerInterfaceFunction = int (*)();
using MakeTrainerFunction = Trainer* (*)();  ///< the caller owns the result

/// Serializes a request as JSON for another process: workspace, configuration text with its base folder, and what to
/// resume. Makes relative paths absolute.
std::string requestToText(const LaunchRequest& request);

/// Parses a request and its configuration. Fails with Corrupt if the text is not a request; errors of the configuration
/// are in its own list.
Result<LaunchRequest> requestFromText(const std::string& text);

}  // namespace batchwise
