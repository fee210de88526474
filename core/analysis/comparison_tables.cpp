// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/comparison_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/analysis/series_unit.h"
#include "core/base/format.h"

namespace batchwise {
namespace {

std::string exact(std::optional<double> value) {
  return value ? formatExact(*value) : "";
}

std::string signedValue(double value) {
  return (value > 0 ? "+" : value < 0 ? "−" : "") + formatValue(std::abs(value));
}

/// Two digits, more before the point if there are more: "+9.0 %", "+17 %".
std::string percentText(double fraction) {
  const double percent = std::abs(fraction) * 100;
  const int decimals = percent > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(percent))), 0, 12) : 0;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, percent);
  return (fraction > 0 ? "+" : fraction < 0 ? "−" : "") + std::string(text) + " %";
}

/// Four digits also where the last are zeros: numbers below each other are read by their places.
std::string fourDigits(double value) {
  constexpr double kFourBeforeThePoint = 999.95;  // from here on, rounded: "%#.4g" would end in the point
  const double size = std::abs(value);
  if (!(size >= 1e-3 && size < kFourBeforeThePoint)) return formatValue(value);
  char text[32];
  std::snprintf(text, sizeof text, "%#.4g", value);
  return text;
}

std::string labelOf(const SummaryColumn& column) {
  return column.unit.empty() ? column.title : column.title + " (" + column.unit + ")";
}

/// A duration says its units itself.
std::string readableLabel(const RunComparison& comparison, const SummaryColumn& column, bool isMetric) {
  const std::string& title = column.title;
  if (takenElsewhere(comparison, column)) {
    const std::string x = column.axis == Axis::Time ? formatDuration(column.x) : formatCount(column.x);
    if (column.axis != comparison.options.axis) return title + " (" + x + ")";
    return title + " at " + x + (column.axis == Axis::Time ? " of training" : " " + std::string(axisName(column.axis)));
  }
  if (isMetric && comparison.runs.size() > 1)
    return title + " at equal " + std::string(axisName(column.axis)) +
           (column.unit.empty() ? "" : " (" + column.unit + ")");
  return column.unit.empty() || column.series == "time" ? title : title + " (" + column.unit + ")";
}

TextTable::Column readableColumn(const RunComparison& comparison, const SummaryColumn& stored, const Wording& wording) {
  const SummaryColumn column = reworded(stored, wording);
  const std::string about = takenElsewhere(comparison, column) ? takenAtText(column) : comparedAtText(comparison);
  return {wording.say(readableLabel(comparison, column, stored.title == comparison.options.metric)), true,
          wording.say(about)};
}

/// What stands beside it, for a person who wonders about "worse".
TextTable::Column deltaColumn(const SummaryColumn& column, const Wording& wording) {
  return {wording.say("vs baseline"), true,
          wording.say(column.noise ? "Within noise: runs that differ by seed only differ as much"
                                   : "No two runs differ by seed only: nobody knows how much of it is noise")};
}

/// "3.409 (2 of 3)" where not every run of a group has a value.
std::string readableValue(const SummaryColumn& column, const SummaryCell& cell, std::size_t members,
                          const Wording& wording) {
  const std::string text = cellValueText(column, cell.value);
  if (cell.count == 0 || cell.count == members) return text;
  return text + " (" + wording.say(std::to_string(cell.count) + " of " + std::to_string(members)) + ")";
}

constexpr std::array kExactParts = {"", " difference", " relative", " noise band", " verdict"};

/// In the order of kExactParts.
std::vector<std::string> exactCells(const SummaryCell& cell, bool baseline) {
  if (baseline) return {exact(cell.value), "", "", "", ""};
  const bool known = std::isfinite(cell.delta.absolute);
  const auto relative = cell.delta.relative;
  return {exact(cell.value), known ? exact(cell.delta.absolute) : "", exact(relative),
          cell.band > 0 ? exact(cell.band) : "", std::string(verdictName(cell.delta.verdict))};
}

}  // namespace

SummaryColumn reworded(SummaryColumn column, const Wording& wording) {
  if (column.title.starts_with(column.series))
    column.title.replace(0, column.series.size(), wording.series(column.series));
  return column;
}

std::string cellValueText(const SummaryColumn& column, std::optional<double> value) {
  if (!value) return "–";
  if (column.series == "time") return formatDuration(*value);
  if (column.unit == "tok" || column.unit == "tok/s") return formatCount(*value);
  if (column.series == "lr") return formatRate(*value);
  return fourDigits(*value);
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
      for (const char* what : kExactParts) table.columns.push_back({labelOf(column) + what, true});
      if (grouped) table.columns.push_back({labelOf(column) + " runs", true});
    } else {
      table.columns.push_back(readableColumn(comparison, column, wording));
      table.columns.push_back(deltaColumn(column, wording));
    }
  }
  for (std::size_t i = 0; i < comparison.lines.size(); ++i) {
    std::vector<std::string> row{comparison.lines[i].label};
    if (grouped) row.push_back(std::to_string(comparison.lines[i].members.size()));
    for (std::size_t j = 0; j < comparison.cells[i].size(); ++j) {
      const SummaryCell& cell = comparison.cells[i][j];
      const std::size_t members = comparison.lines[i].members.size();
      const auto texts = numbers == Numbers::Exact
                             ? exactCells(cell, i == 0)
                             : std::vector{readableValue(comparison.columns[j], cell, members, wording),
                                           i == 0 ? wording.say("baseline") : deltaText(cell, wording)};
      row.insert(row.end(), texts.begin(), texts.end());
      if (numbers == Numbers::Exact && grouped) row.push_back(std::to_string(cell.count));
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

std::string uncountedText(const ConfigComparison& differences) {
  std::string fields;
  for (const std::string& field : differences.uncounted) fields += (fields.empty() ? "" : ", ") + field;
  return fields.empty() ? "" : "Different too, but not counted, for they make no other experiment: " + fields;
}

PointRows::PointRows(std::shared_ptr<const RunComparison> comparison, PointsOf of)
    : comparison_(std::move(comparison)), of_(of) {
  passOverEnds();
}

const ComparedRun& PointRows::run() const {
  return comparison_->runs[comparison_->lines[line_].members[member_]];
}

/// A group that is written itself counts as one.
std::size_t PointRows::members() const {
  return of_ == PointsOf::Runs ? comparison_->lines[line_].members.size() : 1;
}

std::size_t PointRows::points() const {
  return of_ == PointsOf::Runs ? run().raw.size() : comparison_->lines[line_].group.size();
}

void PointRows::passOverEnds() {
  for (; !atEnd() && point_ == points(); point_ = 0) {
    if (++member_ < members()) continue;
    member_ = 0;
    ++line_;
  }
}

std::vector<std::string> PointRows::row() const {
  const ComparedLine& line = comparison_->lines[line_];
  if (of_ == PointsOf::Groups) {
    const GroupPoint& point = line.group[point_];
    return {line.label,
            formatExact(point.x),
            formatExact(point.centre),
            formatExact(point.low),
            formatExact(point.high),
            std::to_string(point.count)};
  }
  std::vector<std::string> texts{run().summary.name};
  if (!comparison_->options.groupBy.empty()) texts.push_back(line.label);
  texts.push_back(formatExact(run().raw[point_].x));
  texts.push_back(formatExact(run().raw[point_].y));
  if (comparison_->options.smoothing > 0) texts.push_back(formatExact(run().smooth[point_].y));
  return texts;
}

TextTable PointRows::next(std::size_t most) {
  const ComparisonOptions& options = comparison_->options;
  const std::string unit = seriesUnit(options.metric).empty() ? "" : " (" + seriesUnit(options.metric) + ")";
  const std::string x(axisName(options.axis)), y = options.metric + unit;
  TextTable table;
  const auto add = [&](const std::string& title, bool numeric) { table.columns.push_back({title, numeric}); };
  if (of_ == PointsOf::Runs) add("run", false);
  if (!options.groupBy.empty()) add("group", false);
  add(x, true);
  add(y, true);
  if (of_ == PointsOf::Groups)
    for (const char* title : {"low", "high", "runs"}) add(title, true);
  else if (options.smoothing > 0)
    add(y + " smoothed", true);
  for (; !atEnd() && table.rows.size() < most; passOverEnds()) {
    table.rows.push_back(row());
    ++point_;
  }
  return table;
}

double PointRows::progress() const {
  if (atEnd()) return 1;
  const double ofMember = static_cast<double>(point_) / static_cast<double>(points());
  const double ofLine = (static_cast<double>(member_) + ofMember) / static_cast<double>(members());
  return (static_cast<double>(line_) + ofLine) / static_cast<double>(comparison_->lines.size());
}

TextTable pointsTable(const RunComparison& comparison, PointsOf of) {
  PointRows rows(std::shared_ptr<const RunComparison>(std::shared_ptr<void>(), &comparison), of);  // which owns nothing
  return rows.next(std::numeric_limits<std::size_t>::max());
}

}  // namespace batchwise
