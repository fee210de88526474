// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <functional>
#include <vector>

class QWidget;

namespace batchwise {

/// A column that can be shown.
struct OfferedColumn {
  QString key;
  QString title;
  QString about;  ///< also found by the search; the tooltip
  bool shown = false;
};

/// Opens a dialog with a searchable list of columns to tick, which tells what is ticked at once. `reset`: columns,
/// order and widths are to be as the program has them.
void chooseColumns(QWidget* parent, const std::vector<OfferedColumn>& columns,
                   const std::function<void(const QString& key, bool shown)>& toggled,
                   const std::function<void()>& reset);

}  // namespace batchwise
