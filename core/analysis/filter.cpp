// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/filter.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>

#include "core/base/format.h"
#include "core/base/text.h"
#include "core/config/schema.h"
#include "core/config/time/time.h"
#include "core/store/records.h"

namespace batchwise {
namespace {

constexpr int kMaxDepth = 100;                   // nesting of parentheses and "not"
constexpr std::size_t kMaxFilterBytes = 10'000;  // bytes
constexpr const char* kCreated = "created";
constexpr std::string_view kLogged = "logged.";
constexpr const char* kCreatedUtc = "created Z";  // no name that can be typed

enum class TokenKind { Word, Quoted, Operator, And, Or, Not, In, Open, Close, Comma, End };
struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;
  std::size_t position = 1;  // of its first byte, from 1
};

bool isBlank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}
bool endsWord(char c) {
  return isBlank(c) || std::string_view("()<>=!~,\"'&|").find(c) != std::string_view::npos;
}

TokenKind kindOfWord(const std::string& word) {
  const std::string lower = inLowerCase(word);
  if (lower == "and") return TokenKind::And;
  if (lower == "or") return TokenKind::Or;
  if (lower == "not") return TokenKind::Not;
  return lower == "in" ? TokenKind::In : TokenKind::Word;
}

/// Returns the operator at the start of `rest`, with its length as position; kind End if there is none.
Token operatorAt(std::string_view rest) {
  struct OperatorSpelling {
    std::string_view text;
    TokenKind kind;
    std::string_view means;
  };
  constexpr std::array kOperators = {
      OperatorSpelling{"<=", TokenKind::Operator, "<="}, OperatorSpelling{">=", TokenKind::Operator, ">="},
      OperatorSpelling{"!=", TokenKind::Operator, "!="}, OperatorSpelling{"==", TokenKind::Operator, "="},
      OperatorSpelling{"=", TokenKind::Operator, "="},   OperatorSpelling{"<", TokenKind::Operator, "<"},
      OperatorSpelling{">", TokenKind::Operator, ">"},   OperatorSpelling{"~", TokenKind::Operator, "~"},
      OperatorSpelling{"&&", TokenKind::And, "&&"},      OperatorSpelling{"||", TokenKind::Or, "||"},
      OperatorSpelling{"!", TokenKind::Not, "!"},        OperatorSpelling{"(", TokenKind::Open, "("},
      OperatorSpelling{")", TokenKind::Close, ")"},      OperatorSpelling{",", TokenKind::Comma, ","}};
  for (const OperatorSpelling& sign : kOperators)
    if (rest.starts_with(sign.text)) return {sign.kind, std::string(sign.means), sign.text.size()};
  return {};
}

Error errorAt(std::size_t position, const std::string& message) {
  return Error::config(formatText("position {}: {}", position, message));
}

Result<std::vector<Token>> tokensOf(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (isBlank(text[at])) {
      ++at;
    } else if (text[at] == '"' || text[at] == '\'') {
      const std::size_t end = text.find(text[at], at + 1);
      if (end == text.npos) return errorAt(at + 1, "the quote that begins here is not closed");
      tokens.push_back({TokenKind::Quoted, std::string(text.substr(at + 1, end - at - 1)), at + 1});
      at = end + 1;
    } else if (const Token sign = operatorAt(text.substr(at)); sign.kind != TokenKind::End) {
      tokens.push_back({sign.kind, sign.text, at + 1});
      at += sign.position;
    } else if (endsWord(text[at])) {
      return errorAt(at + 1, formatText("'{}' has no meaning here; use and, or, not, or put the text in quotes",
                                        std::string(1, text[at])));
    } else {
      std::size_t end = at;
      while (end < text.size() && !endsWord(text[end])) ++end;
      std::string word(text.substr(at, end - at));
      const TokenKind kind = kindOfWord(word);
      tokens.push_back({kind, std::move(word), at + 1});
      at = end;
    }
  }
  tokens.push_back({TokenKind::End, "the end", text.size() + 1});
  return tokens;
}

/// Returns whether the text is a date, optionally with a time: 2026-11-21 or 2026-11-21T13:59:04Z.
bool isDate(const std::string& text) {
  constexpr std::string_view kDay = "0000-00-00";
  if (text.size() < kDay.size()) return false;
  for (std::size_t i = 0; i < kDay.size(); ++i)
    if (kDay[i] == '-' ? text[i] != '-' : std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  if (text.size() == kDay.size()) return true;
  const std::string_view time = std::string_view(text).substr(kDay.size() + 1);
  const std::string_view rest = time.substr(std::min(time.find_first_not_of("0123456789:."), time.size()));
  return (text[kDay.size()] == 'T' || text[kDay.size()] == ' ') && (rest.empty() || rest == "Z");
}

/// Normalizes a date to the stored form, with T between date and time and without Z.
std::string withT(std::string date) {
  if (date.size() > 10 && date[10] == ' ') date[10] = 'T';
  if (date.ends_with('Z')) date.pop_back();
  return date;
}

/// Compares as <=>; nothing if the values are not ordered.
std::optional<int> order(const std::string& left, const std::string& right) {
  const auto signOf = [](double a, double b) { return a < b ? -1 : a > b ? 1 : 0; };
  const auto leftNumber = numberFrom<double>(left), rightNumber = numberFrom<double>(right);
  if (leftNumber && rightNumber) {
    if (std::isnan(*leftNumber) || std::isnan(*rightNumber)) return std::nullopt;
    return signOf(*leftNumber, *rightNumber);
  }
  if (leftNumber || rightNumber) return std::nullopt;
  if (isDate(left) && isDate(right)) {  // compares only the given precision: a date matches all times of that day
    const std::string wanted = withT(right);
    const int sign = withT(left).compare(0, wanted.size(), wanted);
    return sign < 0 ? -1 : sign > 0 ? 1 : 0;
  }
  const auto leftTime = Time::parse(left), rightTime = Time::parse(right);
  if (!leftTime.ok() || !rightTime.ok() || leftTime->unit() != rightTime->unit()) return std::nullopt;
  return signOf(leftTime->number(), rightTime->number());
}

bool contains(const std::string& text, const std::string& part) {
  return inLowerCase(text).find(inLowerCase(part)) != std::string::npos;
}

bool equal(const std::string& left, const std::string& right) {
  if (left == right) return true;
  const auto leftNumber = numberFrom<double>(left), rightNumber = numberFrom<double>(right);
  if (leftNumber && rightNumber && std::isnan(*leftNumber) && std::isnan(*rightNumber)) return true;
  return order(left, right) == 0;
}

bool holds(const std::string& comparison, const std::string& value, const std::string& wanted) {
  if (comparison == "~") return contains(value, wanted);
  if (comparison == "=" || comparison == "in" || comparison == "!=") return equal(value, wanted);
  const auto sign = order(value, wanted);
  if (!sign) return false;
  if (*sign == 0) return comparison == "<=" || comparison == ">=";
  return comparison.front() == (*sign < 0 ? '<' : '>');
}

/// Returns an error text for an unknown name, else empty.
std::string unknownName(const std::string& name) {
  if (name.starts_with(kLogged)) return {};
  std::vector<std::string> all = runFieldNames();
  if (findField(name) != nullptr || std::ranges::find(all, name) != all.end()) return {};
  for (const Field& field : configSchema()) all.push_back(field.path);
  return formatText("there is no field '{}'{}", name, nearestNameText(name, all));
}

/// Returns an error text for an invalid value, else empty.
std::string wrongValue(const std::string& name, const std::string& comparison, const std::string& value) {
  const bool ordered = comparison.front() == '<' || comparison.front() == '>';
  if (name == kCreated && comparison != "~")
    return isDate(value) ? std::string()
                         : formatText("'{}' needs a date here, such as 2026-11-21 or 2026-11-21T13:59Z, not '{}'",
                                      comparison, value);
  if (ordered && !numberFrom<double>(value) && !Time::parse(value).ok())
    return formatText("'{}' needs a number or a time with a unit, not '{}'", comparison, value);
  if (name != "status" || comparison == "~" || choiceFromName<RunStatus>(value) || value == "paused" ||
      value == choiceName(FailureCause::Diverged))
    return {};
  return formatText(
      "there is no status '{}'; use created, running, paused, finished, diverged, stopped, failed or interrupted",
      value);
}

/// Recursive-descent parser: or, and, not, condition. Compiles a filter into one predicate.
class Parser {
 public:
  using Predicate = RunFilter::Predicate;

  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Result<Predicate> all() {
    auto root = anyOf(0);
    if (root.ok() && peek().kind != TokenKind::End)
      return errorAt(peek().position, formatText("'{}' is not expected here", peek().text));
    return root;
  }
  const std::set<std::string>& names() const { return names_; }

 private:
  const Token& peek() const { return tokens_[next_]; }
  Token take() { return tokens_[peek().kind == TokenKind::End ? next_ : next_++]; }

  bool accept(TokenKind kind) {
    if (peek().kind != kind) return false;
    ++next_;
    return true;
  }

  Result<Predicate> anyOf(int depth) {
    std::vector<Predicate> parts;
    do {
      ASSIGN_OR_RETURN(auto part, allOf(depth));
      parts.push_back(std::move(part));
    } while (accept(TokenKind::Or));
    if (parts.size() == 1) return std::move(parts.front());
    return Predicate([parts = std::move(parts)](const FilterLookup& lookup) {
      return std::ranges::any_of(parts, [&](const Predicate& part) { return part(lookup); });
    });
  }

  Result<Predicate> allOf(int depth) {
    std::vector<Predicate> parts;
    do {
      if (!parts.empty()) accept(TokenKind::And);
      ASSIGN_OR_RETURN(auto part, one(depth));
      parts.push_back(std::move(part));
    } while (startsCondition());
    if (parts.size() == 1) return std::move(parts.front());
    return Predicate([parts = std::move(parts)](const FilterLookup& lookup) {
      return std::ranges::all_of(parts, [&](const Predicate& part) { return part(lookup); });
    });
  }

  bool startsCondition() const {
    constexpr std::array kStarts = {TokenKind::And, TokenKind::Word, TokenKind::Quoted, TokenKind::Not,
                                    TokenKind::Open};
    return std::ranges::find(kStarts, peek().kind) != kStarts.end();
  }

  Result<Predicate> one(int depth) {
    const Token token = take();
    if (depth > kMaxDepth)
      return errorAt(token.position, "the filter is nested too deeply; at most 100 levels are allowed");
    switch (token.kind) {
      case TokenKind::Not: return negated(one(depth + 1));
      case TokenKind::Open: return inside(token, depth);
      case TokenKind::Word: return condition(token);
      case TokenKind::Quoted: return searchFor(token.text);
      default: return errorAt(token.position, formatText("a condition is expected, found '{}'", token.text));
    }
  }

  static Result<Predicate> negated(Result<Predicate> inner) {
    if (!inner.ok()) return inner;
    return Predicate([inner = std::move(*inner)](const FilterLookup& lookup) { return !inner(lookup); });
  }

  Result<Predicate> inside(const Token& open, int depth) {
    auto inner = anyOf(depth + 1);
    if (!inner.ok()) return inner;
    if (take().kind != TokenKind::Close) return errorAt(open.position, "the parenthesis that opens here is not closed");
    return inner;
  }

  Predicate searchFor(const std::string& word) {
    names_.insert("");
    return [word](const FilterLookup& lookup) {
      return std::ranges::any_of(std::array{"name", "tag", "note"}, [&](const char* name) {
        return std::ranges::any_of(lookup(name), [&](const std::string& value) { return contains(value, word); });
      });
    };
  }

  Result<Predicate> condition(const Token& name) {
    if (peek().kind != TokenKind::Operator && peek().kind != TokenKind::In) return searchFor(name.text);
    if (const std::string wrong = unknownName(name.text); !wrong.empty()) return errorAt(name.position, wrong);
    names_.insert(name.text);
    const Token sign = take();
    const std::string comparison = sign.kind == TokenKind::In ? "in" : sign.text;
    std::vector<std::string> wanted;
    RETURN_IF_ERROR(sign.kind == TokenKind::In ? listInto(name.text, wanted)
                                               : valueInto(name.text, comparison, wanted));
    return Predicate([name = name.text, comparison, wanted](const FilterLookup& lookup) {
      const bool any = std::ranges::any_of(wanted, [&](const std::string& one) {
        const bool isUtc = name == kCreated && one.ends_with('Z');
        return std::ranges::any_of(lookup(isUtc ? kCreatedUtc : name),
                                   [&](const std::string& value) { return holds(comparison, value, one); });
      });
      return any != (comparison == "!=");
    });
  }

  Result<void> valueInto(const std::string& name, const std::string& comparison, std::vector<std::string>& wanted) {
    const Token value = take();
    if (value.kind != TokenKind::Word && value.kind != TokenKind::Quoted)
      return errorAt(value.position, formatText("a value is expected after '{}', found '{}'", comparison, value.text));
    if (const std::string wrong = wrongValue(name, comparison, value.text); !wrong.empty())
      return errorAt(value.position, wrong);
    wanted.push_back(value.text);
    return {};
  }

  Result<void> listInto(const std::string& name, std::vector<std::string>& wanted) {
    const Token open = take();
    if (open.kind != TokenKind::Open)
      return errorAt(open.position, "a list in parentheses is expected after 'in', such as (1, 2)");
    while (true) {
      RETURN_IF_ERROR(valueInto(name, "in", wanted));
      const Token next = take();
      if (next.kind == TokenKind::Close) return {};
      if (next.kind != TokenKind::Comma)
        return errorAt(next.position, formatText("a comma or ')' is expected, found '{}'", next.text));
    }
  }

  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  std::set<std::string> names_;
};

std::vector<std::string> exactValue(const std::optional<double>& value) {
  return value ? std::vector{formatExact(*value)} : std::vector<std::string>{};
}

struct RunField {
  const char* name;
  std::vector<std::string> (*get)(const RunSummary&);
};

const std::vector<RunField>& runFields() {
  using Texts = std::vector<std::string>;
  static const std::vector<RunField> fields = {
      {"id", [](const RunSummary& r) { return Texts{r.id}; }},
      {"name", [](const RunSummary& r) { return Texts{r.name}; }},
      {"status",
       [](const RunSummary& r) {
         Texts states{std::string(choiceName(r.status))};  // paused runs are also running
         if (r.paused) states.emplace_back(stateName(r));
         if (r.cause == FailureCause::Diverged) states.emplace_back(choiceName(r.cause));  // also finished
         return states;
       }},
      {"created", [](const RunSummary& r) { return Texts{isoTime(r.createdMs)}; }},
      {"tag", [](const RunSummary& r) { return r.tags; }},
      {"source", [](const RunSummary& r) { return Texts{isExternal(r) ? r.source : "batchwise"}; }},
      {"note", [](const RunSummary& r) { return Texts{r.note}; }},
      {"parent", [](const RunSummary& r) { return Texts{r.parent}; }},
      {"loss", [](const RunSummary& r) { return exactValue(r.loss); }},
      {"eval_loss", [](const RunSummary& r) { return exactValue(r.evalLoss); }},
      {"eval.loss", [](const RunSummary& r) { return exactValue(r.evalLoss); }},  // name of the metric elsewhere
      {"evaluation_set",
       [](const RunSummary& r) { return r.evaluationSet.empty() ? Texts() : Texts{r.evaluationSet}; }},
      {"lr", [](const RunSummary& r) { return exactValue(r.learningRate); }},
      {"samples_per_sec", [](const RunSummary& r) { return exactValue(r.samplesPerSec); }},
      {"tokens_per_sec", [](const RunSummary& r) { return exactValue(r.tokensPerSec); }},
      {"checkpoints", [](const RunSummary& r) { return Texts{std::to_string(r.checkpoints)}; }},
      {"archived", [](const RunSummary& r) { return Texts{r.archived ? "true" : "false"}; }},
      {"ep", [](const RunSummary& r) { return Texts{std::to_string(r.at.epoch)}; }},
      {"ba", [](const RunSummary& r) { return Texts{std::to_string(r.at.batch)}; }},
      {"steps", [](const RunSummary& r) { return Texts{std::to_string(r.at.step)}; }},
      {"sp", [](const RunSummary& r) { return Texts{std::to_string(r.at.sample)}; }},
      {"tok", [](const RunSummary& r) { return Texts{std::to_string(r.at.token)}; }},
      {"sec", [](const RunSummary& r) { return Texts{formatExact(r.at.seconds)}; }}};
  return fields;
}

}  // namespace

std::string withCondition(const std::string& text, const std::string& condition) {
  const auto tokens = tokensOf(text);
  if (!tokens.ok() || tokens->size() == 1) return condition;
  const bool either =
      std::any_of(tokens->begin(), tokens->end(), [](const Token& token) { return token.kind == TokenKind::Or; });
  return (either ? "(" + text + ")" : text) + " and " + condition;
}

const std::vector<std::string>& runFieldNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const RunField& field : runFields()) all.emplace_back(field.name);
    return all;
  }();
  return names;
}

Result<RunFilter> RunFilter::parse(std::string_view text) {
  if (text.size() > kMaxFilterBytes)
    return Error::config(formatText("a filter of {} bytes is too long; at most 10,000 are allowed", text.size()));
  RunFilter result;
  result.text_ = text;
  ASSIGN_OR_RETURN(auto tokens, tokensOf(text));
  if (tokens.size() == 1) return result;
  Parser parser(std::move(tokens));
  ASSIGN_OR_RETURN(result.passes_, parser.all());
  result.names_ = parser.names();
  return result;
}

bool RunFilter::needsConfig() const {
  const std::vector<std::string>& known = runFieldNames();
  return std::ranges::any_of(
      names_, [&](const std::string& name) { return !name.empty() && std::ranges::find(known, name) == known.end(); });
}

FilterLookup lookupIn(const RunSummary& run, const ConfigValues* config, TimeZone zone) {
  return [&run, config, zone](const std::string& name) -> std::vector<std::string> {
    if (name == kCreatedUtc) return {isoTime(run.createdMs)};
    if (name == kCreated) return {isoTime(run.createdMs, zone)};
    for (const RunField& field : runFields())
      if (name == field.name) return field.get(run);
    if (config == nullptr) return {};
    const auto found = config->find(isExternal(run) && name.starts_with(kLogged) ? name.substr(kLogged.size()) : name);
    const bool known = found != config->end() && hasEffect(*config, name);
    return known ? std::vector{found->second} : std::vector<std::string>{};
  };
}

}  // namespace batchwise
