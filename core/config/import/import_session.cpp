// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/import/import_session.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/config_file.h"
#include "core/config/schema.h"
#include "core/config/yaml_value.h"

namespace batchwise::config {
namespace {

/// Returns the text as our readers accept it: digits without "_" between them, text in quotes.
std::string normalizedText(const Field& field, const std::string& value) {
  if (field.kind == FieldKind::Text) {
    YAML::Emitter emitter;
    emitter << YAML::DoubleQuoted << value;
    return emitter.c_str();
  }
  return withoutUnderscores(value);
}

bool isBelow(const std::string& key, const std::string& section) {
  if (section.ends_with('_')) return key.starts_with(section);
  return section.empty() || key == section || key.starts_with(section + ".");
}

/// Returns what follows if `field` keeps its default instead of an external value.
ImportEffect effectOf(const std::string& field) {
  constexpr const char* kTraining[] = {"model",      "data",  "optimizer",    "scheduler",
                                       "lr_scaling", "batch", "max_duration", "precision"};
  const bool trains = std::ranges::any_of(kTraining, [&](const char* part) { return isBelow(field, part); });
  return trains ? ImportEffect::Differs : ImportEffect::None;
}

std::string onOneLine(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  return text;
}

std::string accountOf(const SettingNotTaken& setting) {
  return setting.key + (setting.value.empty() ? "" : " = " + setting.value) + ": " + setting.why;
}

}  // namespace

ImportSession::ImportSession(const ExternalDocument& document, ExternalFormat format, const ImportOptions& options)
    : document_(document), options_(options) {
  import_.format = format;
  struct LauncherFlags {
    const char *count, *nodes;
  };
  for (const LauncherFlags& flags : {LauncherFlags{"nproc_per_node", "nnodes"}, LauncherFlags{"num_gpus", "num_nodes"},
                                     LauncherFlags{"num_processes", nullptr}}) {
    const ExternalValue* count = document.find(flags.count);
    if (count == nullptr || options_.devices || !(count->integer() > 0)) continue;
    const ExternalValue* nodes = flags.nodes == nullptr ? nullptr : document.find(flags.nodes);
    const std::int64_t times = nodes == nullptr ? 1 : std::max<std::int64_t>(1, nodes->integer().value_or(1));
    options_.devices = *count->integer() * times;  // num_processes counts those of all nodes
  }
}

const ExternalValue* ImportSession::open(const std::string& key) {
  const ExternalValue* value = document_.find(key);
  if (value == nullptr || handled_.count(key)) return nullptr;
  if (!value->problem.empty()) {
    skip(key, value->problem, ImportEffect::ToBeGiven);
    return nullptr;
  }
  return value->null ? nullptr : value;
}

bool ImportSession::takes(const std::string& field, const std::string& value) const {
  TrainConfig probe = import_.config;
  return findField(field)->set(probe, normalizedText(*findField(field), value)).empty();
}

std::string ImportSession::setField(const std::string& field, const std::string& value) {
  const Field& ours = *findField(field);
  return ours.set(import_.config, normalizedText(ours, value));
}

bool ImportSession::importSetting(const std::string& key, const std::string& field, const std::string& value,
                                  const std::string& note) {
  if (open(key) == nullptr) return false;
  const Field& ours = *findField(field);
  const std::string before = ours.get(import_.config);
  const TrainConfig kept = import_.config;
  const std::string problem = setField(field, value);
  if (!problem.empty()) {
    skip(key, inContextText(field, problem), effectOf(field));
    return false;
  }
  if (has(field) && ours.get(import_.config) != before) {
    import_.config = kept;
    skip(key, formatText("differs from {}, which {} already has; both share one value here", before, field));
    return false;
  }
  handled_.insert(key);
  fields_.insert(field);
  import_.taken.push_back({key, field, ours.get(import_.config), note});
  return true;
}

bool ImportSession::importAsIs(const std::string& key, const std::string& field, const std::string& note) {
  const ExternalValue* value = open(key);
  return value != nullptr && importSetting(key, field, value->text, note);
}

void ImportSession::importAll(std::span<const DirectName> names, const char* owner) {
  for (const DirectName& name : names) {
    const std::vector<std::string> keys = partsOf(name.keys, ' ');
    for (const std::string& key : keys) importAsIs(key, name.field, name.note == nullptr ? std::string() : name.note);
    if (name.byDefault != nullptr) assume(keys.front(), name.field, name.byDefault, importDefaultOfText(owner));
  }
}

void ImportSession::derive(const std::string& from, const std::string& field, const std::string& value,
                           const std::string& note) {
  if (has(field) || !setField(field, value).empty()) return;
  fields_.insert(field);
  import_.taken.push_back({from, field, findField(field)->get(import_.config), note});
}

void ImportSession::assume(const std::string& from, const std::string& field, const std::string& value,
                           const std::string& note) {
  const ExternalValue* given = document_.find(from);
  if (import_.format == ExternalFormat::DeepSpeed && given != nullptr && given->text == "auto") return;
  derive(from + " (default)", field, value, note);
}

void ImportSession::skip(const std::string& key, const std::string& why, ImportEffect effect) {
  const ExternalValue* value = document_.find(key);
  if (value == nullptr || !handled_.insert(key).second) return;
  import_.notTaken.push_back({key, value->text, why, effect});
}

void ImportSession::skipBelow(const std::string& section, const std::string& why, ImportEffect effect) {
  for (const ExternalValue& value : document_.values()) {
    if (!isBelow(value.key, section)) continue;
    if (value.null)
      skip(value.key, "holds no value");
    else if (!value.problem.empty())
      skip(value.key, value.problem, effect == ImportEffect::None ? effect : ImportEffect::ToBeGiven);
    else
      skip(value.key, why, effect);
  }
}

void ImportSession::skipSections(std::span<const SectionReason> reasons) {
  for (const SectionReason& reason : reasons)
    for (const std::string& section : partsOf(reason.sections, ' ')) skipBelow(section, reason.why, reason.effect);
}

void ImportSession::skipRest(std::span<const SectionReason> reasons) {
  skipSections(reasons);
  for (const ExternalValue& value : document_.values())
    if (!value.null && !handled_.count(value.key)) ++unknown_;
  skipBelow("", "no field here means this");
}

void ImportSession::reportDefault(const std::string& key, const std::string& value, const std::string& why) {
  import_.notTaken.push_back({key + " (default)", value, why, ImportEffect::Differs});
}

void ImportSession::ask(const std::string& key, const std::string& value, const std::string& why) {
  import_.notTaken.push_back({key, value, why, ImportEffect::ToBeGiven});
}

void ImportSession::refuse(const std::string& why) {
  if (refusal_.empty()) refusal_ = why;
}

void ImportSession::refuseBoth(const std::string& first, const std::string& second, const char* program) {
  const auto isOn = [this](const std::string& key) {
    const ExternalValue* value = document_.find(key);
    return value != nullptr && value->isTrue();
  };
  if (isOn(first) && isOn(second))
    refuse(
        formatText("{} and {} are both true; {} refuses such a file. Leave only one of them", first, second, program));
}

/// Reverts what was set in `field`, or else in its nearest parent section: a rule over several fields may report a
/// field that was not set.
void ImportSession::revert(const std::string& field, const std::string& why) {
  std::string place = field;
  const auto concerned = [&](const std::string& path) { return isBelow(path, place); };
  while (!place.empty() && std::none_of(fields_.begin(), fields_.end(), concerned)) place = parentOf(place);
  const TrainConfig defaults;
  for (const TakenSetting& setting : import_.taken) {
    if (!concerned(setting.to)) continue;
    const ExternalValue* value = document_.find(setting.from);
    import_.notTaken.push_back(
        {setting.from, value == nullptr ? setting.value : value->text, inContextText(field, why), effectOf(field)});
    const Field& ours = *findField(setting.to);
    ours.set(import_.config, ours.get(defaults));
  }
  std::erase_if(import_.taken, [&](const TakenSetting& setting) { return concerned(setting.to); });
  std::erase_if(fields_, concerned);
}

std::string ImportSession::yaml(const std::string& sourceName) const {
  std::string head = "# From " + onOneLine(sourceName) + " (" + std::string(choiceName(import_.format)) + ").";
  if (!has("data.train")) head += " Still to be named: the training text, as data: {train: [text/*.txt]}";
  for (const SettingNotTaken& setting : import_.notTaken) {
    if (setting.effect == ImportEffect::None) continue;
    head += setting.effect == ImportEffect::Differs ? "\n# Not theirs: " : "\n# Still to be named: ";
    head += onOneLine(accountOf(setting));
  }
  return head + "\n" + fieldsToYaml(import_.config, [this](const Field& field) { return has(field.path); });
}

Result<void> ImportSession::checkImport() const {
  if (!refusal_.empty()) return Error::config(refusal_);
  if (options_.partly) return {};
  const auto given = std::ranges::count_if(document_.values(), [](const ExternalValue& value) { return !value.null; });
  if (const auto known = given - static_cast<std::ptrdiff_t>(unknown_); 2 * known < given)
    return Error::config(
        formatText("only {} of its {} settings are known of {}; if it is a file of another trainer, name that "
                   "(--from); a partial import (--partly) takes the known ones",
                   known, given, choiceName(import_.format)));
  if (!import_.isPartial()) return {};
  std::string list;
  for (const SettingNotTaken& setting : import_.notTaken)
    if (setting.effect == ImportEffect::Differs) list += "\n  " + onOneLine(accountOf(setting));
  return Error::config(
      formatText("would train another model; no equivalent:{}\nA partial import (--partly) takes the rest.", list));
}

Result<ConfigImport> ImportSession::finish(const std::string& sourceName) {
  const auto worseFirst = [](const SettingNotTaken& a, const SettingNotTaken& b) { return a.effect > b.effect; };
  for (;;) {
    std::ranges::stable_sort(import_.notTaken, worseFirst);
    import_.yaml = yaml(sourceName);
    const LoadedConfig loaded = parseConfig(import_.yaml, "", {});
    if (loaded.ok()) {
      RETURN_IF_ERROR(checkImport());
      for (const ConfigIssue& note : loaded.notes) import_.notes.push_back(inContextText(note.field, note.message));
      import_.config = loaded.config;
      return std::move(import_);
    }
    const std::size_t before = fields_.size();
    revert(loaded.errors.front().field, loaded.errors.front().message);
    if (fields_.size() == before)
      return Error::internal(formatText("the imported configuration is refused: {}", loaded.errorText()));
  }
}

void assumeAdamDefaults(ImportSession& session, const std::string& prefix, const std::string& owner,
                        const std::string& betas, const std::string& weightDecay) {
  const std::string note = importDefaultOfText(owner);
  session.assume(prefix + ".lr", "optimizer.lr", "1e-3", note);
  session.assume(prefix + ".betas", "optimizer.betas", betas, note);
  session.assume(prefix + ".eps", "optimizer.eps", "1e-8", note);
  if (!weightDecay.empty()) session.assume(prefix + ".weight_decay", "optimizer.weight_decay", weightDecay, note);
}

void importGlobalBatch(ImportSession& session, const std::string& sizeKey, std::int64_t each,
                       const std::string& accumulationKey) {
  const ExternalValue* accumulation = session.open(accumulationKey);
  const auto given = accumulation == nullptr ? std::nullopt : accumulation->integer();
  const std::int64_t passes = given.value_or(1), devices = session.devices().value_or(1);
  std::string note = formatText("{} per device x {} accumulated x {} devices", each, passes, devices);
  if (!session.devices()) note = importDevicesUnknownText(std::move(note));
  const std::string global = std::to_string(each * passes * devices);
  if (accumulation != nullptr && !given) session.skip(accumulationKey, "not a whole number; taken as 1");
  if (given) session.importSetting(accumulationKey, "batch.global_train_batch_size", global, note);
  session.derive(sizeKey, "batch.global_train_batch_size", global, note);
}

double numberOr(ImportSession& session, const std::string& key, double otherwise) {
  const ExternalValue* value = session.open(key);
  return value == nullptr ? otherwise : value->number().value_or(otherwise);
}

std::string shortNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

}  // namespace batchwise::config
