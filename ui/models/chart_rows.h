// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/row_source.h"
#include "ui/models/chart_content.h"

namespace batchwise {

/// The values of a chart as a table, a block at a time: a row for each global batch that has a value, a column for each
/// line; in full precision, from the left. Levels that are the same everywhere are left out. One thread at a time.
class ChartRows final : public RowSource {
 public:
  /// `part`: of the x axis; nothing: everything.
  ChartRows(ChartContent content, std::optional<AxisRange> part);

  TextTable next(std::size_t most) override;
  bool atEnd() const override;
  double progress() const override;

 private:
  /// Walks along one line.
  struct Walk {
    std::size_t line, next, end;
    bool done() const { return next == end; }
  };

  const LongSeries& points(const Walk& walk) const { return content_.lines[walk.line].points; }
  double batch(const Walk& walk) const { return points(walk).x(walk.next); }
  std::vector<std::string> row();

  ChartContent content_;
  std::vector<TextTable::Column> columns_;
  std::vector<Walk> walks_;
  std::size_t values_ = 0;  // of all lines
};

}  // namespace batchwise
