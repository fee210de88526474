// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart_rows.h"

#include <QtCore/QCoreApplication>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/format.h"
#include "ui/models/display_text.h"

namespace batchwise {
namespace {

struct ChartTable {
  Q_DECLARE_TR_FUNCTIONS(ChartTable)
};

QString lineTitle(const ChartLine& line) {
  if (line.kind == LineKind::Superseded) return ChartTable::tr("superseded");
  if (line.name.isEmpty()) return ChartTable::tr("every value");
  return line.derived ? ChartTable::tr("%1, smoothed").arg(line.name) : line.name;
}

/// A step within a global batch has a fractional position.
std::string batchText(double batch) {
  return batch == std::floor(batch) ? std::to_string(static_cast<std::int64_t>(batch)) : formatExact(batch);
}

}  // namespace

ChartRows::ChartRows(ChartContent content, std::optional<AxisRange> part) : content_(std::move(content)) {
  columns_.push_back({xAxisTitle(XAxis::Batches).toStdString(), true});
  if (content_.xAxis != XAxis::Batches) columns_.push_back({xAxisTitle(content_.xAxis).toStdString(), true});
  for (std::size_t i = 0; i < content_.lines.size(); ++i) {
    const ChartLine& line = content_.lines[i];
    if (line.kind == LineKind::Reference) continue;
    Cursor cursor{i, 0, line.points.size()};
    if (part) {
      cursor.next = line.points.firstAtOrAfter(content_.map.batchAt(part->low));
      cursor.end = std::max(cursor.next, line.points.firstAfter(content_.map.batchAt(part->high)));
    }
    totalValues_ += cursor.end - cursor.next;
    cursors_.push_back(cursor);
    columns_.push_back({lineTitle(line).toStdString(), true});
  }
}

TextTable ChartRows::next(std::size_t most) {
  TextTable table{columns_, {}};
  while (table.rows.size() < most && !atEnd()) table.rows.push_back(row());
  return table;
}

bool ChartRows::atEnd() const {
  return std::all_of(cursors_.begin(), cursors_.end(), [](const Cursor& cursor) { return cursor.done(); });
}

double ChartRows::progress() const {
  std::size_t left = 0;
  for (const Cursor& cursor : cursors_) left += cursor.end - cursor.next;
  return totalValues_ == 0 ? 1 : 1 - static_cast<double>(left) / static_cast<double>(totalValues_);
}

std::vector<std::string> ChartRows::row() {
  double first = std::numeric_limits<double>::infinity();
  for (const Cursor& cursor : cursors_)
    if (!cursor.done()) first = std::min(first, batch(cursor));
  std::vector<std::string> cells{batchText(first)};
  if (content_.xAxis != XAxis::Batches) cells.push_back(formatExact(content_.map.at(first)));
  for (Cursor& cursor : cursors_) {
    const bool has = !cursor.done() && batch(cursor) == first;
    cells.push_back(has ? formatExact(points(cursor).y(cursor.next++)) : std::string());
  }
  return cells;
}

}  // namespace batchwise
