// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/runs_table.h"

#include <QtCore/QSet>
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "core/config/schema.h"
#include "ui/models/display_text.h"
#include "ui/models/labels.h"

namespace batchwise {
namespace {

constexpr int kArrangeMs = 100;            // while configurations are being read
constexpr std::size_t kMostLabeled = 200;  // groups that are named by their settings
constexpr int kMostNotified = 200;         // groups; a view searches all of its rows for each notification
constexpr qsizetype kMostSettings = 4;     // columns that appear by themselves

constexpr std::array kSummaryKeys = {"name",  "state",  "eval_loss", "loss",    "done",
                                     "speed", "tokens", "duration",  "created", "tags"};
static_assert(kSummaryKeys.size() == RunListModel::ColumnCount);
const QString kBestLossKey = QStringLiteral("best_eval_loss"), kBestBatchKey = QStringLiteral("best_eval_batch");
const QString kBytesKey = QStringLiteral("checkpoints");
const QString kEvaluationSetKey = QStringLiteral("evaluation_set");
const QString kScorePrefix = QStringLiteral("score:"), kSettingPrefix = QStringLiteral("setting:");

RunColumn summaryColumn(int column) {
  return {QLatin1String(kSummaryKeys[static_cast<std::size_t>(column)]), RunColumn::Kind::Summary, column, {}};
}
RunColumn bestColumn(RunColumn::Kind kind) {
  return {kind == RunColumn::Kind::BestLoss ? kBestLossKey : kBestBatchKey, kind, 0, {}};
}
RunColumn bytesColumn() {
  return {kBytesKey, RunColumn::Kind::CheckpointBytes, 0, {}};
}
RunColumn evaluationSetColumn() {
  return {kEvaluationSetKey, RunColumn::Kind::EvaluationSet, 0, {}};
}
RunColumn scoreColumn(const QString& series) {
  return {kScorePrefix + series, RunColumn::Kind::Score, 0, series.toStdString()};
}
RunColumn settingColumn(const std::string& path) {
  return {kSettingPrefix + toQt(path), RunColumn::Kind::Setting, 0, path};
}

/// Returns none if the key has no meaning.
std::optional<RunColumn> columnFromKey(const QString& key) {
  if (key == kBytesKey) return bytesColumn();
  if (key == kEvaluationSetKey) return evaluationSetColumn();
  if (key.startsWith(kScorePrefix)) return scoreColumn(key.mid(kScorePrefix.size()));
  const std::string path = key.startsWith(kSettingPrefix) ? key.mid(kSettingPrefix.size()).toStdString() : "";
  return findField(path) == nullptr ? std::nullopt : std::optional(settingColumn(path));
}

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

RunsTable::RunsTable(RunListModel& runs, RunFacts& facts, ComparePresenter& compare, QObject* parent)
    : QAbstractItemModel(parent), runs_(runs), facts_(facts), compare_(compare) {
  for (int summary = 0; summary < RunListModel::ColumnCount; ++summary) columns_.push_back(summaryColumn(summary));
  for (const auto kind : {RunColumn::Kind::BestLoss, RunColumn::Kind::BestBatch}) columns_.push_back(bestColumn(kind));
  arrangeSoon_.setSingleShot(true);
  arrangeSoon_.setInterval(kArrangeMs);
  connect(&arrangeSoon_, &QTimer::timeout, this, &RunsTable::update);
  connect(&runs_, &RunListModel::updated, this, &RunsTable::update);
  connect(&facts_, &RunFacts::arrived, this, &RunsTable::factsArrived);
  const auto ticked = [this] {
    notifyChanged(RunListModel::NameColumn, RunListModel::NameColumn);
    Q_EMIT headerDataChanged(Qt::Horizontal, RunListModel::NameColumn, RunListModel::NameColumn);
  };
  connect(&compare_, &ComparePresenter::chosenChanged, this, ticked);
  connect(&compare_, &ComparePresenter::changed, this, ticked);
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

const RunsTable::Item* RunsTable::itemAt(const QModelIndex& index) const {
  const Row* row = rowAt(index);
  if (row == nullptr) return nullptr;
  if (index.internalId() == 0) return row->isGroup() ? nullptr : &row->runs.front();
  const auto child = static_cast<std::size_t>(index.row());
  return child < row->runs.size() ? &row->runs[child] : nullptr;
}

Qt::ItemFlags RunsTable::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractItemModel::flags(index);
  if (index.isValid() && index.column() == RunListModel::NameColumn) flags |= Qt::ItemIsUserCheckable;
  return flags;
}

void RunsTable::setFilter(RunFilter filter) {
  filter_ = std::move(filter);
  arrange();
}

void RunsTable::setGrouped(bool grouped) {
  if (grouped == std::exchange(grouped_, grouped)) return;
  arrange();
}

void RunsTable::setHeld(bool held) {
  if (held != std::exchange(held_, held) && !held) arrange();
}

void RunsTable::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= columnCount()) return;
  sortColumn_ = column;
  order_ = order;
  arrange();
}

std::vector<RunsTable::Item> RunsTable::passing() const {
  std::vector<Item> items;
  for (int row = 0; row < runs_.rowCount(); ++row) {
    const RunSummary& run = *runs_.at(row);
    const ConfigValues* config = filter_.needsConfig() ? facts_.config(run) : nullptr;
    if (filter_.needsConfig() && config == nullptr) continue;  // not read yet
    if (filter_.passes(lookupIn(run, config, TimeZone::Local))) items.push_back({run.id, row});
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
  const RunColumn& column = columns_[static_cast<std::size_t>(sortColumn_)];
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
      return first.text < second.text;
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
    Row row{{}, before.label};
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
  using Kind = RunColumn::Kind;
  const Kind sorted = columns_[static_cast<std::size_t>(sortColumn_)].kind;
  const bool needsConfig = grouped_ || filter_.needsConfig() || sorted == Kind::Setting;
  if (needsConfig && facts_.config(run) == nullptr) return false;
  return sorted == Kind::Summary || sorted == Kind::Setting || facts_.checkpointBytes(run).has_value();
}

void RunsTable::show(std::vector<Row> rows) {
  formats_.clear();
  settled_.clear();
  for (const Row& row : rows)
    for (const Item& item : row.runs)
      if (isRead(summary(item))) settled_.insert(item.id);
  const auto sameRuns = [](const Row& a, const Row& b) {
    return a.label == b.label && std::ranges::equal(a.runs, b.runs, {}, &Item::id, &Item::id);
  };
  if (std::ranges::equal(rows, rows_, sameRuns)) {
    rows_ = std::move(rows);
    notifyChanged(0, columnCount() - 1);
  } else {
    exchangeRows(std::move(rows));
  }
  Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
  Q_EMIT arranged();
}

/// Selected and expanded rows stay selected and expanded: a run is known by its id, a group by its oldest run.
void RunsTable::exchangeRows(std::vector<Row> rows) {
  Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
  const auto oldest = [](const Row& row) {
    return std::ranges::max_element(row.runs, {}, [](const Item& item) { return item.run; })->id;
  };
  const QModelIndexList before = persistentIndexList();
  std::vector<std::pair<std::string, bool>> keys;  // id, and whether it stands for its group
  for (const QModelIndex& index : before) {
    const Item* item = itemAt(index);
    const Row* row = rowAt(index);
    keys.emplace_back(item != nullptr ? item->id : row != nullptr ? oldest(*row) : std::string(), item == nullptr);
  }
  rows_ = std::move(rows);
  numberPlaces();
  QModelIndexList after(before.size());
  QSet<QModelIndex> taken;  // two persistent indexes must not meet, as those of a run and of a group that ends do
  for (const bool ofGroups : {false, true})
    for (qsizetype i = 0; i < before.size(); ++i) {
      const auto& [id, isGroup] = keys[static_cast<std::size_t>(i)];
      if (isGroup != ofGroups) continue;
      const QModelIndex run = indexOf(toQt(id));
      const QModelIndex row = isGroup && run.parent().isValid() ? run.parent() : run;
      const QModelIndex place = row.siblingAtColumn(before[i].column());
      if (!taken.contains(place)) after[i] = place;
      taken.insert(place);
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
  if (std::ranges::count_if(rows_, &Row::isGroup) > kMostNotified) {
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    Q_EMIT layoutChanged({}, VerticalSortHint);
    return;
  }
  Q_EMIT dataChanged(index(0, firstColumn), index(rowCount() - 1, lastColumn));
  for (int row = 0; row < rowCount(); ++row) {
    const QModelIndex group = index(row, 0);
    if (const int members = rowCount(group); members > 0)
      Q_EMIT dataChanged(index(0, firstColumn, group), index(members - 1, lastColumn, group));
  }
}

void RunsTable::factsArrived() {
  const bool needed = grouped_ || filter_.needsConfig() ||
                      columns_[static_cast<std::size_t>(sortColumn_)].kind != RunColumn::Kind::Summary;
  if (needed) {
    if (!arrangeSoon_.isActive()) arrangeSoon_.start();
    return;
  }
  formats_.clear();
  notifyChanged(RunListModel::ColumnCount, columnCount() - 1);
}

bool RunsTable::startsSection(const Row& row) const {
  const RunColumn& sorted = columns_[static_cast<std::size_t>(sortColumn_)];
  return sorted.kind == RunColumn::Kind::EvaluationSet && &row != &rows_.front() &&
         cellOf(row, sorted).text != cellOf(*(&row - 1), sorted).text;
}

// --- columns ---

int RunsTable::columnOf(const QString& key) {
  const auto known = std::ranges::find(columns_, key, &RunColumn::key);
  if (known != columns_.end()) return static_cast<int>(known - columns_.begin());
  auto column = columnFromKey(key);
  if (!column) return -1;
  const int place = columnCount();
  beginInsertColumns({}, place, place);
  columns_.push_back(std::move(*column));
  endInsertColumns();
  return place;
}

std::vector<RunColumn> RunsTable::offered() const {
  std::vector<RunColumn> all;
  for (int summary = RunListModel::StateColumn; summary < RunListModel::ColumnCount; ++summary)
    all.push_back(summaryColumn(summary));
  for (const auto kind : {RunColumn::Kind::BestLoss, RunColumn::Kind::BestBatch}) all.push_back(bestColumn(kind));
  all.push_back(bytesColumn());
  all.push_back(evaluationSetColumn());
  QStringList scores{QStringLiteral("eval.perplexity"), QStringLiteral("eval.accuracy")};
  for (const QString& series : compare_.series())
    if (isScoreSeries(series.toStdString()) && !scores.contains(series)) scores << series;
  for (const QString& series : scores) all.push_back(scoreColumn(series));
  for (const Field& field : configSchema()) all.push_back(settingColumn(field.path));
  return all;
}

QStringList RunsTable::differingSettings() const {
  std::vector<ConfigValues> configs;
  for (const QString& run : compare_.view().runs.mid(0, kMostTicked)) {
    const RunSummary* summary = runs_.find(run);
    const ConfigValues* config = summary == nullptr ? nullptr : facts_.config(*summary);
    if (config != nullptr) configs.push_back(*config);
  }
  QStringList keys;
  for (const char* label : {"experiment", "variant"})
    if (std::ranges::any_of(configs,
                            [label](const ConfigValues& values) { return !plainValue(values, label).empty(); }))
      keys << settingColumn(label).key;
  for (const FieldRow& row : compareConfigValues(configs, IgnoredFields::standard()).rows)
    if (keys.size() < kMostSettings && findField(row.field) != nullptr) keys << settingColumn(row.field).key;
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
  const auto ticked = std::ranges::count_if(runs, [this](const QString& run) { return compare_.isChosen(run); });
  if (ticked == 0) return Qt::Unchecked;
  return ticked == runs.size() ? Qt::Checked : Qt::PartiallyChecked;
}

Qt::CheckState RunsTable::shownTickState() const {
  const auto ticked = std::ranges::count_if(compare_.view().runs,
                                            [this](const QString& run) { return places_.contains(run.toStdString()); });
  if (ticked == 0) return Qt::Unchecked;
  return ticked == shown() ? Qt::Checked : Qt::PartiallyChecked;
}

void RunsTable::tick(const QStringList& runs) {
  if (runs.size() == 1) return compare_.toggle(runs.front());
  QStringList ticked = compare_.view().runs;
  const Qt::CheckState state = tickState(runs);
  if (state == Qt::Checked || (state == Qt::PartiallyChecked && ticked.size() >= kMostTicked)) {
    ticked.removeIf([&runs](const QString& run) { return runs.contains(run); });
    return compare_.setRuns(ticked);
  }
  for (const QString& run : runs)
    if (ticked.size() < kMostTicked && !ticked.contains(run)) ticked << run;
  compare_.setRuns(ticked);
  if (tickState(runs) != Qt::Checked) Q_EMIT tickLimited(static_cast<int>(runs.size()));
}

}  // namespace batchwise
