// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run_queue.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/json_number.h"
#include "core/base/strict_json.h"
#include "core/run/controllers/launch_request_text.h"
#include "core/store/file_lock.h"

namespace batchwise {
namespace {

using nlohmann::json;

constexpr const char* kSetting = "queue";
constexpr const char* kQueueSchema = "batchwise.queue/1";

json toJson(const QueueEntry& entry) {
  return {{"id", entry.id},
          {"name", entry.name},
          {"request", requestToText(entry.request)},
          {"status", std::string(runStatusName(entry.status))},
          {"run", entry.run},
          {"reason", entry.reason},
          {"taker",
           {{"host", entry.taker.host},
            {"system", entry.taker.system},
            {"process", entry.taker.processId},
            {"started", entry.taker.startTicks}}}};
}

Result<QueueEntry> entryFrom(const json& object) {
  QueueEntry entry;
  entry.id = object.at("id").get<std::string>();
  entry.name = object.at("name").get<std::string>();
  auto request = requestFromText(object.at("request").get<std::string>());
  if (!request.ok()) return request.error();
  entry.request = std::move(*request);
  const auto status = runStatusFromName(object.at("status").get<std::string>());
  if (!status) return Error::corrupt("an entry of the queue has a status that is not known");
  entry.status = *status;
  entry.run = object.at("run").get<std::string>();
  entry.reason = object.at("reason").get<std::string>();
  const json& taker = object.at("taker");
  const auto process = wholeNumberFromJson(taker.at("process"));
  const auto started = wholeNumberFromJson(taker.at("started"));
  if (!process || !started) return Error::corrupt("an entry of the queue has a process that is not known");
  entry.taker = {taker.at("host").get<std::string>(), taker.at("system").get<std::string>(), *process, *started};
  return entry;
}

std::string textOf(const QueueContent& content) {
  json entries = json::array();
  for (const QueueEntry& entry : content.entries) entries.push_back(toJson(entry));
  const json object = {{"schema", kQueueSchema},
                       {"continue_on_error", content.continueOnError},
                       {"held", content.held},
                       {"entries", entries}};
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<QueueContent> contentFrom(const std::string& text) try {
  QueueContent content;
  const auto parsed = parseJson(text);
  if (!parsed.ok()) return parsed.error().within("the queue of this workspace");
  const json& object = *parsed;
  if (object.at("schema").get<std::string>() != kQueueSchema)
    return Error::unsupported("the queue of this workspace was written by a newer version");
  content.continueOnError = object.at("continue_on_error").get<bool>();
  content.held = object.at("held").get<std::string>();
  for (const json& each : object.at("entries")) {
    auto entry = entryFrom(each);
    if (!entry.ok()) return entry.error();
    content.entries.push_back(std::move(*entry));
  }
  return content;
} catch (const json::exception& error) {
  return Error::corrupt(std::string("the queue of this workspace cannot be read: ") + error.what());
}

Result<QueueContent> readContent(const Workspace& workspace) {
  const auto text = workspace.setting(kSetting);
  if (!text.ok()) return text.error();
  return *text ? contentFrom(**text) : QueueContent();
}

bool hasEnded(RunStatus status) {
  return status != RunStatus::Created && status != RunStatus::Running;
}

void holdAfter(const QueueEntry& entry, QueueContent& content) {
  const bool stopped = entry.status == RunStatus::Stopped;
  if (entry.status == RunStatus::Finished || (content.continueOnError && !stopped)) return;
  content.held = "run " + entry.name +
                 (stopped                             ? " was stopped"
                  : entry.status == RunStatus::Failed ? " has failed"
                                                      : " was interrupted");
}

/// Entries whose program died, or could not tell the queue any more, while they had their turn.
void settle(const Workspace& workspace, QueueContent& content) {
  for (QueueEntry& entry : content.entries) {
    if (entry.status != RunStatus::Running) continue;
    const bool dead = livenessOf(entry.taker) == Liveness::Dead;
    const auto run = entry.run.empty() ? Result<RunDetail>(Error::notFound("")) : workspace.findRun(entry.run);
    if (!run.ok()) {
      if (!dead) continue;
      entry.status = RunStatus::Created;
      entry.run.clear();
    } else if (const RunSummary& stored = run->summary; hasEnded(stored.status)) {
      entry.status = stored.status;
      entry.reason = stored.reason;
      holdAfter(entry, content);
    }  // else it goes on, perhaps in a process of its own
  }
}

auto find(QueueContent& content, const std::string& id) {
  return std::find_if(content.entries.begin(), content.entries.end(),
                      [&id](const QueueEntry& entry) { return entry.id == id; });
}

Error gone(const std::string& id) {
  return Error::notFound("there is no entry '" + id + "' in the queue; batchwise queue list shows them");
}

}  // namespace

std::int64_t QueueContent::waiting() const {
  return std::count_if(entries.begin(), entries.end(), [](const QueueEntry& entry) { return entry.waits(); });
}

Result<QueueContent> RunQueue::read() const {
  auto content = readContent(*workspace_);
  if (content.ok()) settle(*workspace_, *content);
  return content;
}

template <typename Change>
Result<void> RunQueue::change(const Change& change) const {
  const auto lock = FileLock::open(workspace_->folder() / "queue.lock");
  if (!lock.ok()) return lock.error();
  const auto held = lock->take();
  if (!held.ok()) return held.error();
  auto content = read();
  if (!content.ok()) return content.error();
  if (const Result<void> done = change(*content); !done.ok()) return done.error();
  return workspace_->saveSetting(kSetting, textOf(*content));
}

Result<void> RunQueue::add(const std::vector<LoadedConfig>& runs) {
  for (const LoadedConfig& run : runs)
    if (!run.ok()) return Error::config(run.errorText());
  return change([&](QueueContent& content) -> Result<void> {
    for (const LoadedConfig& run : runs) {
      QueueEntry entry;
      entry.id = newRecordId();
      entry.name = run.config.name;
      entry.request.workspace = workspace_->folder();
      entry.request.config = run;
      content.entries.push_back(std::move(entry));
    }
    return {};
  });
}

Result<void> RunQueue::remove(const std::string& id) {
  return change([&id](QueueContent& content) -> Result<void> {
    const auto entry = find(content, id);
    if (entry == content.entries.end()) return gone(id);
    if (entry->status == RunStatus::Running)
      return Error{ErrorCode::Busy, "run " + entry->name + " is training; stop it first", {}};
    content.entries.erase(entry);
    return {};
  });
}

Result<void> RunQueue::removeEnded() {
  return change([](QueueContent& content) -> Result<void> {
    std::erase_if(content.entries, [](const QueueEntry& entry) { return entry.ended(); });
    return {};
  });
}

Result<void> RunQueue::move(const std::string& id, std::int64_t place) {
  return change([&](QueueContent& content) -> Result<void> {
    const auto found = find(content, id);
    if (found == content.entries.end()) return gone(id);
    if (!found->waits()) return Error::config("run " + found->name + " does not wait any more");
    QueueEntry entry = std::move(*found);
    content.entries.erase(found);
    auto at = content.entries.begin();
    for (std::int64_t before = 0; at != content.entries.end(); ++at) {
      if (!at->waits()) continue;
      if (before++ >= place) break;
    }
    content.entries.insert(at, std::move(entry));
    return {};
  });
}

Result<void> RunQueue::setContinueOnError(bool on) {
  return change([on](QueueContent& content) -> Result<void> {
    content.continueOnError = on;
    return {};
  });
}

Result<void> RunQueue::hold(const std::string& why) {
  return change([&why](QueueContent& content) -> Result<void> {
    content.held = why;
    return {};
  });
}

namespace {

/// The entry whose turn it is by `content`, or why it is nobody's.
std::vector<QueueEntry>::iterator nextOf(QueueContent& content, QueueTurn& turn) {
  turn.held = content.held;
  turn.busy = std::any_of(content.entries.begin(), content.entries.end(),
                          [](const QueueEntry& entry) { return entry.status == RunStatus::Running; });
  if (turn.busy || !turn.held.empty()) return content.entries.end();
  return std::find_if(content.entries.begin(), content.entries.end(),
                      [](const QueueEntry& entry) { return entry.waits(); });
}

}  // namespace

Result<QueueTurn> RunQueue::takeNext() {
  QueueTurn turn;
  auto seen = read();  // asked often: nothing is written while it is nobody's turn
  if (!seen.ok()) return seen.error();
  if (nextOf(*seen, turn) == seen->entries.end()) return turn;
  const Result<void> changed = change([&turn](QueueContent& content) -> Result<void> {
    const auto next = nextOf(content, turn);
    if (next == content.entries.end()) return {};
    next->status = RunStatus::Running;
    next->taker = currentProcess();
    turn.entry = *next;
    return {};
  });
  if (!changed.ok()) return changed.error();
  return turn;
}

Result<void> RunQueue::giveBack(const std::string& id) {
  return change([&id](QueueContent& content) -> Result<void> {
    const auto entry = find(content, id);
    if (entry == content.entries.end()) return gone(id);
    if (entry->status != RunStatus::Running || !entry->run.empty())
      return Error::internal("only an entry whose run has not begun can be given back");
    entry->status = RunStatus::Created;
    return {};
  });
}

Result<void> RunQueue::begun(const std::string& id, const std::string& run) {
  return change([&](QueueContent& content) -> Result<void> {
    const auto entry = find(content, id);
    if (entry == content.entries.end()) return gone(id);
    entry->run = run;
    return {};
  });
}

Result<void> RunQueue::ended(const std::string& id, RunStatus status, const std::string& reason) {
  return change([&](QueueContent& content) -> Result<void> {
    const auto entry = find(content, id);
    if (entry == content.entries.end()) return gone(id);
    entry->status = status;
    entry->reason = reason;
    holdAfter(*entry, content);
    return {};
  });
}

}  // namespace batchwise
