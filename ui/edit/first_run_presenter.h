// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QStringList>
#include <QtCore/QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/run/launch/first_config.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/scaling_plan.h"
#include "core/run/trainer.h"
#include "ui/bridge/thread_bridge.h"
#include "ui/list/workspace_presenter.h"

namespace batchwise {

/// The configuration proposed for a text, and what it costs.
struct FirstRunPlan {
  FirstConfig first;
  std::int64_t parameters = 0;              ///< 0: not known
  std::optional<RunCost> cost;              ///< none: not known
  std::optional<std::int64_t> minutes;      ///< asked for; the run ends after as many tokens as this allows, about
  std::optional<std::int64_t> memoryBytes;  ///< of the tensors of one training step on a device
  std::vector<PreflightFinding> findings;   ///< fatal ones first
};

/// Chosen text, general text and starting model, what was found in them, and the run proposed for them. Files are read
/// on a queue of its own; nothing else waits for them. GUI thread.
class FirstRunPresenter final : public QObject {
  Q_OBJECT

 public:
  FirstRunPresenter(WorkspacePresenter& workspace, TrainerSource trainer, QObject* parent = nullptr);
  ~FirstRunPresenter() override;

  /// Forgets text, model and choices. `devices`: of the runs proposed from now on, as devices.use; empty: auto.
  void clear(const QString& devices = {});
  /// Files or folders, absolute. Surveys them; format, size and epochs are chosen anew.
  void chooseText(const QStringList& paths);
  /// Text to limit and to measure what a model forgets. Some of its documents are written into the workspace, and
  /// removed again unless accept() is called. Empty: none.
  void chooseGeneral(const QStringList& paths);
  void chooseModel(const QString& folder);
  /// Writes the newest good checkpoint of `run` as a model folder, and chooses that.
  void chooseRun(const QString& run, const QString& name);
  void setFormat(TextFormat format);
  void setTextField(const QString& field);
  void setPreset(ModelPreset preset);
  void setEpochs(std::int64_t epochs);
  /// Of training, in place of epochs; no effect while the speed is not known.
  void setMinutes(std::int64_t minutes);
  /// Stops reading; the text is forgotten.
  void cancel();

  /// True while the text or the model is read.
  bool reading() const { return reading_ > 0; }
  /// Progress of the survey, 0 to 100.
  int percent() const;
  const QStringList& paths() const { return paths_; }
  const std::optional<TextSurvey>& text() const { return text_; }
  const QStringList& generalPaths() const { return generalPaths_; }
  /// Null: none is chosen, or it has not been drawn.
  const GeneralText* general() const { return drawn_ ? &drawn_->text() : nullptr; }
  /// Why the general text cannot be used; empty if it can.
  const QString& generalProblem() const { return generalProblem_; }
  const std::optional<StartingModel>& model() const { return model_; }
  /// None while there is no text, its plan is being made, or the model cannot be used.
  const std::optional<FirstRunPlan>& plan() const { return plan_; }
  /// Why the text or the run cannot be used; empty if they can.
  const QString& problem() const { return problem_; }
  /// Emits accepted(), once general() is part of the workspace. Requires plan(), and that it is not accepting(). If
  /// general() cannot be kept there, generalProblem() says why, and all choices stay.
  void accept();
  bool accepting() const { return accepting_; }
  /// Where model folders made of checkpoints are written.
  static QString modelsFolder();

 Q_SIGNALS:
  /// Anything of the above has changed.
  void changed();
  /// The proposed configuration, as from a file.
  void accepted(const batchwise::LoadedConfig& config);
  /// Only percent() has changed.
  void progressChanged();

 private:
  struct Reading;

  bool isCurrent() const;
  void survey();
  void drawGeneral();
  void readModel(std::function<Result<StartingModel>()> read);
  void makePlan();
  template <typename Work, typename Done>
  void post(Work work, Done done);

  WorkspacePresenter& workspace_;
  TrainerSource trainer_;
  QString devices_;
  QStringList paths_;
  std::optional<TextFormat> format_;
  QString textField_;
  std::optional<ModelPreset> preset_;
  std::optional<std::int64_t> epochs_, minutes_;
  std::optional<TextSurvey> text_;
  QStringList generalPaths_;
  std::shared_ptr<DrawnText> drawn_;
  QString generalProblem_;
  std::optional<StartingModel> model_;
  std::optional<FirstRunPlan> plan_;
  QString problem_;
  std::shared_ptr<Reading> survey_;   // the newest one; null: none
  std::shared_ptr<Reading> drawing_;  // likewise, of general text
  int plans_ = 0;                     // number of the newest plan; older results are dropped
  int models_ = 0;                    // likewise
  int reading_ = 0;                   // tasks under way
  bool accepting_ = false;            // general text is being kept
  QTimer poll_;
  TaskQueue tasks_;  // last: its thread ends before what it uses
};

}  // namespace batchwise
