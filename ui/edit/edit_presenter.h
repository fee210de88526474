// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QTimer>
#include <functional>
#include <optional>
#include <utility>

#include "core/config/import/config_import.h"
#include "core/run/launch/preflight.h"
#include "core/store/records.h"
#include "ui/bridge/thread_bridge.h"
#include "ui/edit/config_draft.h"
#include "ui/edit/plan_preview.h"
#include "ui/parts/table_model.h"

namespace batchwise {

/// Ramp-up stages of a plan, one per row: ranges of constant step size. Stages after the end of the run are disabled.
/// GUI thread.
class StageModel final : public RowTable<std::vector<PlannedRange>> {
  Q_OBJECT

 public:
  enum Column {
    FromColumn,
    BatchesColumn,
    PartsColumn,
    StepSizeColumn,
    SamplesColumn,  ///< of a step, on average; of interest where StepSizeColumn has packs
    TokensColumn,
    MicroBatchesColumn,
    StepsColumn,
    ColumnCount
  };

  explicit StageModel(QObject* parent = nullptr);

  Qt::ItemFlags flags(const QModelIndex& index) const override;
  void setStages(std::vector<PlannedRange> stages, const StageUnits& units);

 private:
  QVariant cell(int row, int column, int role) const override;
  QString cellText(const PlannedRange& stage, int column) const;
  QString effectiveBatch(const PlannedRange& stage) const;
  static QString optimizerText(const PlannedRange& stage);

  StageUnits units_;
};

/// The configuration under edit and its preview; plans are resolved on the task queue. GUI thread.
class EditPresenter final : public QObject {
  Q_OBJECT

 public:
  explicit EditPresenter(TaskQueue& tasks, QObject* parent = nullptr);

  /// Loads a bundled configuration by its name, see bundledConfigNames().
  void loadPreset(const QString& name);
  /// Loads the settings of `demo` without its name, on the text and with the model of the run that finished last unless
  /// it trained on the text of the demo. `devices`: value of `devices.use`; empty: that of `demo`.
  void loadNew(const QString& devices = {});
  /// Loads a file. Errors in it become issues of the draft; emits failed() if the file cannot be read.
  void loadFile(const QString& path);
  /// What was counted in a text.
  struct CountedText {
    std::int64_t samples = 0;  ///< of an epoch of training
    std::int64_t tokensPerSample = 0;
  };
  /// Loads what the dialog for a first run has made. Its plan takes what was counted as long as the draft has that
  /// text.
  void loadFirstRun(const LoadedConfig& config, const std::optional<CountedText>& counted = std::nullopt);
  /// Loads a configuration converted from another trainer's file `path`.
  void loadImport(const ConfigImport& import, const QString& path);
  /// Loads the configuration a run was launched with, as a run called `name` until its values differ: then its name
  /// follows from them.
  void loadRun(const RunDetail& run, const QString& name);
  /// Loads the configuration a run was launched with, as another variant of an experiment. Its name follows from both.
  void loadVariant(const RunDetail& run, const QString& experiment, const QString& variant);
  /// Returns the experiment of the run, or if it has none its name without seed and number.
  static QString proposedExperiment(const RunDetail& run);

  ConfigDraft& draft() { return draft_; }
  StageModel& stages() { return stages_; }

  /// Source of the number of samples: an estimate from file sizes, documents that were counted, the token cache, or the
  /// user.
  enum class SampleCountSource { FileSizes, Documents, Data, User };
  struct Preview {
    PlanPreview plan;
    PlanEstimates estimates;
    TextReview text;
    std::vector<FieldProblem> warnings;  ///< nothing that prevents the launch
    std::vector<PlannedRun> runs;        ///< of a sweep; empty for a single run, and for very many
    std::int64_t run = 0;                ///< the one of the sweep that the plan is of, from 0
    std::int64_t samplesPerEpoch = 0;    ///< 0: not known
    SampleCountSource sampleCountSource = SampleCountSource::FileSizes;
    FieldProblem error;                 ///< its message is empty if there is a plan
    std::optional<ModelFamily> family;  ///< of the model; none: not known, or that of each run of the sweep
  };
  const Preview& preview() const { return preview_; }
  /// False while the plan of the latest draft is being computed: preview() is that of an earlier one.
  bool isPreviewCurrent() const { return !delay_.isActive() && previewed_ == generation_; }
  /// Preflight findings for the draft on this machine, fatal ones first.
  const std::vector<PreflightFinding>& findings() const { return findings_; }
  /// The first fatal finding, with its remedy; empty if the draft can be launched.
  QString blockingProblem() const;
  /// Stores the draft in `workspace` from now on, and restores the draft stored there unless that would discard edits.
  /// Null: stops storing.
  void storeDraftIn(std::shared_ptr<Workspace> workspace);
  /// Saves edits without waiting for a pause, also if the window closes at once.
  void saveDraftNow();
  /// Whether the newest write of the draft failed; saveDraftNow() tries it again.
  bool saveFailed() const { return saveFailed_; }
  /// Sets the workspace whose runs provide measured speeds. A new id in `newestFinished` triggers a new lookup.
  void setRuns(std::shared_ptr<const Workspace> workspace, const QString& newestFinished);
  /// Sets the run whose evaluations those of the draft are to be comparable with; empty: none.
  void setBaseline(const QString& run) {
    if (std::exchange(baseline_, run) != run) schedulePreview();
  }
  /// Previews another run of the sweep, from 0, until the draft is edited.
  void previewRun(std::int64_t run);
  /// Sets the samples per epoch for the preview; none: estimated.
  void assumeSamples(std::optional<std::int64_t> samples);

 Q_SIGNALS:
  void previewChanged();
  /// preview() is no longer that of the draft.
  void previewOutdated();
  void findingsChanged();
  void failed(const QString& message);
  /// The draft stored in the workspace has been restored.
  void draftRestored();
  /// Or not, see saveFailed().
  void draftWritten();

 private:
  void forgetDraft();
  void readLastUsed();
  void loadLike(const RunDetail& run, const std::function<void(TrainConfig&)>& adapt);
  std::vector<std::int64_t> otherLengths() const;
  std::optional<CountedText> countedText(const TrainConfig& config) const;
  void schedulePreview();
  void saveDraft();
  void resolve();
  void runPreflight();

  TaskQueue& tasks_;
  ConfigDraft draft_;
  StageModel stages_;
  Preview preview_;
  std::vector<PreflightFinding> findings_;
  std::optional<std::int64_t> assumedSamples_;
  std::int64_t previewedRun_ = 0;
  std::optional<LoadedConfig> lastUsed_;        // of the newest finished run
  std::shared_ptr<const Workspace> workspace_;  // may be null
  QString newestFinished_;
  QString baseline_;
  std::shared_ptr<Workspace> storedIn_;  // where the draft is stored; may be null
  bool saveFailed_ = false;
  QTimer delay_, saveDelay_;
  int generation_ = 0;  // of the latest preview request; older results are dropped
  int previewed_ = 0;   // the request that preview_ answers
  struct Counted {
    DataConfig data;
    CountedText text;
  };
  std::optional<Counted> counted_;
};

}  // namespace batchwise
