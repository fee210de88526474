// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/edit/config_draft.h"
#include "ui/edit/edit_presenter.h"
#include "ui/list/run_presenter.h"
#include "ui/theme/theme.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QSplitter;
class QTabWidget;

namespace batchwise {

class ConfigForm;
class PreviewPane;
class RunList;
class YamlEditor;

/// Edits the configuration of the next run: form, YAML text, preview and Launch. As by far the largest page, with an
/// editor for every setting, it creates its widgets when it is first shown.
class EditPage final : public QWidget {
  Q_OBJECT

 public:
  EditPage(EditPresenter& presenter, const Theme& theme, QWidget* parent = nullptr);

  /// Sets the runs of the workspace, whose names a new run cannot have. They must outlive this page.
  void setRuns(const RunList& runs);
  /// Shows the field with this path in the form and gives it the keyboard focus.
  void showSetting(const std::string& path);
  /// Opens the editor of the sweep, with a row for the field with this path; empty: none. Shows the error instead while
  /// the YAML text cannot be read.
  void editSweep(const std::string& path);
  /// Sets where runs are launched, and why nothing can be launched or queued, whatever the draft is; empty: nothing
  /// prevents it. What this machine lacks does not prevent a launch on a cluster.
  void setLaunch(RunLocation place, const QString& blocked, const QString& queueBlocked);
  /// Applies a cell or a text that is being edited to the draft, as a shortcut leaves the keyboard focus in it.
  void commitEdit();

 Q_SIGNALS:
  void launchRequested();
  void enqueueRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void make();
  void makeFormTab();
  void makeYamlTab();
  void makeYamlEditor(QWidget& page);
  QWidget* makeTools(QWidget* parent);
  QWidget* makeHelp(QWidget* parent);
  QWidget* makeFooter();
  void placePreview();
  void updateReadiness();
  void updateName();
  void updateChanges();
  QString nameInStore() const;
  void showProblem();
  QString readyText() const;
  QString problemText() const;
  const PreflightFinding* finding() const;

  EditPresenter& presenter_;
  const Theme& theme_;
  // Null until make() has run.
  ConfigForm* form_ = nullptr;
  YamlEditor* yaml_ = nullptr;  // null until its tab has been opened
  QScrollArea* helpArea_ = nullptr;
  QLabel* help_ = nullptr;
  PreviewPane* preview_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QSplitter* splitter_ = nullptr;
  QLineEdit* search_ = nullptr;
  QComboBox* groups_ = nullptr;
  QLabel *readiness_ = nullptr, *changes_ = nullptr, *unreadText_ = nullptr;
  QPushButton *showProblem_ = nullptr, *queue_ = nullptr, *launch_ = nullptr, *sweep_ = nullptr;
  QString blocked_, queueBlocked_;
  const RunList* runs_ = nullptr;
  QString name_;  // that the next run will have; empty: not known
  RunLocation place_ = RunLocation::ThisProcess;
};

}  // namespace batchwise
