// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "app/cli/text_outlet.h"
#include "core/base/clock.h"
#include "core/base/mutex.h"
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
  void show(const RunStarted& event) REQUIRES(mutex_);
  void show(const PhaseProgress& event) REQUIRES(mutex_);
  void show(const MetricsRow& row) REQUIRES(mutex_);
  void show(const EvalResult& event) REQUIRES(mutex_);
  void show(const CheckpointSaved& event) REQUIRES(mutex_);
  void show(const RunNote& event) REQUIRES(mutex_);
  void show(const RunFinished& event) REQUIRES(mutex_);
  void lastingLine(const std::string& text) REQUIRES(mutex_);
  void changingLine(const std::string& text) REQUIRES(mutex_);
  bool due(double everySec) REQUIRES(mutex_);
  std::string rowText(const MetricsRow& row) const REQUIRES(mutex_);

  const DisplayMode mode_;
  const Clock& clock_;
  Mutex mutex_;
  RunProgress progress_ GUARDED_BY(mutex_);
  double shownSec_ GUARDED_BY(mutex_) = -1e9;
  std::string phase_ GUARDED_BY(mutex_);
  std::string run_ GUARDED_BY(mutex_);  // its name, once it has begun
  bool lineOpen_ GUARDED_BY(mutex_) = false;
  TextOutlet out_;  // has its own
};

}  // namespace batchwise::cli
