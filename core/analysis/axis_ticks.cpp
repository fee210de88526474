// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/axis_ticks.h"

#include <algorithm>
#include <cmath>

namespace batchwise {
namespace {

std::vector<double> linearTicks(double low, double high, int wanted) {
  constexpr std::size_t kMost = 1000;  // for ranges of few representable numbers
  const double rough = (high - low) / wanted;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power >= rough * 0.999) step = factor * power;
  std::vector<double> ticks;
  const double slack = step * 1e-6;
  for (double i = std::ceil((low - slack) / step); i * step <= high + slack && ticks.size() < kMost; ++i)
    ticks.push_back(i == 0 ? 0.0 : i * step);
  return ticks;
}

std::vector<double> logarithmicTicks(double low, double high, int wanted) {
  const double decades = std::log10(high) - std::log10(low);  // high / low may overflow
  const bool between = 3 * decades <= wanted;
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / wanted)));
  std::vector<double> ticks;
  for (int power = static_cast<int>(std::floor(std::log10(low))); power <= std::log10(high); power += stride)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double tick = digit * std::pow(10.0, power);
      if ((digit == 1.0 || between) && tick >= low && tick <= high) ticks.push_back(tick);
    }
  return ticks;
}

}  // namespace

std::vector<double> axisTicks(const TickRequest& request) {
  const double low = request.low / request.unit, high = request.high / request.unit;
  if (!(high > low) || request.wanted < 1 || !std::isfinite(high - low)) return {};
  std::vector<double> ticks;
  if (request.logarithmic && high / low >= 10) {
    ticks = logarithmicTicks(low, high, request.wanted);
  } else {
    ticks = linearTicks(low, high, request.wanted);
    for (int wanted = request.wanted + 1; std::ssize(ticks) < request.fewest && wanted < 8; ++wanted)
      ticks = linearTicks(low, high, wanted);
  }
  for (double& tick : ticks) tick *= request.unit;
  return ticks;
}

double durationTickUnit(double seconds) {
  if (seconds <= 180) return 1;
  return seconds > 10'800 ? 3600 : 60;
}

}  // namespace batchwise
