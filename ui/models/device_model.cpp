// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/device_model.h"

#include "core/base/format.h"
#include "core/guard/alert_detector.h"
#include "ui/models/display_text.h"

namespace batchwise {
namespace {

double newest(const RunSeries& series, const std::string& device, const char* what) {
  const LongSeries& points = series.points("memory." + device + "." + what);
  return points.empty() ? 0.0 : points.back().y();
}

QString bytesText(double bytes) {
  return bytes > 0 ? toQt(formatBytes(static_cast<std::int64_t>(bytes))) : QStringLiteral("–");
}

}  // namespace

int DeviceModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int DeviceModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant DeviceModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  const double share = row.total > 0 ? row.peak / row.total : 0;
  if (role == Qt::TextAlignmentRole && index.column() != NameColumn)
    return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  if (role == IconRole)
    return index.column() == ShareColumn && share > AlertLimits().memoryShare ? levelIcon(NoteLevel::Warning)
                                                                              : QString();
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case NameColumn: return toQt(row.name);
    case UsedColumn: return bytesText(row.used);
    case PeakColumn: return bytesText(row.peak);
    case LimitColumn: return bytesText(row.total);
    case ShareColumn: return share > 0 ? tr("%1 %").arg(QString::number(100 * share, 'f', 1)) : QStringLiteral("–");
    default: return {};
  }
}

QVariant DeviceModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case NameColumn: return tr("Device");
    case UsedColumn: return tr("In use");
    case PeakColumn: return tr("Peak");
    case LimitColumn: return tr("Limit");
    case ShareColumn: return tr("Peak of limit");
    default: return {};
  }
}

void DeviceModel::update(const RunSeries& series) {
  std::vector<Row> rows;
  for (const std::string& device : series.devices())
    rows.push_back(
        {device, newest(series, device, "allocated"), newest(series, device, "peak"), newest(series, device, "total")});
  if (rows == rows_) return;
  if (rows.size() != rows_.size()) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
    return;
  }
  rows_ = std::move(rows);
  Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

}  // namespace batchwise
