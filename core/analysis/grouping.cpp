// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/grouping.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/analysis/statistics.h"

namespace batchwise {
namespace {

constexpr std::array<std::string_view, 2> kCenters = {"mean", "median"};
constexpr std::array<std::string_view, 4> kBands = {"none", "std", "stderr", "95%"};

template <typename Value, std::size_t N>
std::optional<Value> byName(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Value>(found - names.begin());
}

/// Returns half the width of the band; NaN without a band.
double bandHalfWidth(std::span<const double> values, Band band) {
  const double deviation = deviationOf(values);
  const double error = deviation / std::sqrt(static_cast<double>(values.size()));
  switch (band) {
    case Band::None: break;
    case Band::Deviation: return deviation;
    case Band::Error: return error;
    case Band::Confidence95: return values.size() < 2 ? error : error * studentT95(static_cast<int>(values.size()) - 1);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

GroupPoint pointOf(double x, const std::vector<double>& values, Center center, Band band) {
  const double middle = center == Center::Mean ? meanOf(values) : medianOf(values);
  const double reach = bandHalfWidth(values, band);
  return {x, middle, middle - reach, middle + reach, values.size()};
}

}  // namespace

std::string_view centerName(Center center) {
  return kCenters[static_cast<std::size_t>(center)];
}
std::optional<Center> centerFromName(std::string_view name) {
  return byName<Center>(kCenters, name);
}
std::string_view bandName(Band band) {
  return kBands[static_cast<std::size_t>(band)];
}
std::optional<Band> bandFromName(std::string_view name) {
  return byName<Band>(kBands, name);
}

std::vector<double> gridOf(std::span<const Curve> members, std::size_t most) {
  assert(most >= 2);
  std::vector<double> grid;
  for (const Curve& member : members)
    for (const CurvePoint& point : member) grid.push_back(point.x);
  std::sort(grid.begin(), grid.end());
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  if (grid.size() <= most) return grid;
  const std::size_t stride = (grid.size() - 1 + most - 2) / (most - 1);
  std::vector<double> thinned;
  for (std::size_t i = 0; i + 1 < grid.size(); i += stride) thinned.push_back(grid[i]);
  thinned.push_back(grid.back());
  return thinned;
}

std::vector<GroupPoint> groupCurves(std::span<const Curve> members, std::span<const double> grid, Center center,
                                    Band band, Interpolation between) {
  std::vector<CurveReader> readers;
  for (const Curve& member : members) readers.emplace_back(member, between);
  std::vector<GroupPoint> group;
  std::vector<double> values;
  for (const double x : grid) {
    values.clear();
    for (CurveReader& reader : readers)
      if (const auto value = reader.at(x)) values.push_back(*value);
    if (!values.empty()) group.push_back(pointOf(x, values, center, band));
  }
  return group;
}

}  // namespace batchwise
