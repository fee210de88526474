// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/comparison_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/analysis/messages.h"
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

/// Two significant digits, all digits before the decimal point: "+9.0 %", "+17 %".
std::string percentText(double fraction) {
  const double percent = std::abs(fraction) * 100;
  const int decimals = percent > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(percent))), 0, 12) : 0;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, percent);
  return (fraction > 0 ? "+" : fraction < 0 ? "−" : "") + std::string(text) + " %";
}

/// Four significant digits with trailing zeros, so that numbers align in columns.
std::string fourDigits(double value) {
  constexpr double kFourBeforeThePoint = 999.95;  // from here on "%#.4g" would end in the decimal point
  const double size = std::abs(value);
  if (!(size >= 1e-3 && size < kFourBeforeThePoint)) return formatValue(value);
  char text[32];
  std::snprintf(text, sizeof text, "%#.4g", value);
  return text;
}

std::string labelOf(const SummaryColumn& column) {
  return column.unit.empty() ? column.title : column.title + " (" + column.unit + ")";
}

/// Column label. Durations include their units.
Message readableLabel(const RunComparison& comparison, const SummaryColumn& column, bool isMetric) {
  const std::string& title = column.title;
  if (isEvaluatedElsewhere(comparison, column)) {
    const std::string x = column.axis == Axis::Time ? formatDuration(column.x) : formatCount(column.x);
    if (column.axis != comparison.options.axis) return title + " (" + x + ")";
    return messages::labelAtPlace(title, column.axis == Axis::Time ? messages::placeInTraining(x)
                                                                   : messages::placeOnAxis(x, axisText(column.axis)));
  }
  if (isMetric && comparison.runs.size() > 1)
    return column.unit.empty() ? messages::metricAtEqualAxis(title, axisText(column.axis))
                               : messages::labelAtEqualAxisWithUnit(title, axisText(column.axis), column.unit);
  return column.unit.empty() || column.series == "time" ? title : title + " (" + column.unit + ")";
}

TextTable::Column readableColumn(const RunComparison& comparison, const SummaryColumn& stored,
                                 const Localization& localization) {
  const SummaryColumn column = localized(stored, localization);
  const std::string about =
      isEvaluatedElsewhere(comparison, column) ? evaluatedAtText(column) : comparedAtText(comparison);
  return {localization.translate(readableLabel(comparison, column, stored.title == comparison.options.metric)), true,
          localization.translate(about)};
}

/// The difference column; its description explains how noise was determined.
TextTable::Column deltaColumn(const SummaryColumn& column, const Localization& localization) {
  return {localization.translate(messages::labelVsBaseline()), true,
          localization.translate(column.noise ? messages::withinSeedNoise() : messages::seedNoiseNotMeasured())};
}

/// Returns "3.409 (2 of 3)" if some runs of a group have no value.
std::string readableValue(const SummaryColumn& column, const SummaryCell& cell, std::size_t members,
                          const Localization& localization) {
  const std::string text = cellValueText(column, cell.value);
  if (cell.count == 0 || cell.count == members) return text;
  return text + " (" + localization.translate(messages::cellMemberCount(cell.count, members)) + ")";
}

constexpr std::array kExactParts = {"", " difference", " relative", " noise band", " verdict"};

/// Cells in the order of kExactParts.
std::vector<std::string> exactCells(const SummaryCell& cell, bool baseline) {
  if (baseline) return {exact(cell.value), "", "", "", ""};
  const bool known = std::isfinite(cell.delta.absolute);
  const auto relative = cell.delta.relative;
  return {exact(cell.value), known ? exact(cell.delta.absolute) : "", exact(relative),
          cell.band > 0 ? exact(cell.band) : "", std::string(assessmentName(cell.delta.verdict))};
}

}  // namespace

SummaryColumn localized(SummaryColumn column, const Localization& localization) {
  if (column.title.starts_with(column.series))
    column.title.replace(0, column.series.size(), localization.series(column.series));
  return column;
}

std::string cellValueText(const SummaryColumn& column, std::optional<double> value) {
  if (!value) return "–";
  if (column.series == "time") return formatDuration(*value);
  if (column.unit == "tok" || column.unit == "tok/s") return formatCount(*value);
  if (column.series == "lr") return formatRate(*value);
  return fourDigits(*value);
}

std::string deltaText(const SummaryCell& cell, const Localization& localization) {
  if (!std::isfinite(cell.delta.absolute)) return "–";
  if (cell.delta.verdict == Assessment::Same) return localization.label("same");
  std::string text = cell.delta.relative ? percentText(*cell.delta.relative) : signedValue(cell.delta.absolute);
  const std::string_view verdict = assessmentName(cell.delta.verdict);
  return verdict.empty() ? text : text + ", " + localization.label(verdict);
}

TextTable summaryTable(const RunComparison& comparison, NumberFormat numbers, const Localization& localization) {
  TextTable table;
  const bool grouped = !comparison.options.groupBy.empty();
  table.columns.push_back({localization.label(grouped ? "group" : "run"), false});
  if (grouped) table.columns.push_back({localization.label("runs"), true});
  for (const SummaryColumn& column : comparison.columns) {
    if (numbers == NumberFormat::Exact) {
      for (const char* what : kExactParts) table.columns.push_back({labelOf(column) + what, true});
      if (grouped) table.columns.push_back({labelOf(column) + " runs", true});
    } else {
      table.columns.push_back(readableColumn(comparison, column, localization));
      table.columns.push_back(deltaColumn(column, localization));
    }
  }
  for (std::size_t i = 0; i < comparison.lines.size(); ++i) {
    std::vector<std::string> row{comparison.lines[i].label};
    if (grouped) row.push_back(std::to_string(comparison.lines[i].members.size()));
    for (std::size_t j = 0; j < comparison.cells[i].size(); ++j) {
      const SummaryCell& cell = comparison.cells[i][j];
      const std::size_t members = comparison.lines[i].members.size();
      const auto texts = numbers == NumberFormat::Exact
                             ? exactCells(cell, i == 0)
                             : std::vector{readableValue(comparison.columns[j], cell, members, localization),
                                           i == 0 ? localization.label("baseline") : deltaText(cell, localization)};
      row.insert(row.end(), texts.begin(), texts.end());
      if (numbers == NumberFormat::Exact && grouped) row.push_back(std::to_string(cell.count));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

TextTable differenceTable(const RunComparison& comparison, const Localization& localization) {
  TextTable table;
  table.columns.push_back({localization.label("field"), false});
  for (const ComparedRun& run : comparison.runs) table.columns.push_back({run.summary.name, false});
  for (const FieldRow& row : comparison.differences.rows) {
    std::vector<std::string> cells{row.field};
    cells.insert(cells.end(), row.values.begin(), row.values.end());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Message differenceText(const ConfigComparison& differences) {
  return messages::fieldsDiffer(differences.rows.size(), differences.compared);
}

Message ignoredDifferencesText(const ConfigComparison& differences) {
  std::string fields;
  for (const std::string& field : differences.ignoredDifferences) fields += (fields.empty() ? "" : ", ") + field;
  return fields.empty() ? Message() : messages::fieldsUncounted(fields);
}

PointRows::PointRows(std::shared_ptr<const RunComparison> comparison, PointSource of)
    : comparison_(std::move(comparison)), source_(of) {
  skipFinished();
}

const ComparedRun& PointRows::run() const {
  return comparison_->runs[comparison_->lines[line_].members[member_]];
}

/// Number of entries of the line: its runs, or one for a group.
std::size_t PointRows::members() const {
  return source_ == PointSource::Runs ? comparison_->lines[line_].members.size() : 1;
}

std::size_t PointRows::points() const {
  return source_ == PointSource::Runs ? run().raw.size() : comparison_->lines[line_].group.size();
}

void PointRows::skipFinished() {
  for (; !atEnd() && point_ == points(); point_ = 0) {
    if (++member_ < members()) continue;
    member_ = 0;
    ++line_;
  }
}

std::vector<std::string> PointRows::row() const {
  const ComparedLine& line = comparison_->lines[line_];
  if (source_ == PointSource::Groups) {
    const GroupPoint& point = line.group[point_];
    return {line.label,
            formatExact(point.x),
            formatExact(point.center),
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
  if (source_ == PointSource::Runs) add("run", false);
  if (!options.groupBy.empty()) add("group", false);
  add(x, true);
  add(y, true);
  if (source_ == PointSource::Groups)
    for (const char* title : {"low", "high", "runs"}) add(title, true);
  else if (options.smoothing > 0)
    add(messages::smoothedAxisTitle(y), true);
  for (; !atEnd() && table.rows.size() < most; skipFinished()) {
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

TextTable pointsTable(const RunComparison& comparison, PointSource of) {
  PointRows rows(std::shared_ptr<const RunComparison>(std::shared_ptr<void>(), &comparison), of);  // non-owning
  return rows.next(std::numeric_limits<std::size_t>::max());
}

}  // namespace batchwise
