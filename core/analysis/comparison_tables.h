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
/// "Different too, but not counted, for they make no other experiment: seed". Empty if none of these differs.
std::string uncountedText(const ConfigComparison& differences);

/// With what the series is called in place of its name.
SummaryColumn reworded(SummaryColumn column, const Wording& wording);
/// A value of a column: durations, counts and rates as such, others with four digits.
std::string cellValueText(const SummaryColumn& column, std::optional<double> value);
/// "−1.7 %, better".
std::string deltaText(const SummaryCell& cell, const Wording& wording = {});

/// Whose points: every run's, whatever it is grouped with, or the groups' as they are drawn.
enum class PointsOf { Runs, Groups };
/// Every point that the comparison has read (of long runs the extremes of stretches, see RunTrack::read), one row each.
/// Of runs: run, group if there are any, x, value, and the smoothed value if smoothing is on; of groups (which must be
/// there): group, x, centre, low, high and the number of runs.
class PointRows final : public RowSource {
 public:
  PointRows(std::shared_ptr<const RunComparison> comparison, PointsOf of);

  TextTable next(std::size_t most) override;
  bool atEnd() const override { return line_ == comparison_->lines.size(); }
  double progress() const override;

 private:
  const ComparedRun& run() const;
  std::size_t members() const;
  std::size_t points() const;
  std::vector<std::string> row() const;
  void passOverEnds();

  std::shared_ptr<const RunComparison> comparison_;
  PointsOf of_;
  std::size_t line_ = 0, member_ = 0, point_ = 0;  // the next
};
/// All of them at once.
TextTable pointsTable(const RunComparison& comparison, PointsOf of);

}  // namespace batchwise
