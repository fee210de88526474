// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QPointer>

class QProgressDialog;
class QWidget;

namespace batchwise {

class FileJobs;

/// Progress dialog for work on files, with a button that cancels it. Destruction leaves the work running.
class SavingProgress final : public QObject {
  Q_OBJECT

 public:
  /// `name`: object name of the dialog.
  SavingProgress(FileJobs& work, const QString& name, QWidget& window);
  ~SavingProgress() override;

  /// `closes`: whether the window closes afterwards; if so, the dialog says it and is raised.
  void setClosing(bool closes);

 private:
  void show();
  void open();
  void dismiss();

  FileJobs& work_;
  const QString name_;
  QWidget& window_;
  QPointer<QProgressDialog> dialog_;
  bool closing_ = false;
};

}  // namespace batchwise
