// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/sweep_window.h"

#include <QtWidgets/QCheckBox>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QToolButton>
#include <algorithm>

#include "ui/edit/field_values.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"

namespace batchwise {
namespace {

/// The name of each run follows from the values.
bool hasSeveralValues(const Field& field) {
  return field.path != "version" && field.path != "name" && field.path != "experiment" && field.path != "zip";
}

}  // namespace

SweepWindow::SweepWindow(ConfigDraft& draft, const std::string& field, QWidget* parent)
    : QDialog(parent), draft_(draft) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Several runs"));
  auto* explanation =
      textLabel(this, TextLook::Muted,
                tr("A list such as 1, 2, 3 or a range such as 1e-4..1e-2 x4 log. Every value is combined "
                   "with every value of the other fields; ticked fields advance together instead."));
  auto* area = new QScrollArea(this);
  auto* content = new QWidget(area);
  grid_ = new QGridLayout(content);
  for (const int wide : {0, 1}) grid_->setColumnStretch(wide, 1);
  grid_->setAlignment(Qt::AlignTop);
  const QString titles[] = {tr("Field"), tr("Values"), tr("Together")};
  for (int i = 0; i < 3; ++i) grid_->addWidget(plainLabel(content, TextLook::Muted, titles[i]), 0, i);
  fillScrollArea(*area, content);
  auto* add = named(new QPushButton(tr("Add a field"), this), "sweepAdd");
  summary_ = named(textLabel(this), "sweepSummary");
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
  accept_ = buttons->button(QDialogButtonBox::Ok);
  accept_->setText(tr("Apply"));
  Theme::setPrimary(accept_);
  column(this, {explanation, {area, 1}, row(nullptr, {add, stretch(1)}), summary_, buttons});
  resizeWithinScreen(*this, {fontMetrics().averageCharWidth() * 100, fontMetrics().height() * 24});
  connect(add, &QPushButton::clicked, this, [this, area] {
    addLine({}, false);
    lines_.back().field->setFocus();
    area->widget()->adjustSize();  // its new row has a place
    area->ensureWidgetVisible(lines_.back().values);
  });
  connect(buttons, &QDialogButtonBox::accepted, this, &SweepWindow::apply);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

  const std::vector<std::string>& zip = draft_.config().zip;
  for (const SweepAxis& axis : draft_.axes()) addLine(axis.field, std::ranges::find(zip, axis.field) != zip.end());
  const bool listed = std::ranges::find(draft_.axes(), field, &SweepAxis::field) != draft_.axes().end();
  if (!field.empty() && !listed) addLine(field, false);
  if (lines_.empty()) addLine("seed", false);
  lines_.back().values->setFocus();
}

void SweepWindow::addLine(const std::string& field, bool together) {
  auto* content = grid_->parentWidget();
  const auto isOffered = [&field](const Field& each) { return hasSeveralValues(each) || each.path == field; };
  const Line line{named(new FieldChoice(isOffered, field, content), "sweepField", tr("Field")),
                  named(new QLineEdit(field.empty() ? QString() : draft_.text(field), content), "sweepValues"),
                  named(new QCheckBox(content), "sweepTogether"), flatButton(content, tr("Remove this field"))};
  line.remove->setText(QStringLiteral("×"));
  line.together->setChecked(together);
  line.together->setToolTip(
      tr("Takes the first value in the first run, the second in the second, like all ticked fields"));
  int place = 0;
  for (QWidget* each : std::initializer_list<QWidget*>{line.field, line.values, line.together, line.remove})
    grid_->addWidget(each, nextRow_, place++);
  ++nextRow_;
  connect(line.field, &QComboBox::editTextChanged, this, &SweepWindow::check);
  connect(line.values, &QLineEdit::textChanged, this, &SweepWindow::check);
  connect(line.together, &QCheckBox::toggled, this, &SweepWindow::check);
  connect(line.remove, &QToolButton::clicked, this, [this, remove = line.remove] { removeLine(remove); });
  lines_.push_back(line);
  check();
}

void SweepWindow::removeLine(const QToolButton* remove) {
  const auto found = std::ranges::find(lines_, remove, &Line::remove);
  const Line line = *found;
  lines_.erase(found);
  for (QWidget* each : std::initializer_list<QWidget*>{line.field, line.values, line.together, line.remove}) {
    each->hide();
    each->deleteLater();
  }
  check();
}

/// Returns nothing and says why, if the line is not complete.
std::optional<SweepAxis> SweepWindow::axisOf(const Line& line, QString& problem) const {
  const Field* field = findField(line.field->path());
  line.values->setPlaceholderText(field == nullptr ? QString() : toQt(field->expectation()));
  if (field == nullptr) {
    problem = tr("Choose a field");
  } else if (std::ranges::find(axes_, field->path, &SweepAxis::field) != axes_.end()) {
    problem = tr("“%1” has a row already").arg(fieldLabel(field->path));
  } else if (auto values = sweepValues(*field, line.values->text().toStdString()); values.ok()) {
    return SweepAxis{field->path, std::move(*values)};
  } else {
    problem = tr("%1: %2").arg(fieldLabel(field->path), formText(values.error().message));
  }
  return std::nullopt;
}

/// Reads the lines; says how many runs they make, or what is wrong first.
void SweepWindow::check() {
  QString problem;
  axes_.clear();
  zip_.clear();
  LoadedConfig first;
  first.config = draft_.config();
  for (const Line& line : lines_) {
    QString why;
    const QString label = findField(line.field->path()) == nullptr ? tr("Field") : fieldLabel(line.field->path());
    line.values->setAccessibleName(tr("Values of %1", "a field").arg(label));
    line.together->setAccessibleName(tr("Advance %1 together with others", "a field").arg(label));
    line.remove->setAccessibleName(tr("Remove %1", "a field").arg(label));
    line.together->setEnabled(lines_.size() > 1);
    if (line.together->isChecked() && lines_.size() > 1) zip_.push_back(line.field->path());
    if (auto axis = axisOf(line, why)) {
      findField(axis->field)->set(first.config, axis->values.front());
      axes_.push_back(std::move(*axis));
    } else if (problem.isEmpty()) {
      problem = why;
    }
  }
  first.config.zip = zip_;
  const auto runs = sweepRuns(first, axes_);
  if (problem.isEmpty() && !runs.ok()) problem = sentenceCase(formText(runs.error().message));
  accept_->setEnabled(problem.isEmpty());
  Theme::setLook(summary_, problem.isEmpty() ? TextLook::Body : TextLook::Bad);
  summary_->setText(problem.isEmpty() ? plural(runs->size(), tr("%n run"), tr("%n runs")) : problem);
}

void SweepWindow::apply() {
  draft_.setSweep(axes_, zip_);
  accept();
}

}  // namespace batchwise
