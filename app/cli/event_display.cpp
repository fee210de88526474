// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/event_display.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <iostream>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/format.h"
#include "core/base/process_setup.h"
#include "core/base/text.h"
#include "core/config/events/run_command.h"

namespace batchwise::cli {
namespace {

constexpr double kRedrawSec = 0.1;
constexpr double kPlainRowSec = 1.0;
constexpr int kBarCells = 10;

std::size_t terminalColumns(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

/// Returns the first `count` characters of `text`.
std::string_view firstCharacters(std::string_view text, std::size_t count) {
  std::size_t bytes = 0;
  for (std::size_t taken = 0; taken < count && bytes < text.size(); ++taken)
    bytes += static_cast<std::size_t>(decodeUtf8(text.substr(bytes)).bytes);
  return text.substr(0, bytes);
}

std::string percent(double fraction) {
  return std::to_string(static_cast<int>(std::floor(100.0 * fraction))) + " %";
}

std::string bar(double fraction) {
  const int full = static_cast<int>(fraction * kBarCells);
  return "[" + std::string(static_cast<std::size_t>(full), '=') +
         std::string(static_cast<std::size_t>(kBarCells - full), ' ') + "]";
}

constexpr std::chrono::milliseconds kRetryInterval{500};
constexpr std::size_t kMaxWriteBytes =
    1 << 16;  // a pipe takes a write whole or blocks: small writes make its progress visible

std::string errorText(int error) {
  return std::generic_category().message(error);
}

}  // namespace

DisplayMode displayModeFor(bool json, int descriptor) {
  if (json) return DisplayMode::JsonLines;
  return isatty(descriptor) == 1 ? DisplayMode::Terminal : DisplayMode::Plain;
}

EventDisplay::EventDisplay(DisplayMode mode, int descriptor, const Clock& clock)
    : mode_(mode), descriptor_(descriptor), clock_(clock), out_(descriptor) {}

EventDisplay::~EventDisplay() {
  if (lineOpen_) out_.write("\n");
}

void EventDisplay::publish(const RunEvent& event) {
  const MutexLock lock(mutex_);
  if (mode_ == DisplayMode::JsonLines) {
    out_.write(withEscapedControls(eventToLine(event)) + "\n");
    return;
  }
  progress_.update(event, clock_.monotonicSec());
  std::visit([this](const auto& value) REQUIRES(mutex_) { show(value); }, event);
}

void EventDisplay::show(const RunStarted& event) {
  run_ = event.name;
  const std::string from = event.segment == 0 ? "" : ", going on at " + std::to_string(event.from.batch) + "ba";
  permanentLine("run " + event.name + " (" + event.run + ")" + from);
}

void EventDisplay::show(const PhaseProgress& event) {
  const bool isNew = event.phase != phase_;
  phase_ = event.phase;
  if (mode_ == DisplayMode::Plain) {
    if (isNew && !event.phase.empty()) permanentLine(phase_);
    return;
  }
  if (!isNew && !due(kRedrawSec)) return;
  const bool bytes = event.unit == "bytes";
  const auto amount = [bytes](double value) {
    return bytes ? formatBytes(static_cast<std::int64_t>(value)) : formatCount(value);
  };
  std::string text = phase_;
  if (event.total > 0) {
    const double fraction = std::clamp(event.done / event.total, 0.0, 1.0);
    text += " " + bar(fraction) + " " + percent(fraction) + ", " + amount(event.done) + " of " + amount(event.total);
    if (!bytes) text += " " + event.unit;
  }
  statusLine(text);
}

std::string EventDisplay::rowText(const MetricsRow& row) const {
  std::string text = std::to_string(row.at.batch);
  if (progress_.plannedBatches() > 0) text += "/" + std::to_string(progress_.plannedBatches());
  text += "ba  loss " + formatValue(row.loss) + "  lr " + formatRate(row.learningRate) + "  " +
          formatCount(row.samplesPerSec) + " samples/s";
  if (const auto eta = progress_.etaSec()) text += "  ETA " + formatDuration(*eta);
  return text;
}

void EventDisplay::show(const MetricsRow& row) {
  if (row.at.stepInBatch > 0) return;  // the row of the whole global batch follows
  phase_.clear();
  const auto fraction = progress_.fraction();
  if (mode_ == DisplayMode::Plain) {
    const bool last = progress_.plannedBatches() > 0 && row.at.batch >= progress_.plannedBatches();
    if (last || due(kPlainRowSec)) permanentLine(rowText(row));
  } else if (due(kRedrawSec)) {
    statusLine((fraction ? bar(*fraction) + " " + percent(*fraction) + "  " : "") + rowText(row));
  }
}

void EventDisplay::show(const EvalResult& event) {
  std::string text = "evaluation at " + std::to_string(event.at.batch) + "ba: loss " + formatValue(event.loss) +
                     (event.drawError ? " ± " + formatValue(*event.drawError) : "") + ", perplexity " +
                     formatValue(event.perplexity) + ", accuracy " + formatValue(100.0 * event.accuracy) + " %" +
                     (event.bitsPerByte ? ", " + formatValue(*event.bitsPerByte) + " bits per byte" : "");
  for (const EvalSetResult& set : event.sets)
    text += (&set == &event.sets.front() ? "; " : ", ") + set.name + " " + formatValue(set.loss);
  for (const TaskResult& task : event.tasks) text += "; " + task.name + " " + formatDecimals(task.value, 4);
  permanentLine(text);
}

void EventDisplay::show(const CheckpointSaved& event) {
  permanentLine("checkpoint " + event.id + " at " + std::to_string(event.at.batch) + "ba, " + formatBytes(event.bytes) +
                " (" + std::string(choiceName(event.reason)) + ")");
}

void EventDisplay::show(const RunNote& event) {
  const char* level = event.level == NoteLevel::Error     ? "error: "
                      : event.level == NoteLevel::Warning ? "warning: "
                                                          : "note: ";
  permanentLine(level + event.text +
                (event.paused.value_or(false) ? "; 'batchwise runs send " + run_ + " continue' continues" : ""));
}

void EventDisplay::show(const RunFinished& event) {
  if (run_.empty() && event.status == RunStatus::Failed) return;  // never started: its error is reported separately
  const std::string diverged = event.cause == FailureCause::Diverged ? ", diverged," : "";
  permanentLine(std::string(choiceName(event.status)) + diverged + " at " + std::to_string(event.at.batch) +
                "ba: " + event.reason);
}

void EventDisplay::permanentLine(const std::string& text) {
  if (lineOpen_) out_.eraseLine();
  out_.write(text + "\n");
  lineOpen_ = false;
}

void EventDisplay::statusLine(const std::string& text) {
  if (!out_.idle()) return;  // would be replaced before anyone sees it
  const std::string line = escapedLine(text);
  out_.eraseLine();
  out_.write(std::string(firstCharacters(line, terminalColumns(descriptor_) - 1)));
  lineOpen_ = true;
}

bool EventDisplay::due(double everySec) {
  const double now = clock_.monotonicSec();
  if (now - shownSec_ < everySec) return false;
  shownSec_ = now;
  return true;
}

AsyncTextWriter::AsyncTextWriter(int descriptor, std::size_t maxPendingBytes)
    : descriptor_(descriptor), maxPendingBytes_(maxPendingBytes) {
  std::cout << std::flush;            // earlier output comes first
  const ScopedSignalBlock inherited;  // a broken pipe becomes an error of write()
  thread_ = std::jthread([this](const std::stop_token& stop) { loop(stop); });
}

AsyncTextWriter::~AsyncTextWriter() {
  thread_.request_stop();
  thread_.join();
  if (failed_ && descriptor_ == STDOUT_FILENO) std::cout.setstate(std::ios::badbit);
}

void AsyncTextWriter::write(std::string_view text) {
  enqueue(escapedForTerminal(text));
}

void AsyncTextWriter::eraseLine() {
  enqueue("\r\033[K");
}

void AsyncTextWriter::enqueue(std::string_view bytes) {
  const MutexLock lock(mutex_);
  if (closed_) return;
  pending_ += bytes;
  overLimit_ = overLimit_ || pending_.size() + writingBytes_ > maxPendingBytes_;
  changed_.notify_all();
}

bool AsyncTextWriter::idle() const {
  const MutexLock lock(mutex_);
  return pending_.empty() && writingBytes_ == 0;
}

std::string AsyncTextWriter::blockedReason() const {
  const MutexLock lock(mutex_);
  if (!overLimit_) return {};
  const std::string waiting = formatBytes(static_cast<std::int64_t>(pending_.size() + writingBytes_));
  if (!lastError_.empty()) return "the output cannot be written (" + lastError_ + "); " + waiting + " wait for it";
  return "nobody reads the output of the program; " + waiting + " wait for it";
}

void AsyncTextWriter::drain(std::chrono::milliseconds patience) {
  MutexLock lock(mutex_);
  changed_.wait_for(lock, patience, [this]() REQUIRES(mutex_) { return pending_.empty() && writingBytes_ == 0; });
}

void AsyncTextWriter::loop(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (changed_.wait(lock, stop, [this]() REQUIRES(mutex_) { return !pending_.empty(); })) {
    writing_ = std::exchange(pending_, {});
    writingBytes_ = writing_.size();
    lock.unlock();
    writeAll(stop);
    lock.lock();
  }
}

void AsyncTextWriter::writeAll(const std::stop_token& stop) {
  for (std::size_t at = 0; at < writing_.size();) {
    const ssize_t written = ::write(descriptor_, writing_.data() + at, std::min(writing_.size() - at, kMaxWriteBytes));
    const int error = errno;
    if (written < 0 && !retryAfter(error, stop)) return dropAll(error);
    if (written <= 0) continue;
    at += static_cast<std::size_t>(written);
    const MutexLock lock(mutex_);
    lastError_.clear();
    writingBytes_ = writing_.size() - at;
    if (pending_.size() + writingBytes_ <= maxPendingBytes_ / 2) overLimit_ = false;
    changed_.notify_all();
  }
}

bool AsyncTextWriter::retryAfter(int error, const std::stop_token& stop) {
  if (error == EINTR) return true;
  if (error == EAGAIN) {  // a process that shares the pipe made it non-blocking
    pollfd room{descriptor_, POLLOUT, 0};
    (void)::poll(&room, 1, static_cast<int>(kRetryInterval.count()));
    return true;
  }
  if ((error != ENOSPC && error != EDQUOT) || stop.stop_requested()) return false;
  MutexLock lock(mutex_);
  lastError_ = errorText(error);
  changed_.wait_for(lock, stop, kRetryInterval, [] { return false; });
  return true;
}

void AsyncTextWriter::dropAll(int error) {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    struct stat status {};
    const bool hungUp = error == EIO && ::fstat(descriptor_, &status) == 0 && S_ISCHR(status.st_mode);
    failed_ = error != EPIPE && !hungUp;  // a terminal that hung up counts as a closed reader
    overLimit_ = false;
    pending_.clear();
    writingBytes_ = 0;
    changed_.notify_all();
  }
  std::cerr << "batchwise: the rest of the output cannot be written: " << errorText(error) << std::endl;
}

}  // namespace batchwise::cli
