// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/docks/run_list_pane.h"

#include <QtCore/QScopedValueRollback>
#include <QtGui/QAction>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenu>
#include <QtWidgets/QToolButton>
#include <algorithm>

#include "ui/models/display_text.h"
#include "ui/models/labels.h"
#include "ui/widgets/docks/column_chooser.h"
#include "ui/widgets/docks/filter_chips.h"
#include "ui/widgets/docks/runs_view.h"
#include "ui/widgets/parts/labels.h"
#include "ui/widgets/parts/layouts.h"
#include "ui/widgets/parts/shortcuts.h"

namespace batchwise {
namespace {

constexpr int kMinNameChars = 25;
constexpr int kMostTitleChars = 16;                            // of a line of a column's title
constexpr int kPadding = 12;                                   // pixels left and right of a cell together
constexpr int kSortMark = 16, kBar = 36, kTickAndSwatch = 44;  // pixels

/// Width of the values of a column, in digits.
int digitsOf(const RunColumn& column) {
  if (column.kind == RunColumn::Kind::Setting) return 8;
  if (column.kind == RunColumn::Kind::BestLoss) return 6;
  if (column.kind != RunColumn::Kind::Summary) return 7;
  switch (column.summary) {
    case RunListModel::ProgressColumn: return 5;
    case RunListModel::DurationColumn: return 11;
    case RunListModel::CreatedColumn: return 16;
    case RunListModel::TagsColumn: return 9;
    default: return 6;
  }
}

/// Returns whether a group shows a mean and a spread in the column.
bool hasSpread(const RunColumn& column) {
  if (column.kind != RunColumn::Kind::Summary) return column.kind != RunColumn::Kind::Setting;
  return column.summary == RunListModel::EvalLossColumn || column.summary == RunListModel::LossColumn ||
         column.summary == RunListModel::SpeedColumn || column.summary == RunListModel::TokensColumn;
}

}  // namespace

RunListPane::RunListPane(WorkspacePresenter& workspace, ComparePresenter& compare, StudioSettings& settings,
                         const Theme& theme, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      model_(workspace.runs()),
      compare_(compare),
      settings_(settings),
      facts_(workspace),
      table_(model_, facts_, compare),
      filter_(new QLineEdit(this)),
      chips_(new FilterChips(model_, theme, *filter_, this)),
      view_(new RunsView(table_, theme, this)),
      header_(static_cast<RunsHeader*>(view_->header())),
      problem_(textLabel(this, TextLook::Bad)),
      count_(textLabel(this, TextLook::Small)),
      columns_(settings.runColumns()) {
  filter_->setPlaceholderText(tr("Filter runs"));
  filter_->setToolTip(
      plainToolTip(tr("Words are searched in names, tags and notes. Conditions: optimizer.lr > 1e-4 and (tag = ramp or "
                      "status = finished). Fields of the configuration, name, tag, status, created, archived, loss, "
                      "eval_loss, ba, tok; = != < > ~ in, and or not.")));
  filter_->setAccessibleName(tr("Filter runs"));
  filter_->setClearButtonEnabled(true);
  problem_->setObjectName(QStringLiteral("filterProblem"));
  problem_->hide();
  auto* tools = new QWidget(this);
  addTools(*tools);
  column(this, {filter_, problem_, chips_, {view_, 1}, tools}, {{8, 8, 8, 4}, 4});

  addRunActions();
  makeColumnActions();
  foldSeeds();
  restoreColumns();
  connectRuns();
  connect(filter_, &QLineEdit::textChanged, this, &RunListPane::applyFilter);
  connect(chips_, &FilterChips::changed, filter_, [this](const QString& text) {
    filter_->selectAll();
    filter_->insert(text);  // as if typed, so that it can be undone
  });
  connect(&theme, &Theme::changed, this, &RunListPane::placeColumns);
  updateTicks();
  updateActions();
}

void RunListPane::connectRuns() {
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
    if (quiet_ || selected().isEmpty()) return;
    lastSelected_ = selected();
    Q_EMIT runSelected(lastSelected_);
  });
  connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    updateActions();
    Q_EMIT selectionChanged();
  });
  connect(view_, &QAbstractItemView::clicked, this, [this] { Q_EMIT runSelected(selected()); });
  connect(view_, &RunsView::tickPressed, this, [this](const QModelIndex& row) {
    const QStringList own = table_.runsAt({row}), all = selectedRuns();
    table_.tick(view_->selectionModel()->isRowSelected(row.row(), row.parent()) ? all : own);
  });
  connect(view_, &RunsView::resized, this, &RunListPane::placeColumns);
  connect(header_, &RunsHeader::tickPressed, this, [this] { table_.tick(table_.shownRuns()); });
  connect(header_, &QHeaderView::sectionMoved, this, &RunListPane::rememberOrder);
  connect(header_, &QHeaderView::sectionResized, this,
          [this](int column, int, int width) { rememberWidth(column, width); });
  connect(header_, &QHeaderView::sortIndicatorChanged, this, &RunListPane::rememberSort);
  connect(&table_, &RunsTable::tickLimited, this, &RunListPane::tickLimited);
  connect(&table_, &RunsTable::arranged, this, [this] {
    restoreSelection();
    updateTicks();
  });
  connect(&compare_, &ComparePresenter::chosenChanged, this, &RunListPane::updateTicks);
  connect(&compare_, &ComparePresenter::changed, this, &RunListPane::foldSeeds);
  connect(&workspace_, &WorkspacePresenter::opened, this, &RunListPane::updateCount);
  connect(&workspace_, &WorkspacePresenter::refreshed, this, &RunListPane::updateCount);
  connect(&facts_, &RunFacts::arrived, this, &RunListPane::updateTicks);
}

void RunListPane::addTools(QWidget& tools) {
  auto* columns = new QToolButton(&tools);
  columns->setObjectName(QStringLiteral("chooseColumns"));
  columns->setText(tr("Columns…"));
  columns->setToolTip(tr("Choose the columns of the table; drag their titles to order them"));
  connect(columns, &QToolButton::clicked, this, &RunListPane::chooseColumns);
  columns->setFocusPolicy(Qt::TabFocus);
  showArchived_ = new QAction(tr("Archived"), this);
  showArchived_->setCheckable(true);
  setCommandName(*showArchived_, "show_archived");
  connect(showArchived_, &QAction::toggled, &workspace_, &WorkspacePresenter::setShowsArchived);
  auto* archived = new QToolButton(&tools);
  archived->setDefaultAction(showArchived_);
  archived->setFocusPolicy(Qt::TabFocus);
  connect(showArchived_, &QAction::changed, archived,
          [this, archived] { archived->setVisible(showArchived_->isVisible()); });
  row(&tools, {{count_, 1}, archived, columns}, {{0, 0, 0, 0}, 4});
}

// --- actions ---

QAction* RunListPane::addAction(const char* name, const QString& text, int key, const std::function<void()>& work) {
  QAction* action = addListAction(*view_, name, text, key);
  connect(action, &QAction::triggered, this, work);
  return action;
}

void RunListPane::addRunActions() {
  view_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(view_, &QWidget::customContextMenuRequested, this, &RunListPane::openMenu);
  tick_ = addAction("choose", tr("Tick for charts and comparison"), Qt::Key_Space, [this] {
    if (const QStringList runs = selectedRuns(); !runs.isEmpty()) table_.tick(runs);
  });
  baseline_ = addAction("baseline", tr("Set as baseline"), Qt::Key_B, [this] { makeBaseline(); });
  compareRuns_ = addAction("compare", tr("Compare the ticked runs"), Qt::Key_C, [this] { compareSelected(); });
  addAction("choose_none", tr("Untick all runs"), Qt::Key_Escape, [this] { Q_EMIT clearChoiceRequested(); });
  const auto ofOne = [this](const char* name, const QString& text, int key,
                            void (RunListPane::*request)(const QString&)) {
    ofOneRun_ << addAction(name, text, key, [this, request] {
      // The current row need not be the highlighted one.
      if (const QStringList runs = selectedRuns(); runs.size() == 1) Q_EMIT(this->*request)(runs.front());
    });
  };
  const auto ofAll = [this](const char* name, const QString& text, int key,
                            void (RunListPane::*request)(const QStringList&)) {
    return addAction(name, text, key, [this, request] {
      if (const QStringList runs = selectedRuns(); !runs.isEmpty()) Q_EMIT(this->*request)(runs);
    });
  };
  ofOne("rename", tr("Rename…"), Qt::Key_F2, &RunListPane::renameRequested);
  tags_ = ofAll("tags", tr("Tags…"), Qt::Key_T, &RunListPane::tagsRequested);
  ofOne("note", tr("Note…"), Qt::Key_N, &RunListPane::noteRequested);
  archive_ = ofAll("archive", tr("Archive"), Qt::Key_Delete, &RunListPane::archiveRequested);
  restore_ = ofAll("restore", tr("Restore"), 0, &RunListPane::restoreRequested);
  delete_ =
      ofAll("delete", tr("Delete for good…"), (Qt::SHIFT | Qt::Key_Delete).toCombined(), &RunListPane::deleteRequested);
  export_ = ofAll("export_runs", tr("Export the selected runs…"), 0, &RunListPane::exportRequested);
  keepBest_ = addAction("keep_best", tr("Keep only the best checkpoint of the ticked runs…"), 0,
                        [this] { Q_EMIT keepBestRequested(compare_.view().runs); });
  addAction("disk_use", tr("Disk use…"), 0, [this] { Q_EMIT diskUseRequested(); });
}

/// Tells in tool tips why commands are off.
void RunListPane::openMenu(const QPoint& place) {
  auto* menu = new QMenu(view_);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  menu->addActions(view_->actions());
  menu->popup(view_->viewport()->mapToGlobal(place));
}

QString RunListPane::whyNotOne() const {
  const auto count = static_cast<int>(selectedRuns().size());
  return count < 2 ? QString() : tr("%n run(s) are selected, and this is for one: select it", nullptr, count);
}

/// The texts tell how many runs an action concerns.
void RunListPane::updateActions() {
  const QStringList runs = selectedRuns();
  const auto count = static_cast<int>(runs.size());
  const bool untick = count > 0 && table_.tickState(runs) == Qt::Checked;
  if (count > 1) {
    tick_->setText(untick ? tr("Untick %n run(s)", nullptr, count)
                          : tr("Tick %n run(s) for charts and comparison", nullptr, count));
    compareRuns_->setText(tr("Compare %n run(s)", nullptr, count));
    tags_->setText(tr("Tags of %n run(s)…", nullptr, count));
    export_->setText(tr("Export %n run(s)…", nullptr, count));
  } else {
    tick_->setText(untick ? tr("Untick") : tr("Tick for charts and comparison"));
    compareRuns_->setText(tr("Compare the ticked runs"));
    tags_->setText(tr("Tags…"));
    export_->setText(tr("Export the selected runs…"));
  }
  export_->setVisible(count > 1);
  const QString whyNot = whyNotOne();
  for (QAction* action : ofOneRun_) {
    action->setEnabled(whyNot.isEmpty());
    action->setToolTip(whyNot.isEmpty() ? commandText(*action) : plainToolTip(whyNot));
  }
  const bool oneRow = view_->selectionModel()->selectedRows().size() < 2;
  baseline_->setEnabled(oneRow);
  baseline_->setToolTip(oneRow ? commandText(*baseline_) : tr("Several rows are selected; a baseline is one of them"));
  keepBest_->setEnabled(!compare_.view().runs.isEmpty());
  keepBest_->setToolTip(keepBest_->isEnabled() ? tr("Frees the room of their other checkpoints; pinned ones stay")
                                               : tr("No run is ticked"));
  updateArchiveActions(runs);
}

void RunListPane::updateArchiveActions(const QStringList& runs) {
  int archived = 0, training = 0;
  for (const QString& id : runs) {
    const RunSummary* run = model_.find(id);
    archived += run != nullptr && run->archived ? 1 : 0;
    training += run != nullptr && run->status == RunStatus::Running ? 1 : 0;
  }
  const auto count = static_cast<int>(runs.size()), others = count - archived;
  archive_->setText(others > 1 ? tr("Archive %n run(s)", nullptr, others) : tr("Archive"));
  archive_->setVisible(others > 0 || count == 0);
  restore_->setText(archived > 1 ? tr("Restore %n run(s)", nullptr, archived) : tr("Restore"));
  restore_->setVisible(archived > 0);
  delete_->setText(count > 1 ? tr("Delete %n run(s) for good…", nullptr, count) : tr("Delete for good…"));
  delete_->setEnabled(count > 0 && training == 0);
  delete_->setToolTip(training > 0 ? tr("%n of the selected run(s) train: stop them first", nullptr, training)
                                   : tr("Shows what it frees before anything is deleted"));
}

void RunListPane::addCommands(const QList<QAction*>& commands) {
  auto* line = new QAction(view_);
  line->setSeparator(true);
  view_->addAction(line);
  view_->addActions(commands);
}

/// Several selected runs take the place of the ticked ones.
void RunListPane::compareSelected() {
  if (const QStringList runs = selectedRuns(); runs.size() > 1) {
    compare_.setRuns(runs.mid(0, RunsTable::kMostTicked));
    if (runs.size() > RunsTable::kMostTicked) Q_EMIT tickLimited(static_cast<int>(runs.size()));
  }
  Q_EMIT compareRequested();
}

/// A group becomes the baseline as it is ticked, or whole if none of its runs is.
void RunListPane::makeBaseline() {
  const QStringList all = table_.runsAt({view_->currentIndex()});
  QStringList runs;
  for (const QString& run : all)
    if (compare_.isChosen(run)) runs << run;
  if (runs.isEmpty()) {
    const qsizetype room = std::max<qsizetype>(1, RunsTable::kMostTicked - compare_.view().runs.size());
    runs = all.mid(0, room);
    if (runs.size() < all.size()) Q_EMIT tickLimited(static_cast<int>(all.size()));
  }
  if (!runs.isEmpty()) compare_.setBaseline(runs);
}

// --- filter and selection ---

void RunListPane::applyFilter() {
  const std::string text = filter_->text().toStdString();
  const auto filter = RunFilter::parse(text);
  chips_->setFilter(filter_->text(), filter.ok());
  problem_->setText(filter.ok() ? QString() : sentenceCase(toQt(filter.error().message)));
  Theme::setLook(problem_, TextLook::Bad);
  useFilter(filter.ok() ? text : longestValidPrefix(text));
  if (filter.ok() && filter->names().contains("archived")) showArchived_->setChecked(true);
  const std::string begun = trailingNamePrefix(text);
  if (!begun.empty() && table_.shown() == 0 && model_.rowCount() > 0) {
    useFilter(longestValidPrefix(text.substr(0, text.rfind(begun))));
    problem_->setText(
        tr("No name, tag or note contains “%1”. A condition needs an operator, such as loss < 2.5").arg(toQt(begun)));
    Theme::setLook(problem_, TextLook::Small);
  }
  problem_->setVisible(!problem_->text().isEmpty());
  updateCount();
}

/// Applies `text` if it is valid, otherwise keeps the filter: text being typed must not empty the list.
void RunListPane::useFilter(const std::string& text) {
  if (auto filter = RunFilter::parse(text); filter.ok()) table_.setFilter(std::move(*filter));
}

/// A run that the filter shows again is selected again.
void RunListPane::restoreSelection() {
  if (!view_->currentIndex().isValid()) select(lastSelected_);
}

void RunListPane::updateCount() {
  const int all = model_.rowCount(), archived = workspace_.archived();
  showArchived_->setText(archived == 0 ? tr("Archived") : tr("Archived (%1)").arg(archived));
  showArchived_->setVisible(archived > 0 || workspace_.showsArchived());
  showArchived_->setChecked(workspace_.showsArchived());
  showArchived_->setToolTip(tr("Show archived runs too: they can be restored, or deleted for good"));
  if (!workspace_.workspace())
    count_->setText(tr("No workspace is open. Open one to see its runs."));
  else if (all == 0 && archived > 0)
    count_->setText(tr("All %n run(s) are archived", nullptr, archived));
  else if (all == 0)
    count_->setText(tr("No runs yet. Press New run to create one."));
  else
    count_->setText(tr("%n run(s)", nullptr, all) + hiddenText());
}

/// What is ticked, and what the filter hides: ", 3 shown, 22 hidden by the filter (1 ticked), 2 ticked".
QString RunListPane::hiddenText() const {
  const int hidden = model_.rowCount() - table_.shown();
  const QStringList& ticked = compare_.view().runs;
  const auto isHidden = [this](const QString& run) { return !table_.indexOf(run).isValid(); };
  const auto hiddenTicks = static_cast<int>(std::ranges::count_if(ticked, isHidden));
  QStringList among;
  if (hiddenTicks > 0) among << tr("%1 ticked").arg(hiddenTicks);
  if (model_.find(lastSelected_) != nullptr && isHidden(lastSelected_)) among << tr("the selected one");
  QString text;
  if (hidden > 0) text += tr(", %1 shown, %2 hidden by the filter").arg(table_.shown()).arg(hidden);
  if (hidden > 0 && !among.isEmpty()) text += tr(" (%1)").arg(among.join(QStringLiteral(", ")));
  if (!ticked.isEmpty()) text += tr(", %1 ticked").arg(ticked.size());
  return text;
}

void RunListPane::updateTicks() {
  updateCount();
  updateActions();
  header_->setTickState(table_.shownTickState());
  const QStringList differing = table_.differingSettings();
  bool tagged = false;
  for (int row = 0; row < model_.rowCount() && !tagged; ++row)
    tagged = !model_.at(row)->tags.empty() || !model_.at(row)->note.empty();
  if (differing == differing_ && tagged == tagged_) return;
  differing_ = differing;
  tagged_ = tagged;
  restoreColumns();
}

QString RunListPane::selected() const {
  return view_->currentIndex().data(RunsTable::IdRole).toString();
}

QStringList RunListPane::selectedRuns() const {
  return table_.runsAt(view_->selectionModel()->selectedRows());
}

void RunListPane::select(const QString& run) {
  const bool same = run == lastSelected_ && view_->currentIndex().isValid();  // the current row may be a group
  lastSelected_ = run;
  const QModelIndex row = table_.indexOf(run);
  const bool none = !row.isValid() && !view_->currentIndex().isValid();  // other rows may be selected
  if (same || none || run == selected()) return;
  const QScopedValueRollback quiet(quiet_, true);
  view_->selectionModel()->setCurrentIndex(row, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

// --- columns ---

void RunListPane::makeColumnActions() {
  header_->setContextMenuPolicy(Qt::ActionsContextMenu);
  for (int column = RunListModel::StateColumn; column <= RunsTable::kBestBatchColumn; ++column) {
    auto* action = new QAction(table_.titleOf(table_.column(column)), header_);
    action->setCheckable(true);
    header_->addAction(action);
    columnActions_ << action;
    connect(action, &QAction::triggered, this,
            [this, key = table_.column(column).key](bool on) { showColumn(key, on); });
  }
  auto* line = new QAction(header_);
  line->setSeparator(true);
  auto* more = new QAction(tr("Columns…"), header_);
  connect(more, &QAction::triggered, this, &RunListPane::chooseColumns);
  header_->addActions({line, more});
}

void RunListPane::chooseColumns() {
  std::vector<OfferedColumn> offered;
  for (const RunColumn& column : table_.offered()) {
    const Field* field = column.kind == RunColumn::Kind::Setting ? findField(column.name) : nullptr;
    const QString about =
        field == nullptr ? toQt(column.name) : toQt(column.name) + QLatin1Char('\n') + fieldHelp(*field);
    offered.push_back({column.key, table_.titleOf(column), about, isShown(column)});
  }
  auto* chooser = new ColumnChooser(offered, this);
  chooser->setAttribute(Qt::WA_DeleteOnClose);
  connect(chooser, &ColumnChooser::columnToggled, this, &RunListPane::showColumn);
  connect(chooser, &ColumnChooser::resetRequested, this, &RunListPane::resetColumns);
  chooser->open();
}

void RunListPane::showColumn(const QString& key, bool on) {
  for (QStringList* list : {&columns_.shown, &columns_.hidden}) list->removeAll(key);
  (on ? columns_.shown : columns_.hidden) << key;
  settings_.setRunColumns(columns_);
  restoreColumns();
}

void RunListPane::resetColumns() {
  StudioSettings::RunColumns columns;
  columns.sortedBy = columns_.sortedBy;
  columns.descending = columns_.descending;
  columns_ = columns;
  restoreColumns();
  settings_.setRunColumns(columns_);
}

/// The best evaluation stands beside the last one unless the user has placed the columns.
QStringList RunListPane::columnOrder() const {
  if (!columns_.order.isEmpty()) return columns_.order;
  QStringList order;
  for (int column = 0; column < table_.columnCount(); ++column) {
    if (column == RunsTable::kBestLossColumn || column == RunsTable::kBestBatchColumn) continue;
    order << table_.column(column).key;
    if (column != RunListModel::EvalLossColumn) continue;
    for (const int best : {RunsTable::kBestLossColumn, RunsTable::kBestBatchColumn}) order << table_.column(best).key;
  }
  return order;
}

/// Sets columns, their order and sorting as chosen.
void RunListPane::restoreColumns() {
  {
    const QScopedValueRollback arranging(arranging_, true);
    const int before = table_.columnCount();
    for (const QStringList& keys : {columns_.shown, differing_})
      for (const QString& key : keys) table_.columnOf(key);
    QItemSelectionModel& selection = *view_->selectionModel();
    if (table_.columnCount() > before)  // rows that are selected already get the new columns
      selection.select(selection.selection(), QItemSelectionModel::Select | QItemSelectionModel::Rows);
    int place = 0;
    for (const QString& key : columnOrder())
      for (int column = 0; column < table_.columnCount(); ++column)
        if (table_.column(column).key == key) header_->moveSection(header_->visualIndex(column), place++);
    const int sorted = table_.columnOf(columns_.sortedBy);
    if (!view_->isSortingEnabled() || header_->sortIndicatorSection() != std::max(sorted, 0)) {
      header_->setSortIndicator(sorted < 0 ? int{RunListModel::CreatedColumn} : sorted,
                                columns_.descending ? Qt::DescendingOrder : Qt::AscendingOrder);
      view_->setSortingEnabled(true);
    }
  }
  for (int i = 0; i < columnActions_.size(); ++i)
    columnActions_[i]->setChecked(isShown(table_.column(RunListModel::StateColumn + i)));
  placeColumns();
}

/// Folds seeds where the charts group them.
void RunListPane::foldSeeds() {
  const bool fold = compare_.view().options.groupBy == kGroupByExperiment;
  if (fold == view_->rootIsDecorated()) return;
  table_.setGrouped(fold);
  view_->setRootIsDecorated(fold);
  placeColumns();
}

void RunListPane::rememberOrder() {
  if (arranging_) return;
  QStringList order;
  for (int place = 0; place < header_->count(); ++place) order << table_.column(header_->logicalIndex(place)).key;
  for (const QString& key : columns_.order)
    if (!order.contains(key)) order << key;  // of other sessions
  columns_.order = order;
  settings_.setRunColumns(columns_);
}

void RunListPane::rememberWidth(int column, int width) {
  if (arranging_ || width == 0) return;
  columns_.widths[table_.column(column).key] = width;
  settings_.setRunColumns(columns_);
  if (column != RunListModel::NameColumn) placeColumns();
}

void RunListPane::rememberSort(int column, Qt::SortOrder order) {
  if (arranging_) return;
  columns_.sortedBy = table_.column(column).key;
  columns_.descending = order == Qt::DescendingOrder;
  settings_.setRunColumns(columns_);
}

/// Few: beside them the names have room in a small window.
bool RunListPane::appearsItself(const RunColumn& column) const {
  if (column.kind != RunColumn::Kind::Summary) return differing_.contains(column.key);
  return column.summary <= RunListModel::EvalLossColumn || (column.summary == RunListModel::TagsColumn && tagged_);
}

bool RunListPane::isShown(const RunColumn& column) const {
  return columns_.shown.contains(column.key) || (appearsItself(column) && !columns_.hidden.contains(column.key));
}

/// Depends on title and kind only: the values come and go while runs train. The state is an icon and the title of the
/// evaluation loss is short, unless the user gives them more.
int RunListPane::defaultWidth(int column) const {
  const RunColumn& shown = table_.column(column);
  const bool isSummary = shown.kind == RunColumn::Kind::Summary;
  const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
  int values = digit * (digitsOf(shown) + (view_->rootIsDecorated() && hasSpread(shown) ? digitsOf(shown) + 3 : 0));
  if (isSummary && shown.summary == RunListModel::StateColumn) return RunDelegate::iconWidth(*view_);
  if (isSummary && shown.summary == RunListModel::EvalLossColumn) return values + kPadding;
  if (isSummary && shown.summary == RunListModel::ProgressColumn) values += kBar;
  int title = 0;
  for (const QString& line :
       table_.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().split(QLatin1Char('\n')))
    title = std::max(title, fontMetrics().horizontalAdvance(line));
  title = std::min(title, kMostTitleChars * fontMetrics().averageCharWidth()) + kSortMark;
  return std::max(values, title) + kPadding;
}

int RunListPane::widthOf(int column) const {
  const int stored = columns_.widths.value(table_.column(column).key).toInt();
  return stored > 0 ? stored : defaultWidth(column);
}

/// Returns the least width of the column of names: that of 25 digits beside tick box, line and branch.
int RunListPane::leastNameWidth() const {
  const int branch = view_->rootIsDecorated() ? 2 * view_->indentation() : 0;
  return kMinNameChars * fontMetrics().horizontalAdvance(QLatin1Char('0')) + kTickAndSwatch + kPadding + branch;
}

/// The name takes what the shown columns leave; where that is too little, the table scrolls.
void RunListPane::placeColumns() {
  if (arranging_) return;
  const QScopedValueRollback arranging(arranging_, true);
  header_->setSectionResizeMode(QHeaderView::Interactive);
  header_->setMinimumSectionSize(4 * fontMetrics().averageCharWidth());
  int left = view_->viewport()->width();
  for (int column = 0; column < header_->count(); ++column) {
    if (column == RunListModel::NameColumn) continue;
    header_->setSectionHidden(column, !isShown(table_.column(column)));
    if (header_->isSectionHidden(column)) continue;
    header_->resizeSection(column, widthOf(column));
    left -= widthOf(column);
  }
  const int name = columns_.widths.value(table_.column(RunListModel::NameColumn).key).toInt();
  header_->resizeSection(RunListModel::NameColumn, name > 0 ? name : std::max(leastNameWidth(), left));
}

}  // namespace batchwise
