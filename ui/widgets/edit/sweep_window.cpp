// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/edit/sweep_window.h"

#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QToolButton>
#include <algorithm>
#include <set>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/base/texts.h"
#include "core/store/texts.h"
#include "ui/models/display_text.h"
#include "ui/models/labels.h"
#include "ui/widgets/edit/field_choice.h"
#include "ui/widgets/parts/labels.h"
#include "ui/widgets/parts/layouts.h"

namespace batchwise {
namespace {

constexpr int kPauseMs = 200;
constexpr std::size_t kMaxNames = 6;

/// Labels of the runs and lists of the sweep itself have editors of their own.
bool hasSeveralValues(const Field& field) {
  return field.path != "version" && field.path != "name" && field.path != "experiment" && field.path != "zip";
}

/// "Values such as 1, 2, 3 or 8..32 x4", by the kind of the field.
QString kindHint(const Field& field) {
  switch (field.kind) {
    case FieldKind::Boolean: return SweepWindow::tr("Both: %1").arg(QStringLiteral("true, false"));
    case FieldKind::Integer:
      return SweepWindow::tr("Values such as %1 or %2").arg(QStringLiteral("1, 2, 3"), QStringLiteral("8..32 x4"));
    case FieldKind::Number:
      return SweepWindow::tr("Values such as %1 or %2")
          .arg(QStringLiteral("1e-4, 5e-4"), QStringLiteral("1e-4..1e-2 x4 log"));
    case FieldKind::Choice: break;
    default: return SweepWindow::tr("Two or more values, separated by commas. Each: %1").arg(toQt(field.expectation()));
  }
  QStringList choices;
  for (const std::string& choice : field.choices) choices << toQt(choice);
  return SweepWindow::tr("Two or more of: %1").arg(choices.join(QStringLiteral(", ")));
}

QString valuesHint(const Field& field) {
  const bool canBeUnset = field.optional && !field.unsetText.empty();
  return canBeUnset
             ? SweepWindow::tr("%1; or %2", "%1: values such as 1, 2, 3").arg(kindHint(field), toQt(field.unsetText))
             : kindHint(field);
}

}  // namespace

SweepWindow::SweepWindow(EditPresenter& presenter, const std::string& field, QWidget* parent)
    : QDialog(parent), presenter_(presenter) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Several runs"));
  experiment_ = named(new QLineEdit(this), "sweepExperiment", tr("Experiment"));
  experiment_->setPlaceholderText(tr("Name of the experiment"));
  auto* label = new QLabel(tr("Experiment"), this);
  label->setBuddy(experiment_);
  auto* explanation =
      textLabel(this, TextLook::Muted,
                tr("A list such as 1, 2, 3 or a range such as 1e-4..1e-2 x4 log. Every value is combined "
                   "with every value of the other fields; ticked fields advance together instead."));
  area_ = new QScrollArea(this);
  auto* content = new QWidget(area_);
  grid_ = new QGridLayout(content);
  for (const int wide : {0, 1}) grid_->setColumnStretch(wide, 1);
  grid_->setAlignment(Qt::AlignTop);
  const QString titles[] = {tr("Field"), tr("Values"), tr("Together")};
  for (int i = 0; i < 3; ++i) grid_->addWidget(plainLabel(content, TextLook::Muted, titles[i]), 0, i);
  fillScrollArea(*area_, content);
  area_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // the rows keep their width
  auto* add = named(new QPushButton(tr("Add a field"), this), "sweepAdd");
  auto* ramps = named(new QPushButton(tr("Ablation of batch ramps"), this), "sweepRamps", {},
                      tr("Fills in a constant batch against ramps over 10, 20 and 40 % of the run, two seeds each"));
  companion_ = named(new QPushButton(this), "sweepCompanion");
  summary_ = named(textLabel(this), "sweepSummary");
  names_ = named(textLabel(this, TextLook::Small), "sweepNames");
  for (QLabel* text : {summary_, names_}) text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
  accept_ = buttons->button(QDialogButtonBox::Ok);
  accept_->setText(tr("Apply"));
  Theme::setPrimary(accept_);
  column(this, {row(nullptr, {label, {experiment_, 1}}),
                explanation,
                {area_, 1},
                row(nullptr, {add, ramps, companion_, Cell(1)}),
                summary_,
                names_,
                buttons});
  resizeWithinScreen(*this, {fontMetrics().averageCharWidth() * 110, fontMetrics().height() * 30});

  delay_.setSingleShot(true);
  delay_.setInterval(kPauseMs);
  connect(&delay_, &QTimer::timeout, this, &SweepWindow::check);
  connect(experiment_, &QLineEdit::textEdited, &delay_, qOverload<>(&QTimer::start));
  connect(add, &QPushButton::clicked, this, &SweepWindow::addEmptyLine);
  connect(ramps, &QPushButton::clicked, this, &SweepWindow::fillInRamps);
  connect(companion_, &QPushButton::clicked, this, &SweepWindow::addCompanion);
  connect(buttons, &QDialogButtonBox::accepted, this, &SweepWindow::apply);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  readDraft(field);
  check();
  keepHeights();
}

/// Buttons and rows stay in their places whatever the texts below them say.
void SweepWindow::keepHeights() {
  ensurePolished();
  summary_->setFixedHeight(3 * summary_->fontMetrics().lineSpacing());
  names_->setFixedHeight(static_cast<int>(kMaxNames + 1) * QFontMetrics(names_->font()).lineSpacing());
}

void SweepWindow::addEmptyLine() {
  addLine({}, {}, false);
  lines_.back().field->setFocus();
  check();
  showLastLine();
}

/// Adds the field that belongs to one of the others, and lets both advance together.
void SweepWindow::addCompanion() {
  check();  // the values may have just been edited
  if (!missing_) return;
  const CompanionAxis missing = *missing_;
  for (const Line& line : lines_)
    if (line.field->path() == missing.of) line.together->setChecked(true);
  addLine(missing.axis.field, toQt(joined(missing.axis.values)), true);
  lines_.back().values->setFocus();
  check();
  showLastLine();
}

/// Takes the fields and values of the recipe in place of those listed. Its ramps start from an eighth of the batch.
void SweepWindow::fillInRamps() {
  const SweepConfig recipe = loadSweep("ramps");
  const std::vector<std::string>& zip = recipe.first.config.zip;
  const auto batchOf = [](const TrainConfig& config) {
    return numberFrom<std::int64_t>(findField("batch.global_train_batch_size")->get(config)).value_or(0);
  };
  const std::string initial = std::to_string(batchOf(recipe.first.config) / 8);
  const std::int64_t own = batchOf(presenter_.draft().config());
  for (const Line& line : std::exchange(lines_, {})) removeRow(line);
  for (const SweepAxis& axis : recipe.axes) {
    std::vector<std::string> values = axis.values;
    if (axis.field == "batch.rampup.initial_global_train_batch_size" && own > 0)
      std::ranges::replace(values, initial, std::to_string(std::max<std::int64_t>(1, own / 8)));
    addLine(axis.field, toQt(joined(values)), std::ranges::find(zip, axis.field) != zip.end());
  }
  if (experiment_->text().isEmpty()) experiment_->setText(toQt(recipe.first.config.experiment));
  check();
  showLastLine();
}

void SweepWindow::showLastLine() {
  grid_->parentWidget()->resize(grid_->parentWidget()->width(), grid_->sizeHint().height());  // its new row has a place
  grid_->activate();
  area_->ensureWidgetVisible(lines_.back().note);
}

void SweepWindow::readDraft(const std::string& field) {
  const ConfigDraft& draft = presenter_.draft();
  experiment_->setText(draft.text("experiment"));
  const std::vector<std::string>& zip = draft.config().zip;
  for (const SweepAxis& axis : draft.axes())
    addLine(axis.field, draft.text(axis.field), std::ranges::find(zip, axis.field) != zip.end());
  const bool listed = std::ranges::any_of(draft.axes(), [&](const SweepAxis& axis) { return axis.field == field; });
  if (!field.empty() && !listed) addLine(field, draft.text(field), false);
  if (lines_.empty()) addLine("seed", draft.text("seed"), false);
  lines_.back().values->setFocus();
}

void SweepWindow::addLine(const std::string& field, const QString& values, bool together) {
  auto* content = grid_->parentWidget();
  const auto isOffered = [&field](const Field& each) { return hasSeveralValues(each) || each.path == field; };
  Line line{named(new FieldChoice(isOffered, field, content), "sweepField", tr("Field")),
            named(new QLineEdit(values, content), "sweepValues", tr("Values")),
            named(new QCheckBox(content), "sweepTogether", tr("Advance together")),
            flatButton(content, tr("Remove this field")), named(new ElidedLabel(content), "sweepNote")};
  line.remove->setText(QStringLiteral("×"));
  line.together->setChecked(together);
  line.together->setToolTip(
      tr("Takes the first value in the first run, the second in the second, like all ticked fields"));
  int place = 0;
  for (QWidget* each : {static_cast<QWidget*>(line.field), static_cast<QWidget*>(line.values),
                        static_cast<QWidget*>(line.together), static_cast<QWidget*>(line.remove)})
    grid_->addWidget(each, nextRow_, place++);
  grid_->addWidget(line.note, nextRow_ + 1, 0, 1, 4);
  nextRow_ += 2;
  const auto later = [this] { delay_.start(); };
  connect(line.field, &QComboBox::editTextChanged, this, later);
  connect(line.values, &QLineEdit::textEdited, this, later);
  connect(line.together, &QCheckBox::toggled, this, later);
  connect(line.remove, &QToolButton::clicked, this, [this, choice = line.field] { removeLine(choice); });
  lines_.push_back(line);
}

void SweepWindow::removeLine(QWidget* field) {
  const auto found = std::ranges::find_if(lines_, [&](const Line& line) { return line.field == field; });
  if (found == lines_.end()) return;
  const Line line = *found;
  lines_.erase(found);
  removeRow(line);
  check();
}

void SweepWindow::removeRow(const Line& line) {
  for (QWidget* each :
       {static_cast<QWidget*>(line.field), static_cast<QWidget*>(line.values), static_cast<QWidget*>(line.together),
        static_cast<QWidget*>(line.remove), static_cast<QWidget*>(line.note)}) {
    each->hide();
    each->deleteLater();
  }
}

std::optional<SweepAxis> SweepWindow::axisOf(const Line& line, QString& problem) const {
  const Field* field = findField(line.field->path());
  if (field == nullptr) {
    problem = tr("Choose a field");
    return std::nullopt;
  }
  auto values = sweepValues(*field, line.values->text().toStdString());
  if (values.ok()) return SweepAxis{field->path, std::move(*values)};
  problem = formText(values.error().message);
  return std::nullopt;
}

/// What is wrong, or how values are written: one line, so that the rows below stay in their places.
void SweepWindow::showNote(const Line& line, const QString& problem) {
  const Field* field = findField(line.field->path());
  const bool isBad = !problem.isEmpty() && !line.values->text().isEmpty();
  Theme::setLook(line.note, isBad ? TextLook::Bad : TextLook::Small);
  line.note->setText(isBad || field == nullptr ? problem : valuesHint(*field));
}

std::vector<std::string> SweepWindow::zippedFields() const {
  std::vector<std::string> zip;
  for (const Line& line : lines_)
    if (line.together->isChecked()) zip.push_back(line.field->path());
  return zip;
}

/// Reads the lines; shows the problem of each, or the runs that all of them make.
void SweepWindow::check() {
  const ConfigDraft& draft = presenter_.draft();
  axes_.clear();
  first_ = {};
  first_.config = draft.config();
  first_.baseFolder = draft.baseFolder();
  first_.config.experiment = experiment_->text().trimmed().toStdString();
  first_.config.zip = zippedFields();
  std::set<std::string> seen;
  bool good = true;
  for (const Line& line : lines_) {
    QString problem;
    auto axis = axisOf(line, problem);
    if (axis && !seen.insert(axis->field).second) problem = tr("This field already has a row");
    showNote(line, problem);
    good = good && problem.isEmpty();
    if (!axis || !problem.isEmpty()) continue;
    findField(axis->field)->set(first_.config, axis->values.front());
    axes_.push_back(std::move(*axis));
  }
  showCompanion();
  const auto runs = sweepRuns(first_, axes_);
  const std::string invalid = findField("experiment")->check(first_.config.experiment);
  accept_->setEnabled(good && runs.ok() && invalid.empty());
  Theme::setLook(summary_, runs.ok() && invalid.empty() ? TextLook::Body : TextLook::Bad);
  ++generation_;
  names_->clear();
  if (!invalid.empty())
    summary_->setText(tr("Experiment: %1", "%1: what is wrong").arg(toQt(invalid)));
  else if (!runs.ok())
    summary_->setText(sentenceCase(formText(runs.error().message)));
  else
    showRuns(*runs);
}

void SweepWindow::showCompanion() {
  TrainConfig config = presenter_.draft().config();
  config.zip = zippedFields();
  missing_ = companionAxis(config, axes_);
  companion_->setVisible(missing_.has_value());
  if (!missing_) return;
  const QString label = fieldLabel(missing_->axis.field), of = fieldLabel(missing_->of);
  companion_->setText(tr("Vary “%1” together with “%2”").arg(label, of));
  companion_->setToolTip(plainToolTip(tr("“%1” needs other values where “%2” differs: adds it with %3")
                                          .arg(label, of, toQt(joined(missing_->axis.values)))));
}

void SweepWindow::showRuns(const std::vector<LoadedConfig>& runs) {
  QStringList names;
  for (std::size_t i = 0; i < std::min(runs.size(), kMaxNames); ++i) names << toQt(runName(runs[i].config));
  if (runs.size() > kMaxNames) names << tr("and %1 more").arg(runs.size() - kMaxNames);
  names_->setText(axes_.empty() ? QString() : names.join(QLatin1Char('\n')));
  const QString count = plural(runs.size(), tr("%n run"), tr("%n runs"));
  const auto invalid = std::ranges::find_if(runs, [](const LoadedConfig& run) { return !run.ok(); });
  Theme::setLook(summary_, invalid == runs.end() ? TextLook::Body : TextLook::Warning);
  if (invalid != runs.end()) {
    const auto bad = std::ranges::count_if(runs, [](const LoadedConfig& run) { return !run.ok(); });
    summary_->setText(
        tr("%1, of which %2 cannot start: %3", "%1: 6 runs, %2: a number, %3: why")
            .arg(count, integerText(bad),
                 toQt(inContextText(runContextText(invalid->config.name), invalid->errors.front().full(false)))));
    return;
  }
  summary_->setText(count);
  presenter_.planSweep(
      first_, axes_,
      [window = QPointer(this), count, generation = generation_](const std::vector<PlannedRun>& planned) {
        if (!window || generation != window->generation_) return;
        QString text = count;
        if (const auto seconds = totalSeconds(planned); seconds && !planned.empty())
          text = tr("%1, about %2 one after the other", "%1: 6 runs, %2: a duration")
                     .arg(count, toQt(formatDuration(*seconds)));
        const auto warnings = otherWarnings(planned, window->presenter_.preview().warnings);
        if (!warnings.empty()) text += QLatin1Char('\n') + sentenceCase(formText(warnings.front().message));
        Theme::setLook(window->summary_, warnings.empty() ? TextLook::Body : TextLook::Warning);
        window->summary_->setText(text);
      });
}

void SweepWindow::apply() {
  delay_.stop();
  check();
  if (!accept_->isEnabled()) return;
  presenter_.draft().setSweep(axes_, axes_.size() > 1 ? first_.config.zip : std::vector<std::string>(),
                              experiment_->text().trimmed().toStdString());
  accept();
}

}  // namespace batchwise
