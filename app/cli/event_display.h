// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "app/cli/text_outlet.h"
#include "core/base/clock.h"
#include "core/events/run_event.h"
#include "core/events/run_progress.h"

namespace batchwise::cli {

/// How the events of a run are shown.
enum class DisplayMode {
  JsonLines,  ///< every event as one line
  Terminal,   ///< a line that changes, and lasting lines for evaluations, checkpoints and notes
  Plain,      ///< lasting lines only, rows of metrics at most once a second
};

/// The mode that fits stdout.
DisplayMode displayModeFor(bool json);

/// Shows events as text, without waiting for whoever reads it. Events may come from any thread.
class EventDisplay final : public EventSink {
 public:
  /// `descriptor`: of stdout or stderr, as a rule; remains the caller's.
  EventDisplay(DisplayMode mode, int descriptor, const Clock& clock);
  ~EventDisplay() override;  ///< once all is written

  void publish(const RunEvent& event) override;
  TextOutlet& outlet() { return out_; }

 private:
  void show(const RunStarted& event);
  void show(const PhaseProgress& event);
  void show(const MetricsRow& row);
  void show(const EvalResult& event);
  void show(const CheckpointSaved& event);
  void show(const RunNote& event);
  void show(const RunFinished& event);
  void lastingLine(const std::string& text);
  void changingLine(const std::string& text);
  bool due(double everySec);
  std::string rowText(const MetricsRow& row) const;

  const DisplayMode mode_;
  const Clock& clock_;
  std::mutex mutex_;  // guards everything below
  RunProgress progress_;
  double shownSec_ = -1e9;
  std::string phase_;
  std::string run_;  // its name, once it has begun
  bool lineOpen_ = false;
  TextOutlet out_;  // has its own
};

}  // namespace batchwise::cli
