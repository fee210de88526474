// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QJsonObject>
#include <QtCore/QString>
#include <QtCore/QStringList>
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/run_comparison.h"
#include "ui/charts/chart_content.h"

namespace batchwise {

/// Name of a series that stands for the memory of all devices: in use, peak and limit.
inline constexpr const char* kMemorySeries = "memory";
/// Title of a series in menus and lists; its name if it has none.
QString seriesTitle(const std::string& series);

/// The ends of the noise scale's interval, drawn behind the batch size.
inline constexpr const char *kNoiseLow = "noise_scale_low", *kNoiseHigh = "noise_scale_high";

/// A chart of the page Runs: what it shows, and its size in the grid. A value type.
struct ChartSpec {
  std::vector<std::string> series;  ///< stored names, or kMemorySeries; the first gives title and unit
  bool difference = false;          ///< each run minus the baseline at equal x
  bool logarithmic = false;
  int columns = 1;  ///< 1 to kMostColumns
  int height = 0;   ///< in lines of text; 0: its share of the window
  bool operator==(const ChartSpec&) const = default;

  static constexpr int kMostColumns = 3;
  static constexpr int kLeastHeight = 8, kMostHeight = 60;

  bool has(const std::string& name) const { return std::find(series.begin(), series.end(), name) != series.end(); }
  /// True for a series that is drawn beside another of the chart without being named for itself: the evaluation beside
  /// the training loss, the mean gradient norm beside the largest.
  bool isCompanion(const std::string& name) const;
  /// True if more than one quantity is drawn; companions do not count.
  bool hasSeveralQuantities() const;
};

/// The charts of the page Runs and what they have in common. A value type.
struct ChartLayout {
  std::vector<ChartSpec> charts;
  bool perRun = false;  ///< each chart is repeated for each run or group, with the same axes
  XAxis xAxis = XAxis::Batches;
  double smoothing = 0.8;  ///< weight of the moving average, in [0, 1)
  bool wholeRun = true;    ///< the x axis extends to the planned end
  bool clipSpikes = true;
  std::string groupBy = kGroupWhereSeeds;  ///< see ComparisonOptions::groupBy
  Center center = Center::Mean;
  Band band = Band::Deviation;
  std::string metric = "loss";        ///< of the values table and the parallel axes
  std::optional<double> margin = {};  ///< see ComparisonOptions::margin
  bool operator==(const ChartLayout&) const = default;

  /// Returns the names of all charted series, kMemorySeries excepted.
  std::set<std::string> seriesNames() const;
  /// True if the charts show the same; their sizes, scales and options are not compared.
  bool hasSameCharts(const ChartLayout& other) const;
};

/// Layouts that the program comes with.
enum class ChartPreset { Training, Schedule, Speed, Difference, Multiples };
inline constexpr std::array kChartPresets = {ChartPreset::Training, ChartPreset::Schedule, ChartPreset::Speed,
                                             ChartPreset::Difference, ChartPreset::Multiples};
/// Returns the title, translated: "Speed and memory".
QString presetTitle(ChartPreset preset);
/// Replaces the charts by those of the preset; keeps the options.
void applyPreset(ChartLayout& layout, ChartPreset preset);

QJsonObject toJson(const ChartLayout& layout);
/// Values that cannot be read keep those of `otherwise`.
ChartLayout layoutFromJson(const QJsonObject& json, const ChartLayout& otherwise = {});

/// Returns the axis of a comparison for an axis of charts: the nearest one that can be compared at.
Axis comparisonAxis(XAxis xAxis);
/// Returns whether comparisonAxis() is the axis of the charts itself.
bool isCompared(XAxis xAxis);

}  // namespace batchwise
