// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include "ui/presenters/edit_presenter.h"
#include "ui/theme/theme.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSplitter;
class QTabWidget;

namespace batchwise {

class ConfigForm;
class PreviewPane;

/// The configuration of the next run: form, YAML text, what it would do, and Launch. With an editor for every setting
/// it is by far the largest page, and made when it is shown first: a start of the window need not wait for it.
class EditPage final : public QWidget {
  Q_OBJECT

 public:
  EditPage(EditPresenter& presenter, const Theme& theme, QWidget* parent = nullptr);

  /// Shows the field with this path in the form and gives it the keyboard.
  void showSetting(const std::string& path);
  /// Empty: Launch is possible as far as anything outside the draft goes.
  void setBlocked(const QString& why);
  /// Keeps runs from the queue, and says why; empty: they may be added.
  void setQueueBlocked(const QString& why);

 Q_SIGNALS:
  void launchWanted();
  void queueWanted();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void make();
  void makeFormTab();
  void makeYamlTab();
  QWidget* makeTools(QWidget* parent);
  QWidget* makeFooter();
  void placePreview();
  void tellReadiness();
  void tellChanges();
  void showProblem();
  QString readyText() const;
  QString problemText() const;

  EditPresenter& presenter_;
  const Theme& theme_;
  // Null until the page is made.
  ConfigForm* form_ = nullptr;
  PreviewPane* preview_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QSplitter* splitter_ = nullptr;
  QLineEdit* search_ = nullptr;
  QComboBox* groups_ = nullptr;
  QLabel *readiness_ = nullptr, *changes_ = nullptr;
  QPushButton *showProblem_ = nullptr, *queue_ = nullptr, *launch_ = nullptr;
  QString blocked_, queueBlocked_;
};

}  // namespace batchwise
