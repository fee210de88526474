// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/preview_pane.h"

#include <QtCore/QScopedValueRollback>
#include <QtCore/QSignalBlocker>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QStyledItemDelegate>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeView>
#include <algorithm>
#include <limits>

#include "core/base/format.h"
#include "core/run/launch/launch_check.h"
#include "ui/charts/plan_chart.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/table_views.h"

namespace batchwise {
namespace {

constexpr int kMaxRows = 6;  // of a table, before it scrolls
constexpr std::size_t kMaxWarnings = 4;
constexpr qsizetype kShortValue = 9;  // characters of a value that fits beside another

/// Rows are close together, but not as close as the lines of a text.
class CompactRows final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    constexpr int kPadding = 3;
    return {QStyledItemDelegate::sizeHint(option, index).width(), option.fontMetrics.height() + 2 * kPadding};
  }
};

/// A table that is as high as its rows, up to a limit.
QTreeView* smallTable(QWidget* parent, QAbstractItemModel& model, const char* name, const QString& accessible) {
  auto* view = new QTreeView(parent);
  view->setModel(&model);
  setUpTable(*view, name, accessible);
  view->setItemDelegate(new CompactRows(view));
  view->setSelectionMode(QAbstractItemView::NoSelection);
  view->setFocusPolicy(Qt::TabFocus);
  view->setTextElideMode(Qt::ElideMiddle);
  view->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  return view;
}

/// `room`: width that it will have.
void sizeTable(QTreeView& view, int room) {
  const int rows = std::clamp(view.model()->rowCount(), 1, kMaxRows);
  const int line = std::max(0, view.sizeHintForRow(0));
  const int across = view.model()->rowCount() > kMaxRows ? view.verticalScrollBar()->sizeHint().width() : 0;
  const bool scrolls = view.header()->length() + across > room;
  const int bar = scrolls ? view.horizontalScrollBar()->sizeHint().height() : 0;
  view.setFixedHeight(view.header()->sizeHint().height() + rows * line + bar + 4);
}

/// Returns the field that a button for `path` goes to: the first one if it is a group; null if there is none.
const Field* fieldToShow(const std::string& path) {
  const std::string plain = path.substr(0, path.find('['));
  if (const Field* field = findField(plain)) return field;
  const auto& fields = configSchema();
  const auto found =
      std::ranges::find_if(fields, [&](const Field& each) { return each.path.starts_with(plain + "."); });
  return found == fields.end() ? nullptr : &*found;
}

/// Returns the label of the field or group that a note is about.
QString labelAbout(const std::string& path) {
  const std::string plain = path.substr(0, path.find('['));
  return findField(plain) == nullptr ? toQt(groupTitle(plain)) : fieldLabel(plain);
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
  grid_->setContentsMargins(0, 0, 0, 0);
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
    const Field* field = warning.field.empty() ? nullptr : fieldToShow(warning.field);
    const QString label = field == nullptr ? QString() : labelAbout(warning.field);
    const QString text = field == nullptr ? sentenceCase(formText(warning.message)) : formText(warning.message);
    if (i >= shown && i < warnings.size()) hidden << (field == nullptr ? text : tr("%1: %2").arg(label, text));
    if (i >= rows_.size()) continue;
    rows_[i].field->setProperty("path", field == nullptr ? QString() : toQt(field->path));
    rows_[i].field->setProperty("label", label);
    rows_[i].field->setToolTip(tr("Go to this setting"));
    rows_[i].field->setVisible(i < shown && field != nullptr);
    rows_[i].text->setText(text);
    rows_[i].text->setVisible(i < shown);
  }
  more_->setText(tr("and %1 more").arg(hidden.size()));
  more_->setToolTip(plainToolTip(hidden.join(QLatin1Char('\n'))));
  more_->setVisible(!hidden.isEmpty());
  setVisible(!warnings.empty());
  fitLabels();
}

bool WarningList::event(QEvent* event) {
  const bool handled = QWidget::event(event);
  if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) fitLabels();  // or another text size
  return handled;
}

/// Breaks labels so that they take at most a third of the width, and leave the rest to the texts.
void WarningList::fitLabels() {
  for (const Row& row : rows_) {
    const auto fits = [&](const QString& line) {
      return row.field->fontMetrics().horizontalAdvance(line) <= width() / 3;
    };
    row.field->setText(brokenLines(row.field->property("label").toString(), fits).join(QLatin1Char('\n')));
  }
}

PreviewPane::PreviewPane(EditPresenter& presenter, const Theme& theme, QWidget* parent)
    : QScrollArea(parent), presenter_(presenter), theme_(theme) {
  setAccessibleName(tr("Plan of the run"));
  auto* content = new QWidget(this);
  auto* text = makeText(content);
  auto* facts = makeFacts(content);
  auto* charts = makeCharts(content);
  auto* assumption = makeAssumption(content);
  makeTables(content);
  error_ = textLabel(content, TextLook::Bad);
  warnings_ = named(new WarningList(content), "planWarnings");
  previewedRun_ = named(textLabel(content, TextLook::Muted), "previewedRun");
  headline_ = named(textLabel(content), "planHeadline");
  tableHint_ = named(textLabel(content, TextLook::Small, tr("The batch size is a table of stages now.")), "tableHint");
  tableHint_->hide();
  outdated_ = named(textLabel(content, TextLook::Warning), "outdatedPreview");
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
                    tableHint_,
                    warnings_,
                    stretch(1)},
                   {{8, 8, 8, 4}, 6});
  fillScrollArea(*this, content);
  connect(&presenter_, &EditPresenter::previewChanged, this, &PreviewPane::readPreview);
  connect(&presenter_, &EditPresenter::previewOutdated, this, &PreviewPane::showOutdated);
  connect(&theme, &Theme::changed, this, &PreviewPane::sizeTables);
  connect(warnings_, &WarningList::fieldChosen, this, &PreviewPane::fieldChosen);
  connect(&presenter_.draft(), &ConfigDraft::changed, this, [this] {
    if (isDrawing_) return;
    isStale_ = true;
    tableHint_->hide();
  });
  constexpr int kTakeMs = 100;  // the form needs a frame
  takeDelay_.setSingleShot(true);
  takeDelay_.setInterval(kTakeMs);
  connect(&takeDelay_, &QTimer::timeout, this, &PreviewPane::takeDrawn);
  readPreview();
}

QWidget* PreviewPane::makeText(QWidget* parent) {
  auto* lines = new QWidget(parent);
  text_ = named(textLabel(lines), "planText");
  sample_ = named(new ElidedLabel(lines), "planSample", tr("Beginning of the text"));
  Theme::setLook(sample_, TextLook::Small);
  column(lines, {text_, sample_}, {{0, 0, 0, 0}, 0});
  return lines;
}

QWidget* PreviewPane::makeCharts(QWidget* parent) {
  charts_ = new QWidget(parent);
  rate_ = new PlanChart(tr("Learning rate"), tr("planned, over global batches"), ValueFormat::Rate,
                        PlanChart::Course::Line, theme_, charts_);
  step_ = new PlanChart(tr("Batch size"), tr("samples per step, planned"), ValueFormat::Count, PlanChart::Course::Steps,
                        theme_, charts_);
  row(charts_, {{rate_, 1}, {step_, 1}}, {{0, 0, 0, 0}, 4});
  for (PlanChart* chart : {rate_, step_}) makeDrawable(*chart);
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
  row(line, {label, samples_, {assumed_, 1}}, {{0, 0, 0, 0}});
  connect(samples_, &QSpinBox::valueChanged, this, [this](int value) {
    presenter_.assumeSamples(value > 0 ? std::optional<std::int64_t>(value) : std::nullopt);
  });
  return line;
}

QWidget* PreviewPane::makeFacts(QWidget* parent) {
  facts_ = named(new QWidget(parent), "planFacts");
  factGrid_ = new QGridLayout(facts_);
  factGrid_->setContentsMargins(0, 0, 0, 0);
  factGrid_->setHorizontalSpacing(12);
  factGrid_->setVerticalSpacing(2);
  for (const int values : {1, 3}) factGrid_->setColumnStretch(values, 1);
  return facts_;
}

void PreviewPane::makeTables(QWidget* parent) {
  stages_ = smallTable(parent, presenter_.stages(), "planStages", tr("Stages of the plan"));
  runs_ = smallTable(parent, runRows_, "planRuns", tr("Runs to launch"));
  runs_->setToolTip(tr("Choose a run to see its plan"));
  runs_->setSelectionMode(QAbstractItemView::SingleSelection);
  connect(runs_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
    if (!reading_) presenter_.previewRun(current.row() - 1);
  });
}

void PreviewPane::sizeTables() {
  const QMargins margins = column_->contentsMargins();
  for (QTreeView* table : {stages_, runs_}) {
    for (QWidget* part : std::initializer_list<QWidget*>{table, table->header(), table->header()->viewport()})
      part->setFont(theme_.smallFont());
    sizeTable(*table, viewport()->width() - margins.left() - margins.right());
  }
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
  facts_->setEnabled(true);
  headline_->setText(headline(facts));
  headline_->setVisible(!headline_->text().isEmpty());
}

/// One column for each field with several values; the names of the runs are their tool tips. The first row is the sum.
void PreviewPane::showRuns() {
  const EditPresenter::Preview& preview = presenter_.preview();
  const bool exact = preview.plan.lengthsKnown;  // else every sample is taken to be as long as it may be
  TextTable table;
  for (const SweepAxis& axis : presenter_.draft().axes()) {
    const FieldKind kind = findField(axis.field)->kind;
    const bool isNumber = kind == FieldKind::Integer || kind == FieldKind::Number;
    table.columns.push_back({inTwoLines(fieldLabel(axis.field)).toStdString(), isNumber, axis.field});
  }
  table.columns.push_back({tr("Steps").toStdString(), true});
  table.columns.push_back({(exact ? tr("Tokens") : inTwoLines(tr("Tokens, at most"))).toStdString(), true});
  table.columns.push_back({(exact ? tr("Duration") : inTwoLines(tr("Duration, at most"))).toStdString(), true});
  const auto add = [&table](std::vector<std::string> row, const auto& steps, const auto& tokens, const auto& seconds) {
    row.resize(table.columns.size() - 3);
    for (const std::string& cell : {steps, countOr(tokens), secondsOr(seconds)}) row.push_back(cell);
    table.rows.push_back(std::move(row));
  };
  std::vector<std::vector<std::string>> names(1);
  if (!preview.runs.empty())
    add({tr("All %1 runs").arg(preview.runs.size()).toStdString()}, std::string(), totalTokens(preview.runs),
        totalSeconds(preview.runs));
  for (const PlannedRun& run : preview.runs) {
    add(run.values, countOr(run.steps), run.tokens, run.seconds);
    names.emplace_back(table.columns.size(), run.name);
  }
  runRows_.setTable(std::move(table), std::move(names));
  runs_->setVisible(!preview.runs.empty());
  runs_->setCurrentIndex(runRows_.index(static_cast<int>(preview.run) + 1, 0));
}

void PreviewPane::showPreviewedRun() {
  const ConfigDraft& draft = presenter_.draft();
  const EditPresenter::Preview& preview = presenter_.preview();
  const std::vector<SweepAxis>& axes = draft.axes();
  std::vector<std::string> chosen;  // of an older draft for a moment
  if (preview.run < std::ssize(preview.runs)) chosen = preview.runs[static_cast<std::size_t>(preview.run)].values;
  const bool isCurrent = chosen.size() == axes.size();
  QStringList values;
  for (std::size_t i = 0; i < axes.size(); ++i)
    values << tr("%1 %2", "a field and its value")
                  .arg(fieldLabel(axes[i].field), toQt(isCurrent ? chosen[i] : axes[i].values.front()));
  previewedRun_->setText(
      tr("The preview shows run %1 of %2: %3", "%3: its values")
          .arg(integerText(preview.run + 1), integerText(draft.runs()), values.join(QStringLiteral(", "))));
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
  else if (preview.sampleCountSource == Source::Documents)
    assumed_->setText(tr("about %1, from the documents that were counted").arg(integerText(preview.samplesPerEpoch)));
  else if (preview.sampleCountSource == Source::FileSizes)
    assumed_->setText(tr("about %1, from the size of the text").arg(integerText(preview.samplesPerEpoch)));
  else
    assumed_->clear();
}

void PreviewPane::readPreview() {
  const QScopedValueRollback reading(reading_, true);
  const EditPresenter::Preview& preview = presenter_.preview();
  showText();
  showPreviewedRun();
  showProblem();
  const auto end = static_cast<double>(preview.plan.totals.batches.value_or(1));
  rate_->setPoints(preview.plan.rate, end);
  step_->setPoints(withoutEpochEnds(preview.plan.stepSize), end);
  step_->setVisible(!preview.plan.stepSize.empty());
  showFacts();
  showRuns();
  showAssumption();
  stages_->setVisible(presenter_.stages().rowCount() > 0);
  stages_->setColumnHidden(StageModel::SamplesColumn, !preview.plan.units.packs);
  warnings_->setWarnings(preview.warnings);
  charts_->setVisible(beforeDrag_ || preview.plan.rate.size() > 1);
  if (!beforeDrag_) readDrawing();
  sizeTables();
}

void PreviewPane::makeDrawable(PlanChart& chart) {
  connect(&chart.handles(), &HandleLayer::requested, this,
          [this, &chart](const HandleRequest& request) { answer(chart, request); });
  connect(&chart.handles(), &HandleLayer::dragEnded, this, &PreviewPane::endDrag);
  connect(&chart.handles(), &HandleLayer::dragBegun, this, [this] {
    if (!canDraw()) return;
    beforeDrag_ = drawing_;
    presenter_.draft().beginDrag();
  });
}

void PreviewPane::readDrawing() {
  if (!presenter_.isPreviewCurrent()) return;
  isStale_ = !presenter_.draft().ready();
  if (isStale_) {  // the plan is of other settings than the last dots
    for (PlanChart* chart : {rate_, step_}) chart->setHandles({}, {});
    return;
  }
  std::vector<std::string> varied;
  for (const SweepAxis& axis : presenter_.draft().axes()) varied.push_back(axis.field);
  const auto plan = std::make_shared<const PlanPreview>(presenter_.preview().plan);
  showDrawing(PlanDrawing(presenter_.draft().config(), plan, varied));
}

/// The course stands in for the plan until that has been computed.
void PreviewPane::showDrawing(PlanDrawing drawing) {
  drawing_ = std::move(drawing);
  const auto shown = [](const std::vector<PlanHandle>& handles) {
    std::vector<ChartHandle> all;
    for (const PlanHandle& handle : handles) all.push_back(handle.shown);
    return all;
  };
  const bool isAhead = beforeDrag_ || !presenter_.isPreviewCurrent();
  step_->setHandles(shown(drawing_.sizes()), isAhead ? drawing_.sizeCourse() : std::vector<QPointF>());
  rate_->setHandles(shown(drawing_.rates()), {});
  const QString help = tr("Drag a line or a dot, with Shift to exact values. A double click on it asks for a number.");
  const QString add = tr("Elsewhere a double click adds a stage; Delete removes the one in use.");
  const QString &noSizes = drawing_.sizesLock(), &noTimes = drawing_.timesLock();
  step_->handles().setToolTip(plainToolTip(noSizes.isEmpty() ? help + QLatin1Char('\n') + add : noSizes));
  rate_->handles().setToolTip(plainToolTip(noTimes.isEmpty() ? help : noTimes));
}

void PreviewPane::answer(PlanChart& chart, const HandleRequest& request) {
  using Kind = HandleRequest::Kind;
  const bool ofSizes = &chart == step_;
  const PlanDrawing& drawing = beforeDrag_ && request.kind == Kind::Move ? *beforeDrag_ : drawing_;
  const std::vector<PlanHandle>& handles = ofSizes ? drawing.sizes() : drawing.rates();
  const bool isAllowed = beforeDrag_ || (canDraw() && request.kind != Kind::Move);
  if (!isAllowed || (request.kind != Kind::Add && request.handle >= handles.size())) return;
  const QPointF pixel = chart.handles().scale().unit();
  const auto snap = request.exact ? PlanDrawing::Snap::Exact : PlanDrawing::Snap::Round;
  switch (request.kind) {
    case Kind::Move: return draw(drawing.moved(handles[request.handle], request.to, pixel, snap));
    case Kind::Step: return draw(drawing.stepped(handles[request.handle], request.steps, pixel));
    case Kind::Type: return typeValue(handles[request.handle]);
    case Kind::Add: return ofSizes ? draw(drawing.added(request.to, pixel, snap)) : void();
    case Kind::Remove: return ofSizes ? draw(drawing.removed(handles[request.handle].stage)) : void();
  }
}

void PreviewPane::typeValue(const PlanHandle& chosen) {
  const PlanHandle handle = chosen;
  const PlanDrawing drawing = drawing_;  // another plan may arrive meanwhile
  TextQuestion question{handle.shown.name, handle.shown.value, tr("Set"), handle.shown.typed};
  while (const auto text = askText(*this, question)) {
    const auto config = drawing.typed(handle, *text);
    if (config.ok()) return draw(*config);
    question.label = sentenceCase(formText(config.error().message));
    question.text = *text;
  }
}

/// Shows it at once; the draft follows in intervals while it is dragged.
void PreviewPane::draw(const TrainConfig& config) {
  const PlanDrawing before = drawing_;
  drawn_ = config;
  if (!takeDelay_.isActive()) {
    takeDrawn();
    if (beforeDrag_) takeDelay_.start();
  }
  showDrawing(before.of(config));
  if (!beforeDrag_) tellOfTable(before.config());
}

void PreviewPane::takeDrawn() {
  if (!drawn_) return;
  const QScopedValueRollback drawing(isDrawing_, true);
  presenter_.draft().takeDrawn(*drawn_);
  drawn_.reset();
}

void PreviewPane::endDrag(bool keep) {
  if (!beforeDrag_) return;
  takeDelay_.stop();
  if (keep) takeDrawn();
  drawn_.reset();
  {
    const QScopedValueRollback drawing(isDrawing_, true);
    presenter_.draft().endDrag(keep ? ConfigDraft::DragEnd::Keep : ConfigDraft::DragEnd::Restore);
  }
  const PlanDrawing before = *std::exchange(beforeDrag_, std::nullopt);
  isStale_ = !keep && !presenter_.isPreviewCurrent();
  if (presenter_.isPreviewCurrent())
    readDrawing();
  else
    showDrawing(keep ? drawing_ : before);
  if (keep) tellOfTable(before.config());
}

void PreviewPane::tellOfTable(const TrainConfig& before) {
  const bool was = !before.batch.rampup.stages.empty(), is = !drawing_.config().batch.rampup.stages.empty();
  if (is && !was) tableHint_->show();
}

/// The figures of an earlier draft stay readable, so that nothing moves, but are marked.
void PreviewPane::showOutdated() {
  headline_->setText(tr("Computing the plan…"));
  headline_->setVisible(true);
  facts_->setEnabled(false);
}

/// What is wrong with a setting stands at its field: here, only whether there is a plan without it.
void PreviewPane::showProblem() {
  const auto& [path, message, untilLaunch] = presenter_.preview().error;
  const bool ready = presenter_.draft().ready();
  const Field* field = path.empty() ? nullptr : fieldToShow(path);
  const QString text = toQt(message);
  error_->setText(field == nullptr ? sentenceCase(text) : tr("%1: %2").arg(labelAbout(path), text));
  error_->setVisible(ready && !text.isEmpty());
  outdated_->setText(text.isEmpty() ? tr("Some settings need correction. The preview shows the last valid settings.")
                                    : tr("Some settings need correction before there is a plan."));
  outdated_->setVisible(!ready);
}

void PreviewPane::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  sizeTables();
}

}  // namespace batchwise
