// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/effects_pane.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QTreeWidget>
#include <algorithm>

#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/table_views.h"
#include "ui/runs/sweep_plot.h"

namespace batchwise {
namespace {

QString correlationText(double value) {
  return QString::number(value, 'f', 2).replace(QLatin1Char('-'), QStringLiteral("−"));
}

}  // namespace

EffectsPane::EffectsPane(const Theme& theme, QWidget* parent) : QWidget(parent) {
  auto* area = new QScrollArea(this);  // where the pane is too small for what it holds
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  auto* splitter = new QSplitter(Qt::Horizontal, area);
  area->setWidget(splitter);
  splitter->setChildrenCollapsible(false);
  auto* left = new QWidget(splitter);
  plot_ = named(new SweepPlot(theme, left), "sweepPlot");
  column(left, {makeChoices(), {plot_, 1}}, {{0, 4, 0, 0}, 4});
  auto* right = new QWidget(splitter);
  table_ =
      named(new QTreeWidget(right), "settingEffects", tr("How strongly each setting is correlated with the metric"));
  table_->setHeaderLabels({tr("Setting"), tr("Correlation"), tr("95 % interval")});
  table_->setRootIsDecorated(false);
  table_->setFrameShape(QFrame::NoFrame);
  table_->setItemDelegate(new IconDelegate(theme, -1, table_));
  table_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->header()->setStretchLastSection(false);
  about_ = textLabel(right, TextLook::Small);
  column(right, {{table_, 1}, about_}, {{0, 4, 8, 4}, 4});
  splitter->setStretchFactor(0, 1);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({1000, 1000});  // in proportion
  column(this, {{area, 1}}, {{0, 0, 0, 0}, 0});
  connect(&theme, &Theme::changed, this, &EffectsPane::sizeTable);
  sizeTable();
}

void EffectsPane::sizeTable() {
  constexpr int kChars = 32, kRows = 2;
  table_->setMinimumSize(kChars * fontMetrics().averageCharWidth(), kRows * rowHeight(fontMetrics()));
}

QWidget* EffectsPane::makeChoices() {
  auto* bar = new QWidget(this);
  first_ = named(new QComboBox(bar), "effectFirst", tr("Setting on the horizontal axis"));
  second_ = named(new QComboBox(bar), "effectSecond", tr("Second setting, for a heatmap"));
  for (QComboBox* each : {first_, second_}) {
    each->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    each->setMinimumContentsLength(12);
  }
  connect(first_, &QComboBox::activated, this, [this] {
    fillSecond();
    showChosen();
  });
  connect(second_, &QComboBox::activated, this, &EffectsPane::showChosen);
  row(bar,
      {plainLabel(bar, TextLook::Muted, tr("Over")),
       {first_, 1},
       plainLabel(bar, TextLook::Muted, tr("and", "over this setting and that one")),
       {second_, 1}},
      {{8, 0, 8, 0}, 8});
  return bar;
}

void EffectsPane::setComparison(const std::shared_ptr<const RunComparison>& comparison) {
  plot_->setComparison(comparison);
  if (!comparison) return;
  fillTable(*comparison);
  fields_.clear();
  for (const FieldRow& row : comparison->differences.rows) fields_ << toQt(row.field);
  fillFirst();
  fillSecond();
  showChosen();
}

/// Keeps what is chosen; else the strongest setting comes first.
void EffectsPane::fillFirst() {
  const QString chosen = first_->currentData().toString();
  first_->clear();
  for (const QString& field : fields_) first_->addItem(fieldLabel(field.toStdString()), field);
  const QTreeWidgetItem* strongest = table_->topLevelItem(0);
  const QString otherwise = strongest == nullptr ? QString() : strongest->data(0, Qt::UserRole).toString();
  first_->setCurrentIndex(std::max(0, first_->findData(fields_.contains(chosen) ? chosen : otherwise)));
}

/// Offers the settings but the first, and keeps what is chosen.
void EffectsPane::fillSecond() {
  const QString first = first_->currentData().toString(), chosen = second_->currentData().toString();
  second_->clear();
  second_->addItem(tr("no other setting"), QString());
  for (const QString& field : fields_)
    if (field != first) second_->addItem(fieldLabel(field.toStdString()), field);
  second_->setCurrentIndex(std::max(0, second_->findData(chosen)));
}

void EffectsPane::fillTable(const RunComparison& comparison) {
  const auto effects = settingEffects(comparison);
  table_->clear();
  for (const SettingEffect& effect : effects) {
    const QString label = fieldLabel(effect.field);
    const bool hasInterval = effect.low > -1 || effect.high < 1;
    auto* item = new QTreeWidgetItem(
        table_, {effect.log ? tr("%1 (log)", "a setting whose logarithm is correlated").arg(label) : label,
                 effect.correlation ? correlationText(*effect.correlation) : QStringLiteral("–"),
                 !effect.correlation ? tr("cannot be separated")
                 : hasInterval       ? tr("%1 to %2").arg(correlationText(effect.low), correlationText(effect.high))
                                     : tr("unknown: too few runs")});
    item->setData(0, Qt::UserRole, toQt(effect.field));
    item->setToolTip(0, plainToolTip(toQt(effect.field)));
    if (!effect.correlation)
      item->setToolTip(2, tr("It changes with other settings, so that its effect cannot be told apart from theirs"));
  }
  const auto runs = static_cast<int>(effects.empty() ? 0 : effects.front().runs);
  about_->setText(effects.empty() ? tr("The settings of these runs do not differ.")
                                  : plural(runs,
                                           tr("Linear correlation with %1 over %n run, without the part of the other "
                                              "settings. An interval that contains 0 shows no effect."),
                                           tr("Linear correlation with %1 over %n runs, without the part of the other "
                                              "settings. An interval that contains 0 shows no effect."))
                                        .arg(seriesLabel(comparison.options.metric).title));
}

void EffectsPane::showChosen() {
  plot_->setSettings(first_->currentData().toString(), second_->currentData().toString());
}

}  // namespace batchwise
