// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/first_run_presenter.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/machine.h"
#include "core/base/output_file.h"
#include "core/plan/lengths.h"
#include "core/plan/microbatch_search.h"
#include "core/run/launch/memory_forecast.h"
#include "core/run/launch/preflight.h"
#include "ui/edit/plan_preview.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr int kSurveyPollMs = 100;

/// The name of the first file or folder, without its ending.
std::string runNameFor(const QStringList& paths) {
  const QFileInfo first(paths.front());
  const QString name = first.isDir() ? first.fileName() : first.baseName();
  constexpr int kLongest = 60;
  return name.left(kLongest).trimmed().toStdString();
}

LoadedConfig loadedPlan(const TrainConfig& config) {
  LoadedConfig loaded;
  loaded.config = config;
  return loaded;
}

/// Samples of the usual length, one of them of the maximum length.
ListedLengths typicalLengths(const FirstConfig& first) {
  constexpr std::size_t kSamples = 1000;
  std::vector<std::uint32_t> lengths(kSamples, static_cast<std::uint32_t>(first.tokensPerSample));
  lengths.back() = static_cast<std::uint32_t>(std::max(kShortestSequence, first.config.data.maxSeqLen));
  return ListedLengths(std::move(lengths));
}

std::optional<RunCost> costOf(const FirstConfig& first, std::int64_t devices, const Workspace* workspace) {
  PlanAssumptions assumptions;
  assumptions.devices = devices;
  const auto trained = static_cast<double>(first.samples) * (1.0 - first.config.data.holdout.value_or(0.0));
  assumptions.lengths = std::make_shared<EqualLengths>(std::max<std::int64_t>(1, std::llround(trained)),
                                                       static_cast<std::uint32_t>(first.tokensPerSample));
  const auto plan = resolvePlan(first.config, assumptions);
  if (!plan.ok()) return std::nullopt;
  const auto speed = workspace == nullptr ? std::nullopt : MeasuredSpeeds(*workspace).of(loadedPlan(first.config));
  return runCost(loadedPlan(first.config), totalsOfStages(*plan), speed, machineInfo());
}

/// Ends the run after the tokens that fit into `minutes`: the schedule needs an end that can be counted.
void endWithin(std::int64_t minutes, FirstRunPlan& plan, std::int64_t devices, const Workspace* workspace) {
  FirstConfig epoch = plan.first;
  epoch.config.maxDuration = Time::of(1, TimeUnit::Epoch);
  const auto cost = costOf(epoch, devices, workspace);
  if (!cost || cost->seconds <= 0) return;
  const double tokens = cost->tokens * 60 * static_cast<double>(minutes) / cost->seconds;
  plan.first.config.maxDuration = Time::of(std::max<std::int64_t>(1, std::llround(tokens)), TimeUnit::Token);
  plan.minutes = minutes;
}

FirstRunPlan planFor(const FirstRun& run, std::optional<std::int64_t> minutes, const Workspace* workspace) {
  FirstRunPlan plan;
  plan.first = firstConfig(run, machineInfo());
  const std::int64_t devices = plannedDevices(plan.first.config).devices;
  if (minutes) endWithin(*minutes, plan, devices, workspace);
  const LoadedConfig loaded = loadedPlan(plan.first.config);
  const ListedLengths lengths = typicalLengths(plan.first);
  if (const auto memory = forecastMemory(loaded, devices, &lengths); memory.ok()) {
    plan.memoryBytes = memory->perDevice.total();
    plan.parameters = memory->shape.parameterCount();
  }
  plan.cost = costOf(plan.first, devices, workspace);
  if (workspace != nullptr) plan.findings = preflight(loaded, workspace->folder());
  std::stable_sort(plan.findings.begin(), plan.findings.end(),
                   [](const PreflightFinding& a, const PreflightFinding& b) { return a.fatal && !b.fatal; });
  return plan;
}

}  // namespace

struct FirstRunPresenter::Reading {
  std::atomic<int> percent = 0;  // written by the queue's thread
  std::stop_source stop;
};

FirstRunPresenter::FirstRunPresenter(WorkspacePresenter& workspace, TrainerSource trainer, QObject* parent)
    : QObject(parent), workspace_(workspace), trainer_(std::move(trainer)) {
  poll_.setInterval(kSurveyPollMs);
  connect(&poll_, &QTimer::timeout, this, &FirstRunPresenter::progressChanged);
}

FirstRunPresenter::~FirstRunPresenter() {
  for (const auto& reading : {survey_, drawing_})
    if (reading) reading->stop.request_stop();
}

template <typename Work, typename Done>
void FirstRunPresenter::post(Work work, Done done) {
  ++reading_;
  poll_.start();
  tasks_.post(this, std::move(work), [this, done = std::move(done)](auto result) {
    if (--reading_ == 0) poll_.stop();
    done(std::move(result));
    Q_EMIT changed();
  });
}

void FirstRunPresenter::clear(const QString& devices) {
  devices_ = devices;
  ++models_;
  model_.reset();
  generalPaths_.clear();
  cancel();
}

void FirstRunPresenter::cancel() {
  for (const auto& reading : {survey_, drawing_})
    if (reading) reading->stop.request_stop();
  survey_.reset();
  drawing_.reset();
  drawn_.reset();
  generalProblem_.clear();
  paths_.clear();
  text_.reset();
  plan_.reset();
  ++plans_;
  problem_.clear();
  Q_EMIT changed();
}

int FirstRunPresenter::percent() const {
  return survey_ ? survey_->percent.load() : 0;
}

void FirstRunPresenter::chooseText(const QStringList& paths) {
  if (paths.isEmpty()) return;
  cancel();
  paths_ = paths;
  format_.reset();
  textField_.clear();
  preset_.reset();
  epochs_.reset();
  minutes_.reset();
  survey();
}

/// Returns whether text() is what the present choices lead to.
bool FirstRunPresenter::isCurrent() const {
  return text_ && !reading() && problem_.isEmpty();
}

void FirstRunPresenter::setFormat(TextFormat format) {
  if (paths_.isEmpty() || (isCurrent() && text_->format == format)) return;
  format_ = format;
  textField_.clear();
  survey();
}

void FirstRunPresenter::setTextField(const QString& field) {
  if (paths_.isEmpty() || field.isEmpty() || (isCurrent() && toQt(text_->textField) == field)) return;
  if (text_) format_ = text_->format;
  textField_ = field;
  survey();
}

void FirstRunPresenter::setPreset(ModelPreset preset) {
  preset_ = preset;
  epochs_.reset();
  makePlan();
}

void FirstRunPresenter::setEpochs(std::int64_t epochs) {
  epochs_ = epochs;
  minutes_.reset();
  makePlan();
}

void FirstRunPresenter::setMinutes(std::int64_t minutes) {
  minutes_ = minutes;
  makePlan();
}

void FirstRunPresenter::survey() {
  if (survey_) survey_->stop.request_stop();
  survey_ = std::make_shared<Reading>();
  problem_.clear();
  plan_.reset();
  ++plans_;
  SurveyRequest request;
  for (const QString& path : paths_) request.paths.push_back(path.toStdString());
  request.format = format_;
  request.textField = textField_.toStdString();
  const auto started = survey_;
  post(
      [request, started](const std::stop_token& closing) {
        const std::stop_callback alsoThen(closing, [&started] { started->stop.request_stop(); });
        const auto progress = [&started](const PrepareProgress& at) {
          started->percent = at.totalBytes > 0 ? static_cast<int>(100 * at.doneBytes / at.totalBytes) : 0;
        };
        return surveyText(request, progress, started->stop.get_token());
      },
      [this, started](Result<TextSurvey> found) {
        if (started != survey_) return;  // canceled, or replaced by another one
        if (found.ok()) {
          text_ = std::move(*found);
          return drawGeneral();
        }
        // A wrong format or field can be changed only while the choices for it are shown.
        if (!format_) text_.reset();
        problem_ = sentenceCase(toQt(found.error().text()));
      });
  Q_EMIT changed();
}

void FirstRunPresenter::chooseGeneral(const QStringList& paths) {
  generalPaths_ = paths;
  drawGeneral();
}

/// Draws as many general documents as the user's text calls for.
void FirstRunPresenter::drawGeneral() {
  if (drawing_) drawing_->stop.request_stop();
  drawing_.reset();
  drawn_.reset();
  generalProblem_.clear();
  plan_.reset();
  ++plans_;
  const auto workspace = workspace_.workspace();
  if (generalPaths_.isEmpty() || !text_ || !workspace) return makePlan();
  drawing_ = std::make_shared<Reading>();
  GeneralTextRequest request;
  for (const QString& path : generalPaths_) request.paths.push_back(path.toStdString());
  request.own = *text_;
  request.holdout = firstHoldout(*text_);
  post(
      [request, started = drawing_, name = fileNameFor(toQt(runNameFor(paths_))).toStdString(),
       folder = workspace->folder()](const std::stop_token& closing) {
        const std::stop_callback alsoThen(closing, [&started] { started->stop.request_stop(); });
        return DrawnText::draw(request, name, folder, started->stop.get_token());
      },
      [this, started = drawing_](Result<std::shared_ptr<DrawnText>> drawn) {
        if (started != drawing_) return;  // canceled, or replaced by another one
        if (drawn.ok()) {
          drawn_ = std::move(*drawn);
          return makePlan();
        }
        generalProblem_ = sentenceCase(toQt(drawn.error().text()));
      });
  Q_EMIT changed();
}

/// There is no model until this one has been read.
void FirstRunPresenter::readModel(std::function<Result<StartingModel>()> read) {
  problem_.clear();
  model_.reset();
  plan_.reset();
  ++plans_;
  post(std::move(read), [this, number = ++models_](Result<StartingModel> model) {
    if (number != models_) return;
    if (!model.ok()) {
      problem_ = sentenceCase(toQt(model.error().text()));
      return;
    }
    model_ = std::move(*model);
    preset_.reset();
    makePlan();
  });
  Q_EMIT changed();
}

void FirstRunPresenter::chooseModel(const QString& folder) {
  readModel([path = folder.toStdString()]() -> Result<StartingModel> { return inspectStartingModel(path); });
}

QString FirstRunPresenter::modelsFolder() {
  const std::filesystem::path beside = defaultWorkspacePath();
  return (beside.empty() ? QDir::tempPath() + QStringLiteral("/batchwise") : toQt(beside.native())) +
         QStringLiteral("-models");
}

void FirstRunPresenter::chooseRun(const QString& run, const QString& name) {
  const auto workspace = workspace_.workspace();
  if (!workspace) return;
  const QString folder = QStringLiteral("%1/%2-%3").arg(modelsFolder(), fileNameFor(name), run);
  readModel([trainer = trainer_, from = workspace->folder(), run = run.toStdString(),
             to = folder.toStdString()]() -> Result<StartingModel> {
    RETURN_IF_ERROR(makeFolders(std::filesystem::path(to).parent_path()));
    ASSIGN_OR_RETURN(const auto loaded, trainer());
    const auto written = loaded->exportHuggingFace(from, run, {}, to, Replaces::Nothing);
    if (!written.ok()) return written.error();
    return inspectStartingModel(to);
  });
}

void FirstRunPresenter::makePlan() {
  plan_.reset();
  ++plans_;
  Q_EMIT changed();
  if (!text_ || (model_ && !model_->problems.empty()) || (!generalPaths_.isEmpty() && !drawn_)) return;
  FirstRun run;
  run.name = runNameFor(paths_);
  if (model_) run.name += "-" + tr("continued", "end of the name of a run").toStdString();
  for (const QString& path : paths_) run.paths.push_back(path.toStdString());
  run.text = *text_;
  if (!devices_.isEmpty()) run.devices = devices_.toStdString();
  run.preset = preset_;
  run.epochs = epochs_;
  run.model = model_;
  if (drawn_) run.general = drawn_->text();
  tasks_.post(
      this,
      [run, minutes = minutes_, workspace = workspace_.workspace()] { return planFor(run, minutes, workspace.get()); },
      [this, number = plans_](FirstRunPlan plan) {
        if (number != plans_) return;
        plan_ = std::move(plan);
        Q_EMIT changed();
      });
}

void FirstRunPresenter::accept() {
  const TrainConfig config = plan_->first.config;
  const auto propose = [this](const TrainConfig& proposed) {
    Q_EMIT accepted(parseConfig(configToYaml(proposed, YamlScope::ChangedOnly), proposed.name, {}));
  };
  if (!drawn_) return propose(config);
  accepting_ = true;
  post([drawn = drawn_] { return drawn->keep(); },
       [this, config, propose, number = plans_, drawn = drawn_](const Result<GeneralText>& kept) {
         accepting_ = false;
         if (number != plans_) return;  // canceled, or something else was chosen
         generalProblem_ = kept.ok() ? QString() : sentenceCase(toQt(kept.error().text()));
         if (!kept.ok()) return;
         drawn->release();
         const GeneralText& before = drawn->text();
         TrainConfig proposed = config;
         for (TextSource& source : proposed.data.train.sources)
           std::ranges::replace(source.text, before.train.native(), kept->train.native());
         for (EvalSetConfig& set : proposed.eval.sets)
           std::ranges::replace(set.text, before.eval.native(), kept->eval.native());
         propose(proposed);
       });
  Q_EMIT changed();
}

}  // namespace batchwise
