// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/import/import_session.h"
#include "core/config/texts.h"

namespace batchwise::config {
namespace {

/// Parameters of a warm-up, with DeepSpeed's defaults.
struct Warmup {
  std::string type;  ///< WarmupLR, WarmupDecayLR, WarmupCosineLR
  bool linear = false;
  double start = 0;  ///< factor at the start
  double end = 0;    ///< factor at the end
  std::int64_t steps = 1000;
  std::int64_t total = 0;  ///< 0: not given
};

Warmup readWarmup(ImportSession& session, const std::string& type) {
  const std::string params = "scheduler.params.";
  Warmup warmup;
  warmup.type = type;
  const ExternalValue* shape = session.open(params + "warmup_type");
  warmup.linear = shape != nullptr && shape->text == "linear";
  warmup.steps = static_cast<std::int64_t>(numberOr(session, params + "warmup_num_steps", 1000));
  warmup.total = static_cast<std::int64_t>(numberOr(session, params + "total_num_steps", 0));
  if (type == "WarmupCosineLR") {
    warmup.start = numberOr(session, params + "warmup_min_ratio", 0);
    warmup.end = numberOr(session, params + "cos_min_ratio", 1e-4);
    return warmup;
  }
  const double least = numberOr(session, params + "warmup_min_lr", 0),
               most = numberOr(session, params + "warmup_max_lr", 1e-3);
  warmup.start = most > 0 ? least / most : 0;
  warmup.end = warmup.start;  // WarmupDecayLR decays to warmup_min_lr, too
  return warmup;
}

std::string between(double from, const std::string& share) {
  return from == 0 ? share : shortNumber(from) + " + " + shortNumber(1 - from) + " * (" + share + ")";
}

/// Returns the factor at `ba` as an expression, for schedules that no named one covers: the rise is log(step + 1) /
/// log(steps), or step / steps; the decay is linear, or half a cosine that is one step ahead. Source: DeepSpeed,
/// runtime/lr_schedules.py.
std::string expressionOf(const Warmup& warmup) {
  const std::string steps = std::to_string(warmup.steps), total = std::to_string(warmup.total);
  const std::string rise = warmup.linear ? "ba / " + steps : "log(ba + 1) / log(" + steps + ")";
  const auto done = [&](const std::string& ahead) {
    return "(ba - " + steps + ahead + ") / (" + total + " - " + steps + ")";
  };
  std::string after = "1";
  if (warmup.type == "WarmupDecayLR") after = between(warmup.end, "ba < " + total + " ? 1 - " + done("") + " : 0");
  if (warmup.type == "WarmupCosineLR")
    after = between(warmup.end, "ba < " + total + " ? 0.5 * (1 + cos(_pi * " + done(" + 1") + ")) : 0");
  return "ba < " + steps + " ? " + between(warmup.start, rise) + " : " + after;
}

std::string nameOf(const std::string& type) {
  if (type == "WarmupDecayLR") return "linear_with_warmup";
  return type == "WarmupCosineLR" ? "cosine_annealing_with_warmup" : "constant_with_warmup";
}

void importNamedSchedule(ImportSession& session, const Warmup& warmup) {
  const std::string params = "scheduler.params.";
  session.importSetting(
      "scheduler.type", "scheduler.name", nameOf(warmup.type),
      warmup.type == "WarmupCosineLR" ? "DeepSpeed's schedule falls one step earlier" : std::string());
  session.derive(session.document().has(params + "warmup_num_steps") ? params + "warmup_num_steps" : "scheduler.type",
                 "scheduler.t_warmup", std::to_string(warmup.steps) + "ba");
  if (warmup.type == "WarmupCosineLR")
    session.derive("scheduler.type", "scheduler.alpha_f", shortNumber(warmup.end), "cos_min_ratio");
}

void importAsExpression(ImportSession& session, const Warmup& warmup) {
  session.importSetting(
      "scheduler.type", "scheduler.name", "expression",
      warmup.linear ? "no named schedule starts above 0" : "no named schedule rises with the logarithm");
  session.derive("scheduler.params", "scheduler.expression", expressionOf(warmup));
}

/// Marks the settings that became part of the schedule as handled.
void markHandled(ImportSession& session, const Warmup& warmup) {
  for (const std::string name :
       {"warmup_type", "warmup_min_lr", "warmup_num_steps", "warmup_min_ratio", "cos_min_ratio"}) {
    const std::string key = "scheduler.params." + name;
    if (session.open(key) == nullptr) continue;
    const std::string field = session.has("scheduler.expression") ? "scheduler.expression" : "scheduler.name";
    session.importSetting(key, field, session.has("scheduler.expression") ? expressionOf(warmup) : nameOf(warmup.type));
  }
  if (warmup.total > 0)
    session.importSetting("scheduler.params.total_num_steps", "max_duration", std::to_string(warmup.total) + "ba",
                          "the schedule's length is taken as the run's");
}

void importRate(ImportSession& session) {
  const std::string key = "scheduler.params.warmup_max_lr";
  if (!session.importAsIs(key, "optimizer.lr", "it replaces the optimizer's lr"))
    session.assume(key, "optimizer.lr", "1e-3",
                   "DeepSpeed's default warmup_max_lr, which overrides the optimizer's lr");
}

}  // namespace

void importDeepSpeedSchedule(ImportSession& session) {
  const ExternalValue* type = session.open("scheduler.type");
  if (type == nullptr) {
    if (!session.document().has("scheduler"))
      session.assume("scheduler", "scheduler.name", "constant", "without a scheduler the learning rate is constant");
    return;
  }
  const std::string name = type->text;
  const bool known = name == "WarmupLR" || name == "WarmupDecayLR" || name == "WarmupCosineLR";
  const Warmup warmup = readWarmup(session, name);
  if (!known || warmup.steps < 2 || (name != "WarmupLR" && warmup.total <= warmup.steps)) {
    session.skipBelow(
        "scheduler",
        known ? "its step counts give no schedule: total_num_steps must be above warmup_num_steps, and that above 1"
              : "only DeepSpeed's schedules WarmupLR, WarmupDecayLR and WarmupCosineLR are supported",
        ImportEffect::Differs);
    return session.assume("scheduler", "scheduler.name", "constant", kImportScheduleToBeChosen);
  }
  if (name != "WarmupCosineLR") importRate(session);
  if (warmup.linear && warmup.start == 0)
    importNamedSchedule(session, warmup);
  else
    importAsExpression(session, warmup);
  markHandled(session, warmup);
}

}  // namespace batchwise::config
