// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QStatusBar>

#include "ui/presenters/run_presenter.h"
#include "ui/theme/theme.h"

class QLabel;
class QProgressBar;

namespace batchwise {

/// Status bar with the state of a training run (activity, progress, time left, speed, memory) and the free disk space.
class RunStatusBar final : public QStatusBar {
  Q_OBJECT

 public:
  explicit RunStatusBar(const Theme& theme, QWidget* parent = nullptr);

  void showProgress(const TrainingState& progress);
  /// Negative: not known.
  void showFreeDisk(std::int64_t bytes);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();
  void showState(const TrainingState& progress);
  void sizeBar();

  const Theme& theme_;
  QLabel *icon_, *state_, *batches_, *left_, *speed_, *memory_, *disk_;
  QProgressBar* bar_;
};

}  // namespace batchwise
