// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/row_source.h"
#include "ui/models/chart_content.h"

namespace batchwise {

/// Streams the values of a chart as table blocks, in order of x: one row per global batch that has a value, one column
/// per line, in full precision. Reference lines are omitted. Not thread-safe.
class ChartRows final : public RowSource {
 public:
  /// `part`: range of the x axis; none: all.
  ChartRows(ChartContent content, std::optional<AxisRange> part);

  TextTable next(std::size_t most) override;
  bool atEnd() const override;
  double progress() const override;

 private:
  /// Read position in one line.
  struct Cursor {
    std::size_t line, next, end;
    bool done() const { return next == end; }
  };

  const LongSeries& points(const Cursor& cursor) const { return content_.lines[cursor.line].points; }
  double batch(const Cursor& cursor) const { return points(cursor).x(cursor.next); }
  std::vector<std::string> row();

  ChartContent content_;
  std::vector<TextTable::Column> columns_;
  std::vector<Cursor> cursors_;
  std::size_t totalValues_ = 0;  // total of all lines
};

}  // namespace batchwise
