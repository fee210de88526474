// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QComboBox>
#include <functional>
#include <string>

#include "core/config/schema.h"

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

}  // namespace batchwise
