// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>
#include <vector>

#include "core/config/train_config.h"

class QGridLayout;
class QLineEdit;

namespace batchwise {

class FieldChoice;
struct Field;

/// New values for some settings of a configuration, one in a row.
class FieldValues final : public QWidget {
  Q_OBJECT

 public:
  /// `before`: the configuration whose values are replaced.
  FieldValues(TrainConfig before, QWidget* parent);

  /// Adds a row; `path`: its setting, empty for one that the user chooses. It starts with the value from before.
  void addRow(const QString& path = {});
  /// Returns the rows that have a setting and another value than before, each like an assignment on the command line:
  /// "seed=2", or "optimizer.grad_clip_norm=" for a setting that is not to be set.
  QStringList assignments() const;

 Q_SIGNALS:
  void changed();

 private:
  struct Row {
    FieldChoice* field;
    QLineEdit* value;
    QWidget* remove;
  };
  QString valueBefore(const Field& field) const;
  void describeValue(const Row& row);
  void removeRow(const QWidget* remove);

  const TrainConfig before_;
  QGridLayout* grid_;
  std::vector<Row> rows_;
  int nextLine_ = 0;
};

}  // namespace batchwise
