// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/models/run_list_model.h"
#include "ui/theme/theme.h"

class QMenu;

namespace batchwise {

/// The conditions of the filter of the list of runs, each a button that takes it away, and a menu that adds one: the
/// states and tags that runs have. The text of the filter stays what counts.
class FilterChips final : public QWidget {
  Q_OBJECT

 public:
  /// `before`: what the keyboard comes from with Tab; has the parent too.
  FilterChips(const RunListModel& runs, const Theme& theme, QWidget& before, QWidget* parent = nullptr);

  /// A filter that is right, or one that is not: then its conditions stay as they are, and cannot be pressed, since
  /// that would take away what was typed.
  void setFilter(const QString& text, bool right);

 Q_SIGNALS:
  /// Another filter, by a press.
  void changed(const QString& text);

 private:
  void fill();
  void addChip(const QStringList& conditions, qsizetype index);
  void fillMenu(QMenu& menu);

  const RunListModel& runs_;
  const Theme& theme_;
  QWidget& before_;
  QString filter_;
};

}  // namespace batchwise
