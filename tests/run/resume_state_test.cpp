// SPDX-License-Identifier: GPL-3.0-or-later
// Every item of a checkpoint counts: with one left out or changed, a resume refuses, says so, or does something else.
// The items are taken from the checkpoints themselves, so that a new one is asked about without a change here.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/store/workspace.h"
#include "tests/run/small_run.h"

namespace batchwise {
namespace {

using nlohmann::json;
using test::SmallRuns;

/// A run in which some of the state matters: how it is trained, where it stops, and how it goes on.
struct Scenario {
  const char* name;
  std::vector<std::string> changes;
  std::int64_t stop;
  std::vector<std::string> whenResumed;  ///< beside `changes`
};

const std::vector<std::string> kSmaller = {"model.num_hidden_layers=1", "max_duration=6ba", "eval.interval=2ba",
                                           "checkpoint.interval=3ba"};

const std::vector<Scenario> kScenarios = {
    {"InsideAGlobalBatch",
     {"batch.rampup={duration: 4ba, initial_global_train_batch_size: 4}", "log.noise_scale=microbatches",
      "log.noise_half_life=2000tok", "optimizer.grad_clip_norm=0.01"},
     6,
     {}},
    {"ASmallerPartToCome",
     {"batch.rampup={duration: 1ep, initial_global_train_batch_size: 4}", "max_duration=46sp",
      "scheduler={name: constant}"},
     11,
     {}},
    {"AfterAnEvaluation", {"batch.global_train_batch_size=24"}, 2, {}},
    {"ATableOfStages",
     {"batch.rampup={stages: [{at: 0ba, global_train_batch_size: 5}, {at: 3ba, global_train_batch_size: 16}]}"},
     3,
     {}},
    {"Growth",
     {"batch.global_train_batch_size=8", "scheduler={name: constant}", "max_duration=8ba",
      "batch.growth={every: 3ba, increase_function: 'loss < 5.68 ? 32 : 9', bound: none}"},
     4,
     {}},
    {"GrowthAsFarAsTheDeviceHolds",
     {"batch.global_train_batch_size=4", "scheduler={name: constant}",
      "batch.growth={every: 2ba, increase_function: 'current_batch_size * 8', bound: device_maximum}"},
     1,
     {"batch.device_train_microbatch_size=3"}},
    {"Longer",
     {"max_duration=4ba", "eval.interval=0.5dur", "checkpoint.interval=0.5dur", "checkpoint.keep_every=2ba",
      "checkpoint.keep_last=1", "scheduler={name: exponential, gamma: 0.5}"},
     3,
     {"max_duration=7ba"}},
    {"MeasuredInEpochs", {"max_duration=2ep", "eval.interval=0.5ep"}, 4, {}},
    {"ScaledByTokens", {"lr_scaling={method: linear, by: tokens, reference_batch_size: 300}"}, 2, {}},
    {"ActsBySeconds", {"eval.interval=2sec", "checkpoint.interval=2sec"}, 3, {}},
    {"NoGradientIsFinite",
     {"optimizer.lr=1e6", "optimizer.weight_decay=1000", "scheduler={name: constant}", "guard.non_finite=skip",
      "guard.non_finite_limit=4", "max_duration=20ba"},
     5,
     {}},
};

/// One thing that a checkpoint holds.
struct Item {
  std::string name;
  std::function<void(CheckpointState&)> remove;
  std::function<void(CheckpointState&)> reset;  ///< to what it would be if it had not been saved, or to something else
};

void resetTensor(at::Tensor& tensor) {
  if (tensor.count_nonzero().item<std::int64_t>() > 0)
    tensor.zero_();
  else
    tensor.fill_(1);
}

std::vector<Item> tensorItems(const CheckpointState& state) {
  std::vector<Item> items;
  for (std::size_t i = 0; i < state.tensors.size(); ++i)
    items.push_back(
        {"tensor/" + state.tensors[i].name,
         [i](CheckpointState& target) { target.tensors.erase(target.tensors.begin() + static_cast<long>(i)); },
         [i](CheckpointState& target) { resetTensor(target.tensors[i].tensor); }});
  return items;
}

std::vector<Item> factItems(const CheckpointState& state) {
  std::vector<Item> items;
  for (const auto& [name, value] : state.facts)
    items.push_back({"fact/" + name, [name = name](CheckpointState& target) { target.facts.erase(name); },
                     [name = name](CheckpointState& target) { target.facts[name] += " changed: 1"; }});
  return items;
}

/// A number becomes 0, a 0 becomes 1; a list becomes empty, an empty one not; inside a text the last number grows by 1.
json resetValue(const json& value) {
  if (value.is_number()) return value == 0 ? 1 : 0;
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_array()) return value.empty() ? json::array({0}) : json::array();
  if (value.is_object()) {
    json object = value;
    for (json& member : object)
      if (member != 0) member = resetValue(member);
    return object;
  }
  std::string text = value.is_string() ? value.get<std::string>() : "";
  const char* const digits = "0123456789";
  const std::size_t last = text.find_last_of(digits);
  if (last == std::string::npos) return text + "1";
  const std::size_t before = text.find_last_not_of(digits, last);
  const std::size_t first = before == std::string::npos ? 0 : before + 1;
  return text.substr(0, first) + std::to_string(std::stoll(text.substr(first, last + 1 - first)) + 1) +
         text.substr(last + 1);
}

/// Timestamps that are used as a whole, in whatever unit an interval has.
bool isOneItem(const std::string& path) {
  return path == "/batch_start" || path == "/growth/evaluated_at";
}

/// The members of a fact that is a JSON object, down to those that are no objects.
void addMembers(const std::string& fact, const json& whole, const std::string& path, std::vector<Item>& items) {
  const json& here = whole.at(json::json_pointer(path));
  if (here.is_object() && !isOneItem(path)) {
    for (const auto& [name, value] : here.items()) addMembers(fact, whole, path + "/" + name, items);
    return;
  }
  const json::json_pointer pointer(path);
  const auto changed = [fact, pointer](const std::function<void(json&)>& change) {
    return [=](CheckpointState& target) {
      json object = json::parse(target.facts.at(fact));
      change(object);
      target.facts[fact] = object.dump();
    };
  };
  items.push_back({fact + path,
                   changed([pointer](json& object) { object.at(pointer.parent_pointer()).erase(pointer.back()); }),
                   changed([pointer](json& object) { object.at(pointer) = resetValue(object.at(pointer)); })});
}

std::vector<Item> itemsOf(const CheckpointState& state) {
  std::vector<Item> items = test::joined(factItems(state), tensorItems(state));
  for (const char* fact : {"state", "resolved", "environment"})
    addMembers(fact, json::parse(state.facts.at(fact)), "", items);
  return items;
}

/// A stopped run that is resumed again and again, each time as it was when it stopped.
class StoppedRun {
 public:
  explicit StoppedRun(const Scenario& scenario) : scenario_(scenario) {
    const auto first = test::checked(runs_.train(runs_.fresh(changes({})), scenario.stop));
    EXPECT_EQ(first.end->at.step, scenario.stop);
    run_ = first.run();
    checkpoint_ = runs_.newest(run_).record.file;
    std::filesystem::copy(live(), runs_.folder() / "stopped", std::filesystem::copy_options::recursive);
    expected_ = resume([](CheckpointState&) {});
    EXPECT_TRUE(expected_.refusal.empty()) << expected_.refusal;
  }

  CheckpointState state() const { return *readCheckpoint(runs_.folder() / "stopped" / checkpoint_); }

  /// What a resume from the changed checkpoint does otherwise; empty if nothing.
  std::string effectOf(const std::function<void(CheckpointState&)>& change) {
    const Resumed resumed = resume(change);
    if (!resumed.refusal.empty()) return "refused: " + resumed.refusal;
    if (resumed.notes != expected_.notes) return "told";
    if (resumed.end != expected_.end) return "ends otherwise: " + resumed.end;
    if (resumed.kept != expected_.kept) return "keeps other checkpoints";
    const std::string rows = test::rowsDifference(expected_.log.rows, resumed.log.rows, 0);
    const std::string evaluations = test::evaluationsDifference(expected_.log.evaluations, resumed.log.evaluations, 0);
    return rows + evaluations + test::stateDifference(*expected_.last, *resumed.last, 0);
  }

 private:
  struct Resumed {
    std::string refusal;
    std::string end;
    std::vector<std::string> notes;
    std::vector<std::pair<std::string, std::optional<double>>> kept;  ///< checkpoints with their metric
    test::RunLog log;
    std::optional<RunCheckpoint> last;
  };

  std::filesystem::path live() const { return runs_.folder() / "workspace"; }

  std::vector<std::string> changes(const std::vector<std::string>& more) const {
    return test::joined(test::joined(kSmaller, scenario_.changes), more);
  }

  Resumed resume(const std::function<void(CheckpointState&)>& change) {
    std::filesystem::remove_all(live());
    std::filesystem::copy(runs_.folder() / "stopped", live(), std::filesystem::copy_options::recursive);
    CheckpointState changed = state();
    change(changed);
    EXPECT_TRUE(writeCheckpoint(live() / checkpoint_, changed).ok());
    LaunchRequest request = runs_.resume(run_, changes(scenario_.whenResumed));
    request.config.baseFolder.clear();  // as the command line: the checkpoint knows the folder
    SmallRuns::Outcome outcome = runs_.train(request);
    Resumed resumed;
    if (!outcome.end.ok()) {
      resumed.refusal = outcome.end.error().text();
      return resumed;
    }
    resumed.end = std::string(choiceName(outcome.end->status)) + ", " + outcome.end->reason;
    for (const RunNote& note : outcome.log.notes) resumed.notes.push_back(note.text);
    resumed.log = std::move(outcome.log);
    const auto kept = runs_.workspace()->checkpoints(run_);
    for (const CheckpointRecord& record : *kept) resumed.kept.emplace_back(record.id, record.metric);
    resumed.last = runs_.newest(run_);
    return resumed;
  }

  const Scenario scenario_;
  const SmallRuns runs_;
  std::string run_;
  std::filesystem::path checkpoint_;
  Resumed expected_;
};

/// In the quick tier one tensor of ten: they are all saved and read by the same few lines.
bool isAskedAbout(const Item& item, std::size_t index) {
  return test::isFullTier() || !item.name.starts_with("tensor/") || index % 10 == 0;
}

TEST(ResumeStateTest, WithoutAnyItemOfACheckpointAResumeIsNotTheSame) {
  std::set<std::string> unnoticed;
  std::set<std::string> noticed;
  for (const Scenario& scenario : kScenarios) {
    SCOPED_TRACE(scenario.name);
    StoppedRun run(scenario);
    const std::vector<Item> items = itemsOf(run.state());
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!isAskedAbout(items[i], i)) continue;
      const std::pair<std::string, std::function<void(CheckpointState&)>> changes[] = {
          {items[i].name + " removed", items[i].remove}, {items[i].name + " reset", items[i].reset}};
      for (const auto& [what, change] : changes) {
        if (noticed.contains(what)) continue;
        (run.effectOf(change).empty() ? unnoticed : noticed).insert(what);
      }
    }
  }
  for (const std::string& what : noticed) unnoticed.erase(what);
  // Without it, the mean of the part that was trained counts as that of the next step, which is clipped here too.
  unnoticed.erase("state/window/clipped_share removed");
  EXPECT_TRUE(unnoticed.empty()) << testing::PrintToString(unnoticed);
  EXPECT_GT(noticed.size(), 100u);
}

}  // namespace
}  // namespace batchwise
