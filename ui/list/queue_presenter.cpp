// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/queue_presenter.h"

#include <QtCore/QTimer>
#include <algorithm>

#include "core/base/result.h"
#include "core/run/launch/run_store.h"
#include "core/run/launch/study.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr int kAgainMs = 1000;

}  // namespace

QueuePresenter::QueuePresenter(WorkspacePresenter& workspace, RunPresenter& run, const StudioSettings& settings,
                               QObject* parent)
    : QObject(parent), workspace_(workspace), run_(run), settings_(settings) {
  connect(&workspace_, &WorkspacePresenter::opened, this, [this] {
    started_ = false;
    content_ = {};
    reportedError_ = {};
    model_.update({});
    Q_EMIT changed();
  });
  connect(&workspace_, &WorkspacePresenter::refreshed, this, &QueuePresenter::read);
  connect(&run_, &RunPresenter::finished, this, [this](const TrainingState& state, const RunFinished& outcome) {
    if (const auto ended = launched_.extract(state.ticket); !ended.empty())
      recordEnd(ended.mapped(), state.ticket.toStdString(), outcome);
  });
  connect(&run_, &RunPresenter::eventsArrived, this, [this](const QString& id, const std::vector<RunEvent>& events) {
    for (const RunEvent& event : events)
      if (const auto* found = std::get_if<EvalResult>(&event)) stopIfUnneeded(id, *found);
  });
}

bool QueuePresenter::waits(const QString& run) const {
  return std::ranges::any_of(
      content_.entries, [id = run.toStdString()](const QueueEntry& entry) { return entry.id == id && entry.waits(); });
}

void QueuePresenter::read() {
  if (!workspace_.workspace() || reading_) return;
  reading_ = true;
  workspace_.tasks().post(
      this, [workspace = workspace_.workspace()] { return RunQueue(workspace).read(); },
      [this, of = workspace_.workspace(), starts = starts_](const Result<QueueContent>& content) {
        reading_ = false;
        if (starts != starts_) return read();  // the result is older than start() and may still be held
        if (of == workspace_.workspace()) receive(content);
      });
}

void QueuePresenter::receive(const Result<QueueContent>& content) {
  if (!content.ok()) return reportOnce(content.error());
  content_ = *content;
  model_.update(content_.entries);
  if (!content_.held.empty()) started_ = false;
  Q_EMIT changed();
  launchNext();
}

void QueuePresenter::reportOnce(const Error& error) {
  if (std::exchange(reportedError_, error.text()) != reportedError_) Q_EMIT failed(toQt(reportedError_));
}

void QueuePresenter::launchNext() {
  const bool trains = run_.busyOnThisMachine() || workspace_.anyLocalRunTraining();
  if (!isStarted() || trains || dequeuing_ || waiting() == 0) return;
  dequeuing_ = true;
  workspace_.tasks().post(
      this, [workspace = workspace_.workspace()] { return RunQueue(workspace).takeNext(); },
      [this, of = workspace_.workspace()](const Result<QueueTurn>& turn) {
        dequeuing_ = false;
        if (!turn.ok())
          reportOnce(turn.error());                          // looked at again by the next read
        else if (turn->run && of == workspace_.workspace())  // else the lock goes, and the run waits again
          launch(*turn);
      });
}

void QueuePresenter::launch(const QueueTurn& turn) {
  const RunLocation place =
      settings_.launchTarget() == QLatin1String("process") ? RunLocation::OwnProcess : RunLocation::ThisProcess;
  const QString run = toQt(turn.run->summary.id);
  launched_[run] = {workspace_.workspace(), turn.lock};
  if (run_.launch(requestOf(turn, workspace_.workspace()->folder()), place, run)) return;
  launched_.erase(run);
  change([id = turn.run->summary.id](RunQueue& queue) {
    return queue.ended(id, RunStatus::Failed, "the run could not be started");
  });
}

void QueuePresenter::recordEnd(const Launched& launched, const std::string& run, const RunFinished& outcome) {
  workspace_.tasks().post(
      this,
      [launched, run, outcome]() -> Result<void> {
        using enum RunQueue::AfterFailure;
        RunQueue queue(launched.workspace);
        const bool isUnneeded = outcome.cause == FailureCause::Unneeded;
        RETURN_IF_ERROR(queue.ended(run, outcome.status, outcome.reason, isUnneeded ? GoOn : Default));
        return isUnneeded ? queue.remove(run) : Result<void>();
      },
      [this, launched, run, outcome](const Result<void>& done) {
        if (!done.ok()) reportOnce(done.error());
        if (!done.ok() && isTransient(done.error()))
          QTimer::singleShot(kAgainMs, this, [this, launched, run, outcome] { recordEnd(launched, run, outcome); });
        read();
      },
      TaskQueue::AtEnd::Run);
}

void QueuePresenter::stopIfUnneeded(const QString& run, const EvalResult& result) {
  const auto launched = launched_.find(run);
  if (launched == launched_.end()) return;
  workspace_.tasks().post(
      this,
      [workspace = launched->second.workspace, run = run.toStdString(), result] {
        return isStillNeeded(workspace, run, result);
      },
      [this, run](bool isNeeded) {
        if (!isNeeded && launched_.contains(run)) run_.command(run, RunCommand::StopUnneeded);
      });
}

void QueuePresenter::change(Change change) {
  if (!workspace_.workspace()) return;
  workspace_.tasks().post(
      this,
      [workspace = workspace_.workspace(), change = std::move(change)] {
        RunQueue queue(workspace);
        return change(queue);
      },
      [this](const Result<void>& done) {
        if (!done.ok()) Q_EMIT failed(toQt(done.error().text()));
        read();
      },
      TaskQueue::AtEnd::Run);
}

void QueuePresenter::add(const std::vector<LoadedConfig>& runs) {
  addMade([runs](const auto&) { return Result(MoreSeeds{runs, {}}); });
}

void QueuePresenter::addSeeds(const QStringList& runs) {
  addMade([ids = fromQt(runs)](const auto& workspace) { return runsOfMoreSeeds(workspace, ids, 0); });
}

void QueuePresenter::addMade(const MakeRuns& make) {
  if (!workspace_.workspace()) return;
  workspace_.tasks().post(
      this,
      [workspace = workspace_.workspace(), make]() -> Result<std::pair<QStringList, QStringList>> {
        ASSIGN_OR_RETURN(const auto made, make(workspace));
        ASSIGN_OR_RETURN(const auto ids, RunQueue(workspace).add(made.runs));
        return std::pair(toQt(ids), toQt(made.of));
      },
      [this, of = workspace_.workspace()](const Result<std::pair<QStringList, QStringList>>& runs) {
        read();
        if (!runs.ok()) return Q_EMIT failed(toQt(runs.error().text()));
        Q_EMIT added(runs->first);
        if (!runs->second.isEmpty() && of == workspace_.workspace()) Q_EMIT seedsAdded(runs->first, runs->second);
      },
      TaskQueue::AtEnd::Run);
}

void QueuePresenter::removeWaiting(const QStringList& runs) {
  change([runs](RunQueue& queue) -> Result<void> {
    ASSIGN_OR_RETURN(const auto content, queue.read());
    for (const QueueEntry& entry : content.entries) {
      if (!entry.waits() || !runs.contains(toQt(entry.id))) continue;
      auto removed = queue.remove(entry.id);
      const bool isLeft =
          !removed.ok() && removed.error().code != ErrorCode::Busy && removed.error().code != ErrorCode::NotFound;
      if (isLeft) return removed;
    }
    return {};
  });
}

void QueuePresenter::move(const QString& run, int steps) {
  change([run = run.toStdString(), steps](RunQueue& queue) { return queue.moveBy(run, steps); });
}

void QueuePresenter::setContinueOnError(bool on) {
  if (on != content_.continueOnError) change([on](RunQueue& queue) { return queue.setContinueOnError(on); });
}

void QueuePresenter::start() {
  if (!mayStart_()) return;
  started_ = true;
  ++starts_;
  content_.held = {};
  change([](RunQueue& queue) { return queue.release(); });
  Q_EMIT changed();
}

void QueuePresenter::pause() {
  started_ = false;
  Q_EMIT changed();
}

}  // namespace batchwise
