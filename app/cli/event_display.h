// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "app/cli/async_text_writer.h"
#include "core/base/clock.h"
#include "core/base/mutex.h"
#include "core/config/events/run_event.h"

namespace batchwise::cli {

/// Format in which the events of a run are shown.
enum class DisplayMode {
  JsonLines,  ///< one JSON line per event
  Terminal,   ///< one status line redrawn in place; permanent lines for evaluations, checkpoints and notes
  Plain,      ///< permanent lines only; metric rows at most once a second
};

/// Returns JsonLines if `json`, Terminal if `descriptor` is a terminal, else Plain.
DisplayMode displayModeFor(bool json, int descriptor);

/// Shows events as text without blocking on the reader of the output. Thread-safe.
class EventDisplay final : public EventSink {
 public:
  /// `descriptor`: usually of stdout or stderr; not closed.
  EventDisplay(DisplayMode mode, int descriptor, const Clock& clock);
  ~EventDisplay() override;  ///< returns once everything is written

  void publish(const RunEvent& event) override;
  AsyncTextWriter& writer() { return out_; }

 private:
  void show(const RunStarted& event) REQUIRES(mutex_);
  void show(const PhaseProgress& event) REQUIRES(mutex_);
  void show(const MetricsRow& row) REQUIRES(mutex_);
  void show(const EvalResult& event) REQUIRES(mutex_);
  void show(const CheckpointSaved& event) REQUIRES(mutex_);
  void show(const RunNote& event) REQUIRES(mutex_);
  void show(const RunFinished& event) REQUIRES(mutex_);
  void permanentLine(const std::string& text) REQUIRES(mutex_);
  void statusLine(const std::string& text) REQUIRES(mutex_);
  bool due(double everySec) REQUIRES(mutex_);
  std::string rowText(const MetricsRow& row) const REQUIRES(mutex_);

  const DisplayMode mode_;
  const int descriptor_;
  const Clock& clock_;
  Mutex mutex_;
  RunProgress progress_ GUARDED_BY(mutex_);
  double shownSec_ GUARDED_BY(mutex_) = -1e9;
  std::string phase_ GUARDED_BY(mutex_);
  std::string run_ GUARDED_BY(mutex_);  // name of the run, once started
  bool lineOpen_ GUARDED_BY(mutex_) = false;
  AsyncTextWriter out_;  // has its own mutex
};

/// Shows the progress of a command that trains no run; shows nothing with --json. With BATCHWISE_PROGRESS=json in the
/// environment, as the window has it, it writes events as JSON lines.
class ProgressDisplay final : public EventSink {
 public:
  ProgressDisplay(bool json, int descriptor) {
    const char* asked = std::getenv("BATCHWISE_PROGRESS");
    const bool lines = asked != nullptr && std::string_view(asked) == "json";
    if (lines || !json) display_.emplace(displayModeFor(lines, descriptor), descriptor, clock_);
  }
  void publish(const RunEvent& event) override {
    if (display_) display_->publish(event);
  }
  /// Ends the progress line, so that other text can follow.
  void close() { display_.reset(); }

 private:
  SystemClock clock_;
  std::optional<EventDisplay> display_;
};

}  // namespace batchwise::cli
