// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/compare/compare_page.h"

#include <QtCore/QDateTime>
#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtWidgets/QApplication>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSlider>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QStackedLayout>
#include <QtWidgets/QTabWidget>
#include <QtWidgets/QTableView>
#include <algorithm>
#include <cmath>

#include "core/analysis/comparison_tables.h"
#include "core/analysis/report.h"
#include "ui/models/display_text.h"
#include "ui/models/labels.h"
#include "ui/presenters/file_jobs.h"
#include "ui/widgets/charts/chart_export.h"
#include "ui/widgets/compare/compare_chart.h"
#include "ui/widgets/compare/parallel_plot.h"
#include "ui/widgets/parts/dialogs.h"
#include "ui/widgets/parts/flow_layout.h"
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
  return ComparePage::tr("There is no comparison to export; choose runs first");
}

void fill(QComboBox& box, std::initializer_list<std::pair<QString, int>> items) {
  for (const auto& [text, data] : items) box.addItem(text, data);
}

void select(QComboBox& box, const QVariant& data) {
  box.setCurrentIndex(std::max(0, box.findData(data)));
}

}  // namespace

ComparePage::ComparePage(ComparePresenter& presenter, CsvExportJobs& saving, const Theme& theme, MessageBar& message,
                         QWidget* parent)
    : QWidget(parent),
      presenter_(presenter),
      saving_(saving),
      theme_(theme),
      message_(message),
      pages_(new QStackedLayout(this)) {
  emptyPage_ = makeEmptyPage();
  fullPage_ = new QWidget(this);
  auto* controls = makeControls();
  chart_ = new CompareChart(theme_, fullPage_);
  auto* split = new QSplitter(Qt::Vertical, fullPage_);
  split->addWidget(chart_);
  split->addWidget(makeTables());
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  split->setChildrenCollapsible(false);
  column(fullPage_, {row(nullptr, {controls}, {{16, 0, 16, 0}}), makeSummary(), {split, 1}}, {{0, 8, 0, 0}, 8});
  makeExportActions();
  pages_->addWidget(emptyPage_);
  pages_->addWidget(fullPage_);
  connect(&presenter_, &ComparePresenter::changed, this, &ComparePage::show);
  connect(&presenter_, &ComparePresenter::chosenChanged, this, &ComparePage::show);
  connect(&theme_, &Theme::changed, this, &ComparePage::sizeRows);
  show();
}

QWidget* ComparePage::makeEmptyPage() {
  auto* page = new QWidget(this);
  auto* text = plainLabel(page, TextLook::Muted,
                          tr("Runs that you choose in the list with the space bar are compared here. The first one is "
                             "the baseline; B makes another one the baseline."));
  text->setWordWrap(true);
  text->setAlignment(Qt::AlignCenter);
  auto* button = named(new QPushButton(tr("Choose the newest runs"), page), "chooseNewest");
  Theme::setPrimary(button);
  column(page, {Cell(0), text, {button, 0, Qt::AlignHCenter}, Cell(0)});
  connect(button, &QPushButton::clicked, this, &ComparePage::chooseNewestRequested);
  return page;
}

QWidget* ComparePage::makeControls() {
  auto* bar = new QWidget(fullPage_);
  auto* layout = new FlowLayout(bar);  // wraps into two rows with a large font
  const auto labeled = [&](const QString& text, std::initializer_list<QWidget*> fields) {
    auto* pair = new QWidget(bar);
    auto* label = new QLabel(text, pair);
    label->setBuddy(*fields.begin());
    auto* cells = row(pair, {label}, {{0, 0, 8, 0}, 4});
    for (QWidget* field : fields) cells->addWidget(field);
    layout->addWidget(pair);
  };
  const auto box = [&](const char* name, const QString& accessible, int letters) {
    auto* made = named(new QComboBox(bar), name, accessible);
    // As wide as its texts, unless these come from runs and may be long.
    made->setSizeAdjustPolicy(letters > 0 ? QComboBox::AdjustToMinimumContentsLengthWithIcon
                                          : QComboBox::AdjustToContents);
    made->setMinimumContentsLength(letters);
    connect(made, &QComboBox::currentIndexChanged, this, &ComparePage::optionsFromControls);
    return made;
  };
  const bool wasQuiet = std::exchange(quiet_, true);
  metric_ = box("metric", tr("Metric"), 12);
  axis_ = box("axis", tr("Horizontal axis"), 0);
  fill(*axis_, {{tr("tokens"), int(Axis::Tokens)},
                {tr("time"), int(Axis::Time)},
                {tr("samples"), int(Axis::Samples)},
                {tr("steps"), int(Axis::Steps)}});
  axis_->setToolTip(tr("What is equal where runs are compared; time is training time, without evaluations and pauses"));
  group_ = box("groupBy", tr("Group runs"), 10);
  center_ = box("center", tr("Center of a group"), 0);
  fill(*center_, {{tr("mean"), int(Center::Mean)}, {tr("median"), int(Center::Median)}});
  band_ = box("band", tr("Band of a group"), 0);
  fill(*band_, {{tr("std"), int(Band::Deviation)},
                {tr("stderr"), int(Band::Error)},
                {tr("95 %"), int(Band::Confidence95)},
                {tr("none"), int(Band::None)}});
  band_->setToolTip(tr("Standard deviation, standard error, or 95 % confidence of the mean (Student's t)"));
  smoothing_ = named(new QSlider(Qt::Horizontal, bar), "smoothing", tr("Smoothing"),
                     tr("Weight of the values before; the thin line shows every value"));
  smoothing_->setRange(0, 99);
  smoothing_->setMinimumWidth(48);
  smoothing_->setMaximumWidth(96);
  smoothing_->setTracking(false);
  connect(smoothing_, &QSlider::valueChanged, this, &ComparePage::optionsFromControls);
  logY_ = named(new QCheckBox(tr("Log scale"), bar), "logY", {}, tr("Logarithmic values"));
  connect(logY_, &QCheckBox::toggled, this, [this](bool on) {
    if (!quiet_) presenter_.setLogY(on);
  });
  labeled(tr("Show"), {metric_});
  labeled(tr("over"), {axis_});
  labeled(tr("Group"), {group_, center_, band_});
  labeled(tr("Smooth"), {smoothing_});
  layout->addWidget(logY_);
  quiet_ = wasQuiet;
  return bar;
}

/// Creates the line that describes the comparison, with the menus Views and Export.
QWidget* ComparePage::makeSummary() {
  auto* bar = new QWidget(fullPage_);
  summary_ = new ElidedLabel(bar);
  Theme::setLook(summary_, TextLook::Muted);
  auto* layout = row(bar, {{summary_, 1}}, {{16, 0, 16, 0}, 4});
  const auto menuButton = [&](const QString& text, const char* name, auto fill) {
    auto* button = named(new QPushButton(text, bar), name);
    auto* menu = new QMenu(button);
    connect(menu, &QMenu::aboutToShow, this, [menu, fill] {
      menu->clear();
      fill(*menu);
    });
    button->setMenu(menu);
    layout->addWidget(button);
  };
  menuButton(tr("Views"), "views", [this](QMenu& menu) { fillViewsMenu(menu); });
  menuButton(tr("Export"), "export", [this](QMenu& menu) { menu.addActions(exports_); });
  return bar;
}

QTableView* ComparePage::makeTable(TextTableModel& model, const QString& name) {
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

QWidget* ComparePage::makeTables() {
  tabs_ = named(new QTabWidget(fullPage_), "compareTabs");
  tabs_->setDocumentMode(true);
  valuesView_ = makeTable(values_, tr("Values of the runs beside those of the baseline"));
  auto* differences = makeDifferences();
  parallel_ = new ParallelPlot(theme_, tabs_);
  tabs_->addTab(valuesView_, tr("Values"));
  tabs_->addTab(differences, tr("Differences"));
  tabs_->addTab(parallel_, tr("Parallel axes"));
  connect(valuesView_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) { chart_->emphasize(row.isValid() ? row.row() : -1); });
  connect(parallel_, &ParallelPlot::kept, this, &ComparePage::showKept);
  sizeRows();
  return tabs_;
}

/// Creates the table of differing fields, and below it a label with differing fields that the table omits.
QWidget* ComparePage::makeDifferences() {
  auto* tab = new QWidget(tabs_);
  differencesView_ = makeTable(differences_, tr("Fields in which the runs differ"));
  differencesView_->setToolTip(tr("A double click groups the runs by the field"));
  uncounted_ = textLabel(tab, TextLook::Small);
  uncounted_->setContentsMargins(16, 4, 16, 4);
  column(tab, {{differencesView_, 1}, uncounted_}, {{0, 0, 0, 0}, 0});
  connect(differencesView_, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
    if (!presenter_.comparison()) return;
    const auto& rows = presenter_.comparison()->differences.rows;
    const auto row = static_cast<std::size_t>(index.row());
    if (row >= rows.size()) return;
    ComparisonOptions options = presenter_.view().options;
    options.groupBy = rows[row].field;
    presenter_.setOptions(options);
  });
  return tab;
}

/// Returns the differences with the field labels of the form, and a column of their names in the file.
TextTable ComparePage::labeledDifferences() const {
  const RunComparison& comparison = *presenter_.comparison();
  TextTable table = differenceTable(comparison, windowTexts());
  capitalizeTitle(table.columns.front());  // the others are names of runs
  table.columns.insert(table.columns.begin() + 1, {tr("In the file").toStdString(), false});
  for (auto& row : table.rows) row.insert(row.begin(), fieldLabel(row.front()).toStdString());
  return table;
}

/// Fades in the chart, and hides in the table, what the brushes of the parallel axes exclude.
void ComparePage::showKept(const std::vector<bool>& runs) {
  if (!presenter_.comparison()) return;
  std::vector<bool> lines;
  for (const ComparedLine& line : presenter_.comparison()->lines)
    lines.push_back(std::any_of(line.members.begin(), line.members.end(),
                                [&](std::size_t run) { return run >= runs.size() || runs[run]; }));
  for (std::size_t row = 0; row < lines.size(); ++row) valuesView_->setRowHidden(static_cast<int>(row), !lines[row]);
  chart_->setKept(std::move(lines));
}

void ComparePage::sizeRows() {
  for (QTableView* view : {valuesView_, differencesView_}) {
    view->verticalHeader()->setDefaultSectionSize(rowHeight(fontMetrics()));
    view->horizontalHeader()->setMaximumSectionSize(fontMetrics().averageCharWidth() * 48);
    view->horizontalHeader()->resizeSections(QHeaderView::ResizeToContents);
  }
}

void ComparePage::optionsFromControls() {
  if (quiet_) return;
  ComparisonOptions options = presenter_.view().options;
  if (metric_->currentIndex() >= 0) options.metric = metric_->currentData().toString().toStdString();
  options.axis = static_cast<Axis>(axis_->currentData().toInt());
  options.groupBy = group_->currentData().toString().toStdString();
  options.center = static_cast<Center>(center_->currentData().toInt());
  options.band = static_cast<Band>(band_->currentData().toInt());
  options.smoothing = smoothing_->value() / 100.0;
  presenter_.setOptions(options);
}

void ComparePage::fillGroups() {
  const QString chosen = toQt(presenter_.view().options.groupBy);
  group_->clear();
  group_->addItem(tr("nothing"), QString());
  group_->addItem(tr("seeds"), QLatin1String(kGroupByExperiment));
  group_->setItemData(1, tr("Runs that differ in name and seed only become one line"), Qt::ToolTipRole);
  QStringList fields;
  if (presenter_.comparison())
    for (const FieldRow& row : presenter_.comparison()->differences.rows) fields << toQt(row.field);
  if (!chosen.isEmpty() && chosen != QLatin1String(kGroupByExperiment) && !fields.contains(chosen)) fields << chosen;
  for (const QString& field : fields) {
    group_->addItem(fieldLabel(field.toStdString()), field);
    group_->setItemData(group_->count() - 1, field, Qt::ToolTipRole);
  }
}

void ComparePage::showControls() {
  const bool wasQuiet = std::exchange(quiet_, true);
  const ComparisonOptions& options = presenter_.view().options;
  QStringList series = presenter_.series();
  if (!series.contains(toQt(options.metric))) series << toQt(options.metric);
  metric_->clear();
  for (const QString& name : series) {
    metric_->addItem(seriesLabel(name.toStdString()).title, name);
    metric_->setItemData(metric_->count() - 1, plainToolTip(name), Qt::ToolTipRole);
  }
  fillGroups();
  select(*metric_, toQt(options.metric));
  select(*axis_, int(options.axis));
  select(*group_, toQt(options.groupBy));
  select(*center_, int(options.center));
  select(*band_, int(options.band));
  center_->setEnabled(!options.groupBy.empty());
  band_->setEnabled(!options.groupBy.empty());
  smoothing_->setValue(static_cast<int>(std::lround(options.smoothing * 100)));
  logY_->setChecked(presenter_.view().logY);
  quiet_ = wasQuiet;
}

void ComparePage::show() {
  const bool none = presenter_.view().runs.isEmpty();
  pages_->setCurrentWidget(none ? emptyPage_ : fullPage_);
  showControls();
  const auto& comparison = presenter_.comparison();
  exportGroups_->setVisible(!presenter_.view().options.groupBy.empty());
  if (none || !comparison) return;
  chart_->setFigure(presenter_.figure());
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

/// Named, so that the command palette lists them.
void ComparePage::makeExportActions() {
  const auto add = [this](const char* name, const QString& text, auto work) {
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
  };
  auto* pictures = new QMenu(this);
  addPictureSizes(*pictures, *this, [this](const PictureSize& size) {
    chooseExport(tr("Drawing (*.svg);;Document (*.pdf);;Picture (*.png)"), QStringLiteral(".svg"), size);
  });
  add("export_comparison_chart", tr("Export chart of the comparison…"),
      [this, pictures] { pictures->popup(chart_->mapToGlobal(QPoint(chart_->width() / 2, 0))); });
  add("export_comparison_report", tr("Export comparison as a report…"),
      [this] { chooseExport(tr("Web page (*.html)"), QStringLiteral(".html")); });
  add("export_comparison_table", tr("Export table of the comparison…"),
      [this] { chooseExport(tr("CSV (*.csv);;Markdown (*.md);;LaTeX (*.tex)"), QStringLiteral(".csv")); });
  add("export_comparison_points", tr("Export every point of the comparison…"),
      [this] { choosePoints(PointSource::Runs); });
  exportGroups_ = add("export_comparison_groups", tr("Export lines and bands of the groups…"),
                      [this] { choosePoints(PointSource::Groups); });
  exports_ << new QAction(this);
  exports_.back()->setSeparator(true);
  add("copy_comparison_markdown", tr("Copy table of the comparison as Markdown"),
      [this] { copyTable(TableFormat::Markdown, QStringLiteral("Markdown")); });
  add("copy_comparison_latex", tr("Copy table of the comparison as LaTeX"),
      [this] { copyTable(TableFormat::Latex, QStringLiteral("LaTeX")); });
}

void ComparePage::copyTable(TableFormat form, const QString& name) {
  const TextTable table = summaryTable(*presenter_.comparison(), NumberFormat::Readable, windowTexts());
  QApplication::clipboard()->setText(toQt(tableText(table, form)));
  const int rows = static_cast<int>(table.rows.size());
  message_.showInfo(
      valuesView_->verticalHeader()->sectionsHidden()
          ? tr("All %n row(s) copied as %1, also those that the parallel axes hide", nullptr, rows).arg(name)
          : tr("%n row(s) copied as %1", nullptr, rows).arg(name));
}

void ComparePage::choosePoints(PointSource of) {
  const auto comparison = presenter_.comparison();
  const QString file =
      askForFileToWrite(*this, {tr("Export"), QStringLiteral("comparison-points.csv"), tr("CSV (*.csv)")});
  if (comparison && !file.isEmpty()) saving_.save(std::make_unique<PointRows>(comparison, of), file);
}

void ComparePage::chooseExport(const QString& filter, const QString& ending, const PictureSize& size) {
  const QString file = askForFileToWrite(*this, {tr("Export"), QStringLiteral("comparison") + ending, filter});
  if (file.isEmpty()) return;
  const QString problem = exportTo(file, size);
  problem.isEmpty() ? message_.showWritten(file) : message_.showError(problem);
}

QString ComparePage::exportTo(const QString& file, const PictureSize& size) const {
  if (!presenter_.comparison()) return nothingToExport();
  const RunComparison& comparison = *presenter_.comparison();
  const Scale scale = presenter_.view().logY ? Scale::Logarithmic : Scale::Linear;
  const auto endsWith = [&](const char* ending) { return file.endsWith(QLatin1String(ending), Qt::CaseInsensitive); };
  if (endsWith(".svg") || endsWith(".pdf") || endsWith(".png"))
    return writePicture(QByteArray::fromStdString(figureSvg(presenter_.figure(), size.widthCm, size.heightCm)), file,
                        size);
  if (endsWith(".html"))
    return writeText(
        file, comparisonReport(comparison, scale,
                               tr("Made %1.").arg(exactTimeText(QDateTime::currentMSecsSinceEpoch())).toStdString(),
                               windowTexts()));
  if (endsWith(".csv"))
    return writeText(file, tableText(summaryTable(comparison, NumberFormat::Exact), TableFormat::Csv));
  const auto readable = [&] { return summaryTable(comparison, NumberFormat::Readable, windowTexts()); };
  if (endsWith(".md")) return writeText(file, tableText(readable(), TableFormat::Markdown));
  if (endsWith(".tex")) return writeText(file, tableText(readable(), TableFormat::Latex));
  return tr("%1 ends in none of .svg, .pdf, .png, .html, .csv, .md, .tex").arg(file);
}

void ComparePage::fillViewsMenu(QMenu& menu) {
  connect(menu.addAction(tr("Save this view…")), &QAction::triggered, this, [this] {
    if (const auto name = askText(*this, {tr("Save this view"), tr("Name"), tr("Save"), {}}))
      presenter_.saveView(*name);
  });
  const QStringList names = presenter_.savedViews();
  if (names.isEmpty()) return;
  menu.addSeparator();
  for (const QString& name : names)
    connect(menu.addAction(escapeMnemonic(name)), &QAction::triggered, this,
            [this, name] { presenter_.openView(name); });
  auto* remove = menu.addMenu(tr("Delete"));
  for (const QString& name : names)
    connect(remove->addAction(escapeMnemonic(name)), &QAction::triggered, this,
            [this, name] { presenter_.deleteView(name); });
}

}  // namespace batchwise
