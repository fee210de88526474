// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// A formula that a person wrote, over variables with given names: + - * / ^ %, comparisons, && ||, c ? a : b, sqrt exp
/// log min max abs sin cos ..., pi. Cheap to copy (copies share one parser); evaluating is safe from any thread.
class Expression {
 public:
  /// Fails with Config: `field`, what is wrong and the position in the text (from 1).
  static Result<Expression> parse(std::string_view text, const std::vector<std::string>& variables,
                                  std::string_view field);

  /// Values in the order of the variables. Fails with Config if the result is no finite number, naming the values.
  Result<double> evaluate(std::span<const double> values) const;
  /// True if the text names the variable.
  bool uses(std::string_view variable) const;
  const std::string& text() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace batchwise
