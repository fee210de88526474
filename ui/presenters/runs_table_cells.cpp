// SPDX-License-Identifier: GPL-3.0-or-later
// Texts, numbers and titles of the runs table.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "core/analysis/statistics.h"
#include "core/base/format.h"
#include "core/config/schema.h"
#include "ui/models/display_text.h"
#include "ui/models/labels.h"
#include "ui/presenters/runs_table.h"

namespace batchwise {
namespace {

constexpr std::size_t kSample = 200;  // rows that determine unit and decimals of a column
constexpr int kDigits = 4;            // significant ones of the median
constexpr int kMostDecimals = 6;

QString withUnit(const QString& title, const QString& unit) {
  return unit.isEmpty() ? title : QStringLiteral("%1 (%2)").arg(title, unit);
}

std::optional<double> numberIn(const QString& text) {
  bool isNumber = false;
  const double number = text.toDouble(&isNumber);
  return isNumber ? std::optional(number) : std::nullopt;
}

/// Returns the number of decimals of a number without an exponent, else -1.
int decimalsOf(const QString& text) {
  const qsizetype point = text.indexOf(QLatin1Char('.'));
  for (const QChar c : text)
    if (!c.isDigit() && c != QLatin1Char('.') && c != QLatin1Char('-')) return -1;
  return point < 0 ? 0 : static_cast<int>(text.size() - point - 1);
}

/// Mean and sample standard deviation of the finite numbers among the values.
struct Spread {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double deviation = 0;  // 0 for fewer than two values
  int count = 0;
};

Spread spreadOf(const std::vector<double>& values) {
  if (values.empty()) return {};
  return {meanOf(values), values.size() < 2 ? 0 : deviationOf(values), static_cast<int>(values.size())};
}

bool isSummary(const RunColumn& column, int summary) {
  return column.kind == RunColumn::Kind::Summary && column.summary == summary;
}

/// Returns whether a column holds results, which a group has of those runs only that count as repetitions.
bool isFigure(const RunColumn& column) {
  if (column.kind != RunColumn::Kind::Summary)
    return column.kind != RunColumn::Kind::Setting && column.kind != RunColumn::Kind::EvaluationSet;
  switch (column.summary) {
    case RunListModel::EvalLossColumn:
    case RunListModel::LossColumn:
    case RunListModel::SpeedColumn:
    case RunListModel::TokensColumn:
    case RunListModel::DurationColumn: return true;
    default: return false;
  }
}

bool isLoss(const RunColumn& column) {
  return column.kind == RunColumn::Kind::BestLoss || isSummary(column, RunListModel::EvalLossColumn) ||
         isSummary(column, RunListModel::LossColumn);
}

/// Returns how far a run is from its end: 0 for one that is training.
int finishedRank(const RunSummary& run) {
  switch (run.status) {
    case RunStatus::Running: return run.paused ? 1 : 0;
    case RunStatus::Created:
    case RunStatus::Queued: return 2;
    case RunStatus::Interrupted: return 3;
    case RunStatus::Failed: return 4;
    case RunStatus::Stopped: return 5;
    case RunStatus::Finished: break;
  }
  return 6;
}

bool holdsTimes(const RunColumn& column) {
  return column.kind == RunColumn::Kind::Summary &&
         (column.summary == RunListModel::DurationColumn || column.summary == RunListModel::CreatedColumn);
}

/// Unit for large numbers of a column, by their median.
std::pair<double, QString> unitFor(double median, double step, std::initializer_list<const char*> names) {
  double unit = 1;
  QString name;
  for (const char* next : names) {
    if (median < unit * step) break;
    unit *= step;
    name = QLatin1String(next);
  }
  return {unit, name};
}

}  // namespace

QString RunsTable::titleOf(const RunColumn& column) const {
  switch (column.kind) {
    case RunColumn::Kind::Summary: return runs_.headerData(column.summary, Qt::Horizontal, Qt::DisplayRole).toString();
    case RunColumn::Kind::BestLoss: return tr("Best evaluation loss (nats)");
    case RunColumn::Kind::BestBatch: return tr("Batch of the best evaluation");
    case RunColumn::Kind::CheckpointBytes: return tr("Size of the checkpoints");
    case RunColumn::Kind::Score: return withUnit(seriesLabel(column.name).title, seriesLabel(column.name).unit);
    case RunColumn::Kind::EvaluationSet: return tr("Evaluation set");
    case RunColumn::Kind::Setting: break;
  }
  return withUnit(fieldLabel(column.name), fieldUnit(*findField(column.name)));
}

RunsTable::Cell RunsTable::cellOf(const Item& item, const RunColumn& column) const {
  const RunSummary& run = summary(item);
  switch (column.kind) {
    case RunColumn::Kind::Summary: {
      const QModelIndex index = runs_.index(item.run, column.summary);
      const QVariant number = index.data(RunListModel::NumberRole);
      if (number.isValid()) return {number.toDouble(), {}};
      if (column.summary == RunListModel::StateColumn) return {index.data(RunListModel::StatusRole).toDouble(), {}};
      return {std::nullopt, index.data().toString().toLower()};
    }
    case RunColumn::Kind::CheckpointBytes: {
      const auto bytes = facts_.checkpointBytes(run);
      return {bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt, {}};
    }
    case RunColumn::Kind::BestLoss:
    case RunColumn::Kind::BestBatch: {
      const auto best = facts_.bestEvaluation(run);
      if (!best) return {};
      const bool isLoss = column.kind == RunColumn::Kind::BestLoss || std::isnan(best->loss);
      return {isLoss ? best->loss : static_cast<double>(best->batch), {}};
    }
    case RunColumn::Kind::Score: return {facts_.score(run, column.name), {}};
    case RunColumn::Kind::EvaluationSet: return {std::nullopt, toQt(run.evaluationSet)};
    case RunColumn::Kind::Setting: break;
  }
  const ConfigValues* config = facts_.config(run);
  if (config == nullptr || !hasEffect(*config, column.name)) return {};
  const QString text = toQt(plainValue(*config, column.name));
  return {numberIn(text), text};
}

const RunsTable::Item& RunsTable::leastFinished(const Row& row) const {
  return *std::ranges::min_element(row.runs, {}, [this](const Item& item) { return finishedRank(summary(item)); });
}

/// Values that are not finite are those of diverged runs in columns of losses; in others the run does not have one.
RunsTable::GroupNumbers RunsTable::numbersOf(const Row& row, const RunColumn& column) const {
  GroupNumbers found;
  for (const Item& item : row.runs) {
    const Cell cell = cellOf(item, column);
    const bool counts = cell.number && (item.counts || !isFigure(column));
    const bool notFinite = counts && !std::isfinite(*cell.number);
    if (isLoss(column) && (notFinite || item.diverged))
      ++found.diverged;
    else if (counts && std::isfinite(*cell.number))
      found.finite.push_back(*cell.number);
  }
  return found;
}

/// Of a group the mean of those that count, NaN if one of them diverged, or the text of its members.
RunsTable::Cell RunsTable::cellOf(const Row& row, const RunColumn& column) const {
  if (!row.isGroup()) return cellOf(row.runs.front(), column);
  if (isSummary(column, RunListModel::NameColumn)) return {std::nullopt, row.label.toLower()};
  if (isSummary(column, RunListModel::StateColumn)) return cellOf(leastFinished(row), column);
  QStringList texts;
  for (const Item& item : row.runs)
    if (const QString text = cellOf(item, column).text; !text.isEmpty()) texts << text;
  texts.removeDuplicates();
  Cell cell{std::nullopt, texts.join(QStringLiteral(", "))};
  const GroupNumbers numbers = numbersOf(row, column);
  if (texts.size() > 1 && column.kind == RunColumn::Kind::Setting) return cell;
  if (numbers.diverged > 0)
    cell.number = std::numeric_limits<double>::quiet_NaN();
  else if (!numbers.finite.empty())
    cell.number = meanOf(numbers.finite);
  return cell;
}

std::vector<RunsTable::Cell> RunsTable::sample(const RunColumn& column) const {
  std::vector<Cell> cells;
  for (const Row& row : rows_) {
    for (const Item& item : row.runs)
      if (cells.size() < kSample) cells.push_back(cellOf(item, column));
    if (cells.size() == kSample) break;
  }
  return cells;
}

const RunsTable::NumberFormat& RunsTable::formatOf(int column) const {
  const auto known = formats_.find(column);
  if (known != formats_.end()) return known->second;
  return formats_[column] = computeFormat(columns_[static_cast<std::size_t>(column)]);
}

RunsTable::NumberFormat RunsTable::computeFormat(const RunColumn& column) const {
  NumberFormat format;
  std::vector<double> magnitudes;
  for (const Cell& cell : sample(column)) {
    if (column.kind == RunColumn::Kind::Setting && !cell.text.isEmpty()) {
      format.numbers = format.numbers && cell.number.has_value();
      format.decimals = std::max(format.decimals, decimalsOf(cell.text));
    }
    if (cell.number && std::isfinite(*cell.number) && *cell.number != 0) magnitudes.push_back(std::abs(*cell.number));
  }
  if (column.kind == RunColumn::Kind::Setting) return format;
  const double median = magnitudes.empty() ? 1 : medianOf(std::move(magnitudes));
  if (isSummary(column, RunListModel::TokensColumn))
    std::tie(format.unit, format.unitName) = unitFor(median, 1000, {"k", "M", "G", "T"});
  if (column.kind == RunColumn::Kind::CheckpointBytes)
    std::tie(format.unit, format.unitName) = unitFor(median, 1024, {"KiB", "MiB", "GiB", "TiB"});
  const bool counts = isSummary(column, RunListModel::TokensColumn) ||
                      column.kind == RunColumn::Kind::CheckpointBytes || column.kind == RunColumn::Kind::BestBatch;
  const int digitsBefore = static_cast<int>(std::floor(std::log10(median / format.unit))) + 1;
  format.decimals = counts && format.unit == 1 ? 0 : std::clamp(kDigits - digitsBefore, 0, kMostDecimals);
  return format;
}

QString RunsTable::numberText(double number, int at) const {
  const RunColumn& shown = column(at);
  if (!std::isfinite(number))
    return shown.kind == RunColumn::Kind::Summary ? valueText(number, ValueFormat::Plain) : QString();
  if (isSummary(shown, RunListModel::ProgressColumn))
    return tr("%1 %").arg(static_cast<int>(std::floor(100 * number + 1e-9)));
  if (isSummary(shown, RunListModel::DurationColumn)) return toQt(formatDuration(number));
  if (isSummary(shown, RunListModel::CreatedColumn)) return localTimeText(static_cast<std::int64_t>(number));
  const NumberFormat& format = formatOf(at);
  const double scaled = number / format.unit;
  const bool whole = format.decimals <= 0 && std::abs(scaled) < 1e15;
  return whole ? integerText(std::llround(scaled)) : toQt(formatDecimals(scaled, std::max(format.decimals, 0)));
}

QString RunsTable::textOf(const Item& item, int at) const {
  const RunColumn& shown = column(at);
  const Cell cell = cellOf(item, shown);
  if (shown.kind == RunColumn::Kind::Setting) {
    const int decimals = formatOf(at).decimals;
    const bool aligned = cell.number && decimals > 0 && decimals <= kMostDecimals && decimalsOf(cell.text) >= 0;
    return aligned ? toQt(formatDecimals(*cell.number, decimals)) : cell.text;
  }
  const bool inNumbers = cell.number && !isSummary(shown, RunListModel::StateColumn);
  if (inNumbers) return numberText(*cell.number, at);
  if (shown.kind == RunColumn::Kind::EvaluationSet) return cell.text;
  return shown.kind == RunColumn::Kind::Summary ? runs_.index(item.run, shown.summary).data().toString() : QString();
}

/// Returns the different texts of the runs of a group, of results those that count.
QStringList RunsTable::textsOf(const Row& row, int at) const {
  QStringList texts;
  for (const Item& item : row.runs) {
    if (!item.counts && isFigure(column(at))) continue;
    if (const QString text = textOf(item, at); !text.isEmpty()) texts << text;
  }
  texts.removeDuplicates();
  return texts;
}

QString RunsTable::groupText(const Row& row, int at) const {
  const RunColumn& shown = column(at);
  if (isSummary(shown, RunListModel::NameColumn)) {
    const auto size = static_cast<int>(row.runs.size());
    const auto counted = static_cast<int>(std::ranges::count_if(row.runs, &Item::counts));
    return counted == size ? tr("%1 – %n run(s)", nullptr, size).arg(row.label)
                           : tr("%1 – %n run(s), %2 counted", nullptr, size).arg(row.label, QString::number(counted));
  }
  if (isSummary(shown, RunListModel::StateColumn)) return textOf(leastFinished(row), at);
  const auto [numbers, diverged] = numbersOf(row, shown);
  const bool inWords = shown.kind == RunColumn::Kind::Setting || isSummary(shown, RunListModel::TagsColumn);
  if (inWords || (numbers.empty() && diverged == 0)) return textsOf(row, at).join(QStringLiteral(", "));
  const QString lost = diverged == 0 ? QString() : tr("%n diverged", nullptr, diverged);
  if (numbers.empty()) return lost;
  const Spread spread = spreadOf(numbers);
  const bool isSpread = spread.deviation > 0 && !holdsTimes(shown) && !isSummary(shown, RunListModel::ProgressColumn);
  QString text = numberText(spread.mean, at);
  if (isSpread) text = QStringLiteral("%1 ± %2").arg(text, numberText(spread.deviation, at));
  return diverged == 0 ? text : text + QStringLiteral(", ") + lost;
}

QString RunsTable::accessibleName(const QString& name, const QStringList& runs) const {
  if (tickState(runs) == Qt::Unchecked) return name;
  const bool baseline = runs.contains(compare_.view().runs.value(0));
  return baseline ? tr("%1, ticked, baseline").arg(name) : tr("%1, ticked").arg(name);
}

QVariant RunsTable::runData(const Item& item, int at, int role) const {
  const RunColumn& shown = column(at);
  if (role == IdRole) return toQt(item.id);
  if (role == Qt::DisplayRole) return textOf(item, at);
  if (role == Qt::ToolTipRole && shown.kind != RunColumn::Kind::Summary) {
    const Cell cell = cellOf(item, shown);
    return shown.kind == RunColumn::Kind::Setting ? plainToolTip(cell.text)
           : cell.number                          ? QVariant(QString::number(*cell.number, 'g', 17))
                                                  : QVariant();
  }
  return shown.kind == RunColumn::Kind::Summary ? runs_.index(item.run, shown.summary).data(role) : QVariant();
}

QVariant RunsTable::groupData(const Row& row, int at, int role) const {
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole) {
    const QString text = groupText(row, at);
    if (role == Qt::DisplayRole) return text;
    if (isSummary(column(at), RunListModel::StateColumn))
      return plainToolTip(textsOf(row, at).join(QStringLiteral(", ")));
    if (numbersOf(row, column(at)).diverged > 0)
      return plainToolTip(text + QLatin1Char('\n') + tr("A group with a diverged run is sorted behind every number"));
    if (!isSummary(column(at), RunListModel::NameColumn)) return plainToolTip(text);
    return plainToolTip(text + QLatin1Char('\n') +
                        tr("Mean ± standard deviation of finished runs, of each seed the newest"));
  }
  if (role == IconRole && isSummary(column(at), RunListModel::StateColumn))
    return stateIcon(summary(leastFinished(row)));
  return {};
}

QVariant RunsTable::data(const QModelIndex& index, int role) const {
  const Row* row = rowAt(index);
  if (row == nullptr || index.column() >= columnCount()) return {};
  const Item* item = itemAt(index);
  if (role == Qt::TextAlignmentRole) return headerData(index.column(), Qt::Horizontal, role);
  if (role == ArchivedRole)
    return item != nullptr ? summary(*item).archived
                           : std::ranges::all_of(row->runs, [this](const Item& own) { return summary(own).archived; });
  if (role == SectionRole) return !index.parent().isValid() && startsSection(*row);
  if (role == DoneRole && index.column() == RunListModel::ProgressColumn) {
    const Cell cell = item == nullptr ? cellOf(*row, column(index.column())) : cellOf(*item, column(index.column()));
    return cell.number ? QVariant(std::clamp(*cell.number, 0.0, 1.0)) : QVariant();
  }
  if (index.column() == RunListModel::NameColumn) {
    QStringList runs;
    for (const Item& each : row->runs)
      if (item == nullptr || each.id == item->id) runs << toQt(each.id);
    if (role == Qt::CheckStateRole) return tickState(runs);
    if (role == BaselineRole) return runs.contains(compare_.view().runs.value(0));
    if (role == Qt::AccessibleTextRole) return accessibleName(data(index, Qt::DisplayRole).toString(), runs);
    if (role == StyleRole) {
      const auto ticked = std::ranges::find_if(runs, [this](const QString& run) { return compare_.isChosen(run); });
      return ticked == runs.end() ? QVariant() : QVariant(compare_.styleOf(*ticked));
    }
  }
  return item == nullptr ? groupData(*row, index.column(), role) : runData(*item, index.column(), role);
}

QVariant RunsTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const RunColumn& shown = column(section);
  const NumberFormat format =
      shown.kind == RunColumn::Kind::Summary && role != Qt::DisplayRole ? NumberFormat() : formatOf(section);
  if (role == Qt::DisplayRole) return inTwoLines(withUnit(titleOf(shown), format.unitName));
  if (role == Qt::TextAlignmentRole && shown.kind != RunColumn::Kind::Summary)
    return int((format.numbers ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && shown.kind == RunColumn::Kind::Setting)
    return plainToolTip(toQt(shown.name) + QLatin1Char('\n') + fieldHelp(*findField(shown.name)));
  if (role == Qt::ToolTipRole && isSummary(shown, RunListModel::NameColumn))
    return tr("The box ticks all shown runs, at most %1").arg(kMostTicked);
  if (role == Qt::ToolTipRole && shown.kind == RunColumn::Kind::EvaluationSet)
    return tr("Runs of the same evaluation set were measured alike; sorted by it, a line parts them from others");
  if (role == Qt::ToolTipRole && shown.kind == RunColumn::Kind::BestLoss)
    return tr("Lowest evaluation loss of the run, nats per masked token");
  if (shown.kind == RunColumn::Kind::Summary) return runs_.headerData(shown.summary, orientation, role);
  return role == Qt::ToolTipRole ? plainToolTip(titleOf(shown)) : QVariant();
}

}  // namespace batchwise
