// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/event_models.h"

#include <QtCore/QObject>
#include <array>
#include <variant>

#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

using Column = TableModel::Column;

constexpr std::size_t kMaxAlerts = 1'000;
constexpr std::size_t kMaxLogRows = 10'000;
constexpr std::array kAlertColumns = {Column{"Time"}, Column{"Run"}, Column{"Event"}};
constexpr std::array kLogColumns = {Column{"Time"}, Column{"Batch", true}, Column{"Event"}};

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

}  // namespace batchwise
