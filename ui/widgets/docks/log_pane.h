// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/models/log_model.h"
#include "ui/theme/theme.h"

class QTreeView;

namespace batchwise {

/// Log of the selected run. Scrolls to new rows unless the user has scrolled away.
class LogPane final : public QWidget {
  Q_OBJECT

 public:
  LogPane(LogModel& model, const Theme& theme, QWidget* parent = nullptr);

 private:
  LogModel& model_;
  QTreeView* view_;
  bool atEnd_ = true;
};

}  // namespace batchwise
