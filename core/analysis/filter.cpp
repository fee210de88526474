// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/filter.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/analysis/filter_text.h"
#include "core/analysis/messages.h"
#include "core/base/format.h"
#include "core/base/return_if_error.h"
#include "core/config/schema.h"
#include "core/store/record_text.h"
#include "core/time/time.h"

namespace batchwise {

/// Syntax tree of a filter.
struct RunFilter::Node {
  enum class Kind { And, Or, Not, Compare, Search };
  Kind kind = Kind::Search;
  std::shared_ptr<const Node> left, right;  // Not uses only left
  std::string name;                         // of Compare
  std::string comparison;                   // "=", "!=", "<", "<=", ">", ">=", "~", "in"
  std::vector<std::string> values;          // one except for "in"; the word for Search
};

namespace {

using filter::errorAt;
using filter::Token;
using filter::TokenKind;
using Node = RunFilter::Node;
using NodePtr = std::shared_ptr<const Node>;

constexpr int kMaxDepth = 100;                   // nesting of parentheses and "not"
constexpr std::size_t kMaxFilterBytes = 10'000;  // bytes: consecutive conditions nest, too

std::optional<double> numberIn(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Returns whether the text is a date, optionally with a time: 2026-11-21 or 2026-11-21T13:59:04Z.
bool isDate(const std::string& text) {
  constexpr std::string_view kDay = "0000-00-00";
  if (text.size() < kDay.size()) return false;
  for (std::size_t i = 0; i < kDay.size(); ++i)
    if (kDay[i] == '-' ? text[i] != '-' : std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  return text.size() == kDay.size() || text[kDay.size()] == 'T' || text[kDay.size()] == ' ';
}

/// Normalizes a date to the stored form, with T between date and time.
std::string withT(std::string date) {
  if (date.size() > 10 && date[10] == ' ') date[10] = 'T';
  return date;
}

/// Compares as <=>; nothing if the values are not ordered.
std::optional<int> order(const std::string& left, const std::string& right) {
  const auto signOf = [](double a, double b) { return a < b ? -1 : a > b ? 1 : 0; };
  const auto leftNumber = numberIn(left), rightNumber = numberIn(right);
  if (leftNumber && rightNumber) {
    if (std::isnan(*leftNumber) || std::isnan(*rightNumber)) return std::nullopt;
    return signOf(*leftNumber, *rightNumber);
  }
  if (leftNumber || rightNumber) return std::nullopt;
  if (isDate(left) && isDate(right)) {  // compares only the given precision: a date matches all times of that day
    const int sign = withT(left).compare(0, right.size(), withT(right));
    return sign < 0 ? -1 : sign > 0 ? 1 : 0;
  }
  const auto leftTime = Time::parse(left), rightTime = Time::parse(right);
  if (!leftTime.ok() || !rightTime.ok() || leftTime->unit() != rightTime->unit()) return std::nullopt;
  return signOf(leftTime->number(), rightTime->number());
}

std::string folded(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return c < 0x80 ? static_cast<char>(std::tolower(c)) : static_cast<char>(c); });
  return text;
}

bool contains(const std::string& text, const std::string& part) {
  return folded(text).find(folded(part)) != std::string::npos;
}

bool equal(const std::string& left, const std::string& right) {
  if (left == right) return true;
  const auto leftNumber = numberIn(left), rightNumber = numberIn(right);
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

bool compare(const Node& node, const FilterLookup& lookup) {
  bool any = false;
  for (const std::string& value : lookup(node.name))
    for (const std::string& wanted : node.values) any = any || holds(node.comparison, value, wanted);
  return node.comparison == "!=" ? !any : any;
}

bool search(const std::string& word, const FilterLookup& lookup) {
  for (const char* name : {"name", "tag", "note"})
    for (const std::string& value : lookup(name))
      if (contains(value, word)) return true;
  return false;
}

bool passesNode(const Node& node, const FilterLookup& lookup) {
  switch (node.kind) {
    case Node::Kind::And: return passesNode(*node.left, lookup) && passesNode(*node.right, lookup);
    case Node::Kind::Or: return passesNode(*node.left, lookup) || passesNode(*node.right, lookup);
    case Node::Kind::Not: return !passesNode(*node.left, lookup);
    case Node::Kind::Compare: return compare(node, lookup);
    case Node::Kind::Search: return search(node.values.front(), lookup);
  }
  return false;
}

/// Returns an error text for an unknown name, else empty.
Message unknownName(const std::string& name) {
  const std::vector<std::string>& own = runFieldNames();
  if (findField(name) != nullptr || std::find(own.begin(), own.end(), name) != own.end()) return "";
  std::vector<std::string> all = own;
  for (const Field& field : configSchema()) all.push_back(field.path);
  const std::string nearest = nearestName(name, all);
  return nearest.empty() ? messages::fieldUnknown(name) : messages::fieldUnknownDidYouMean(name, nearest);
}

/// Returns an error text for an invalid value, else empty.
Message wrongValue(const std::string& name, const std::string& comparison, const std::string& value) {
  const bool ordered = comparison.front() == '<' || comparison.front() == '>';
  if (ordered && name == "created") return isDate(value) ? Message() : messages::filterNeedsDay(comparison, value);
  if (ordered && !numberIn(value) && !Time::parse(value).ok())
    return messages::filterComparisonNeedsNumber(comparison, value);
  if (name != "status" || comparison == "~" || runStatusFromName(value) || value == "paused") return "";
  return messages::filterStatusUnknown(value);
}

/// Recursive-descent parser: or, and, not, condition.
class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Result<NodePtr> all() {
    auto root = anyOf(0);
    if (root.ok() && peek().kind != TokenKind::End)
      return errorAt(peek().position, messages::filterTokenIsSurplus(peek().text));
    return root;
  }

 private:
  const Token& peek() const { return tokens_[next_]; }
  Token take() { return tokens_[peek().kind == TokenKind::End ? next_ : next_++]; }

  Result<NodePtr> anyOf(int depth) {
    auto left = allOf(depth);
    while (left.ok() && peek().kind == TokenKind::Or) {
      take();
      left = join(Node::Kind::Or, *left, allOf(depth));
    }
    return left;
  }

  Result<NodePtr> allOf(int depth) {
    auto left = one(depth);
    while (left.ok() && startsCondition()) {
      if (peek().kind == TokenKind::And) take();
      left = join(Node::Kind::And, *left, one(depth));
    }
    return left;
  }

  bool startsCondition() const {
    constexpr std::array kStarts = {TokenKind::And, TokenKind::Word, TokenKind::Quoted, TokenKind::Not,
                                    TokenKind::Open};
    return std::find(kStarts.begin(), kStarts.end(), peek().kind) != kStarts.end();
  }

  static Result<NodePtr> join(Node::Kind kind, const NodePtr& left, const Result<NodePtr>& right) {
    if (!right.ok()) return right.error();
    Node node;
    node.kind = kind;
    node.left = left;
    node.right = *right;
    return NodePtr(std::make_shared<Node>(std::move(node)));
  }

  Result<NodePtr> one(int depth) {
    const Token token = take();
    if (depth > kMaxDepth) return errorAt(token.position, messages::filterNestedTooDeeply());
    switch (token.kind) {
      case TokenKind::Not: return negated(one(depth + 1));
      case TokenKind::Open: return inside(token, depth);
      case TokenKind::Word: return condition(token);
      case TokenKind::Quoted: return searchFor(token.text);
      default: return errorAt(token.position, messages::filterExpectedCondition(token.text));
    }
  }

  static Result<NodePtr> negated(Result<NodePtr> inner) {
    if (!inner.ok()) return inner;
    Node node;
    node.kind = Node::Kind::Not;
    node.left = *inner;
    return NodePtr(std::make_shared<Node>(std::move(node)));
  }

  Result<NodePtr> inside(const Token& open, int depth) {
    auto inner = anyOf(depth + 1);
    if (!inner.ok()) return inner;
    if (take().kind != TokenKind::Close) return errorAt(open.position, messages::filterParenthesisNotClosed());
    return inner;
  }

  static Result<NodePtr> searchFor(const std::string& word) {
    Node node;
    node.values = {word};
    return NodePtr(std::make_shared<Node>(std::move(node)));
  }

  Result<NodePtr> condition(const Token& name) {
    if (peek().kind != TokenKind::Operator && peek().kind != TokenKind::In) return searchFor(name.text);
    if (const Message wrong = unknownName(name.text); !wrong.empty()) return errorAt(name.position, wrong);
    const Token sign = take();
    Node node;
    node.kind = Node::Kind::Compare;
    node.name = name.text;
    node.comparison = sign.kind == TokenKind::In ? "in" : sign.text;
    RETURN_IF_ERROR(sign.kind == TokenKind::In ? listInto(node) : valueInto(node));
    return NodePtr(std::make_shared<Node>(std::move(node)));
  }

  Result<void> valueInto(Node& node) {
    const Token value = take();
    if (value.kind != TokenKind::Word && value.kind != TokenKind::Quoted)
      return errorAt(value.position, messages::filterExpectedValue(node.comparison, value.text));
    if (const Message wrong = wrongValue(node.name, node.comparison, value.text); !wrong.empty())
      return errorAt(value.position, wrong);
    node.values.push_back(value.text);
    return {};
  }

  Result<void> listInto(Node& node) {
    const Token open = take();
    if (open.kind != TokenKind::Open) return errorAt(open.position, messages::filterExpectedListAfterIn());
    while (true) {
      RETURN_IF_ERROR(valueInto(node));
      const Token next = take();
      if (next.kind == TokenKind::Close) return {};
      if (next.kind != TokenKind::Comma)
        return errorAt(next.position, messages::filterExpectedCommaOrParenthesis(next.text));
    }
  }

  std::vector<Token> tokens_;
  std::size_t next_ = 0;
};

void collectNames(const Node& node, std::set<std::string>& names) {
  if (node.kind == Node::Kind::Compare || node.kind == Node::Kind::Search) names.insert(node.name);
  for (const NodePtr& child : {node.left, node.right})
    if (child != nullptr) collectNames(*child, names);
}

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
         Texts states{std::string(runStatusName(r.status))};  // paused runs are also running
         if (r.paused) states.emplace_back(stateName(r));
         return states;
       }},
      {"created", [](const RunSummary& r) { return Texts{isoTime(r.createdMs)}; }},
      {"tag", [](const RunSummary& r) { return r.tags; }},
      {"note", [](const RunSummary& r) { return Texts{r.note}; }},
      {"parent", [](const RunSummary& r) { return Texts{r.parent}; }},
      {"loss", [](const RunSummary& r) { return exactValue(r.loss); }},
      {"eval_loss", [](const RunSummary& r) { return exactValue(r.evalLoss); }},
      {"eval.loss", [](const RunSummary& r) { return exactValue(r.evalLoss); }},  // name of the metric elsewhere
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

namespace {

/// Returns the position after the parenthesis that closes the one at `at`.
std::size_t afterGroup(const std::vector<Token>& tokens, std::size_t at) {
  int depth = 0;
  do depth += tokens[at].kind == TokenKind::Open ? 1 : tokens[at].kind == TokenKind::Close ? -1 : 0;
  while (tokens[at++].kind != TokenKind::End && depth > 0);
  return at;
}

/// Returns the position after the condition that starts at `at`. Requires a valid filter.
std::size_t afterCondition(const std::vector<Token>& tokens, std::size_t at) {
  while (tokens[at].kind == TokenKind::Not) ++at;
  if (tokens[at].kind == TokenKind::Open) return afterGroup(tokens, at);
  const TokenKind next = tokens[++at].kind;
  if (next == TokenKind::In) return afterGroup(tokens, at + 1);
  return next == TokenKind::Operator ? at + 2 : at;
}

}  // namespace

Result<std::vector<std::string>> conditionsOf(std::string_view text) {
  RETURN_IF_ERROR(RunFilter::parse(text));
  const auto tokens = filter::tokensOf(text);
  std::vector<std::string> conditions;
  for (std::size_t at = 0; (*tokens)[at].kind != TokenKind::End;) {
    if ((*tokens)[at].kind == TokenKind::Or) return std::vector{std::string(text)};
    if ((*tokens)[at].kind == TokenKind::And) ++at;
    const std::size_t begin = (*tokens)[at].position - 1;
    at = afterCondition(*tokens, at);
    std::string_view own = text.substr(begin, (*tokens)[at].position - 1 - begin);
    own = own.substr(0, own.find_last_not_of(" \t\r\n") + 1);
    conditions.emplace_back(own);
  }
  return conditions;
}

std::string longestValidPrefix(std::string_view text) {
  auto tokens = filter::tokensOf(text);
  for (; !tokens.ok(); tokens = filter::tokensOf(text)) {
    const std::size_t blank = text.find_last_of(" \t\r\n");
    text = text.substr(0, blank == text.npos ? 0 : blank);
  }
  for (std::size_t end = tokens->size(); end-- > 0;) {
    const Token& token = (*tokens)[end];
    // A word before an operator is a name, not a search.
    if (token.kind == TokenKind::Operator || token.kind == TokenKind::In) continue;
    const std::string_view part = text.substr(0, token.position - 1);
    if (RunFilter::parse(part).ok()) return std::string(part.substr(0, part.find_last_not_of(" \t\r\n") + 1));
  }
  return "";
}

std::string trailingNamePrefix(std::string_view text) {
  const auto tokens = filter::tokensOf(text);
  if (!tokens.ok() || tokens->size() < 2 || !RunFilter::parse(text).ok()) return "";
  const Token& last = (*tokens)[tokens->size() - 2];
  const auto before = [&](std::size_t back) {
    return tokens->size() > back ? (*tokens)[tokens->size() - 1 - back].kind : TokenKind::End;
  };
  if (last.kind != TokenKind::Word || before(2) == TokenKind::Operator) return "";
  const auto begins = [&](const std::string& name) { return name.starts_with(last.text); };
  const bool known =
      std::any_of(runFieldNames().begin(), runFieldNames().end(), begins) ||
      std::any_of(configSchema().begin(), configSchema().end(), [&](const Field& field) { return begins(field.path); });
  return known ? last.text : "";
}

std::string withCondition(const std::string& text, const std::string& condition) {
  const auto tokens = filter::tokensOf(text);
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
  if (text.size() > kMaxFilterBytes) return Error::config(messages::filterTextTooLong(text.size()));
  RunFilter result;
  result.text_ = text;
  ASSIGN_OR_RETURN(auto tokens, filter::tokensOf(text));
  if (tokens.size() == 1) return result;
  ASSIGN_OR_RETURN(auto root, Parser(std::move(tokens)).all());
  result.root_ = root;
  collectNames(*result.root_, result.names_);
  return result;
}

bool RunFilter::passes(const FilterLookup& lookup) const {
  return root_ == nullptr || passesNode(*root_, lookup);
}

bool RunFilter::needsConfig() const {
  const std::vector<std::string>& own = runFieldNames();
  return std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
    return !name.empty() && std::find(own.begin(), own.end(), name) == own.end();
  });
}

FilterLookup lookupIn(const RunSummary& run, const ConfigValues* config) {
  return [&run, config](const std::string& name) -> std::vector<std::string> {
    for (const RunField& field : runFields())
      if (name == field.name) return field.get(run);
    if (config == nullptr) return {};
    const auto found = config->find(name);
    return found == config->end() ? std::vector<std::string>{} : std::vector{found->second};
  };
}

}  // namespace batchwise
