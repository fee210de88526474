// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/comparison_tables.h"

#include <cmath>
#include <limits>

#include "core/base/format.h"

namespace batchwise {
namespace {

std::string exact(std::optional<double> value) {
  return value ? formatExact(*value) : "";
}

std::string signedValue(double value) {
  return (value > 0 ? "+" : value < 0 ? "−" : "") + formatValue(std::abs(value));
}

std::string percentText(double fraction) {
  char text[32];
  const double percent = std::abs(fraction) * 100;
  std::snprintf(text, sizeof text, percent < 9.95 && percent >= 0.095 ? "%#.2g" : "%.2g", percent);
  if (percent >= 99.5) std::snprintf(text, sizeof text, "%.0f", percent);
  return (fraction > 0 ? "+" : fraction < 0 ? "−" : "") + std::string(text) + " %";
}

std::string labelOf(const SummaryColumn& column) {
  return column.unit.empty() ? column.title : column.title + " (" + column.unit + ")";
}

/// With what the series is called in place of its name.
SummaryColumn reworded(SummaryColumn column, const Wording& wording) {
  if (column.title.starts_with(column.series))
    column.title.replace(0, column.series.size(), wording.series(column.series));
  return column;
}

/// A duration says its units itself.
std::string readableLabel(const RunComparison& comparison, const SummaryColumn& column) {
  if (!takenElsewhere(comparison, column)) return column.series == "time" ? column.title : labelOf(column);
  const std::string x = column.axis == Axis::Time ? formatDuration(column.x) : formatCount(column.x);
  if (column.axis != comparison.options.axis) return column.title + " (" + x + ")";
  return column.title + " at " + x +
         (column.axis == Axis::Time ? " of training" : " " + std::string(axisName(column.axis)));
}

TextTable::Column readableColumn(const RunComparison& comparison, const SummaryColumn& stored, const Wording& wording) {
  const SummaryColumn column = reworded(stored, wording);
  const std::string about = takenElsewhere(comparison, column) ? takenAtText(column) : comparedAtText(comparison);
  return {wording.say(readableLabel(comparison, column)), true, wording.say(about)};
}

std::vector<std::string> exactCells(const SummaryCell& cell, bool baseline) {
  if (baseline) return {exact(cell.value), "", "", "", ""};
  const bool known = std::isfinite(cell.delta.absolute);
  const auto relative = cell.delta.relative;
  return {exact(cell.value), known ? exact(cell.delta.absolute) : "", exact(relative),
          cell.band > 0 ? exact(cell.band) : "", std::string(verdictName(cell.delta.verdict))};
}

}  // namespace

std::string cellValueText(const SummaryColumn& column, std::optional<double> value) {
  if (!value) return "–";
  if (column.series == "time") return formatDuration(*value);
  if (column.unit == "tok" || column.unit == "tok/s") return formatCount(*value);
  if (column.series == "lr") return formatRate(*value);
  return formatValue(*value);
}

std::string deltaText(const SummaryCell& cell, const Wording& wording) {
  if (!std::isfinite(cell.delta.absolute)) return "–";
  if (cell.delta.verdict == Verdict::Same) return wording.say("same");
  std::string text = cell.delta.relative ? percentText(*cell.delta.relative) : signedValue(cell.delta.absolute);
  const std::string_view verdict = verdictName(cell.delta.verdict);
  return verdict.empty() ? text : text + ", " + wording.say(std::string(verdict));
}

TextTable summaryTable(const RunComparison& comparison, Numbers numbers, const Wording& wording) {
  TextTable table;
  const bool grouped = !comparison.options.groupBy.empty();
  table.columns.push_back({wording.say(grouped ? "group" : "run"), false});
  if (grouped) table.columns.push_back({wording.say("runs"), true});
  for (const SummaryColumn& column : comparison.columns) {
    if (numbers == Numbers::Exact) {
      for (const char* what : {"", " difference", " relative", " noise band", " verdict"})
        table.columns.push_back({labelOf(column) + what, true});
    } else {
      table.columns.push_back(readableColumn(comparison, column, wording));
      table.columns.push_back({wording.say("vs baseline"), true});
    }
  }
  for (std::size_t i = 0; i < comparison.lines.size(); ++i) {
    std::vector<std::string> row{comparison.lines[i].label};
    if (grouped) row.push_back(std::to_string(comparison.lines[i].members.size()));
    for (std::size_t j = 0; j < comparison.cells[i].size(); ++j) {
      const SummaryCell& cell = comparison.cells[i][j];
      const auto texts = numbers == Numbers::Exact
                             ? exactCells(cell, i == 0)
                             : std::vector{cellValueText(comparison.columns[j], cell.value),
                                           i == 0 ? wording.say("baseline") : deltaText(cell, wording)};
      row.insert(row.end(), texts.begin(), texts.end());
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

TextTable differenceTable(const RunComparison& comparison, const Wording& wording) {
  TextTable table;
  table.columns.push_back({wording.say("field"), false});
  for (const ComparedRun& run : comparison.runs) table.columns.push_back({run.summary.name, false});
  for (const FieldRow& row : comparison.differences.rows) {
    std::vector<std::string> cells{row.field};
    cells.insert(cells.end(), row.values.begin(), row.values.end());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string differenceText(const ConfigComparison& differences) {
  return std::to_string(differences.rows.size()) + " of " + std::to_string(differences.compared) + " fields " +
         (differences.rows.size() == 1 ? "differs" : "differ");
}

PointRows::PointRows(std::shared_ptr<const RunComparison> comparison) : comparison_(std::move(comparison)) {
  passOverEnds();
}

std::size_t PointRows::pointsOf(std::size_t line) const {
  const ComparedLine& own = comparison_->lines[line];
  return comparison_->options.groupBy.empty() ? comparison_->runs[own.members.front()].smooth.size() : own.group.size();
}

void PointRows::passOverEnds() {
  for (; !atEnd() && point_ == pointsOf(line_); ++line_) point_ = 0;
}

std::vector<std::string> PointRows::row() const {
  const ComparedLine& line = comparison_->lines[line_];
  if (comparison_->options.groupBy.empty()) {
    const CurvePoint& point = comparison_->runs[line.members.front()].smooth[point_];
    return {line.label, formatExact(point.x), formatExact(point.y)};
  }
  const GroupPoint& point = line.group[point_];
  return {line.label,
          formatExact(point.x),
          formatExact(point.centre),
          formatExact(point.low),
          formatExact(point.high),
          std::to_string(point.count)};
}

TextTable PointRows::next(std::size_t most) {
  const ComparisonOptions& options = comparison_->options;
  TextTable table{{{"line", false}, {std::string(axisName(options.axis)), true}, {options.metric, true}}, {}};
  if (!options.groupBy.empty())
    for (const char* title : {"low", "high", "runs"}) table.columns.push_back({title, true});
  for (; !atEnd() && table.rows.size() < most; passOverEnds()) {
    table.rows.push_back(row());
    ++point_;
  }
  return table;
}

double PointRows::progress() const {
  if (atEnd()) return 1;
  const double part = static_cast<double>(point_) / static_cast<double>(pointsOf(line_));
  return (static_cast<double>(line_) + part) / static_cast<double>(comparison_->lines.size());
}

TextTable pointsTable(const RunComparison& comparison) {
  PointRows rows(std::shared_ptr<const RunComparison>(std::shared_ptr<void>(), &comparison));  // which owns nothing
  return rows.next(std::numeric_limits<std::size_t>::max());
}

}  // namespace batchwise
