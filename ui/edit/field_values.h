// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QComboBox>
#include <functional>
#include <string>
#include <vector>

#include "core/config/schema.h"

class QGridLayout;
class QLineEdit;

namespace batchwise {

/// A list of settings, found by any part of a label or a key: "Peak learning rate (optimizer.lr)". Enter, Tab and
/// leaving it take the completion if there is only one.
class FieldChoice final : public QComboBox {
  Q_OBJECT

 public:
  /// Lists the fields that `isOffered` accepts; `field`: the one chosen at first, empty for none.
  FieldChoice(const std::function<bool(const Field&)>& isOffered, const std::string& field, QWidget* parent);

  /// Returns the path of the chosen field; empty while a name is being typed.
  std::string path() const;

  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool takeOnlyCompletion();
};

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
