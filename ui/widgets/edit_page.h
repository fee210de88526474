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
class YamlEditor;

/// The configuration of the next run: form, YAML text, what it would do, and Launch.
class EditPage final : public QWidget {
  Q_OBJECT

 public:
  EditPage(EditPresenter& presenter, const Theme& theme, QWidget* parent = nullptr);

  ConfigForm& form() { return *form_; }
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

 private:
  QWidget* makeTools();
  QWidget* makeFooter();
  void placePreview();
  void tellReadiness();
  void tellChanges();
  void showProblem();
  QString readyText() const;
  QString problemText() const;

  EditPresenter& presenter_;
  const Theme& theme_;
  ConfigForm* form_;
  YamlEditor* yaml_;
  PreviewPane* preview_;
  QTabWidget* tabs_;
  QSplitter* splitter_;
  QLineEdit* search_;
  QComboBox* groups_;
  QLabel *readiness_, *changes_;
  QPushButton *showProblem_, *queue_, *launch_;
  QString blocked_, queueBlocked_;
};

}  // namespace batchwise
