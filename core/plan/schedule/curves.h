// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/choices.h"

namespace batchwise {

// Building blocks of schedules: pure functions of the fraction done, 0 at the start of the curve and 1 at its end
// (clamped to that range unless stated otherwise). Results multiply the base rate.

/// Linear from `first` to `last`.
double linearCurve(double done, double first, double last);
/// Half a cosine period from 1 to `last`. Source: Loshchilov and Hutter 2017, equation 5.
double cosineCurve(double done, double last);
/// Half a cosine period from `first` to `last`.
double cosineCurve(double done, double first, double last);
/// (1 - done)^power from 1 to `last`.
double polynomialCurve(double done, double power, double last);
/// 1 - sqrt(done), from 1 to `last`. Source: Haegele et al. 2024.
double oneMinusSqrtCurve(double done, double last);

/// A quarter of a cosine period, followed by an inverse square root with equal value and slope at `cosineLength`; both
/// decay toward `last`. Times in one unit, since the end of the warm-up. Requires cosineLength > 0 and 0 <= last < 1.
/// Source: Bellagente et al. 2024 (Stable LM 2), section 3.
struct CosineInverseSqrt {
  CosineInverseSqrt(double cosineLength, double last);
  double at(double time) const;
  /// The inverse square root part alone, also before cosineLength.
  double tail(double time) const;

 private:
  double cosineLength_;
  double last_;
  double shift_;
  double scale_;
};

/// Scales `rate`, chosen for size `reference`, to a step of `batchSize`, both in samples or in tokens: rate x size /
/// reference (Goyal et al. 2017), rate x sqrt(size / reference) (Krizhevsky 2014), or with that `exponent`. Requires
/// reference > 0.
double scaledRate(double rate, double batchSize, double reference, LrScalingMethod method, double exponent);

/// The period that contains a time, counted from 0, and the fraction of it that is done.
struct PeriodPlace {
  long long period = 0;
  double done = 0;
};
/// Returns the place of `time` in periods of which each is trunc(growth x its predecessor) long and the first has
/// length `first`. All is done once a period has length 0.
PeriodPlace placeInPeriods(long long time, long long first, double growth);
/// Returns the start of the first period of length 0; -1 if there is none.
long long periodsEnd(long long first, double growth);

}  // namespace batchwise
