// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise {

// The curves that schedules are made of: pure functions of a fraction done, 0 at the start of the curve and 1 at its
// end (values outside are cut to that range unless said otherwise). Results multiply the base rate.

/// From `first` to `last` in a straight line.
double linearCurve(double done, double first, double last);
/// Half a cosine from 1 to `last`. Loshchilov and Hutter 2017, equation 5.
double cosineCurve(double done, double last);
/// Half a cosine from `first` to `last`.
double cosineCurve(double done, double first, double last);
/// (1 - done)^power from 1 to `last`.
double polynomialCurve(double done, double power, double last);
/// From 1 to `last` by 1 - sqrt(done). Haegele et al. 2024.
double oneMinusSqrtCurve(double done, double last);

/// A quarter of a cosine that goes over into an inverse square root with equal value and slope at `cosineLength`; both
/// then fall toward `last`. Bellagente et al. 2024 (Stable LM 2), section 3. Times in any one unit, from the end of the
/// warm-up; cosineLength > 0; 0 <= last < 1.
struct CosineInverseSqrt {
  CosineInverseSqrt(double cosineLength, double last);
  double at(double time) const;
  /// The inverse square root alone, also where the cosine still holds.
  double tail(double time) const;

 private:
  double cosineLength_;
  double last_;
  double shift_;
  double scale_;
};

/// The place in a chain of periods, each trunc(growth x the one before) long, the first `first`: how far the period
/// that holds `time` has gone. Empty periods are never entered: returns 1 once a period has no length.
double periodDone(long long time, long long first, double growth);
/// Where the first period without length would begin; -1 if that never happens.
long long periodsEnd(long long first, double growth);

}  // namespace batchwise
