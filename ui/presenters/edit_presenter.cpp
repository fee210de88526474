// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/edit_presenter.h"

#include "ui/models/words.h"

namespace batchwise {
namespace {

constexpr int kDelayMs = 150;

EditPresenter::Preview computePreview(const TrainConfig& config, const std::filesystem::path& baseFolder,
                                      std::optional<std::int64_t> assumed, const Workspace* workspace) {
  EditPresenter::Preview preview;
  preview.estimated = !assumed.has_value();
  preview.samplesPerEpoch = assumed ? *assumed : estimateSamples(config.data, baseFolder).value_or(0);
  auto plan = previewPlan(config, {preview.samplesPerEpoch, 1});
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
