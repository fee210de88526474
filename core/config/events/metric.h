// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/config/events/run_event.h"

namespace batchwise {

// Each figure of a run is declared once, in metric.cpp: its name as a series, JSON member and CSV column, and what its
// readers have to know of it. Rows, blocks, journals, lists of series, charts and tables follow from that. A new figure
// is a member of a struct in run_event.h, a line there, and the place that measures it.

enum class MetricFormat {
  Plain,
  Count,      ///< a whole number
  Whole,      ///< shown without decimals
  Rate,       ///< over many orders of magnitude
  Gibibytes,  ///< of bytes
};

/// Which values of a quantity are better.
enum class Direction { LowerIsBetter, HigherIsBetter, Neither };

/// How the value of a global batch follows from those of its steps; StepResult has the values over all devices.
enum class OverSteps { Largest, Last, Mean };

/// Facts about a figure that may hold at once.
struct MetricTraits {
  bool fluctuates = false;     ///< measured anew in each global batch: a mean says more than its last value
  bool neverNegative = false;  ///< losses, norms, speeds, memory
  bool holds = false;          ///< keeps its value until it changes, as sizes do: drawn as steps, not as slopes
  bool optional = false;       ///< measured in some runs only: charted in those
  bool zeroIsUnknown = false;
};

struct Metric {
  const char* name;   ///< "grad_norm"; of an evaluation or a device without what precedes it: "peak"
  const char* label;  ///< "Gradient norm"; of a device "peak", as in "Memory of cuda:0, peak"
  const char* unit;   ///< "before clipping"; "" if there is none or the label says it
  MetricFormat format = MetricFormat::Plain;
  Direction direction = Direction::Neither;
  MetricTraits traits = {};
  OverSteps overSteps = OverSteps::Largest;  ///< of MeasuredFigures; the others have sums of their own (BatchTotals)
};

/// A figure and the member that holds it; `Members`: pointers to the members that may.
template <class... Members>
struct MetricOf : Metric {
  std::variant<Members...> member;
};
using RowMetric = MetricOf<double MetricsRow::*, std::int64_t MetricsRow::*, std::optional<double> MetricsRow::*,
                           std::optional<double> MeasuredFigures::*>;

using MemoryMetric = MetricOf<std::int64_t DeviceMemory::*>;
template <class Record>
using EvalMember = std::variant<double Record::*, std::int64_t Record::*, std::optional<double> Record::*>;
/// Of an evaluation, and of each named set; counts of sets are in the JSON only.
struct EvalFigure : Metric {
  EvalMember<EvalResult> member;
  std::optional<EvalMember<EvalSetResult>> ofSet = {};
};

std::span<const RowMetric> rowMetrics();
std::span<const EvalFigure> evalFigures();
std::span<const MemoryMetric> memoryMetrics();
/// The figure of a row that `member` of a RowMetric points to.
template <class Row, class Member>
auto& figureOf(Row& row, Member member) {
  if constexpr (std::is_same_v<Member, std::optional<double> MeasuredFigures::*>)
    return row.measured.*member;
  else
    return row.*member;
}
/// Calls `each` with each figure of MeasuredFigures and its member.
template <class F>
void forEachMeasured(F&& each) {
  for (const RowMetric& metric : rowMetrics())
    if (const auto* member = std::get_if<std::optional<double> MeasuredFigures::*>(&metric.member))
      each(metric, *member);
}

inline constexpr std::string_view kStepPrefix = "step.";       ///< of a step inside a global batch
inline constexpr std::string_view kEvalPrefix = "eval.";       ///< "eval.loss", of a named set "eval.own.loss"
inline constexpr std::string_view kTaskPrefix = "eval.task.";  ///< "eval.task.movie-reviews.accuracy"
/// Not of an evaluation set named task, as "eval.task.loss".
bool isOfTask(std::string_view series);
inline constexpr std::string_view kMemoryPrefix = "memory.";  ///< of a device: "memory.cuda:0.peak"

inline constexpr std::string_view kSourcePrefix = "source.";  ///< of a source of the text: "source.web.tokens"

/// The names of the figures that only some runs measure.
std::vector<std::string> optionalSeries();

/// The figure that a series has the values of, also of a step, an evaluation set, a task, a device or a source
/// ("step.loss", "eval.own.loss", "eval.task.own.f1", "memory.cpu:0.peak", "source.web.tokens"); null for a name
/// of nothing.
const Metric* findMetric(std::string_view series);

struct NamedValue {
  std::string series;
  double value = 0;
};
/// All values of a row or an evaluation by the names of their series; "step." precedes those of a step inside a global
/// batch. What was not measured is left out.
std::vector<NamedValue> valuesOf(const MetricsRow& row);
std::vector<NamedValue> valuesOf(const EvalResult& result);

}  // namespace batchwise
