// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/docks/run_list_pane.h"

#include <QtGui/QAction>
#include <QtGui/QPainter>
#include <QtWidgets/QApplication>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QTreeView>

#include "ui/models/display_text.h"
#include "ui/widgets/docks/filter_chips.h"
#include "ui/widgets/parts/dialogs.h"
#include "ui/widgets/parts/labels.h"
#include "ui/widgets/parts/layouts.h"
#include "ui/widgets/parts/shortcuts.h"
#include "ui/widgets/parts/table_views.h"

namespace batchwise {
namespace {

constexpr int kMeasuredRows = 200;  // measured for the column widths, at every change

constexpr int kMinNameChars = 14;
constexpr int kTagColumnChars = 9;  // width of the tags column

constexpr int kSwatch = 12;

/// Returns a sample of the run's line; the baseline's has a frame.
QPixmap swatch(int style, bool baseline, double ratio) {
  QPixmap pixmap(QSize(kSwatch, kSwatch) * ratio);
  pixmap.setDevicePixelRatio(ratio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  // Own background: not every color is visible on that of a selected row.
  painter.setPen(Qt::NoPen);
  painter.setBrush(QApplication::palette().color(QPalette::Base));
  painter.drawRoundedRect(QRectF(0, 0, kSwatch, kSwatch), 2, 2);
  painter.setBrush(Qt::NoBrush);
  const SeriesStyle own = seriesStyle(style);
  const QColor color{QLatin1String(own.color)};
  painter.setPen(QPen(color, 3, own.dashed ? Qt::DotLine : Qt::SolidLine));
  painter.drawLine(QPointF(2, kSwatch / 2.0), QPointF(kSwatch - 2, kSwatch / 2.0));
  painter.setPen(QPen(color, 1));
  if (baseline) painter.drawRect(QRectF(0.5, 0.5, kSwatch - 1, kSwatch - 1));
  return pixmap;
}

}  // namespace

ChosenRunsProxy::ChosenRunsProxy(RunListModel& runs, ComparePresenter& compare, QObject* parent)
    : QSortFilterProxyModel(parent), runs_(runs), compare_(compare) {
  setSourceModel(&runs_);
  const auto repaint = [this] {
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0));
  };
  connect(&compare_, &ComparePresenter::chosenChanged, this, repaint);
  connect(&compare_, &ComparePresenter::changed, this, repaint);
}

void ChosenRunsProxy::setFilter(RunFilter filter) {
  filter_ = std::move(filter);
  invalidateFilter();
}

bool ChosenRunsProxy::filterAcceptsRow(int row, const QModelIndex&) const {
  const RunSummary* run = runs_.at(row);
  if (run == nullptr) return false;
  const ConfigValues* config = nullptr;
  if (filter_.needsConfig()) {
    config = compare_.config(toQt(run->id));
    if (config == nullptr) return false;  // not read yet
  }
  return filter_.passes(lookupIn(*run, config));
}

QVariant ChosenRunsProxy::data(const QModelIndex& index, int role) const {
  if (index.isValid() && index.column() == RunListModel::NameColumn) {
    const auto run = [&] { return QSortFilterProxyModel::data(index, RunListModel::IdRole).toString(); };
    if (role == Qt::DecorationRole && compare_.isChosen(run()))
      return swatch(compare_.styleOf(run()), compare_.view().runs.first() == run(), qApp->devicePixelRatio());
    if (role == Qt::AccessibleTextRole && compare_.isChosen(run()))
      return tr("%1, chosen for comparison").arg(QSortFilterProxyModel::data(index, Qt::DisplayRole).toString());
  }
  return QSortFilterProxyModel::data(index, role);
}

RunListPane::RunListPane(RunListModel& model, ComparePresenter& compare, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      model_(model),
      compare_(compare),
      proxy_(model, compare),
      filter_(new QLineEdit(this)),
      chips_(new FilterChips(model, theme, *filter_, this)),
      view_(tableView(this, proxy_, theme, RunListModel::IconRole, "runs", tr("Runs"))),
      problem_(textLabel(this, TextLook::Bad)),
      count_(textLabel(this, TextLook::Small)) {
  filter_->setPlaceholderText(tr("Filter: a word, or status = finished"));
  filter_->setToolTip(plainToolTip(
      tr("Words are looked for in names, tags and notes. Conditions: optimizer.lr > 1e-4 and (tag = ramp or status = "
         "finished). Fields of the configuration, name, tag, status, loss, eval_loss, ba, tok; = != < > ~ in, and or "
         "not.")));
  filter_->setAccessibleName(tr("Filter runs"));
  filter_->setClearButtonEnabled(true);
  proxy_.setSortRole(RunListModel::SortRole);
  proxy_.sort(RunListModel::CreatedColumn, Qt::DescendingOrder);

  view_->setTextElideMode(Qt::ElideMiddle);  // names of a sweep differ at their ends
  view_->setSortingEnabled(true);
  view_->sortByColumn(RunListModel::CreatedColumn, Qt::DescendingOrder);
  view_->header()->setSectionsMovable(false);
  for (const auto column : {RunListModel::TagsColumn, RunListModel::CreatedColumn})
    view_->header()->setSectionHidden(column, true);
  makeColumnActions();
  problem_->setObjectName(QStringLiteral("filterProblem"));
  problem_->hide();

  column(this, {filter_, problem_, chips_, {view_, 1}, count_}, {{8, 8, 8, 4}, 4});

  addRunActions();
  connect(filter_, &QLineEdit::textChanged, this, &RunListPane::applyFilter);
  connect(chips_, &FilterChips::changed, filter_, [this](const QString& text) {
    filter_->selectAll();
    filter_->insert(text);  // as if typed, so that it can be undone
  });
  connect(&compare_, &ComparePresenter::chosenChanged, this, &RunListPane::updateCount);
  connect(&compare_, &ComparePresenter::configsRead, this, [this] { refilter([this] { proxy_.reapplyFilter(); }); });
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
    if (quiet_) return;
    lastSelected_ = selected();
    Q_EMIT runSelected(lastSelected_);
  });
  connect(view_, &QAbstractItemView::clicked, this, [this] { Q_EMIT runSelected(selected()); });
  connect(&proxy_, &QAbstractItemModel::rowsInserted, this, &RunListPane::updateCount);
  connect(&proxy_, &QAbstractItemModel::rowsRemoved, this, &RunListPane::updateCount);
  connect(&proxy_, &QAbstractItemModel::rowsInserted, this, &RunListPane::sizeColumns);
  connect(&proxy_, &QAbstractItemModel::modelReset, this, &RunListPane::updateCount);
  connect(&proxy_, &QAbstractItemModel::modelReset, this, &RunListPane::sizeColumns);
  connect(&model_, &QAbstractItemModel::modelReset, this, [this] { showTags(0, model_.rowCount() - 1); });
  connect(&model_, &QAbstractItemModel::rowsInserted, this,
          [this](const QModelIndex&, int first, int last) { showTags(first, last); });
  connect(&model_, &QAbstractItemModel::dataChanged, this,
          [this](const QModelIndex& from, const QModelIndex& to) { showTags(from.row(), to.row()); });
  connect(&theme, &Theme::changed, this, &RunListPane::sizeTags);
  connect(&theme, &Theme::changed, this, &RunListPane::sizeColumns);
  sizeColumns();
  sizeTags();
  showTags(0, model_.rowCount() - 1);
  updateCount();
}

void RunListPane::addRunActions() {
  view_->setContextMenuPolicy(Qt::ActionsContextMenu);
  const auto add = [this](const char* name, const QString& text, Qt::Key key, auto work) {
    auto* action = new QAction(text, view_);
    setCommandName(*action, name);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut);
    connect(action, &QAction::triggered, this, work);
    view_->addAction(action);
  };
  add("choose", tr("Choose for comparison"), Qt::Key_Space, [this] { compare_.toggle(selected()); });
  add("baseline", tr("Make it the baseline"), Qt::Key_B, [this] { compare_.setBaseline(selected()); });
  add("compare", tr("Compare the chosen runs"), Qt::Key_C, [this] { Q_EMIT compareRequested(); });
  add("choose_none", tr("Choose none"), Qt::Key_Escape, [this] { Q_EMIT clearChoiceRequested(); });
  add("rename", tr("Rename…"), Qt::Key_F2, [this] {
    if (!selected().isEmpty()) Q_EMIT renameRequested(selected());
  });
  add("tags", tr("Tags…"), Qt::Key_T, [this] { editTags(); });
  add("note", tr("Note…"), Qt::Key_N, [this] { editNote(); });
  add("archive", tr("Archive"), Qt::Key_Delete, [this] {
    if (!selected().isEmpty()) Q_EMIT archiveRequested(selected());
  });
}

void RunListPane::addCommands(const QList<QAction*>& commands) {
  auto* line = new QAction(view_);
  line->setSeparator(true);
  view_->addAction(line);
  view_->addActions(commands);
}

void RunListPane::editTags() {
  const RunSummary* run = model_.find(selected());
  if (run == nullptr) return;
  QStringList tags;
  for (const std::string& tag : run->tags) tags << toQt(tag);
  const QString id = selected();
  const auto text = askText(*this, {tr("Tags"), tr("Tags of the selected run, with commas between them"),
                                    tr("Set tags"), tags.join(QStringLiteral(", "))});
  if (!text) return;
  QStringList changed;
  for (const QString& tag : text->split(QLatin1Char(','), Qt::SkipEmptyParts))
    if (!tag.trimmed().isEmpty()) changed << tag.trimmed();
  compare_.setTags(id, changed);
}

void RunListPane::editNote() {
  const RunSummary* run = model_.find(selected());
  if (run == nullptr) return;
  const QString id = selected();
  const auto note =
      askText(*this, {tr("Note"), tr("Note on the selected run (Markdown)"), tr("Save note"), toQt(run->note), true});
  if (note) compare_.setNote(id, *note);
}

/// Selects the same run after `change`: rows that disappear would move the selection to another run.
void RunListPane::refilter(const std::function<void()>& change) {
  quiet_ = true;
  change();
  quiet_ = false;
  select(lastSelected_);
}

void RunListPane::applyFilter() {
  const std::string text = filter_->text().toStdString();
  const auto filter = RunFilter::parse(text);
  chips_->setFilter(filter_->text(), filter.ok());
  problem_->setText(filter.ok() ? QString() : sentenceCase(coreText(filter.error().message)));
  Theme::setLook(problem_, TextLook::Bad);
  useFilter(filter.ok() ? text : longestValidPrefix(text));
  const std::string begun = trailingNamePrefix(text);
  if (!begun.empty() && proxy_.rowCount() == 0 && model_.rowCount() > 0) {
    useFilter(longestValidPrefix(text.substr(0, text.rfind(begun))));
    problem_->setText(
        tr("No name, tag or note has “%1”. A condition goes on with a sign, as loss < 2.5").arg(toQt(begun)));
    Theme::setLook(problem_, TextLook::Small);
  }
  problem_->setVisible(!problem_->text().isEmpty());
  updateCount();
}

/// Applies `text` if it is valid, otherwise keeps the filter: text being typed must not empty the list.
void RunListPane::useFilter(const std::string& text) {
  auto filter = RunFilter::parse(text);
  if (filter.ok()) refilter([this, &filter] { proxy_.setFilter(std::move(*filter)); });
}

void RunListPane::makeColumnActions() {
  auto* header = view_->header();
  header->setContextMenuPolicy(Qt::ActionsContextMenu);
  for (int column = RunListModel::StateColumn; column < RunListModel::ColumnCount; ++column) {
    auto* action = new QAction(model_.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(), header);
    action->setCheckable(true);
    action->setChecked(!header->isSectionHidden(column));
    header->addAction(action);
    columns_ << action;
    if (column == RunListModel::TagsColumn) tags_ = action;
    connect(action, &QAction::toggled, this, &RunListPane::fitColumns);
    connect(action, &QAction::triggered, this, [this, action] {
      userSet_.insert(action);
      fitColumns();
    });
  }
}

/// Shows the column with the first tag or note, unless the user has shown or hidden it.
void RunListPane::showTags(int first, int last) {
  if (userSet_.contains(tags_) || tags_->isChecked()) return;
  for (int row = first; row <= last; ++row)
    if (const RunSummary* run = model_.at(row); run != nullptr && (!run->tags.empty() || !run->note.empty()))
      return tags_->setChecked(true);
}

void RunListPane::sizeColumns() {
  auto* header = view_->header();
  header->setMinimumSectionSize(fontMetrics().horizontalAdvance(QStringLiteral("0000")));
  header->setResizeContentsPrecision(kMeasuredRows);
  header->setSectionResizeMode(QHeaderView::ResizeToContents);
  header->setSectionResizeMode(RunListModel::NameColumn, QHeaderView::Stretch);
  header->setSectionResizeMode(RunListModel::TagsColumn, QHeaderView::Interactive);
  fitColumns();
}

/// Not called for each new run: the user may have resized the column.
void RunListPane::sizeTags() {
  view_->header()->resizeSection(RunListModel::TagsColumn, fontMetrics().averageCharWidth() * kTagColumnChars);
}

/// Hides the last columns, except those that the user has shown, where the name would have no room.
void RunListPane::fitColumns() {
  auto* header = view_->header();
  for (int i = 0; i < columns_.size(); ++i)
    header->setSectionHidden(RunListModel::StateColumn + i, !columns_[i]->isChecked());
  int room = view_->viewport()->width() - kMinNameChars * fontMetrics().averageCharWidth();
  if (header->length() == 0) return;  // computes the column widths
  for (int i = 0; i < columns_.size(); ++i) {
    const int column = RunListModel::StateColumn + i;
    room -= header->sectionSize(column);
    if (room < 0 && !userSet_.contains(columns_[i])) header->setSectionHidden(column, true);
  }
}

void RunListPane::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitColumns();
}

void RunListPane::updateCount() {
  const int shown = proxy_.rowCount();
  const int all = model_.rowCount();
  const auto chosen = static_cast<int>(compare_.view().runs.size());
  if (all > 0 && chosen > 0)
    count_->setText(tr("%n run(s), %1 shown, %2 chosen", nullptr, all).arg(shown).arg(chosen));
  else if (all == 0)
    count_->setText(tr("No runs yet. Press New run to make one."));
  else if (shown < all)
    count_->setText(tr("%n run(s), %1 shown", nullptr, all).arg(shown));
  else
    count_->setText(tr("%n run(s)", nullptr, all));
}

QString RunListPane::selected() const {
  const QModelIndex current = view_->currentIndex();
  return current.isValid() ? current.data(RunListModel::IdRole).toString() : QString();
}

void RunListPane::select(const QString& run) {
  lastSelected_ = run;
  if (run == selected()) return;
  const int row = model_.rowOf(run);
  quiet_ = true;
  view_->setCurrentIndex(row < 0 ? QModelIndex() : proxy_.mapFromSource(model_.index(row, 0)));
  quiet_ = false;
}

}  // namespace batchwise
