// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/hang_watch.h"

#include <algorithm>

#include "core/base/format.h"
#include "core/guard/median.h"

namespace batchwise {
namespace {

constexpr double kFirstTimes = 10.0;

}  // namespace

std::string_view runSectionName(RunSection section) {
  switch (section) {
    case RunSection::Setup: return "setting up";
    case RunSection::Step: return "a step";
    case RunSection::Evaluation: return "an evaluation";
    case RunSection::Checkpoint: return "a checkpoint";
  }
  return "";
}

std::string overdueText(const HangWatch::Overdue& overdue) {
  const bool hung = overdue.stage == HangWatch::Stage::Hung;
  return "guard.hang: no sign of life in " + std::string(runSectionName(overdue.section)) + " for " +
         formatValue(overdue.seconds) + " s, the limit is " + formatValue(overdue.limitSec) + " s" +
         (hung ? ": taken for hung" : "");
}

void HangWatch::enter(RunSection section, double nowSec) {
  if (section_) {
    auto& took = took_[static_cast<std::size_t>(*section_)];
    took.push_back(nowSec - beganSec_);
    if (took.size() > kRemembered) took.pop_front();
  }
  section_ = section;
  beganSec_ = aliveSec_ = nowSec;
  told_.reset();
}

void HangWatch::rest() {
  section_.reset();
}

void HangWatch::alive(double nowSec) {
  aliveSec_ = nowSec;
  told_.reset();
}

void HangWatch::stoodStill(double seconds, double nowSec) {
  beganSec_ = std::min(beganSec_ + seconds, nowSec);
  aliveSec_ = std::min(aliveSec_ + seconds, nowSec);
}

double HangWatch::limitSec(RunSection section) const {
  const auto& took = took_[static_cast<std::size_t>(section)];
  if (took.size() < kEnough) return kFirstTimes * minimumSec_;
  return std::max(minimumSec_, factor_ * upperMedian(took));
}

std::optional<HangWatch::Overdue> HangWatch::check(double nowSec) {
  if (!section_) return std::nullopt;
  Overdue overdue{*section_, Stage::Late, nowSec - aliveSec_, limitSec(*section_)};
  if (overdue.seconds <= overdue.limitSec) return std::nullopt;
  if (overdue.seconds > 2 * overdue.limitSec) overdue.stage = Stage::Hung;
  if (told_ && *told_ >= overdue.stage) return std::nullopt;
  told_ = overdue.stage;
  return overdue;
}

}  // namespace batchwise
