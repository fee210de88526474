// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/edit/preview_pane.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeView>
#include <limits>

#include "core/base/format.h"
#include "ui/models/display_text.h"
#include "ui/models/labels.h"
#include "ui/widgets/charts/series_chart.h"
#include "ui/widgets/parts/labels.h"
#include "ui/widgets/parts/layouts.h"

namespace batchwise {
namespace {

constexpr int kMaxRows = 6;
constexpr std::size_t kMaxWarnings = 4;
constexpr qsizetype kShortValue = 16;  // characters of a value that fits beside another

ChartContent oneLine(const std::vector<QPointF>& points, std::optional<std::int64_t> batches, bool steps) {
  ChartContent content;
  content.xHigh = batches ? static_cast<double>(std::max<std::int64_t>(1, *batches)) : 1.0;
  if (points.empty()) return content;
  ChartLine line;
  line.steps = steps;
  line.points = LongSeries(points);
  content.lines.push_back(std::move(line));
  return content;
}

/// A table that is as high as its rows, at most kMaxRows.
QTreeView* smallTable(QWidget* parent, QAbstractItemModel& model, const char* name, const QString& accessible) {
  auto* view = named(new QTreeView(parent), name, accessible);
  view->setModel(&model);
  view->setRootIsDecorated(false);
  view->setUniformRowHeights(true);
  view->setFrameShape(QFrame::NoFrame);
  view->setSelectionMode(QAbstractItemView::NoSelection);
  view->setFocusPolicy(Qt::TabFocus);
  view->setTextElideMode(Qt::ElideMiddle);
  view->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view->header()->setStretchLastSection(false);
  view->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  return view;
}

void sizeTable(QTreeView& view) {
  const int rows = std::clamp(view.model()->rowCount(), 1, kMaxRows);
  const int line = std::max(view.sizeHintForRow(0), view.fontMetrics().height() + 4);
  const int bar = view.horizontalScrollBar()->sizeHint().height();  // where the columns do not fit
  view.setFixedHeight(view.header()->sizeHint().height() + rows * line + bar + 4);
}

std::string countOr(const std::optional<std::int64_t>& count) {
  return count ? formatCount(static_cast<double>(*count)) : std::string("–");
}

std::string secondsOr(const std::optional<double>& seconds) {
  return seconds ? formatDuration(*seconds) : std::string("–");
}

}  // namespace

WarningList::WarningList(QWidget* parent)
    : QWidget(parent), grid_(new QGridLayout(this)), more_(plainLabel(this, TextLook::Muted)) {
  grid_->setContentsMargins(8, 0, 0, 0);
  grid_->setHorizontalSpacing(8);
  grid_->setVerticalSpacing(2);
  grid_->setColumnStretch(1, 1);
  grid_->addWidget(more_, static_cast<int>(kMaxWarnings), 0, 1, 2);
}

void WarningList::addRow() {
  const int at = static_cast<int>(rows_.size());
  auto* field = named(new QToolButton(this), "warningField");
  field->setAutoRaise(true);
  field->setFocusPolicy(Qt::TabFocus);
  connect(field, &QToolButton::clicked, this,
          [this, field] { Q_EMIT fieldChosen(field->property("path").toString().toStdString()); });
  auto* text = textLabel(this, TextLook::Warning);
  grid_->addWidget(field, at, 0, Qt::AlignLeft | Qt::AlignTop);
  grid_->addWidget(text, at, 1);
  rows_.push_back({field, text});
}

void WarningList::setWarnings(const std::vector<FieldProblem>& warnings) {
  const std::size_t shown = std::min(warnings.size(), kMaxWarnings);
  while (rows_.size() < shown) addRow();
  QStringList hidden;
  for (std::size_t i = 0; i < std::max(rows_.size(), warnings.size()); ++i) {
    const FieldProblem warning = i < warnings.size() ? warnings[i] : FieldProblem();
    const std::string path = warning.field.substr(0, warning.field.find('['));
    const bool isField = findField(path) != nullptr;
    QString text = coreText(warning.message);
    if (const QString prefix = toQt(path) + QStringLiteral(": "); isField && text.startsWith(prefix))
      text.remove(0, prefix.size());  // the button says it
    if (i >= shown && i < warnings.size()) hidden << QStringLiteral("%1: %2").arg(fieldLabel(path), text);
    if (i >= rows_.size()) continue;
    rows_[i].field->setProperty("path", toQt(path));
    rows_[i].field->setText(fieldLabel(path));
    rows_[i].field->setToolTip(tr("Go to this setting"));
    rows_[i].field->setVisible(i < shown && isField);
    rows_[i].text->setText(text);
    rows_[i].text->setVisible(i < shown);
  }
  more_->setText(tr("and %n more", nullptr, static_cast<int>(hidden.size())));
  more_->setToolTip(plainToolTip(hidden.join(QLatin1Char('\n'))));
  more_->setVisible(!hidden.isEmpty());
  setVisible(!warnings.empty());
}

PreviewPane::PreviewPane(EditPresenter& presenter, const Theme& theme, QWidget* parent)
    : QScrollArea(parent), presenter_(presenter) {
  setAccessibleName(tr("Plan of the run"));
  auto* content = new QWidget(this);
  auto* text = makeText(content);
  auto* facts = makeFacts(content);
  auto* charts = makeCharts(theme, content);
  auto* assumption = makeAssumption(content);
  makeTables(content);
  error_ = textLabel(content, TextLook::Bad);
  warnings_ = named(new WarningList(content), "planWarnings");
  previewedRun_ = named(textLabel(content, TextLook::Muted), "previewedRun");
  headline_ = named(textLabel(content), "planHeadline");
  headline_->setContentsMargins(8, 0, 0, 0);
  outdated_ = named(textLabel(content, TextLook::Warning,
                              tr("Some settings need correction. The preview shows the last valid settings.")),
                    "outdatedPreview");
  column_ = column(content,
                   {outdated_,
                    headline_,
                    text,
                    assumption,
                    runs_,
                    previewedRun_,
                    error_,
                    facts,
                    stages_,
                    {charts, 100},
                    warnings_,
                    Cell(1)},
                   {{0, 0, 8, 4}, 6});
  fillScrollArea(*this, content);
  connect(&presenter_, &EditPresenter::previewChanged, this, &PreviewPane::readPreview);
  connect(&theme, &Theme::changed, this, &PreviewPane::sizeTables);
  connect(warnings_, &WarningList::fieldChosen, this, &PreviewPane::fieldChosen);
  readPreview();
}

QWidget* PreviewPane::makeText(QWidget* parent) {
  auto* lines = new QWidget(parent);
  text_ = named(textLabel(lines), "planText");
  sample_ = named(new ElidedLabel(lines), "planSample", tr("Beginning of the text"));
  Theme::setLook(sample_, TextLook::Small);
  column(lines, {text_, sample_}, {{8, 0, 0, 0}, 0});
  return lines;
}

QWidget* PreviewPane::makeCharts(const Theme& theme, QWidget* parent) {
  const QString none = tr("No plan yet");
  charts_ = new QWidget(parent);
  rate_ = new SeriesChart({tr("Learning rate"), tr("planned, over global batches"), ValueFormat::Rate, true, none},
                          theme, charts_);
  step_ = new SeriesChart({tr("Batch size"), tr("samples per step, planned"), ValueFormat::Count, true, none}, theme,
                          charts_);
  row(charts_, {{rate_, 1}, {step_, 1}}, {{0, 0, 0, 0}, 4});
  return charts_;
}

QWidget* PreviewPane::makeAssumption(QWidget* parent) {
  auto* line = new QWidget(parent);
  auto* label = new QLabel(tr("Samples per epoch"), line);
  samples_ = new QSpinBox(line);
  samples_->setRange(0, std::numeric_limits<int>::max());
  samples_->setGroupSeparatorShown(true);
  samples_->setSpecialValueText(tr("estimate"));
  samples_->setKeyboardTracking(false);
  named(samples_, "", label->text(), tr("Assumed by the preview until the text has been read"));
  label->setBuddy(samples_);
  assumed_ = plainLabel(line, TextLook::Small);
  assumed_->setWordWrap(true);
  row(line, {label, samples_, {assumed_, 1}}, {{8, 0, 0, 0}});
  connect(samples_, &QSpinBox::valueChanged, this, [this](int value) {
    presenter_.assumeSamples(value > 0 ? std::optional<std::int64_t>(value) : std::nullopt);
  });
  return line;
}

QWidget* PreviewPane::makeFacts(QWidget* parent) {
  facts_ = named(new QWidget(parent), "planFacts");
  factGrid_ = new QGridLayout(facts_);
  factGrid_->setContentsMargins(8, 0, 0, 0);
  factGrid_->setHorizontalSpacing(12);
  factGrid_->setVerticalSpacing(2);
  for (const int values : {1, 3}) factGrid_->setColumnStretch(values, 1);
  return facts_;
}

void PreviewPane::makeTables(QWidget* parent) {
  stages_ = smallTable(parent, presenter_.stages(), "planStages", tr("Stages of the plan"));
  runs_ = smallTable(parent, runRows_, "planRuns", tr("Runs to launch"));
}

void PreviewPane::sizeTables() {
  for (QTreeView* table : {stages_, runs_}) sizeTable(*table);
  showChartsIfTheyFit();
}

void PreviewPane::showText() {
  const EditPresenter::Preview& preview = presenter_.preview();
  const QString line = textLine(preview.text);
  text_->setText(line.isEmpty() ? tr("No training text yet") : line);
  sample_->setText(preview.text.sample);
  sample_->setVisible(!preview.text.sample.isEmpty());
}

/// Lays out short facts in two pairs of columns, a long one over both.
void PreviewPane::placeFacts(const std::vector<PlanFact>& facts) {
  int cell = 0;  // two in a line
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const auto& [name, value] = factLabels_[i];
    const bool isLong = facts[i].value.size() > kShortValue;
    if (isLong) cell += cell % 2;
    const int first = 2 * (cell % 2);
    factGrid_->addWidget(name, cell / 2, first, Qt::AlignLeft | Qt::AlignTop);
    factGrid_->addWidget(value, cell / 2, first + 1, 1, isLong ? 3 : 1);
    cell += isLong ? 2 : 1;
  }
}

void PreviewPane::showFacts() {
  const auto facts = planFacts(presenter_.preview().plan, presenter_.preview().estimates);
  while (factLabels_.size() < facts.size())
    factLabels_.emplace_back(plainLabel(facts_, TextLook::Muted), textLabel(facts_, TextLook::Body))
        .second->setAlignment(Qt::AlignTop);
  for (std::size_t i = 0; i < factLabels_.size(); ++i) {
    const PlanFact fact = i < facts.size() ? facts[i] : PlanFact();
    const auto& [name, value] = factLabels_[i];
    for (QLabel* label : {name, value}) {
      factGrid_->removeWidget(label);
      label->setToolTip(fact.toolTip);
      label->setVisible(i < facts.size());
    }
    name->setText(fact.name);
    value->setText(fact.value);
  }
  placeFacts(facts);
  facts_->setVisible(!facts.empty());
  headline_->setText(headline(facts));
  headline_->setVisible(!headline_->text().isEmpty());
}

void PreviewPane::showRuns() {
  const EditPresenter::Preview& preview = presenter_.preview();
  const std::vector<SweepAxis>& axes = presenter_.draft().axes();
  const bool exact = preview.plan.lengthsKnown;  // else every sample is taken to be as long as it may be
  TextTable table;
  table.columns = {{tr("Run").toStdString()},
                   {tr("Differs in").toStdString()},
                   {tr("Steps").toStdString(), true},
                   {(exact ? tr("Tokens") : tr("Tokens, at most")).toStdString(), true},
                   {(exact ? tr("Duration") : tr("Duration, at most")).toStdString(), true}};
  for (const PlannedRun& run : preview.runs)
    table.rows.push_back({run.name, differenceText(run, axes).toStdString(), countOr(run.steps), countOr(run.tokens),
                          secondsOr(run.seconds)});
  if (!preview.runs.empty())
    table.rows.insert(table.rows.begin(),
                      {tr("All %n run(s)", nullptr, static_cast<int>(preview.runs.size())).toStdString(), "", "",
                       countOr(totalTokens(preview.runs)), secondsOr(totalSeconds(preview.runs))});
  runRows_.setTable(std::move(table));
  runs_->setVisible(!preview.runs.empty());
}

void PreviewPane::showPreviewedRun() {
  const ConfigDraft& draft = presenter_.draft();
  QStringList values;
  for (const SweepAxis& axis : draft.axes())
    values << tr("%1 %2", "a field and its value").arg(fieldLabel(axis.field), toQt(axis.values.front()));
  previewedRun_->setText(tr("The preview shows the first of %n run(s): %1", nullptr, static_cast<int>(draft.runs()))
                             .arg(values.join(QStringLiteral(", "))));
  previewedRun_->setVisible(draft.runs() > 1);
}

void PreviewPane::showAssumption() {
  const EditPresenter::Preview& preview = presenter_.preview();
  using Source = EditPresenter::SampleCountSource;
  {
    const QSignalBlocker quiet(samples_);
    const auto most = static_cast<std::int64_t>(std::numeric_limits<int>::max());
    const bool typed = preview.sampleCountSource == Source::User;
    samples_->setValue(typed ? static_cast<int>(std::min(preview.samplesPerEpoch, most)) : 0);
  }
  if (preview.samplesPerEpoch <= 0)
    assumed_->setText(tr("not known until the text is read"));
  else if (preview.sampleCountSource == Source::Data)
    assumed_->setText(tr("%1, from the last time the text was read").arg(integerText(preview.samplesPerEpoch)));
  else if (preview.sampleCountSource == Source::FileSizes)
    assumed_->setText(tr("about %1, from the size of the text").arg(integerText(preview.samplesPerEpoch)));
  else
    assumed_->clear();
}

void PreviewPane::readPreview() {
  const EditPresenter::Preview& preview = presenter_.preview();
  showText();
  showPreviewedRun();
  error_->setText(coreText(preview.error));
  error_->setVisible(!preview.error.empty());
  outdated_->setVisible(preview.error.empty() && !presenter_.draft().ready());
  rate_->setContent(oneLine(preview.plan.rate, preview.plan.totals.batches, false));
  step_->setContent(oneLine(preview.plan.stepSize, preview.plan.totals.batches, true));
  showFacts();
  showRuns();
  showAssumption();
  stages_->setVisible(presenter_.stages().rowCount() > 0);
  stages_->setColumnHidden(StageModel::SamplesColumn, !preview.plan.units.packs);
  warnings_->setWarnings(preview.warnings);
  sizeTables();
}

void PreviewPane::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  showChartsIfTheyFit();
}

void PreviewPane::showChartsIfTheyFit() {
  const int needed = column_->totalHeightForWidth(viewport()->width());
  const int without = charts_->isHidden() ? needed : needed - charts_->sizeHint().height() - column_->spacing();
  charts_->setVisible(viewport()->height() - without >= charts_->minimumSizeHint().height() + column_->spacing());
}

}  // namespace batchwise
