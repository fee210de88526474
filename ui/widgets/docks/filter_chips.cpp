// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/docks/filter_chips.h"

#include <QtWidgets/QApplication>
#include <QtWidgets/QMenu>
#include <QtWidgets/QToolButton>
#include <set>

#include "core/analysis/filter.h"
#include "ui/models/display_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/parts/flow_layout.h"
#include "ui/widgets/parts/labels.h"

namespace batchwise {
namespace {

constexpr int kMaxChipChars = 28;  // characters of average width

/// Quotes text for a filter, which knows no escapes: in the kind of quotes that it does not contain.
QString quoted(const std::string& text) {
  const QString plain = toQt(text);
  return plain.contains(QLatin1Char('"')) ? QStringLiteral("'%1'").arg(plain) : QStringLiteral("\"%1\"").arg(plain);
}

}  // namespace

FilterChips::FilterChips(const RunListModel& runs, const Theme& theme, QWidget& before, QWidget* parent)
    : QWidget(parent), runs_(runs), theme_(theme), before_(before) {
  setObjectName(QStringLiteral("filterChips"));
  auto* layout = new FlowLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  connect(&theme_, &Theme::changed, this, &FilterChips::fill);
  fill();
}

void FilterChips::setFilter(const QString& text, bool valid) {
  setEnabled(valid);
  if (!valid || text == filter_) return;
  filter_ = text;
  fill();
}

void FilterChips::fill() {
  // Keeps the focus here, so that the next key does not reach the run list.
  const bool focused = isAncestorOf(QApplication::focusWidget());
  for (QWidget* old : findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
    layout()->removeWidget(old);
    old->hide();
    old->deleteLater();  // it may be the sender of the current click
  }
  QStringList conditions;
  if (const auto filter = RunFilter::parse(filter_.toStdString()); filter.ok())
    for (const std::string& part : filter->conditions()) conditions << toQt(part);
  for (qsizetype i = 0; i < conditions.size(); ++i) addChip(conditions, i);
  auto* add = new QToolButton(this);
  add->setObjectName(QStringLiteral("addCondition"));
  add->setText(tr("Condition"));
  add->setToolTip(tr("Show only runs of a state or with a tag"));
  add->setIcon(makeIcon(QStringLiteral("add"), theme_.colors().text, theme_.colors().disabled));
  add->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  add->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(add);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillMenu(*menu); });
  add->setMenu(menu);
  layout()->addWidget(add);
  if (focused) add->setFocus();
  QWidget* before = &before_;
  for (int i = 0; i < layout()->count(); ++i) {
    QWidget* each = layout()->itemAt(i)->widget();
    each->setFont(theme_.smallFont());
    setTabOrder(before, each);  // created after the list below, but before it in the tab order
    before = each;
  }
  updateGeometry();
}

void FilterChips::addChip(const QStringList& conditions, qsizetype index) {
  const QString& condition = conditions[index];
  auto* chip = new QToolButton(this);
  chip->setText(escapeMnemonic(
      fontMetrics().elidedText(condition, Qt::ElideMiddle, fontMetrics().averageCharWidth() * kMaxChipChars)));
  chip->setIcon(makeIcon(QStringLiteral("close"), theme_.colors().muted, theme_.colors().disabled));
  chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  chip->setToolTip(plainToolTip(tr("Remove the condition %1").arg(condition)));
  chip->setAccessibleName(tr("Remove the condition %1").arg(condition));
  QStringList others = conditions;
  others.removeAt(index);
  connect(chip, &QToolButton::clicked, this,
          [this, rest = others.join(QStringLiteral(" and "))] { Q_EMIT changed(rest); });
  layout()->addWidget(chip);
}

void FilterChips::fillMenu(QMenu& menu) {
  menu.clear();
  std::set<RunStatus> states;
  std::set<std::string> tags;
  QString paused, diverged;  // its text, if there is such a run
  for (int row = 0; row < runs_.rowCount(); ++row) {
    const RunSummary& run = *runs_.at(row);
    states.insert(run.status);
    if (run.paused) paused = stateText(run);
    if (run.cause == FailureCause::Diverged) diverged = stateText(run);
    tags.insert(run.tags.begin(), run.tags.end());
  }
  const auto offer = [&](const QString& text, const QString& condition) {
    connect(menu.addAction(escapeMnemonic(text)), &QAction::triggered, this,
            [this, condition] { Q_EMIT changed(toQt(withCondition(filter_.toStdString(), condition.toStdString()))); });
  };
  for (const RunStatus state : states)
    offer(statusText(state), QStringLiteral("status = %1").arg(toQt(std::string(choiceName(state)))));
  if (!paused.isEmpty()) offer(paused, QStringLiteral("status = paused"));
  if (!diverged.isEmpty()) offer(diverged, QStringLiteral("status = diverged"));
  if (!tags.empty()) menu.addSeparator();
  for (const std::string& tag : tags)
    if (tag.find('"') == tag.npos || tag.find('\'') == tag.npos)
      offer(tr("Tag %1").arg(toQt(tag)), QStringLiteral("tag = %1").arg(quoted(tag)));
}

}  // namespace batchwise
