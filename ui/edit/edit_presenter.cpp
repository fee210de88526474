// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/edit_presenter.h"

#include <QtCore/QFileInfo>
#include <QtCore/QRegularExpression>
#include <algorithm>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/integer_math.h"
#include "core/base/machine.h"
#include "core/config/config_file.h"
#include "core/config/default_values.h"
#include "core/model/hugging_face/hugging_face.h"
#include "core/run/launch/launch_check.h"
#include "core/run/launch/launch_data.h"
#include "core/store/records.h"
#include "ui/edit/config_draft.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"

namespace batchwise {
namespace {

constexpr int kDelayMs = 150;
constexpr int kSaveMs = 800;
constexpr const char* kDraftSetting = "draft";

/// Above this, planning with the length of each sample is too slow for a preview.
constexpr std::int64_t kMaxSamplesPlanned = 4'000'000;

/// Sample lengths from the workspace's token cache; null if the data is not cached.
std::shared_ptr<const Lengths> cachedLengths(const LoadedConfig& loaded, const Workspace* workspace) {
  if (workspace == nullptr) return nullptr;
  const auto data = cachedLaunchData(loaded, workspace->cacheFolder());
  if (!data.ok() || data->train.size() > kMaxSamplesPlanned) return nullptr;
  return std::make_shared<DatasetLengths>(data->train);
}

/// Sample lengths of each stage; empty if the data is not cached, or there is one stage.
std::vector<std::shared_ptr<const Lengths>> cachedLengthsOfStages(const LoadedConfig& loaded,
                                                                  const Workspace* workspace) {
  if (workspace == nullptr || loaded.config.stages.empty()) return {};
  auto lengths = cachedStageLengths(loaded, workspace->cacheFolder());
  return lengths.ok() ? std::move(*lengths) : std::vector<std::shared_ptr<const Lengths>>();
}

/// Plans each run; none of a large sweep, as resolving that many plans takes too long.
std::vector<PlannedRun> runsOfSweep(const LoadedConfig& first, const std::vector<SweepAxis>& axes,
                                    const PlanAssumptions& assumptions, const CostOf& costOf) {
  constexpr std::int64_t kMaxPlanned = 64;
  const std::int64_t size = sweepSize(axes, first.config.zip);
  if (size < 2 || size > kMaxPlanned) return {};
  const auto runs = sweepRuns(first, axes);
  return runs.ok() ? planRuns(*runs, axes, assumptions, costOf) : std::vector<PlannedRun>();
}

/// The memory that a step may take on a device: the limit given, or on processors their share of what is free.
std::optional<std::int64_t> memoryLimitOf(const TrainConfig& config, std::int64_t devices) {
  if (config.devices.memoryLimitBytes || plansGpus(config)) return config.devices.memoryLimitBytes;
  const auto free = machineInfo().availableMemoryBytes;
  return free ? std::optional(*free / std::max<std::int64_t>(1, devices)) : std::nullopt;
}

/// Costs by the measured speeds of the runs of a workspace, which may be null and must outlive the result.
CostOf costsIn(const Workspace* workspace) {
  auto speeds = workspace == nullptr ? nullptr : std::make_shared<MeasuredSpeeds>(*workspace);
  return [speeds](const LoadedConfig& config, const std::vector<Plan::Totals>& stages) {
    return runCost(config, stages, speeds ? speeds->of(config) : std::nullopt, machineInfo());
  };
}

/// Estimates the samples per epoch of text that is not cached: from its lengths at one of `otherLengths`, the longest
/// sequences that it may have been cut to before, else from its size. 0: not known.
std::int64_t estimatedSamples(const LoadedConfig& loaded, std::int64_t bytes,
                              const std::vector<std::int64_t>& otherLengths, const Workspace* workspace) {
  const TrainConfig& config = loaded.config;
  const bool trained = config.tokenizer.path.empty() && config.model.initFrom.empty();
  const TokenizerConfig vocabulary = trained ? config.tokenizer : TokenizerConfig();  // one not read: as usual
  const std::int64_t bySize = estimateSamples(config.data, vocabulary.trainVocabSize, bytes).value_or(0);
  if (config.data.format == TextFormat::Demo) return bySize;
  for (const std::int64_t longest : otherLengths) {
    if (longest == config.data.maxSeqLen) continue;
    LoadedConfig other = loaded;
    other.config.data.maxSeqLen = longest;
    const auto lengths = cachedLengths(other, workspace);
    if (!lengths || lengths->size() == 0) continue;
    const std::int64_t samples = samplesFromOtherLengths(*lengths, longest, config.data.maxSeqLen, bySize);
    if (lengths->intact().ok()) return samples;
  }
  return bySize;
}

/// What is known about the data of a configuration, and the source of the number of samples.
struct KnownData {
  PlanAssumptions assumptions;
  EditPresenter::SampleCountSource source = EditPresenter::SampleCountSource::FileSizes;
};

/// That of the configuration, or of the folder that its model comes from.
std::optional<ModelFamily> familyOf(const LoadedConfig& loaded) {
  const ModelConfig& model = loaded.config.model;
  const std::string& folder = model.initFrom.empty() ? model.tileFrom : model.initFrom;
  if (model.family || folder.empty()) return model.family.value_or(ModelFamily::Bert);
  const auto shape = readFolderShape(loaded.baseFolder / expandedHome(folder));
  return shape.ok() ? std::optional(shape->family) : std::nullopt;
}

/// What is previewed: a run of a sweep, or the only one.
struct PreviewRequest {
  LoadedConfig first, shown;
  std::vector<SweepAxis> axes;
  std::int64_t run = 0;  ///< the place of `shown`
  std::optional<std::int64_t> assumedSamples;
  std::optional<EditPresenter::CountedText> counted;  ///< of the text of `first`
  std::vector<std::int64_t> otherLengths;             ///< see estimatedSamples()
  std::string baseline = {};                          ///< id of a run; empty: none

  /// `bytes`: of the training text on disk.
  KnownData dataOf(const LoadedConfig& each, std::int64_t bytes, const Workspace* workspace) const;
};

KnownData PreviewRequest::dataOf(const LoadedConfig& each, std::int64_t bytes, const Workspace* workspace) const {
  using Source = EditPresenter::SampleCountSource;
  KnownData known;
  PlanAssumptions& assumptions = known.assumptions;
  assumptions.devices = plannedDevices(each.config).devices;
  if (assumedSamples) {
    known.source = Source::User;
    assumptions.samplesPerEpoch = *assumedSamples;
    return known;
  }
  assumptions.lengths = cachedLengths(each, workspace);
  if (assumptions.lengths) known.source = Source::Data;
  assumptions.stageLengths = cachedLengthsOfStages(each, workspace);
  if (counted && each.config.data == first.config.data && !assumptions.lengths) {
    known.source = Source::Documents;
    assumptions.samplesPerEpoch = counted->samples;
    assumptions.tokensPerSample = counted->tokensPerSample;
    return known;
  }
  assumptions.samplesPerEpoch =
      assumptions.lengths ? assumptions.lengths->size() : estimatedSamples(each, bytes, otherLengths, workspace);
  return known;
}

/// Plans all runs of the sweep and adds what that finds to the preview of one, whose data is `known`.
void addSweep(const PreviewRequest& request, const KnownData& known, const Workspace* workspace,
              EditPresenter::Preview& preview) {
  const LoadedConfig& first = request.first;
  preview.estimates.runs = sweepSize(request.axes, first.config.zip);
  preview.estimates.number = request.run + 1;
  if (preview.estimates.runs < 2) return;
  for (FieldProblem& warning : sweepWarnings(request.axes)) preview.warnings.push_back(std::move(warning));
  const auto ofFirst = [&] {
    return request.run == 0 ? known
                            : request.dataOf(first, reviewText(first.config.data, first.baseFolder).bytes, workspace);
  };
  preview.runs = runsOfSweep(first, request.axes, ofFirst().assumptions, costsIn(workspace));
  if (preview.runs.empty()) return;
  preview.estimates.totalSeconds = totalSeconds(preview.runs);
  for (FieldProblem& warning : otherWarnings(preview.runs, preview.warnings))
    preview.warnings.push_back(std::move(warning));
}

/// Returns what keeps the evaluations from being compared with those of the baseline; empty if nothing does.
std::string noteOnBaseline(const PreviewRequest& request, const Workspace* workspace) {
  if (workspace == nullptr || request.baseline.empty()) return {};
  const auto baseline = workspace->findRun(request.baseline);
  return baseline.ok() ? baselineNote(request.shown, *baseline, *workspace) : std::string();
}

EditPresenter::Preview computePreview(const PreviewRequest& request, const Workspace* workspace) {
  EditPresenter::Preview preview;
  const LoadedConfig& loaded = request.shown;
  const TrainConfig& config = loaded.config;
  preview.run = request.run;
  if (std::ranges::find(request.axes, "model.family", &SweepAxis::field) == request.axes.end())
    preview.family = familyOf(loaded);
  preview.text = reviewText(config.data, loaded.baseFolder);
  const KnownData known = request.dataOf(loaded, preview.text.bytes, workspace);
  const PlanAssumptions& assumptions = known.assumptions;
  preview.sampleCountSource = known.source;
  preview.samplesPerEpoch = assumptions.samplesPerEpoch;
  auto plan = previewPlan(config, assumptions);
  if (!plan.ok()) {
    preview.error = problemOf(plan.error());
    addSweep(request, known, workspace, preview);
    return preview;
  }
  preview.plan = std::move(*plan);
  if (auto memory = forecastMemory(loaded, assumptions.devices, assumptions.lengths.get()); memory.ok())
    preview.estimates.memory = *memory;
  preview.estimates.memoryLimit = memoryLimitOf(config, assumptions.devices);
  preview.warnings = reviewWarnings(config, preview.plan, assumptions.lengths.get());
  if (const std::string note = noteOnBaseline(request, workspace); !note.empty())
    preview.warnings.push_back({"data.eval", note});
  preview.estimates.cost = costsIn(workspace)(loaded, preview.plan.stageTotals);
  addSweep(request, known, workspace, preview);
  return preview;
}

/// Returns the configuration that a run was launched with.
LoadedConfig configOf(const RunDetail& run) {
  const auto folder = run.resolvedValues.find("config.folder");  // base of relative paths
  return parseConfig(run.configYaml, run.summary.name,
                     folder == run.resolvedValues.end() ? std::string() : folder->second);
}

/// Returns `settings` with the text and the model of another configuration.
LoadedConfig withTextAndModel(const LoadedConfig& settings, const LoadedConfig& other) {
  TrainConfig config = settings.config;
  config.data = other.config.data;
  config.tokenizer = other.config.tokenizer;
  config.model = other.config.model;
  return parseConfig(configToYaml(config, YamlScope::ChangedOnly), "demo", other.baseFolder);
}

/// First launch error among the runs of a sweep after the first, for which preflight() does all checks.
std::optional<PreflightFinding> firstLaunchProblem(const std::vector<LoadedConfig>& runs) {
  for (std::size_t index = 1; index < runs.size(); ++index) {
    const LoadedConfig checked = checkedForLaunch(runs[index]);
    if (checked.ok()) continue;
    const ConfigIssue& issue = checked.errors.front();
    return PreflightFinding{true, issue.field, inContextText(runContextText(checked.config.name), issue.message), {}};
  }
  return std::nullopt;
}

}  // namespace

EditPresenter::EditPresenter(TaskQueue& tasks, QObject* parent) : QObject(parent), tasks_(tasks) {
  delay_.setSingleShot(true);
  delay_.setInterval(kDelayMs);
  connect(&delay_, &QTimer::timeout, this, &EditPresenter::resolve);
  connect(&draft_, &ConfigDraft::changed, this, [this] {
    previewedRun_ = 0;
    schedulePreview();
  });
  saveDelay_.setSingleShot(true);
  saveDelay_.setInterval(kSaveMs);
  connect(&saveDelay_, &QTimer::timeout, this, &EditPresenter::saveDraft);
  connect(&draft_, &ConfigDraft::changed, &saveDelay_, qOverload<>(&QTimer::start));
}

void EditPresenter::storeDraftIn(std::shared_ptr<Workspace> workspace) {
  saveDraftNow();
  const bool isFirstWorkspace = storedIn_ == nullptr;  // the draft of another one is stored there
  storedIn_ = std::move(workspace);
  schedulePreview();
  if (!storedIn_) return;
  const auto read = [of = storedIn_] { return of->setting(kDraftSetting); };
  tasks_.post(this, read, [this, isFirstWorkspace, of = storedIn_](Result<std::optional<std::string>> text) {
    if (of != storedIn_ || !text.ok() || !text->has_value()) return;
    auto stored = draftFromJson(**text);
    const auto isUntouched = [](const DraftState& draft) {
      return !draft.modified && draft.baseSource == ValueSource::Preset;
    };
    if (!stored.ok() || isUntouched(*stored)) return;
    const bool wasLoadedMeanwhile = isFirstWorkspace && !isUntouched(draft_.state());
    if (wasLoadedMeanwhile) return draft_.offerUndoTo(*stored);
    draft_.restore(std::move(*stored));
    Q_EMIT draftRestored();
  });
}

void EditPresenter::saveDraftNow() {
  if (!storedIn_ || !(saveDelay_.isActive() || saveFailed_)) return;
  saveDelay_.stop();
  saveDraft();
}

void EditPresenter::saveDraft() {
  if (!storedIn_) return;
  tasks_.post(
      this, [to = storedIn_, text = draftToJson(draft_.state())] { return to->saveSetting(kDraftSetting, text); },
      [this](const Result<void>& saved) {
        saveFailed_ = !saved.ok();
        if (saveFailed_) Q_EMIT failed(tr("The draft was not saved: %1").arg(toQt(saved.error().text())));
        Q_EMIT draftWritten();
      },
      TaskQueue::AtEnd::Run);
}

/// Forgets what was found out about the draft, for another one to be loaded: it may well be launched here.
void EditPresenter::forgetDraft() {
  assumedSamples_.reset();
  findings_.clear();
  ++generation_;  // findings on their way are of the previous draft
}

void EditPresenter::loadPreset(const QString& name) {
  forgetDraft();
  draft_.load(loadSweep(name.toStdString()), ValueSource::Preset, name);
}

void EditPresenter::loadNew(const QString& devices) {
  forgetDraft();
  LoadedConfig fresh = newRunConfig();
  if (!devices.isEmpty())
    fresh = parseConfig(fresh.yaml, "demo", fresh.baseFolder, {"devices.use=" + devices.toStdString()});
  const bool takesOver = lastUsed_ && lastUsed_->config.data.format != TextFormat::Demo;
  if (takesOver) fresh = withTextAndModel(fresh, *lastUsed_);
  draft_.load(fresh, ValueSource::Preset, takesOver ? QString() : QStringLiteral("demo"));
}

void EditPresenter::loadFile(const QString& path) {
  tasks_.post(
      this, [file = path.toStdString()] { return loadSweep(file); },
      [this, path](const SweepConfig& loaded) {
        if (loaded.first.yaml.empty() && !loaded.first.ok()) return Q_EMIT failed(toQt(loaded.first.errorText()));
        forgetDraft();
        draft_.load(loaded, ValueSource::File, QFileInfo(path).fileName());
      });
}

void EditPresenter::loadFirstRun(const LoadedConfig& config, const std::optional<CountedText>& counted) {
  forgetDraft();
  if (counted) counted_ = Counted{config.config.data, *counted};
  draft_.load(config, ValueSource::File);  // of no run or file: another run that has its name may differ
}

void EditPresenter::loadImport(const ConfigImport& import, const QString& path) {
  forgetDraft();
  const QFileInfo file(path);
  draft_.load(parseConfig(import.yaml, file.fileName().toStdString(), file.absolutePath().toStdString()),
              ValueSource::File, file.fileName());
}

void EditPresenter::loadRun(const RunDetail& run, const QString& name) {
  loadLike(run, [&name](TrainConfig& config) { config.name = name.toStdString(); });
  draft_.deriveName();
}

void EditPresenter::loadVariant(const RunDetail& run, const QString& experiment, const QString& variant) {
  loadLike(run, [&](TrainConfig& config) {
    config.name.clear();  // made from the experiment
    config.experiment = experiment.toStdString();
    config.variant = variant.toStdString();
  });
}

QString EditPresenter::proposedExperiment(const RunDetail& run) {
  const std::string experiment = parseConfig(run.configYaml, run.summary.name, {}).config.experiment;
  if (!experiment.empty()) return toQt(experiment);
  static const QRegularExpression end(QStringLiteral("([-_ ](seed=?|s|r|run)?\\d+)+$"));
  const QString name = toQt(run.summary.name), stem = QString(name).remove(end);
  QString proposed = stem.isEmpty() ? name : stem;
  while (!findField("experiment")->check(proposed.toStdString()).empty()) proposed.chop(1);  // it is too long
  return proposed.trimmed();
}

/// Loads the configuration that the run was launched with, as `adapt` changes it.
void EditPresenter::loadLike(const RunDetail& run, const std::function<void(TrainConfig&)>& adapt) {
  forgetDraft();
  LoadedConfig loaded = configOf(run);
  if (loaded.ok()) {
    adapt(loaded.config);
    // Read again: a label that is not allowed becomes an issue.
    loaded = parseConfig(configToYaml(loaded.config, YamlScope::ChangedOnly), run.summary.name, loaded.baseFolder);
  }
  draft_.load(loaded, ValueSource::File, toQt(run.summary.name));
}

void EditPresenter::setRuns(std::shared_ptr<const Workspace> workspace, const QString& newestFinished) {
  if (workspace_ == workspace && newestFinished_ == newestFinished) return;
  workspace_ = std::move(workspace);
  newestFinished_ = newestFinished;
  readLastUsed();
  schedulePreview();
}

void EditPresenter::readLastUsed() {
  if (!workspace_ || newestFinished_.isEmpty()) return lastUsed_.reset();
  const auto read = [workspace = workspace_, run = newestFinished_.toStdString()]() -> Result<LoadedConfig> {
    ASSIGN_OR_RETURN(const auto detail, workspace->findRun(run));
    return configOf(detail);
  };
  tasks_.post(this, read, [this, run = newestFinished_](Result<LoadedConfig> config) {
    if (run != newestFinished_) return;
    lastUsed_.reset();
    if (config.ok() && config->ok()) lastUsed_ = std::move(*config);
  });
}

void EditPresenter::previewRun(std::int64_t run) {
  if (previewedRun_ == run || run < 0 || run >= draft_.runs() || !draft_.ready()) return;
  previewedRun_ = run;
  schedulePreview();
}

void EditPresenter::assumeSamples(std::optional<std::int64_t> samples) {
  if (assumedSamples_ == samples) return;
  assumedSamples_ = samples;
  schedulePreview();
}

/// The longest sequences that the text of the draft may have been cut to before, the most likely one first.
std::vector<std::int64_t> EditPresenter::otherLengths() const {
  std::vector<std::int64_t> lengths = {draft_.state().base.data.maxSeqLen};
  for (const std::int64_t other : {lastUsed_ ? lastUsed_->config.data.maxSeqLen : 0, DataConfig().maxSeqLen})
    if (other > 0 && std::ranges::find(lengths, other) == lengths.end()) lengths.push_back(other);
  return lengths;
}

/// What was counted in the text of `config`; none: it is another text, or is cut otherwise.
std::optional<EditPresenter::CountedText> EditPresenter::countedText(const TrainConfig& config) const {
  return counted_ && counted_->data == config.data ? std::optional(counted_->text) : std::nullopt;
}

/// While the mouse drags, plans follow one after the other; else a plan waits for the last of several edits.
void EditPresenter::schedulePreview() {
  const bool isFree = previewed_ == generation_;
  if (!draft_.isDragged() || !delay_.isActive() || !isFree) delay_.start();
  Q_EMIT previewOutdated();
}

void EditPresenter::resolve() {
  const int generation = ++generation_;
  runPreflight();
  PreviewRequest request;
  request.first.config = draft_.config();
  request.first.baseFolder = draft_.baseFolder();
  request.axes = draft_.axes();
  const auto runs = previewedRun_ == 0 ? std::vector<LoadedConfig>() : draft_.loadedRuns();
  if (previewedRun_ >= std::ssize(runs)) previewedRun_ = 0;
  request.run = previewedRun_;
  request.shown = previewedRun_ == 0 ? request.first : runs[static_cast<std::size_t>(previewedRun_)];
  request.assumedSamples = assumedSamples_;
  request.counted = countedText(request.first.config);
  request.otherLengths = otherLengths();
  request.baseline = baseline_.toStdString();
  tasks_.post(
      this, [request, workspace = workspace_] { return computePreview(request, workspace.get()); },
      [this, generation](Preview preview) {
        if (generation != generation_) return;
        stages_.setStages(preview.plan.stages, preview.plan.units);
        preview_ = std::move(preview);
        previewed_ = generation;
        Q_EMIT previewChanged();
      });
}

QString EditPresenter::blockingProblem() const {
  if (findings_.empty() || !findings_.front().fatal) return {};
  const PreflightFinding& first = findings_.front();
  if (first.remedy.empty())
    return QStringLiteral("%1: %2").arg(fieldLabel(first.field.substr(0, first.field.find('['))), formText(first.what));
  return tr("%1. Remedy: %2.", "a problem and its remedy")
      .arg(sentenceCase(formText(findings_.front().what)), formText(findings_.front().remedy));
}

void EditPresenter::runPreflight() {
  if (!draft_.ready()) {  // what was found was about an older draft
    findings_.clear();
    return Q_EMIT findingsChanged();
  }
  if (!storedIn_) return;
  LoadedConfig loaded;
  loaded.config = draft_.config();
  loaded.baseFolder = draft_.baseFolder();
  tasks_.post(
      this,
      [loaded, runs = draft_.loadedRuns(), folder = storedIn_->folder()] {
        auto found = preflight(loaded, folder);
        if (auto other = firstLaunchProblem(runs)) found.push_back(std::move(*other));
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

namespace {

/// Returns the columns for a batch size in samples, or in packs under a token budget.
constexpr std::array<TableModel::Column, StageModel::ColumnCount> columnsIn(TableModel::Column stepSize,
                                                                            const char* microBatches) {
  return {{{"From", true, "Global batches done when the stage begins"},
           {"Batches", true, "Global batches in the stage"},
           {"Parts", true, "Optimizer steps in one global batch"},
           stepSize,
           {"Samples", true, "Samples that one optimizer step takes, over all devices"},
           {"Tokens", true, "Tokens that one optimizer step takes, over all devices"},
           {"Micro-batches", true, microBatches},
           {"Steps", true, "Optimizer steps in the stage"}}};
}

constexpr auto kSampleColumns = columnsIn({"Samples", true, "Samples that one optimizer step takes, over all devices"},
                                          "Micro-batches of a step on each device, times the samples in one");
constexpr auto kPackColumns = columnsIn({"Packs", true, "Packs that one optimizer step takes, over all devices"},
                                        "Micro-batches of a step on each device, times the packs in one");

QString countOr(const std::optional<std::int64_t>& count, const QString& otherwise) {
  return count ? integerText(*count) : otherwise;
}

/// Units in the largest micro-batch: a step is divided evenly over devices, and there over its micro-batches.
std::int64_t largestMicroBatch(const PlannedRange& stage, std::int64_t devices) {
  return ceilDiv(ceilDiv(stage.stepUnits, devices), stage.microBatchesPerStep);
}

/// "86", or "85–86" where the micro-batches differ.
QString microBatchText(const PlannedRange& stage, std::int64_t devices) {
  const std::int64_t least = stage.stepUnits / devices / stage.microBatchesPerStep;
  const std::int64_t most = largestMicroBatch(stage, devices);
  return least == most ? integerText(most) : QStringLiteral("%1–%2").arg(integerText(least), integerText(most));
}

}  // namespace

StageModel::StageModel(QObject* parent) : RowTable(kSampleColumns, parent) {}

QString StageModel::cellText(const PlannedRange& stage, int column) const {
  switch (column) {
    case FromColumn: return integerText(stage.fromBatch);
    case BatchesColumn: return stage.reached ? countOr(stage.globalBatches, tr("to the end")) : tr("not reached");
    case PartsColumn: return integerText(stage.steps);
    case StepSizeColumn: return integerText(stage.stepUnits);
    case SamplesColumn:
      return integerText(std::llround(static_cast<double>(stage.stepUnits) * (units_.packs ? units_.samples : 1)));
    case TokensColumn:
      return toQt(formatCount(static_cast<double>(stage.stepUnits) * stage.tokensPerUnit.value_or(units_.tokens)));
    case MicroBatchesColumn:
      return tr("%1 × %2").arg(integerText(stage.microBatchesPerStep), microBatchText(stage, units_.devices));
    case StepsColumn: return stage.reached ? countOr(stage.optimizerSteps, QStringLiteral("–")) : QStringLiteral("–");
    default: return {};
  }
}

QString StageModel::effectiveBatch(const PlannedRange& stage) const {
  const auto units = static_cast<double>(stage.stepUnits);
  const QString made = tr("Up to %1 in a micro-batch × %2 micro-batches × %3 devices")
                           .arg(integerText(largestMicroBatch(stage, units_.devices)),
                                integerText(stage.microBatchesPerStep), integerText(units_.devices));
  const QString tokens = integerText(std::llround(units * stage.tokensPerUnit.value_or(units_.tokens)));
  const QString batch = integerText(stage.steps * stage.stepUnits);
  if (!units_.packs)
    return tr("%1\nA step takes %2 samples, up to %3 tokens; a global batch takes %4 samples")
        .arg(made, integerText(stage.stepUnits), tokens, batch);
  return tr("%1\nA step takes %2 packs, about %3 samples and %4 tokens; a global batch takes %5 packs")
      .arg(made, integerText(stage.stepUnits), integerText(std::llround(units * units_.samples)), tokens, batch);
}

QString StageModel::optimizerText(const PlannedRange& stage) {
  const QString text = tr("It begins at a rate of %1, %2 times that of the square root rule\n"
                          "The second moment forgets half in %3 steps")
                           .arg(toQt(formatRate(stage.firstRate)), toQt(formatValue(stage.rateOverSqrtRule)),
                                toQt(formatValue(stage.halfLifeSteps)));
  if (stage.extraSteps.value_or(0) <= 0) return text;
  return text + QLatin1Char('\n') + tr("%1 steps more than with full steps").arg(integerText(*stage.extraSteps));
}

QVariant StageModel::cell(int row, int column, int role) const {
  const PlannedRange& stage = this->row(row);
  if (role == Qt::DisplayRole) return cellText(stage, column);
  if (role != Qt::ToolTipRole) return {};
  const QString facts = effectiveBatch(stage) + QLatin1Char('\n') + optimizerText(stage);
  return stage.reached ? facts : tr("The run ends before this stage") + QLatin1Char('\n') + facts;
}

Qt::ItemFlags StageModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = RowTable::flags(index);
  const bool reached = !index.isValid() || row(index.row()).reached;
  return reached ? flags : flags & ~Qt::ItemIsEnabled;
}

void StageModel::setStages(std::vector<PlannedRange> stages, const StageUnits& units) {
  units_ = units;
  setColumns(units.packs ? kPackColumns : kSampleColumns);
  resetRows(std::move(stages));
}

}  // namespace batchwise
