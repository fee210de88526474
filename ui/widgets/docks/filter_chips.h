// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/models/record_models.h"
#include "ui/theme/theme.h"

class QMenu;

namespace batchwise {

/// The conditions of the run list's filter, each a button that removes it, and a menu that adds one for a state or a
/// tag that runs have. The text of the filter stays authoritative.
class FilterChips final : public QWidget {
  Q_OBJECT

 public:
  /// `before`: the widget before the chips in the tab order, with the same parent.
  FilterChips(const RunListModel& runs, const Theme& theme, QWidget& before, QWidget* parent = nullptr);

  /// `valid`: the text is a valid filter. For an invalid one the previous conditions stay, disabled, since a click
  /// would discard what was typed.
  void setFilter(const QString& text, bool valid);

 Q_SIGNALS:
  /// The filter was changed by a click.
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
