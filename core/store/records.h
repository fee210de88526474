// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/events/run_event.h"

namespace batchwise {

inline std::string checkpointContextText(const auto& id) {
  return formatText("checkpoint {}", id);
}

inline std::string runContextText(const auto& run) {
  return formatText("run '{}'", run);
}

// Plain values that readers of the store receive.

/// A run as lists show it. Latest values come from the newest metrics row that is not superseded.
struct RunSummary {
  std::string id;    ///< 12 lower-case letters and digits
  std::string name;  ///< unique in the workspace
  RunStatus status = RunStatus::Created;
  bool paused = false;  ///< status is Running, but it waits between two steps
  std::string reason;   ///< why it ended
  FailureCause cause = FailureCause::Unknown;
  std::int64_t createdMs = 0;  ///< milliseconds since 1970 UTC
  std::int64_t endedMs = 0;    ///< 0 if it has not ended
  std::int64_t plannedBatches = 0;
  Timestamp at;  ///< clocks after the newest row
  std::optional<double> loss, evalLoss, learningRate, samplesPerSec, tokensPerSec;
  std::int64_t checkpoints = 0;
  std::string parent;  ///< id of the run it was forked or duplicated from
  bool archived = false;
  std::vector<std::string> tags;
  std::string note;  ///< Markdown
  /// What its evaluations measure (see core/analysis/measured_alike.h), as at launch; empty if it is not evaluated or
  /// unknown.
  std::string evaluationSet;
  /// The program whose files it was read from (core/trackers/run_source.h), and the folder or file; empty: our own.
  std::string source, sourcePath;
};
/// Returns whether another program recorded the run: it has figures and settings, but nothing to resume from.
inline bool isExternal(const RunSummary& run) {
  return !run.source.empty();
}

/// "running", "paused", "finished", "finished, diverged", ...
std::string_view stateName(const RunSummary& run);

/// The part of a run between a start or resume and the next. It supersedes rows after `fromBatch` of older segments.
struct RunSegment {
  std::int64_t number = 0;
  Timestamp from;
  std::string checkpoint;  ///< the checkpoint it was resumed from; empty for the first segment
  std::int64_t startedMs = 0;
  std::string host;
  std::int64_t processId = 0;
  std::string environment;  ///< JSON: library versions, devices, threads, determinism
};

/// Input for recording a new run.
struct NewRun {
  std::string name;  ///< empty: made from the date; a taken name gets "-2", "-3", …
  std::string configYaml, resolvedYaml;
  std::map<std::string, std::string> resolvedValues;
  std::map<std::string, double> references;
  std::int64_t plannedBatches = 0;
  std::string parent;
  std::vector<std::string> tags;
  std::string why;
  std::string source, sourcePath;  ///< see RunSummary
};

/// Everything about a run whose size does not grow with its length.
struct RunDetail {
  RunSummary summary;
  std::string why;           ///< the reason given at launch
  std::string configYaml;    ///< as given
  std::string resolvedYaml;  ///< all fields, as last trained with
  std::map<std::string, std::string> resolvedValues;
  std::map<std::string, double> references;  ///< horizontal lines in the loss chart, e.g. "unigram_entropy"
  std::vector<RunSegment> segments;
};

/// Returns a text that changes whenever points of the run are taken away or superseded.
std::string segmentsKey(const RunDetail& run);

/// A point of a metric series. `batch` counts global batches.
struct SeriesPoint {
  std::int64_t batch = 0;
  double value = 0;
};

/// Consecutive points that share one pixel column of a chart. `minimum` and `maximum` are over finite values, NaN if
/// there are none; `first` and `last` may be non-finite; `nonFinite` counts NaN and infinities.
struct SeriesBucket {
  std::int64_t firstBatch = 0, lastBatch = 0;
  double first = 0, last = 0, minimum = 0, maximum = 0;
  std::int64_t count = 0, nonFinite = 0;
  double mean = 0;  ///< of the finite values; 0 if there are none
};

struct StoredEvent {
  std::int64_t id = 0;
  std::int64_t segment = 0;
  std::int64_t wallMs = 0;
  RunEvent event;
  bool superseded = false;
};

struct EventOfRun {
  std::int64_t id = 0;
  std::string run, runName;
  std::int64_t wallMs = 0;
  RunEvent event;
};

struct CheckpointRecord {
  std::string id;
  std::string run;
  std::int64_t segment = 0;
  Timestamp at;
  std::string file;  ///< path relative to the workspace
  std::int64_t bytes = 0;
  std::int64_t createdMs = 0;
  CheckpointReason reason = CheckpointReason::Interval;
  std::optional<double> metric;  ///< value of best_metric at that time
  bool pinned = false;
  bool verified = false;  ///< read back after writing
  bool finite = true;
};

/// Returns 12 random lower-case letters and digits, for runs and checkpoints. Thread-safe.
std::string newRecordId();

/// A value that a resume resolved again.
struct ReresolvedValue {
  std::string value;         ///< empty: the value no longer exists
  std::int64_t segment = 0;  ///< first of the consecutive last segments with this value
};

/// Returns, by name, the values that replace those resolved at launch. Empty if none does.
std::map<std::string, ReresolvedValue> reresolvedValues(const RunDetail& run);

/// Returns the resolved values of the run's last segment.
std::map<std::string, std::string> currentResolvedValues(const RunDetail& run);

namespace resolved_names {

// Names of resolved values that say what a run was measured with.

/// Tokenizer::identity() in hexadecimal digits.
inline constexpr const char* kTokenizerIdentity = "tokenizer.identity";
/// PreparedData::evaluationText. A resume on other text stores it with its segment.
inline constexpr const char* kEvaluationText = "evaluation.text";
/// PreparedData::trainingText; of a run with stages that of the first.
inline constexpr const char* kTrainingText = "training.text";
/// evaluationSet(), see core/analysis/measured_alike.h.
inline constexpr const char* kEvaluationSet = "evaluation.set";
inline constexpr const char* kBaseFolder = "config.folder";  ///< base of relative paths in the configuration
/// Id of the checkpoint of RunSummary::parent that a fork begins at.
inline constexpr const char* kForkCheckpoint = "fork.checkpoint";

}  // namespace resolved_names

/// An event and the time of its report.
struct StampedEvent {
  std::int64_t wallMs = 0;  ///< milliseconds since 1970 UTC
  RunEvent event;
};

/// Records one segment of a run, in the database (RunWriter) or in a journal (JournalWriter). publish() is thread-safe.
/// Events that cannot be written are kept and retried; writeError() returns the error meanwhile. PhaseProgress is not
/// recorded.
class RunRecorder : public EventSink {
 public:
  struct SegmentStart {
    Timestamp from;
    std::string checkpoint;    ///< the checkpoint it was resumed from
    std::string environment;   ///< JSON
    std::string resolvedYaml;  ///< replaces the run's if it resumes with changes; empty: unchanged
    /// For a run without a checkpoint that starts again: its configuration, resolved values, references and plan
    /// replace the stored ones.
    std::optional<NewRun> restart = {};
  };
  virtual std::int64_t segment() const = 0;
  /// Records a checkpoint whose file (a path relative to the workspace) is complete and synced; fills in run, segment
  /// and size. Durable on success.
  virtual Result<void> addCheckpoint(const CheckpointRecord& record) = 0;
  /// Returns the checkpoints of the run, oldest first.
  virtual Result<std::vector<CheckpointRecord>> checkpoints() const = 0;
  /// Deletes the record of a checkpoint of the run, then its file.
  virtual Result<void> removeCheckpoint(const CheckpointRecord& record) = 0;
  /// Makes all events published so far durable. On failure they are kept and retried later.
  virtual Result<void> flush() = 0;
  /// Returns the global batches of the run whose rows are durable, by the newest of them.
  virtual std::int64_t storedBatch() const = 0;
  /// Returns the write error that is being retried; nullopt if there is none.
  virtual std::optional<Error> writeError() const = 0;
  /// Returns messages for the user about how the segment was opened.
  virtual std::vector<std::string> notices() const { return {}; }
};

/// Returns all clocks as a JSON object; 64-bit numbers are exact.
std::string timestampText(const Timestamp& at);
/// Fails with Corrupt if a clock is missing, negative, above 2^62 or not a number. "{}" is the start of a run.
Result<Timestamp> timestampFromText(std::string_view text);
/// Fails with Corrupt as timestampFromText().
Result<void> checkClocks(const Timestamp& at);

/// Returns the clocks of an event; nullopt for PhaseProgress, which has none.
std::optional<Timestamp> timestampOf(const RunEvent& event);

/// Returns whether `text` has 1 to 64 letters, digits, '-' and '_': ids of imported runs and checkpoints become part of
/// file names.
bool isPlainId(const std::string& text);

/// In bytes.
constexpr std::size_t kMaxRunNameBytes = 200;
constexpr std::size_t kMaxRunTagBytes = 200;
constexpr std::size_t kMaxRunTextBytes = 4 << 20;  ///< of a note or a configuration

/// Returns `text` without control characters (ASCII) other than line ends and tabs, ill-formed UTF-8 as U+FFFD, cut to
/// at most `longestBytes` at the end of a character.
std::string withoutControlCharacters(std::string_view text, std::size_t longestBytes);

enum class TimeZone { Utc, Local };

/// Formats like "2026-11-21T13:59:04Z"; without Z in local time.
std::string isoTime(std::int64_t wallMs, TimeZone zone = TimeZone::Utc);

/// Fails with Config if `name` is empty, "latest", longer than kMaxRunNameBytes, or not a plain line
/// (core/base/text.h).
Result<void> checkRunName(std::string_view name);

/// Returns `wanted`, or if that name is taken, `wanted` with "-2", "-3", … appended, shortened to kMaxRunNameBytes.
std::string freeRunName(const std::string& wanted, const std::function<bool(const std::string&)>& isTaken);

/// Formats like "run-20261121-140502", in local time.
std::string runNameFromDate(std::int64_t wallMs);

}  // namespace batchwise
