// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <string>
#include <vector>

#include "core/config/schema_builder.h"

// Every field of the configuration, declared once. The order is that of the reference page and of the form.

namespace batchwise::config {
namespace {

using enum TimeUnit;

const std::vector<TimeUnit> kAnyClock = {Epoch, Batch, Sample, Token, Duration, Second};
const std::vector<TimeUnit> kScheduleClock = {Epoch, Batch, Sample, Token, Duration};
const std::vector<TimeUnit> kRunClock = {Epoch, Batch, Sample, Token, Second};

/// "auto", "cpu", "cpu:4", "cuda", "cuda:0,1".
std::string checkDevices(const std::string& text) {
  const std::string forms = "known: auto, cpu, cpu:4, cuda, cuda:0,1";
  const std::string kind = text.substr(0, text.find(':'));
  if (text == "auto" || text == "cpu" || text == "cuda") return "";
  if ((kind != "cpu" && kind != "cuda") || kind == text) return forms;
  std::vector<std::string> numbers = {""};
  for (const char character : text.substr(kind.size() + 1)) {
    if (character == ',') {
      numbers.emplace_back();
    } else if (character >= '0' && character <= '9' && numbers.back().size() < 4) {
      numbers.back() += character;
    } else {
      return forms;
    }
  }
  if (std::find(numbers.begin(), numbers.end(), "") != numbers.end()) return forms;
  if (kind == "cpu" && numbers.size() > 1) return "cpu:N takes one number, how many devices the processor plays";
  if (kind == "cpu" && (std::stoi(numbers.front()) < 1 || std::stoi(numbers.front()) > 256))
    return "cpu:N takes 1 to 256 devices";
  std::sort(numbers.begin(), numbers.end());
  if (std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end()) return "a device is named twice";
  return "";
}

std::string checkLongName(const std::string& text) {
  return text.size() <= 200 ? "" : "at most 200 bytes";
}

void declareRun(SchemaBuilder& s) {
  s.field("version", &TrainConfig::version)
      .min(1)
      .max(1)
      .advanced()
      .help("Version of this file format. Files of a later version need a later program.");
  s.field("name", &TrainConfig::name)
      .check(checkLongName)
      .help("What the run is called in lists and charts. Left out: the file's name.");
  s.field("seed", &TrainConfig::seed)
      .min(0)
      .help(
          "One number from which initial weights, data order, masks and dropout follow. Equal seeds and settings give "
          "equal runs.");
}

void declareModel(SchemaBuilder& s) {
  constexpr auto model = &TrainConfig::model;
  s.field("model.preset", model, &ModelConfig::preset)
      .choices({"tiny", "mini", "small", "base", "large"})
      .help(
          "BERT sizes as published, layers x width: tiny 2x128, mini 4x256, small 4x512, base 12x768, large 24x1024. "
          "The sizes below override it one by one.");
  s.field("model.init_from", model, &ModelConfig::initFrom)
      .help(
          "Folder in the Hugging Face layout (config.json, model.safetensors) whose weights and sizes to start from. "
          "Empty: fresh weights.");
  s.field("model.hidden_size", model, &ModelConfig::hiddenSize)
      .min(1)
      .max(65536)
      .unit("features")
      .advanced()
      .help("Width of the encoder. Must be a multiple of num_attention_heads.");
  s.field("model.num_hidden_layers", model, &ModelConfig::numHiddenLayers)
      .min(1)
      .max(1000)
      .unit("layers")
      .advanced()
      .help("Depth of the encoder.");
  s.field("model.num_attention_heads", model, &ModelConfig::numAttentionHeads)
      .min(1)
      .max(1024)
      .unit("heads")
      .advanced()
      .help("Attention heads per layer; each gets hidden_size / num_attention_heads features.");
  s.field("model.intermediate_size", model, &ModelConfig::intermediateSize)
      .min(1)
      .max(262144)
      .unit("features")
      .advanced()
      .help("Width inside the feed-forward part; usually 4 x hidden_size.");
  s.field("model.max_position_embeddings", model, &ModelConfig::maxPositionEmbeddings)
      .min(3)
      .max(65536)
      .unit("tokens")
      .advanced()
      .help("Positions with a learned embedding; at least data.max_seq_len.");
  s.field("model.type_vocab_size", model, &ModelConfig::typeVocabSize)
      .min(1)
      .max(1024)
      .advanced()
      .help("Segment types. Training uses type 0; others are kept for export.");
  s.field("model.hidden_act", model, &ModelConfig::hiddenAct)
      .choices({"gelu", "gelu_new", "relu"})
      .advanced()
      .help("Activation of the feed-forward part; gelu_new is the tanh form.");
  s.field("model.hidden_dropout_prob", model, &ModelConfig::hiddenDropoutProb)
      .min(0)
      .below(1)
      .help(
          "Share of hidden features that dropout sets to zero. The choice depends on seed and position only, never on "
          "devices or micro-batch.");
  s.field("model.attention_probs_dropout_prob", model, &ModelConfig::attentionProbsDropoutProb)
      .min(0)
      .below(1)
      .advanced()
      .help("Dropout on attention weights. Above 0 a run repeats bit for bit only on the same device layout.");
  s.field("model.initializer_range", model, &ModelConfig::initializerRange)
      .above(0)
      .max(10)
      .advanced()
      .help("Standard deviation of fresh weights.");
  s.field("model.layer_norm_eps", model, &ModelConfig::layerNormEps)
      .above(0)
      .max(1)
      .advanced()
      .help("Added to the variance in layer norms. 1e-12 is BERT's; deep models train more safely with 1e-5.");
  s.field("model.norm", model, &ModelConfig::norm)
      .choices({"post", "pre"})
      .advanced()
      .help(
          "Where layer norms stand: post as in BERT (weights interchange with Hugging Face), pre is steadier in deep "
          "models.");
  s.field("model.attention_logit_l2", model, &ModelConfig::attentionLogitL2)
      .min(0)
      .advanced()
      .help("Weight of a penalty on the squared attention logits; keeps them from growing without end. 0: none.");
  s.field("model.layer_drop", model, &ModelConfig::layerDrop)
      .min(0)
      .below(1)
      .advanced()
      .help("Probability of leaving out a whole layer in a step, the same on all devices. Makes a step faster.");
  s.field("model.tie_word_embeddings", model, &ModelConfig::tieWordEmbeddings)
      .advanced()
      .help("The output layer shares its weights with the word embeddings, as in BERT.");
}

void declareText(SchemaBuilder& s) {
  constexpr auto tokenizer = &TrainConfig::tokenizer;
  s.field("tokenizer.path", tokenizer, &TokenizerConfig::path)
      .help("Folder with a vocab.txt (WordPiece) to use. Empty: a vocabulary is trained on the training text.");
  s.field("tokenizer.train.vocab_size", tokenizer, &TokenizerConfig::trainVocabSize)
      .min(100)
      .max(1'000'000)
      .unit("pieces")
      .help("Size of the vocabulary to train, special tokens included. Without meaning when tokenizer.path is given.");
  s.field("tokenizer.lowercase", tokenizer, &TokenizerConfig::lowercase)
      .help("Lowercase the text and strip accents, as bert-base-uncased does.");

  constexpr auto data = &TrainConfig::data;
  s.field("data.train", data, &DataConfig::train)
      .help(
          "Training text: files, folders or patterns such as text/*.txt, also .gz. Relative to the folder of this "
          "file.");
  s.field("data.eval", data, &DataConfig::eval)
      .help("Evaluation text, in the same forms. Left out: the share data.holdout of the training documents.");
  s.field("data.format", data, &DataConfig::format)
      .choices({"text", "lines", "jsonl", "demo"})
      .help(
          "How documents are told apart: text by blank lines, lines one per line, jsonl one JSON object per line (see "
          "text_field); "
          "demo makes a corpus of its own and needs no files.");
  s.field("data.text_field", data, &DataConfig::textField)
      .help("Field of each JSON object that holds the text; for jsonl.");
  s.field("data.max_seq_len", data, &DataConfig::maxSeqLen)
      .min(3)
      .max(65536)
      .unit("tokens")
      .help("Longest sequence, [CLS] and [SEP] included. Longer documents are cut into pieces, none is lost.");
  s.field("data.shuffle", data, &DataConfig::shuffle)
      .help(
          "Draw the samples of each epoch in an order of its own, given by seed and epoch. Off: the order of the "
          "files.");
  s.field("data.mlm_probability", data, &DataConfig::mlmProbability)
      .above(0)
      .max(1)
      .help("Share of the tokens of each sequence to be predicted; at least one per sequence.");
  s.field("data.join_documents", data, &DataConfig::joinDocuments)
      .help("Fill sequences up with the next document. Off: a short document is a short sequence.");
  s.field("data.holdout", data, &DataConfig::holdout)
      .min(0)
      .max(0.5)
      .help(
          "Share of the documents, chosen by their hash, kept for evaluation when data.eval is left out. 0: no "
          "evaluation.");
}

void declareLength(SchemaBuilder& s) {
  s.field("max_duration", &TrainConfig::maxDuration)
      .units(kRunClock)
      .above(0)
      .help("How long the run is: epochs, global batches, samples, tokens or seconds of training.");
  s.field("scale_schedule_ratio", &TrainConfig::scaleScheduleRatio)
      .above(0)
      .max(1e6)
      .advanced()
      .help(
          "Stretches max_duration and the times of the schedule by this factor; warm-up only with "
          "scheduler.scale_warmup; never intervals or ramps.");
}

void declareBatch(SchemaBuilder& s) {
  constexpr auto batch = &TrainConfig::batch;
  s.field("batch.global_train_batch_size", batch, &BatchConfig::globalTrainBatchSize)
      .min(1)
      .unit("samples")
      .help(
          "Samples of one global batch over all devices, the unit of logging, schedules and checkpoints. With "
          "batch.tokens: packs.");
  s.field("batch.device_train_microbatch_size", batch, &BatchConfig::deviceTrainMicrobatchSize)
      .min(1)
      .unit("samples")
      .help(
          "Samples that one device computes at once; the rest is accumulated, with the same result. auto finds the "
          "largest that fits into memory.");
  s.field("batch.round", batch, &BatchConfig::round)
      .choices({"none", "power_of_two"})
      .advanced()
      .help("Whether auto rounds the micro-batch down to a power of two.");
  s.field("batch.reserve", batch, &BatchConfig::reserve)
      .min(0)
      .max(0.9)
      .advanced()
      .help("Share of the memory limit that auto leaves free.");
  s.field("batch.use_maximum_batch_size", batch, &BatchConfig::useMaximumBatchSize)
      .advanced()
      .help("The global batch is the largest micro-batch that fits, times devices.");

  constexpr auto rampup = &BatchConfig::rampup;
  s.field("batch.rampup.duration", batch, rampup, &RampupConfig::duration)
      .units(kScheduleClock)
      .above(0)
      .empty("none")
      .help(
          "How long the batch size grows. Until then each global batch is cut into smaller optimiser steps, so the "
          "clock and the data stay the same.");
  s.field("batch.rampup.initial_global_train_batch_size", batch, rampup, &RampupConfig::initialGlobalTrainBatchSize)
      .min(1)
      .unit("samples")
      .help("Step size at the start of the ramp. auto: devices x micro-batch, the least that needs no accumulation.");
  s.field("batch.rampup.growth", batch, rampup, &RampupConfig::growth)
      .choices({"doubling", "linear"})
      .help("doubling: each stage has twice the step size of the one before; linear: it grows by increment.");
  s.field("batch.rampup.increment", batch, rampup, &RampupConfig::increment)
      .min(1)
      .unit("samples")
      .help("Growth per stage of a linear ramp. auto: one micro-batch per device.");
  s.field("batch.rampup.stages", batch, rampup, &RampupConfig::stages)
      .help(
          "The ramp as an explicit table, in place of duration: when each stage begins and its step size; the last one "
          "is the global batch.");

  constexpr auto growth = &BatchConfig::growth;
  s.field("batch.growth.increase_function", batch, growth, &GrowthConfig::increaseFunction)
      .help(
          "Expression for the new global batch size, over epoch, current_batch_size, loss and noise_scale, such as "
          "epoch % 3 == 0 ? current_batch_size * 2 : current_batch_size. Empty: no growth.");
  s.field("batch.growth.batch_increase_function", batch, growth, &GrowthConfig::batchIncreaseFunction)
      .advanced()
      .help("The same, but the expression gives the increment, as torchtune proposed. Give one of the two.");
  s.field("batch.growth.every", batch, growth, &GrowthConfig::every)
      .units(kScheduleClock)
      .above(0)
      .help("How often growth is asked, first after the ramp.");
  s.field("batch.growth.bound", batch, growth, &GrowthConfig::bound)
      .choices({"device_maximum", "none"})
      .help(
          "device_maximum stops growth at devices x largest micro-batch, with a note; none lets accumulation take the "
          "rest.");
  s.field("batch.growth.allow_decrease", batch, growth, &GrowthConfig::allowDecrease)
      .advanced()
      .help("Lets the expression make the batch smaller. Off: a smaller answer is raised to the size in use.");

  constexpr auto tokens = &BatchConfig::tokens;
  s.field("batch.tokens.max_tokens", batch, tokens, &TokenBudgetConfig::maxTokens)
      .min(1)
      .unit("tokens")
      .empty("none")
      .help(
          "Token budget: sequences are packed until this many tokens are reached, and every size that counts samples "
          "counts packs. none: no budget.");
  s.field("batch.tokens.sequence_picking_order", batch, tokens, &TokenBudgetConfig::sequencePickingOrder)
      .choices({"dataloader", "random", "seqlen"})
      .help("In which order sequences are offered to the packs: the epoch's order, an own random order, or by length.");
  s.field("batch.tokens.min_batch_size", batch, tokens, &TokenBudgetConfig::minBatchSize)
      .min(1)
      .unit("sequences")
      .help("A pack with fewer sequences counts as small; see on_small_pack.");
  s.field("batch.tokens.max_batch_size", batch, tokens, &TokenBudgetConfig::maxBatchSize)
      .min(1)
      .unit("sequences")
      .empty("none")
      .help("A pack is closed at this many sequences even if tokens are left.");
  s.field("batch.tokens.required_microbatches_of_same_size", batch, tokens,
          &TokenBudgetConfig::requiredMicrobatchesOfSameSize)
      .advanced()
      .help("The packs of one global batch have equally many sequences.");
  s.field("batch.tokens.required_microbatches_of_same_seqlen", batch, tokens,
          &TokenBudgetConfig::requiredMicrobatchesOfSameSeqlen)
      .advanced()
      .help(
          "The packs of one global batch are padded to equal lengths in the plan's figures; the computation itself is "
          "unpadded.");
  s.field("batch.tokens.packing", batch, tokens, &TokenBudgetConfig::packing)
      .choices({"in_order", "best_fit"})
      .help(
          "in_order fills pack after pack; best_fit puts each sequence where the least room is left, for a higher "
          "fill.");
  s.field("batch.tokens.count", batch, tokens, &TokenBudgetConfig::count)
      .choices({"real", "padded"})
      .advanced()
      .help("What the budget counts: real tokens, or sequences x longest as a padding trainer would.");
  s.field("batch.tokens.on_small_pack", batch, tokens, &TokenBudgetConfig::onSmallPack)
      .choices({"keep", "discard"})
      .advanced()
      .help("Whether a pack below min_batch_size is trained on or left out and listed.");
  s.field("batch.tokens.metrics_path", batch, tokens, &TokenBudgetConfig::metricsPath)
      .advanced()
      .help("File in which the lengths of the sequences are kept. Empty: in the workspace's cache.");
}

void declareOptimizer(SchemaBuilder& s) {
  constexpr auto optimizer = &TrainConfig::optimizer;
  s.field("optimizer.name", optimizer, &OptimizerConfig::name)
      .choices({"adamw"})
      .help("The optimiser: Adam with decoupled weight decay.");
  s.field("optimizer.lr", optimizer, &OptimizerConfig::lr)
      .min(0)
      .max(1e6)
      .unit("per step")
      .help("Peak learning rate at the reference batch size (see lr_scaling); the scheduler's factor multiplies it.");
  s.field("optimizer.betas", optimizer, &OptimizerConfig::betas)
      .min(0)
      .below(1)
      .help("How slowly the running means of gradient and squared gradient forget.");
  s.field("optimizer.eps", optimizer, &OptimizerConfig::eps)
      .above(0)
      .max(1)
      .advanced()
      .help("Added to the root of the squared mean; keeps a step finite where gradients vanish.");
  s.field("optimizer.weight_decay", optimizer, &OptimizerConfig::weightDecay)
      .min(0)
      .max(1e3)
      .help(
          "Pull of the weights towards zero, times the learning rate, per step. Biases and layer norms are left out.");
  s.field("optimizer.grad_clip_norm", optimizer, &OptimizerConfig::gradClipNorm)
      .min(0)
      .help("Largest norm of the whole gradient; a longer one is shortened to it. 0: no clipping.");
}

template <class... Members>
FieldBuilder scheduleTime(SchemaBuilder& s, const std::string& name, Members... members) {
  FieldBuilder field = s.field("scheduler." + name, &TrainConfig::scheduler, members...);
  field.units(kScheduleClock);
  return field;
}

void declareScheduler(SchemaBuilder& s) {
  using S = SchedulerConfig;
  constexpr auto scheduler = &TrainConfig::scheduler;
  s.field("scheduler.name", scheduler, &S::name)
      .choices({"constant", "step", "multistep", "exponential", "linear", "cosine_annealing",
                "cosine_annealing_warm_restarts", "polynomial", "multistep_with_warmup", "constant_with_warmup",
                "linear_with_warmup", "cosine_annealing_with_warmup", "polynomial_with_warmup", "inverse_sqrt",
                "warmup_stable_decay", "one_minus_sqrt", "cosine_inverse_sqrt", "expression", "chain"})
      .help("How the learning rate changes over the run: the factor on optimizer.lr.");
  scheduleTime(s, "t_warmup", &S::tWarmup)
      .min(0)
      .help("Length of the rise from 0 to the full rate. auto: no rise, except that inverse_sqrt needs one.");
  scheduleTime(s, "t_max", &S::tMax).above(0).help("When the schedule reaches its end. auto: the whole run.");
  scheduleTime(s, "step_size", &S::stepSize)
      .above(0)
      .advanced()
      .help("step: how often the factor is multiplied by gamma.");
  scheduleTime(s, "milestones", &S::milestones)
      .min(0)
      .advanced()
      .help("multistep: each time, once passed, multiplies the factor by gamma.");
  scheduleTime(s, "decay_period", &S::decayPeriod)
      .above(0)
      .advanced()
      .help("exponential: how long one multiplication by gamma takes. auto: one epoch.");
  scheduleTime(s, "t_0", &S::t0)
      .above(0)
      .advanced()
      .help("cosine_annealing_warm_restarts: length of the first period.");
  s.field("scheduler.t_mult", scheduler, &S::tMult)
      .above(0)
      .advanced()
      .help("cosine_annealing_warm_restarts: each period is this many times as long as the one before. auto: 1.");
  scheduleTime(s, "t_decay", &S::tDecay)
      .min(0)
      .advanced()
      .help("warmup_stable_decay, one_minus_sqrt: length of the fall at the end. auto: 0.1dur.");
  scheduleTime(s, "t_cosine", &S::tCosine)
      .min(0)
      .advanced()
      .help("cosine_inverse_sqrt: length of the cosine fall after the warm-up. auto: 0.25dur.");
  scheduleTime(s, "t_cooldown", &S::tCooldown)
      .min(0)
      .advanced()
      .help("cosine_inverse_sqrt: length of the cool-down at the end.");
  s.field("scheduler.alpha", scheduler, &S::alpha).min(0).advanced().help("constant: the factor. auto: 1.");
  s.field("scheduler.alpha_i", scheduler, &S::alphaI)
      .min(0)
      .advanced()
      .help("linear: factor at the start (after a warm-up). auto: 1.");
  s.field("scheduler.alpha_f", scheduler, &S::alphaF).min(0).help("Factor at the end. auto: 0.");
  s.field("scheduler.alpha_s", scheduler, &S::alphaS)
      .min(0)
      .advanced()
      .help("cosine_inverse_sqrt: factor between cosine and inverse square root. auto: as published.");
  s.field("scheduler.gamma", scheduler, &S::gamma)
      .min(0)
      .advanced()
      .help("step, multistep, exponential: what the factor is multiplied by. auto: 0.1 (exponential needs it).");
  s.field("scheduler.power", scheduler, &S::power).min(0).advanced().help("polynomial: the exponent.");
  s.field("scheduler.warmup_init_lr", scheduler, &S::warmupInitLr)
      .min(0)
      .unit("per step")
      .advanced()
      .help("inverse_sqrt: learning rate at the start of the warm-up. auto: 0.");
  s.field("scheduler.exp_factor", scheduler, &S::expFactor)
      .min(0)
      .advanced()
      .help("inverse_sqrt: the exponent of the fall. auto: 0.5.");
  s.field("scheduler.warmup_schedule", scheduler, &S::warmupSchedule)
      .choices({"linear", "cosine"})
      .advanced()
      .help("cosine_inverse_sqrt: shape of the warm-up.");
  s.field("scheduler.cooldown_schedule", scheduler, &S::cooldownSchedule)
      .choices({"linear", "cosine"})
      .advanced()
      .help("cosine_inverse_sqrt: shape of the cool-down.");
  s.field("scheduler.scale_warmup", scheduler, &S::scaleWarmup)
      .advanced()
      .help("Whether scale_schedule_ratio stretches the warm-up too.");
  s.field("scheduler.warmup_from", scheduler, &S::warmupFrom)
      .choices({"zero", "one"})
      .advanced()
      .help("one trains the first global batch of a warm-up of n with factor 1/n; zero, as others do, with 0.");
  s.field("scheduler.expression", scheduler, &S::expression)
      .advanced()
      .help("expression: the factor over ba, sp, tok and frac (share of the run done), such as max(0.1, 1 - frac).");
  s.field("scheduler.parts", scheduler, &S::parts)
      .advanced()
      .help(
          "chain: schedules one after the other. In each part the clocks start at 0 and dur means the part; one part "
          "says duration: rest.");
}

void declareScaling(SchemaBuilder& s) {
  constexpr auto scaling = &TrainConfig::lrScaling;
  s.field("lr_scaling.method", scaling, &LrScalingConfig::method)
      .choices({"none", "linear", "sqrt"})
      .help("How the learning rate follows the size of a step: lr x size / reference, or lr x sqrt(size / reference).");
  s.field("lr_scaling.reference_batch_size", scaling, &LrScalingConfig::referenceBatchSize)
      .min(1)
      .help(
          "The step size for which optimizer.lr was chosen, in samples or tokens as lr_scaling.by says, never packs. "
          "auto: the global batch.");
  s.field("lr_scaling.by", scaling, &LrScalingConfig::by)
      .choices({"samples", "tokens"})
      .help("What a step's size is counted in.");
  s.field("lr_scaling.applies_to", scaling, &LrScalingConfig::appliesTo)
      .choices({"tokens", "growth", "rampup", "last"})
      .help(
          "Which causes of an unusual step size change the rate: token budgets, growth, the ramp, the short last batch "
          "of an epoch. "
          "For any other cause the step counts as a full one.");
}

void declareMachine(SchemaBuilder& s) {
  s.field("precision", &TrainConfig::precision)
      .choices({"fp32", "bf16", "fp16"})
      .help("Number format of the computation; weights and optimiser state stay in fp32.");
  constexpr auto devices = &TrainConfig::devices;
  s.field("devices.use", devices, &DevicesConfig::use)
      .check(checkDevices)
      .help(
          "auto (all GPUs, else the processor), cpu, cpu:4 (four devices played by the processor), cuda, or cuda:0,1.");
  s.field("devices.deterministic", devices, &DevicesConfig::deterministic)
      .help(
          "Only operations that repeat bit for bit. Off is a little faster on GPUs, and a resumed run then gives "
          "close, not equal numbers.");
  s.field("devices.memory_limit", devices, &DevicesConfig::memoryLimitBytes)
      .bytes()
      .min(1)
      .advanced()
      .help("On the processor: the tensor memory per device that auto plans with, in place of a GPU's memory.");
  s.field("devices.threads", devices, &DevicesConfig::threads)
      .min(1)
      .max(1024)
      .advanced()
      .unit("threads")
      .help("Threads per device. auto: cores / devices, at least 1.");
}

void declareRecords(SchemaBuilder& s) {
  s.field("eval.interval", &TrainConfig::eval, &EvalConfig::interval)
      .units(kAnyClock)
      .above(0)
      .help("How often the model is evaluated; one Time or several. Empty: no evaluation while training.");
  s.field("eval.microbatch_size", &TrainConfig::eval, &EvalConfig::microbatchSize)
      .min(1)
      .unit("samples")
      .advanced()
      .help("Samples per device and pass in evaluation. auto: as in training.");

  constexpr auto checkpoint = &TrainConfig::checkpoint;
  s.field("checkpoint.interval", checkpoint, &CheckpointConfig::interval)
      .units(kAnyClock)
      .above(0)
      .help("How often the whole state is saved; one Time or several. One more is saved at the end and on a stop.");
  s.field("checkpoint.keep_last", checkpoint, &CheckpointConfig::keepLast)
      .min(1)
      .max(1'000'000)
      .unit("checkpoints")
      .help("How many of the newest are kept.");
  s.field("checkpoint.keep_best", checkpoint, &CheckpointConfig::keepBest)
      .min(0)
      .max(1'000'000)
      .unit("checkpoints")
      .help("How many of the best by best_metric are kept besides.");
  s.field("checkpoint.best_metric", checkpoint, &CheckpointConfig::bestMetric)
      .choices({"eval.loss", "eval.accuracy", "loss"})
      .advanced()
      .help("What the best is judged by; a lower loss or a higher accuracy wins.");
  s.field("checkpoint.keep_every", checkpoint, &CheckpointConfig::keepEvery)
      .units(kAnyClock)
      .above(0)
      .empty("none")
      .advanced()
      .help("Checkpoints at multiples of this are kept for good.");

  constexpr auto log = &TrainConfig::log;
  s.field("log.interval", log, &LogConfig::interval)
      .units(kAnyClock)
      .above(0)
      .advanced()
      .help("How often a row is shown in the terminal and in the log. The store gets every global batch.");
  s.field("log.every_step", log, &LogConfig::everyStep)
      .advanced()
      .help("A row for every optimiser step besides that of the global batch.");
  s.field("log.noise_scale", log, &LogConfig::noiseScale)
      .advanced()
      .help("Measure the gradient noise scale (McCandlish et al. 2018) from the micro-batches of each step.");
}

void declareLaunch(SchemaBuilder& s) {
  constexpr auto guard = &TrainConfig::guard;
  s.field("guard.non_finite", guard, &GuardConfig::nonFinite)
      .choices({"skip", "stop"})
      .help(
          "After a step whose gradient is not finite (the weights were left alone): go on, or stop with a checkpoint.");
  s.field("guard.non_finite_limit", guard, &GuardConfig::nonFiniteLimit)
      .min(1)
      .max(1'000'000)
      .unit("steps")
      .advanced()
      .help("Skipped steps in a row after which the run stops anyway.");

  constexpr auto launch = &TrainConfig::launch;
  s.field("launch.target", launch, &LaunchConfig::target)
      .choices({"local"})
      .advanced()
      .help("Where the run is started: on this machine.");
  s.field("launch.tags", launch, &LaunchConfig::tags).help("Words to find the run by.");
  s.field("launch.why", launch, &LaunchConfig::why).help("A line on the reason for the run, shown with it.");
}

}  // namespace

void declareFields(SchemaBuilder& s) {
  declareRun(s);
  declareModel(s);
  declareText(s);
  declareLength(s);
  declareBatch(s);
  declareOptimizer(s);
  declareScheduler(s);
  declareScaling(s);
  declareMachine(s);
  declareRecords(s);
  declareLaunch(s);
}

}  // namespace batchwise::config
