// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// A user-supplied formula over named variables: + - * / ^ %, comparisons, x in [a, b], && ||, c ? a : b, sqrt exp log
/// min max abs floor ceil sin cos ..., pow2 (the power of two at or below), pi. Cheap to copy; copies share a parser.
/// Thread-safe.
class Expression {
 public:
  /// Fails with Config, naming `field`, the problem and the position in the text (from 1).
  static Result<Expression> parse(std::string_view text, const std::vector<std::string>& variables,
                                  std::string_view field);

  /// Takes values in the order of the variables. Fails with Config, naming them, if the result is not finite.
  Result<double> evaluate(std::span<const double> values) const;
  bool uses(std::string_view variable) const;
  const std::string& text() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace batchwise
