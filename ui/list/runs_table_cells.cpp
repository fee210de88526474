// SPDX-License-Identifier: GPL-3.0-or-later
// Texts and numbers of the runs table.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "core/analysis/statistics.h"
#include "core/base/format.h"
#include "ui/list/runs_table.h"
#include "ui/parts/display_text.h"
#include "ui/parts/table_model.h"

namespace batchwise {
namespace {

constexpr std::size_t kSample = 200;  // rows that determine unit and decimals of a column
constexpr int kDigits = 4;            // significant ones of the median
constexpr int kMostDecimals = 6;

using Values = RunColumn::Values;

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
};

Spread spreadOf(const std::vector<double>& values) {
  if (values.empty()) return {};
  return {meanOf(values), values.size() < 2 ? 0 : deviationOf(values)};
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

RunsTable::Cell RunsTable::cellOf(const Item& item, const RunColumn& column) const {
  const RunSummary& run = summary(item);
  return {column.number ? column.number(run) : std::nullopt, column.text ? column.text(run) : QString()};
}

const RunsTable::Item& RunsTable::leastFinished(const Row& row) const {
  return *std::ranges::min_element(row.runs, {}, [this](const Item& item) { return finishedRank(summary(item)); });
}

/// Values that are not finite are those of diverged runs in columns of losses; in others the run does not have one.
RunsTable::GroupNumbers RunsTable::numbersOf(const Row& row, const RunColumn& column) const {
  GroupNumbers found;
  std::string evaluationSet;  // of the first whose one is known
  for (const Item& item : row.runs) {
    const Cell cell = cellOf(item, column);
    const bool counts = cell.number && (item.counts || !column.isFigure);
    const bool notFinite = counts && !std::isfinite(*cell.number);
    if (column.isLoss && (notFinite || item.diverged)) {
      ++found.diverged;
    } else if (counts && std::isfinite(*cell.number)) {
      found.finite.push_back(*cell.number);
      const std::string& own = summary(item).evaluationSet;
      if (evaluationSet.empty()) evaluationSet = own;
      found.areAlike = found.areAlike && (!column.isEvaluated || own.empty() || own == evaluationSet);
    }
  }
  return found;
}

/// Of a group the mean of those that count, if they were measured alike, NaN if one of them diverged, or the text of
/// its members.
RunsTable::Cell RunsTable::cellOf(const Row& row, const RunColumn& column) const {
  if (!row.isGroup()) return cellOf(row.runs.front(), column);
  if (column.key == columns_[NameColumn].key) return {std::nullopt, row.label};
  if (column.key == columns_[StateColumn].key) return cellOf(leastFinished(row), column);
  QStringList texts;
  for (const Item& item : row.runs)
    if (const QString text = cellOf(item, column).text; !text.isEmpty()) texts << text;
  texts.removeDuplicates();
  Cell cell{std::nullopt, texts.join(QStringLiteral(", "))};
  const GroupNumbers numbers = numbersOf(row, column);
  if (texts.size() > 1 && column.values == Values::Setting) return cell;
  if (numbers.diverged > 0)
    cell.number = std::numeric_limits<double>::quiet_NaN();
  else if (!numbers.finite.empty() && numbers.areAlike)
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
    if (column.values == Values::Setting && !cell.text.isEmpty()) {
      format.numbers = format.numbers && cell.number.has_value();
      format.decimals = std::max(format.decimals, decimalsOf(cell.text));
    }
    if (cell.number && std::isfinite(*cell.number) && *cell.number != 0) magnitudes.push_back(std::abs(*cell.number));
  }
  if (column.values == Values::Setting) return format;
  const double median = magnitudes.empty() ? 1 : medianOf(std::move(magnitudes));
  if (column.values == Values::Tokens)
    std::tie(format.unit, format.unitName) = unitFor(median, 1000, {"k", "M", "G", "T"});
  if (column.values == Values::Bytes)
    std::tie(format.unit, format.unitName) = unitFor(median, 1024, {"KiB", "MiB", "GiB", "TiB"});
  const bool counts =
      column.values == Values::Tokens || column.values == Values::Bytes || column.values == Values::Count;
  const int digitsBefore = static_cast<int>(std::floor(std::log10(median / format.unit))) + 1;
  format.decimals = counts && format.unit == 1 ? 0 : std::clamp(kDigits - digitsBefore, 0, kMostDecimals);
  return format;
}

QString RunsTable::numberText(double number, int at) const {
  if (!std::isfinite(number)) return valueText(number, ValueFormat::Plain);
  switch (column(at).values) {
    case Values::Share: return tr("%1 %").arg(static_cast<int>(std::floor(100 * number + 1e-9)));
    case Values::Duration: return toQt(formatDuration(number));
    case Values::Date: return localTimeText(static_cast<std::int64_t>(number));
    default: break;
  }
  const NumberFormat& format = formatOf(at);
  const double scaled = number / format.unit;
  const bool whole = format.decimals <= 0 && std::abs(scaled) < 1e15;
  return whole ? integerText(std::llround(scaled)) : toQt(formatDecimals(scaled, std::max(format.decimals, 0)));
}

QString RunsTable::textOf(const Item& item, int at) const {
  const RunColumn& shown = column(at);
  const Cell cell = cellOf(item, shown);
  if (shown.isNumeric() && cell.number) return numberText(*cell.number, at);
  if (shown.values != Values::Setting) return cell.text;
  const int decimals = formatOf(at).decimals;
  const bool aligned = cell.number && decimals > 0 && decimals <= kMostDecimals && decimalsOf(cell.text) >= 0;
  return aligned ? toQt(formatDecimals(*cell.number, decimals)) : cell.text;
}

/// Returns the different texts of the runs of a group, of results those that count.
QStringList RunsTable::textsOf(const Row& row, int at) const {
  QStringList texts;
  for (const Item& item : row.runs) {
    if (!item.counts && column(at).isFigure) continue;
    if (const QString text = textOf(item, at); !text.isEmpty()) texts << text;
  }
  texts.removeDuplicates();
  return texts;
}

QString RunsTable::groupText(const Row& row, int at) const {
  const RunColumn& shown = column(at);
  if (at == NameColumn) {
    const auto size = static_cast<int>(row.runs.size());
    const auto counted = static_cast<int>(std::ranges::count_if(row.runs, &Item::counts));
    const QString text = tr("%1 – %2 runs").arg(row.label, QString::number(size));
    return counted == size ? text : tr("%1, %2 counted").arg(text, QString::number(counted));
  }
  if (at == StateColumn) return textOf(leastFinished(row), at);
  const auto [numbers, diverged, areAlike] = numbersOf(row, shown);
  if (!shown.isNumeric() || (numbers.empty() && diverged == 0)) return textsOf(row, at).join(QStringLiteral(", "));
  const QString lost = diverged == 0 ? QString() : tr("%1 diverged").arg(diverged);
  if (numbers.empty()) return lost;
  const Spread spread = spreadOf(numbers);
  const bool isSpread = spread.deviation > 0 && shown.isFigure && shown.values != Values::Duration;
  QString text = areAlike ? numberText(spread.mean, at) : tr("not measured alike");
  if (areAlike && isSpread) text = QStringLiteral("%1 ± %2").arg(text, numberText(spread.deviation, at));
  return diverged == 0 ? text : text + QStringLiteral(", ") + lost;
}

QString RunsTable::accessibleName(const QString& name, const QStringList& runs) const {
  if (tickState(runs) == Qt::Unchecked) return name;
  const bool baseline = runs.contains(selection_.baseline());
  return baseline ? tr("%1, ticked, baseline").arg(name) : tr("%1, ticked").arg(name);
}

QVariant RunsTable::runData(const Item& item, int at, int role) const {
  const RunColumn& shown = column(at);
  const RunSummary& run = summary(item);
  switch (role) {
    case IdRole: return toQt(item.id);
    case Qt::DisplayRole: return textOf(item, at);
    case kIconRole:
      if (at == TagsColumn && !run.note.empty()) return QStringLiteral("file");
      return at == StateColumn ? stateIcon(run) : QVariant();
    case Qt::ToolTipRole: {
      if (shown.toolTip) return plainToolTip(shown.toolTip(run));
      const Cell cell = cellOf(item, shown);
      return cell.number ? tr("Exactly %1").arg(*cell.number, 0, 'g', 17) : QVariant();
    }
    default: return {};
  }
}

QVariant RunsTable::groupData(const Row& row, int at, int role) const {
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole) {
    const QString text = groupText(row, at);
    if (role == Qt::DisplayRole) return text;
    if (at == StateColumn) return plainToolTip(textsOf(row, at).join(QStringLiteral(", ")));
    const GroupNumbers numbers = numbersOf(row, column(at));
    if (!numbers.areAlike)
      return plainToolTip(text + QLatin1Char('\n') +
                          tr("Its runs were evaluated on several evaluation sets, so they have no mean"));
    if (numbers.diverged > 0)
      return plainToolTip(text + QLatin1Char('\n') + tr("A group with a diverged run is sorted behind every number"));
    if (at != NameColumn) return plainToolTip(text);
    return plainToolTip(text + QLatin1Char('\n') +
                        tr("Mean ± standard deviation of finished runs, of each seed the newest"));
  }
  if (role == kIconRole && at == StateColumn) return stateIcon(summary(leastFinished(row)));
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
  if (role == DoneRole && index.column() == ProgressColumn) {
    const RunColumn& done = column(ProgressColumn);
    const Cell cell = item == nullptr ? cellOf(*row, done) : cellOf(*item, done);
    return cell.number ? QVariant(std::clamp(*cell.number, 0.0, 1.0)) : QVariant();
  }
  if (index.column() == NameColumn)
    if (const QVariant own = nameData(index, role); own.isValid()) return own;
  return item == nullptr ? groupData(*row, index.column(), role) : runData(*item, index.column(), role);
}

/// What only the column of names tells: tick, baseline and line.
QVariant RunsTable::nameData(const QModelIndex& index, int role) const {
  const QStringList runs = runsAt({index});
  switch (role) {
    case Qt::CheckStateRole: return tickState(runs);
    case BaselineRole: return runs.contains(selection_.baseline());
    case Qt::AccessibleTextRole: return accessibleName(data(index, Qt::DisplayRole).toString(), runs);
    case StyleRole:
      for (const QString& run : runs)
        if (selection_.isTicked(run)) return selection_.styleOf(run);
      return {};
    default: return {};
  }
}

QVariant RunsTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const RunColumn& shown = column(section);
  switch (role) {
    case Qt::DisplayRole: {
      const QString unit = formatOf(section).unitName, title = shown.heading.isEmpty() ? shown.title : shown.heading;
      return inTwoLines(unit.isEmpty() ? title : QStringLiteral("%1 (%2)").arg(title, unit));
    }
    case Qt::TextAlignmentRole: {
      const bool toRight = shown.values == Values::Setting ? formatOf(section).numbers
                                                           : shown.isNumeric() && shown.values != Values::Date;
      return int((toRight ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    case Qt::ToolTipRole: return plainToolTip(shown.about.isEmpty() ? shown.title : shown.about);
    default: return {};
  }
}

}  // namespace batchwise
