// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart_rows.h"

#include <QtCore/QCoreApplication>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/format.h"
#include "ui/models/words.h"

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

/// A step inside a global batch lies between two.
std::string batchText(double batch) {
  return batch == std::floor(batch) ? std::to_string(static_cast<std::int64_t>(batch)) : formatExact(batch);
}

}  // namespace

ChartRows::ChartRows(ChartContent content, std::optional<AxisRange> part) : content_(std::move(content)) {
  columns_.push_back({clockWord(RunClock::Batches).toStdString(), true});
  if (content_.clock != RunClock::Batches) columns_.push_back({clockWord(content_.clock).toStdString(), true});
  for (std::size_t i = 0; i < content_.lines.size(); ++i) {
    const ChartLine& line = content_.lines[i];
    if (line.kind == LineKind::Reference) continue;
    Walk walk{i, 0, line.points.size()};
    if (part) {
      walk.next = line.points.firstAtOrAfter(content_.map.batchAt(part->low));
      walk.end = std::max(walk.next, line.points.firstAfter(content_.map.batchAt(part->high)));
    }
    values_ += walk.end - walk.next;
    walks_.push_back(walk);
    columns_.push_back({lineTitle(line).toStdString(), true});
  }
}

TextTable ChartRows::next(std::size_t most) {
  TextTable table{columns_, {}};
  while (table.rows.size() < most && !atEnd()) table.rows.push_back(row());
  return table;
}

bool ChartRows::atEnd() const {
  return std::all_of(walks_.begin(), walks_.end(), [](const Walk& walk) { return walk.done(); });
}

double ChartRows::progress() const {
  std::size_t left = 0;
  for (const Walk& walk : walks_) left += walk.end - walk.next;
  return values_ == 0 ? 1 : 1 - static_cast<double>(left) / static_cast<double>(values_);
}

std::vector<std::string> ChartRows::row() {
  double first = std::numeric_limits<double>::infinity();
  for (const Walk& walk : walks_)
    if (!walk.done()) first = std::min(first, batch(walk));
  std::vector<std::string> cells{batchText(first)};
  if (content_.clock != RunClock::Batches) cells.push_back(formatExact(content_.map.at(first)));
  for (Walk& walk : walks_) {
    const bool has = !walk.done() && batch(walk) == first;
    cells.push_back(has ? formatExact(points(walk).y(walk.next++)) : std::string());
  }
  return cells;
}

}  // namespace batchwise
