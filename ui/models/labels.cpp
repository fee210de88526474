// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/labels.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QRegularExpression>
#include <QtCore/QStringList>
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "ui/models/display_text.h"

namespace batchwise {
namespace {

struct FieldLabels {
  Q_DECLARE_TR_FUNCTIONS(FieldLabels)
};

using Pair = std::pair<const char*, const char*>;

/// Must list every field: a spelled-out name is not translated.
constexpr std::array kFieldLabels = {
    Pair{"optimizer.lr", QT_TRANSLATE_NOOP("FieldLabels", "Peak learning rate")},
    Pair{"optimizer.name", QT_TRANSLATE_NOOP("FieldLabels", "Optimizer")},
    Pair{"optimizer.eps", QT_TRANSLATE_NOOP("FieldLabels", "Epsilon")},
    Pair{"optimizer.grad_clip_norm", QT_TRANSLATE_NOOP("FieldLabels", "Gradient clip norm")},
    Pair{"scheduler.name", QT_TRANSLATE_NOOP("FieldLabels", "Schedule")},
    Pair{"scheduler.t_warmup", QT_TRANSLATE_NOOP("FieldLabels", "Warm-up length")},
    Pair{"scheduler.t_max", QT_TRANSLATE_NOOP("FieldLabels", "Schedule length")},
    Pair{"scheduler.alpha_f", QT_TRANSLATE_NOOP("FieldLabels", "Factor at the end")},
    Pair{"scheduler.alpha_i", QT_TRANSLATE_NOOP("FieldLabels", "Factor at the start")},
    Pair{"scheduler.alpha_s", QT_TRANSLATE_NOOP("FieldLabels", "Intermediate factor")},
    Pair{"scheduler.alpha", QT_TRANSLATE_NOOP("FieldLabels", "Factor")},
    Pair{"scheduler.t_0", QT_TRANSLATE_NOOP("FieldLabels", "First period")},
    Pair{"scheduler.t_mult", QT_TRANSLATE_NOOP("FieldLabels", "Period growth factor")},
    Pair{"scheduler.parts", QT_TRANSLATE_NOOP("FieldLabels", "Parts of the chain")},
    Pair{"data.train", QT_TRANSLATE_NOOP("FieldLabels", "Training text")},
    Pair{"data.eval", QT_TRANSLATE_NOOP("FieldLabels", "Evaluation text")},
    Pair{"data.max_seq_len", QT_TRANSLATE_NOOP("FieldLabels", "Longest sequence")},
    Pair{"data.mlm_probability", QT_TRANSLATE_NOOP("FieldLabels", "Share of masked tokens")},
    Pair{"data.holdout", QT_TRANSLATE_NOOP("FieldLabels", "Held out for evaluation")},
    Pair{"data.demo_seed", QT_TRANSLATE_NOOP("FieldLabels", "Seed of the demo text")},
    Pair{"tokenizer.path", QT_TRANSLATE_NOOP("FieldLabels", "Existing vocabulary")},
    Pair{"tokenizer.train.vocab_size", QT_TRANSLATE_NOOP("FieldLabels", "New vocabulary: size")},
    Pair{"model.preset", QT_TRANSLATE_NOOP("FieldLabels", "Size")},
    Pair{"model.init_from", QT_TRANSLATE_NOOP("FieldLabels", "Start from weights in")},
    Pair{"model.hidden_dropout_prob", QT_TRANSLATE_NOOP("FieldLabels", "Dropout")},
    Pair{"model.attention_probs_dropout_prob", QT_TRANSLATE_NOOP("FieldLabels", "Attention dropout")},
    Pair{"model.attention_logit_l2", QT_TRANSLATE_NOOP("FieldLabels", "Attention logit penalty")},
    Pair{"model.hidden_act", QT_TRANSLATE_NOOP("FieldLabels", "Activation")},
    Pair{"model.layer_norm_eps", QT_TRANSLATE_NOOP("FieldLabels", "Layer norm epsilon")},
    Pair{"model.norm", QT_TRANSLATE_NOOP("FieldLabels", "Layer norm position")},
    Pair{"batch.global_train_batch_size", QT_TRANSLATE_NOOP("FieldLabels", "Global batch size")},
    Pair{"batch.device_train_microbatch_size", QT_TRANSLATE_NOOP("FieldLabels", "Micro-batch per device")},
    Pair{"batch.reserve", QT_TRANSLATE_NOOP("FieldLabels", "Memory reserve")},
    Pair{"batch.round", QT_TRANSLATE_NOOP("FieldLabels", "Micro-batch rounding")},
    Pair{"batch.rampup.duration", QT_TRANSLATE_NOOP("FieldLabels", "Ramp-up: length")},
    Pair{"batch.rampup.initial_global_train_batch_size", QT_TRANSLATE_NOOP("FieldLabels", "Ramp-up: initial size")},
    Pair{"batch.rampup.growth", QT_TRANSLATE_NOOP("FieldLabels", "Ramp-up: growth")},
    Pair{"batch.rampup.increment", QT_TRANSLATE_NOOP("FieldLabels", "Ramp-up: increment")},
    Pair{"batch.rampup.stages", QT_TRANSLATE_NOOP("FieldLabels", "Ramp-up: custom stages")},
    Pair{"batch.growth.increase_function", QT_TRANSLATE_NOOP("FieldLabels", "Adaptive growth: new size")},
    Pair{"batch.growth.batch_increase_function", QT_TRANSLATE_NOOP("FieldLabels", "Adaptive growth: increment")},
    Pair{"batch.growth.every", QT_TRANSLATE_NOOP("FieldLabels", "Adaptive growth: evaluated every")},
    Pair{"batch.growth.bound", QT_TRANSLATE_NOOP("FieldLabels", "Adaptive growth: bound")},
    Pair{"batch.growth.allow_decrease", QT_TRANSLATE_NOOP("FieldLabels", "Adaptive growth: may shrink")},
    Pair{"batch.tokens.max_tokens", QT_TRANSLATE_NOOP("FieldLabels", "Token budget: tokens per pack")},
    Pair{"batch.tokens.sequence_picking_order", QT_TRANSLATE_NOOP("FieldLabels", "Token budget: order")},
    Pair{"batch.tokens.min_batch_size", QT_TRANSLATE_NOOP("FieldLabels", "Token budget: minimum sequences")},
    Pair{"batch.tokens.max_batch_size", QT_TRANSLATE_NOOP("FieldLabels", "Token budget: maximum sequences")},
    Pair{"batch.tokens.packing", QT_TRANSLATE_NOOP("FieldLabels", "Token budget: packing")},
    Pair{"batch.tokens.count", QT_TRANSLATE_NOOP("FieldLabels", "Token budget: counted tokens")},
    Pair{"batch.tokens.on_small_pack", QT_TRANSLATE_NOOP("FieldLabels", "Token budget: small packs")},
    Pair{"batch.tokens.metrics_path", QT_TRANSLATE_NOOP("FieldLabels", "Token budget: cached lengths")},
    Pair{"batch.tokens.required_microbatches_of_same_size",
         QT_TRANSLATE_NOOP("FieldLabels", "Token budget: equal sizes")},
    Pair{"batch.tokens.required_microbatches_of_same_seqlen",
         QT_TRANSLATE_NOOP("FieldLabels", "Token budget: equal lengths")},
    Pair{"eval.interval", QT_TRANSLATE_NOOP("FieldLabels", "Evaluate every")},
    Pair{"eval.microbatch_size", QT_TRANSLATE_NOOP("FieldLabels", "Evaluation micro-batch")},
    Pair{"eval.seed", QT_TRANSLATE_NOOP("FieldLabels", "Seed of the evaluation masks")},
    Pair{"eval.mlm_probability", QT_TRANSLATE_NOOP("FieldLabels", "Share of masked tokens in evaluation")},
    Pair{"checkpoint.interval", QT_TRANSLATE_NOOP("FieldLabels", "Save every")},
    Pair{"log.interval", QT_TRANSLATE_NOOP("FieldLabels", "Write metrics every")},
    Pair{"guard.non_finite", QT_TRANSLATE_NOOP("FieldLabels", "After a NaN or infinity")},
    Pair{"guard.roll_back_limit", QT_TRANSLATE_NOOP("FieldLabels", "Roll-backs allowed")},
    Pair{"guard.loss_spike.action", QT_TRANSLATE_NOOP("FieldLabels", "Loss spike: action")},
    Pair{"guard.loss_spike.sigma", QT_TRANSLATE_NOOP("FieldLabels", "Loss spike: threshold")},
    Pair{"guard.loss_spike.window", QT_TRANSLATE_NOOP("FieldLabels", "Loss spike: window")},
    Pair{"guard.plateau.action", QT_TRANSLATE_NOOP("FieldLabels", "Plateau: action")},
    Pair{"guard.plateau.window", QT_TRANSLATE_NOOP("FieldLabels", "Plateau: window")},
    Pair{"guard.plateau.min_delta", QT_TRANSLATE_NOOP("FieldLabels", "Plateau: minimum decrease")},
    Pair{"guard.grad_norm.action", QT_TRANSLATE_NOOP("FieldLabels", "Gradient norm: action")},
    Pair{"guard.grad_norm.limit", QT_TRANSLATE_NOOP("FieldLabels", "Gradient norm: limit")},
    Pair{"guard.update_ratio.action", QT_TRANSLATE_NOOP("FieldLabels", "Update-to-weight ratio: action")},
    Pair{"guard.update_ratio.limit", QT_TRANSLATE_NOOP("FieldLabels", "Update-to-weight ratio: limit")},
    Pair{"guard.attention_logit.action", QT_TRANSLATE_NOOP("FieldLabels", "Attention logit: action")},
    Pair{"guard.attention_logit.limit", QT_TRANSLATE_NOOP("FieldLabels", "Attention logit: limit")},
    Pair{"guard.early_stop.action", QT_TRANSLATE_NOOP("FieldLabels", "Early stop: action")},
    Pair{"guard.early_stop.metric", QT_TRANSLATE_NOOP("FieldLabels", "Early stop: metric")},
    Pair{"guard.early_stop.patience", QT_TRANSLATE_NOOP("FieldLabels", "Early stop: patience")},
    Pair{"guard.early_stop.min_delta", QT_TRANSLATE_NOOP("FieldLabels", "Early stop: minimum improvement")},
    Pair{"guard.hang.action", QT_TRANSLATE_NOOP("FieldLabels", "Hang: action")},
    Pair{"guard.hang.minimum", QT_TRANSLATE_NOOP("FieldLabels", "Hang: minimum limit")},
    Pair{"guard.hang.factor", QT_TRANSLATE_NOOP("FieldLabels", "Hang: multiple of the median")},
    Pair{"launch.journal", QT_TRANSLATE_NOOP("FieldLabels", "Journal instead of database")},
    Pair{"launch.time_limit", QT_TRANSLATE_NOOP("FieldLabels", "Wall-clock limit")},
    Pair{"guard.non_finite_limit", QT_TRANSLATE_NOOP("FieldLabels", "Consecutive skipped steps allowed")},
    Pair{"devices.use", QT_TRANSLATE_NOOP("FieldLabels", "Devices")},
    Pair{"devices.threads", QT_TRANSLATE_NOOP("FieldLabels", "Threads per device")},
    Pair{"launch.why", QT_TRANSLATE_NOOP("FieldLabels", "Reason for the run")},
    Pair{"max_duration", QT_TRANSLATE_NOOP("FieldLabels", "Length of the run")},
    Pair{"precision", QT_TRANSLATE_NOOP("FieldLabels", "Number format")},
    Pair{"seed", QT_TRANSLATE_NOOP("FieldLabels", "Random seed")},
    Pair{"experiment", QT_TRANSLATE_NOOP("FieldLabels", "Experiment")},
    Pair{"variant", QT_TRANSLATE_NOOP("FieldLabels", "Variant")},
    Pair{"zip", QT_TRANSLATE_NOOP("FieldLabels", "Values that advance together")},
    Pair{"version", QT_TRANSLATE_NOOP("FieldLabels", "File version")},
    Pair{"batch.use_maximum_batch_size", QT_TRANSLATE_NOOP("FieldLabels", "Use maximum batch size")},
    Pair{"checkpoint.best_metric", QT_TRANSLATE_NOOP("FieldLabels", "Metric for the best")},
    Pair{"checkpoint.keep_best", QT_TRANSLATE_NOOP("FieldLabels", "Keep best")},
    Pair{"checkpoint.keep_every", QT_TRANSLATE_NOOP("FieldLabels", "Keep every")},
    Pair{"checkpoint.keep_last", QT_TRANSLATE_NOOP("FieldLabels", "Keep last")},
    Pair{"data.format", QT_TRANSLATE_NOOP("FieldLabels", "Format")},
    Pair{"data.join_documents", QT_TRANSLATE_NOOP("FieldLabels", "Join documents")},
    Pair{"data.shuffle", QT_TRANSLATE_NOOP("FieldLabels", "Shuffle")},
    Pair{"data.text_field", QT_TRANSLATE_NOOP("FieldLabels", "Text field")},
    Pair{"devices.activation_checkpointing", QT_TRANSLATE_NOOP("FieldLabels", "Activation checkpointing")},
    Pair{"devices.deterministic", QT_TRANSLATE_NOOP("FieldLabels", "Deterministic")},
    Pair{"devices.memory_limit", QT_TRANSLATE_NOOP("FieldLabels", "Memory limit")},
    Pair{"launch.tags", QT_TRANSLATE_NOOP("FieldLabels", "Tags")},
    Pair{"launch.target", QT_TRANSLATE_NOOP("FieldLabels", "Target")},
    Pair{"log.every_step", QT_TRANSLATE_NOOP("FieldLabels", "Rows for every step")},
    Pair{"log.noise_scale", QT_TRANSLATE_NOOP("FieldLabels", "Gradient noise scale")},
    Pair{"lr_scaling.applies_to", QT_TRANSLATE_NOOP("FieldLabels", "Applies to")},
    Pair{"lr_scaling.by", QT_TRANSLATE_NOOP("FieldLabels", "By")},
    Pair{"lr_scaling.method", QT_TRANSLATE_NOOP("FieldLabels", "Method")},
    Pair{"lr_scaling.reference_batch_size", QT_TRANSLATE_NOOP("FieldLabels", "Reference batch size")},
    Pair{"model.hidden_size", QT_TRANSLATE_NOOP("FieldLabels", "Hidden size")},
    Pair{"model.initializer_range", QT_TRANSLATE_NOOP("FieldLabels", "Initial weight deviation")},
    Pair{"model.intermediate_size", QT_TRANSLATE_NOOP("FieldLabels", "Intermediate size")},
    Pair{"model.layer_drop", QT_TRANSLATE_NOOP("FieldLabels", "Layer drop")},
    Pair{"model.max_position_embeddings", QT_TRANSLATE_NOOP("FieldLabels", "Maximum positions")},
    Pair{"model.num_attention_heads", QT_TRANSLATE_NOOP("FieldLabels", "Attention heads")},
    Pair{"model.num_hidden_layers", QT_TRANSLATE_NOOP("FieldLabels", "Layers")},
    Pair{"model.tie_word_embeddings", QT_TRANSLATE_NOOP("FieldLabels", "Tie word embeddings")},
    Pair{"model.type_vocab_size", QT_TRANSLATE_NOOP("FieldLabels", "Segment types")},
    Pair{"name", QT_TRANSLATE_NOOP("FieldLabels", "Name")},
    Pair{"optimizer.betas", QT_TRANSLATE_NOOP("FieldLabels", "Betas")},
    Pair{"optimizer.weight_decay", QT_TRANSLATE_NOOP("FieldLabels", "Weight decay")},
    Pair{"scale_schedule_ratio", QT_TRANSLATE_NOOP("FieldLabels", "Schedule stretch factor")},
    Pair{"scheduler.cooldown_schedule", QT_TRANSLATE_NOOP("FieldLabels", "Cool-down shape")},
    Pair{"scheduler.exp_factor", QT_TRANSLATE_NOOP("FieldLabels", "Decay exponent")},
    Pair{"scheduler.expression", QT_TRANSLATE_NOOP("FieldLabels", "Expression")},
    Pair{"scheduler.gamma", QT_TRANSLATE_NOOP("FieldLabels", "Gamma")},
    Pair{"scheduler.power", QT_TRANSLATE_NOOP("FieldLabels", "Power")},
    Pair{"scheduler.scale_warmup", QT_TRANSLATE_NOOP("FieldLabels", "Stretch warm-up")},
    Pair{"scheduler.warmup_from", QT_TRANSLATE_NOOP("FieldLabels", "Warm-up from")},
    Pair{"scheduler.warmup_init_lr", QT_TRANSLATE_NOOP("FieldLabels", "Initial warm-up rate")},
    Pair{"scheduler.warmup_schedule", QT_TRANSLATE_NOOP("FieldLabels", "Warm-up shape")},
    Pair{"scheduler.step_size", QT_TRANSLATE_NOOP("FieldLabels", "Step size")},
    Pair{"scheduler.milestones", QT_TRANSLATE_NOOP("FieldLabels", "Milestones")},
    Pair{"scheduler.decay_period", QT_TRANSLATE_NOOP("FieldLabels", "Decay period")},
    Pair{"scheduler.t_decay", QT_TRANSLATE_NOOP("FieldLabels", "Decay length")},
    Pair{"scheduler.t_cosine", QT_TRANSLATE_NOOP("FieldLabels", "Cosine length")},
    Pair{"scheduler.t_cooldown", QT_TRANSLATE_NOOP("FieldLabels", "Cool-down length")},
    Pair{"tokenizer.lowercase", QT_TRANSLATE_NOOP("FieldLabels", "Lowercase")},
    Pair{"model.family", QT_TRANSLATE_NOOP("FieldLabels", "Family")},
    Pair{"model.tile_from", QT_TRANSLATE_NOOP("FieldLabels", "Tile the weights of")},
    Pair{"model.num_key_value_heads", QT_TRANSLATE_NOOP("FieldLabels", "Key and value heads")},
    Pair{"model.global_attn_every_n_layers", QT_TRANSLATE_NOOP("FieldLabels", "Global attention every")},
    Pair{"model.local_attention", QT_TRANSLATE_NOOP("FieldLabels", "Local attention window")},
    Pair{"model.rope_theta", QT_TRANSLATE_NOOP("FieldLabels", "RoPE base")},
    Pair{"model.local_rope_theta", QT_TRANSLATE_NOOP("FieldLabels", "RoPE base of local layers")},
    Pair{"model.pad_vocab_to_multiple_of", QT_TRANSLATE_NOOP("FieldLabels", "Pad vocabulary to a multiple of")},
    Pair{"model.extend_vocab", QT_TRANSLATE_NOOP("FieldLabels", "Extend the vocabulary")},
    Pair{"tokenizer.train.kind", QT_TRANSLATE_NOOP("FieldLabels", "New vocabulary: kind")},
    Pair{"data.mlm_probability_end", QT_TRANSLATE_NOOP("FieldLabels", "Share of masked tokens at the end")},
    Pair{"data.mask_unit", QT_TRANSLATE_NOOP("FieldLabels", "Masked together")},
    Pair{"data.document_separator", QT_TRANSLATE_NOOP("FieldLabels", "Separator between documents")},
    Pair{"data.attention_across_documents", QT_TRANSLATE_NOOP("FieldLabels", "Attention across documents")},
    Pair{"stages", QT_TRANSLATE_NOOP("FieldLabels", "Stages of the run")},
    Pair{"optimizer.decouple_lr", QT_TRANSLATE_NOOP("FieldLabels", "Decay independent of the peak rate")},
    Pair{"scheduler.decay_schedule", QT_TRANSLATE_NOOP("FieldLabels", "Decay shape")},
    Pair{"eval.sets", QT_TRANSLATE_NOOP("FieldLabels", "Named evaluation sets")},
};

constexpr std::array kGroups = {
    Pair{"", QT_TRANSLATE_NOOP("FieldLabels", "Run")},
    Pair{"model", QT_TRANSLATE_NOOP("FieldLabels", "Model")},
    Pair{"tokenizer", QT_TRANSLATE_NOOP("FieldLabels", "Vocabulary")},
    Pair{"data", QT_TRANSLATE_NOOP("FieldLabels", "Data")},
    Pair{"batch", QT_TRANSLATE_NOOP("FieldLabels", "Batch size")},
    Pair{"optimizer", QT_TRANSLATE_NOOP("FieldLabels", "Optimizer")},
    Pair{"scheduler", QT_TRANSLATE_NOOP("FieldLabels", "Learning-rate schedule")},
    Pair{"lr_scaling", QT_TRANSLATE_NOOP("FieldLabels", "Learning-rate scaling")},
    Pair{"eval", QT_TRANSLATE_NOOP("FieldLabels", "Evaluation")},
    Pair{"checkpoint", QT_TRANSLATE_NOOP("FieldLabels", "Checkpoints")},
    Pair{"devices", QT_TRANSLATE_NOOP("FieldLabels", "Devices")},
    Pair{"log", QT_TRANSLATE_NOOP("FieldLabels", "Metrics")},
    Pair{"guard", QT_TRANSLATE_NOOP("FieldLabels", "Safety")},
    Pair{"launch", QT_TRANSLATE_NOOP("FieldLabels", "Launch")},
    Pair{"tokenizer.train", QT_TRANSLATE_NOOP("FieldLabels", "New vocabulary")},
    Pair{"batch.rampup", QT_TRANSLATE_NOOP("FieldLabels", "Ramp-up")},
    Pair{"batch.growth", QT_TRANSLATE_NOOP("FieldLabels", "Adaptive growth")},
    Pair{"batch.tokens", QT_TRANSLATE_NOOP("FieldLabels", "Token budget")},
    Pair{"guard.loss_spike", QT_TRANSLATE_NOOP("FieldLabels", "Loss spike")},
    Pair{"guard.plateau", QT_TRANSLATE_NOOP("FieldLabels", "Plateau")},
    Pair{"guard.grad_norm", QT_TRANSLATE_NOOP("FieldLabels", "Gradient norm")},
    Pair{"guard.update_ratio", QT_TRANSLATE_NOOP("FieldLabels", "Update-to-weight ratio")},
    Pair{"guard.attention_logit", QT_TRANSLATE_NOOP("FieldLabels", "Attention logit")},
    Pair{"guard.early_stop", QT_TRANSLATE_NOOP("FieldLabels", "Early stop")},
    Pair{"guard.hang", QT_TRANSLATE_NOOP("FieldLabels", "Hang")},
};

/// Keys of the sections in a field that is a list of sections.
constexpr std::array kKeys = {
    Pair{"batch.rampup.stages.at", QT_TRANSLATE_NOOP("FieldLabels", "Starts at")},
    Pair{"batch.rampup.stages.global_train_batch_size", QT_TRANSLATE_NOOP("FieldLabels", "Step size")},
    Pair{"scheduler.parts.name", QT_TRANSLATE_NOOP("FieldLabels", "Schedule")},
    Pair{"scheduler.parts.duration", QT_TRANSLATE_NOOP("FieldLabels", "Length")},
};

/// Fields whose labels say too little without the section of the form that they stand in.
constexpr std::array kNeedSection = {
    "checkpoint.best_metric", "checkpoint.keep_best", "checkpoint.keep_every",
    "checkpoint.keep_last",   "data.format",          "lr_scaling.applies_to",
    "lr_scaling.by",          "lr_scaling.method",    "lr_scaling.reference_batch_size",
    "model.family",           "model.preset",         "optimizer.betas",
    "optimizer.eps",          "scheduler.alpha",      "scheduler.alpha_f",
    "scheduler.alpha_i",      "scheduler.alpha_s",    "scheduler.expression",
    "scheduler.gamma",        "scheduler.milestones", "scheduler.power",
    "scheduler.step_size"};

template <std::size_t N>
const char* lookUp(const std::array<Pair, N>& table, const std::string& key) {
  for (const auto& [name, text] : table)
    if (key == name) return text;
  return nullptr;
}

/// "keep_last" -> "Keep last".
QString spelledOut(const std::string& name) {
  QString words = toQt(name).replace(QLatin1Char('_'), QLatin1Char(' '));
  if (!words.isEmpty()) words[0] = words[0].toUpper();
  return words;
}

/// Translation context.
struct SeriesLabels {
  Q_DECLARE_TR_FUNCTIONS(SeriesLabels)
};

}  // namespace

QString fieldLabel(const std::string& path) {
  const char* known = lookUp(kFieldLabels, path);
  const QString label = known == nullptr ? spelledOut(path.substr(path.rfind('.') + 1)) : FieldLabels::tr(known);
  if (std::ranges::find(kNeedSection, std::string_view(path)) == kNeedSection.end()) return label;
  return QStringLiteral("%1: %2").arg(groupTitle(path.substr(0, path.find('.'))),
                                      label.left(1).toLower() + label.mid(1));
}

QString formText(const std::string& message) {
  static const QRegularExpression key(QStringLiteral("\\b[a-z0-9_]++(?:\\.[a-z0-9_]++)*+(?!\\[)(=)?"));
  const QString text = toQt(message);
  QString labeled;
  qsizetype end = 0;
  for (auto keys = key.globalMatch(text); keys.hasNext();) {
    const auto found = keys.next();
    const bool isAssignment = !found.captured(1).isEmpty();
    const QString path = found.captured().chopped(isAssignment ? 1 : 0);
    const bool isKey = path.contains(QLatin1Char('.')) || path.contains(QLatin1Char('_')) || isAssignment;
    if (!isKey || findField(path.toStdString()) == nullptr) continue;
    labeled += text.mid(end, found.capturedStart() - end) +
               FieldLabels::tr("“%1”", "the label of a setting").arg(fieldLabel(path.toStdString())) +
               (isAssignment ? QStringLiteral(" = ") : QString());
    end = found.capturedEnd();
  }
  return labeled + text.mid(end);
}

QString keyLabel(const Field& list, const std::string& key) {
  const char* label = lookUp(kKeys, list.path + "." + key);
  return label == nullptr ? spelledOut(key) : FieldLabels::tr(label);
}

std::string subgroupOf(const Field& field) {
  const auto& schema = configSchema();
  const std::string parent = field.path.substr(0, std::min(field.path.rfind('.'), field.path.size()));
  if (parent == field.path || parent == field.group) return {};
  const auto beside = [&parent](const Field& other) { return other.path.starts_with(parent + "."); };
  return std::count_if(schema.begin(), schema.end(), beside) > 1 ? parent : std::string();
}

QString labelInGroup(const Field& field) {
  const QString label = fieldLabel(field.path);
  const std::string subgroup = subgroupOf(field);
  const QString prefix = groupTitle(subgroup.empty() ? field.group : subgroup) + QStringLiteral(": ");
  if (!label.startsWith(prefix)) return label;
  return label.mid(prefix.size(), 1).toUpper() + label.mid(prefix.size() + 1);
}

QString fieldHelp(const Field& field) {
  return toQt(field.help);
}

QString fieldUnit(const Field& field) {
  return toQt(field.unit);
}

QString groupTitle(const std::string& group) {
  if (const char* title = lookUp(kGroups, group)) return FieldLabels::tr(title);
  return spelledOut(group);
}

SeriesLabel seriesLabel(const std::string& series) {
  const Metric* metric = findMetric(series);
  if (metric == nullptr) return {toQt(series), {}};
  const QString label = SeriesLabels::tr(metric->label), unit = SeriesLabels::tr(metric->unit);
  const auto first = series.find('.'), last = series.rfind('.');
  const QString of = first == last ? QString() : toQt(series.substr(first + 1, last - first - 1));
  if (series.starts_with(kMemoryPrefix))
    return {SeriesLabels::tr("Memory of %1, %2", "%1: a device, %2: used, peak, …").arg(of, label), unit};
  return {of.isEmpty() ? label : SeriesLabels::tr("%1 on %2", "Evaluation loss on own text").arg(label, of), unit};
}

SeriesNames windowSeriesNames() {
  return {[](const std::string& series) { return seriesLabel(series).title.toStdString(); },
          [](const std::string& series) { return seriesLabel(series).unit.toStdString(); }};
}

}  // namespace batchwise
