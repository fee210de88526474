// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config/choices.h"
#include "core/config/time/time.h"

namespace batchwise {

// The configuration of a run as plain values. Meaning, unit, range and default text of each field are declared once, in
// fields_*.cpp. An empty optional means "derived when the run is resolved".

struct ModelConfig {
  std::optional<ModelFamily> family;       ///< empty: that of initFrom, else BERT
  ModelPreset preset = ModelPreset::Base;  ///< overridden by sizes below
  std::string initFrom;                    ///< folder in the Hugging Face layout; empty: fresh weights
  std::string tileFrom;                    ///< folder of a smaller model of the same family, tiled
  std::optional<std::int64_t> hiddenSize;
  std::optional<std::int64_t> numHiddenLayers;
  std::optional<std::int64_t> numAttentionHeads;
  std::optional<std::int64_t> numKeyValueHeads;
  std::optional<std::int64_t> intermediateSize;
  std::optional<std::int64_t> maxPositionEmbeddings;
  std::optional<std::int64_t> typeVocabSize;
  std::optional<std::int64_t> globalAttnEveryNLayers;
  std::optional<std::int64_t> localAttention;  ///< tokens of the window of the other layers
  std::optional<double> ropeTheta;             ///< of layers with global attention
  std::optional<double> localRopeTheta;
  std::int64_t padVocabToMultipleOf = 1;
  bool extendVocab = false;  ///< adds rows for tokens that initFrom does not have
  std::optional<Activation> hiddenAct;
  std::optional<double> hiddenDropoutProb;
  double attentionProbsDropoutProb = 0.0;
  std::optional<double> initializerRange;
  std::optional<double> layerNormEps;
  std::optional<NormPlacement> norm;
  double attentionLogitL2 = 0.0;
  double layerDrop = 0.0;
  std::optional<WeightTying> tieWordEmbeddings;
  bool operator==(const ModelConfig&) const = default;
};

struct TokenizerConfig {
  std::string path;                                    ///< folder with tokenizer.json or vocab.txt; empty: train one
  TokenizerKind trainKind = TokenizerKind::WordPiece;  ///< tokenizer.train.kind
  std::int64_t trainVocabSize = 30522;                 ///< tokenizer.train.vocab_size
  bool lowercase = true;
  bool operator==(const TokenizerConfig&) const = default;
};

/// A named part of the training text.
struct TextSource {
  std::string name;               ///< empty: the only one, of a plain list
  std::vector<std::string> text;  ///< files, folders or patterns
  std::optional<double> weight;   ///< of its tokens in the mixture; all sources have one, or none
  bool operator==(const TextSource&) const = default;
};

/// The training text: a plain list of files, folders or patterns, or named sources.
struct TrainingText {
  TrainingText() = default;
  TrainingText(std::vector<std::string> text) {
    if (!text.empty()) sources.push_back({{}, std::move(text), {}});
  }
  TrainingText(std::initializer_list<std::string> text) : TrainingText(std::vector<std::string>(text)) {}

  bool empty() const { return sources.empty(); }
  bool hasNames() const { return !empty() && !sources.front().name.empty(); }
  /// Returns the files, folders and patterns of all sources.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const TextSource& source : sources) all.insert(all.end(), source.text.begin(), source.text.end());
    return all;
  }
  bool operator==(const TrainingText&) const = default;

  std::vector<TextSource> sources;
};

struct DataConfig {
  TrainingText train;
  double temperature = 1.0;  ///< of the shares of the sources
  bool removeDuplicates = false;
  std::vector<std::string> eval;
  TextFormat format = TextFormat::Text;
  std::string textField = "text";
  std::int64_t maxSeqLen = 128;
  bool shuffle = true;
  double mlmProbability = 0.15;
  std::optional<double> mlmProbabilityEnd;  ///< reached linearly at the end of the run; empty: constant
  MaskUnit maskUnit = MaskUnit::Tokens;
  bool joinDocuments = false;
  bool documentSeparator = true;          ///< [SEP] between joined documents
  bool attentionAcrossDocuments = false;  ///< of joined documents
  std::optional<double> holdout;          ///< unset: see automaticHoldout(); none beside eval.sets
  std::int64_t demoSeed = 17;             ///< of the demo's text; does not follow the seed of the run
  bool operator==(const DataConfig&) const = default;
};

struct RampLevelConfig {
  Time at;
  std::int64_t globalTrainBatchSize = 0;
  bool operator==(const RampLevelConfig&) const = default;
};

/// Stages that follow from the decay of the schedule (Seesaw), see core/plan/seesaw.h.
struct SeesawConfig {
  std::optional<double> factor;  ///< of each stage; set: enables it
  std::string cap = "4x";        ///< of the step size: a size, or a multiple of the initial one
  bool enabled() const { return factor.has_value(); }
  bool operator==(const SeesawConfig&) const = default;
};

struct RampupConfig {
  std::optional<Time> duration;
  std::optional<std::int64_t> initialGlobalTrainBatchSize;
  RampGrowth growth = RampGrowth::Doubling;
  std::optional<std::int64_t> increment;
  RampSpacing spacing = RampSpacing::Samples;
  std::vector<RampLevelConfig> stages;
  SeesawConfig fromSchedule;
  bool enabled() const { return duration.has_value() || !stages.empty() || fromSchedule.enabled(); }
  bool operator==(const RampupConfig&) const = default;
};

/// log(size in samples) = a + c log(tokens)
struct CriticalBatchConfig {
  std::optional<double> a, c;
  bool operator==(const CriticalBatchConfig&) const = default;
};

struct GrowthConfig {
  GrowthPreset rule = GrowthPreset::None;
  std::vector<double> values;         ///< of the rule
  std::string increaseFunction;       ///< the new global size
  std::string batchIncreaseFunction;  ///< the increment
  Time every = Time::of(1, TimeUnit::Epoch);
  std::optional<Time> dwell;  ///< least time at a size
  CriticalBatchConfig criticalBatch;
  GrowthBound bound = GrowthBound::None;
  bool allowDecrease = false;
  bool enabled() const {
    return rule != GrowthPreset::None || !increaseFunction.empty() || !batchIncreaseFunction.empty();
  }
  bool operator==(const GrowthConfig&) const = default;
};

struct TokenBudgetConfig {
  std::optional<std::int64_t> maxTokens;  ///< set: enables the token budget
  PickingOrder sequencePickingOrder = PickingOrder::DataLoader;
  std::int64_t minBatchSize = 1;
  std::optional<std::int64_t> maxBatchSize;
  bool requiredMicrobatchesOfSameSize = false;
  bool requiredMicrobatchesOfSameSeqlen = false;
  PackMethod packing = PackMethod::InOrder;
  PackCount count = PackCount::Real;
  SmallPacks onSmallPack = SmallPacks::Keep;
  std::string metricsPath;
  bool enabled() const { return maxTokens.has_value(); }
  bool operator==(const TokenBudgetConfig&) const = default;
};

struct BatchConfig {
  std::int64_t globalTrainBatchSize = 256;
  std::optional<std::int64_t> deviceTrainMicrobatchSize;  ///< empty: auto
  SizeRounding round = SizeRounding::None;                ///< for auto
  double reserve = 0.1;                                   ///< share of the memory limit that auto leaves free
  bool useMaximumBatchSize = false;
  RampupConfig rampup;
  GrowthConfig growth;
  TokenBudgetConfig tokens;
  bool operator==(const BatchConfig&) const = default;
};

struct OptimizerConfig {
  OptimizerName name = OptimizerName::AdamW;
  double lr = 5e-4;
  std::vector<double> betas = {0.9, 0.98};
  std::optional<Time> beta2HalfLife;  ///< tok; set: replaces the second of betas
  double eps = 1e-6;
  double weightDecay = 0.01;
  WeightDecayClock weightDecayFollows = WeightDecayClock::Steps;
  bool decoupleLr = false;    ///< decay by rate / peak rate instead of the rate
  double gradClipNorm = 1.0;  ///< 0: no clipping
  bool operator==(const OptimizerConfig&) const = default;
};

/// A schedule and its parameters, with Composer's names. `parts` only for `chain`.
struct SchedulerConfig {
  std::string name = "linear_with_warmup";
  std::optional<Time> tWarmup, tMax, stepSize, decayPeriod, t0, tDecay, tCosine, tCooldown;
  std::vector<Time> milestones;
  std::optional<double> alpha, alphaI, alphaF, alphaS, gamma, power, tMult, lrShrink, warmupInitLr, expFactor;
  RampShape warmupSchedule = RampShape::Linear;    ///< of cosine_inverse_sqrt
  RampShape cooldownSchedule = RampShape::Linear;  ///< of cosine_inverse_sqrt
  DecayShape decaySchedule = DecayShape::Linear;   ///< of warmup_stable_decay
  bool scaleWarmup = false;
  std::optional<WarmupStart> warmupFrom;  ///< empty: see fillWarmupStart()
  WithinBatch withinBatch = WithinBatch::Hold;
  std::string expression;
  std::optional<Time> length;  ///< of a part of a chain; empty: `rest`
  bool rest = false;
  std::vector<SchedulerConfig> parts;
  bool operator==(const SchedulerConfig&) const = default;
};

struct LrScalingConfig {
  LrScalingMethod method = LrScalingMethod::None;
  double exponent = 0.5;  ///< of Power
  std::optional<std::int64_t> referenceBatchSize;
  StepSizeUnit by = StepSizeUnit::Samples;
  std::vector<StepSizeCause> appliesTo = {StepSizeCause::Tokens, StepSizeCause::Growth};
  bool operator==(const LrScalingConfig&) const = default;
};

/// A named set of evaluation text: a series of its own, "eval.<name>.loss".
struct EvalSetConfig {
  std::string name;
  std::vector<std::string> text;  ///< files, folders or patterns
  double weight = 1.0;            ///< in the mean over the sets
  bool operator==(const EvalSetConfig&) const = default;
};

struct EvalConfig {
  std::optional<std::vector<Time>> interval;
  std::optional<std::int64_t> microbatchSize;
  std::int64_t seed = 0;  ///< of the masks; does not follow the seed of the run
  double mlmProbability = 0.15;
  std::int64_t draws = 1;  ///< of masks
  std::vector<EvalSetConfig> sets;
  bool operator==(const EvalConfig&) const = default;
};

struct CheckpointConfig {
  std::optional<std::vector<Time>> interval;
  std::int64_t keepLast = 3;
  std::int64_t keepBest = 1;
  EvalMetric bestMetric = EvalMetric::Loss;
  std::optional<Time> keepEvery;
  bool operator==(const CheckpointConfig&) const = default;
};

struct DevicesConfig {
  std::string use = "auto";  ///< auto, cpu, cpu:N, cuda, cuda:0,1
  bool deterministic = true;
  std::optional<std::int64_t> memoryLimitBytes;  ///< per device
  std::optional<std::int64_t> threads;           ///< per device
  bool activationCheckpointing = false;
  bool operator==(const DevicesConfig&) const = default;
};

struct LogConfig {
  Time interval = Time::of(1, TimeUnit::Batch);
  bool everyStep = false;
  NoiseScaleMode noiseScale = NoiseScaleMode::Off;
  std::optional<Time> noiseHalfLife;  ///< in tok; empty: NoiseEstimator's choice
  std::string tensorboard;            ///< folder; empty: none
  bool operator==(const LogConfig&) const = default;
};

struct SpikeGuardConfig {
  GuardAction action = GuardAction::Note;
  double sigma = 6.0;
  std::int64_t window = 128;  ///< steps
  bool operator==(const SpikeGuardConfig&) const = default;
};

struct PlateauGuardConfig {
  GuardAction action = GuardAction::Off;  ///< Off to Stop
  std::int64_t window = 1000;             ///< global batches
  double minDelta = 0.01;                 ///< nats
  bool operator==(const PlateauGuardConfig&) const = default;
};

/// Limit of a metric of each step.
struct LimitGuardConfig {
  GuardAction action = GuardAction::Off;
  double limit = 100.0;
  bool scaleWithBatch = false;  ///< of the gradient norm only
  bool operator==(const LimitGuardConfig&) const = default;
};

struct EarlyStopConfig {
  GuardAction action = GuardAction::Off;  ///< Off to Stop
  EvalMetric metric = EvalMetric::Loss;
  std::int64_t patience = 5;  ///< evaluations
  double minDelta = 0.0;
  bool operator==(const EarlyStopConfig&) const = default;
};

struct HangGuardConfig {
  GuardAction action = GuardAction::Stop;  ///< Off, Note or Stop
  double minimumSec = 60.0;
  double factor = 10.0;
  bool operator==(const HangGuardConfig&) const = default;
};

struct GuardConfig {
  GuardAction nonFinite = GuardAction::Stop;  ///< after a step whose gradient is not finite; Pause to RollBack
  std::int64_t nonFiniteLimit = 20;           ///< skipped steps in a row before the run stops
  SpikeGuardConfig lossSpike;
  PlateauGuardConfig plateau;
  LimitGuardConfig gradNorm;
  LimitGuardConfig updateRatio{GuardAction::Off, 0.1};
  LimitGuardConfig attentionLogit;
  EarlyStopConfig earlyStop;
  HangGuardConfig hang;
  std::int64_t rollBackLimit = 5;
  double slowBelow = 0.5;  ///< of the usual speed: a slowdown below it is an alert
  bool operator==(const GuardConfig&) const = default;
};

struct LaunchConfig {
  JournalUse journal = JournalUse::Auto;
  std::optional<Time> timeLimit;  ///< sec, from the launch on
  std::optional<Time> stopAt;     ///< ends the run there, as if it were its end; the schedule is that of max_duration
  std::vector<std::string> tags;
  std::string why;  ///< one line on the purpose of the run
  bool operator==(const LaunchConfig&) const = default;
};

/// A stage of a run: what changes in it, against the configuration of the run.
struct StageConfig {
  Time until;                                                 ///< from the begin of the run
  std::vector<std::pair<std::string, std::string>> settings;  ///< field path and value as one-line YAML
  bool operator==(const StageConfig&) const = default;
};

/// Labelled text on which models are scored. Files are tables by their endings: TSV, CSV, JSON Lines, Parquet.
struct TaskConfig {
  std::string path;  ///< a file with all of the following, which are then empty
  std::string name;
  TaskKind kind = TaskKind::Classification;
  std::string train, validation, test;  ///< files; empty: none
  std::vector<std::string> text;        ///< columns: one, or the two of a pair
  std::string label;                    ///< column
  std::optional<TaskMetric> metric;     ///< empty: metricOf() the kind
  std::string queries, documents;       ///< files of retrieval: an id and a text
  std::string pairs;                    ///< file of retrieval: ids of a query and of a document that answers it
  bool operator==(const TaskConfig&) const = default;
};

struct TrainConfig {
  std::int64_t version = 1;
  std::string name;
  std::string experiment;  ///< shared by the runs of an experiment
  std::string variant;     ///< of the experiment; its runs differ in the seed only
  std::int64_t seed = 17;
  std::vector<std::string> zip;  ///< fields whose lists of values advance together in a sweep
  ModelConfig model;
  TokenizerConfig tokenizer;
  DataConfig data;
  Time maxDuration = Time::of(1, TimeUnit::Epoch);
  double scaleScheduleRatio = 1.0;
  std::vector<StageConfig> stages;
  BatchConfig batch;
  OptimizerConfig optimizer;
  SchedulerConfig scheduler;
  LrScalingConfig lrScaling;
  std::optional<Precision> precision;  ///< empty: auto
  EvalConfig eval;
  std::vector<TaskConfig> tasks;  ///< probed at each evaluation
  CheckpointConfig checkpoint;
  DevicesConfig devices;
  LogConfig log;
  GuardConfig guard;
  LaunchConfig launch;
  bool operator==(const TrainConfig&) const = default;
};

}  // namespace batchwise
