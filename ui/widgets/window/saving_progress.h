// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QPointer>

class QProgressDialog;
class QWidget;

namespace batchwise {

class FileWork;

/// Shows how far work on files has come, with a button to give it up. The work goes on without its window.
class SavingProgress final : public QObject {
  Q_OBJECT

 public:
  /// `name`: of the dialog as an object.
  SavingProgress(FileWork& work, const QString& name, QWidget& window);
  ~SavingProgress() override;

  /// `closes`: says that the window closes at the end, and comes to the front; else it no longer says so.
  void tellClosing(bool closes);

 private:
  void show();
  void open();
  void dismiss();

  FileWork& work_;
  const QString name_;
  QWidget& window_;
  QPointer<QProgressDialog> dialog_;
  bool closing_ = false;
};

}  // namespace batchwise
