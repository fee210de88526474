// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractTableModel>
#include <cstdint>
#include <deque>

#include "core/events/run_event.h"

namespace batchwise {

/// Event log of a run, oldest first, one sentence per row; keeps the newest 10,000. GUI thread.
class LogModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { TimeColumn, BatchColumn, TextColumn, ColumnCount };
  enum Role {
    LevelRole = Qt::UserRole + 1,  ///< int of NoteLevel
    IconRole,                      ///< QString, name in resources/icons; TextColumn only
  };

  using QAbstractTableModel::QAbstractTableModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  void clear();
  /// Ignores events without a sentence. `wallMs`: time of the event, ms since 1970.
  void append(const RunEvent& event, std::int64_t wallMs);
  /// All rows as tab-separated lines.
  QString plainText() const;
  /// Translates all rows to the current language.
  void retranslate();

 private:
  struct Row {
    std::int64_t wallMs = 0;
    RunEvent event;
    // In the current language; empty: not computed yet. Cached because views ask at every repaint and translating a
    // core message is slow.
    mutable QString sentence;
  };
  static const QString& sentenceOf(const Row& row);

  std::deque<Row> rows_;
};

}  // namespace batchwise
