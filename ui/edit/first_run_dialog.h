// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>
#include <vector>

#include "ui/checkpoints/checkpoints_presenter.h"
#include "ui/edit/first_run_presenter.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QStackedWidget;

namespace batchwise {

class ElidedLabel;
class StudioSettings;

/// Dialog for a first run: the user chooses text, and a model to continue and general text if that is asked for; the
/// dialog shows what was found in them, the run proposed for them and its cost.
class FirstRunDialog final : public QDialog {
  Q_OBJECT

 public:
  enum class Start { NewModel, TrainedModel };

  /// `runs`: whose newest checkpoint can be continued. Clears the presenter.
  FirstRunDialog(FirstRunPresenter& presenter, StudioSettings& settings, Start start, std::vector<NamedRun> runs,
                 const QString& workspace, QWidget* parent);
  ~FirstRunDialog() override;

 Q_SIGNALS:
  /// The user accepts the proposed run: to launch it, or to edit it first.
  void launchRequested(const batchwise::LoadedConfig& config);
  void editRequested(const batchwise::LoadedConfig& config);
  /// The user wants to read the manual on the recipe.
  void helpRequested();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  enum class Request { None, Launch, Edit };

  QWidget* makeModel();
  QLabel* makeTitle(QWidget* parent, const QString& text) const;
  QWidget* makeText();
  QWidget* makeGeneral();
  QWidget* makeReading();
  QWidget* makeFound(const QString& workspace);
  void addTextFacts(QGridLayout& form);
  void addRun(QGridLayout& form, const QString& workspace);
  void setLength();
  void addSize(QGridLayout& form);
  void addRecipe(QGridLayout& form);
  QWidget* makeButtons();
  void setTabOrderFromAbove();
  void askByButtons(QPushButton* folder, QPushButton* files, const QString& purpose,
                    void (FirstRunPresenter::*choose)(const QStringList&));
  void request(Request what);
  void answerRequest();
  void finish(const LoadedConfig& config);
  void showState();
  void showModel();
  void showGeneral();
  void showText(const TextSurvey& text);
  void showPlan(const FirstRunPlan& plan);
  void showSize(const FirstRunPlan& plan);
  void showRecipe(const TrainConfig& config);
  QString problem() const;

  FirstRunPresenter& presenter_;
  StudioSettings& settings_;
  const Start start_;
  const std::vector<NamedRun> runs_;
  ElidedLabel *modelName_ = nullptr, *generalName_ = nullptr, *textName_;
  QLabel *modelFacts_ = nullptr, *modelProblems_ = nullptr, *generalFacts_ = nullptr, *generalProblems_ = nullptr;
  QLabel *recipe_ = nullptr, *evaluated_ = nullptr;
  QPushButton* noGeneral_ = nullptr;
  QStackedWidget* pages_;
  QProgressBar* progress_;
  QComboBox *format_, *field_, *size_ = nullptr;
  QLabel *fieldLabel_, *found_, *lengths_, *language_, *reason_ = nullptr, *cost_, *basis_, *warnings_, *problem_;
  QPlainTextEdit* sample_;
  QSpinBox* epochs_;  // or minutes
  QComboBox* lengthUnit_;
  QPushButton *launch_, *edit_;
  int titleWidth_ = 0;  // of the labels
  // While a run that has been planned is planned for other epochs, its buttons stay enabled and wait for the plan.
  bool replans_ = false;
  Request requested_ = Request::None;
  Request answered_ = Request::None;
};

}  // namespace batchwise
