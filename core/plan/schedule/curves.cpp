// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/schedule/curves.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace batchwise {
namespace {

double cut(double done) {
  return std::clamp(done, 0.0, 1.0);
}

}  // namespace

double linearCurve(double done, double first, double last) {
  return first + cut(done) * (last - first);
}

double cosineCurve(double done, double last) {
  return last + (1.0 - last) * 0.5 * (1.0 + std::cos(std::numbers::pi * cut(done)));
}

double cosineCurve(double done, double first, double last) {
  return last + (first - last) * (1.0 + std::cos(cut(done) * std::numbers::pi)) / 2.0;
}

double polynomialCurve(double done, double power, double last) {
  return last + std::pow(1.0 - cut(done), power) * (1.0 - last);
}

double oneMinusSqrtCurve(double done, double last) {
  return std::max(last, last + (1.0 - last) * (1.0 - std::sqrt(cut(done))));
}

CosineInverseSqrt::CosineInverseSqrt(double cosineLength, double last)
    : cosineLength_(cosineLength),
      last_(last),
      shift_(cosineLength * (1.0 + last - std::numbers::pi * (1.0 - last)) / (std::numbers::pi * (1.0 - last))),
      scale_((1.0 + last) / 2.0 * std::sqrt(cosineLength + shift_)) {}

double CosineInverseSqrt::at(double time) const {
  return time <= cosineLength_ ? cosineCurve(0.5 * time / cosineLength_, 1.0, last_) : tail(time);
}

double CosineInverseSqrt::tail(double time) const {
  return scale_ / std::sqrt(std::max(time, 0.0) + shift_);
}

double scaledRate(double rate, double batchSize, double reference, LrScalingMethod method, double exponent) {
  switch (method) {
    case LrScalingMethod::Linear: return rate * batchSize / reference;
    case LrScalingMethod::Sqrt: return rate * std::sqrt(batchSize / reference);
    case LrScalingMethod::Power: return rate * std::pow(batchSize / reference, exponent);
    case LrScalingMethod::None: break;
  }
  return rate;
}

PeriodPlace placeInPeriods(long long time, long long first, double growth) {
  const auto share = [](long long into, long long length) {
    return static_cast<double>(into % length) / static_cast<double>(length);
  };
  if (growth == 1.0) return {time / first, share(time, first)};
  long long begin = 0;
  long long length = first;
  long long period = 0;
  while (begin + length <= time) {
    begin += length;
    ++period;
    const auto next = static_cast<long long>(std::min(static_cast<double>(length) * growth, 4e18));
    if (next == length) return {period + (time - begin) / next, share(time - begin, next)};
    length = next;
    if (length == 0) return {period - 1, 1.0};
  }
  return {period, static_cast<double>(time - begin) / static_cast<double>(length)};
}

long long periodsEnd(long long first, double growth) {
  long long end = 0;
  for (long long length = first; length > 0;) {
    end += length;
    const auto next = static_cast<long long>(std::min(static_cast<double>(length) * growth, 4e18));
    if (next >= length) return -1;
    length = next;
  }
  return end;
}

}  // namespace batchwise
