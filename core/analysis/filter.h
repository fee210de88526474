// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/config_difference.h"
#include "core/base/result.h"
#include "core/store/records.h"

namespace batchwise {

/// Returns the values of a name for one run, as text: several for tags, none if the run has no value.
using FilterLookup = std::function<std::vector<std::string>(const std::string& name)>;

/// Filter expression over runs:
///   batch.global_train_batch_size > 64 and status = finished
///   (tag = ramp or name ~ base) and not eval_loss >= 2.5
///   optimizer.lr in (1e-3, 5e-4)        "single words search names, tags and notes"
/// Names: all configuration fields, `runFieldNames`, and "logged." with a setting of another program. Operators: = != <
/// <= > >= in, and ~ for case-insensitive "contains"; and, or, not (&&, ||, !); adjacent conditions mean "and";
/// parentheses. Text with blanks or operator characters needs quotes. Compares numbers as numbers, Times of equal unit
/// as Times, dates as dates, anything else as text (= and != only). A run without a value satisfies only != and not.
class RunFilter {
 public:
  /// Fails with Config, giving the problem, its position in the text (from 1), and for unknown names the nearest one.
  /// Empty text matches every run.
  static Result<RunFilter> parse(std::string_view text);

  bool passes(const FilterLookup& lookup) const { return passes_ == nullptr || passes_(lookup); }
  /// Names used in conditions; "" stands for a text search.
  const std::set<std::string>& names() const { return names_; }
  /// Returns whether the filter uses configuration fields, which are expensive to read.
  bool needsConfig() const;
  const std::string& text() const { return text_; }

  using Predicate = std::function<bool(const FilterLookup& lookup)>;

 private:
  std::string text_;
  Predicate passes_;  // null: matches every run
  std::set<std::string> names_;
};

/// Returns `text` and `condition` combined by "and". Requires both to be valid filters.
std::string withCondition(const std::string& text, const std::string& condition);

/// Names of run properties in filters: id, name, status, created, tag, source, note, parent, loss, eval_loss,
/// evaluation_set, lr, samples_per_sec, tokens_per_sec, checkpoints, archived, and the clocks ep, ba, steps, sp, tok,
/// sec.
const std::vector<std::string>& runFieldNames();

/// Returns the lookup for a run; settings without effect have no value. `config` may be null if needsConfig() is false.
/// Both must outlive the result. `zone`: of the dates that the reader sees, by which `created` goes; a date with Z is
/// UTC in either.
FilterLookup lookupIn(const RunSummary& run, const ConfigValues* config, TimeZone zone = TimeZone::Utc);

}  // namespace batchwise
