// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>
#include <functional>
#include <memory>

#include "core/store/workspace.h"
#include "ui/presenters/file_jobs.h"

class QAbstractButton;
class QGridLayout;
class QLabel;
class QProgressBar;

namespace batchwise {

class StudioSettings;

/// Dialog for what a person brings from elsewhere: archives of runs, which it imports into a workspace with progress
/// and a result, another trainer's configuration, or a whole workspace.
class BringRunsDialog final : public QDialog {
  Q_OBJECT

 public:
  BringRunsDialog(ArchiveJobs& jobs, std::shared_ptr<Workspace> workspace, StudioSettings& settings, QWidget* parent);

  /// Imports the archives, one after the other.
  void importArchives(const QStringList& files);
  /// Cancels the imports, or else closes the dialog.
  void reject() override;

 Q_SIGNALS:
  /// The user wants one of these instead; the dialog closes.
  void configurationRequested();
  void workspaceRequested();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void addWay(QGridLayout& ways, const char* name, const QString& title, const QString& description,
              const std::function<void()>& chosen);
  void askArchives();
  void showProgress();

  ArchiveJobs& jobs_;
  const std::shared_ptr<Workspace> workspace_;
  StudioSettings& settings_;
  QProgressBar* progress_;
  QAbstractButton* close_;
  QLabel* result_;
  int asked_ = 0, imported_ = 0;  // archives
  QStringList problems_;
};

}  // namespace batchwise
