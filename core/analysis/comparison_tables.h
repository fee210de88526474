// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/analysis/row_source.h"
#include "core/analysis/run_comparison.h"
#include "core/analysis/text_table.h"
#include "core/analysis/wording.h"

namespace batchwise {

/// How numbers are written: as a person reads them, or so that they read back as the same double.
enum class Numbers { Readable, Exact };

/// One row per line of the comparison: name, members, then per quantity the value, its difference to the baseline, that
/// in percent, the noise band and the verdict. Readable titles tell where a quantity was taken, if that is elsewhere
/// than comparedAtText() says.
TextTable summaryTable(const RunComparison& comparison, Numbers numbers, const Wording& wording = {});
/// One row per field that differs, one column per run.
TextTable differenceTable(const RunComparison& comparison, const Wording& wording = {});
/// "3 of 61 fields differ".
std::string differenceText(const ConfigComparison& differences);

/// A value of a column: durations, counts and rates as such.
std::string cellValueText(const SummaryColumn& column, std::optional<double> value);
/// "−1.7 %, better".
std::string deltaText(const SummaryCell& cell, const Wording& wording = {});

/// Every point of every line, one row each: line, x, value, and for groups low, high and n.
class PointRows final : public RowSource {
 public:
  explicit PointRows(std::shared_ptr<const RunComparison> comparison);

  TextTable next(std::size_t most) override;
  bool atEnd() const override { return line_ == comparison_->lines.size(); }
  double progress() const override;

 private:
  std::size_t pointsOf(std::size_t line) const;
  std::vector<std::string> row() const;
  void passOverEnds();

  std::shared_ptr<const RunComparison> comparison_;
  std::size_t line_ = 0, point_ = 0;  // the next
};
/// All of them at once.
TextTable pointsTable(const RunComparison& comparison);

}  // namespace batchwise
