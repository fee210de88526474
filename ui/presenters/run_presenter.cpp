// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/run_presenter.h"

#include <algorithm>

#include "ui/models/words.h"

namespace batchwise {
namespace {

constexpr int kFreePollMs = 20;

double share(const DeviceMemory& device) {
  return device.total > 0 ? static_cast<double>(device.peak) / static_cast<double>(device.total) : 0.0;
}

}  // namespace

RunPresenter::RunPresenter(ControllerFactory factory, const Clock& clock, QObject* parent)
    : QObject(parent), factory_(std::move(factory)), clock_(clock) {
  connect(&bridge_, &RunBridge::arrived, this, &RunPresenter::take);
  freeTimer_.setInterval(kFreePollMs);
  connect(&freeTimer_, &QTimer::timeout, this, &RunPresenter::finishWhenFree);
}

RunPresenter::~RunPresenter() = default;

void RunPresenter::launch(const LaunchRequest& request) {
  if (busy()) {
    Q_EMIT failed(tr("A run is training here. Stop it first, or start another one from the command line"));
    return;
  }
  if (!controller_) controller_ = factory_(bridge_);
  outcome_.reset();
  pace_ = {};
  progress_ = {};
  progress_.phase = RunPhase::Starting;
  progress_.activity = tr("Loading the trainer");
  progress_.name = toQt(request.config.config.name);
  if (const auto begun = controller_->start(request); !begun.ok()) {
    progress_ = {};
    Q_EMIT progressChanged();
    Q_EMIT failed(toQt(begun.error().text()));
    return;
  }
  Q_EMIT progressChanged();
}

void RunPresenter::stopAndSave() {
  if (!busy() || progress_.phase == RunPhase::Stopping) return;
  progress_.phase = RunPhase::Stopping;
  progress_.activity = tr("Stopping");
  progress_.activityDone = progress_.activityTotal = 0;
  progress_.secondsLeft.reset();
  controller_->command(RunCommand::StopWithCheckpoint);
  Q_EMIT progressChanged();
}

void RunPresenter::take(const std::vector<RunEvent>& events) {
  const double now = clock_.monotonicSec();
  for (const RunEvent& event : events) {
    pace_.take(event, now);
    std::visit([this](const auto& e) { apply(e); }, event);
  }
  progress_.secondsLeft = progress_.phase == RunPhase::Training ? pace_.etaSec() : std::nullopt;
  Q_EMIT eventsArrived(progress_.run, events);
  Q_EMIT progressChanged();
}

void RunPresenter::apply(const RunStarted& event) {
  progress_.run = toQt(event.run);
  progress_.name = toQt(event.name);
  progress_.batches = event.from.batch;
  progress_.plannedBatches = event.plannedBatches;
  Q_EMIT started(progress_.run);
}

void RunPresenter::apply(const PhaseProgress& event) {
  if (progress_.phase != RunPhase::Stopping) progress_.activity = sentenceCase(toQt(event.phase));
  progress_.activityDone = event.done;
  progress_.activityTotal = event.total;
}

void RunPresenter::apply(const MetricsRow& event) {
  if (progress_.phase == RunPhase::Starting) progress_.phase = RunPhase::Training;
  if (progress_.phase == RunPhase::Training) progress_.activity = tr("Training");
  progress_.activityDone = progress_.activityTotal = 0;
  progress_.batches = event.at.batch;
  progress_.tokensPerSec = event.tokensPerSec;
  const auto fullest =
      std::max_element(event.devices.begin(), event.devices.end(),
                       [](const DeviceMemory& a, const DeviceMemory& b) { return share(a) < share(b); });
  if (fullest != event.devices.end()) progress_.fullestDevice = *fullest;
}

void RunPresenter::apply(const RunFinished& event) {
  outcome_ = event;
  freeTimer_.start();
}

void RunPresenter::finishWhenFree() {
  if (controller_->running() || !outcome_) return;
  freeTimer_.stop();
  const RunFinished outcome = *std::exchange(outcome_, std::nullopt);
  progress_.phase = RunPhase::Idle;
  progress_.secondsLeft.reset();
  progress_.tokensPerSec.reset();
  Q_EMIT progressChanged();
  Q_EMIT finished(outcome);
}

}  // namespace batchwise
