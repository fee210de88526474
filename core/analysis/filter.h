// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/config_difference.h"
#include "core/base/result.h"
#include "core/store/records.h"

namespace batchwise {

/// What a filter asks of a run: the values under a name, as text; several for tags, none if it has no value there.
using FilterLookup = std::function<std::vector<std::string>(const std::string& name)>;

/// Chooses runs by an expression that a person wrote:
///   batch.global_train_batch_size > 64 and status = finished
///   (tag = ramp or name ~ base) and not eval_loss >= 2.5
///   optimizer.lr in (1e-3, 5e-4)        "a word alone" looks into names, tags and notes
/// Names: every configuration field, and those of `runFieldNames`. Operators: = != < <= > >= in, and ~ for "contains"
/// in any case of letters; and, or, not (&&, ||, !), also nothing between two conditions for "and"; parentheses. A text
/// with blanks or signs stands in quotes. Numbers are compared as numbers, Times as Times if their units are equal;
/// anything else as text, for which there is only = and !=. A run without a value under the name fulfils only != and
/// not.
class RunFilter {
 public:
  /// Fails with Config: what is wrong and its position in the text (from 1), the nearest name for one that is unknown.
  /// An empty text lets every run pass.
  static Result<RunFilter> parse(std::string_view text);

  bool passes(const FilterLookup& lookup) const;
  /// The names that it asks for; "" stands for the search of a word.
  const std::set<std::string>& names() const { return names_; }
  /// True if it asks for a field of the configuration, which is read only then.
  bool needsConfig() const;
  const std::string& text() const { return text_; }

  struct Node;

 private:
  std::string text_;
  std::shared_ptr<const Node> root_;  // null: every run passes
  std::set<std::string> names_;
};

/// The conditions of a filter that must hold together, as they are written, in order: what stands between the `and`s
/// outside of parentheses. One if there is an `or` beside them, none for an empty text. Fails as RunFilter::parse().
Result<std::vector<std::string>> conditionsOf(std::string_view text);

/// The longest beginning of a text that is being typed which is a filter, without a condition that is only begun:
/// "status = finished" of "status = finished and loss <". Empty if there is none.
std::string completePart(std::string_view text);
/// The word at the end of a filter that begins the name of a field: "lo" of "ramp lo". It may become a condition when
/// more is typed. Empty if there is none.
std::string begunName(std::string_view text);

/// The filter `text` with one more condition: both must hold. Both pass RunFilter::parse().
std::string withCondition(const std::string& text, const std::string& condition);

/// Names that a filter knows besides the configuration's fields: id, name, status, tag, note, parent, loss, eval_loss,
/// lr, samples_per_sec, tokens_per_sec, checkpoints, archived, and the clocks ep, ba, steps, sp, tok, sec.
const std::vector<std::string>& runFieldNames();

/// Looks into a run. `config` may be null where `needsConfig` is false. Both must live as long as the result.
FilterLookup lookupIn(const RunSummary& run, const ConfigValues* config);

}  // namespace batchwise
