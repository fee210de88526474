// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QAbstractTableModel>
#include <cstdint>
#include <deque>

#include "core/events/run_event.h"

namespace batchwise {

/// What happened in a run, oldest first: one sentence per row. Keeps the newest 10,000. GUI thread.
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
  /// Events without a sentence are passed over. `wallMs`: when it happened.
  void append(const RunEvent& event, std::int64_t wallMs);
  /// All rows as lines of text.
  QString plainText() const;
  /// The views read all sentences again, in the language of now.
  void retranslate();

 private:
  struct Row {
    std::int64_t wallMs = 0;
    RunEvent event;
    // In the language of now; empty: not asked for since the language changed. Views ask at every repaint, and finding
    // the words for a message of core is much work.
    mutable QString sentence;
  };
  static const QString& sentenceOf(const Row& row);

  std::deque<Row> rows_;
};

}  // namespace batchwise
