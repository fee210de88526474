// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/run_presenter.h"

#include <algorithm>

#include "ui/models/words.h"

namespace batchwise {
namespace {

constexpr std::size_t kRecentRows = 50;
constexpr int kFreePollMs = 20;

double share(const DeviceMemory& device) {
  return device.total > 0 ? static_cast<double>(device.peak) / static_cast<double>(device.total) : 0.0;
}

}  // namespace

RunPresenter::RunPresenter(ControllerFactory factory, QObject* parent)
    : QObject(parent), factory_(std::move(factory)) {
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
  recent_.clear();
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
  controller_->command(RunCommand::StopWithCheckpoint);
  Q_EMIT progressChanged();
}

void RunPresenter::take(const std::vector<RunEvent>& events) {
  for (const RunEvent& event : events) std::visit([this](const auto& e) { apply(e); }, event);
  Q_EMIT eventsArrived(progress_.run, events);
  Q_EMIT progressChanged();
}

void RunPresenter::apply(const RunStarted& event) {
  progress_.run = toQt(event.run);
  progress_.name = toQt(event.name);
  progress_.batches = event.from.batch;
  progress_.plannedBatches = event.plannedBatches;
  recent_.assign(1, {event.from.batch, event.from.seconds});
  Q_EMIT started(progress_.run);
}

void RunPresenter::apply(const PhaseProgress& event) {
  if (progress_.phase != RunPhase::Stopping) progress_.activity = phaseWord(event.phase);
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
  recent_.emplace_back(event.at.batch, event.at.seconds);
  if (recent_.size() > kRecentRows) recent_.pop_front();
  estimate();
}

void RunPresenter::estimate() {
  const auto batches = static_cast<double>(recent_.back().first - recent_.front().first);
  const double seconds = recent_.back().second - recent_.front().second;
  progress_.secondsLeft.reset();
  if (batches <= 0 || seconds <= 0 || progress_.plannedBatches <= 0) return;
  const auto left = static_cast<double>(std::max<std::int64_t>(0, progress_.plannedBatches - progress_.batches));
  progress_.secondsLeft = left * seconds / batches;
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
