// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/expression.h"

#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>

#include "core/base/format.h"

namespace batchwise {
namespace {

double floorModulo(double left, double right) {
  return left - std::floor(left / right) * right;
}

Error parseError(const mu::Parser::exception_type& problem, std::string_view text, std::string_view field) {
  std::string message{field};
  message.append(": '").append(text).append("': ").append(problem.GetMsg());
  if (problem.GetPos() >= 0 && problem.GetMsg().find("position") == std::string::npos)
    message.append(" at position ").append(std::to_string(problem.GetPos() + 1));
  return Error::config(std::move(message));
}

}  // namespace

struct Expression::State {
  std::string text;
  std::string field;
  std::vector<std::string> names;
  std::vector<std::string> used;
  std::mutex mutex;            ///< guards the two below: a parser keeps its stack inside
  std::vector<double> values;  ///< the parser reads its variables here
  mu::Parser parser;
};

Result<Expression> Expression::parse(std::string_view text, const std::vector<std::string>& variables,
                                     std::string_view field) try {
  auto state = std::make_shared<State>();
  state->text = text;
  state->field = field;
  state->names = variables;
  state->values.assign(variables.size(), 1.0);
  // Above + and -, as in Python and C: the precedence of * and /.
  state->parser.DefineOprt("%", floorModulo, mu::prMUL_DIV, mu::oaLEFT, true);
  state->parser.DefineConst("pi", std::numbers::pi);
  for (std::size_t index = 0; index < variables.size(); ++index)
    state->parser.DefineVar(variables[index], &state->values[index]);
  state->parser.SetExpr(state->text);
  for (const auto& [name, place] : state->parser.GetUsedVar()) {
    state->used.push_back(name);
    if (place == nullptr || std::find(variables.begin(), variables.end(), name) == variables.end()) {
      std::string known;
      for (const std::string& variable : variables) known += (known.empty() ? "" : ", ") + variable;
      return Error::config(state->field + ": '" + state->text + "': '" + name + "' is not known at position " +
                           std::to_string(state->text.find(name) + 1) + "; use " + known);
    }
  }
  state->parser.Eval();
  if (state->parser.GetNumResults() != 1)
    return Error::config(state->field + ": '" + state->text + "' has several results; leave one, without commas");
  Expression expression;
  expression.state_ = std::move(state);
  return expression;
} catch (const mu::Parser::exception_type& problem) {
  return parseError(problem, text, field);
}

Result<double> Expression::evaluate(std::span<const double> values) const try {
  const std::scoped_lock lock(state_->mutex);
  std::copy(values.begin(), values.end(), state_->values.begin());
  const double result = state_->parser.Eval();
  if (std::isfinite(result)) return result;
  std::string where;
  for (std::size_t index = 0; index < values.size(); ++index)
    where += (where.empty() ? "" : ", ") + state_->names[index] + " = " + formatExact(values[index]);
  return Error::config(state_->field + ": '" + state_->text + "' is " + formatValue(result) + " at " + where +
                       "; it must be a finite number over the whole run");
} catch (const mu::Parser::exception_type& problem) {
  return parseError(problem, state_->text, state_->field);
}

bool Expression::uses(std::string_view variable) const {
  return std::find(state_->used.begin(), state_->used.end(), variable) != state_->used.end();
}

const std::string& Expression::text() const {
  return state_->text;
}

}  // namespace batchwise
