// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/values_pane.h"

#include <QtCore/QMap>
#include <QtCore/QSignalBlocker>
#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtWidgets/QApplication>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLayout>
#include <QtWidgets/QMenu>
#include <QtWidgets/QStyle>
#include <QtWidgets/QStyledItemDelegate>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QTabWidget>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QWidgetAction>
#include <algorithm>
#include <utility>

#include "core/analysis/comparison_tables.h"
#include "ui/charts/chart_legend.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"
#include "ui/parts/file_jobs.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/message_bar.h"
#include "ui/parts/shortcuts.h"
#include "ui/parts/table_views.h"
#include "ui/runs/effects_pane.h"
#include "ui/runs/parallel_plot.h"
#include "ui/runs/scores_pane.h"

namespace batchwise {
namespace {

/// Returns a sentence for each cell of the values table. A group has one more column, its number of runs.
std::vector<std::vector<std::string>> cellSentences(const RunComparison& comparison) {
  std::vector<std::vector<std::string>> texts;
  for (std::size_t i = 0; i < comparison.lines.size(); ++i) {
    const ComparedLine& line = comparison.lines[i];
    std::vector<std::string>& own = texts.emplace_back(1, line.label);
    if (!comparison.options.groupBy.empty()) own.push_back(std::to_string(line.counted.size()));
    for (std::size_t j = 0; j < comparison.columns.size(); ++j)
      own.insert(own.end(), 2, toQt(cellSentence(comparison, i, j)).toStdString());
  }
  return texts;
}

/// Capitalizes the title of a column, as on the whole page, and breaks a long one.
void formatTitle(TextTable::Column& column) {
  constexpr qsizetype kShort = 14;  // characters
  const QString title = sentenceCase(toQt(column.title));
  column.title = (title.size() > kShort ? inTwoLines(title) : title).toStdString();
}

/// Keeps the columns apart, and shows long names in a short form.
class SpacedDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    constexpr int kSpace = 12;
    return QStyledItemDelegate::sizeHint(option, index) + QSize(kSpace, 0);
  }
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.column() == 0) option->text = shortNames.value(option->text, option->text);
  }

  QMap<QString, QString> shortNames;
};

/// Names of a sweep may differ in their middle only: short forms that can be told apart.
QMap<QString, QString> shortForms(const std::vector<std::string>& names, const QFont& font) {
  constexpr int kChars = 32;
  const QFontMetricsF metrics(font);
  const QStringList whole = toQt(names), shorter = elidedApart(whole, kChars * metrics.averageCharWidth(), metrics);
  QMap<QString, QString> forms;
  for (qsizetype i = 0; i < whole.size(); ++i) forms.insert(whole[i], shorter[i]);
  return forms;
}

QString nothingToExport() {
  return ValuesPane::tr("There is no comparison to export; tick runs first");
}

}  // namespace

ValuesPane::ValuesPane(ComparePresenter& presenter, StudioSettings& settings, FileJobs& saving, const Theme& theme,
                       MessageBar& message, QWidget* parent)
    : QWidget(parent), presenter_(presenter), settings_(settings), saving_(saving), message_(message) {
  tabs_ = named(new QTabWidget(this), "compareTabs");
  tabs_->setDocumentMode(true);
  valuesView_ = makeTable(values_, tr("Values of the runs next to those of the baseline"));
  auto* differences = makeDifferences();
  parallel_ = new ParallelPlot(theme, tabs_);
  tabs_->addTab(valuesView_, tr("Values"));
  tabs_->addTab(differences, tr("Differences"));
  tabs_->addTab(parallel_, tr("Parallel axes"));
  effects_ = new EffectsPane(theme, tabs_);
  tabs_->addTab(effects_, tr("Effects of settings"));
  auto* scores = new ScoresPane(presenter_, settings_, tabs_);
  tabs_->addTab(scores, tr("Scores"));
  connect(scores, &ScoresPane::judgeRequested, this, &ValuesPane::judgeRequested);
  tabs_->setCornerWidget(makeMetric(), Qt::TopRightCorner);
  column(this, {makeSummary(), {tabs_, 1}}, {{8, 4, 8, 0}, 4});
  connect(valuesView_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) { Q_EMIT lineSelected(row.siblingAtColumn(0).data().toString()); });
  connect(parallel_, &ParallelPlot::kept, this, &ValuesPane::showKept);
  makeExportActions();
  connect(&presenter_, &ComparePresenter::changed, this, &ValuesPane::showComparison);
  connect(&theme, &Theme::changed, this, [this] {
    sizeRows();
    showComparison();  // names of the new font
  });
  sizeRows();
  showComparison();
}

/// Creates the line that describes the comparison, with a button for the notes on it.
QWidget* ValuesPane::makeSummary() {
  auto* bar = new QWidget(this);
  summary_ = new ElidedLabel(bar);
  Theme::setLook(summary_, TextLook::Muted);
  notes_ = named(new QToolButton(bar), "comparisonNotes", tr("Notes"), tr("What to know about these values"));
  notes_->setPopupMode(QToolButton::InstantPopup);
  notes_->setFocusPolicy(Qt::TabFocus);
  auto* menu = new QMenu(notes_);
  notesText_ = textLabel(menu);
  notesText_->setContentsMargins(8, 8, 8, 8);
  auto* content = new QWidgetAction(menu);
  content->setDefaultWidget(notesText_);
  menu->addAction(content);
  notes_->setMenu(menu);
  brush_ = named(new QToolButton(bar), "brushChip", tr("Show all runs"));
  brush_->setFocusPolicy(Qt::TabFocus);
  brush_->hide();
  connect(brush_, &QToolButton::clicked, this, [this] { parallel_->removeBrushes(); });
  auto* seeds = textButton(bar, "addSeeds", tr("Add seeds"),
                           tr("Queues the configuration of the selected row, or of all, with other seeds"));
  connect(seeds, &QToolButton::clicked, this, [this] {
    const QString line = valuesView_->currentIndex().siblingAtColumn(0).data().toString();
    QStringList runs;
    for (const RunGroup& group : presenter_.groups())
      if (line.isEmpty() || group.label == line) runs << group.runs;
    Q_EMIT seedsRequested(runs);
  });
  margin_ = named(new QDoubleSpinBox(bar), "margin", tr("Margin"),
                  tr("Margin: the notes say whether a loss is not worse than that of the baseline by more than this"));
  margin_->setDecimals(4);
  margin_->setRange(0, 9);
  margin_->setSingleStep(0.005);
  margin_->setPrefix(tr("Margin "));
  margin_->setSuffix(tr(" nats"));
  margin_->setSpecialValueText(tr("No margin"));
  margin_->setKeyboardTracking(false);
  connect(margin_, &QDoubleSpinBox::valueChanged, this,
          [this](double nats) { Q_EMIT marginRequested(nats > 0 ? std::optional(nats) : std::nullopt); });
  row(bar, {{summary_, 1}, brush_, margin_, seeds, notes_}, {{8, 0, 8, 0}, 4});
  setTabOrder(margin_, seeds);
  setTabOrder(seeds, notes_);
  return bar;
}

QWidget* ValuesPane::makeMetric() {
  metric_ = named(new QComboBox(tabs_), "metric", tr("Metric"), tr("Metric of the comparison"));
  metric_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  metric_->setMinimumContentsLength(8);
  connect(metric_, &QComboBox::activated, this, [this] { Q_EMIT metricRequested(metric_->currentData().toString()); });
  return metric_;
}

QTableView* ValuesPane::makeTable(TextTableModel& model, const QString& name) {
  auto* view = textTableView(tabs_, model, "", name);
  view->setItemDelegate(new SpacedDelegate(view));
  view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  return view;
}

/// Creates the table of differing fields, and below it a label with differing fields that the table omits.
QWidget* ValuesPane::makeDifferences() {
  auto* tab = new QWidget(tabs_);
  differencesView_ = makeTable(differences_, tr("Settings that differ among the runs"));
  differencesView_->setToolTip(tr("A double click groups the runs by the field"));
  uncounted_ = textLabel(tab, TextLook::Small);
  uncounted_->setContentsMargins(16, 4, 16, 4);
  column(tab, {{differencesView_, 1}, uncounted_}, {{0, 0, 0, 0}, 0});
  connect(differencesView_, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
    if (!presenter_.comparison()) return;
    const auto& rows = presenter_.comparison()->differences.rows;
    const auto row = static_cast<std::size_t>(index.row());
    if (row < rows.size()) Q_EMIT groupRequested(toQt(rows[row].field));
  });
  return tab;
}

/// Returns the differences with the field labels of the form, and a column of their names in the file.
TextTable ValuesPane::labeledDifferences() const {
  const RunComparison& comparison = *presenter_.comparison();
  TextTable table = differenceTable(comparison);
  formatTitle(table.columns.front());
  std::vector<std::string> runs;
  for (const ComparedRun& run : comparison.runs) runs.push_back(run.summary.name);
  const QMap<QString, QString> shorter = shortForms(runs, font());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    TextTable::Column& column = table.columns[i + 1];
    column.about = std::exchange(column.title, shorter[toQt(runs[i])].toStdString());
  }
  table.columns.insert(table.columns.begin() + 1, {tr("In the file").toStdString(), false});
  for (auto& row : table.rows) row.insert(row.begin(), fieldLabel(row.front()).toStdString());
  return table;
}

/// Hides in the table what the brushes of the parallel axes exclude, and reports it.
void ValuesPane::showKept(const std::vector<bool>& runs) {
  if (!presenter_.comparison()) return;
  keptLines_.clear();
  for (const ComparedLine& line : presenter_.comparison()->lines)
    keptLines_.push_back(std::any_of(line.members.begin(), line.members.end(),
                                     [&](std::size_t run) { return run >= runs.size() || runs[run]; }));
  for (std::size_t row = 0; row < keptLines_.size(); ++row)
    valuesView_->setRowHidden(static_cast<int>(row), !keptLines_[row]);
  if (isVisible()) Q_EMIT linesKept(keptLines_);
  brush_->setVisible(parallel_->hasBrushes());
  brush_->setText(plural(keptLines_.size(), tr("%1 of %n line  ×", "a filter that a click removes"),
                         tr("%1 of %n lines  ×", "a filter that a click removes"))
                      .arg(std::ranges::count(keptLines_, true)));
  brush_->setToolTip(tr("A range that was drawn on the parallel axes hides the others. A click shows all again."));
}

void ValuesPane::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  Q_EMIT linesKept(keptLines_);
}

void ValuesPane::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  Q_EMIT linesKept({});
}

void ValuesPane::sizeRows() {
  for (QTableView* view : {valuesView_, differencesView_}) {
    view->verticalHeader()->setDefaultSectionSize(rowHeight(fontMetrics()));
    view->horizontalHeader()->setMaximumSectionSize(fontMetrics().averageCharWidth() * 48);
    view->horizontalHeader()->resizeSections(QHeaderView::ResizeToContents);
  }
}

void ValuesPane::showMetric() {
  const QSignalBlocker quiet(metric_);
  const QString chosen = toQt(presenter_.options().metric);
  QStringList series = presenter_.series();
  if (!series.contains(chosen)) series << chosen;
  QStringList listed;
  for (int i = 0; i < metric_->count(); ++i) listed << metric_->itemData(i).toString();
  if (listed == series && metric_->currentData().toString() == chosen) return;  // the list may be open
  metric_->clear();
  for (const QString& name : series) {
    metric_->addItem(seriesLabel(name.toStdString()).title, name);
    metric_->setItemData(metric_->count() - 1, plainToolTip(name), Qt::ToolTipRole);
  }
  metric_->setCurrentIndex(std::max(0, metric_->findData(chosen)));
}

void ValuesPane::showMargin() {
  const QSignalBlocker quiet(margin_);
  const double margin = presenter_.options().margin.value_or(0);
  if (margin_->value() != margin) margin_->setValue(margin);  // it may be typed in
}

void ValuesPane::setChartAxis(XAxis xAxis) {
  chartAxis_ = xAxis;
  if (presenter_.comparison()) showNotes(*presenter_.comparison());
}

/// Lists what the reader of the values should know, also where they are over another axis than the charts.
void ValuesPane::showNotes(const RunComparison& comparison) {
  QStringList notes;
  if (!isCompared(chartAxis_))
    notes << tr("Values cannot be compared over “%1”: they are taken at equal %2.")
                 .arg(xAxisTitle(chartAxis_), toQt(axisText(comparison.options.axis)));
  for (const std::string& text : verdictTexts(comparison)) notes << toQt(text);
  for (const std::string& note : comparison.notes) notes << sentenceCase(toQt(note)) + QLatin1Char('.');
  notes_->setVisible(!notes.isEmpty());
  notes_->setText(plural(notes.size(), tr("%n note"), tr("%n notes")));
  notesText_->setText(notes.join(QStringLiteral("\n\n")));
  notesText_->setFixedWidth(fontMetrics().averageCharWidth() * 60);
}

/// Returns the height at which all of `rows` values are seen.
int ValuesPane::heightForRows(int rows) const {
  const int margins = layout()->contentsMargins().top() + layout()->spacing();
  const int head = fontMetrics().height() * 2 + 16, bar = style()->pixelMetric(QStyle::PM_ScrollBarExtent);
  return margins + summary_->parentWidget()->sizeHint().height() + tabs_->tabBar()->sizeHint().height() + head +
         rows * rowHeight(fontMetrics()) + bar;
}

void ValuesPane::showComparison() {
  showMetric();
  showMargin();
  const auto& comparison = presenter_.comparison();
  exportGroups_->setVisible(comparison && !comparison->options.groupBy.empty());
  if (presenter_.groups().empty() || !comparison) return;
  summary_->setText(toQt(comparedAtText(*comparison)));
  showNotes(*comparison);
  TextTable values = summaryTable(*comparison, NumberFormat::Readable, windowSeriesNames());
  for (auto& column : values.columns)  // a series without a title keeps its name
    if (!column.title.starts_with(comparison->options.metric)) formatTitle(column);
  const QString line = valuesView_->currentIndex().siblingAtColumn(0).data().toString();
  std::vector<std::string> names;
  for (const std::vector<std::string>& row : values.rows) names.push_back(row.front());
  static_cast<SpacedDelegate*>(valuesView_->itemDelegate())->shortNames = shortForms(names, font());
  values_.setTable(std::move(values), cellSentences(*comparison));
  keepLine(line);
  differences_.setTable(labeledDifferences());
  const QString ignoredDifferences = toQt(ignoredDifferencesText(comparison->differences));
  uncounted_->setText(ignoredDifferences);
  uncounted_->setVisible(!ignoredDifferences.isEmpty());
  tabs_->setTabText(1, tr("Differences (%1)").arg(comparison->differences.rows.size()));
  tabs_->setTabToolTip(1, toQt(differenceText(comparison->differences)));
  parallel_->setComparison(comparison);
  effects_->setComparison(comparison);
}

/// Selects the line again if its row was reset; views send no signal when a reset ends their selection.
void ValuesPane::keepLine(const QString& label) {
  if (label.isEmpty() || valuesView_->currentIndex().isValid()) return;
  const QModelIndexList rows = values_.match(values_.index(0, 0), Qt::DisplayRole, label, 1, Qt::MatchExactly);
  if (rows.isEmpty())
    Q_EMIT lineSelected({});
  else
    valuesView_->setCurrentIndex(rows.front());
}

QAction* ValuesPane::addExport(const char* name, const QString& text, const std::function<void()>& work) {
  auto* action = new QAction(text, this);
  setCommandName(*action, name);
  connect(action, &QAction::triggered, this, [this, work] {
    if (presenter_.comparison())
      work();
    else
      message_.showInfo(nothingToExport());
  });
  exports_ << action;
  return action;
}

/// Named, so that the command palette lists them.
void ValuesPane::makeExportActions() {
  addExport("export_comparison_report", tr("Export comparison as a report…"),
            [this] { chooseExport(tr("Web page (*.html)"), QStringLiteral(".html")); });
  addExport("export_comparison_table", tr("Export table of the comparison…"),
            [this] { chooseExport(tr("CSV (*.csv);;Markdown (*.md);;LaTeX (*.tex)"), QStringLiteral(".csv")); });
  addExport("export_comparison_points", tr("Export every point of the comparison…"),
            [this] { choosePoints(PointSource::Runs); });
  exportGroups_ = addExport("export_comparison_groups", tr("Export lines and bands of the groups…"),
                            [this] { choosePoints(PointSource::Groups); });
  auto* columns = new QMenu(tr("Columns of these tables"), this);
  columns->setObjectName(QStringLiteral("exportedColumns"));
  connect(columns, &QMenu::aboutToShow, this, [this, columns] { fillColumns(*columns); });
  exports_ << columns->menuAction();
  exports_ << new QAction(this);
  exports_.back()->setSeparator(true);
  addExport("copy_comparison_markdown", tr("Copy table of the comparison as Markdown"),
            [this] { copyTable(TableFormat::Markdown, QStringLiteral("Markdown")); });
  addExport("copy_comparison_latex", tr("Copy table of the comparison as LaTeX"),
            [this] { copyTable(TableFormat::Latex, QStringLiteral("LaTeX")); });
}

/// Lists the columns of the comparison; those that are unchecked are left out of exported and copied tables.
void ValuesPane::fillColumns(QMenu& menu) {
  menu.clear();
  if (!presenter_.comparison()) return;
  for (const SummaryColumn& column : presenter_.comparison()->columns) {
    const std::string title = withDisplayName(column, windowSeriesNames()).title;
    QAction* action = menu.addAction(sentenceCase(toQt(title)));
    action->setCheckable(true);
    action->setChecked(!columnsLeftOut_.contains(column.title));
    connect(action, &QAction::toggled, this, [this, key = column.title](bool kept) {
      kept ? static_cast<void>(columnsLeftOut_.erase(key)) : static_cast<void>(columnsLeftOut_.insert(key));
    });
  }
}

/// Returns the comparison with the columns that the user wants in tables; all if nothing were left.
RunComparison ValuesPane::exported() const {
  const RunComparison& comparison = *presenter_.comparison();
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < comparison.columns.size(); ++i)
    if (!columnsLeftOut_.contains(comparison.columns[i].title)) kept.push_back(i);
  return kept.empty() ? comparison : withColumns(comparison, kept);
}

void ValuesPane::copyTable(TableFormat form, const QString& name) {
  const RunComparison comparison = exported();
  const TextTable table = summaryTable(comparison, NumberFormat::Readable, windowSeriesNames());
  QApplication::clipboard()->setText(toQt(tableText(table, form, tableCaption(comparison))));
  const int rows = static_cast<int>(table.rows.size());
  message_.showInfo(valuesView_->verticalHeader()->sectionsHidden()
                        ? plural(rows, tr("%n row copied as %1, even if the parallel axes hide it"),
                                 tr("All %n rows copied as %1, including those that the parallel axes hide"))
                              .arg(name)
                        : plural(rows, tr("%n row copied as %1"), tr("%n rows copied as %1")).arg(name));
}

void ValuesPane::choosePoints(PointSource of) {
  if (!presenter_.comparison()) return;
  auto comparison = std::make_shared<const RunComparison>(asDrawn());  // of now, whatever is compared meanwhile
  const QString file = askForFileToWrite(*this, settings_, QStringLiteral("comparison"),
                                         {tr("Export"), QStringLiteral("comparison-points.csv"), tr("CSV (*.csv)")});
  if (!file.isEmpty()) saving_.saveTable(std::make_unique<PointRows>(std::move(comparison), of), file);
}

void ValuesPane::chooseExport(const QString& filter, const QString& ending) {
  const QString file = askForFileToWrite(*this, settings_, QStringLiteral("comparison"),
                                         {tr("Export"), QStringLiteral("comparison") + ending, filter});
  if (file.isEmpty()) return;
  if (!exportTo(file)) message_.showError(tr("%1 must end in .html, .csv, .md or .tex").arg(file));
}

/// Returns the comparison with smoothing and band as the charts have them.
RunComparison ValuesPane::asDrawn() const {
  RunComparison comparison = *presenter_.comparison();
  comparison.options.smoothing = presenter_.options().smoothing;
  comparison.options.band = presenter_.options().band;
  return comparison;
}

bool ValuesPane::exportTo(const QString& file) {
  const auto endsWith = [&](const char* ending) { return file.endsWith(QLatin1String(ending), Qt::CaseInsensitive); };
  const bool isCsv = endsWith(".csv");
  const std::optional<TableFormat> form = isCsv              ? std::optional(TableFormat::Csv)
                                          : endsWith(".md")  ? std::optional(TableFormat::Markdown)
                                          : endsWith(".tex") ? std::optional(TableFormat::Latex)
                                                             : std::nullopt;
  if (!form && !endsWith(".html")) return false;
  if (!presenter_.comparison()) {
    message_.showInfo(nothingToExport());
  } else if (form) {
    saving_.saveBytes(
        [comparison = exported(), isCsv, form = *form] {
          const TextTable table = isCsv ? summaryTable(comparison, NumberFormat::Exact)
                                        : summaryTable(comparison, NumberFormat::Readable, windowSeriesNames());
          return tableText(table, form, form == TableFormat::Latex ? tableCaption(comparison) : std::string());
        },
        file);
  } else {
    saving_.saveBytes(
        [comparison = asDrawn(), workspace = presenter_.workspace()] {
          return comparisonReport(*workspace, comparison, windowSeriesNames());
        },
        file);
  }
  return true;
}

}  // namespace batchwise
