// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run_queue.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/result.h"
#include "core/config/sweep.h"
#include "core/run/launch_request_text.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/file_lock.h"
#include "core/store/journal/journal.h"
#include "core/store/texts.h"

namespace batchwise {
namespace {

using nlohmann::json;

constexpr const char* kSetting = "queue";
constexpr const char* kQueueSchema = "batchwise.queue/1";

json toJson(const QueueEntry& entry) {
  json object = {{"id", entry.id},
                 {"name", entry.name},
                 {"request", requestToText(entry.request)},
                 {"status", std::string(choiceName(entry.status))},
                 {"run", entry.run},
                 {"segments", entry.segments},
                 {"taker",
                  {{"host", entry.taker.host},
                   {"system", entry.taker.system},
                   {"process", entry.taker.processId},
                   {"started", entry.taker.startTicks}}}};
  object["reason"] = entry.reason;
  object["not_resumed"] = entry.runMissing ? std::string() : entry.notResumed;
  return object;
}

Result<QueueEntry> entryFrom(const json& object) {
  QueueEntry entry;
  entry.id = object.at("id").get<std::string>();
  entry.name = object.at("name").get<std::string>();
  ASSIGN_OR_RETURN(auto request, requestFromText(object.at("request").get<std::string>()));
  entry.request = std::move(request);
  const auto status = choiceFromName<RunStatus>(object.at("status").get<std::string>());
  if (!status) return Error::corrupt("an entry of the queue has an unknown status");
  entry.status = *status;
  entry.run = object.at("run").get<std::string>();
  entry.reason = object.value("reason", std::string());
  entry.segments = object.value("segments", entry.segments);
  entry.notResumed = object.value("not_resumed", std::string());
  const json& taker = object.at("taker");
  const auto process = wholeNumberFromJson(taker.at("process"));
  const auto started = wholeNumberFromJson(taker.at("started"));
  if (!process || !started) return Error::corrupt("an entry of the queue has an unknown process");
  entry.taker = {taker.at("host").get<std::string>(), taker.at("system").get<std::string>(), *process, *started};
  return entry;
}

std::string textOf(const QueueContent& content) {
  json entries = json::array();
  for (const QueueEntry& entry : content.entries) entries.push_back(toJson(entry));
  json object = {{"schema", kQueueSchema},
                 {"continue_on_error", content.continueOnError},
                 {"held_by", content.heldBy},
                 {"entries", entries}};
  object["held"] = content.held;
  return jsonText(object);
}

Result<QueueContent> contentFrom(const std::string& text) try {
  QueueContent content;
  const auto parsed = parseJson(text);
  if (!parsed.ok()) return parsed.error().within("the queue of this workspace");
  const json& object = *parsed;
  if (object.at("schema").get<std::string>() != kQueueSchema)
    return Error::unsupported("the queue of this workspace was written by a newer version; use a newer Batchwise");
  content.continueOnError = object.at("continue_on_error").get<bool>();
  content.held = object.value("held", std::string());
  content.heldBy = object.value("held_by", content.heldBy);
  for (const json& each : object.at("entries")) {
    ASSIGN_OR_RETURN(auto entry, entryFrom(each));
    content.entries.push_back(std::move(entry));
  }
  return content;
} catch (const json::exception& error) {
  return Error::corrupt(formatText("the queue of this workspace cannot be read: {}", error.what()));
}

Result<QueueContent> readContent(const Workspace& workspace) {
  ASSIGN_OR_RETURN(const auto text, workspace.setting(kSetting));
  return text ? contentFrom(*text) : QueueContent();
}

bool hasEnded(RunStatus status) {
  return status != RunStatus::Created && status != RunStatus::Running;
}

void releaseHold(QueueContent& content) {
  content.held = {};
  content.heldBy.clear();
}

void holdAfter(const QueueEntry& entry, QueueContent& content) {
  const bool stopped = entry.status == RunStatus::Stopped;
  if (entry.status == RunStatus::Finished || (content.continueOnError && !stopped)) return;
  content.heldBy = entry.id;
  content.held = stopped                             ? formatText("run {} was stopped", entry.name)
                 : entry.status == RunStatus::Failed ? formatText("run {} has failed", entry.name)
                                                     : formatText("run {} was interrupted", entry.name);
}

/// Returns the run of an entry; nothing if the store does not have it, such as before its journal was imported.
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

/// Whether the process that took the entry has ended. A workspace is open on one machine only, so the processes of
/// another boot ended with it, as after a loss of power.
bool takerIsGone(const QueueEntry& entry) {
  return livenessOf(entry.taker) == Liveness::Dead || isOfAnotherBoot(entry.taker);
}

/// Updates an entry whose run cannot be read, so that the queue does not resume it. Unchanged while its process lives.
void reconcileUnreadable(const Error& error, QueueEntry& entry, QueueContent& content) {
  const bool wasRunning = entry.status == RunStatus::Running;
  if (wasRunning && !takerIsGone(entry)) return;
  if (wasRunning || (entry.status == RunStatus::Created && entry.segments > 0)) entry.status = RunStatus::Interrupted;
  if (wasRunning) holdAfter(entry, content);
  setRunMissing(entry, formatText("its run cannot be read: {}", error.text()));
}

/// Updates an entry whose run is not in the store, so that the queue does not resume it.
void reconcileMissing(const Workspace& workspace, QueueEntry& entry) {
  const bool wasRequeued = entry.status == RunStatus::Created && entry.segments > 0;
  if (entry.run.empty() || (entry.status != RunStatus::Interrupted && !wasRequeued)) return;
  entry.status = RunStatus::Interrupted;
  std::error_code ignored;
  const bool hasJournal = std::filesystem::exists(journalFile(workspace.folder(), entry.run), ignored);
  setRunMissing(entry, hasJournal ? "its run is recorded in a journal only; `batchwise runs sync` imports it"
                                  : "its run was deleted");
}

/// Updates an entry from its run in the store, because its process may have died or failed to report to the queue.
void reconcile(const Workspace& workspace, QueueEntry& entry, QueueContent& content) {
  const auto run = storedRun(workspace, entry);
  if (!run.ok()) return reconcileUnreadable(run.error(), entry, content);
  const bool wasRunning = entry.status == RunStatus::Running;
  const bool started = *run && static_cast<std::int64_t>((*run)->segments.size()) > entry.segments;
  if (wasRunning && !started) {
    if (!takerIsGone(entry)) return;
    entry.status = RunStatus::Created;
    if (!*run && entry.segments == 0) entry.run.clear();
  }
  if (!*run) return reconcileMissing(workspace, entry);
  if ((*run)->summary.status == RunStatus::Created) return;
  entry.status = (*run)->summary.status;
  entry.reason = (*run)->summary.reason;
  if (wasRunning && started && hasEnded(entry.status)) holdAfter(entry, content);
}

/// Updates all entries; a problem with one does not keep the queue from being read.
void reconcile(const Workspace& workspace, QueueContent& content) {
  for (QueueEntry& entry : content.entries) {
    if (entry.status == RunStatus::Finished) continue;
    reconcile(workspace, entry, content);
  }
  if (content.heldBy.empty()) return;
  const auto holder = std::ranges::find(content.entries, content.heldBy, &QueueEntry::id);
  const bool holderContinues =
      holder == content.entries.end() || holder->status == RunStatus::Finished || holder->status == RunStatus::Running;
  if (holderContinues) releaseHold(content);
}

}  // namespace

std::int64_t QueueContent::waiting() const {
  return std::ranges::count_if(entries, &QueueEntry::waits);
}

Result<QueueContent> RunQueue::read() const {
  auto content = reconciled();
  if (!content.ok()) return content;
  // A resumed run keeps it in the store for the case that it is interrupted again.
  for (QueueEntry& entry : content->entries)
    if (entry.status != RunStatus::Interrupted && !entry.runMissing) entry.notResumed = {};
  return content;
}

Result<QueueContent> RunQueue::reconciled() const {
  auto content = readContent(*workspace_);
  if (content.ok()) reconcile(*workspace_, *content);
  return content;
}

template <typename Change>
Result<void> RunQueue::change(const Change& change) const {
  ASSIGN_OR_RETURN(const auto lock, FileLock::open(workspace_->folder() / "queue.lock"));
  ASSIGN_OR_RETURN(const auto held, lock.acquire());
  ASSIGN_OR_RETURN(auto content, reconciled());
  RETURN_IF_ERROR(change(content));
  return workspace_->saveSetting(kSetting, textOf(content));
}

template <typename Change>
Result<void> RunQueue::changeEntry(const std::string& id, const Change& change) const {
  return this->change([&](QueueContent& content) -> Result<void> {
    const auto entry = std::ranges::find(content.entries, id, &QueueEntry::id);
    if (entry == content.entries.end())
      return Error::notFound(formatText("there is no entry '{}' in the queue; batchwise queue list shows them", id));
    return change(content, entry);
  });
}

Result<std::vector<std::string>> RunQueue::add(const std::vector<LoadedConfig>& runs) {
  for (const LoadedConfig& run : runs)
    if (!run.ok()) return Error::config(run.errorText());
  std::vector<std::string> ids;
  RETURN_IF_ERROR(change([&](QueueContent& content) -> Result<void> {
    ids.clear();
    for (const LoadedConfig& run : runs) {
      QueueEntry entry;
      entry.id = ids.emplace_back(newRecordId());
      entry.name = runName(run.config);
      entry.request.workspace = workspace_->folder();
      entry.request.config = run;
      content.entries.push_back(std::move(entry));
    }
    return {};
  }));
  return ids;
}

Result<void> RunQueue::remove(const std::string& id) {
  return changeEntry(id, [&](QueueContent& content, auto entry) -> Result<void> {
    if (entry->status == RunStatus::Running)
      return Error{ErrorCode::Busy, formatText("run {} is training; stop it first", entry->name), {}};
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

namespace {

/// Moves `found` to `place` among the entries that wait.
Result<void> moveEntry(QueueContent& content, std::vector<QueueEntry>::iterator found, std::int64_t place) {
  if (!found->waits()) return Error::config(formatText("run {} is no longer waiting", found->name));
  QueueEntry entry = std::move(*found);
  content.entries.erase(found);
  auto at = content.entries.begin();
  for (std::int64_t before = 0; at != content.entries.end(); ++at) {
    if (!at->waits()) continue;
    if (before++ >= place) break;
  }
  content.entries.insert(at, std::move(entry));
  return {};
}

}  // namespace

Result<void> RunQueue::move(const std::string& id, std::int64_t place) {
  return changeEntry(id, [&](QueueContent& content, auto found) { return moveEntry(content, found, place); });
}

Result<void> RunQueue::moveBy(const std::string& id, std::int64_t steps) {
  return changeEntry(id, [&](QueueContent& content, auto found) {
    const std::int64_t place = std::count_if(content.entries.begin(), found, std::mem_fn(&QueueEntry::waits));
    return moveEntry(content, found, place + steps);
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
    releaseHold(content);
    for (QueueEntry& entry : content.entries) entry.notResumed = {};
    return {};
  });
}

namespace {

/// Returns the next entry to train, or end() with the reason in `turn`.
std::vector<QueueEntry>::iterator nextOf(QueueContent& content, QueueTurn& turn) {
  turn.held = content.held;
  turn.busy = std::ranges::find(content.entries, RunStatus::Running, &QueueEntry::status) != content.entries.end();
  if (turn.busy || !turn.held.empty()) return content.entries.end();
  return std::ranges::find_if(content.entries, &QueueEntry::waits);
}

}  // namespace

Result<QueueTurn> RunQueue::takeNext() {
  QueueTurn turn;
  ASSIGN_OR_RETURN(auto seen, read());  // polled often: write nothing while no entry can be taken
  if (nextOf(seen, turn) == seen.entries.end()) return turn;
  RETURN_IF_ERROR(change([&](QueueContent& content) -> Result<void> {
    LaunchRequest request;
    auto next = nextOf(content, turn);
    for (; next != content.entries.end(); next = nextOf(content, turn)) {
      request = next->request;
      if (!next->resumes()) break;
      const auto prepared = prepareResume(*next, request);
      if (prepared.ok()) break;
      next->notResumed =
          formatText("it cannot be resumed: {}", prepared.error().text());  // so that later entries can run
    }
    if (next == content.entries.end()) return {};
    next->status = RunStatus::Running;
    next->taker = currentProcess();
    turn.entry = *next;
    turn.entry->request = std::move(request);
    return {};
  }));
  return turn;
}

Result<void> RunQueue::prepareResume(QueueEntry& entry, LaunchRequest& request) const {
  ASSIGN_OR_RETURN(const auto run, workspace_->findRun(entry.run));
  ASSIGN_OR_RETURN(const auto checkpoints, workspace_->checkpoints(entry.run));
  entry.segments = static_cast<std::int64_t>(run.segments.size());
  entry.notResumed =
      "the queue has already resumed this run once; it does so again when you start the queue, or resume the run "
      "yourself";
  if (resumeOrder(run.segments, checkpoints).empty()) {
    request.runId = entry.run;
    return {};
  }
  request.resumeRun = entry.run;
  request.config = parseConfig(run.configYaml, runContextText(run.summary.name), {}, {});
  return {};
}

Result<void> RunQueue::requeue(const std::string& id) {
  return changeEntry(id, [&](QueueContent&, auto entry) -> Result<void> {
    ASSIGN_OR_RETURN(const auto run, storedRun(*workspace_, *entry));
    const bool started = run ? std::ssize(run->segments) > entry->segments : !entry->run.empty();
    if (entry->status != RunStatus::Running || started)
      return Error::internal("only an entry whose run has not started can be returned");
    entry->status = RunStatus::Created;  // read() replaces it by the status of the run, if there is one
    entry->notResumed = {};
    return {};
  });
}

Result<void> RunQueue::started(const std::string& id, const std::string& run) {
  return changeEntry(id, [&](QueueContent&, auto entry) -> Result<void> {
    entry->run = run;
    return {};
  });
}

Result<void> RunQueue::ended(const std::string& id, RunStatus status, const std::string& reason) {
  return changeEntry(id, [&](QueueContent& content, auto entry) -> Result<void> {
    const auto stored = storedRun(*workspace_, *entry);
    const auto run = stored.ok() ? *stored : std::optional<RunDetail>();  // if the store is unreadable, `status` counts
    const bool wasResumed = run && entry->segments > 0;
    if (wasResumed && static_cast<std::int64_t>(run->segments.size()) == entry->segments) {
      entry->status = run->summary.status;  // of before, as the resume did not start
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
