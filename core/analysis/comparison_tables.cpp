// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/comparison_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/analysis/group_curve.h"
#include "core/base/format.h"
#include "core/base/text.h"

namespace batchwise {
namespace {

std::string exact(std::optional<double> value) {
  return value ? formatExact(*value) : "";
}

/// Empty for NaN, which stands for a missing value.
std::string orEmpty(double value) {
  return std::isnan(value) ? "" : formatExact(value);
}

std::string withDetail(const std::string& title, const std::string& detail) {
  return detail.empty() ? title : title + " (" + detail + ")";
}

bool isDuration(const SummaryColumn& column) {
  return column.series == "time" || column.series == "devices_time";
}

/// Returns whether a column is that of the metric or of the evaluation loss, where the comparison takes them.
bool isMetricOrLoss(const RunComparison& comparison, const SummaryColumn& column) {
  return column.kind == ColumnKind::Series &&
         (column.series == comparison.options.metric || column.series == "eval.loss");
}

/// Returns where a column was taken: "3.20k", "3.18k to 3.20k", "50 s".
std::string shortPlace(const SummaryColumn& column) {
  const auto text = [&](double x) { return column.axis == Axis::Time ? formatDuration(x) : formatCount(x); };
  const std::string first = text(column.firstX), last = text(column.x);
  if (column.taken != TakenAt::Measured || first == last) return last;
  return formatText("{} to {}", first, last);
}

/// Column label. Durations include their units.
std::string readableLabel(const RunComparison& comparison, const SummaryColumn& column, bool isAtEqualPlace) {
  const std::string title = column.title;
  const std::string axis = axisText(column.axis);
  if (isEvaluatedElsewhere(comparison, column)) {
    const bool isTime = column.axis == Axis::Time;
    const std::string x = shortPlace(column);
    if (column.axis != comparison.options.axis) return withDetail(title, x);
    const std::string place = isTime ? formatText("{} of training", x) : formatText("{} {}", x, axis);
    return column.taken == TakenAt::Nearest ? formatText("{} near {}", title, place)
                                            : formatText("{} at {}", title, place);
  }
  if (isAtEqualPlace && comparison.runs.size() > 1)
    return (column.unit.empty() ? metricAtEqualAxisText(title, axis)
                                : formatText("{} at equal {} ({})", title, axis, column.unit));
  return isDuration(column) ? title : withDetail(title, column.unit);
}

TextTable::Column readableColumn(const RunComparison& comparison, const SummaryColumn& stored,
                                 const SeriesNames& names) {
  const SummaryColumn column = withDisplayName(stored, names);
  const std::string where =
      isEvaluatedElsewhere(comparison, column) ? evaluatedAtText(column) : comparedAtText(comparison);
  const bool isAtEqualPlace = isMetricOrLoss(comparison, stored);
  std::string about = where;
  if (column.window > 0) about += " " + averagedOverText(column);
  return {readableLabel(comparison, column, isAtEqualPlace), true, about};
}

/// The difference column; its description explains how noise was determined.
TextTable::Column deltaColumn(const SummaryColumn& column) {
  return {std::string("vs baseline"), true,
          column.noise ? "± is the interval of the difference (at least 95 %), from the spread between seeds; within "
                         "noise: the difference is smaller than that"
                       : "No two runs that differ only by seed were measured like the baseline, so the noise cannot be "
                         "estimated"};
}

/// Returns "3.409 (2 of 3)" if some runs of a group have no value, "3.409 (2 of 3, 1 not finite)" if one has no number.
std::string readableValue(const SummaryColumn& column, const SummaryCell& cell, std::size_t members) {
  const std::string text = cellValueText(column, cell.value);
  if (cell.count == 0 || cell.count == members) return text;
  const std::string count = cell.notFinite > 0
                                ? formatText("{} of {}, {} not finite", cell.count, members, cell.notFinite)
                                : formatText("{} of {}", cell.count, members);
  return text + " (" + count + ")";
}

constexpr std::array kExactParts = {"", " difference", " relative", " noise band", " verdict"};

/// Cells in the order of kExactParts. In place of a verdict that is withheld stands the reason.
std::vector<std::string> exactCells(const SummaryCell& cell, bool baseline) {
  if (baseline) return {exact(cell.value), "", "", "", ""};
  const bool known = std::isfinite(cell.delta.absolute);
  const auto relative = cell.delta.relative;
  return {exact(cell.value), known ? exact(cell.delta.absolute) : "", exact(relative), exact(cell.band),
          cell.caution.empty() ? std::string(assessmentName(cell.delta.verdict)) : cell.caution};
}

}  // namespace

std::vector<std::string> columnNotes(const RunComparison& comparison, const SeriesNames& names) {
  std::vector<std::string> notes;
  for (const SummaryColumn& stored : comparison.columns) {
    const SummaryColumn column = withDisplayName(stored, names);
    if (isEvaluatedElsewhere(comparison, column)) notes.push_back(evaluatedAtText(column));
    if (column.window > 0) notes.push_back(averagedOverText(column));
  }
  const auto isOfOtherRuns = [](const SummaryCell& cell) { return cell.noiseFrom == NoiseSource::OtherRuns; };
  if (std::ranges::any_of(comparison.cells,
                          [&](const auto& cells) { return std::ranges::any_of(cells, isOfOtherRuns); }))
    notes.emplace_back(
        "Where a side is no group of seeds alone, the noise is that of all compared runs that differ by seed only.");
  return notes;
}

SummaryColumn withDisplayName(SummaryColumn column, const SeriesNames& names) {
  const std::string name = names.series(column.series);
  if (column.kind == ColumnKind::Series) column.title = name;
  if (column.kind == ColumnKind::MetricAtEqual) column.title = metricAtEqualAxisText(name, axisText(column.axis));
  return column;
}

std::string cellValueText(const SummaryColumn& column, std::optional<double> value) {
  if (!value) return "–";
  if (isDuration(column)) return formatDuration(*value);
  if (column.unit == "tok" || column.unit == "tok/s" || column.series == "steps") return formatCount(*value);
  if (column.series == "lr") return formatRate(*value);
  return formatAligned(*value);
}

namespace {

/// Returns "−2.3 ± 1.1 %": a difference with the half width of its noise band, both to two digits of the larger, but
/// one decimal at least if the difference is below 10 %, and one digit of the band: "−45.2 ± 0.3 %".
std::string percentWithBand(double relative, double band) {
  const double percent = 100 * std::abs(relative), half = 100 * band;
  if (std::max(percent, half) >= 1e6)
    return (relative < 0 ? "−" : "+") + formatValue(percent) + " ± " + formatValue(half) + " %";
  const int digits = half + percent > 0 ? 1 - static_cast<int>(std::floor(std::log10(std::max(percent, half)))) : 1;
  int decimals = std::clamp(digits, percent < 10 ? 1 : 0, 12);
  if (half > 0 && half <= 0.5 * std::pow(10, -decimals))
    decimals = std::min(-static_cast<int>(std::floor(std::log10(half))), 12);
  return (relative < 0 ? "−" : "+") + formatDecimals(percent, decimals) + " ± " + formatDecimals(half, decimals) + " %";
}

/// Formats a value of a column with its unit; durations include theirs.
std::string withUnit(const SummaryColumn& column, std::optional<double> value) {
  const std::string text = cellValueText(column, value);
  return value && !isDuration(column) && !column.unit.empty() ? text + " " + column.unit : text;
}

std::string differenceText(const SummaryCell& cell) {
  if (!cell.delta.relative) return formatDifference(cell.delta.absolute);
  const double baseline = std::abs(cell.value.value_or(0) - cell.delta.absolute);
  return cell.band && baseline > 0 ? percentWithBand(*cell.delta.relative, *cell.band / baseline)
                                   : formatPercent(*cell.delta.relative);
}

}  // namespace

std::string deltaText(const SummaryCell& cell) {
  const std::string verdict(assessmentName(cell.delta.verdict));
  if (!std::isfinite(cell.delta.absolute)) return verdict.empty() ? "–" : verdict;
  if (cell.delta.verdict == Assessment::Same) return verdict;
  std::string text = differenceText(cell);
  if (!cell.caution.empty()) return text + ", " + cell.caution;
  return verdict.empty() ? text : text + ", " + verdict;
}

std::string cellSentence(const RunComparison& comparison, std::size_t line, std::size_t column) {
  const SummaryColumn& of = comparison.columns[column];
  const SummaryCell &cell = comparison.cells[line][column], &baseline = comparison.cells[0][column];
  const std::string &label = comparison.lines[line].label, &baseLabel = comparison.lines[0].label;
  const std::string value = withUnit(of, cell.value);
  if (line == 0) return formatText("{}, the baseline: {}", label, value);
  const std::string other = withUnit(of, baseline.value), difference = deltaText(cell);
  if (!std::isfinite(cell.delta.absolute) && cell.delta.verdict != Assessment::Unknown)
    return formatText("{}: {}, against {} of the baseline {}: {}", label, value, other, baseLabel, difference);
  const bool hasBand =
      cell.band && cell.delta.relative && std::isfinite(cell.delta.absolute) && cell.delta.verdict != Assessment::Same;
  if (!hasBand)
    return formatText("{}: {}, against {} of the baseline {}. Difference: {}", label, value, other, baseLabel,
                      difference);
  const char* const source = cell.noiseFrom == NoiseSource::PairedSeeds ? "the differences of runs with equal seeds"
                             : cell.noiseFrom == NoiseSource::Seeds     ? "the spread between seeds"
                                                                        : "the spread between seeds of all these runs";
  const std::string sentence = formatText(
      "{}: {}, against {} of the baseline {}. Difference: {}; ± is its interval (at least 95 %), from {} (n = {} and "
      "{})",
      label, value, other, baseLabel, difference, source, cell.count, baseline.count);
  const auto detectable = detectableDifference(cell);
  return detectable ? sentence + formatText(". Half of such comparisons would tell {}", withUnit(of, detectable))
                    : sentence;
}

std::optional<double> detectableDifference(const SummaryCell& cell) {
  return cell.delta.verdict == Assessment::WithinNoise ? cell.band : std::nullopt;
}

namespace {

std::string countsText(const SummaryCell& cell, const SummaryCell& baseline) {
  return formatText(
      "n = {} and {}{}", cell.count, baseline.count,
      cell.noiseFrom == NoiseSource::OtherRuns ? ", noise of all compared runs that differ by seed only" : "");
}

std::string marginText(const RunComparison& comparison, std::size_t line, std::size_t column) {
  const SummaryCell &cell = comparison.cells[line][column], &baseline = comparison.cells[0][column];
  const std::string what =
      formatText("{} is not worse than {} by more than {} nats of {}", comparison.lines[line].label,
                 comparison.lines[0].label, formatValue(*comparison.options.margin), comparison.columns[column].title);
  if (!cell.caution.empty()) return formatText("Not decided whether {}: {}.", what, cell.caution);
  if (!cell.upper) return formatText("Not decided whether {}: no seeds tell the noise.", what);
  return formatText("{}{}: the difference is at most {} (one-sided 95 %, Student's t, {}).",
                    *cell.upper < *comparison.options.margin ? "" : "It is not shown that ", what,
                    formatDifference(*cell.upper), countsText(cell, baseline));
}

}  // namespace

std::vector<std::string> verdictTexts(const RunComparison& comparison) {
  std::vector<std::string> texts = equalLossTexts(comparison);
  for (std::size_t j = 0; j < comparison.columns.size(); ++j) {
    const SummaryColumn& column = comparison.columns[j];
    if (!isMetricOrLoss(comparison, column)) continue;
    for (std::size_t i = 1; i < comparison.lines.size(); ++i) {
      const SummaryCell &cell = comparison.cells[i][j], &baseline = comparison.cells[0][j];
      if (const auto detectable = detectableDifference(cell))
        texts.push_back(
            formatText("{} is within noise of {} in {}: with these seeds ({}) half of such comparisons would tell a "
                       "difference of {}.",
                       comparison.lines[i].label, comparison.lines[0].label, column.title, countsText(cell, baseline),
                       withUnit(column, detectable)));
      if (comparison.options.margin && isLoss(column.series) && cell.value)
        texts.push_back(marginText(comparison, i, j));
    }
  }
  return texts;
}

namespace {

/// Returns the decimals that show two digits of a share in percent.
int decimalsOf(double share) {
  const double percent = 100 * std::abs(share);
  return percent > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(percent))), 0, 12) : 1;
}

std::string amountText(double relative, Axis axis) {
  const char* const less = axis == Axis::Time ? "less" : "fewer";
  return formatText("{} % {}", formatDecimals(100 * std::abs(relative), decimalsOf(relative)),
                    relative < 0 ? less : "more");
}

/// Returns "38 % fewer tokens (31 to 44 %)", or "about as many tokens (4 % fewer to 7 % more)" within noise.
std::string equalLossText(const EqualLoss& at) {
  const std::string what = at.devices > 0 ? formatText("time on {} (predicted)", countText(at.devices, "device"))
                           : at.axis == Axis::Time  ? "time"
                           : at.axis == Axis::Steps ? "serial steps"
                                                    : axisText(at.axis);
  if (!at.low || !at.high) return formatText("{} {}", amountText(at.relative, at.axis), what);
  if (*at.low <= 0 && *at.high >= 0)
    return formatText("about as {} {} ({} to {})", at.axis == Axis::Time ? "much" : "many", what,
                      amountText(*at.low, at.axis), amountText(*at.high, at.axis));
  const double near = std::min(std::abs(*at.low), std::abs(*at.high)),
               far = std::max(std::abs(*at.low), std::abs(*at.high));
  const int decimals = decimalsOf(far);
  return formatText("{} {} ({} to {} %)", amountText(at.relative, at.axis), what, formatDecimals(100 * near, decimals),
                    formatDecimals(100 * far, decimals));
}

}  // namespace

std::vector<std::string> equalLossTexts(const RunComparison& comparison) {
  std::vector<std::string> texts;
  for (std::size_t line = 1; line < comparison.lines.size(); ++line) {
    std::vector<std::string> parts;
    std::string loss;
    bool hasInterval = true;
    for (const EqualLoss& at : comparison.equalLosses) {
      if (at.line != line) continue;
      loss = formatValue(at.loss);
      hasInterval = hasInterval && at.low.has_value();
      parts.push_back(equalLossText(at));
    }
    if (parts.empty()) continue;
    std::string last = std::move(parts.back());
    parts.pop_back();
    if (!parts.empty()) last = joined(parts) + " and " + last;
    texts.push_back(formatText("{} reaches an evaluation loss of {} after {} than {}{}.", comparison.lines[line].label,
                               loss, last, comparison.lines[0].label,
                               hasInterval ? "" : "; noise unknown, as a side has no seeds to compare"));
  }
  return texts;
}

TextTable summaryTable(const RunComparison& comparison, NumberFormat numbers, const SeriesNames& names) {
  TextTable table;
  const bool grouped = !comparison.options.groupBy.empty();
  table.columns.push_back({grouped ? "group" : "run", false});
  if (grouped) table.columns.push_back({"runs", true});
  for (const SummaryColumn& column : comparison.columns) {
    if (numbers == NumberFormat::Exact) {
      const std::string label = withDetail(column.title, column.unit);
      for (const char* what : kExactParts) table.columns.push_back({label + what, true});
      if (grouped) table.columns.push_back({label + " runs", true});
      if (grouped) table.columns.push_back({label + " not finite", true});
    } else {
      table.columns.push_back(readableColumn(comparison, column, names));
      table.columns.push_back(deltaColumn(column));
    }
  }
  for (std::size_t i = 0; i < comparison.lines.size(); ++i) {
    std::vector<std::string> row{comparison.lines[i].label};
    if (grouped) row.push_back(std::to_string(comparison.lines[i].counted.size()));
    for (std::size_t j = 0; j < comparison.cells[i].size(); ++j) {
      const SummaryCell& cell = comparison.cells[i][j];
      const std::size_t members = comparison.lines[i].counted.size();
      const auto texts = numbers == NumberFormat::Exact
                             ? exactCells(cell, i == 0)
                             : std::vector{readableValue(comparison.columns[j], cell, members),
                                           i == 0 ? std::string("baseline") : deltaText(cell)};
      row.insert(row.end(), texts.begin(), texts.end());
      if (numbers == NumberFormat::Exact && grouped)
        for (const std::size_t count : {cell.count, cell.notFinite}) row.push_back(std::to_string(count));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string tableCaption(const RunComparison& comparison) {
  std::string caption = comparedAtText(comparison);
  if (!comparison.options.groupBy.empty()) {
    const auto count = [](const ComparedLine& line) { return std::to_string(line.counted.size()); };
    caption += std::string(comparison.options.center == Center::Median ? " Medians" : " Means") +
               " of n runs: n = " + joined(comparison.lines, ", ", count) + ".";
  }
  const bool hasInterval = std::ranges::any_of(comparison.cells, [](const std::vector<SummaryCell>& cells) {
    return std::ranges::any_of(cells, [](const SummaryCell& cell) { return cell.band > 0; });
  });
  return hasInterval ? caption + " " +
                           std::string(
                               "± is the interval of the difference to the baseline (at least 95 %), from the spread "
                               "between seeds (Student's t).")
                     : caption;
}

RunComparison withColumns(RunComparison comparison, std::span<const std::size_t> kept) {
  const auto keep = [&](auto& items) {
    std::remove_reference_t<decltype(items)> some;
    for (const std::size_t index : kept) some.push_back(std::move(items[index]));
    items = std::move(some);
  };
  keep(comparison.columns);
  for (auto& cells : comparison.cells) keep(cells);
  return comparison;
}

TextTable differenceTable(const RunComparison& comparison) {
  TextTable table;
  table.columns.push_back({"field", false});
  for (const ComparedRun& run : comparison.runs) table.columns.push_back({run.summary.name, false});
  for (const FieldRow& row : comparison.differences.rows) {
    std::vector<std::string> cells{row.field};
    cells.insert(cells.end(), row.values.begin(), row.values.end());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string differenceText(const ConfigComparison& differences) {
  return formatText("{} of {} fields {}", differences.rows.size(), differences.compared,
                    pluralText(differences.rows.size(), "differs", "differ"));
}

std::string ignoredDifferencesText(const ConfigComparison& differences) {
  const std::string fields = joined(differences.ignoredDifferences);
  return fields.empty()
             ? std::string()
             : formatText("Also different, but not counted because they do not change the experiment: {}", fields);
}

PointRows::PointRows(std::shared_ptr<const RunComparison> comparison, PointSource of)
    : comparison_(std::move(comparison)), source_(of) {
  for (const ComparedLine& line : comparison_->lines) {
    if (source_ == PointSource::Groups) {
      parts_.push_back({&line, nullptr, groupCurve(*comparison_, line), {}});
      continue;
    }
    for (const std::size_t member : line.members) {
      const ComparedRun& run = comparison_->runs[member];
      parts_.push_back({&line, &run, {}, {}});
      if (comparison_->options.smoothing > 0) parts_.back().smooth = smoothedCurve(*comparison_, run);
    }
  }
  std::erase_if(parts_, [](const Part& part) { return part.size() == 0; });
}

std::vector<std::string> PointRows::row() const {
  const auto& [line, run, group, smooth] = parts_[part_];
  if (run == nullptr) {
    const GroupPoint& point = group[point_];
    return {line->label,        formatExact(point.x), formatExact(point.center),
            orEmpty(point.low), orEmpty(point.high),  std::to_string(point.count)};
  }
  std::vector<std::string> texts{run->summary.name};
  if (!comparison_->options.groupBy.empty()) texts.push_back(line->label);
  texts.push_back(formatExact(run->curve[point_].x));
  texts.push_back(formatExact(run->curve[point_].y));
  if (!smooth.empty()) texts.push_back(formatExact(smooth[point_].y));
  return texts;
}

TextTable PointRows::next(std::size_t most) {
  const ComparisonOptions& options = comparison_->options;
  const std::string x(choiceName(options.axis)), y = withDetail(options.metric, seriesUnit(options.metric));
  TextTable table;
  const auto add = [&](const std::string& title, bool numeric) { table.columns.push_back({title, numeric}); };
  if (source_ == PointSource::Runs) add("run", false);
  if (!options.groupBy.empty()) add("group", false);
  add(x, true);
  add(y, true);
  if (source_ == PointSource::Groups)
    for (const char* title : {"low", "high", "runs"}) add(title, true);
  else if (options.smoothing > 0)
    add(formatText("{} smoothed", y), true);
  while (!atEnd() && table.rows.size() < most) {
    table.rows.push_back(row());
    if (++point_ < parts_[part_].size()) continue;
    ++part_;
    point_ = 0;
  }
  return table;
}

double PointRows::progress() const {
  if (atEnd()) return 1;
  const double ofPart = static_cast<double>(point_) / static_cast<double>(parts_[part_].size());
  return (static_cast<double>(part_) + ofPart) / static_cast<double>(parts_.size());
}

TextTable pointsTable(const RunComparison& comparison, PointSource of) {
  PointRows rows(std::shared_ptr<const RunComparison>(std::shared_ptr<void>(), &comparison), of);  // non-owning
  return rows.next(std::numeric_limits<std::size_t>::max());
}

}  // namespace batchwise
