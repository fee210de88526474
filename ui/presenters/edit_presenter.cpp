// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/edit_presenter.h"

#include "core/run/launch_check.h"
#include "core/run/launch_data.h"
#include "ui/models/words.h"

namespace batchwise {
namespace {

constexpr int kDelayMs = 150;

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

EditPresenter::Preview computePreview(const TrainConfig& config, const std::filesystem::path& baseFolder,
                                      std::optional<std::int64_t> assumed, const Workspace* workspace) {
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
    preview.error = toQt(plan.error().text());
    return preview;
  }
  preview.plan = std::move(*plan);
  if (workspace != nullptr) preview.speed = measuredSpeed(*workspace, config);
  return preview;
}

}  // namespace

EditPresenter::EditPresenter(TaskQueue& tasks, QObject* parent) : QObject(parent), tasks_(tasks) {
  delay_.setSingleShot(true);
  delay_.setInterval(kDelayMs);
  connect(&delay_, &QTimer::timeout, this, &EditPresenter::resolve);
  connect(&draft_, &ConfigDraft::changed, this, &EditPresenter::schedulePreview);
}

void EditPresenter::loadDemo() {
  assumedSamples_.reset();
  draft_.load(loadConfig("demo"), ValueSource::Preset);
}

void EditPresenter::loadFile(const QString& path) {
  const LoadedConfig loaded = loadConfig(path.toStdString());
  if (loaded.yaml.empty() && !loaded.ok()) {
    Q_EMIT failed(toQt(loaded.errorText()));
    return;
  }
  assumedSamples_.reset();
  draft_.load(loaded, ValueSource::File);
}

void EditPresenter::loadRun(const RunDetail& run) {
  assumedSamples_.reset();
  const auto folder = run.resolvedValues.find("config.folder");  // relative paths start there
  draft_.load(parseConfig(run.configYaml, run.summary.name,
                          folder == run.resolvedValues.end() ? std::string() : folder->second),
              ValueSource::File);
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
  tasks_.post(
      this,
      [config = draft_.config(), base = draft_.baseFolder(), assumed = assumedSamples_, workspace = workspace_] {
        return computePreview(config, base, assumed, workspace.get());
      },
      [this, generation](Preview preview) {
        if (generation != generation_) return;
        stages_.setStages(preview.plan.stages, preview.plan.units);
        preview_ = std::move(preview);
        Q_EMIT previewChanged();
      });
}

}  // namespace batchwise
