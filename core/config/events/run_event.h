// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/choice.h"
#include "core/base/result.h"
#include "core/config/time/time.h"

namespace batchwise {

// Events of a run, as values: the same for a worker thread, a child process and a journal from another host.

/// Memory of a run on one device in bytes, without what the process held before; host: growth of its resident size.
struct DeviceMemory {
  std::string name;  ///< "cpu:0", "cuda:1"
  std::int64_t allocated = 0;
  std::int64_t reserved = 0;
  std::int64_t peak = 0;
  std::int64_t total = 0;
  std::int64_t driverUsed = 0;  ///< by all processes, as reported by the GPU driver; 0 if unknown
  bool operator==(const DeviceMemory&) const = default;
};

/// The run started or resumed. `segment` counts from 0; each resume starts the next.
struct RunStarted {
  std::string run;  ///< id
  std::string name;
  std::int64_t segment = 0;
  Timestamp from;
  std::int64_t plannedBatches = 0;  ///< in the whole run; 0 if unknown
  bool operator==(const RunStarted&) const = default;
};

/// Progress of work other than steps: "reading text", "building the model", "evaluating", "saving a checkpoint", …
/// `done` and `total` are in `unit`; total 0 if unknown.
struct PhaseProgress {
  std::string phase;
  double done = 0;
  double total = 0;
  std::string unit;
  bool operator==(const PhaseProgress&) const = default;
};

/// Figures that only some runs measure, of a step or of the steps of a global batch; core/config/events/metric.cpp says
/// how those of steps become one.
struct MeasuredFigures {
  std::optional<double> attentionLogit;  ///< the largest over all layers and devices
  std::optional<double> updateRatio;     ///< see AdamW::largestUpdateRatio; not of a skipped step
  std::optional<double> lossScale;       ///< that the loss was multiplied by, with fp16
  /// Share of the tokens to be predicted, if it changes in the course of the run.
  std::optional<double> mlmProbability;
  std::optional<double> beta2;         ///< of the last step, under optimizer.beta2_half_life
  std::optional<double> weightDecay;   ///< of the last step, under optimizer.weight_decay_follows: tokens
  std::optional<double> clippedShare;  ///< of the steps, where their size changes in the course of the run
  bool operator==(const MeasuredFigures&) const = default;
};

/// Tokens of a named source of the training text.
struct SourceTokens {
  std::string name;
  std::int64_t tokens = 0;
  bool operator==(const SourceTokens&) const = default;
};

/// Names the fields, as core/config/events/json_fields.h wants it: events and the state of the loop hold them.
template <class Archive, class T>
requires std::same_as<std::remove_const_t<T>, SourceTokens>
void describe(Archive& archive, T& source) {
  archive.field("name", source.name);
  archive.field("tokens", source.tokens);
}

/// One row per global batch, and per step if steps are logged. Clocks are those after it.
struct MetricsRow {
  Timestamp at;
  double loss = 0;               ///< nats per predicted token, over all steps
  double learningRate = 0;       ///< in use, of the last step
  std::int64_t stepSamples = 0;  ///< of the largest step
  std::int64_t parts = 1;
  std::int64_t globalBatchSamples = 0;
  double gradNorm = 0;  ///< before clipping, the largest of the steps
  double samplesPerSec = 0;
  double tokensPerSec = 0;
  double stepSec = 0;                ///< mean over the steps
  double fill = 0;                   ///< 0 to 1
  std::optional<double> noiseScale;  ///< in samples; nothing before it is known
  std::optional<double> noiseScaleTokens = {}, noiseScaleLow = {}, noiseScaleHigh = {};  ///< the ends in samples
  /// Mean gradient norm of the steps; nothing in a row of one step. Unlike the largest, it does not grow with `parts`.
  std::optional<double> gradNormMean;
  MeasuredFigures measured;
  std::vector<DeviceMemory> devices;
  std::vector<SourceTokens> sources = {};  ///< what the steps have read of each
  bool operator==(const MetricsRow&) const = default;
};

/// The result of an evaluation on one named set.
struct EvalSetResult {
  std::string name;
  double loss = 0;  ///< nats per predicted token
  double perplexity = 0;
  double accuracy = 0;  ///< of the predicted tokens, 0 to 1
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  std::optional<double> bitsPerByte = {}, drawError = {};  ///< see EvalResult
  bool operator==(const EvalSetResult&) const = default;
};

/// The score of the model on a task, by a probe.
struct TaskResult {
  std::string name;  ///< "movie-reviews.accuracy"
  double value = 0;
  bool operator==(const TaskResult&) const = default;
};

/// With named sets, loss, accuracy and bits per byte are the means of theirs, weighted by eval.sets, and the perplexity
/// is exp(loss).
struct EvalResult {
  Timestamp at;
  double loss = 0;  ///< nats per predicted token
  double perplexity = 0;
  double accuracy = 0;  ///< of the predicted tokens, 0 to 1
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  double seconds = 0;
  std::vector<EvalSetResult> sets = {};
  /// Bits that the predicted tokens cost by the bytes of text under them, see TextBytes.
  std::optional<double> bitsPerByte = {};
  std::optional<double> drawError = {};  ///< standard error of the loss over the draws of masks, from 2 on
  std::int64_t predicted = 0;            ///< tokens, over all draws
  std::int64_t bytes = 0;                ///< of the text under them
  std::vector<TaskResult> tasks = {};
  bool operator==(const EvalResult&) const = default;
};

/// Why a checkpoint was taken.
enum class CheckpointReason {
  Start,      ///< before the first step, where a guard may roll back to
  Interval,   ///< each checkpoint.interval
  Stage,      ///< at the end of a stage of the run
  End,        ///< of the run
  Stop,       ///< the run was stopped
  Guard,      ///< a guard ended the run
  Requested,  ///< by the user
  Average,    ///< the mean of several, made on request
  Restored,   ///< unknown: its file was found without its entry
};
template <>
inline constexpr auto kChoiceNames<CheckpointReason> = namesInFiles("start", "interval", "stage", "end", "stop",
                                                                    "guard", "requested", "average", "restored");

struct CheckpointSaved {
  std::string id;
  Timestamp at;
  std::int64_t bytes = 0;
  double seconds = 0;   ///< from the request to the committed row
  double pauseSec = 0;  ///< of training
  CheckpointReason reason = CheckpointReason::Interval;
  bool operator==(const CheckpointSaved&) const = default;
};

enum class NoteLevel { Info, Warning, Error };
template <>
inline constexpr auto kChoiceNames<NoteLevel> = namesInFiles("info", "warning", "error");

/// What a note is about, for programs. Waiting: the run can only wait for now, for space on a disk, for its store or
/// for whoever reads its output; it resumes by itself, which the next row, evaluation or checkpoint shows, or a note
/// Resumed. From NonFinite on: an alert, of a condition that may call for an action.
enum class NoteKind { Other, Waiting, Resumed, NonFinite, Spike, Plateau, SlowDown, Memory };
template <>
inline constexpr auto kChoiceNames<NoteKind> = namesInFiles("other", "waiting", "resumed", "non_finite", "spike",
                                                            "plateau", "slow_down", "memory");
constexpr bool isAlert(NoteKind kind) {
  return kind >= NoteKind::NonFinite;
}

struct RunNote {
  NoteLevel level = NoteLevel::Info;
  std::string text;
  Timestamp at;
  std::optional<bool> paused = {};  ///< true: a pause starts here; false: it ends; empty: no change
  NoteKind kind = NoteKind::Other;
  /// Of an alert, by kind: the loss and the gradient norm; the loss and its limit; the mean losses of a plateau's newer
  /// and older half; tokens per second now and usual; bytes used and total.
  std::optional<double> value = {}, reference = {};
  bool operator==(const RunNote&) const = default;
};

/// Queued: waits in the queue, to begin or to be resumed.
enum class RunStatus { Created, Running, Finished, Stopped, Failed, Interrupted, Queued };
template <>
inline constexpr auto kChoiceNames<RunStatus> = namesInFiles("created", "running", "finished", "stopped", "failed",
                                                             "interrupted", "queued");

/// Why a run has failed, as far as there is something particular to do about it. Diverged: of a run that has finished.
/// Unneeded: of a branch that was stopped because its study is clear without the rest of it.
enum class FailureCause {
  Unknown,
  OutOfMemory,
  NonFinite,
  LossSpike,
  DiskFull,
  LostRank,
  MissingFile,
  DamagedCheckpoint,
  DamagedFile,
  Device,
  Diverged,
  Unneeded,
};
template <>
inline constexpr auto kChoiceNames<FailureCause> = namesInFiles("unknown", "out_of_memory", "non_finite", "loss_spike",
                                                                "disk_full", "lost_rank", "missing_file",
                                                                "damaged_checkpoint", "damaged_file", "device",
                                                                "diverged", "unneeded");

struct RunFinished {
  RunStatus status = RunStatus::Finished;
  std::string reason;  ///< "reached its planned length", "at the user's request", an error's text
  Timestamp at;
  std::string lastCheckpoint;
  FailureCause cause = FailureCause::Unknown;
  bool operator==(const RunFinished&) const = default;
};

using RunEvent = std::variant<RunStarted, PhaseProgress, MetricsRow, EvalResult, CheckpointSaved, RunNote, RunFinished>;

/// Receives events as they happen. publish() is called by one thread at a time (the one that trains or the one that
/// watches it); it must return quickly and never throw.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void publish(const RunEvent& event) = 0;
};

/// Discards all events.
class NullSink final : public EventSink {
 public:
  void publish(const RunEvent&) override {}
};

/// Returns what a run has failed of, by the code of the error that ended it; Unknown if that says nothing particular.
FailureCause failureCause(ErrorCode code);
/// Returns the end of a run that has failed with `error`, with reason and cause.
RunFinished failedRun(const Error& error);

/// Returns one flat object per event, `{"event": "metrics", "ba": …}`: the JSON-lines contract of `batchwise train
/// --json`. Numbers that are not finite become the strings "nan", "inf" or "-inf".
nlohmann::json eventToJson(const RunEvent& event);
/// Returns the same as one line without a line end. Replaces invalid UTF-8. Never throws.
std::string eventToLine(const RunEvent& event);
/// Fails with Corrupt if a field is missing or has another type. Unknown fields are ignored.
Result<RunEvent> eventFromJson(const nlohmann::json& object);
/// Returns the event of a line that eventToLine() wrote; fails with Corrupt.
Result<RunEvent> eventFromLine(std::string_view line);

/// Computes progress and remaining time of a run from its events alone. Not thread-safe; events in order.
class RunProgress {
 public:
  /// monotonic time of the event
  void update(const RunEvent& event, double nowSec);

  std::int64_t plannedBatches() const { return plannedBatches_; }
  /// Returns 0 to 1; empty if the number of global batches is unknown.
  std::optional<double> fraction() const;
  /// Returns the estimated seconds to the end at the recent pace, evaluation and checkpoints included, pauses and waits
  /// for storage not. Empty until two rows have arrived, and if the end is unknown.
  std::optional<double> etaSec() const;

 private:
  void updateFromRow(const MetricsRow& row, double nowSec);

  std::int64_t plannedBatches_ = 0;
  std::int64_t doneBatches_ = 0;
  std::optional<double> lastRowSec_;
  double weightedSec_ = 0.0;  ///< decaying sums over the recent rows
  double weightedBatches_ = 0.0;
};

}  // namespace batchwise
