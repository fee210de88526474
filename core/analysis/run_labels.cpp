// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/run_labels.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/config/schema.h"

namespace batchwise {
namespace {

constexpr std::string_view kSeparators = "-_ ./,:;#=";

bool isRead(const ConfigValues* config) {
  return config != nullptr && !config->empty();
}

/// Returns the value that all members share; nothing if they differ, one could not be read or it has no effect, except
/// of a ramp, where that is said.
std::optional<std::string> sharedValue(const LabeledGroup& group, const std::string& field) {
  if (group.configs.empty() || !std::ranges::all_of(group.configs, isRead)) return std::nullopt;
  const std::string_view first = valueOf(*group.configs.front(), field);
  const bool alike = std::ranges::all_of(group.configs, [&](const ConfigValues* config) {
    return valueOf(*config, field) == first && (field.starts_with("batch.rampup.") || hasEffect(*config, field));
  });
  return alike ? std::optional<std::string>(first) : std::nullopt;
}

// --- names ---

/// Splits a name before each separator: "base", "-s1".
std::vector<std::string_view> nameParts(std::string_view name) {
  std::vector<std::string_view> tokens;
  while (!name.empty()) {
    const std::size_t start = name.find_first_not_of(kSeparators);
    const std::size_t end = start == std::string_view::npos ? start : name.find_first_of(kSeparators, start);
    tokens.push_back(name.substr(0, end));
    name.remove_prefix(std::min(end, name.size()));
  }
  return tokens;
}

/// Returns whether a token is a word for what differs between repetitions: "-seed", "_s", " run", "-#".
bool namesRepetition(std::string_view token) {
  const std::size_t start = token.find_first_not_of(kSeparators);
  if (start == std::string_view::npos) return true;
  const std::string word = inLowerCase(std::string(token.substr(start)));
  constexpr std::array kWords = {"s", "seed", "run", "r", "rep", "repeat", "n", "no", "nr"};
  return std::ranges::find(kWords, word) != kWords.end();
}

/// Returns the tokens without the number at their end, if that is all they differ in; nothing otherwise.
std::string_view wordBeforeNumber(const std::vector<std::string_view>& tokens) {
  const auto wordOf = [](std::string_view token) { return token.substr(0, token.find_last_not_of("0123456789") + 1); };
  const std::string_view word = wordOf(tokens.front());
  const bool alike = std::ranges::all_of(
      tokens, [&](std::string_view token) { return wordOf(token) == word && token.size() > word.size(); });
  return alike && !namesRepetition(word) ? word : std::string_view();
}

/// Returns how many tokens all names share, counted from the front or the back, at most `most`.
template <class At>
std::size_t sharedTokens(const std::vector<std::vector<std::string_view>>& names, std::size_t most, const At& at) {
  std::size_t shared = 0;
  const auto alike = [&] {
    return std::ranges::all_of(names,
                               [&](const auto& tokens) { return at(tokens, shared) == at(names.front(), shared); });
  };
  while (shared < most && alike()) ++shared;
  return shared;
}

/// Returns the label of a group by its variant or the names of its members; may be empty.
std::string nameOf(const LabeledGroup& group) {
  const std::string variant =
      sharedValue(group, "variant") ? plainValue(*group.configs.front(), "variant") : std::string();
  return variant.empty() ? commonStem(group.names) : variant;
}

// --- settings ---

bool isUnset(const Field& field, std::string_view value) {
  return value.empty() || value == "\"\"" || value == "[]" || value == "none" || value == "off" || value == "false" ||
         (field.optional && value == field.unsetText);
}

std::string readable(const Field& field, std::string_view value) {
  if (const auto whole = numberFrom<std::int64_t>(value); whole && field.kind == FieldKind::Integer)
    return formatInteger(*whole);
  const auto number = numberFrom<double>(value);
  if (field.path != "optimizer.lr" || !number) return std::string(value);
  std::string rate = formatRate(*number);
  if (const std::size_t point = rate.find(".0e"); point != std::string::npos) rate.erase(point, 2);
  return rate;
}

/// A setting in words.
struct SettingWords {
  std::string text;
  bool isOff = false;  ///< says that something is not used
};

SettingWords rampWords(const Field& field, const ConfigValues& config) {
  const std::string_view duration = valueOf(config, "batch.rampup.duration");
  const auto unset = [&config](const char* path) { return isUnset(*findField(path), valueOf(config, path)); };
  if (!unset("batch.rampup.from_schedule.factor")) return {"ramp from the schedule", false};
  if (unset("batch.rampup.duration") && unset("batch.rampup.stages")) return {"no ramp", true};
  const char* initial = "batch.rampup.initial_global_train_batch_size";
  const char* target = "batch.global_train_batch_size";
  if (field.path == initial && !unset(initial))
    return {formatText("ramp {} to {}", readable(field, valueOf(config, initial)),
                       readable(*findField(target), valueOf(config, target))),
            false};
  return {formatText("ramp over {}", duration), false};
}

/// Names a field by the end of its path: "weight decay" for optimizer.weight_decay, "plateau window".
std::string fieldWords(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const std::string leaf = path.substr(dot == std::string::npos ? 0 : dot + 1);
  const bool general = leaf == "action" || leaf == "window" || leaf == "limit" || leaf == "interval" || leaf == "name";
  std::string words = general && dot != std::string::npos ? path.substr(path.rfind('.', dot - 1) + 1) : leaf;
  std::ranges::replace_if(
      words, [](char c) { return c == '_' || c == '.'; }, ' ');
  return words;
}

SettingWords wordsOf(const Field& field, const ConfigValues& config) {
  const std::string_view value = valueOf(config, field.path);
  const std::string shown = readable(field, value);
  if (field.path == "batch.rampup.duration" || field.path == "batch.rampup.initial_global_train_batch_size")
    return rampWords(field, config);
  if (field.path == "batch.tokens.max_tokens")
    return isUnset(field, value) ? SettingWords{"no budget", true} : SettingWords{formatText("budget {}", shown)};
  if (field.path == "batch.global_train_batch_size") return {formatText("batch {}", shown)};
  if (field.path == "data.max_seq_len") return {formatText("length {}", shown)};
  if (field.path == "data.mlm_probability") return {formatText("masked {}", shown)};
  if (field.path == "model.init_from") {
    const bool tiled = isUnset(field, value);
    if (tiled && plainValue(config, "model.tile_from").empty()) return {"from random weights", true};
    const std::filesystem::path folder = plainValue(config, tiled ? "model.tile_from" : field.path);
    return {formatText("continues {}", (folder.has_filename() ? folder : folder.parent_path()).filename().native())};
  }
  if (field.path == "model.preset" || field.path == "precision") return {std::string(value)};
  if (isUnset(field, value)) return {formatText("no {}", fieldWords(field.path)), true};
  if (value == "true") return {fieldWords(field.path)};
  return {formatText("{} {}", fieldWords(field.path), shown)};
}

/// Returns how well a field describes a run: 0 is best.
int rankOf(const std::string& path) {
  constexpr std::array kFirst = {"model.init_from",
                                 "batch.rampup.initial_global_train_batch_size",
                                 "batch.rampup.duration",
                                 "batch.tokens.max_tokens",
                                 "batch.global_train_batch_size",
                                 "optimizer.lr",
                                 "model.preset",
                                 "data.max_seq_len",
                                 "data.mlm_probability"};
  const auto* const place = std::ranges::find(kFirst, path);
  if (place != kFirst.end()) return static_cast<int>(place - kFirst.begin());
  const bool beside = path.starts_with("eval.") || path.starts_with("guard.") || path.starts_with("checkpoint.") ||
                      path.starts_with("devices.") || path == "tasks";
  return static_cast<int>(kFirst.size()) + (beside ? 1 : 0);
}

/// A field and its value in each group.
struct Candidate {
  const Field* field = nullptr;
  std::vector<std::string> values;
};

/// Returns the fields with one value in each group that differ between groups, the most telling first.
std::vector<Candidate> candidatesIn(const std::vector<LabeledGroup>& groups) {
  const IgnoredFields ignored = IgnoredFields::standard();
  std::vector<Candidate> candidates;
  for (const Field& field : configSchema()) {
    if (ignored.has(field.path)) continue;
    Candidate candidate{&field, {}};
    for (const LabeledGroup& group : groups)
      if (auto value = sharedValue(group, field.path)) candidate.values.push_back(std::move(*value));
    const std::set<std::string> different(candidate.values.begin(), candidate.values.end());
    if (candidate.values.size() == groups.size() && different.size() > 1) candidates.push_back(std::move(candidate));
  }
  std::ranges::stable_sort(candidates, {}, [](const Candidate& one) { return rankOf(one.field->path); });
  return candidates;
}

/// Returns how many groups differ by `fields`.
std::size_t countDifferent(const std::vector<const Candidate*>& fields, std::size_t groups) {
  std::set<std::string> different;
  for (std::size_t i = 0; i < groups; ++i) {
    std::string key;
    for (const Candidate* field : fields) key += field->values[i] + '\x1f';
    different.insert(key);
  }
  return different.size();
}

/// Returns few fields that tell as many groups apart as all: the one that separates most is added until no other
/// separates more, then those that are no longer needed are dropped.
std::vector<const Candidate*> fewestFields(const std::vector<Candidate>& candidates, std::size_t groups) {
  std::vector<const Candidate*> chosen;
  std::size_t told = 1;
  while (told < groups) {
    const Candidate* best = nullptr;
    std::size_t most = told;
    for (const Candidate& candidate : candidates) {
      chosen.push_back(&candidate);
      if (const std::size_t now = countDifferent(chosen, groups); now > most) {
        best = &candidate;
        most = now;
      }
      chosen.pop_back();
    }
    if (best == nullptr) break;
    chosen.push_back(best);
    told = most;
  }
  for (std::size_t i = 0; i < chosen.size();) {
    auto without = chosen;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (!without.empty() && countDifferent(without, groups) == told)
      chosen.swap(without);
    else
      ++i;
  }
  return chosen;
}

/// Returns the settings in words, what is not used only if there is nothing else to say.
std::string settingsText(const std::vector<const Candidate*>& fields, const ConfigValues& config) {
  std::vector<std::string> used, unused;
  for (const Candidate* field : fields) {
    const SettingWords words = wordsOf(*field->field, config);
    std::vector<std::string>& parts = words.isOff ? unused : used;
    const std::string text = words.text;
    if (std::ranges::find(parts, text) == parts.end()) parts.push_back(text);
  }
  return joined(used.empty() ? unused : used);
}

/// Returns a label for each group by the settings that tell it from the others; empty without such settings.
std::vector<std::string> settingLabels(const std::vector<LabeledGroup>& groups) {
  const std::vector<Candidate> candidates = candidatesIn(groups);
  const std::vector<const Candidate*> fields = fewestFields(candidates, groups.size());
  std::vector<std::string> labels(groups.size());
  if (fields.empty()) return labels;
  for (std::size_t i = 0; i < groups.size(); ++i) labels[i] = settingsText(fields, *groups[i].configs.front());
  return labels;
}

/// Returns the experiments of groups of the same variant if they tell the groups apart; else their settings.
std::vector<std::string> additions(const std::vector<LabeledGroup>& groups) {
  std::vector<std::string> experiments;
  for (const LabeledGroup& group : groups)
    experiments.push_back(sharedValue(group, "experiment") ? plainValue(*group.configs.front(), "experiment")
                                                           : std::string());
  const std::set<std::string> different(experiments.begin(), experiments.end());
  if (different.size() == groups.size() && !different.contains("")) return experiments;
  return settingLabels(groups);
}

void numberEqualOnes(std::vector<std::string>& labels) {
  std::set<std::string> taken;
  for (std::string& label : labels) {
    std::string numbered = label;
    for (int number = 2; !taken.insert(numbered).second; ++number)
      numbered = label + " (" + std::to_string(number) + ")";
    label = numbered;
  }
}

// --- shortening ---

/// Returns the first or last `count` code points.
std::string_view firstOf(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; count > 0 && at < text.size(); --count) {
    ++at;
    while (at < text.size() && isUtf8Continuation(text[at])) ++at;
  }
  return text.substr(0, at);
}
std::string_view lastOf(std::string_view text, std::size_t count) {
  std::size_t at = text.size();
  for (; count > 0 && at > 0; --count) {
    --at;
    while (at > 0 && isUtf8Continuation(text[at])) --at;
  }
  return text.substr(at);
}

/// Returns `text`, or its longest form that fits with an ellipsis in the middle, and `end` behind it.
std::string elidedInMiddle(std::string_view text, const LabelFits& fits, std::string_view end = {}) {
  if (const std::string whole = std::string(text) + std::string(end); fits(whole)) return whole;
  const auto form = [&](std::size_t kept) {
    return std::string(firstOf(text, kept - kept / 2)) + "…" + std::string(lastOf(text, kept / 2)) + std::string(end);
  };
  std::size_t low = 0, high = text.size();
  while (low + 1 < high) {
    const std::size_t middle = (low + high) / 2;
    (fits(form(middle)) ? low : high) = middle;
  }
  return form(low);
}

bool isLetter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}
bool isDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Returns the length of what the names have in common at their start, up to the last separator within.
std::size_t commonStart(const std::vector<std::string>& names) {
  std::size_t common = names.front().size();
  for (const std::string& name : names)
    common = std::min(common, static_cast<std::size_t>(std::ranges::mismatch(name, names.front()).in1 - name.begin()));
  std::size_t word = common;
  while (word > 0 && (isLetter(names.front()[word - 1]) || isDigit(names.front()[word - 1]))) --word;
  if (word > 0) return word;
  while (common > 0 && common < names.front().size() && isUtf8Continuation(names.front()[common])) --common;
  return common;
}

/// Splits into numbers ("16", "5e-4"), words, and what stands between.
std::vector<std::string> wordsAndNumbers(const std::string& name) {
  std::vector<std::string> parts;
  const auto kindOf = [](char c) { return isDigit(c) ? 0 : isLetter(c) ? 1 : 2; };
  const auto isDigitAt = [&](std::size_t at) { return at < name.size() && isDigit(name[at]); };
  for (std::size_t from = 0; from < name.size();) {
    std::size_t to = from;
    const auto skipAlike = [&] {
      for (const int kind = kindOf(name[to]); to < name.size() && kindOf(name[to]) == kind;) ++to;
    };
    skipAlike();
    if (isDigit(name[from]) && to < name.size() && name[to] == '.' && isDigitAt(to + 1)) ++to, skipAlike();
    if (isDigit(name[from]) && to < name.size() && name[to] == 'e') {
      const std::size_t exponent = to + (to + 1 < name.size() && (name[to + 1] == '-' || name[to + 1] == '+') ? 2 : 1);
      if (isDigitAt(exponent)) to = exponent, skipAlike();
    }
    parts.push_back(name.substr(from, to - from));
    from = to;
  }
  return parts;
}

/// Returns each name with only the parts in which the names differ, after the words before these: "…ramp-8…seed-2".
/// Empty if the names have unequal numbers of parts.
std::vector<std::string> differingParts(const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> all;
  for (const std::string& name : names) all.push_back(wordsAndNumbers(name));
  const std::vector<std::string>& first = all.front();
  const std::size_t count = first.size();
  if (std::ranges::any_of(all, [count](const auto& parts) { return parts.size() != count; })) return {};
  const auto differs = [&](std::size_t i) {
    return std::ranges::any_of(all, [&](const auto& parts) { return parts[i] != first[i]; });
  };
  std::vector<bool> kept(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!differs(i)) continue;
    kept[i] = true;
    if (i > 1 && !differs(i - 2) && first[i - 1].size() == 1) kept[i - 1] = kept[i - 2] = true;
  }
  std::vector<std::string> texts;
  for (const auto& parts : all) {
    std::string& text = texts.emplace_back();
    for (std::size_t i = 0; i < count; ++i) text += kept[i] ? parts[i] : text.ends_with("…") ? "" : "…";
  }
  return texts;
}

bool allDiffer(const std::vector<std::string>& texts) {
  return std::set<std::string>(texts.begin(), texts.end()).size() == texts.size();
}

/// Returns the names at these places.
std::vector<std::string> namesAt(const std::vector<std::size_t>& places, const std::vector<std::string>& names) {
  std::vector<std::string> chosen;
  for (const std::size_t place : places) chosen.push_back(names[place]);
  return chosen;
}

}  // namespace

std::vector<std::vector<std::size_t>> seedGroups(const std::vector<const ConfigValues*>& configs,
                                                 const IgnoredFields& ignored) {
  std::vector<std::vector<std::size_t>> groups;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    if (!isRead(configs[i])) {
      groups.push_back({i});
      continue;
    }
    const auto [place, isNew] = places.emplace(experimentKey(*configs[i], ignored), groups.size());
    if (isNew) groups.emplace_back();
    groups[place->second].push_back(i);
  }
  return groups;
}

std::string repetitionSeeds(const ConfigValues& config) {
  std::string seeds;
  for (const char* field : {"seed", "eval.seed", "data.demo_seed"}) seeds += plainValue(config, field) + '\x1f';
  return seeds;
}

std::vector<bool> countedRepetitions(const std::vector<Repetition>& runs) {
  std::map<std::string, std::size_t> best;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto [place, isNew] = best.emplace(runs[i].key, i);
    const Repetition &own = runs[i], &other = runs[place->second];
    if (!isNew && std::pair(own.finished, own.createdMs) > std::pair(other.finished, other.createdMs))
      place->second = i;
  }
  std::vector<bool> counted;
  for (std::size_t i = 0; i < runs.size(); ++i) counted.push_back(runs[i].key.empty() || best.at(runs[i].key) == i);
  return counted;
}

std::string commonStem(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  if (names.size() == 1) return names.front();
  std::vector<std::vector<std::string_view>> all;
  std::size_t fewest = names.front().size();
  for (const std::string& name : names) {
    all.push_back(nameParts(name));
    fewest = std::min(fewest, all.back().size());
  }
  const auto fromStart = [](const auto& tokens, std::size_t i) { return tokens[i]; };
  const auto fromEnd = [](const auto& tokens, std::size_t i) { return tokens[tokens.size() - 1 - i]; };
  std::size_t start = sharedTokens(all, fewest, fromStart);
  const std::size_t end = sharedTokens(all, fewest - start, fromEnd);
  std::string stem, rest;
  if (start + end < fewest) {
    std::vector<std::string_view> differing;
    for (const auto& tokens : all) differing.push_back(tokens[start]);
    rest = wordBeforeNumber(differing);
  }
  if (rest.empty())
    while (start > 0 && namesRepetition(all.front()[start - 1])) --start;
  for (std::size_t i = 0; i < start; ++i) stem += all.front()[i];
  stem += rest;
  for (std::size_t i = all.front().size() - end; i < all.front().size(); ++i) stem += all.front()[i];
  const std::size_t first = stem.find_first_not_of(kSeparators);
  if (first == std::string::npos || std::ranges::none_of(stem, isLetter)) return {};
  return stem.substr(first, stem.find_last_not_of(kSeparators) + 1 - first);
}

std::vector<std::string> distinctLabels(const std::vector<LabeledGroup>& groups) {
  std::vector<std::string> labels;
  std::map<std::string, std::vector<std::size_t>> alike;
  for (const LabeledGroup& group : groups) {
    labels.push_back(nameOf(group));
    alike[labels.back()].push_back(labels.size() - 1);
  }
  for (const auto& [name, places] : alike) {
    if (!name.empty() && places.size() == 1) continue;
    std::vector<LabeledGroup> subset;
    for (const std::size_t place : places) subset.push_back(groups[place]);
    const auto added = name.empty() ? settingLabels(groups) : additions(subset);
    const bool alone = name.empty() || places.size() == groups.size();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::string& words = name.empty() ? added[places[i]] : added[i];
      if (!words.empty()) labels[places[i]] = alone ? words : name + ", " + words;
      if (labels[places[i]].empty()) labels[places[i]] = groups[places[i]].names.front();
    }
  }
  numberEqualOnes(labels);
  return labels;
}

std::vector<std::string> elided(const std::vector<std::string>& names, const LabelFits& fits) {
  std::vector<std::string> texts;
  std::map<std::string, std::vector<std::size_t>> places;
  for (const std::string& name : names) {
    texts.push_back(elidedInMiddle(name, fits));
    places[texts.back()].push_back(texts.size() - 1);
  }
  std::vector<std::size_t> unclear;
  for (const auto& [text, alike] : places) {
    if (alike.size() < 2) continue;
    const std::size_t common = commonStart(namesAt(alike, names));
    for (const std::size_t place : alike)
      if (text != names[place]) texts[place] = elidedInMiddle("…" + names[place].substr(common), fits);
    unclear.insert(unclear.end(), alike.begin(), alike.end());
  }
  if (allDiffer(texts)) return texts;
  std::vector<std::string> parts = differingParts(namesAt(unclear, names));
  for (std::string& text : parts) text = elidedInMiddle(text, fits);
  if (!parts.empty() && allDiffer(parts))
    for (std::size_t i = 0; i < parts.size(); ++i) texts[unclear[i]] = parts[i];
  std::set<std::string> used;
  for (std::string& text : texts) {
    const std::string whole = text;
    for (int next = 2; !used.insert(text).second; ++next)
      text = elidedInMiddle(whole, fits, " (" + std::to_string(next) + ")");
  }
  return texts;
}

namespace {

constexpr const char* kSetting = "run_styles";
constexpr int kMostStyles = 1 << 20;
struct Color {
  const char *onLight, *onDark;
};
// Found by a search for the largest least distance; tests/analysis/run_labels_test.cpp measures it.
constexpr std::array kColors = {Color{"#1A225A", "#B69EFC"}, Color{"#DD7A1B", "#F6A500"}, Color{"#186666", "#75A589"},
                                Color{"#AD1900", "#DD0B26"}, Color{"#6899C4", "#B3FCFF"}, Color{"#500F1D", "#FAF1C4"},
                                Color{"#7000EB", "#9344E0"}, Color{"#9B938A", "#696F7A"}};
constexpr int kColorCount = static_cast<int>(kColors.size());

}  // namespace

RunStyles RunStyles::read(const Workspace& workspace) {
  RunStyles styles;
  const auto stored = workspace.setting(kSetting);
  if (!stored.ok() || !*stored) return styles;
  const auto kept = parseJsonOrDiscarded(**stored);
  if (!kept.is_object()) return styles;
  for (const auto& [run, style] : kept.items())
    if (style.is_number_integer() && style >= 0 && style < kMostStyles) styles.styles_[run] = style.get<int>();
  return styles;
}

Result<void> RunStyles::write(Workspace& workspace) const {
  return workspace.saveSetting(kSetting, nlohmann::json(styles_).dump());
}

int RunStyles::of(const std::string& run) const {
  const auto found = styles_.find(run);
  return found == styles_.end() ? -1 : found->second;
}

bool RunStyles::assign(const std::vector<std::string>& runs) {
  const int most = std::max(kColorCount, static_cast<int>(runs.size()));
  std::set<int> taken;
  std::vector<std::string> without;
  for (const std::string& run : runs)
    if (const int style = of(run); style < 0 || style >= most || !taken.insert(style).second) without.push_back(run);
  int next = 0;
  for (const std::string& run : without) {
    while (!taken.insert(next).second) ++next;
    styles_[run] = next;
  }
  return !without.empty();
}

SeriesStyle seriesStyle(int index) {
  const auto place = static_cast<std::size_t>(std::max(index, 0));
  const Color& color = kColors[place % kColors.size()];
  return {color.onLight, color.onDark, place >= kColors.size()};
}

}  // namespace batchwise
