// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window/run_status_bar.h"

#include <QtWidgets/QLabel>
#include <QtWidgets/QProgressBar>
#include <cmath>

#include "core/base/format.h"
#include "ui/models/display_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/parts/labels.h"

namespace batchwise {
namespace {

constexpr int kBarSteps = 1000;

void setText(QLabel* label, const QString& text) {
  if (label->text() != text) label->setText(text);
}

}  // namespace

RunStatusBar::RunStatusBar(const Theme& theme, QWidget* parent) : QStatusBar(parent), theme_(theme) {
  setSizeGripEnabled(false);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);  // fit() hides what does not fit
  const auto label = [this](const QString& name) {
    auto* made = plainLabel(this);
    made->setAccessibleName(name);
    made->setContentsMargins(4, 0, 8, 0);
    return made;
  };
  icon_ = label(tr("State icon"));
  state_ = label(tr("State"));
  batches_ = label(tr("Global batches done"));
  left_ = label(tr("Time left"));
  speed_ = label(tr("Speed"));
  memory_ = label(tr("Memory"));
  disk_ = label(tr("Free disk space"));
  disk_->setToolTip(tr("Left on the disk of the workspace"));
  bar_ = new QProgressBar(this);
  bar_->setTextVisible(false);
  bar_->setAccessibleName(tr("Progress"));
  for (QWidget* widget : {static_cast<QWidget*>(icon_), static_cast<QWidget*>(state_), static_cast<QWidget*>(bar_),
                          static_cast<QWidget*>(batches_), static_cast<QWidget*>(left_), static_cast<QWidget*>(speed_)})
    addWidget(widget);
  addPermanentWidget(memory_);
  addPermanentWidget(disk_);
  connect(&theme, &Theme::changed, this, &RunStatusBar::sizeBar);
  sizeBar();
  showProgress({});
}

void RunStatusBar::resizeEvent(QResizeEvent* event) {
  QStatusBar::resizeEvent(event);
  fit();
}

void RunStatusBar::fit() {
  int room = width() - icon_->sizeHint().width() - state_->sizeHint().width() - 16;
  if (bar_->isVisibleTo(this)) room -= bar_->width();
  for (QLabel* label : {batches_, left_, memory_, speed_, disk_}) {  // most important first
    const int wanted = label->text().isEmpty() ? 0 : label->sizeHint().width() + 8;
    label->setVisible(wanted > 0 && wanted <= room);
    room -= wanted;
  }
}

void RunStatusBar::sizeBar() {
  bar_->setFixedWidth(fontMetrics().horizontalAdvance(QLatin1Char('x')) * 18);
  bar_->setMaximumHeight(std::max(12, fontMetrics().height() * 2 / 3));
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
  state_->setText(idle ? tr("No run is training") : tr("%1: %2").arg(progress.name, progress.activity));
  state_->setToolTip(plainToolTip(progress.blockedReason));
  bar_->setVisible(!idle);
  if (idle) return;
  const bool ownEnd = progress.activityTotal > 0;
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
  QString batches;
  if (!idle && progress.batches > 0)
    batches = progress.plannedBatches > 0
                  ? tr("batch %1 of %2").arg(integerText(progress.batches), integerText(progress.plannedBatches))
                  : tr("batch %1").arg(integerText(progress.batches));
  setText(batches_, batches);
  setText(left_,
          !idle && progress.secondsLeft ? tr("%1 left").arg(toQt(formatDuration(*progress.secondsLeft))) : QString());
  setText(speed_,
          !idle && progress.tokensPerSec ? tr("%1 tok/s").arg(toQt(formatCount(*progress.tokensPerSec))) : QString());
  QString memory;
  if (!idle && progress.fullestDevice) {
    const DeviceMemory& device = *progress.fullestDevice;
    memory = tr("%1 %2").arg(toQt(device.name), toQt(formatBytes(device.allocated)));
    memory_->setToolTip(tr("In use: %1\nPeak: %2\nLimit: %3")
                            .arg(toQt(formatBytes(device.allocated)), toQt(formatBytes(device.peak)),
                                 device.total > 0 ? toQt(formatBytes(device.total)) : tr("not known")));
  }
  setText(memory_, memory);
  fit();
}

void RunStatusBar::showFreeDisk(std::int64_t bytes) {
  constexpr std::int64_t kLow = std::int64_t{1} << 30;
  Theme::setLook(disk_, bytes >= 0 && bytes < kLow ? TextLook::Bad : TextLook::Body);
  setText(disk_, bytes >= 0 ? tr("%1 disk free").arg(toQt(formatBytes(bytes))) : QString());
  fit();
}

}  // namespace batchwise
