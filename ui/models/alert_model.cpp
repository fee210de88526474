// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/alert_model.h"

#include <QtCore/QCoreApplication>

#include "core/base/format.h"
#include "ui/models/display_text.h"

namespace batchwise {
namespace {

constexpr std::size_t kMaxRows = 1'000;

struct AlertTexts {
  Q_DECLARE_TR_FUNCTIONS(AlertTexts)
};

QString plain(double value) {
  return valueText(value, ValueFormat::Plain);
}

QString bytes(double value) {
  return toQt(formatBytes(static_cast<std::int64_t>(value)));
}

NoteLevel levelOf(AlertKind kind) {
  if (kind == AlertKind::Finished) return NoteLevel::Info;
  return kind == AlertKind::Failed || kind == AlertKind::NonFinite ? NoteLevel::Error : NoteLevel::Warning;
}

}  // namespace

QString alertKindText(AlertKind kind) {
  switch (kind) {
    case AlertKind::NonFinite: return AlertTexts::tr("Loss or gradient is not finite");
    case AlertKind::Spike: return AlertTexts::tr("Loss spikes");
    case AlertKind::Plateau: return AlertTexts::tr("Loss no longer falls");
    case AlertKind::SlowDown: return AlertTexts::tr("Speed has fallen");
    case AlertKind::Memory: return AlertTexts::tr("Memory above 95 %");
    case AlertKind::DiskLow: return AlertTexts::tr("Disk is nearly full");
    case AlertKind::Finished: return AlertTexts::tr("Run has ended");
    case AlertKind::Failed: return AlertTexts::tr("Run has failed");
  }
  return {};
}

QString alertSentence(const Alert& alert) {
  switch (alert.kind) {
    case AlertKind::NonFinite:
      return AlertTexts::tr("Loss %1, gradient norm %2").arg(plain(alert.value), plain(alert.reference));
    case AlertKind::Spike:
      return AlertTexts::tr("The loss spikes: %1, above the limit %2").arg(plain(alert.value), plain(alert.reference));
    case AlertKind::Plateau:
      return AlertTexts::tr("The loss no longer falls: %1, before that %2")
          .arg(plain(alert.value), plain(alert.reference));
    case AlertKind::SlowDown:
      return AlertTexts::tr("The speed has fallen: now %1 tok/s, usually %2 tok/s")
          .arg(toQt(formatCount(alert.value)), toQt(formatCount(alert.reference)));
    case AlertKind::Memory:
      return AlertTexts::tr("%1 has used %2 of its %3", "a device, its peak, its memory")
          .arg(toQt(alert.what), bytes(alert.value), bytes(alert.reference));
    case AlertKind::DiskLow: return AlertTexts::tr("%1 are left on the disk of the workspace").arg(bytes(alert.value));
    case AlertKind::Finished:
    case AlertKind::Failed: {
      const QString why = reasonText(alert.what);
      return why.isEmpty() ? alertKindText(alert.kind)
                           : AlertTexts::tr("%1: %2", "what happened and why").arg(alertKindText(alert.kind), why);
    }
  }
  return {};
}

int AlertModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int AlertModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant AlertModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == RunRole) return row.run;
  if (role == BatchRole) return static_cast<qint64>(row.alert.batch);
  if (role == IconRole) return index.column() == TextColumn ? levelIcon(levelOf(row.alert.kind)) : QString();
  if (role == Qt::ToolTipRole)
    return index.column() == TimeColumn ? exactTimeText(row.wallMs) : plainToolTip(alertSentence(row.alert));
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case TimeColumn: return localTimeText(row.wallMs);
    case RunColumn: return row.runName;
    default: return alertSentence(row.alert);
  }
}

QVariant AlertModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case TimeColumn: return tr("Time");
    case RunColumn: return tr("Run");
    case TextColumn: return tr("What happened");
    default: return {};
  }
}

QHash<int, QByteArray> AlertModel::roleNames() const {
  auto names = QAbstractTableModel::roleNames();
  names[IconRole] = "icon";
  names[RunRole] = "run";
  names[BatchRole] = "batch";
  return names;
}

void AlertModel::add(Row row) {
  if (rows_.size() == kMaxRows) {
    beginRemoveRows({}, rowCount() - 1, rowCount() - 1);
    rows_.pop_back();
    endRemoveRows();
  }
  beginInsertRows({}, 0, 0);
  rows_.push_front(std::move(row));
  endInsertRows();
}

void AlertModel::clear() {
  beginResetModel();
  rows_.clear();
  endResetModel();
}

}  // namespace batchwise
