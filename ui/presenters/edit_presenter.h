// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QTimer>
#include <optional>

#include "core/config/import/config_import.h"
#include "core/run/launch/preflight.h"
#include "core/store/records.h"
#include "ui/bridge/task_queue.h"
#include "ui/models/config_draft.h"
#include "ui/models/stage_model.h"
#include "ui/presenters/plan_facts.h"

namespace batchwise {

/// The configuration being edited, and what it would do. GUI thread; plans are resolved on the task queue.
class EditPresenter final : public QObject {
  Q_OBJECT

 public:
  explicit EditPresenter(TaskQueue& tasks, QObject* parent = nullptr);

  /// Starts from the bundled preset `demo`.
  void loadDemo();
  /// Starts from its settings, without its name.
  void loadNew();
  /// Starts from a file. Errors in it stay in the draft; one that cannot be read at all arrives as failed().
  void loadFile(const QString& path);
  /// Starts from what the configuration of another trainer, in the file `path`, became.
  void loadImport(const ConfigImport& import, const QString& path);
  /// Starts from the configuration that a run was launched with, as a run called `name`.
  void loadRun(const RunDetail& run, const QString& name);

  ConfigDraft& draft() { return draft_; }
  StageModel& stages() { return stages_; }

  /// Where the number of samples comes from: the text as it was tokenised before, or an estimate.
  enum class SamplesFrom { FileSizes, Data, Person };
  struct Preview {
    PlanPreview plan;
    PlanOutlook outlook;
    std::int64_t samplesPerEpoch = 0;  ///< 0: not known
    SamplesFrom samplesFrom = SamplesFrom::FileSizes;
    std::string error;  ///< of core, why there is no plan; empty if there is one
  };
  const Preview& preview() const { return preview_; }
  /// What the machine lacks for the draft, fatal things first.
  const std::vector<PreflightFinding>& findings() const { return findings_; }
  /// What keeps the draft from being launched on this machine, with what would do; empty: nothing does.
  QString obstacle() const;
  /// Keeps the draft in this workspace from now on, and takes up what was kept there, unless a draft of this program
  /// would be lost. Null: keeps nothing.
  void keepDraftIn(std::shared_ptr<Workspace> workspace);
  /// Saves what was edited last without waiting for a pause in typing: the window closes. Blocks for one small write.
  void saveNow();
  /// Where runs are looked up for their speed. `newestFinished`, an id, tells when to look again.
  void setRuns(std::shared_ptr<const Workspace> workspace, const QString& newestFinished);
  /// What the preview takes an epoch to have; nothing: estimated.
  void assumeSamples(std::optional<std::int64_t> samples);

 Q_SIGNALS:
  void previewChanged();
  void findingsChanged();
  void failed(const QString& message);
  /// The draft that was kept in the workspace is back.
  void draftTakenUp();

 private:
  void schedulePreview();
  void saveDraft();
  void resolve();
  void lookAround();

  TaskQueue& tasks_;
  ConfigDraft draft_;
  StageModel stages_;
  Preview preview_;
  std::vector<PreflightFinding> findings_;
  std::optional<std::int64_t> assumedSamples_;
  std::shared_ptr<const Workspace> workspace_;  // may be null
  QString newestFinished_;
  class DraftKeeper;
  std::shared_ptr<DraftKeeper> keeper_;  // may be null
  std::int64_t drafts_ = 0;              // begun to be written
  QTimer delay_, saveDelay_;
  int generation_ = 0;  // of the preview asked for; older answers are dropped
};

}  // namespace batchwise
