// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/run_status_bar.h"

#include <QtWidgets/QLabel>
#include <QtWidgets/QProgressBar>
#include <cmath>

#include "core/base/format.h"
#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/message_bar.h"
#include "ui/runs/event_models.h"
#include "ui/theme/theme.h"
#include "ui/window/studio_parts.h"
#include "ui/window/window_docks.h"

namespace batchwise {
namespace {

constexpr int kBarSteps = 1000;

QString batchText(std::int64_t done, std::int64_t planned) {
  return planned > 0 ? RunStatusBar::tr("batch %1 of %2").arg(integerText(done), integerText(planned))
                     : RunStatusBar::tr("batch %1").arg(integerText(done));
}

}  // namespace

LogLine::LogLine(const Theme& theme, const LogModel& log, QWidget* parent)
    : QToolButton(parent), theme_(theme), log_(log) {
  setObjectName(QStringLiteral("logLine"));
  setAutoRaise(true);
  setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  setFocusPolicy(Qt::TabFocus);
  for (const auto changed : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(&log, changed, this, &LogLine::showNewest);
  connect(&log, &QAbstractItemModel::modelReset, this, &LogLine::showNewest);
  connect(&theme, &Theme::changed, this, &LogLine::showNewest);
  showNewest();
}

void LogLine::resizeEvent(QResizeEvent* event) {
  QToolButton::resizeEvent(event);
  elide();
}

void LogLine::showNewest() {
  const LogRow* newest = log_.at(log_.rowCount() - 1);
  whole_ =
      newest == nullptr ? tr("Log: no events yet") : tr("%1  %2").arg(localTimeText(newest->wallMs), newest->sentence);
  const NoteLevel level = newest == nullptr ? NoteLevel::Info : eventLevel(newest->event);
  const ThemeColors& colors = theme_.colors();
  const QColor color = level == NoteLevel::Error     ? colors.bad
                       : level == NoteLevel::Warning ? colors.warning
                                                     : colors.muted;
  setIcon(theme_.icon(levelIcon(level), color));
  setAccessibleName(tr("Newest event: %1").arg(whole_));
  setToolTip(plainToolTip(tr("%1\nClick to open or close the log").arg(whole_)));
  elide();
}

void LogLine::elide() {
  const int room = width() - iconSize().width() - 2 * fontMetrics().height();
  setText(escapeMnemonic(fontMetrics().elidedText(whole_.section(QLatin1Char('\n'), 0, 0), Qt::ElideRight, room)));
}

RunStatusBar::RunStatusBar(StudioParts& parts, WindowDocks& docks, MessageBar& messages, QWidget* parent)
    : QStatusBar(parent),
      theme_(parts.theme),
      log_(new LogLine(parts.theme, parts.runs.log(), this)),
      queue_(flatButton(this, tr("Show the queue"))),
      startQueue_(flatButton(this, tr("Start the queue: its runs train one after the other"))),
      alerts_(flatButton(this, tr("Show the alerts"))),
      values_(new QWidget(this)),
      icon_(plainLabel(values_)),
      state_(addValue(tr("State"))),
      bar_(new QProgressBar(values_)) {
  setSizeGripEnabled(false);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  icon_->setAccessibleName(tr("State icon"));
  batches_ = addValue(tr("Global batches done"));
  left_ = addValue(tr("Time left"));
  speed_ = addValue(tr("Speed"));
  memory_ = addValue(tr("Memory"));
  disk_ = addValue(tr("Free disk space"));
  disk_->setToolTip(tr("Free space on the disk of the workspace"));
  bar_->setTextVisible(false);
  bar_->setAccessibleName(tr("Progress"));
  bar_->setMaximumHeight(16);
  row(values_, {icon_, {state_, 1}, bar_, batches_, left_, speed_, memory_, disk_}, {{4, 0, 4, 0}, 12});
  auto* lines = new QWidget(this);
  column(lines, {&messages, row(nullptr, {{log_, 1}, queue_, startQueue_, alerts_}, {{0, 0, 0, 0}, 8}), values_},
         {{0, 0, 0, 0}, 0});
  addWidget(lines, 1);
  connect(log_, &QToolButton::clicked, &docks, &WindowDocks::toggleLog);
  connect(queue_, &QToolButton::clicked, &docks, &WindowDocks::showQueue);
  connect(alerts_, &QToolButton::clicked, &docks, &WindowDocks::showAlerts);
  connect(startQueue_, &QToolButton::clicked, &parts.queue, &QueuePresenter::start);
  connect(&parts.queue, &QueuePresenter::changed, this,
          [this, &queue = parts.queue] { showWaiting(static_cast<int>(queue.waiting()), queue.isStarted()); });
  connect(&parts.alerts, &AlertsPresenter::unseenChanged, this,
          [this, &alerts = parts.alerts] { showAlerts(alerts.unseen()); });
  startQueue_->setText(tr("Start"));
  startQueue_->setObjectName(QStringLiteral("startQueue"));
  queue_->setObjectName(QStringLiteral("queueCount"));
  alerts_->setObjectName(QStringLiteral("alertCount"));
  for (QToolButton* button : {queue_, startQueue_, alerts_}) button->setFocusPolicy(Qt::TabFocus);
  alerts_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  connect(&theme_, &Theme::changed, this, [this] { showAlerts(unseen_); });
  connect(
      &theme_, &Theme::changed, this, [this] { reformat(); }, Qt::QueuedConnection);  // to another text size
  showWaiting(0, false);
  showAlerts(0);
  showProgress({});
}

ElidedLabel* RunStatusBar::addValue(const QString& name) {
  auto* made = new ElidedLabel(values_);
  made->setAccessibleDescription(name);  // its name is its whole text
  return made;
}

void RunStatusBar::showState(const TrainingState& progress) {
  const bool idle = progress.phase == RunPhase::Idle;
  const int side = std::max(16, fontMetrics().height() - 2);
  const qreal ratio = devicePixelRatioF();
  const bool waits = !progress.blockedReason.isEmpty();
  const bool paused = progress.phase == RunPhase::Paused;
  const QString name = idle     ? QStringLiteral("state-created")
                       : waits  ? levelIcon(NoteLevel::Warning)
                       : paused ? QStringLiteral("state-paused")
                                : QStringLiteral("state-running");
  const QColor color = idle ? theme_.colors().muted : waits ? theme_.colors().warning : theme_.colors().accent;
  QPixmap pixmap = iconPixmap(name, color, QSize(side, side) * ratio);
  pixmap.setDevicePixelRatio(ratio);
  icon_->setPixmap(pixmap);
  state_->setText(idle ? tr("No run is training here") : tr("%1: %2").arg(progress.name, progress.activity));
  state_->setToolTip(waits ? plainToolTip(state_->text() + QLatin1Char('\n') + progress.blockedReason) : QString());
  bar_->setVisible(!idle);
  if (idle) return;
  // Once the run trains, an activity such as an evaluation leaves the bar to the run.
  const bool ownEnd =
      progress.activityTotal > 0 && (progress.phase == RunPhase::Starting || progress.plannedBatches <= 0);
  const bool known = ownEnd || progress.plannedBatches > 0;
  const double done =
      ownEnd ? progress.activityDone / progress.activityTotal
             : (known ? static_cast<double>(progress.batches) / static_cast<double>(progress.plannedBatches) : 0);
  bar_->setRange(0, known ? kBarSteps : 0);
  bar_->setValue(static_cast<int>(std::lround(std::clamp(done, 0.0, 1.0) * kBarSteps)));
}

void RunStatusBar::showProgress(const TrainingState& progress) {
  showState(progress);
  const bool idle = progress.phase == RunPhase::Idle;
  batches_->setText(idle || progress.batches <= 0 ? QString() : batchText(progress.batches, progress.plannedBatches));
  left_->setText(idle || !progress.secondsLeft ? QString()
                                               : tr("%1 left").arg(toQt(formatDuration(*progress.secondsLeft))));
  speed_->setText(idle || !progress.tokensPerSec ? QString()
                                                 : tr("%1 tok/s").arg(toQt(formatCount(*progress.tokensPerSec))));
  showMemory(progress);
}

void RunStatusBar::showMemory(const TrainingState& progress) {
  if (progress.phase == RunPhase::Idle || !progress.fullestDevice) return memory_->clear();
  const DeviceMemory& device = *progress.fullestDevice;
  memory_->setText(tr("%1 %2").arg(toQt(device.name), toQt(formatBytes(device.allocated))));
  memory_->setToolTip(tr("In use: %1\nPeak: %2\nLimit: %3")
                          .arg(toQt(formatBytes(device.allocated)), toQt(formatBytes(device.peak)),
                               device.total > 0 ? toQt(formatBytes(device.total)) : tr("not known")));
}

void RunStatusBar::showWaiting(int queued, bool started) {
  const bool isHeld = queued > 0 && !started;
  const QString held = tr("Queue: %1 waiting, not started").arg(queued);
  queue_->setText(isHeld ? held : tr("Queue: %1").arg(queued));
  queue_->setAccessibleName(isHeld ? held : tr("Queue: %1 waiting").arg(queued));
  queue_->setToolTip(queue_->accessibleName());
  startQueue_->setVisible(isHeld);
}

void RunStatusBar::showAlerts(int unseen) {
  unseen_ = unseen;
  alerts_->setText(tr("Alerts: %1 new").arg(unseen));
  alerts_->setAccessibleName(alerts_->text());
  alerts_->setToolTip(alerts_->accessibleName());
  const QColor color = unseen > 0 ? theme_.colors().bad : theme_.colors().muted;
  alerts_->setIcon(theme_.icon(levelIcon(NoteLevel::Warning), color));
}

void RunStatusBar::showFreeDisk(std::int64_t bytes) {
  constexpr std::int64_t kLow = std::int64_t{1} << 30;
  Theme::setLook(disk_, bytes >= 0 && bytes < kLow ? TextLook::Bad : TextLook::Body);
  disk_->setText(bytes >= 0 ? tr("%1 disk free").arg(toQt(formatBytes(bytes))) : QString());
}

}  // namespace batchwise
