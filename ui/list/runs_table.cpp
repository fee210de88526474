// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/runs_table.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string_view>

#include "core/config/schema.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr int kArrangeMs = 100;            // while configurations are being read
constexpr std::size_t kMostLabeled = 200;  // groups that are named by their settings
constexpr int kMostNotified = 200;         // groups; a view searches all of its rows for each notification
constexpr qsizetype kMostSettings = 4;     // columns that appear by themselves

std::vector<std::string> stemsOf(const std::vector<LabeledGroup>& groups) {
  std::vector<std::string> stems;
  for (const LabeledGroup& group : groups) stems.push_back(commonStem(group.names));
  return stems;
}

/// Values of a higher rank come later in either order.
int rankOf(const std::optional<double>& number, const QString& text) {
  if (number) return std::isfinite(*number) ? 0 : 1;
  return text.isEmpty() ? 2 : 0;
}

}  // namespace

RunsTable::RunsTable(RunList& runs, RunFacts& facts, Selection& selection, QObject* parent)
    : QAbstractItemModel(parent), runs_(runs), facts_(facts), selection_(selection), columns_(standardColumns(facts)) {
  arrangeSoon_.setSingleShot(true);
  arrangeSoon_.setInterval(kArrangeMs);
  connect(&arrangeSoon_, &QTimer::timeout, this, &RunsTable::update);
  connect(&runs_, &RunList::updated, this, &RunsTable::update);
  connect(&facts_, &RunFacts::arrived, this, &RunsTable::factsArrived);
  const auto ticked = [this] { notifyChanged(NameColumn, NameColumn); };
  connect(&selection_, &Selection::ticksChanged, this, ticked);
  connect(&selection_, &Selection::stylesChanged, this, ticked);
  arrange();
}

// --- structure ---

QModelIndex RunsTable::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr{0});
}

QModelIndex RunsTable::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == 0) return {};
  return createIndex(static_cast<int>(child.internalId() - 1), 0, quintptr{0});
}

int RunsTable::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(rows_.size());
  const Row* row = parent.internalId() == 0 && parent.column() == 0 ? rowAt(parent) : nullptr;
  return row != nullptr && row->isGroup() ? static_cast<int>(row->runs.size()) : 0;
}

int RunsTable::columnCount(const QModelIndex&) const {
  return static_cast<int>(columns_.size());
}

/// Returns the row, or that of its group.
const RunsTable::Row* RunsTable::rowAt(const QModelIndex& index) const {
  if (!index.isValid()) return nullptr;
  const auto row = index.internalId() == 0 ? static_cast<std::size_t>(index.row()) : index.internalId() - 1;
  return row < rows_.size() ? &rows_[row] : nullptr;
}

const RunSummary& RunsTable::summary(const Item& item) const {
  static const RunSummary none;
  const RunSummary* run = runs_.at(item.run);
  return run == nullptr ? none : *run;
}

const RunsTable::Item* RunsTable::itemAt(const QModelIndex& index) const {
  const Row* row = rowAt(index);
  if (row == nullptr) return nullptr;
  if (index.internalId() == 0) return row->isGroup() ? nullptr : &row->runs.front();
  const auto child = static_cast<std::size_t>(index.row());
  return child < row->runs.size() ? &row->runs[child] : nullptr;
}

Qt::ItemFlags RunsTable::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractItemModel::flags(index);
  if (index.isValid() && index.column() == NameColumn) flags |= Qt::ItemIsUserCheckable;
  return flags;
}

/// For those who tick without a mouse: the view itself ticks all selected rows.
bool RunsTable::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::CheckStateRole || index.column() != NameColumn) return false;
  const QStringList runs = runsAt({index});
  if (value.toInt() != tickState(runs)) tick(runs);
  return true;
}

void RunsTable::setFilter(RunFilter filter) {
  filter_ = std::move(filter);
  arrange();
}

void RunsTable::setGrouped(bool grouped) {
  if (grouped == std::exchange(grouped_, grouped)) return;
  arrange();
}

void RunsTable::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= columnCount()) return;
  sortColumn_ = column;
  order_ = order;
  arrange();
}

std::vector<RunsTable::Item> RunsTable::passing() const {
  std::vector<Item> items;
  for (int place = 0; place < runs_.size(); ++place) {
    const RunSummary& run = *runs_.at(place);
    const ConfigValues* config = filter_.needsConfig() ? facts_.config(run) : nullptr;
    if (filter_.needsConfig() && config == nullptr) continue;  // not read yet
    if (filter_.passes(lookupIn(run, config, TimeZone::Local))) items.push_back({run.id, place});
  }
  return items;
}

std::vector<RunsTable::Row> RunsTable::grouped(std::vector<Item> items) const {
  std::vector<Row> rows;
  std::unordered_map<std::size_t, std::size_t> places;  // rows by experiment
  for (Item& item : items) {
    const auto experiment = grouped_ ? facts_.experiment(summary(item)) : std::nullopt;
    const auto [place, isNew] = experiment ? places.emplace(*experiment, rows.size()) : std::pair(places.end(), true);
    if (isNew) rows.emplace_back();
    rows[isNew ? rows.size() - 1 : place->second].runs.push_back(std::move(item));
  }
  for (Row& row : rows)
    if (row.isGroup()) countMembers(row);
  return rows;
}

void RunsTable::countMembers(Row& group) const {
  std::vector<Repetition> repetitions;
  for (const Item& item : group.runs) {
    const RunSummary& run = summary(item);
    const ConfigValues* config = facts_.config(run);
    repetitions.push_back({config == nullptr ? std::string() : repetitionSeeds(*config),
                           run.status == RunStatus::Finished, run.createdMs});
  }
  const std::vector<bool> counted = countedRepetitions(repetitions);
  for (std::size_t i = 0; i < group.runs.size(); ++i) {
    group.runs[i].counts = counted[i] && repetitions[i].finished;
    group.runs[i].diverged = counted[i] && summary(group.runs[i]).cause == FailureCause::Diverged;
  }
}

/// Labels are kept while the groups, their names and settings are the same.
void RunsTable::label(std::vector<Row>& rows) {
  std::vector<LabeledGroup> groups;
  std::vector<Row*> labeled;
  for (Row& row : rows) {
    if (!row.isGroup()) continue;
    LabeledGroup& group = groups.emplace_back();
    for (const Item& item : row.runs) {
      group.names.push_back(summary(item).name);
      group.configs.push_back(facts_.config(summary(item)));
    }
    labeled.push_back(&row);
  }
  if (groups != labeled_) {
    labels_ = groups.size() <= kMostLabeled ? distinctLabels(groups) : stemsOf(groups);
    labeled_ = std::move(groups);
  }
  for (std::size_t i = 0; i < labeled.size(); ++i)
    labeled[i]->label = toQt(labels_[i].empty() ? labeled_[i].names.front() : labels_[i]);
}

/// Stable: rows that are equal keep their order, newest first.
void RunsTable::sortRows(std::vector<Row>& rows) const {
  const RunColumn& column = this->column(sortColumn_);
  const auto sortBy = [this](auto& list, const auto& cell) {
    std::vector<std::pair<Cell, std::size_t>> keys;
    for (std::size_t i = 0; i < list.size(); ++i) keys.emplace_back(cell(list[i]), i);
    std::stable_sort(keys.begin(), keys.end(), [this](const auto& left, const auto& right) {
      const Cell &a = left.first, &b = right.first;
      const int aRank = rankOf(a.number, a.text), bRank = rankOf(b.number, b.text);
      if (aRank != bRank || aRank > 0) return aRank < bRank;
      const Cell &first = order_ == Qt::AscendingOrder ? a : b, &second = order_ == Qt::AscendingOrder ? b : a;
      if (first.number && second.number) return *first.number < *second.number;
      if (first.number || second.number) return first.number.has_value();
      return first.text.compare(second.text, Qt::CaseInsensitive) < 0;
    });
    std::remove_reference_t<decltype(list)> sorted;
    for (const auto& [key, i] : keys) sorted.push_back(std::move(list[i]));
    list = std::move(sorted);
  };
  for (Row& row : rows)
    if (row.isGroup()) sortBy(row.runs, [&](const Item& item) { return cellOf(item, column); });
  sortBy(rows, [&](const Row& row) { return cellOf(row, column); });
}

void RunsTable::update() {
  if (!held_) return arrange();
  arrangeSoon_.stop();
  show(rowsWhileHeld());
}

void RunsTable::arrange() {
  arrangeSoon_.stop();
  std::vector<Row> rows = grouped(passing());
  if (grouped_) label(rows);
  sortRows(rows);
  show(std::move(rows));
}

/// Keeps the rows of settled runs; the others follow, arranged among themselves.
std::vector<RunsTable::Row> RunsTable::rowsWhileHeld() const {
  std::vector<Item> items = passing();
  std::unordered_map<std::string_view, const Item*> settled;
  for (const Item& item : items)
    if (settled_.contains(item.id)) settled.emplace(item.id, &item);
  std::vector<Row> rows;
  for (const Row& before : rows_) {
    Row row{{}, {}, before.label};
    for (const Item& item : before.runs)
      if (const auto now = settled.find(item.id); now != settled.end()) row.runs.push_back(*now->second);
    if (row.isGroup()) countMembers(row);
    if (!row.runs.empty()) rows.push_back(std::move(row));
  }
  std::erase_if(items, [this](const Item& item) { return settled_.contains(item.id); });
  std::vector<Row> others = grouped(std::move(items));
  for (Row& row : others)
    if (row.isGroup()) row.label = toQt(summary(row.runs.front()).name);
  sortRows(others);
  std::ranges::move(others, std::back_inserter(rows));
  return rows;
}

/// Returns whether all is known that the place of the run depends on.
bool RunsTable::isRead(const RunSummary& run) const {
  const RunColumn::Needs sorted = column(sortColumn_).needs;
  const bool needsConfig = grouped_ || filter_.needsConfig() || sorted == RunColumn::Needs::Config;
  if (needsConfig && facts_.config(run) == nullptr) return false;
  return sorted != RunColumn::Needs::Figures || facts_.checkpointBytes(run).has_value();
}

/// A run keeps its row, and a group that of its oldest run, so that what is selected and unfolded stays so.
void RunsTable::show(std::vector<Row> rows) {
  formats_.clear();
  settled_.clear();
  for (Row& row : rows) {
    const Item& oldest = *std::ranges::max_element(row.runs, {}, &Item::run);
    row.id = row.isGroup() ? "seeds of " + oldest.id : oldest.id;
    for (const Item& item : row.runs)
      if (isRead(summary(item))) settled_.insert(item.id);
  }
  for (Row& row : rows_)
    for (Item& item : row.runs) item.run = runs_.placeOf(item.id);
  exchange(rows_, rows, {});
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].isGroup()) exchange(rows_[i].runs, rows[i].runs, index(static_cast<int>(i), 0));
  rows_ = std::move(rows);
  numberPlaces();
  notifyChanged(0, columnCount() - 1);
  Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
  Q_EMIT arranged();
}

/// Gives `parent` the rows of `wanted`, in their order. New ones come at the end and old ones leave from there: in
/// between a group never has fewer members than it gets.
template <typename T>
void RunsTable::exchange(std::vector<T>& rows, const std::vector<T>& wanted, const QModelIndex& parent) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) places.emplace(rows[i].id, i);
  std::vector<T> added;
  std::vector<std::size_t> order;
  std::vector<bool> stays(rows.size());
  for (const T& each : wanted) {
    const auto known = places.find(each.id);
    order.push_back(known == places.end() ? rows.size() + added.size() : known->second);
    if (known == places.end())
      added.push_back(each);
    else
      stays[known->second] = true;
  }
  for (std::size_t i = 0; i < stays.size(); ++i)
    if (!stays[i]) order.push_back(i);
  if (!added.empty()) {
    beginInsertRows(parent, static_cast<int>(rows.size()), static_cast<int>(rows.size() + added.size()) - 1);
    std::ranges::move(added, std::back_inserter(rows));
    endInsertRows();
  }
  if (!std::ranges::is_sorted(order)) reorder(rows, order, parent);
  if (rows.size() == wanted.size()) return;
  beginRemoveRows(parent, static_cast<int>(wanted.size()), static_cast<int>(rows.size()) - 1);
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(wanted.size()), rows.end());
  endRemoveRows();
}

/// The row at order[i] becomes row i of `parent`.
template <typename T>
void RunsTable::reorder(std::vector<T>& rows, const std::vector<std::size_t>& order, const QModelIndex& parent) {
  Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
  std::vector<T> ordered;
  std::vector<int> placeOf(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    placeOf[order[i]] = static_cast<int>(i);
    ordered.push_back(std::move(rows[order[i]]));
  }
  rows = std::move(ordered);
  const quintptr family = parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr{0};
  const QModelIndexList before = persistentIndexList();
  QModelIndexList after;
  for (const QModelIndex& index : before) {
    int row = index.row();
    quintptr group = index.internalId();
    if (group == family)
      row = placeOf[static_cast<std::size_t>(row)];
    else if (family == 0)
      group = static_cast<quintptr>(placeOf[group - 1]) + 1;
    after << createIndex(row, index.column(), group);
  }
  changePersistentIndexList(before, after);
  Q_EMIT layoutChanged({}, VerticalSortHint);
}

void RunsTable::numberPlaces() {
  places_.clear();
  for (std::size_t row = 0; row < rows_.size(); ++row)
    for (std::size_t i = 0; i < rows_[row].runs.size(); ++i)
      places_[rows_[row].runs[i].id] = {static_cast<int>(row), rows_[row].isGroup() ? static_cast<int>(i) : -1};
}

void RunsTable::notifyChanged(int firstColumn, int lastColumn) {
  if (rows_.empty() || firstColumn > lastColumn) return;
  Q_EMIT dataChanged(index(0, firstColumn), index(rowCount() - 1, lastColumn));
  if (std::ranges::count_if(rows_, &Row::isGroup) > kMostNotified) return;  // a view paints all of its rows anyhow
  for (int row = 0; row < rowCount(); ++row) {
    const QModelIndex group = index(row, 0);
    if (const int members = rowCount(group); members > 0)
      Q_EMIT dataChanged(index(0, firstColumn, group), index(members - 1, lastColumn, group));
  }
}

void RunsTable::factsArrived() {
  const bool needed = grouped_ || filter_.needsConfig() || column(sortColumn_).needs != RunColumn::Needs::Summary;
  if (needed) {
    if (!arrangeSoon_.isActive()) arrangeSoon_.start();
    return;
  }
  formats_.clear();
  notifyChanged(0, columnCount() - 1);
}

bool RunsTable::startsSection(const Row& row) const {
  const RunColumn& sorted = column(sortColumn_);
  return sorted.key == QLatin1String("evaluation_set") && &row != &rows_.front() &&
         cellOf(row, sorted).text != cellOf(*(&row - 1), sorted).text;
}

// --- columns ---

int RunsTable::columnOf(const QString& key) {
  const auto known = std::ranges::find(columns_, key, &RunColumn::key);
  if (known != columns_.end()) return static_cast<int>(known - columns_.begin());
  auto column = furtherColumn(key, facts_);
  if (!column) return -1;
  const int place = columnCount();
  beginInsertColumns({}, place, place);
  columns_.push_back(std::move(*column));
  endInsertColumns();
  return place;
}

std::vector<RunColumn> RunsTable::offered() const {
  std::vector<RunColumn> all = standardColumns(facts_);
  all.erase(all.begin() + NameColumn);
  for (const QString& key : furtherColumns(series_)) all.push_back(*furtherColumn(key, facts_));
  return all;
}

QStringList RunsTable::differingSettings() const {
  std::vector<ConfigValues> configs;
  for (const QString& run : selection_.ticked().mid(0, kMostTicked)) {
    const RunSummary* summary = runs_.find(run);
    const ConfigValues* config = summary == nullptr ? nullptr : facts_.config(*summary);
    if (config != nullptr) configs.push_back(*config);
  }
  QStringList keys;
  for (const char* label : {"experiment", "variant"})
    if (std::ranges::any_of(configs,
                            [label](const ConfigValues& values) { return !plainValue(values, label).empty(); }))
      keys << settingKey(label);
  for (const FieldRow& row : compareConfigValues(configs, IgnoredFields::standard()).rows)
    if (keys.size() < kMostSettings && findField(row.field) != nullptr) keys << settingKey(row.field);
  return keys;
}

// --- runs ---

QStringList RunsTable::shownRuns() const {
  QStringList runs;
  for (const Row& row : rows_)
    for (const Item& item : row.runs) runs << toQt(item.id);
  return runs;
}

QStringList RunsTable::runsAt(const QModelIndexList& rows) const {
  std::set<std::pair<int, int>> places;  // row and place in it
  for (const QModelIndex& index : rows) {
    const Row* row = rowAt(index);
    if (row == nullptr) continue;
    const QModelIndex top = index.parent().isValid() ? index.parent() : index;
    const bool all = !index.parent().isValid();
    for (int i = 0; i < static_cast<int>(row->runs.size()); ++i)
      if (all || i == index.row()) places.emplace(top.row(), i);
  }
  QStringList runs;
  for (const auto& [row, i] : places)
    runs << toQt(rows_[static_cast<std::size_t>(row)].runs[static_cast<std::size_t>(i)].id);
  return runs;
}

QModelIndex RunsTable::indexOf(const QString& run) const {
  const auto found = places_.find(run.toStdString());
  if (found == places_.end()) return {};
  const auto [row, child] = found->second;
  return child < 0 ? index(row, 0) : index(child, 0, index(row, 0));
}

Qt::CheckState RunsTable::tickState(const QStringList& runs) const {
  const auto ticked = std::ranges::count_if(runs, [this](const QString& run) { return selection_.isTicked(run); });
  if (ticked == 0) return Qt::Unchecked;
  return ticked == runs.size() ? Qt::Checked : Qt::PartiallyChecked;
}

void RunsTable::tick(const QStringList& runs) {
  if (runs.size() == 1) return selection_.toggle(runs.front());
  QStringList ticked = selection_.ticked();
  const Qt::CheckState state = tickState(runs);
  if (state == Qt::Checked || (state == Qt::PartiallyChecked && ticked.size() >= kMostTicked)) {
    ticked.removeIf([&runs](const QString& run) { return runs.contains(run); });
    return selection_.setTicked(ticked);
  }
  for (const QString& run : runs)
    if (ticked.size() < kMostTicked && !ticked.contains(run)) ticked << run;
  selection_.setTicked(ticked);
  if (tickState(runs) != Qt::Checked) Q_EMIT tickLimited(static_cast<int>(runs.size()));
}

}  // namespace batchwise
