// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/schedule/schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/format.h"
#include "core/base/result.h"
#include "core/config/schedule_parameters.h"
#include "core/config/time/time.h"
#include "core/plan/schedule/curves.h"
#include "core/plan/schedule/expression.h"

namespace batchwise {
namespace {

using Curve = std::function<double(const Timestamp&)>;

double clock(const Timestamp& now, TimeUnit unit) {
  return static_cast<double>(clockValue(now, unit));
}

/// Warm-up over the first `length` of the run; `done` rises from 0 (or the first batch's share) to 1.
struct Warmup {
  TimeUnit unit = TimeUnit::Batch;
  double length = 0.0;
  double headStart = 0.0;  ///< one full batch for warmup_from: one

  Warmup(const SchedulerConfig& config, const ScheduleScale& scale) {
    if (!config.tWarmup) return;
    unit = config.tWarmup->unit();
    length = config.tWarmup->number();
    if (config.warmupFrom.value_or(WarmupStart::Zero) != WarmupStart::One) return;
    headStart = unit == TimeUnit::Batch ? 1.0 : unit == TimeUnit::Sample ? scale.samplesPerBatch : scale.tokensPerBatch;
  }
  bool holds(const Timestamp& now) const { return clock(now, unit) < length; }
  double done(const Timestamp& now) const { return std::min(1.0, (clock(now, unit) + headStart) / length); }
  /// Returns the fraction done from the end of the warm-up to `last`; 0 if `last` is not after it.
  double decayDone(const Timestamp& now, double last) const {
    return last > length ? std::min(1.0, (clock(now, unit) - length) / (last - length)) : 0.0;
  }
};

double stepFactor(const std::vector<Time>& milestones, double gamma, const Timestamp& now) {
  double factor = 1.0;
  for (const Time& milestone : milestones)
    if (clockValue(now, milestone.unit()) >= milestone.count()) factor *= gamma;
  return factor;
}

/// The decay of warmup_stable_decay, from 1 to `last`.
double decayFactor(double done, double last, DecayShape shape) {
  switch (shape) {
    case DecayShape::Cosine: return cosineCurve(done, last);
    case DecayShape::OneMinusSqrt: return oneMinusSqrtCurve(done, last);
    case DecayShape::Linear: break;
  }
  return std::max(0.0, 1.0 - done * (1.0 - last));  // not held at `last`: a run may be longer than t_max
}

/// Schedules without a warm-up. Empty if the name is not one of them.
Curve curveWithoutWarmup(const SchedulerConfig& config) {
  const double last = config.alphaF.value_or(0.0);  // unset where a schedule has none
  const auto doneOf = [](const Time& whole) {
    return [whole](const Timestamp& now) { return clock(now, whole.unit()) / whole.number(); };
  };
  if (config.name == "constant") return [alpha = *config.alpha](const Timestamp&) { return alpha; };
  if (config.name == "step")
    return [gamma = *config.gamma, step = *config.stepSize](const Timestamp& now) {
      const auto falls = clockValue(now, step.unit()) / step.count();
      return std::pow(gamma, static_cast<double>(falls));
    };
  if (config.name == "multistep")
    return [gamma = *config.gamma, milestones = config.milestones](const Timestamp& now) {
      return stepFactor(milestones, gamma, now);
    };
  if (config.name == "exponential")
    return [gamma = *config.gamma, done = doneOf(*config.decayPeriod)](const Timestamp& now) {
      return std::pow(gamma, done(now));
    };
  if (config.name == "linear")
    return [first = *config.alphaI, last, done = doneOf(*config.tMax)](const Timestamp& now) {
      return linearCurve(done(now), first, last);
    };
  if (config.name == "cosine_annealing")
    return [last, done = doneOf(*config.tMax)](const Timestamp& now) { return cosineCurve(done(now), last); };
  if (config.name == "cosine_annealing_warm_restarts")
    return [last, first = *config.t0, growth = *config.tMult, shrink = *config.lrShrink](const Timestamp& now) {
      const PeriodPlace place = placeInPeriods(clockValue(now, first.unit()), first.count(), growth);
      // Source: lr_shrink of the cosine schedules of XLM and fairseq.
      return cosineCurve(place.done, last) * std::pow(shrink, static_cast<double>(place.period));
    };
  if (config.name == "polynomial")
    return [last, power = *config.power, done = doneOf(*config.tMax)](const Timestamp& now) {
      return polynomialCurve(done(now), power, last);
    };
  if (config.name == "one_minus_sqrt")
    return [decay = config.tDecay->number(), whole = *config.tMax, last = *config.alphaF](const Timestamp& now) {
      const double into = clock(now, whole.unit()) - (whole.number() - decay);
      if (into <= 0.0) return 1.0;
      return oneMinusSqrtCurve(decay > 0.0 ? into / decay : 1.0, last);
    };
  return {};
}

/// Schedules with a warm-up. Empty if the name is not one of them.
Curve curveWithWarmup(const SchedulerConfig& config, const Warmup& warmup) {
  const double last = config.alphaF.value_or(0.0);
  const double end = config.tMax ? config.tMax->number() : 0.0;
  if (config.name == "constant_with_warmup")
    return [warmup, alpha = *config.alpha](const Timestamp& now) {
      return warmup.holds(now) ? linearCurve(warmup.done(now), 0.0, alpha) : alpha;
    };
  if (config.name == "linear_with_warmup")
    return [warmup, first = *config.alphaI, last, end](const Timestamp& now) {
      if (warmup.holds(now)) return linearCurve(warmup.done(now), 0.0, first);
      return linearCurve(warmup.decayDone(now, end), first, last);
    };
  if (config.name == "cosine_annealing_with_warmup")
    return [warmup, last, end](const Timestamp& now) {
      return warmup.holds(now) ? warmup.done(now) : cosineCurve(warmup.decayDone(now, end), last);
    };
  if (config.name == "polynomial_with_warmup")
    return [warmup, power = *config.power, last, end](const Timestamp& now) {
      return warmup.holds(now) ? warmup.done(now) : polynomialCurve(warmup.decayDone(now, end), power, last);
    };
  if (config.name == "multistep_with_warmup")
    return [warmup, gamma = *config.gamma, milestones = config.milestones](const Timestamp& now) {
      return warmup.holds(now) ? warmup.done(now) : stepFactor(milestones, gamma, now);
    };
  if (config.name == "warmup_stable_decay")
    return [warmup, end, decay = config.tDecay->number(), last = *config.alphaF, unit = config.tMax->unit(),
            shape = config.decaySchedule](const Timestamp& now) {
      if (warmup.holds(now)) return linearCurve(warmup.done(now), 1e-10, 1.0);
      const double into = clock(now, unit) - (end - decay);
      return into < 0.0 ? 1.0 : decayFactor(decay > 0.0 ? into / decay : 1.0, last, shape);
    };
  return {};
}

/// lr x (warm-up / n)^exp_factor after a linear rise from warmup_init_lr. Source: Vaswani et al. 2017, section 5.3, in
/// the form used by fairseq and XLM.
Curve inverseSqrtCurve(const SchedulerConfig& config, const ScheduleScale& scale, const Warmup& warmup) {
  // With a base rate of 0 the factor has no effect.
  const double init = scale.baseRate > 0.0 ? *config.warmupInitLr / scale.baseRate : 0.0;
  return [warmup, init, exponent = *config.expFactor](const Timestamp& now) {
    if (warmup.holds(now)) return linearCurve(warmup.done(now), init, 1.0);
    return std::pow(warmup.length / clock(now, warmup.unit), exponent);
  };
}

Result<Curve> cosineInverseSqrtCurve(const SchedulerConfig& config, const Warmup& warmup) {
  const double last = *config.alphaF;
  if (!(last < 1.0))
    return Error::config(
        "scheduler.alpha_f",
        formatText("{} is not below 1; use less, as cosine_inverse_sqrt decays to it", formatExact(last)));
  const CosineInverseSqrt body(config.tCosine->number(), last);
  const double whole = config.tMax->number();
  // The cool-down starts from the current value, at the earliest at the end of the warm-up.
  const double cooldownAt = std::max(whole - config.tCooldown->number(), warmup.length);
  const double cooldown = whole - cooldownAt;
  const double from = body.at(cooldownAt - warmup.length);
  if (cooldown > 0.0 && !(last <= from))
    return Error::config("scheduler.alpha_f",
                         formatText("{} is above {}, the factor at which the cooldown starts, so the learning rate "
                                    "would rise; use a smaller alpha_f or a longer t_cosine",
                                    formatExact(last), formatValue(from)));
  const auto curve = [](RampShape shape, double done, double first, double end) {
    return shape == RampShape::Cosine ? cosineCurve(done, first, end) : linearCurve(done, first, end);
  };
  return Curve{[=, cools = config.tCooldown->count() > 0, rise = config.warmupSchedule, fall = config.cooldownSchedule,
                start = *config.alphaS, unit = config.tMax->unit()](const Timestamp& now) {
    if (warmup.holds(now)) return curve(rise, warmup.done(now), start, 1.0);
    const double time = clock(now, unit);
    if (cools && time >= cooldownAt)
      return cooldown > 0.0 ? curve(fall, (time - cooldownAt) / cooldown, from, last) : last;
    return body.at(time - warmup.length);
  }};
}

/// Clamps the clock of t_max's unit to `end`: an expression holds its last value from there on.
Timestamp clampedTo(const Timestamp& now, const Time& end) {
  Timestamp held = now;
  if (end.unit() == TimeUnit::Batch) held.batch = std::min(now.batch, end.count());
  if (end.unit() == TimeUnit::Sample) held.sample = std::min(now.sample, end.count());
  if (end.unit() == TimeUnit::Token) held.token = std::min(now.token, end.count());
  return held;
}

Result<Curve> expressionCurve(const SchedulerConfig& config) {
  ASSIGN_OR_RETURN(auto formula,
                   Expression::parse(config.expression, {"ba", "sp", "tok", "frac"}, "scheduler.expression"));
  if (formula.uses("frac") && !config.tMax)
    return Error::config("scheduler.t_max", "is missing; frac in a run measured in sec needs it in ba, sp or tok");
  return Curve{[formula = std::move(formula), whole = config.tMax](const Timestamp& later) {
    const Timestamp now = whole ? clampedTo(later, *whole) : later;
    const double done = whole ? clock(now, whole->unit()) / whole->number() : 0.0;
    const std::array<double, 4> values = {static_cast<double>(now.batch), static_cast<double>(now.sample),
                                          static_cast<double>(now.token), done};
    const auto value = formula.evaluate(values);
    return value ? *value : std::numeric_limits<double>::quiet_NaN();
  }};
}

/// Returns the Timestamp relative to a part of a chain, whose clock starts at 0.
Timestamp shifted(const Timestamp& now, TimeUnit unit, std::int64_t begin) {
  Timestamp inside = now;
  if (unit == TimeUnit::Batch) inside.batch -= begin;
  if (unit == TimeUnit::Sample) inside.sample -= begin;
  if (unit == TimeUnit::Token) inside.token -= begin;
  return inside;
}

Result<Curve> makeCurve(const SchedulerConfig& config, const ScheduleScale& scale);

Result<Curve> chainCurve(const SchedulerConfig& config, const ScheduleScale& scale) {
  struct Link {
    std::int64_t begin;
    Curve curve;
  };
  std::vector<Link> links;
  std::int64_t begin = 0;
  for (const SchedulerConfig& part : config.parts) {
    ASSIGN_OR_RETURN(auto curve, makeCurve(part, scale));
    links.push_back({begin, curve});
    begin += part.length->count();
  }
  return Curve{[links = std::move(links), unit = config.parts.front().length->unit()](const Timestamp& now) {
    const std::int64_t time = clockValue(now, unit);
    const auto next = std::upper_bound(links.begin() + 1, links.end(), time,
                                       [](std::int64_t value, const Link& link) { return value < link.begin; });
    const Link& link = *std::prev(next);
    return link.curve(shifted(now, unit, link.begin));
  }};
}

Result<Curve> makeCurve(const SchedulerConfig& given, const ScheduleScale& scale) {
  const SchedulerConfig config = withNumbers(given);
  const Warmup warmup(config, scale);
  if (config.name == "inverse_sqrt") return inverseSqrtCurve(config, scale, warmup);
  if (config.name == "cosine_inverse_sqrt") return cosineInverseSqrtCurve(config, warmup);
  if (config.name == "expression") return expressionCurve(config);
  if (config.name == "chain") return chainCurve(config, scale);
  Curve curve = curveWithoutWarmup(config);
  if (!curve) curve = curveWithWarmup(config, warmup);
  if (!curve) return Error::config("scheduler.name", formatText("'{}' is not known", config.name));
  return curve;
}

}  // namespace

Result<Schedule> Schedule::make(const SchedulerConfig& resolved, const ScheduleScale& scale) {
  ASSIGN_OR_RETURN(auto curve, makeCurve(resolved, scale));
  return Schedule(std::move(curve));
}

}  // namespace batchwise
