// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_axis.h"

#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "core/base/format.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"

namespace batchwise {
namespace {

void placeNumbers(RunAxis& axis, std::vector<double> numbers) {
  axis.numbers = std::move(numbers);
  axis.scale = NumberScale::fromNumbers(axis.numbers);
  for (const double number : axis.numbers)
    axis.places.push_back(std::isfinite(number) ? axis.scale->positionOf(number) : NAN);
}

void placeTexts(RunAxis& axis) {
  const std::set<QString> different(axis.texts.begin(), axis.texts.end());
  for (const QString& text : axis.texts) {
    const auto rank = static_cast<double>(std::distance(different.begin(), different.find(text)));
    axis.places.push_back(different.size() < 2 ? 0.5 : rank / static_cast<double>(different.size() - 1));
  }
}

}  // namespace

RunAxis settingAxis(const FieldRow& row) {
  RunAxis axis;
  axis.key = toQt(row.field);
  axis.title = fieldLabel(row.field);
  axis.about = axis.key;
  for (const std::string& value : row.values) axis.texts.push_back(toQt(value));
  if (auto numbers = axisNumbers(row.values))
    placeNumbers(axis, std::move(*numbers));
  else
    placeTexts(axis);
  return axis;
}

std::optional<RunAxis> metricAxis(const RunComparison& comparison) {
  if (!comparison.end) return std::nullopt;
  const std::string& metric = comparison.options.metric;
  RunAxis axis;
  axis.key = QStringLiteral("metric ") + toQt(metric);
  axis.title = seriesLabel(metric).title;
  axis.about = toQt(comparedAtText(comparison));
  std::vector<double> numbers;
  for (const ComparedRun& run : comparison.runs) {
    numbers.push_back(run.value.value_or(NAN));
    axis.texts.push_back(run.value ? toQt(formatAligned(*run.value)) : QStringLiteral("–"));
  }
  placeNumbers(axis, std::move(numbers));
  return axis;
}

}  // namespace batchwise
