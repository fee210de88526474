// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/event_models.h"

#include <QtCore/QObject>
#include <array>
#include <variant>

#include "core/base/format.h"
#include "core/train/guard/alert_detector.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

using Column = TableModel::Column;

constexpr std::size_t kMaxAlerts = 1'000;
constexpr std::size_t kMaxLogRows = 10'000;
constexpr std::array kAlertColumns = {Column{"Time"}, Column{"Run"}, Column{"Event"}};
constexpr std::array kLogColumns = {Column{"Time"}, Column{"Batch", true}, Column{"Event"}};

constexpr std::array kDeviceColumns = {Column{"Device"}, Column{"In use", true}, Column{"Peak", true},
                                       Column{"Limit", true}, Column{"Peak / limit", true}};

double newest(const RunSeries& series, const std::string& device, const char* what) {
  const LongSeries& points = series.points("memory." + device + "." + what);
  return points.empty() ? 0.0 : points.back().y();
}

QString bytesText(double bytes) {
  return bytes > 0 ? toQt(formatBytes(static_cast<std::int64_t>(bytes))) : QStringLiteral("–");
}

NoteLevel levelOf(AlertKind kind) {
  if (kind == AlertKind::Finished) return NoteLevel::Info;
  const bool lost = kind == AlertKind::Failed || kind == AlertKind::Diverged || kind == AlertKind::NonFinite;
  return lost ? NoteLevel::Error : NoteLevel::Warning;
}

}  // namespace

QString alertKindText(AlertKind kind) {
  switch (kind) {
    case AlertKind::NonFinite: return QObject::tr("Loss or gradient is not finite");
    case AlertKind::Spike: return QObject::tr("Loss spike");
    case AlertKind::Plateau: return QObject::tr("Loss no longer falls");
    case AlertKind::SlowDown: return QObject::tr("Speed has fallen");
    case AlertKind::Memory: return QObject::tr("Memory above 95 %");
    case AlertKind::DiskLow: return QObject::tr("Disk is nearly full");
    case AlertKind::Finished: return QObject::tr("Run has ended");
    case AlertKind::Failed: return QObject::tr("Run has failed");
    case AlertKind::Diverged: return QObject::tr("Run has diverged");
  }
  return {};
}

std::optional<AlertKind> alertKindOf(const RunEvent& event) {
  const auto* note = std::get_if<RunNote>(&event);  // both kinds have the same names
  return note == nullptr ? std::nullopt : choiceFromName<AlertKind>(choiceName(note->kind));
}

AlertModel::AlertModel(QObject* parent) : RowTable(kAlertColumns, parent) {}

QVariant AlertModel::cell(int at, int column, int role) const {
  const AlertRow& row = this->row(at);
  switch (role) {
    case RunRole: return row.run;
    case kIconRole: return column == TextColumn ? levelIcon(levelOf(row.kind)) : QString();
    case Qt::ToolTipRole: return column == TimeColumn ? exactTimeText(row.wallMs) : plainToolTip(row.sentence);
    case Qt::DisplayRole:
      return column == TimeColumn ? localTimeText(row.wallMs) : column == RunColumn ? row.runName : row.sentence;
    default: return {};
  }
}

void AlertModel::add(AlertRow row) {
  if (rows_.size() == kMaxAlerts) {
    beginRemoveRows({}, rowCount() - 1, rowCount() - 1);
    rows_.pop_back();
    endRemoveRows();
  }
  beginInsertRows({}, 0, 0);
  rows_.push_front(std::move(row));
  endInsertRows();
}

LogModel::LogModel(QObject* parent) : RowTable(kLogColumns, parent) {}

QVariant LogModel::cell(int at, int column, int role) const {
  const LogRow& row = this->row(at);
  switch (role) {
    case kIconRole: return column == TextColumn ? levelIcon(eventLevel(row.event)) : QVariant();
    case Qt::ToolTipRole: return column == TimeColumn ? exactTimeText(row.wallMs) : plainToolTip(row.sentence);
    case Qt::DisplayRole:
      return column == TimeColumn    ? localTimeText(row.wallMs)
             : column == BatchColumn ? integerText(eventBatch(row.event))
                                     : row.sentence;
    default: return {};
  }
}

void LogModel::append(const RunEvent& event, std::int64_t wallMs) {
  QString sentence = eventSentence(event);
  if (sentence.isEmpty()) return;
  if (std::holds_alternative<RunFinished>(event) && !run_.empty())
    sentence = tr("Run %1: %2").arg(toQt(run_), sentence);
  if (rows_.size() >= kMaxLogRows) {
    beginRemoveRows({}, 0, 0);
    rows_.pop_front();
    endRemoveRows();
  }
  beginInsertRows({}, rowCount(), rowCount());
  rows_.push_back({wallMs, event, std::move(sentence)});
  endInsertRows();
}

QString LogModel::plainText() const {
  QString out;
  for (const LogRow& row : rows_)
    out +=
        QStringLiteral("%1\t%2\t%3\n").arg(exactTimeText(row.wallMs), integerText(eventBatch(row.event)), row.sentence);
  return out;
}

DeviceModel::DeviceModel(QObject* parent) : RowTable(kDeviceColumns, parent) {}

QVariant DeviceModel::cell(int at, int column, int role) const {
  const DeviceUsage& row = this->row(at);
  const double share = row.total > 0 ? row.peak / row.total : 0;
  if (role == kIconRole)
    return column == ShareColumn && share > kFullMemoryShare ? levelIcon(NoteLevel::Warning) : QString();
  if (role != Qt::DisplayRole) return {};
  switch (column) {
    case NameColumn: return toQt(row.id);
    case UsedColumn: return bytesText(row.used);
    case PeakColumn: return bytesText(row.peak);
    case LimitColumn: return bytesText(row.total);
    case ShareColumn: return share > 0 ? tr("%1 %").arg(QString::number(100 * share, 'f', 1)) : QStringLiteral("–");
    default: return {};
  }
}

void DeviceModel::update(const RunSeries& series) {
  std::vector<DeviceUsage> rows;
  for (const std::string& device : series.devices())
    rows.push_back(
        {device, newest(series, device, "allocated"), newest(series, device, "peak"), newest(series, device, "total")});
  if (rows != rows_) updateRows(std::move(rows));
}

}  // namespace batchwise
