// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/run_event.h"

namespace batchwise {

// What the store gives back: plain values, one struct per thing a reader asks for.

/// A run as a list shows it. Last values come from the newest metrics row that counts (not superseded).
struct RunSummary {
  std::string id;    ///< 12 lower-case letters and digits
  std::string name;  ///< unique in the workspace
  RunStatus status = RunStatus::Created;
  bool paused = false;         ///< Running, but waits between two steps
  std::string reason;          ///< why it ended
  std::int64_t createdMs = 0;  ///< milliseconds since 1970 UTC
  std::int64_t endedMs = 0;    ///< 0 while it has not ended
  std::int64_t plannedBatches = 0;
  Timestamp at;  ///< after the newest row
  std::optional<double> loss, evalLoss, learningRate, samplesPerSec, tokensPerSec;
  std::int64_t checkpoints = 0;
  std::string parent;  ///< id of the run it was forked or duplicated from
  bool archived = false;
  std::vector<std::string> tags;
  std::string note;  ///< Markdown
};

/// "running", "paused", "finished", ...
std::string_view stateName(const RunSummary& run);

/// A stretch of a run between a start or resume and the next. Rows after `fromBatch` of older segments are superseded.
struct RunSegment {
  std::int64_t number = 0;
  Timestamp from;
  std::string checkpoint;  ///< it was resumed from; empty for the first
  std::int64_t startedMs = 0;
  std::string host;
  std::int64_t processId = 0;
  std::string environment;  ///< JSON: library versions, devices, threads, determinism
};

/// What a run needs to be entered into the store.
struct NewRun {
  std::string name;  ///< empty: made from the date; taken: gets "-2", "-3", …
  std::string configYaml, resolvedYaml;
  std::map<std::string, std::string> resolvedValues;
  std::map<std::string, double> references;
  std::int64_t plannedBatches = 0;
  std::string parent;
  std::vector<std::string> tags;
  std::string why;
};

/// Everything about a run that does not grow with its length.
struct RunDetail {
  RunSummary summary;
  std::string why;           ///< what the person wrote when launching it
  std::string configYaml;    ///< as typed
  std::string resolvedYaml;  ///< every field, as the run was last trained with
  std::map<std::string, std::string> resolvedValues;
  std::map<std::string, double> references;  ///< e.g. "unigram_entropy": horizontal lines in the loss chart
  std::vector<RunSegment> segments;
};

/// A point of a series. `batch` is the clock ba.
struct SeriesPoint {
  std::int64_t batch = 0;
  double value = 0;
};

/// Neighbouring points as a chart draws them in one pixel column. `minimum` and `maximum` are over the finite values,
/// NaN if there is none; `first` and `last` are whatever stands there; `nonFinite` counts NaN and infinities.
struct SeriesBucket {
  std::int64_t firstBatch = 0, lastBatch = 0;
  double first = 0, last = 0, minimum = 0, maximum = 0;
  std::int64_t count = 0, nonFinite = 0;
};

struct StoredEvent {
  std::int64_t id = 0;
  std::int64_t segment = 0;
  std::int64_t wallMs = 0;
  RunEvent event;
  bool superseded = false;
};

struct CheckpointRecord {
  std::string id;
  std::string run;
  std::int64_t segment = 0;
  Timestamp at;
  std::string file;  ///< relative to the workspace
  std::int64_t bytes = 0;
  std::int64_t createdMs = 0;
  std::string reason;
  std::optional<double> metric;  ///< the best_metric at that time
  bool pinned = false;
  bool verified = false;  ///< read back after writing
  bool finite = true;
};

/// 12 random lower-case letters and digits, for runs and checkpoints. Any thread.
std::string newRecordId();

}  // namespace batchwise
