// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QTimer>
#include <QtWidgets/QWidget>

#include "ui/models/config_draft.h"
#include "ui/presenters/edit_presenter.h"
#include "ui/theme/theme.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSplitter;
class QTabWidget;

namespace batchwise {

class ConfigForm;
class PreviewPane;

/// Edits the draft as YAML text, in sync with the form. Applies the text after a short pause in typing; lists errors
/// with their lines.
class YamlEditor final : public QWidget {
  Q_OBJECT

 public:
  YamlEditor(ConfigDraft& draft, const Theme& theme, QWidget* parent = nullptr);

  QPlainTextEdit& text() { return *text_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void applyText();
  void readDraft();

  ConfigDraft& draft_;
  QPlainTextEdit* text_;
  QLabel* problems_;
  QTimer delay_;
  bool applying_ = false;
};

/// Edits the configuration of the next run: form, YAML text, preview and Launch. As by far the largest page, with an
/// editor for every setting, it creates its widgets when it is first shown.
class EditPage final : public QWidget {
  Q_OBJECT

 public:
  EditPage(EditPresenter& presenter, const Theme& theme, QWidget* parent = nullptr);

  /// Shows the field with this path in the form and gives it the keyboard focus.
  void showSetting(const std::string& path);
  /// Sets why nothing can be launched, whatever the draft is; empty: nothing prevents it.
  void setBlocked(const QString& why);
  /// Sets why no run can be queued; empty: nothing prevents it.
  void setQueueBlocked(const QString& why);

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
  QWidget* makeTools(QWidget* parent);
  QWidget* makeFooter();
  void placePreview();
  void updateReadiness();
  void updateChanges();
  void showProblem();
  QString readyText() const;
  QString problemText() const;

  EditPresenter& presenter_;
  const Theme& theme_;
  // Null until make() has run.
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
