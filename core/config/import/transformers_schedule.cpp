// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>

#include "core/config/import/import_session.h"
#include "core/config/texts.h"

// Imports the schedules of transformers' Trainer. Source of shapes and defaults: optimization.py of version 5.

namespace batchwise::config {
namespace {

std::string ofTheTrainer() {
  return importDefaultOfText("transformers");
}

/// A warm-up counts steps, or below 1 a share of all steps, rounded up.
struct TrainerWarmup {
  std::string key;
  std::string time;
  bool none = false;
};

TrainerWarmup readTrainerWarmup(ImportSession& session) {
  const double steps = numberOr(session, "warmup_steps", 0), ratio = numberOr(session, "warmup_ratio", 0);
  if (steps >= 1) return {"warmup_steps", std::to_string(static_cast<std::int64_t>(steps)) + "ba"};
  const double share = steps > 0 ? steps : ratio;
  const std::string key = steps > 0 || session.open("warmup_ratio") == nullptr ? "warmup_steps" : "warmup_ratio";
  if (!(share > 0)) return {key, "0ba", true};
  if (const auto all = givenMaxSteps(session))
    return {key, std::to_string(static_cast<std::int64_t>(std::ceil(static_cast<double>(*all) * share))) + "ba"};
  return {key, shortNumber(share) + "dur"};
}

void importTrainerWarmup(ImportSession& session, const TrainerWarmup& warmup) {
  const std::string note = warmup.time.ends_with("dur") ? "there rounded up to a whole step" : std::string();
  if (session.open(warmup.key) != nullptr)
    session.importSetting(warmup.key, "scheduler.t_warmup", warmup.time, note);
  else
    session.assume(warmup.key, "scheduler.t_warmup", warmup.time, ofTheTrainer());
  for (const char* other : {"warmup_steps", "warmup_ratio"})
    session.skip(other, "the other of warmup_steps and warmup_ratio counts");
}

std::string keyword(const char* name) {
  return std::string("lr_scheduler_kwargs.") + name;
}

/// The least rate of cosine_with_min_lr, given as a rate or as a share.
void importLeastRate(ImportSession& session) {
  session.importAsIs(keyword("min_lr_rate"), "scheduler.alpha_f");
  const double rate = session.config().optimizer.lr;
  if (const ExternalValue* least = session.open(keyword("min_lr")); least != nullptr && least->number() && rate > 0)
    session.importSetting(least->key, "scheduler.alpha_f", shortNumber(*least->number() / rate),
                          "divided by the learning rate: a factor here");
}

void importPolynomial(ImportSession& session) {
  const double rate = session.config().optimizer.lr;
  if (!session.importAsIs(keyword("power"), "scheduler.power"))
    session.assume(keyword("power"), "scheduler.power", "1", ofTheTrainer());
  const std::string end = shortNumber(rate > 0 ? numberOr(session, keyword("lr_end"), 1e-7) / rate : 0);
  if (!session.importSetting(keyword("lr_end"), "scheduler.alpha_f", end,
                             "divided by the learning rate: a factor here"))
    session.assume(keyword("lr_end"), "scheduler.alpha_f", end, "divided by the learning rate: a factor here");
}

void importStableDecay(ImportSession& session) {
  if (const ExternalValue* steps = session.open(keyword("num_decay_steps")))
    session.importSetting(steps->key, "scheduler.t_decay", steps->text + "ba");
  if (!session.importAsIs(keyword("decay_type"), "scheduler.decay_schedule"))
    session.assume(keyword("decay_type"), "scheduler.decay_schedule", "cosine", ofTheTrainer());
  if (!session.importAsIs(keyword("min_lr_ratio"), "scheduler.alpha_f"))
    session.assume(keyword("min_lr_ratio"), "scheduler.alpha_f", "0", ofTheTrainer());
  if (const ExternalValue* type = session.open(keyword("warmup_type")); type != nullptr && type->text == "linear")
    session.skip(type->key, kImportSoInAnyCase);
}

struct TrainerSchedule {
  const char* name;
  const char* ours;
};
constexpr TrainerSchedule kTrainerSchedules[] = {
    {"linear", "linear_with_warmup"},
    {"cosine", "cosine_annealing_with_warmup"},
    {"constant", "constant"},
    {"constant_with_warmup", "constant_with_warmup"},
    {"polynomial", "polynomial_with_warmup"},
    {"inverse_sqrt", "inverse_sqrt"},
    {"cosine_with_min_lr", "cosine_annealing_with_warmup"},
    {"warmup_stable_decay", "warmup_stable_decay"},
    {"cosine_with_restarts", "cosine_annealing_with_warmup"},
};

}  // namespace

std::optional<std::int64_t> givenMaxSteps(const ImportSession& session) {
  const ExternalValue* steps = session.document().find("max_steps");
  const auto count = steps == nullptr ? std::nullopt : steps->integer();
  return count && *count > 0 ? count : std::nullopt;
}

void importTransformersSchedule(ImportSession& session) {
  const ExternalValue* type = session.open("lr_scheduler_type");
  std::string given = type == nullptr ? "linear" : type->text;
  if (const std::size_t dot = given.rfind('.'); dot != std::string::npos) {  // SchedulerType.COSINE
    given = given.substr(dot + 1);
    std::ranges::transform(given, given.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  }
  const auto known =
      std::ranges::find_if(kTrainerSchedules, [&](const TrainerSchedule& row) { return given == row.name; });
  const TrainerWarmup warmup = readTrainerWarmup(session);
  const bool restarts = given == "cosine_with_restarts" && numberOr(session, keyword("num_cycles"), 1) != 1;
  if (known == std::end(kTrainerSchedules) || restarts || (given == "inverse_sqrt" && warmup.none)) {
    session.skip("lr_scheduler_type", "no schedule here is known by this name", ImportEffect::Differs);
    for (const char* key : {"warmup_steps", "warmup_ratio"})
      session.skip(key, "belongs to a schedule that is not taken");
    return session.assume("lr_scheduler_type", "scheduler.name", "constant", kImportScheduleToBeChosen);
  }
  if (type != nullptr)
    session.importSetting(type->key, "scheduler.name", known->ours);
  else
    session.assume("lr_scheduler_type", "scheduler.name", known->ours, ofTheTrainer());
  if (given == "constant") {
    for (const char* key : {"warmup_steps", "warmup_ratio"})
      session.skip(key, "this schedule has no warm-up, there and here");
    return;
  }
  importTrainerWarmup(session, warmup);
  const double cycles = given == "cosine_with_restarts" ? 1 : 0.5;
  if (numberOr(session, keyword("num_cycles"), -1) == cycles) session.skip(keyword("num_cycles"), kImportSoInAnyCase);
  if (given == "cosine_with_min_lr") importLeastRate(session);
  if (given == "polynomial") importPolynomial(session);
  if (given == "warmup_stable_decay") importStableDecay(session);
}

}  // namespace batchwise::config
