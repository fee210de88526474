// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/chart_layout.h"

#include <QtCore/QJsonArray>
#include <QtCore/QObject>

#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"

namespace batchwise {
namespace {

/// Names of the axes in files, in the order of kXAxes.
constexpr std::array kXAxisNames = {"batches", "steps", "samples", "tokens", "epochs", "time", "elapsed", "flop"};
static_assert(kXAxisNames.size() == kXAxes.size());

ChartSpec chartOf(std::vector<std::string> series, int columns = 1) {
  ChartSpec spec;
  spec.series = std::move(series);
  spec.columns = columns;
  return spec;
}

ChartSpec differenceOf(const char* series) {
  ChartSpec spec = chartOf({series});
  spec.difference = true;
  return spec;
}

std::vector<ChartSpec> chartsOf(ChartPreset preset) {
  const ChartSpec loss = chartOf({"loss", "eval.loss"});
  constexpr int kWhole = ChartSpec::kMostColumns;
  switch (preset) {
    case ChartPreset::Training: break;
    case ChartPreset::Schedule:
      return {chartOf(loss.series, kWhole), chartOf({"lr"}, kWhole), chartOf({"step_samples"}, kWhole)};
    case ChartPreset::Speed: return {chartOf({"tokens_per_sec"}), chartOf({"step_sec"}), chartOf({kMemorySeries})};
    case ChartPreset::Difference: return {differenceOf("loss"), differenceOf("eval.loss")};
    case ChartPreset::Multiples: return {loss};
  }
  return {loss,
          chartOf({"lr"}),
          chartOf({"step_samples"}),
          chartOf({"grad_norm", "grad_norm_mean"}),
          chartOf({"tokens_per_sec"}),
          chartOf({kMemorySeries})};
}

QString word(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QJsonObject toJson(const ChartSpec& spec) {
  QJsonArray series;
  for (const std::string& name : spec.series) series.append(toQt(name));
  return {{QStringLiteral("series"), series},
          {QStringLiteral("difference"), spec.difference},
          {QStringLiteral("logarithmic"), spec.logarithmic},
          {QStringLiteral("columns"), spec.columns},
          {QStringLiteral("height"), spec.height}};
}

/// Returns a chart without series if there are none.
ChartSpec specFromJson(const QJsonObject& json) {
  ChartSpec spec;
  for (const QJsonValue& name : json.value(QLatin1String("series")).toArray())
    if (!name.toString().isEmpty()) spec.series.push_back(name.toString().toStdString());
  spec.difference = json.value(QLatin1String("difference")).toBool();
  spec.logarithmic = json.value(QLatin1String("logarithmic")).toBool();
  spec.columns = std::clamp(json.value(QLatin1String("columns")).toInt(1), 1, ChartSpec::kMostColumns);
  const int height = json.value(QLatin1String("height")).toInt();
  if (height > 0) spec.height = std::clamp(height, ChartSpec::kLeastHeight, ChartSpec::kMostHeight);
  return spec;
}

XAxis xAxisFromName(const QString& name, XAxis otherwise) {
  const auto found = std::find(kXAxisNames.begin(), kXAxisNames.end(), name.toStdString());
  return found == kXAxisNames.end() ? otherwise : kXAxes[static_cast<std::size_t>(found - kXAxisNames.begin())];
}

}  // namespace

bool ChartSpec::isCompanion(const std::string& name) const {
  const bool evaluated = name.starts_with("eval.") && name.ends_with("loss");  // also on a named set
  return (evaluated && has("loss")) || (name == "grad_norm_mean" && has("grad_norm"));
}

bool ChartSpec::hasSeveralQuantities() const {
  return std::count_if(series.begin(), series.end(), [this](const std::string& name) { return !isCompanion(name); }) >
         1;
}

QString seriesTitle(const std::string& series) {
  return series == kMemorySeries ? QObject::tr("Memory") : seriesLabel(series).title;
}

std::set<std::string> ChartLayout::seriesNames() const {
  std::set<std::string> names;
  for (const ChartSpec& spec : charts) names.insert(spec.series.begin(), spec.series.end());
  names.erase(kMemorySeries);
  return names;
}

bool ChartLayout::hasSameCharts(const ChartLayout& other) const {
  const auto showsSame = [](const ChartSpec& a, const ChartSpec& b) {
    return a.series == b.series && a.difference == b.difference;
  };
  return perRun == other.perRun && std::ranges::equal(charts, other.charts, showsSame);
}

QString presetTitle(ChartPreset preset) {
  switch (preset) {
    case ChartPreset::Training: break;
    case ChartPreset::Schedule: return QObject::tr("Schedule");
    case ChartPreset::Speed: return QObject::tr("Speed and memory");
    case ChartPreset::Difference: return QObject::tr("Difference to the baseline");
    case ChartPreset::Multiples: return QObject::tr("Small multiples");
  }
  return QObject::tr("Training overview");
}

void applyPreset(ChartLayout& layout, ChartPreset preset) {
  layout.charts = chartsOf(preset);
  layout.perRun = preset == ChartPreset::Multiples;
}

QJsonObject toJson(const ChartLayout& layout) {
  QJsonArray charts;
  for (const ChartSpec& spec : layout.charts) charts.append(toJson(spec));
  return {{QStringLiteral("charts"), charts},
          {QStringLiteral("perRun"), layout.perRun},
          {QStringLiteral("axis"), QLatin1String(kXAxisNames[static_cast<std::size_t>(layout.xAxis)])},
          {QStringLiteral("smoothing"), layout.smoothing},
          {QStringLiteral("wholeRun"), layout.wholeRun},
          {QStringLiteral("clipSpikes"), layout.clipSpikes},
          {QStringLiteral("group"), toQt(layout.groupBy)},
          {QStringLiteral("center"), word(choiceName(layout.center))},
          {QStringLiteral("band"), word(choiceName(layout.band))},
          {QStringLiteral("metric"), toQt(layout.metric)},
          {QStringLiteral("margin"), layout.margin.value_or(0)}};
}

ChartLayout layoutFromJson(const QJsonObject& json, const ChartLayout& otherwise) {
  ChartLayout layout = otherwise;
  const auto value = [&](const char* key) { return json.value(QLatin1String(key)); };
  const auto text = [&](const char* key) { return value(key).toString().toStdString(); };
  if (value("charts").isArray()) layout.charts.clear();
  for (const QJsonValue& each : value("charts").toArray())
    if (ChartSpec spec = specFromJson(each.toObject()); !spec.series.empty()) layout.charts.push_back(std::move(spec));
  layout.perRun = value("perRun").toBool(layout.perRun);
  layout.xAxis = xAxisFromName(value("axis").toString(), layout.xAxis);
  layout.smoothing = std::clamp(value("smoothing").toDouble(layout.smoothing), 0.0, 0.99);
  layout.wholeRun = value("wholeRun").toBool(layout.wholeRun);
  layout.clipSpikes = value("clipSpikes").toBool(layout.clipSpikes);
  if (value("group").isString()) layout.groupBy = text("group");
  layout.center = choiceFromName<Center>(text("center")).value_or(layout.center);
  layout.band = choiceFromName<Band>(text("band")).value_or(layout.band);
  if (!text("metric").empty()) layout.metric = text("metric");
  if (const QJsonValue margin = value("margin"); margin.isDouble())
    layout.margin = margin.toDouble() > 0 ? std::optional(margin.toDouble()) : std::nullopt;
  return layout;
}

Axis comparisonAxis(XAxis xAxis) {
  switch (xAxis) {
    case XAxis::Batches: return Axis::Batches;
    case XAxis::Steps: return Axis::Steps;
    case XAxis::Samples:
    case XAxis::Epochs: return Axis::Samples;
    case XAxis::Time:
    case XAxis::Elapsed: return Axis::Time;
    case XAxis::Tokens:
    case XAxis::Flops: break;
  }
  return Axis::Tokens;
}

bool isCompared(XAxis xAxis) {
  return xAxis != XAxis::Epochs && xAxis != XAxis::Elapsed && xAxis != XAxis::Flops;
}

}  // namespace batchwise
