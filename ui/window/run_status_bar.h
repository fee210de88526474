// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QStatusBar>
#include <QtWidgets/QToolButton>

#include "ui/list/run_presenter.h"
#include "ui/theme/theme.h"

class QLabel;
class QProgressBar;

namespace batchwise {

class ElidedLabel;
class LogModel;
class MessageBar;
class WindowDocks;
struct StudioParts;

/// One line with the newest event of a log, elided where it does not fit; a click opens the log.
class LogLine final : public QToolButton {
  Q_OBJECT

 public:
  LogLine(const Theme& theme, const LogModel& log, QWidget* parent);

  QSize sizeHint() const override { return {0, fontMetrics().height() + 8}; }
  QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showNewest();
  void elide();

  const Theme& theme_;
  const LogModel& log_;
  QString whole_;
};

/// The lower edge of the window: the messages, if there are any; the newest event of the selected run, the numbers of
/// queued runs and of new alerts; the state of a training run (activity, progress, time left, speed, memory) and the
/// free disk space. Where the window is too narrow, the values are elided.
class RunStatusBar final : public QStatusBar {
  Q_OBJECT

 public:
  /// Takes `messages` into its first line; the others open the docks.
  RunStatusBar(StudioParts& parts, WindowDocks& docks, MessageBar& messages, QWidget* parent);

  void showProgress(const TrainingState& progress);
  /// Negative: not known.
  void showFreeDisk(std::int64_t bytes);
  void showWaiting(int queued, bool started);
  void showAlerts(int unseen);

 private:
  ElidedLabel* addValue(const QString& name);
  void showState(const TrainingState& progress);
  void showMemory(const TrainingState& progress);

  const Theme& theme_;
  LogLine* log_;
  QToolButton *queue_, *startQueue_, *alerts_;
  QWidget* values_;
  QLabel* icon_;
  ElidedLabel* state_;
  QProgressBar* bar_;
  ElidedLabel *batches_, *left_, *speed_, *memory_, *disk_;
  int unseen_ = 0;
};

}  // namespace batchwise
