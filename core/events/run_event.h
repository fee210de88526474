// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/time/timestamp.h"

namespace batchwise {

// What a run reports, as values: the same for a worker thread, a child process and a journal from another host.

/// Memory of one device in bytes; on the host `allocated` is the resident size of the process.
struct DeviceMemory {
  std::string name;  ///< "cpu:0", "cuda:1"
  std::int64_t allocated = 0;
  std::int64_t reserved = 0;
  std::int64_t peak = 0;
  std::int64_t total = 0;
  std::int64_t driverUsed = 0;  ///< by all programs, as the driver of a GPU says; 0 if it does not
  bool operator==(const DeviceMemory&) const = default;
};

/// The run has begun or begun again. `segment` counts from 0; a resume opens the next.
struct RunStarted {
  std::string run;  ///< id
  std::string name;
  std::int64_t segment = 0;
  Timestamp from;
  std::int64_t plannedBatches = 0;  ///< in the whole run; 0 if not known ahead
  bool operator==(const RunStarted&) const = default;
};

/// What the trainer is busy with besides steps: "reading text", "training the vocabulary", "tokenising", "building the
/// model", "evaluating", "saving a checkpoint". `done`/`total` in `unit`; total 0: no known end.
struct PhaseProgress {
  std::string phase;
  double done = 0;
  double total = 0;
  std::string unit;
  bool operator==(const PhaseProgress&) const = default;
};

/// One row per global batch Clocks are those after the batch.
struct MetricsRow {
  Timestamp at;
  double loss = 0;               ///< nats per predicted token, over all parts
  double learningRate = 0;       ///< in use, of the last part
  std::int64_t stepSamples = 0;  ///< of the largest part
  std::int64_t parts = 1;
  std::int64_t globalBatchSamples = 0;
  double gradNorm = 0;  ///< before clipping, largest part
  double samplesPerSec = 0;
  double tokensPerSec = 0;
  double stepSec = 0;                ///< mean over the parts
  double fill = 0;                   ///< 0 to 1
  std::optional<double> noiseScale;  ///< in samples
  std::vector<DeviceMemory> devices;
  bool operator==(const MetricsRow&) const = default;
};

struct EvalResult {
  Timestamp at;
  double loss = 0;  ///< nats per predicted token
  double perplexity = 0;
  double accuracy = 0;  ///< of the predicted tokens, 0 to 1
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  double seconds = 0;
  bool operator==(const EvalResult&) const = default;
};

struct CheckpointSaved {
  std::string id;
  Timestamp at;
  std::int64_t bytes = 0;
  double seconds = 0;   ///< from the request to the committed row
  double pauseSec = 0;  ///< of training
  std::string reason;   ///< "start", "interval", "end", "stop", "guard", "asked for"
  bool operator==(const CheckpointSaved&) const = default;
};

enum class NoteLevel { Info, Warning, Error };

struct RunNote {
  NoteLevel level = NoteLevel::Info;
  std::string text;
  Timestamp at;
  std::optional<bool> paused = {};  ///< a pause begins here (true) or is over (false); until the next of them
  bool operator==(const RunNote&) const = default;
};

enum class RunStatus { Created, Running, Finished, Stopped, Failed, Interrupted };
std::string_view runStatusName(RunStatus status);
std::optional<RunStatus> runStatusFromName(std::string_view name);

struct RunFinished {
  RunStatus status = RunStatus::Finished;
  std::string reason;  ///< "max_duration reached", "stopped by the user", an error's text
  Timestamp at;
  std::string lastCheckpoint;
  bool operator==(const RunFinished&) const = default;
};

using RunEvent = std::variant<RunStarted, PhaseProgress, MetricsRow, EvalResult, CheckpointSaved, RunNote, RunFinished>;

/// Takes events as they happen. Called by one thread at a time, the one that trains or the one that
/// watches it: must return quickly and never throw.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void publish(const RunEvent& event) = 0;
};

/// Listens to nothing.
class SilentSink final : public EventSink {
 public:
  void publish(const RunEvent&) override {}
};

/// One flat object per event, `{"event": "metrics", "ba": …}`, the JSON-lines contract of `batchwise train --json`.
/// A number that is not finite becomes the text "nan", "inf" or "-inf".
nlohmann::json eventToJson(const RunEvent& event);
/// The same as one line without its end. Bytes that are no UTF-8 are replaced, so it never throws.
std::string eventToLine(const RunEvent& event);
/// Fails with Corrupt if a field is missing or has another type. Fields that are not known are ignored.
Result<RunEvent> eventFromJson(const nlohmann::json& object);

}  // namespace batchwise
