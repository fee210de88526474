// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/parts/search_words.h"

#include <QtCore/QStringList>
#include <algorithm>
#include <array>
#include <utility>

namespace batchwise {
namespace {

using Pair = std::pair<const char*, const char*>;

constexpr std::array kWords = {
    Pair{"optimizer.lr", "learning rate, lr, maximum"},
    Pair{"optimizer.name", "AdamW, LAMB, SGD, algorithm"},
    Pair{"optimizer.grad_clip_norm", "gradient clipping, clip gradients, max grad norm"},
    Pair{"optimizer.weight_decay", "regularization, L2"},
    Pair{"optimizer.betas", "momentum, adam"},
    Pair{"scheduler.name", "scheduler, decay, cosine, linear, annealing"},
    Pair{"scheduler.t_warmup", "warmup"},
    Pair{"data.train", "corpus, dataset, data, files, input"},
    Pair{"data.eval", "validation set, test set"},
    Pair{"data.holdout", "validation split, test share"},
    Pair{"data.max_seq_len", "sequence length, context, truncation, tokens per sample"},
    Pair{"data.mlm_probability", "masking, mask probability, mlm"},
    Pair{"tokenizer.path", "tokenizer, vocab, wordpiece"},
    Pair{"tokenizer.train.vocab_size", "tokenizer, vocab, wordpiece"},
    Pair{"model.preset", "model size, parameters, tiny, base, large"},
    Pair{"model.init_from", "pretrained, fine-tune, finetuning, continue, load weights"},
    Pair{"model.num_hidden_layers", "depth, blocks"},
    Pair{"model.hidden_size", "width, dimension"},
    Pair{"batch.global_train_batch_size", "batch size, total batch"},
    Pair{"batch.device_train_microbatch_size", "gradient accumulation, batch size per GPU"},
    Pair{"batch.rampup.duration", "batch size warmup, ramp, growing batch"},
    Pair{"batch.rampup.initial_global_train_batch_size", "batch size warmup, ramp, start size"},
    Pair{"batch.growth.increase_function", "adaptive batch size, noise scale"},
    Pair{"batch.tokens.max_tokens", "tokens per batch, dynamic batching, bucketing"},
    Pair{"eval.interval", "validation, evaluate often, how often"},
    Pair{"checkpoint.interval", "save, snapshot, backup, how often"},
    Pair{"checkpoint.keep_last", "retention, disk space, delete old"},
    Pair{"log.interval", "logging, how often"},
    Pair{"log.noise_scale", "gradient noise, GNS, critical batch size"},
    Pair{"guard.early_stop.action", "early stopping, patience"},
    Pair{"guard.non_finite", "nan, inf, overflow, diverges"},
    Pair{"launch.time_limit", "timeout, deadline, maximum time"},
    Pair{"devices.use", "GPU, CUDA, CPU, multi-GPU"},
    Pair{"devices.activation_checkpointing", "gradient checkpointing, save memory"},
    Pair{"devices.deterministic", "reproducible"},
    Pair{"max_duration", "epochs, steps, iterations, how long, tokens"},
    Pair{"precision", "mixed precision, fp16, bf16, half, amp"},
    Pair{"seed", "reproducible, random state"},
    Pair{"experiment", "ablation, sweep, group"},
    Pair{"variant", "ablation, arm, condition"},
    Pair{"zip", "sweep, paired, grid"},
    Pair{"several_runs", "sweep, grid search, ablation, hyperparameters, tuning"},
    Pair{"preferenceTheme", "dark mode, light mode, night, colors, appearance"},
    Pair{"preferenceTextSize", "font size, zoom, larger, scale"},
    Pair{"command.launch", "start, train, begin, run"},
    Pair{"command.enqueue", "later, batch jobs"},
    Pair{"command.stop_and_save", "end, quit training, cancel"},
    Pair{"command.stop_without_saving", "kill, abort, cancel"},
    Pair{"command.resume", "continue, restart"},
    Pair{"command.train_on_text", "own data, my files, corpus"},
    Pair{"command.continue_model", "fine-tune, finetuning, pretrained, Hugging Face"},
    Pair{"command.duplicate", "copy, clone, repeat"},
    Pair{"command.duplicate_variant", "ablation, experiment, copy"},
    Pair{"command.preferences", "settings, options"},
};

}  // namespace

QString searchWords(const QString& name) {
  const auto found = std::ranges::find_if(kWords, [&](const Pair& pair) { return name == QLatin1String(pair.first); });
  return found == kWords.end() ? QString() : QLatin1String(found->second);
}

bool containsWords(const QString& text, const QString& search) {
  const QStringList words = search.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  return std::ranges::all_of(words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace batchwise
