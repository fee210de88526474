// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/guard/hang_monitor.h"

#include <algorithm>
#include <chrono>

#include "core/base/format.h"
#include "core/train/guard/detectors.h"

namespace batchwise {
namespace {

constexpr double kFirstTimesFactor = 10.0;
constexpr std::chrono::seconds kPollInterval{1};

}  // namespace

std::string runSectionText(RunSection section) {
  switch (section) {
    case RunSection::Setup: return "setting up";
    case RunSection::Step: return "a step";
    case RunSection::Evaluation: return "an evaluation";
    case RunSection::Checkpoint: return "a checkpoint";
  }
  return {};
}

std::string overdueText(const HangWatch::Overdue& overdue) {
  return formatText("guard.hang: no progress in {} for {} s, the limit is {} s{}", runSectionText(overdue.section),
                    formatValue(overdue.seconds), formatValue(overdue.limitSec),
                    overdue.stage == HangWatch::Stage::Hung ? ": the run counts as hung" : "");
}

void HangWatch::enter(RunSection section, double nowSec) {
  if (section_) {
    auto& took = durations_[static_cast<std::size_t>(*section_)];
    took.push_back(nowSec - startedSec_);
    if (took.size() > kMaxDurations) took.pop_front();
  }
  section_ = section;
  startedSec_ = heartbeatSec_ = nowSec;
  reported_.reset();
}

void HangWatch::suspend() {
  section_.reset();
}

void HangWatch::heartbeat(double nowSec) {
  heartbeatSec_ = nowSec;
  reported_.reset();
}

void HangWatch::excludeStall(double seconds, double nowSec) {
  startedSec_ = std::min(startedSec_ + seconds, nowSec);
  heartbeatSec_ = std::min(heartbeatSec_ + seconds, nowSec);
}

double HangWatch::limitSec(RunSection section) const {
  const auto& took = durations_[static_cast<std::size_t>(section)];
  if (took.size() < kMinDurations) return kFirstTimesFactor * minimumSec_;
  return std::max(minimumSec_, factor_ * upperMedian(took));
}

std::optional<HangWatch::Overdue> HangWatch::check(double nowSec) {
  if (!section_) return std::nullopt;
  Overdue overdue{*section_, Stage::Late, nowSec - heartbeatSec_, limitSec(*section_)};
  if (overdue.seconds <= overdue.limitSec) return std::nullopt;
  if (overdue.seconds > 2 * overdue.limitSec) overdue.stage = Stage::Hung;
  if (reported_ && *reported_ >= overdue.stage) return std::nullopt;
  reported_ = overdue.stage;
  return overdue;
}

void HangMonitor::enter(RunSection section) {
  const double now = clock_.monotonicSec();
  const MutexLock lock(mutex_);
  watch_.enter(section, now);
}

void HangMonitor::suspend() {
  const MutexLock lock(mutex_);
  watch_.suspend();
}

void HangMonitor::heartbeat() {
  const double now = clock_.monotonicSec();
  const MutexLock lock(mutex_);
  watch_.heartbeat(now);
}

void HangMonitor::poll() {
  std::optional<HangWatch::Overdue> overdue;
  {
    const double now = clock_.monotonicSec();
    const MutexLock lock(mutex_);
    overdue = watch_.check(now);
  }
  if (overdue) report_(*overdue);
}

void HangMonitor::start() {
  {
    const MutexLock lock(mutex_);
    stallDetector_.emplace(std::chrono::duration<double>(kPollInterval).count(), SystemClock().monotonicSec());
  }
  pollThread_ = std::jthread([this](const std::stop_token& stop) { pollLoop(stop); });
}

void HangMonitor::pollLoop(const std::stop_token& stop) {
  MutexLock lock(sleepMutex_);
  while (!wakeUp_.wait_for(lock, stop, kPollInterval, [&stop] { return stop.stop_requested(); })) {
    excludeStall();
    poll();
    const MutexLock polled(mutex_);
    stallDetector_->polled(SystemClock().monotonicSec());
  }
}

void HangMonitor::excludeStall() {
  const double now = clock_.monotonicSec();
  const double realNow = SystemClock().monotonicSec();
  const MutexLock lock(mutex_);
  const double seconds = stallDetector_->stalledSec(realNow);
  stallDetector_->polled(realNow);
  if (seconds <= 0) return;
  watch_.excludeStall(seconds, now);
  stalledSec_ += seconds;
  if (watch_.section() == RunSection::Step) stalledInStepsSec_ += seconds;
}

double HangMonitor::stalledSec() {
  const double realNow = SystemClock().monotonicSec();
  const MutexLock lock(mutex_);
  return stalledSec_ + (stallDetector_ ? stallDetector_->stalledSec(realNow) : 0.0);
}

double HangMonitor::stalledInStepsSec() {
  const MutexLock lock(mutex_);
  return stalledInStepsSec_;
}

}  // namespace batchwise
