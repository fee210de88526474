// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "core/base/clock.h"
#include "core/base/mutex.h"
#include "core/config/events/run_event.h"

namespace batchwise::cli {

/// Writes text to a descriptor in order, on its own thread, so that write() never blocks on the reader: by plain writes
/// a reader that stops reading (a pager, a terminal after Ctrl+S) would hold all ranks in the middle of a step, where
/// no command is obeyed; as it is, the run waits between steps, says why and can be stopped. Retries while the disk is
/// full. Once the reader is gone, drops the rest and reports it on stderr. If writing failed for another reason, the
/// destructor sets badbit of std::cout if the descriptor is stdout, so that flushStdout() fails. Thread-safe.
class AsyncTextWriter {
 public:
  /// Limit of buffered bytes, above which blockedReason() reports a reason to wait.
  static constexpr std::size_t kMaxPendingBytes = std::size_t{64} << 20;

  explicit AsyncTextWriter(int descriptor, std::size_t maxPendingBytes = kMaxPendingBytes);
  /// Waits until the rest is written; stops waiting if the disk is full.
  ~AsyncTextWriter();

  /// Writes `text` escaped by escapedForTerminal(), so that it cannot control the terminal. JSON that is already
  /// escaped passes unchanged.
  void write(std::string_view text);
  /// Moves to the start of the terminal's line and erases it.
  void eraseLine();
  /// Returns whether everything is written, or can never be.
  bool idle() const;
  /// Returns why the producer should wait, from the moment the limit is exceeded until half of it is free again; else
  /// empty.
  std::string blockedReason() const;
  /// Waits until idle(), at most `patience`.
  void drain(std::chrono::milliseconds patience);

 private:
  void enqueue(std::string_view bytes);
  void loop(const std::stop_token& stop);
  void writeAll(const std::stop_token& stop);
  bool retryAfter(int error, const std::stop_token& stop);
  void dropAll(int error);

  const int descriptor_;
  const std::size_t maxPendingBytes_;
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::string pending_ GUARDED_BY(mutex_);
  std::string writing_;  // used by the thread only, except for its size
  std::size_t writingBytes_ GUARDED_BY(mutex_) = 0;
  bool overLimit_ GUARDED_BY(mutex_) = false;  // limit exceeded, and half of it not free again yet
  bool closed_ GUARDED_BY(mutex_) = false;     // writing is no longer possible
  bool failed_ GUARDED_BY(mutex_) = false;     // closed_ for another reason than a closed reader
  std::string lastError_ GUARDED_BY(mutex_);   // of a write that is being retried
  std::jthread thread_;                        // last: uses everything above
};

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

/// Shows the progress of a command that trains no run; shows nothing with --json. Its notes come from one thread. With
/// BATCHWISE_PROGRESS=json in the environment, as the window has it, it writes events as JSON lines.
class ProgressDisplay final : public EventSink {
 public:
  ProgressDisplay(bool json, int descriptor) {
    const char* asked = std::getenv("BATCHWISE_PROGRESS");
    const bool lines = asked != nullptr && std::string_view(asked) == "json";
    if (lines || !json) display_.emplace(displayModeFor(lines, descriptor), descriptor, clock_);
  }
  void publish(const RunEvent& event) override {
    if (const auto* note = std::get_if<RunNote>(&event)) notes_.push_back(note->text);
    if (display_) display_->publish(event);
  }
  /// Returns the notes that were published, for the answer of --json.
  const std::vector<std::string>& notes() const { return notes_; }
  /// Ends the progress line, so that other text can follow.
  void close() { display_.reset(); }

 private:
  SystemClock clock_;
  std::vector<std::string> notes_;
  std::optional<EventDisplay> display_;
};

}  // namespace batchwise::cli
