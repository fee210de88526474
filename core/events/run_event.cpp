// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/events/run_event.h"

#include <array>
#include <concepts>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "core/base/json.h"
#include "core/events/messages.h"

namespace batchwise {
namespace {

using nlohmann::json;

// Each event is described once by describe(archive, event), with JsonWriter and JsonReader as archives.

class JsonWriter {
 public:
  void field(const char* key, const std::string& value) { object_[key] = value; }
  void field(const char* key, const Message& value) {
    object_[key] = value.text();
    addMessageTo(object_, value);
  }
  void field(const char* key, std::int64_t value) { object_[key] = value; }
  void field(const char* key, double value) { object_[key] = jsonNumber(value); }
  void field(const char* key, const std::optional<double>& value) {
    if (value) field(key, *value);
  }
  void field(const char* key, const std::optional<bool>& value) {
    if (value) object_[key] = *value;
  }
  template <Choice E>
  void field(const char* key, E value) {
    object_[key] = choiceName(value);
  }
  void field(const char* key, FailureCause value) {
    if (value != FailureCause::Unknown) object_[key] = choiceName(value);
  }
  void fieldOrZero(const char* key, std::int64_t value) { field(key, value); }
  void fieldUnlessZero(const char* key, std::int64_t value) {
    if (value != 0) field(key, value);
  }
  template <class Item>
  void list(const char* key, const std::vector<Item>& items) {
    json array = json::array();
    for (const Item& item : items) {
      JsonWriter inner;
      describe(inner, item);
      array.push_back(std::move(inner.object_));
    }
    object_[key] = std::move(array);
  }
  template <class Item>
  void listUnlessEmpty(const char* key, const std::vector<Item>& items) {
    if (!items.empty()) list(key, items);
  }
  json take() { return std::move(object_); }

 private:
  json object_ = json::object();
};

class JsonReader {
 public:
  explicit JsonReader(const json& object) : object_(object) {}

  void field(const char* key, std::string& value) {
    const json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_string()) return wrongType(key, *found, messages::textNoun());
    value = found->get<std::string>();
  }
  void field(const char* key, Message& value) {
    std::string text;
    field(key, text);
    value = messageFromJson(object_, std::move(text));
  }
  void field(const char* key, std::int64_t& value) {
    if (const json* found = find(key)) readInteger(key, *found, value);
  }
  void field(const char* key, double& value) {
    if (const json* found = find(key)) readNumber(key, *found, value);
  }
  void field(const char* key, std::optional<double>& value) {
    if (object_.contains(key)) readNumber(key, object_.at(key), value.emplace());
  }
  void field(const char* key, std::optional<bool>& value) {
    const auto found = object_.find(key);
    if (found == object_.end()) return;
    if (!found->is_boolean()) return wrongType(key, *found, messages::booleanNoun());
    value = found->get<bool>();
  }
  template <Choice E>
  void field(const char* key, E& value) {
    std::string name;
    field(key, name);
    if (!problem_.empty()) return;
    const auto found = choiceFromName<E>(name);
    if (!found) return report(messages::eventFieldNameUnknown(key, name));
    value = *found;
  }
  /// Unknown if it is missing or of a later version.
  void field(const char* key, FailureCause& value) {
    const auto found = object_.find(key);
    if (found != object_.end() && found->is_string())
      value = choiceFromName<FailureCause>(found->get_ref<const std::string&>()).value_or(value);
  }
  void fieldOrZero(const char* key, std::int64_t& value) {
    value = 0;
    if (object_.contains(key)) readInteger(key, object_.at(key), value);
  }
  void fieldUnlessZero(const char* key, std::int64_t& value) { fieldOrZero(key, value); }
  template <class Item>
  void list(const char* key, std::vector<Item>& items) {
    const json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_array()) return wrongType(key, *found, messages::listNoun());
    for (const json& element : *found) {
      JsonReader inner(element);
      describe(inner, items.emplace_back());
      if (!inner.problem_.empty()) return report(messages::inContext(key, inner.problem_));
    }
  }
  template <class Item>
  void listUnlessEmpty(const char* key, std::vector<Item>& items) {
    if (object_.contains(key)) list(key, items);
  }
  const Message& problem() const { return problem_; }

 private:
  const json* find(const char* key) {
    const auto position = object_.find(key);  // end() if this is not an object
    if (position == object_.end()) {
      report(messages::eventFieldMissing(key));
      return nullptr;
    }
    return &*position;
  }
  void readInteger(const char* key, const json& found, std::int64_t& value) {
    const std::optional<std::int64_t> number = wholeNumberFromJson(found);
    if (!number) return wrongType(key, found, messages::eventIntegerNoun());
    value = *number;
  }
  void readNumber(const char* key, const json& found, double& value) {
    const std::optional<double> number = numberFromJson(found);
    if (!number) return wrongType(key, found, messages::eventFloatNoun());
    value = *number;
  }
  void wrongType(const char* key, const json& found, const Message& expected) {
    report(messages::eventFieldTypeMismatch(key, found.type_name(), expected));
  }
  void report(Message problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  const json& object_;
  Message problem_;
};

template <class T, class Event>
concept Describes = std::same_as<std::remove_const_t<T>, Event>;

/// The clocks within the epoch and the batch were added later and default to 0.
template <class Archive, Describes<Timestamp> T>
void describeClock(Archive& archive, T& at) {
  archive.field("ba", at.batch);
  archive.field("steps", at.step);
  archive.field("sp", at.sample);
  archive.field("tok", at.token);
  archive.field("ep", at.epoch);
  archive.field("sec", at.seconds);
  archive.fieldOrZero("ba_in_ep", at.batchInEpoch);
  archive.fieldOrZero("units_in_ep", at.unitInEpoch);
  archive.fieldOrZero("sp_in_ep", at.sampleInEpoch);
  archive.fieldOrZero("tok_in_ep", at.tokenInEpoch);
  archive.fieldOrZero("parts_in_ba", at.partInBatch);
}

template <class Archive, Describes<DeviceMemory> T>
void describe(Archive& archive, T& device) {
  archive.field("name", device.name);
  archive.field("allocated", device.allocated);
  archive.field("reserved", device.reserved);
  archive.field("peak", device.peak);
  archive.field("total", device.total);
  archive.fieldUnlessZero("driver_used", device.driverUsed);
}

template <class Archive, Describes<RunStarted> T>
void describe(Archive& archive, T& event) {
  archive.field("run", event.run);
  archive.field("name", event.name);
  archive.field("segment", event.segment);
  archive.field("planned_ba", event.plannedBatches);
  describeClock(archive, event.from);
}

template <class Archive, Describes<PhaseProgress> T>
void describe(Archive& archive, T& event) {
  archive.field("phase", event.phase);
  archive.field("done", event.done);
  archive.field("total", event.total);
  archive.field("unit", event.unit);
}

template <class Archive, Describes<MetricsRow> T>
void describe(Archive& archive, T& row) {
  describeClock(archive, row.at);
  archive.field("loss", row.loss);
  archive.field("lr", row.learningRate);
  archive.field("step_samples", row.stepSamples);
  archive.field("parts", row.parts);
  archive.field("global_batch_samples", row.globalBatchSamples);
  archive.field("grad_norm", row.gradNorm);
  archive.field("samples_per_sec", row.samplesPerSec);
  archive.field("tokens_per_sec", row.tokensPerSec);
  archive.field("step_sec", row.stepSec);
  archive.field("fill", row.fill);
  archive.field("noise_scale", row.noiseScale);
  archive.field("grad_norm_mean", row.gradNormMean);
  archive.field("attention_logit", row.attentionLogit);
  archive.field("update_ratio", row.updateRatio);
  archive.field("loss_scale", row.lossScale);
  archive.field("mlm_probability", row.mlmProbability);
  archive.list("devices", row.devices);
}

template <class Archive, Describes<EvalSetResult> T>
void describe(Archive& archive, T& set) {
  archive.field("name", set.name);
  archive.field("loss", set.loss);
  archive.field("perplexity", set.perplexity);
  archive.field("accuracy", set.accuracy);
  archive.field("eval_samples", set.samples);
  archive.field("eval_tokens", set.tokens);
}

template <class Archive, Describes<EvalResult> T>
void describe(Archive& archive, T& event) {
  describeClock(archive, event.at);
  archive.field("loss", event.loss);
  archive.field("perplexity", event.perplexity);
  archive.field("accuracy", event.accuracy);
  archive.field("eval_samples", event.samples);
  archive.field("eval_tokens", event.tokens);
  archive.field("seconds", event.seconds);
  archive.listUnlessEmpty("sets", event.sets);
}

template <class Archive, Describes<CheckpointSaved> T>
void describe(Archive& archive, T& event) {
  archive.field("id", event.id);
  archive.field("bytes", event.bytes);
  archive.field("seconds", event.seconds);
  archive.field("pause_sec", event.pauseSec);
  archive.field("reason", event.reason);
  describeClock(archive, event.at);
}

template <class Archive, Describes<RunNote> T>
void describe(Archive& archive, T& event) {
  archive.field("level", event.level);
  archive.field("text", event.text);
  archive.field("paused", event.paused);
  describeClock(archive, event.at);
}

template <class Archive, Describes<RunFinished> T>
void describe(Archive& archive, T& event) {
  archive.field("status", event.status);
  archive.field("reason", event.reason);
  archive.field("last_checkpoint", event.lastCheckpoint);
  archive.field("cause", event.cause);
  describeClock(archive, event.at);
}

/// In the order of RunEvent's alternatives.
constexpr std::array<const char*, std::variant_size_v<RunEvent>> kEventNames = {
    "run_started", "progress", "metrics", "eval", "checkpoint_saved", "note", "run_finished"};

template <std::size_t Index>
Result<RunEvent> readEvent(const json& object) {
  std::variant_alternative_t<Index, RunEvent> event;
  JsonReader reader(object);
  describe(reader, event);
  if (!reader.problem().empty())
    return Error::corrupt(messages::eventFieldInvalid(kEventNames[Index], reader.problem()));
  return RunEvent(std::move(event));
}

template <std::size_t... Index>
Result<RunEvent> readNamed(const std::string& name, const json& object, std::index_sequence<Index...>) {
  Result<RunEvent> result = Error::corrupt(messages::eventNameUnknown(name));
  ((name == kEventNames[Index] ? void(result = readEvent<Index>(object)) : void()), ...);
  return result;
}

}  // namespace

bool reportsWaiting(const RunNote& note) {
  return messages::trainingWaits.made(note.text) || messages::checkpointWaits.made(note.text) ||
         messages::storeWaits.made(note.text);
}

bool reportsResumed(const RunNote& note) {
  return messages::trainingResumes.made(note.text);
}

json eventToJson(const RunEvent& event) {
  JsonWriter writer;
  writer.field("event", std::string{kEventNames[event.index()]});
  std::visit([&writer](const auto& value) { describe(writer, value); }, event);
  return writer.take();
}

std::string eventToLine(const RunEvent& event) {
  return jsonText(eventToJson(event));
}

Result<RunEvent> eventFromJson(const json& object) {
  if (!object.is_object()) return Error::corrupt(messages::eventNotJsonObject(object.type_name()));
  const auto name = object.find("event");
  if (name == object.end() || !name->is_string()) return Error::corrupt(messages::eventLacksNameField());
  return readNamed(name->get<std::string>(), object, std::make_index_sequence<std::variant_size_v<RunEvent>>());
}

}  // namespace batchwise
