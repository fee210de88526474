// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/edit_presenter.h"

#include <QtCore/QFileInfo>
#include <algorithm>

#include "core/base/mutex.h"
#include "core/config/new_run.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/launch_data.h"
#include "ui/models/draft_text.h"
#include "ui/models/field_words.h"
#include "ui/models/words.h"

namespace batchwise {
namespace {

constexpr int kDelayMs = 150;
constexpr int kSaveMs = 800;
constexpr const char* kDraftSetting = "draft";

/// Above, planning with the length of each sample would keep a person waiting.
constexpr std::int64_t kMostSamplesPlanned = 4'000'000;

/// What the workspace's cache knows about the data; null if it has not been read yet.
std::shared_ptr<const Lengths> cachedLengths(const TrainConfig& config, const std::filesystem::path& baseFolder,
                                             const Workspace* workspace) {
  if (workspace == nullptr) return nullptr;
  LoadedConfig loaded;
  loaded.config = config;
  loaded.baseFolder = baseFolder;
  const auto data = cachedLaunchData(loaded, workspace->cacheFolder());
  if (!data.ok() || data->train.size() > kMostSamplesPlanned) return nullptr;
  return std::make_shared<DatasetLengths>(data->train);
}

/// Nothing if the grid is large: a plan for each of its runs may take a while.
std::optional<double> secondsOfSweep(const LoadedConfig& first, const std::vector<SweepAxis>& axes,
                                     const PlanAssumptions& assumptions, MeasuredSpeeds& speeds) {
  constexpr std::int64_t kMostPlanned = 64;
  if (sweepSize(axes) > kMostPlanned) return std::nullopt;
  const auto runs = sweepRuns(first, axes);
  if (!runs.ok()) return std::nullopt;
  std::vector<TrainConfig> configs;
  for (const LoadedConfig& run : *runs) configs.push_back(run.config);
  return sweepSeconds(configs, assumptions, [&speeds](const TrainConfig& config) { return speeds.of(config); });
}

EditPresenter::Preview computePreview(const TrainConfig& config, const std::vector<SweepAxis>& axes,
                                      const std::filesystem::path& baseFolder, std::optional<std::int64_t> assumed,
                                      const Workspace* workspace) {
  EditPresenter::Preview preview;
  PlanAssumptions assumptions;
  assumptions.devices = plannedDevices(config).devices;
  if (!assumed) assumptions.lengths = cachedLengths(config, baseFolder, workspace);
  if (assumed) {
    preview.samplesFrom = EditPresenter::SamplesFrom::Person;
    preview.samplesPerEpoch = *assumed;
  } else if (assumptions.lengths) {
    preview.samplesFrom = EditPresenter::SamplesFrom::Data;
    preview.samplesPerEpoch = assumptions.lengths->size();
  } else {
    preview.samplesPerEpoch = estimateSamples(config.data, baseFolder).value_or(0);
  }
  assumptions.samplesPerEpoch = preview.samplesPerEpoch;
  auto plan = previewPlan(config, assumptions);
  if (!plan.ok()) {
    preview.error = plan.error().text();
    return preview;
  }
  preview.plan = std::move(*plan);
  LoadedConfig loaded;
  loaded.config = config;
  loaded.baseFolder = baseFolder;
  if (auto memory = forecastMemory(loaded, assumptions.devices, assumptions.lengths.get()); memory.ok())
    preview.outlook.memory = *memory;
  preview.outlook.runs = sweepSize(axes);
  if (workspace == nullptr) return preview;
  MeasuredSpeeds speeds(*workspace);
  preview.outlook.speed = speeds.of(config);
  if (preview.outlook.speed && preview.outlook.runs > 1)
    preview.outlook.secondsOfAll = secondsOfSweep(loaded, axes, assumptions, speeds);
  return preview;
}

/// What a launch would refuse in the runs of a sweep behind the first, which is looked at whole.
std::optional<PreflightFinding> problemOfAny(const std::vector<LoadedConfig>& runs) {
  for (std::size_t index = 1; index < runs.size(); ++index) {
    const LoadedConfig checked = checkedForLaunch(runs[index]);
    if (checked.ok()) continue;
    const ConfigIssue& issue = checked.errors.front();
    return PreflightFinding{true, issue.field, "run " + checked.config.name + ": " + issue.message, {}};
  }
  return std::nullopt;
}

}  // namespace

EditPresenter::EditPresenter(TaskQueue& tasks, QObject* parent) : QObject(parent), tasks_(tasks) {
  delay_.setSingleShot(true);
  delay_.setInterval(kDelayMs);
  connect(&delay_, &QTimer::timeout, this, &EditPresenter::resolve);
  connect(&draft_, &ConfigDraft::changed, this, &EditPresenter::schedulePreview);
  saveDelay_.setSingleShot(true);
  saveDelay_.setInterval(kSaveMs);
  connect(&saveDelay_, &QTimer::timeout, this, &EditPresenter::saveDraft);
  connect(&draft_, &ConfigDraft::changed, &saveDelay_, qOverload<>(&QTimer::start));
}

/// Writes drafts in the order in which they were typed, whichever thread writes them.
class EditPresenter::DraftKeeper {
 public:
  explicit DraftKeeper(std::shared_ptr<Workspace> workspace) : workspace_(std::move(workspace)) {}

  /// Nothing happens if a draft with a higher number has been written.
  Result<void> write(std::int64_t number, const std::string& text) {
    const MutexLock lock(mutex_);
    if (number < written_) return {};
    auto saved = workspace_->saveSetting(kDraftSetting, text);
    if (saved.ok()) written_ = number;
    return saved;
  }
  const Workspace& workspace() const { return *workspace_; }
  Result<std::optional<std::string>> read() const { return workspace_->setting(kDraftSetting); }

 private:
  const std::shared_ptr<Workspace> workspace_;
  Mutex mutex_;
  std::int64_t written_ GUARDED_BY(mutex_) = 0;
};

void EditPresenter::keepDraftIn(std::shared_ptr<Workspace> workspace) {
  saveNow();
  const bool keptBefore = keeper_ != nullptr;  // what is edited is safe in the workspace that was open
  keeper_ = workspace ? std::make_shared<DraftKeeper>(std::move(workspace)) : nullptr;
  schedulePreview();
  if (!keeper_) return;
  const auto read = [keeper = keeper_] { return keeper->read(); };
  tasks_.post(this, read, [this, keptBefore, of = keeper_](Result<std::optional<std::string>> text) {
    if (of != keeper_ || !text.ok() || !text->has_value()) return;
    auto kept = draftFromText(**text);
    const bool untouched = !draft_.modified() && draft_.state().baseSource == ValueSource::Preset;
    if (!kept.ok() || !kept->modified) return;
    // Of a configuration that was asked for meanwhile, the kept draft is one undo away.
    if (!keptBefore && !untouched) return Q_EMIT draft_.edited(*kept, {});
    draft_.restore(std::move(*kept));
    Q_EMIT draftTakenUp();
  });
}

void EditPresenter::saveNow() {
  if (!saveDelay_.isActive() || !keeper_) return;
  saveDelay_.stop();
  const Result<void> saved = keeper_->write(++drafts_, draftToText(draft_.state()));
  if (!saved.ok()) Q_EMIT failed(coreText(saved.error().text()));
}

void EditPresenter::saveDraft() {
  if (!keeper_) return;
  tasks_.post(
      this,
      [keeper = keeper_, number = ++drafts_, text = draftToText(draft_.state())] {
        return keeper->write(number, text);
      },
      [this](const Result<void>& saved) {
        if (!saved.ok()) Q_EMIT failed(coreText(saved.error().text()));
      });
}

void EditPresenter::loadDemo() {
  assumedSamples_.reset();
  draft_.load(loadConfig("demo"), ValueSource::Preset, QStringLiteral("demo"));
}

void EditPresenter::loadNew() {
  assumedSamples_.reset();
  draft_.load(newRunConfig(), ValueSource::Preset, QStringLiteral("demo"));
}

void EditPresenter::loadFile(const QString& path) {
  const SweepConfig loaded = loadSweep(path.toStdString());
  if (loaded.first.yaml.empty() && !loaded.first.ok()) {
    Q_EMIT failed(coreText(loaded.first.errorText()));
    return;
  }
  assumedSamples_.reset();
  draft_.load(loaded, ValueSource::File, QFileInfo(path).fileName());
}

void EditPresenter::loadImport(const ConfigImport& import, const QString& path) {
  assumedSamples_.reset();
  const QFileInfo file(path);
  draft_.load(parseConfig(import.yaml, file.fileName().toStdString(), file.absolutePath().toStdString()),
              ValueSource::File, file.fileName());
}

void EditPresenter::loadRun(const RunDetail& run, const QString& name) {
  assumedSamples_.reset();
  const auto folder = run.resolvedValues.find("config.folder");  // relative paths start there
  LoadedConfig loaded = parseConfig(run.configYaml, run.summary.name,
                                    folder == run.resolvedValues.end() ? std::string() : folder->second);
  if (loaded.ok()) {
    loaded.config.name = name.toStdString();
    loaded.yaml = configToYaml(loaded.config, YamlScope::ChangedOnly);
  }
  draft_.load(loaded, ValueSource::File, toQt(run.summary.name));
}

void EditPresenter::setRuns(std::shared_ptr<const Workspace> workspace, const QString& newestFinished) {
  if (workspace_ == workspace && newestFinished_ == newestFinished) return;
  workspace_ = std::move(workspace);
  newestFinished_ = newestFinished;
  schedulePreview();
}

void EditPresenter::assumeSamples(std::optional<std::int64_t> samples) {
  if (assumedSamples_ == samples) return;
  assumedSamples_ = samples;
  schedulePreview();
}

void EditPresenter::schedulePreview() {
  delay_.start();
}

void EditPresenter::resolve() {
  const int generation = ++generation_;
  lookAround();
  tasks_.post(
      this,
      [config = draft_.config(), axes = draft_.axes(), base = draft_.baseFolder(), assumed = assumedSamples_,
       workspace = workspace_] { return computePreview(config, axes, base, assumed, workspace.get()); },
      [this, generation](Preview preview) {
        if (generation != generation_) return;
        stages_.setStages(preview.plan.stages, preview.plan.units);
        preview_ = std::move(preview);
        Q_EMIT previewChanged();
      });
}

QString EditPresenter::obstacle() const {
  if (findings_.empty() || !findings_.front().fatal) return {};
  const PreflightFinding& first = findings_.front();
  if (first.remedy.empty())
    return QStringLiteral("%1: %2").arg(fieldLabel(first.field.substr(0, first.field.find('['))), coreText(first.what));
  return tr("%1. What would do: %2.", "a problem and its remedy")
      .arg(sentenceCase(coreText(findings_.front().what)), coreText(findings_.front().remedy));
}

void EditPresenter::lookAround() {
  if (!keeper_ || !draft_.ready()) return;
  LoadedConfig loaded;
  loaded.config = draft_.config();
  loaded.baseFolder = draft_.baseFolder();
  tasks_.post(
      this,
      [loaded, runs = draft_.loadedRuns(), folder = keeper_->workspace().folder()] {
        auto found = preflight(loaded, folder);
        if (auto other = problemOfAny(runs)) found.push_back(std::move(*other));
        std::stable_sort(found.begin(), found.end(),
                         [](const PreflightFinding& a, const PreflightFinding& b) { return a.fatal && !b.fatal; });
        return found;
      },
      [this, generation = generation_](std::vector<PreflightFinding> found) {
        if (generation != generation_) return;
        findings_ = std::move(found);
        Q_EMIT findingsChanged();
      });
}

}  // namespace batchwise
