// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run_queue.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/json_number.h"
#include "core/base/strict_json.h"
#include "core/run/launch_request_text.h"
#include "core/store/checkpoints/checkpoint_order.h"
#include "core/store/file_lock.h"
#include "core/store/journal/journal_run.h"

namespace batchwise {
namespace {

using nlohmann::json;

constexpr const char* kSetting = "queue";
constexpr const char* kQueueSchema = "batchwise.queue/1";
constexpr const char* kFromOlderVersion = "it was interrupted before this version; `batchwise resume` goes on with it";

json toJson(const QueueEntry& entry) {
  return {{"id", entry.id},
          {"name", entry.name},
          {"request", requestToText(entry.request)},
          {"status", std::string(runStatusName(entry.status))},
          {"run", entry.run},
          {"reason", entry.reason},
          {"segments", entry.segments},
          {"not_resumed", entry.runMissing ? std::string() : entry.notResumed},
          {"resumed_by_hand", entry.byHandOnly},
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
  entry.segments = object.value("segments", entry.segments);
  entry.notResumed = object.value("not_resumed", entry.notResumed);
  const bool hadTurn = entry.status == RunStatus::Interrupted || entry.status == RunStatus::Running;
  const bool fromOlderVersion = !object.contains("not_resumed") && hadTurn && !entry.run.empty();
  entry.byHandOnly = object.value("resumed_by_hand", false) || fromOlderVersion;
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
                       {"held_by", content.heldBy},
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
  content.heldBy = object.value("held_by", content.heldBy);
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
  content.heldBy = entry.id;
  content.held = "run " + entry.name +
                 (stopped                             ? " was stopped"
                  : entry.status == RunStatus::Failed ? " has failed"
                                                      : " was interrupted");
}

/// What the store has of the run of an entry; nothing if it does not know one, as before a journal was taken in.
Result<std::optional<RunDetail>> storedRun(const Workspace& workspace, const QueueEntry& entry) {
  if (entry.run.empty()) return std::optional<RunDetail>();
  auto run = workspace.findRun(entry.run);
  if (run.ok()) return std::optional(std::move(*run));
  if (run.error().code != ErrorCode::NotFound) return run.error();
  return std::optional<RunDetail>();
}

void setRunMissing(QueueEntry& entry, std::string why) {
  entry.runMissing = true;
  entry.notResumed = std::move(why);
}

/// The entry's run cannot be read: the queue cannot resume it. While the program that took it lives, it trains.
void settleUnreadable(const Error& error, QueueEntry& entry, QueueContent& content) {
  const bool hadTurn = entry.status == RunStatus::Running;
  if (hadTurn && livenessOf(entry.taker) != Liveness::Dead) return;
  if (hadTurn || (entry.status == RunStatus::Created && entry.segments > 0)) entry.status = RunStatus::Interrupted;
  if (hadTurn) holdAfter(entry, content);
  setRunMissing(entry, "its run cannot be read: " + error.text());
}

/// The store does not know the entry's run: the queue does not resume it.
void settleUnknown(const Workspace& workspace, QueueEntry& entry) {
  const bool turnGivenBack = entry.status == RunStatus::Created && entry.segments > 0;
  if (entry.run.empty() || (entry.status != RunStatus::Interrupted && !turnGivenBack)) return;
  entry.status = RunStatus::Interrupted;
  std::error_code ignored;
  const bool hasJournal = std::filesystem::exists(journalFile(workspace.folder(), entry.run), ignored);
  setRunMissing(entry,
                hasJournal ? "its run is in a journal only; `batchwise runs sync` takes it in" : "its run was deleted");
}

/// The state of an entry that has had its turn, or has it: that of its run. Whoever took it may have died, or could not
/// tell the queue any more.
void settle(const Workspace& workspace, QueueEntry& entry, QueueContent& content) {
  const auto run = storedRun(workspace, entry);
  if (!run.ok()) return settleUnreadable(run.error(), entry, content);
  const bool hadTurn = entry.status == RunStatus::Running;
  const bool begun = *run && static_cast<std::int64_t>((*run)->segments.size()) > entry.segments;
  if (hadTurn && !begun) {
    if (livenessOf(entry.taker) != Liveness::Dead) return;
    entry.status = RunStatus::Created;
    if (!*run && entry.segments == 0) entry.run.clear();
  }
  if (!*run) return settleUnknown(workspace, entry);
  if ((*run)->summary.status == RunStatus::Created) return;
  entry.status = (*run)->summary.status;
  entry.reason = (*run)->summary.reason;
  if (hadTurn && begun && hasEnded(entry.status)) holdAfter(entry, content);
}

/// An entry that only a person resumes is like any other once a person has resumed it.
void settleByHandOnly(QueueEntry& entry) {
  if (!entry.byHandOnly || entry.runMissing) return;
  entry.byHandOnly = entry.status == RunStatus::Interrupted;
  entry.notResumed = entry.byHandOnly ? kFromOlderVersion : "";
}

/// Trouble with one entry is that entry's; the queue can be read all the same.
void settle(const Workspace& workspace, QueueContent& content) {
  for (QueueEntry& entry : content.entries) {
    if (entry.status == RunStatus::Finished) continue;
    settle(workspace, entry, content);
    settleByHandOnly(entry);
  }
  if (content.heldBy.empty()) return;
  const auto holder = std::find_if(content.entries.begin(), content.entries.end(),
                                   [&content](const QueueEntry& entry) { return entry.id == content.heldBy; });
  const bool goesOn =
      holder == content.entries.end() || holder->status == RunStatus::Finished || holder->status == RunStatus::Running;
  if (goesOn) content.held = content.heldBy = "";
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
  if (!content.ok()) return content;
  settle(*workspace_, *content);
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

Result<void> RunQueue::release() {
  return change([](QueueContent& content) -> Result<void> {
    content.held = content.heldBy = "";
    for (QueueEntry& entry : content.entries)
      if (!entry.byHandOnly) entry.notResumed.clear();
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
  const Result<void> changed = change([&](QueueContent& content) -> Result<void> {
    LaunchRequest request;
    auto next = nextOf(content, turn);
    for (; next != content.entries.end(); next = nextOf(content, turn)) {
      request = next->request;
      if (!next->resumes()) break;
      const auto prepared = prepareResume(*next, request);
      if (prepared.ok()) break;
      next->notResumed = "it cannot be resumed: " + prepared.error().text();  // so that the ones behind get their turns
    }
    if (next == content.entries.end()) return {};
    next->status = RunStatus::Running;
    next->taker = currentProcess();
    turn.entry = *next;
    turn.entry->request = std::move(request);
    return {};
  });
  if (!changed.ok()) return changed.error();
  return turn;
}

Result<void> RunQueue::prepareResume(QueueEntry& entry, LaunchRequest& request) const {
  const auto run = workspace_->findRun(entry.run);
  if (!run.ok()) return run.error();
  const auto checkpoints = workspace_->checkpoints(entry.run);
  if (!checkpoints.ok()) return checkpoints.error();
  entry.segments = static_cast<std::int64_t>(run->segments.size());
  entry.notResumed = "the queue has resumed it once already; it does so again when it is started again";
  if (resumeOrder(run->segments, *checkpoints).empty()) {
    request.runId = entry.run;
    return {};
  }
  request.resumeRun = entry.run;
  request.config = parseConfigWith(run->configYaml, "run " + run->summary.name, {}, {});
  return {};
}

Result<void> RunQueue::giveBack(const std::string& id) {
  return change([&](QueueContent& content) -> Result<void> {
    const auto entry = find(content, id);
    if (entry == content.entries.end()) return gone(id);
    const auto run = storedRun(*workspace_, *entry);
    if (!run.ok()) return run.error();
    const bool begun =
        *run ? static_cast<std::int64_t>((*run)->segments.size()) > entry->segments : !entry->run.empty();
    if (entry->status != RunStatus::Running || begun)
      return Error::internal("only an entry whose run has not begun can be given back");
    entry->status = RunStatus::Created;  // or what its run was
    entry->notResumed.clear();
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
    const auto stored = storedRun(*workspace_, *entry);
    const auto run = stored.ok() ? *stored : std::optional<RunDetail>();  // what cannot be read says nothing else
    const bool wasResumed = run && entry->segments > 0;
    if (wasResumed && static_cast<std::int64_t>(run->segments.size()) == entry->segments) {
      entry->status = run->summary.status;  // of before: the resume did not begin
      entry->notResumed = reason;
    } else if (entry->status == RunStatus::Running || !run) {
      entry->status = status;
      entry->reason = reason;
    }
    holdAfter(*entry, content);
    return {};
  });
}

}  // namespace batchwise
