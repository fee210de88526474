// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QStringList>
#include <QtWidgets/QWidget>
#include <memory>

#include "core/analysis/setting_effects.h"
#include "ui/theme/theme.h"

class QComboBox;
class QLabel;
class QTreeWidget;

namespace batchwise {

class SweepPlot;

/// Which setting mattered among compared runs: the metric over one or two settings, and how strongly each is correlated
/// with it once the others are taken into account.
class EffectsPane final : public QWidget {
  Q_OBJECT

 public:
  explicit EffectsPane(const Theme& theme, QWidget* parent = nullptr);

  /// Null: shows nothing.
  void setComparison(const std::shared_ptr<const RunComparison>& comparison);

 private:
  QWidget* makeChoices();
  void sizeTable();
  void fillFirst();
  void fillSecond();
  void fillTable(const RunComparison& comparison);
  void showChosen();

  QStringList fields_;  // in which the runs differ
  SweepPlot* plot_;
  QComboBox *first_, *second_;
  QTreeWidget* table_;
  QLabel* about_;
};

}  // namespace batchwise
