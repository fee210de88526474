// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/launched_run.h"

#include <algorithm>

#include "core/events/waiting_notes.h"
#include "core/store/records.h"
#include "ui/models/display_text.h"

namespace batchwise {
namespace {

constexpr int kFreePollMs = 20;

double share(const DeviceMemory& device) {
  return device.total > 0 ? static_cast<double>(device.peak) / static_cast<double>(device.total) : 0.0;
}

}  // namespace

TrainingState stateOfStoredRun(const RunSummary& run) {
  TrainingState state;
  state.phase = run.paused ? RunPhase::Paused : RunPhase::Training;
  state.place = LaunchTarget::OwnProcess;
  state.run = toQt(run.id);
  state.name = toQt(run.name);
  state.activity =
      run.paused ? LaunchedRun::tr("Paused in another process") : LaunchedRun::tr("Training in another process");
  state.batches = run.at.batch;
  state.plannedBatches = run.plannedBatches;
  if (!run.paused) state.tokensPerSec = run.tokensPerSec;
  return state;
}

LaunchedRun::LaunchedRun(const ControllerFactory& factory, LaunchTarget place, const Clock& clock, QObject* parent)
    : QObject(parent), controller_(factory(place, bridge_)), clock_(clock) {
  state_.place = place;
  connect(&bridge_, &RunBridge::arrived, this, &LaunchedRun::take);
  freeTimer_.setInterval(kFreePollMs);
  connect(&freeTimer_, &QTimer::timeout, this, &LaunchedRun::finishWhenFree);
}

LaunchedRun::~LaunchedRun() = default;

Result<void> LaunchedRun::start(const LaunchRequest& request) {
  state_.phase = RunPhase::Starting;
  workspace_ = request.workspace;
  LaunchRequest own = request;
  // Assign the run id before the job is submitted, so that the job is never mistaken for another run.
  if (state_.place == LaunchTarget::Slurm && request.resumeRun.empty()) own.runId = newRecordId();
  expectedRun_ = toQt(!own.runId.empty() ? own.runId : request.fork ? std::string() : request.resumeRun);
  state_.activity = state_.place == LaunchTarget::OwnProcess ? tr("Starting its process")
                    : state_.place == LaunchTarget::Slurm    ? tr("Submitting to Slurm")
                    : state_.place == LaunchTarget::SlurmJob ? tr("In the queue of Slurm")
                                                             : tr("Loading the trainer");
  state_.name = toQt(request.config.config.name);
  return controller_->start(own);
}

void LaunchedRun::command(RunCommand command) {
  if (state_.phase == RunPhase::Idle) return;
  if (endsRun(command) && state_.phase != RunPhase::Stopping) {
    state_.phase = RunPhase::Stopping;
    state_.activity = tr("Stopping");
    state_.activityDone = state_.activityTotal = 0;
    state_.secondsLeft.reset();
  }
  controller_->command(command);
  Q_EMIT changed();
}

void LaunchedRun::take(const std::vector<RunEvent>& events) {
  const double now = clock_.monotonicSec();
  for (const RunEvent& event : events) {
    progress_.update(event, now);
    std::visit([this](const auto& e) { apply(e); }, event);
  }
  const bool trains = state_.phase == RunPhase::Training && state_.blockedReason.isEmpty();
  state_.secondsLeft = trains ? progress_.etaSec() : std::nullopt;
  Q_EMIT eventsArrived(events);
  Q_EMIT changed();
}

void LaunchedRun::apply(const RunStarted& event) {
  state_.run = toQt(event.run);
  state_.name = toQt(event.name);
  state_.batches = event.from.batch;
  state_.plannedBatches = event.plannedBatches;
  Q_EMIT started();
}

void LaunchedRun::apply(const PhaseProgress& event) {
  if (state_.phase != RunPhase::Stopping) state_.activity = sentenceCase(coreText(event.phase));
  state_.activityDone = event.done;
  state_.activityTotal = event.total;
}

void LaunchedRun::apply(const MetricsRow& event) {
  if (state_.phase == RunPhase::Starting) state_.phase = RunPhase::Training;
  if (state_.phase == RunPhase::Training) state_.activity = tr("Training");
  setBlockedReason({});
  state_.activityDone = state_.activityTotal = 0;
  state_.batches = event.at.batch;
  state_.tokensPerSec = event.tokensPerSec;
  const auto fullest =
      std::max_element(event.devices.begin(), event.devices.end(),
                       [](const DeviceMemory& a, const DeviceMemory& b) { return share(a) < share(b); });
  if (fullest != event.devices.end()) state_.fullestDevice = *fullest;
}

void LaunchedRun::setBlockedReason(const QString& why) {
  if (state_.blockedReason == why) return;
  state_.blockedReason = why;
  if (state_.phase == RunPhase::Training) state_.activity = why.isEmpty() ? tr("Training") : tr("Waiting");
  if (state_.phase == RunPhase::Stopping) state_.activity = why.isEmpty() ? tr("Stopping") : tr("Waiting");
  if (!why.isEmpty()) state_.tokensPerSec.reset();
  Q_EMIT blockedChanged(why);
}

void LaunchedRun::apply(const RunNote& event) {
  if (!outcome_ && event.level == NoteLevel::Error) {
    const QString text = sentenceCase(coreText(event.text));
    if (reportsWaiting(event))
      setBlockedReason(text);
    else
      Q_EMIT errorOccurred(text);
  }
  if (reportsResumed(event)) setBlockedReason({});
  if (!event.paused) return;
  if (*event.paused && state_.phase != RunPhase::Stopping) {
    state_.phase = RunPhase::Paused;
    state_.activity = tr("Paused");
    state_.tokensPerSec.reset();
  } else if (!*event.paused && state_.phase == RunPhase::Paused) {
    state_.phase = RunPhase::Training;
    state_.activity = tr("Training");
  }
}

void LaunchedRun::apply(const RunFinished& event) {
  setBlockedReason({});
  outcome_ = event;
  freeTimer_.start();
}

void LaunchedRun::finishWhenFree() {
  if (controller_->running() || !outcome_) return;
  freeTimer_.stop();
  const RunFinished outcome = *std::exchange(outcome_, std::nullopt);
  state_.phase = RunPhase::Idle;
  state_.secondsLeft.reset();
  state_.tokensPerSec.reset();
  Q_EMIT changed();
  Q_EMIT finished(outcome);
}

}  // namespace batchwise
