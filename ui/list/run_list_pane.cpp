// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/run_list_pane.h"

#include <QtCore/QEvent>
#include <QtCore/QScopedValueRollback>
#include <QtGui/QAction>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenu>
#include <QtWidgets/QToolButton>
#include <algorithm>
#include <map>

#include "ui/list/runs_view.h"
#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/shortcuts.h"

namespace batchwise {
namespace {

constexpr int kMostTitleChars = 16;  // of a line of a column's title
constexpr int kPadding = 12;         // pixels left and right of a cell together
constexpr int kSortMark = 16;        // pixels
constexpr int kTickAndLine = 44;     // pixels

/// Quotes text for a filter, which knows no escapes; empty if it has both kinds of quotes.
QString quotedForFilter(const QString& text) {
  if (!text.contains(QLatin1Char('"'))) return QStringLiteral("\"%1\"").arg(text);
  return text.contains(QLatin1Char('\'')) ? QString() : QStringLiteral("'%1'").arg(text);
}

}  // namespace

RunListPane::RunListPane(WorkspacePresenter& workspace, Selection& selection, StudioSettings& settings,
                         const Theme& theme, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      runs_(workspace.runs()),
      selection_(selection),
      settings_(settings),
      facts_(workspace),
      table_(runs_, facts_, selection),
      filter_(searchLine(this, "runFilter", tr("Filter runs"))),
      view_(new RunsView(table_, theme, this)),
      header_(view_->header()),
      problem_(textLabel(this, TextLook::Bad)),
      count_(textLabel(this, TextLook::Small)),
      columns_(settings.runColumns()) {
  filter_->setToolTip(
      plainToolTip(tr("Words are searched in names, tags and notes. Conditions: optimizer.lr > 1e-4 and (tag = ramp or "
                      "status = finished). Fields of the configuration, name, tag, status, created, archived, loss, "
                      "eval_loss, ba, tok; = != < > ~ in, and or not.")));
  problem_->setObjectName(QStringLiteral("filterProblem"));
  problem_->hide();
  auto* tools = new QWidget(this);
  addTools(*tools);
  column(this, {filter_, problem_, {view_, 1}, tools}, {{8, 8, 8, 4}, 4});

  addRunActions();
  makeColumnActions();
  restoreColumns();
  connectRuns();
  connect(filter_, &QLineEdit::textChanged, this, &RunListPane::applyFilter);
  auto* conditions = filter_->addAction(theme.icon(QStringLiteral("add")), QLineEdit::TrailingPosition);
  conditions->setText(tr("Condition"));
  conditions->setToolTip(tr("Show only runs of a state or with a tag"));
  connect(conditions, &QAction::triggered, this, &RunListPane::offerConditions);
  connect(&theme, &Theme::changed, conditions,
          [conditions, &theme] { conditions->setIcon(theme.icon(QStringLiteral("add"))); });
  connect(&theme, &Theme::changed, this, [this] {
    scaleColumns();
    fitNames();
  });
  updateTicks();
  updateActions();
}

void RunListPane::connectRuns() {
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
    if (!quiet_ && !currentRun().isEmpty()) Q_EMIT runSelected(currentRun());
  });
  connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    updateActions();
    Q_EMIT selectionChanged();
  });
  connect(view_, &QAbstractItemView::clicked, this, [this] { Q_EMIT runSelected(currentRun()); });
  for (const auto changed : {&QHeaderView::sectionMoved, &QHeaderView::sectionResized})
    connect(header_, changed, this, &RunListPane::storeColumns);
  connect(header_, &QHeaderView::sortIndicatorChanged, this, &RunListPane::storeColumns);
  connect(&table_, &RunsTable::tickLimited, this, &RunListPane::tickLimited);
  connect(&table_, &RunsTable::arranged, this, [this] {
    if (!view_->currentIndex().isValid()) showSelected();  // the filter shows it again
    updateTicks();
    fitNames();
  });
  view_->viewport()->installEventFilter(this);
  connect(&selection_, &Selection::runChanged, this, &RunListPane::showSelected);
  connect(&selection_, &Selection::ticksChanged, this, &RunListPane::updateTicks);
  connect(&workspace_, &WorkspacePresenter::opened, this, &RunListPane::updateCount);
  connect(&workspace_, &WorkspacePresenter::refreshed, this, &RunListPane::updateCount);
  connect(&facts_, &RunFacts::arrived, this, &RunListPane::updateTicks);
}

void RunListPane::addTools(QWidget& tools) {
  auto* columns = textButton(&tools, "chooseColumns", tr("Columns…"),
                             tr("Choose the columns of the table; drag their titles to order them"));
  connect(columns, &QToolButton::clicked, this, &RunListPane::openColumns);
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
  addAction("choose_all", tr("Tick all shown runs"), 0, [this] { table_.tick(table_.shownRuns()); });
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
  ofAll("add_seeds", tr("Add seeds"), 0, &RunListPane::seedsRequested)
      ->setToolTip(tr("Queues the same configurations with other seeds: three in all, then one more each time"));
  archive_ = ofAll("archive", tr("Archive"), Qt::Key_Delete, &RunListPane::archiveRequested);
  restore_ = ofAll("restore", tr("Restore"), 0, &RunListPane::restoreRequested);
  delete_ =
      ofAll("delete", tr("Delete for good…"), (Qt::SHIFT | Qt::Key_Delete).toCombined(), &RunListPane::deleteRequested);
  export_ = ofAll("export_runs", tr("Export the selected runs…"), 0, &RunListPane::exportRequested);
  keepBest_ = addAction("keep_best", tr("Keep only the best checkpoint of the ticked runs…"), 0,
                        [this] { Q_EMIT keepBestRequested(selection_.ticked()); });
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
  return count < 2 ? QString()
                   : plural(count, tr("%n run is selected, and this is for one: select it"),
                            tr("%n runs are selected, and this is for one: select it"));
}

/// The texts tell how many runs an action concerns.
void RunListPane::updateActions() {
  const QStringList runs = selectedRuns();
  const auto count = static_cast<int>(runs.size());
  const bool untick = count > 0 && table_.tickState(runs) == Qt::Checked;
  if (count > 1) {
    tick_->setText(untick ? tr("Untick %1 runs").arg(count)
                          : plural(count, tr("Tick %n run for charts and comparison"),
                                   tr("Tick %n runs for charts and comparison")));
    compareRuns_->setText(tr("Compare %1 runs").arg(count));
    tags_->setText(tr("Tags of %1 runs…").arg(count));
    export_->setText(tr("Export %1 runs…").arg(count));
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
  keepBest_->setEnabled(!selection_.ticked().isEmpty());
  keepBest_->setToolTip(keepBest_->isEnabled() ? tr("Frees the room of their other checkpoints; pinned ones stay")
                                               : tr("No run is ticked"));
  updateArchiveActions(runs);
}

void RunListPane::updateArchiveActions(const QStringList& runs) {
  int archived = 0, training = 0;
  for (const QString& id : runs) {
    const RunSummary* run = runs_.find(id);
    archived += run != nullptr && run->archived ? 1 : 0;
    training += run != nullptr && run->status == RunStatus::Running ? 1 : 0;
  }
  const auto count = static_cast<int>(runs.size()), others = count - archived;
  archive_->setText(others > 1 ? tr("Archive %1 runs").arg(others) : tr("Archive"));
  archive_->setVisible(others > 0 || count == 0);
  restore_->setText(archived > 1 ? tr("Restore %1 runs").arg(archived) : tr("Restore"));
  restore_->setVisible(archived > 0);
  delete_->setText(count > 1 ? tr("Delete %1 runs for good…").arg(count) : tr("Delete for good…"));
  delete_->setEnabled(count > 0 && training == 0);
  delete_->setToolTip(training > 0 ? plural(training, tr("%n of the selected runs trains: stop it first"),
                                            tr("%n of the selected runs train: stop them first"))
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
    selection_.setTicked(runs.mid(0, RunsTable::kMostTicked));
    if (runs.size() > RunsTable::kMostTicked) Q_EMIT tickLimited(static_cast<int>(runs.size()));
  }
  Q_EMIT compareRequested();
}

/// A group becomes the baseline as it is ticked, or whole if none of its runs is.
void RunListPane::makeBaseline() {
  const QStringList all = table_.runsAt({view_->currentIndex()});
  QStringList runs;
  for (const QString& run : all)
    if (selection_.isTicked(run)) runs << run;
  if (runs.isEmpty()) {
    const qsizetype room = std::max<qsizetype>(1, RunsTable::kMostTicked - selection_.ticked().size());
    runs = all.mid(0, room);
    if (runs.size() < all.size()) Q_EMIT tickLimited(static_cast<int>(all.size()));
  }
  if (!runs.isEmpty()) selection_.setBaseline(runs);
}

// --- filter and selection ---

/// A filter that cannot be read changes nothing: text being typed must not empty the list.
void RunListPane::applyFilter() {
  auto filter = RunFilter::parse(filter_->text().toStdString());
  problem_->setText(filter.ok() ? QString() : sentenceCase(toQt(filter.error().message)));
  problem_->setVisible(!filter.ok());
  if (!filter.ok()) return;
  if (filter->names().contains("archived")) showArchived_->setChecked(true);
  table_.setFilter(std::move(*filter));
  updateCount();
}

/// Offers a condition for each state and tag that runs have.
void RunListPane::offerConditions() {
  std::map<QString, QString> states, tags;  // conditions by text
  for (const RunSummary& run : runs_.all()) {
    states[statusText(run.status)] = QStringLiteral("status = ") + toQt(std::string(choiceName(run.status)));
    if (run.paused) states[stateText(run)] = QStringLiteral("status = paused");
    if (run.cause == FailureCause::Diverged) states[stateText(run)] = QStringLiteral("status = diverged");
    for (const std::string& tag : run.tags)
      if (const QString value = quotedForFilter(toQt(tag)); !value.isEmpty())
        tags[tr("Tag %1").arg(toQt(tag))] = QStringLiteral("tag = ") + value;
  }
  auto* menu = named(new QMenu(filter_), "filterConditions");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  for (const auto& choices : {states, tags}) {
    menu->addSeparator();
    for (const auto& [text, condition] : choices)
      connect(menu->addAction(escapeMnemonic(text)), &QAction::triggered, this,
              [this, added = condition.toStdString()] {
                filter_->selectAll();
                filter_->insert(toQt(withCondition(filter_->text().toStdString(), added)));  // can be undone
              });
  }
  menu->popup(filter_->mapToGlobal(QPoint(0, filter_->height())));
}

void RunListPane::updateCount() {
  const int all = runs_.size(), archived = workspace_.archived();
  showArchived_->setText(archived == 0 ? tr("Archived") : tr("Archived (%1)").arg(archived));
  showArchived_->setVisible(archived > 0 || workspace_.showsArchived());
  showArchived_->setChecked(workspace_.showsArchived());
  showArchived_->setToolTip(tr("Show archived runs too: they can be restored, or deleted for good"));
  if (!workspace_.workspace())
    count_->setText(tr("No workspace is open. Open one to see its runs."));
  else if (all == 0 && archived > 0)
    count_->setText(plural(archived, tr("The only run is archived"), tr("All %n runs are archived")));
  else if (all == 0)
    count_->setText(tr("No runs yet. Press New run to create one."));
  else
    count_->setText(plural(all, tr("%n run"), tr("%n runs")) + hiddenText());
}

/// What is ticked, and what the filter hides: ", 3 shown, 22 hidden by the filter (1 ticked), 2 ticked".
QString RunListPane::hiddenText() const {
  const int hidden = runs_.size() - table_.shown();
  const QStringList& ticked = selection_.ticked();
  const auto isHidden = [this](const QString& run) { return !table_.indexOf(run).isValid(); };
  const auto hiddenTicks = static_cast<int>(std::ranges::count_if(ticked, isHidden));
  QStringList among;
  if (hiddenTicks > 0) among << tr("%1 ticked").arg(hiddenTicks);
  if (runs_.find(selection_.run()) != nullptr && isHidden(selection_.run())) among << tr("the selected one");
  QString text;
  if (hidden > 0) text += tr(", %1 shown, %2 hidden by the filter").arg(table_.shown()).arg(hidden);
  if (hidden > 0 && !among.isEmpty()) text += tr(" (%1)").arg(among.join(QStringLiteral(", ")));
  if (!ticked.isEmpty()) text += tr(", %1 ticked").arg(ticked.size());
  return text;
}

void RunListPane::updateTicks() {
  updateCount();
  updateActions();
  const QStringList differing = table_.differingSettings();
  const bool tagged =
      std::ranges::any_of(runs_.all(), [](const RunSummary& run) { return !run.tags.empty() || !run.note.empty(); });
  if (differing == differing_ && tagged == tagged_) return;
  differing_ = differing;
  tagged_ = tagged;
  placeColumns();
}

QString RunListPane::currentRun() const {
  return view_->currentIndex().data(RunsTable::IdRole).toString();
}

QStringList RunListPane::selectedRuns() const {
  return table_.runsAt(view_->selectionModel()->selectedRows());
}

void RunListPane::showSelected() {
  const QModelIndex row = table_.indexOf(selection_.run());
  const bool none = !row.isValid() && !view_->currentIndex().isValid();  // other rows may be selected
  if (none || selection_.run() == currentRun()) return;
  const QScopedValueRollback quiet(quiet_, true);
  view_->selectionModel()->setCurrentIndex(row, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

// --- columns ---

void RunListPane::makeColumnActions() {
  header_->setContextMenuPolicy(Qt::ActionsContextMenu);
  for (int column = RunsTable::StateColumn; column < RunsTable::ColumnCount; ++column) {
    auto* action = new QAction(table_.column(column).title, header_);
    action->setCheckable(true);
    header_->addAction(action);
    connect(action, &QAction::triggered, this,
            [this, key = table_.column(column).key](bool on) { showColumn(key, on); });
    columnActions_ << action;
  }
  auto* line = new QAction(header_);
  line->setSeparator(true);
  auto* more = new QAction(tr("Columns…"), header_);
  connect(more, &QAction::triggered, this, &RunListPane::openColumns);
  header_->addActions({line, more});
}

void RunListPane::openColumns() {
  std::vector<OfferedColumn> offered;
  for (const RunColumn& column : table_.offered())
    offered.push_back({column.key, column.title, column.about, isShown(column)});
  chooseColumns(
      this, offered, [this](const QString& key, bool on) { showColumn(key, on); }, [this] { resetColumns(); });
}

void RunListPane::showColumn(const QString& key, bool on) {
  for (QStringList* list : {&columns_.shown, &columns_.hidden}) list->removeAll(key);
  (on ? columns_.shown : columns_.hidden) << key;
  placeColumns();
}

void RunListPane::resetColumns() {
  columns_ = {};
  columns_.fittedNames = defaultWidth(RunsTable::NameColumn);
  for (int column = 0; column < header_->count(); ++column) {
    header_->moveSection(header_->visualIndex(column), column);
    header_->resizeSection(column, defaultWidth(column));
  }
  placeColumns();
}

/// Few: beside them the names have room in a small window.
bool RunListPane::appearsItself(const RunColumn& column) const {
  const QString& tags = table_.column(RunsTable::TagsColumn).key;
  return column.key == table_.column(RunsTable::StateColumn).key ||
         column.key == table_.column(RunsTable::EvalLossColumn).key || (column.key == tags && tagged_) ||
         differing_.contains(column.key);
}

bool RunListPane::isShown(const RunColumn& column) const {
  return columns_.shown.contains(column.key) || (appearsItself(column) && !columns_.hidden.contains(column.key));
}

/// Shows the columns that are wanted, and no others; the table scrolls.
void RunListPane::placeColumns() {
  const int before = table_.columnCount();
  for (const QStringList& keys : {columns_.shown, differing_})
    for (const QString& key : keys) addColumn(key);
  QItemSelectionModel& selection = *view_->selectionModel();
  if (table_.columnCount() > before)  // rows that are selected already get the new columns
    selection.select(selection.selection(), QItemSelectionModel::Select | QItemSelectionModel::Rows);
  for (int column = RunsTable::StateColumn; column < header_->count(); ++column) {
    const bool shown = isShown(table_.column(column));
    if (column < RunsTable::ColumnCount) columnActions_[column - RunsTable::StateColumn]->setChecked(shown);
    if (shown != header_->isSectionHidden(column)) continue;
    header_->setSectionHidden(column, !shown);
    if (shown) header_->resizeSection(column, defaultWidth(column));
  }
  storeColumns();
}

void RunListPane::addColumn(const QString& key) {
  const int before = table_.columnCount(), column = table_.columnOf(key);
  if (column >= before) header_->setSectionHidden(column, true);  // until it is placed
}

/// Puts order, widths and sorting as they were stored; columns that are not known any more are left out.
void RunListPane::restoreColumns() {
  header_->setSectionResizeMode(QHeaderView::Interactive);
  for (int column = 0; column < header_->count(); ++column) {
    header_->resizeSection(column, defaultWidth(column));
    header_->setSectionHidden(column, column != RunsTable::NameColumn);
  }
  const int sorted = columns_.sorted.isEmpty() ? -1 : table_.columnOf(columns_.sorted);
  header_->setSortIndicator(sorted < 0 ? int{RunsTable::CreatedColumn} : sorted,
                            columns_.descending ? Qt::DescendingOrder : Qt::AscendingOrder);
  int place = 0;
  for (qsizetype i = 0; i < columns_.keys.size(); ++i) {
    addColumn(columns_.keys[i]);
    const int column = table_.columnOf(columns_.keys[i]), width = columns_.widths.value(i);
    if (column < 0) continue;
    header_->moveSection(header_->visualIndex(column), place++);
    header_->setSectionHidden(column, width <= 0);
    if (width > 0) header_->resizeSection(column, width);
  }
  if (place > 0 && columns_.fontHeight > 0)
    fontHeight_ = columns_.fontHeight;
  else
    columns_.fittedNames = defaultWidth(RunsTable::NameColumn);
  view_->setSortingEnabled(true);
  scaleColumns();
  placeColumns();
}

void RunListPane::storeColumns() {
  columns_.keys.clear();
  columns_.widths.clear();
  for (int place = 0; place < header_->count(); ++place) {
    const int column = header_->logicalIndex(place);
    columns_.keys << table_.column(column).key;
    columns_.widths << header_->sectionSize(column);
  }
  columns_.sorted = table_.column(header_->sortIndicatorSection()).key;
  columns_.descending = header_->sortIndicatorOrder() == Qt::DescendingOrder;
  columns_.fontHeight = fontHeight_;
  settings_.setRunColumns(columns_);
}

/// Widths follow the size of the text.
void RunListPane::scaleColumns() {
  const int height = fontMetrics().height(), before = std::exchange(fontHeight_, height);
  for (int column = 0; column < header_->count() && height != before; ++column)
    if (!header_->isSectionHidden(column))
      header_->resizeSection(column, header_->sectionSize(column) * height / before);
  columns_.fittedNames = columns_.fittedNames * height / before;
}

/// Gives the names room, unless the user has set their width. Very long ones get what the other columns leave.
void RunListPane::fitNames() {
  if (header_->sectionSize(RunsTable::NameColumn) != columns_.fittedNames) return;
  const int least = defaultWidth(RunsTable::NameColumn), most = 2 * least;
  const int wanted = static_cast<QAbstractItemView*>(view_)->sizeHintForColumn(RunsTable::NameColumn);
  const int left = view_->viewport()->width() - (header_->length() - columns_.fittedNames);
  columns_.fittedNames = std::clamp(wanted > most ? left : wanted, least, most);
  header_->resizeSection(RunsTable::NameColumn, columns_.fittedNames);
}

bool RunListPane::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) fitNames();
  return QWidget::eventFilter(watched, event);
}

/// Depends on title and kind of values only: these come and go while runs train. Folded, a column has a mean and a
/// spread.
int RunListPane::defaultWidth(int at) const {
  const RunColumn& column = table_.column(at);
  if (at == RunsTable::StateColumn) return RunDelegate::iconWidth(fontMetrics());
  const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
  if (at == RunsTable::NameColumn) return digit * column.digits + kTickAndLine + kPadding;
  const bool hasSpread = view_->rootIsDecorated() && column.isFigure && column.values != RunColumn::Values::Duration;
  const int values = digit * (hasSpread ? 2 * column.digits + 3 : column.digits);
  int title = 0;
  for (const QString& line : table_.headerData(at, Qt::Horizontal, Qt::DisplayRole).toString().split(QLatin1Char('\n')))
    title = std::max(title, fontMetrics().horizontalAdvance(line));
  title = std::min(title, kMostTitleChars * fontMetrics().averageCharWidth()) + kSortMark;
  return std::max(values, title) + kPadding;
}

void RunListPane::setCompared(const QStringList& series, bool foldsSeeds) {
  table_.setSeries(series);
  if (foldsSeeds == view_->rootIsDecorated()) return;
  table_.setGrouped(foldsSeeds);
  view_->setRootIsDecorated(foldsSeeds);
  for (int column = 0; column < header_->count(); ++column)
    if (table_.column(column).isFigure && !header_->isSectionHidden(column))
      header_->resizeSection(column, defaultWidth(column));
}

}  // namespace batchwise
