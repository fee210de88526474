// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/desk/values_pane.h"

#include <QtCore/QDateTime>
#include <QtCore/QSignalBlocker>
#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtWidgets/QApplication>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QTabWidget>
#include <QtWidgets/QTableView>
#include <algorithm>

#include "core/analysis/report.h"
#include "ui/models/display_text.h"
#include "ui/models/labels.h"
#include "ui/presenters/file_jobs.h"
#include "ui/widgets/desk/parallel_plot.h"
#include "ui/widgets/parts/dialogs.h"
#include "ui/widgets/parts/labels.h"
#include "ui/widgets/parts/layouts.h"
#include "ui/widgets/parts/message_bar.h"
#include "ui/widgets/parts/shortcuts.h"
#include "ui/widgets/parts/table_views.h"

namespace batchwise {
namespace {

QString writeText(const QString& file, const std::string& text) {
  return writeChosenFile(file, QByteArray::fromStdString(text));
}

/// Returns the unrounded texts of the values table. A group has one more column, its number of runs.
std::vector<std::vector<std::string>> exactTexts(const RunComparison& comparison) {
  const TextTable table = summaryTable(comparison, NumberFormat::Exact);
  const std::size_t first = comparison.options.groupBy.empty() ? 1 : 2;
  std::vector<std::vector<std::string>> texts;
  for (const auto& row : table.rows) {
    std::vector<std::string>& own = texts.emplace_back(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t i = first; i + 4 < row.size(); i += first == 1 ? 5 : 6)
      own.insert(own.end(), {row[i], row[i + 1]});
  }
  return texts;
}

/// Capitalizes the title of a column, as on the whole page.
void capitalizeTitle(TextTable::Column& column) {
  column.title = sentenceCase(toQt(column.title)).toStdString();
}

QString nothingToExport() {
  return ValuesPane::tr("There is no comparison to export; tick runs first");
}

}  // namespace

ValuesPane::ValuesPane(ComparePresenter& presenter, CsvExportJobs& saving, const Theme& theme, MessageBar& message,
                       QWidget* parent)
    : QWidget(parent), presenter_(presenter), saving_(saving), message_(message) {
  tabs_ = named(new QTabWidget(this), "compareTabs");
  tabs_->setDocumentMode(true);
  valuesView_ = makeTable(values_, tr("Values of the runs next to those of the baseline"));
  auto* differences = makeDifferences();
  parallel_ = new ParallelPlot(theme, tabs_);
  tabs_->addTab(valuesView_, tr("Values"));
  tabs_->addTab(differences, tr("Differences"));
  tabs_->addTab(parallel_, tr("Parallel axes"));
  column(this, {makeSummary(), {tabs_, 1}}, {{0, 4, 0, 0}, 4});
  connect(valuesView_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) { Q_EMIT lineSelected(row.siblingAtColumn(0).data().toString()); });
  connect(parallel_, &ParallelPlot::kept, this, &ValuesPane::showKept);
  makeExportActions();
  connect(&presenter_, &ComparePresenter::changed, this, &ValuesPane::showComparison);
  connect(&presenter_, &ComparePresenter::chosenChanged, this, &ValuesPane::showComparison);
  connect(&theme, &Theme::changed, this, &ValuesPane::sizeRows);
  sizeRows();
  showComparison();
}

/// Creates the line that describes the comparison, with the choice of the metric.
QWidget* ValuesPane::makeSummary() {
  auto* bar = new QWidget(this);
  summary_ = new ElidedLabel(bar);
  Theme::setLook(summary_, TextLook::Muted);
  metric_ = named(new QComboBox(bar), "metric", tr("Metric"), tr("Metric of the comparison"));
  metric_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  metric_->setMinimumContentsLength(12);
  connect(metric_, &QComboBox::activated, this, [this] { Q_EMIT metricRequested(metric_->currentData().toString()); });
  auto* label = new QLabel(tr("Metric"), bar);
  label->setBuddy(metric_);
  row(bar, {{summary_, 1}, label, metric_}, {{16, 0, 16, 0}, 4});
  return bar;
}

QTableView* ValuesPane::makeTable(TextTableModel& model, const QString& name) {
  auto* view = new QTableView(tabs_);
  view->setModel(&model);
  view->setAccessibleName(name);
  view->setFrameShape(QFrame::NoFrame);
  view->setShowGrid(false);
  view->setAlternatingRowColors(true);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->setSelectionMode(QAbstractItemView::SingleSelection);
  view->setWordWrap(false);
  view->verticalHeader()->hide();
  view->horizontalHeader()->setHighlightSections(false);
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
  TextTable table = differenceTable(comparison, windowTexts());
  capitalizeTitle(table.columns.front());  // the others are names of runs
  table.columns.insert(table.columns.begin() + 1, {tr("In the file").toStdString(), false});
  for (auto& row : table.rows) row.insert(row.begin(), fieldLabel(row.front()).toStdString());
  return table;
}

/// Hides in the table what the brushes of the parallel axes exclude, and reports it.
void ValuesPane::showKept(const std::vector<bool>& runs) {
  if (!presenter_.comparison()) return;
  kept_.clear();
  for (const ComparedLine& line : presenter_.comparison()->lines)
    kept_.push_back(std::any_of(line.members.begin(), line.members.end(),
                                [&](std::size_t run) { return run >= runs.size() || runs[run]; }));
  for (std::size_t row = 0; row < kept_.size(); ++row) valuesView_->setRowHidden(static_cast<int>(row), !kept_[row]);
  if (isVisible()) Q_EMIT linesKept(kept_);
}

void ValuesPane::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  Q_EMIT linesKept(kept_);
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
  const QString chosen = toQt(presenter_.view().options.metric);
  QStringList series = presenter_.series();
  if (!series.contains(chosen)) series << chosen;
  metric_->clear();
  for (const QString& name : series) {
    metric_->addItem(seriesLabel(name.toStdString()).title, name);
    metric_->setItemData(metric_->count() - 1, plainToolTip(name), Qt::ToolTipRole);
  }
  metric_->setCurrentIndex(std::max(0, metric_->findData(chosen)));
}

void ValuesPane::showComparison() {
  showMetric();
  const auto& comparison = presenter_.comparison();
  exportGroups_->setVisible(!presenter_.view().options.groupBy.empty());
  if (presenter_.view().runs.isEmpty() || !comparison) return;
  QStringList notice{coreText(comparedAtText(*comparison))};
  for (const Message& note : comparison->notes) notice << sentenceCase(coreText(note)) + QLatin1Char('.');
  summary_->setText(notice.join(QStringLiteral("  ")));
  TextTable values = summaryTable(*comparison, NumberFormat::Readable, windowTexts());
  for (auto& column : values.columns)  // a series without a title keeps its name
    if (!column.title.starts_with(comparison->options.metric)) capitalizeTitle(column);
  values_.setTable(std::move(values), exactTexts(*comparison));
  differences_.setTable(labeledDifferences());
  const QString ignoredDifferences = coreText(ignoredDifferencesText(comparison->differences));
  uncounted_->setText(ignoredDifferences);
  uncounted_->setVisible(!ignoredDifferences.isEmpty());
  tabs_->setTabText(1, coreText(differenceText(comparison->differences)));
  parallel_->setComparison(comparison);
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
  exports_ << new QAction(this);
  exports_.back()->setSeparator(true);
  addExport("copy_comparison_markdown", tr("Copy table of the comparison as Markdown"),
            [this] { copyTable(TableFormat::Markdown, QStringLiteral("Markdown")); });
  addExport("copy_comparison_latex", tr("Copy table of the comparison as LaTeX"),
            [this] { copyTable(TableFormat::Latex, QStringLiteral("LaTeX")); });
}

void ValuesPane::copyTable(TableFormat form, const QString& name) {
  const TextTable table = summaryTable(*presenter_.comparison(), NumberFormat::Readable, windowTexts());
  QApplication::clipboard()->setText(toQt(tableText(table, form)));
  const int rows = static_cast<int>(table.rows.size());
  message_.showInfo(
      valuesView_->verticalHeader()->sectionsHidden()
          ? tr("All %n row(s) copied as %1, including those that the parallel axes hide", nullptr, rows).arg(name)
          : tr("%n row(s) copied as %1", nullptr, rows).arg(name));
}

void ValuesPane::choosePoints(PointSource of) {
  const auto comparison = presenter_.comparison();
  const QString file =
      askForFileToWrite(*this, {tr("Export"), QStringLiteral("comparison-points.csv"), tr("CSV (*.csv)")});
  if (comparison && !file.isEmpty()) saving_.save(std::make_unique<PointRows>(comparison, of), file);
}

void ValuesPane::chooseExport(const QString& filter, const QString& ending) {
  const QString file = askForFileToWrite(*this, {tr("Export"), QStringLiteral("comparison") + ending, filter});
  if (file.isEmpty()) return;
  const QString problem = exportTo(file);
  problem.isEmpty() ? message_.showWritten(file) : message_.showError(problem);
}

QString ValuesPane::exportTo(const QString& file) const {
  if (!presenter_.comparison()) return nothingToExport();
  const RunComparison& comparison = *presenter_.comparison();
  const auto endsWith = [&](const char* ending) { return file.endsWith(QLatin1String(ending), Qt::CaseInsensitive); };
  if (endsWith(".html"))
    return writeText(
        file, comparisonReport(comparison, scale_,
                               tr("Created %1.").arg(exactTimeText(QDateTime::currentMSecsSinceEpoch())).toStdString(),
                               windowTexts()));
  if (endsWith(".csv"))
    return writeText(file, tableText(summaryTable(comparison, NumberFormat::Exact), TableFormat::Csv));
  const auto readable = [&] { return summaryTable(comparison, NumberFormat::Readable, windowTexts()); };
  if (endsWith(".md")) return writeText(file, tableText(readable(), TableFormat::Markdown));
  if (endsWith(".tex")) return writeText(file, tableText(readable(), TableFormat::Latex));
  return tr("%1 must end in .html, .csv, .md or .tex").arg(file);
}

}  // namespace batchwise
