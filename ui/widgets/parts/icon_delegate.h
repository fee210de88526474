// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QStyledItemDelegate>

#include "ui/theme/theme.h"

namespace batchwise {

/// Draws the icon whose name a model gives under `iconRole` before the text of the cell, in a colour that fits what it
/// means, and makes rows 28 px high, or more where the font needs it. Text is never taken for markup.
class IconDelegate final : public QStyledItemDelegate {
  Q_OBJECT

 public:
  IconDelegate(const Theme& theme, int iconRole, QObject* parent = nullptr);

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

 private:
  const Theme& theme_;
  int iconRole_;
};

/// Height of a table row in the present font.
int rowHeight(const QFontMetrics& metrics);

}  // namespace batchwise
