// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/schedule/expression.h"

#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>
#include <regex>

#include "core/base/format.h"
#include "core/base/mutex.h"
#include "core/base/text.h"

namespace batchwise {
namespace {

double floorModulo(double left, double right) {
  return left - std::floor(left / right) * right;
}

double powerOfTwoBelow(double value) {
  return value < 1.0 ? 1.0 : std::exp2(std::floor(std::log2(value)));
}

double isAmong(const double* values, int count) {
  return std::find(values + 1, values + count, values[0]) == values + count ? 0.0 : 1.0;
}

/// Writes "x in [a, b]" as the call in(x, a, b), which the parser knows. Everything else keeps its position.
std::string withListsAsCalls(std::string text) {
  static const std::regex kList(R"(([A-Za-z_]\w*)(\s+in\s*)\[([^\[\]]*)\])");
  for (std::smatch found; std::regex_search(text, found, kList);) {
    const std::string spaces(static_cast<std::size_t>(found.length(2)) - 3, ' ');
    const std::string call = "in(" + found.str(1) + "," + spaces + found.str(3) + ")";
    text.replace(static_cast<std::size_t>(found.position()), static_cast<std::size_t>(found.length()), call);
  }
  return text;
}

/// Converts the parser's position, which counts from 0 and is past the end of the text where something is missing.
std::string positionIn(std::string_view text, std::size_t parserPosition) {
  return std::to_string(std::min(parserPosition + 1, std::max<std::size_t>(1, text.size())));
}

Error parseError(const mu::Parser::exception_type& problem, std::string_view text, std::string_view field) {
  constexpr std::string_view kWord = "position ";
  std::string reason = problem.GetMsg();
  const std::size_t word = reason.rfind(kWord);
  const std::size_t begin = word == std::string::npos ? word : word + kWord.size();
  std::size_t found = 0;
  const auto read = begin == std::string::npos
                        ? std::from_chars_result{nullptr, std::errc::invalid_argument}
                        : std::from_chars(reason.data() + begin, reason.data() + reason.size(), found);
  if (read.ec == std::errc{})
    reason.replace(begin, static_cast<std::size_t>(read.ptr - reason.data()) - begin, positionIn(text, found));
  else if (problem.GetPos() >= 0)
    reason.append(" at position ").append(positionIn(text, static_cast<std::size_t>(problem.GetPos())));
  return Error::config(field, formatText("'{}': {}", text, reason));
}

/// Returns the position (from 1) of a single =, which would be an assignment; 0 if there is none.
std::size_t assignmentIn(std::string_view text) {
  constexpr std::string_view kBefore = "=!<>";
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '=') continue;
    const bool second = at > 0 && kBefore.find(text[at - 1]) != std::string_view::npos;
    const bool first = at + 1 < text.size() && text[at + 1] == '=';
    if (!second && !first) return at + 1;
  }
  return 0;
}

/// Returns the position (from 1) of `name` as a whole word.
std::size_t positionOf(const std::string& name, const std::string& text) {
  const auto belongs = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  std::size_t at = text.find(name);
  while (at != std::string::npos && ((at > 0 && belongs(at - 1)) || belongs(at + name.size())))
    at = text.find(name, at + 1);
  return at == std::string::npos ? 1 : at + 1;
}

}  // namespace

struct Expression::State {
  std::string text;
  std::string field;
  std::vector<std::string> names;
  std::vector<std::string> used;
  Mutex mutex;                                   ///< guards the two below: evaluation uses the parser's own stack
  std::vector<double> values GUARDED_BY(mutex);  ///< the parser reads its variables here
  mu::Parser parser GUARDED_BY(mutex);
};

Result<Expression> Expression::parse(std::string_view text, const std::vector<std::string>& variables,
                                     std::string_view field) try {
  auto state = std::make_shared<State>();
  state->text = text;
  state->field = field;
  state->names = variables;
  const MutexLock lock(state->mutex);
  state->values.assign(variables.size(), 1.0);
  // Binds tighter than + and -, like * and /, as in Python and C.
  state->parser.DefineOprt("%", floorModulo, mu::prMUL_DIV, mu::oaLEFT, true);
  state->parser.DefineConst("pi", std::numbers::pi);
  state->parser.DefineFun("pow2", powerOfTwoBelow);
  state->parser.DefineFun(
      "floor", +[](double value) { return std::floor(value); });
  state->parser.DefineFun(
      "ceil", +[](double value) { return std::ceil(value); });
  state->parser.DefineFun("in", isAmong);
  for (std::size_t index = 0; index < variables.size(); ++index)
    state->parser.DefineVar(variables[index], &state->values[index]);
  if (const std::size_t at = assignmentIn(text); at > 0)
    return Error::config(state->field,
                         formatText("'{}': = at position {} would assign; use == to compare", state->text, at));
  static const std::regex kEmptyList(R"(\[\s*\])");
  if (std::regex_search(state->text, kEmptyList))
    return Error::config(state->field, formatText("'{}': a list is empty; name its values, as in [3, 6]", state->text));
  state->parser.SetExpr(withListsAsCalls(state->text));
  for (const auto& [name, place] : state->parser.GetUsedVar()) {
    state->used.push_back(name);
    if (place == nullptr || std::find(variables.begin(), variables.end(), name) == variables.end())
      return Error::config(state->field, formatText("'{}': '{}' is not known at position {}; use {}", state->text, name,
                                                    positionOf(name, state->text), joined(variables)));
  }
  state->parser.Eval();
  if (state->parser.GetNumResults() != 1)
    return Error::config(state->field,
                         formatText("'{}' contains several expressions separated by commas; keep one", state->text));
  Expression expression;
  expression.state_ = state;
  return expression;
} catch (const mu::Parser::exception_type& problem) {
  return parseError(problem, text, field);
}

Result<double> Expression::evaluate(std::span<const double> values) const try {
  const MutexLock lock(state_->mutex);
  std::copy(values.begin(), values.end(), state_->values.begin());
  const double result = state_->parser.Eval();
  if (std::isfinite(result)) return result;
  std::string where;
  for (std::size_t index = 0; index < values.size(); ++index)
    where += (where.empty() ? "" : ", ") + state_->names[index] + " = " + formatExact(values[index]);
  return Error::config(state_->field, formatText("'{}' is {} at {}; it must be a finite number over the whole run",
                                                 state_->text, formatValue(result), where));
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
