// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QPointer>

class QProgressDialog;
class QWidget;

namespace batchwise {

class ValueSaving;

/// Shows how far the saving of values has come, with a button to give it up. It goes on without its window.
class SavingProgress final : public QObject {
  Q_OBJECT

 public:
  SavingProgress(ValueSaving& saving, QWidget& window);
  ~SavingProgress() override;

  /// `closes`: says that the window closes at the end, and comes to the front; else it no longer says so.
  void tellClosing(bool closes);

 private:
  void show();
  void open();
  void dismiss();

  ValueSaving& saving_;
  QWidget& window_;
  QPointer<QProgressDialog> dialog_;
  bool closing_ = false;
};

}  // namespace batchwise
