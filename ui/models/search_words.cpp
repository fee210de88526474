// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/search_words.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QStringList>
#include <algorithm>
#include <array>
#include <utility>

namespace batchwise {
namespace {

using Pair = std::pair<const char*, const char*>;

constexpr std::array kWords = {
    Pair{"optimizer.lr", QT_TRANSLATE_NOOP("SearchWords", "learning rate, lr, maximum")},
    Pair{"optimizer.name", QT_TRANSLATE_NOOP("SearchWords", "AdamW, LAMB, SGD, algorithm")},
    Pair{"optimizer.grad_clip_norm",
         QT_TRANSLATE_NOOP("SearchWords", "gradient clipping, clip gradients, max grad norm")},
    Pair{"optimizer.weight_decay", QT_TRANSLATE_NOOP("SearchWords", "regularization, L2")},
    Pair{"optimizer.betas", QT_TRANSLATE_NOOP("SearchWords", "momentum, adam")},
    Pair{"scheduler.name", QT_TRANSLATE_NOOP("SearchWords", "scheduler, decay, cosine, linear, annealing")},
    Pair{"scheduler.t_warmup", QT_TRANSLATE_NOOP("SearchWords", "warmup")},
    Pair{"data.train", QT_TRANSLATE_NOOP("SearchWords", "corpus, dataset, data, files, input")},
    Pair{"data.eval", QT_TRANSLATE_NOOP("SearchWords", "validation set, test set")},
    Pair{"data.holdout", QT_TRANSLATE_NOOP("SearchWords", "validation split, test share")},
    Pair{"data.max_seq_len",
         QT_TRANSLATE_NOOP("SearchWords", "sequence length, context, truncation, tokens per sample")},
    Pair{"data.mlm_probability", QT_TRANSLATE_NOOP("SearchWords", "masking, mask probability, mlm")},
    Pair{"tokenizer.path", QT_TRANSLATE_NOOP("SearchWords", "tokenizer, vocab, wordpiece")},
    Pair{"tokenizer.train.vocab_size", QT_TRANSLATE_NOOP("SearchWords", "tokenizer, vocab, wordpiece")},
    Pair{"model.preset", QT_TRANSLATE_NOOP("SearchWords", "model size, parameters, tiny, base, large")},
    Pair{"model.init_from",
         QT_TRANSLATE_NOOP("SearchWords", "pretrained, fine-tune, finetuning, continue, load weights")},
    Pair{"model.num_hidden_layers", QT_TRANSLATE_NOOP("SearchWords", "depth, blocks")},
    Pair{"model.hidden_size", QT_TRANSLATE_NOOP("SearchWords", "width, dimension")},
    Pair{"batch.global_train_batch_size", QT_TRANSLATE_NOOP("SearchWords", "batch size, total batch")},
    Pair{"batch.device_train_microbatch_size",
         QT_TRANSLATE_NOOP("SearchWords", "gradient accumulation, batch size per GPU")},
    Pair{"batch.rampup.duration", QT_TRANSLATE_NOOP("SearchWords", "batch size warmup, ramp, growing batch")},
    Pair{"batch.rampup.initial_global_train_batch_size",
         QT_TRANSLATE_NOOP("SearchWords", "batch size warmup, ramp, start size")},
    Pair{"batch.growth.increase_function", QT_TRANSLATE_NOOP("SearchWords", "adaptive batch size, noise scale")},
    Pair{"batch.tokens.max_tokens", QT_TRANSLATE_NOOP("SearchWords", "tokens per batch, dynamic batching, bucketing")},
    Pair{"eval.interval", QT_TRANSLATE_NOOP("SearchWords", "validation, evaluate often, how often")},
    Pair{"checkpoint.interval", QT_TRANSLATE_NOOP("SearchWords", "save, snapshot, backup, how often")},
    Pair{"checkpoint.keep_last", QT_TRANSLATE_NOOP("SearchWords", "retention, disk space, delete old")},
    Pair{"log.interval", QT_TRANSLATE_NOOP("SearchWords", "logging, how often")},
    Pair{"guard.early_stop.action", QT_TRANSLATE_NOOP("SearchWords", "early stopping, patience")},
    Pair{"guard.non_finite", QT_TRANSLATE_NOOP("SearchWords", "nan, inf, overflow, diverges")},
    Pair{"launch.time_limit", QT_TRANSLATE_NOOP("SearchWords", "timeout, deadline, maximum time")},
    Pair{"devices.use", QT_TRANSLATE_NOOP("SearchWords", "GPU, CUDA, CPU, multi-GPU")},
    Pair{"devices.activation_checkpointing", QT_TRANSLATE_NOOP("SearchWords", "gradient checkpointing, save memory")},
    Pair{"devices.deterministic", QT_TRANSLATE_NOOP("SearchWords", "reproducible")},
    Pair{"max_duration", QT_TRANSLATE_NOOP("SearchWords", "epochs, steps, iterations, how long, tokens")},
    Pair{"precision", QT_TRANSLATE_NOOP("SearchWords", "mixed precision, fp16, bf16, half, amp")},
    Pair{"seed", QT_TRANSLATE_NOOP("SearchWords", "reproducible, random state")},
    Pair{"experiment", QT_TRANSLATE_NOOP("SearchWords", "ablation, sweep, group")},
    Pair{"variant", QT_TRANSLATE_NOOP("SearchWords", "ablation, arm, condition")},
    Pair{"zip", QT_TRANSLATE_NOOP("SearchWords", "sweep, paired, grid")},
    Pair{"several_runs", QT_TRANSLATE_NOOP("SearchWords", "sweep, grid search, ablation, hyperparameters, tuning")},
    Pair{"preferenceTheme", QT_TRANSLATE_NOOP("SearchWords", "dark mode, light mode, night, colors, appearance")},
    Pair{"preferenceTextSize", QT_TRANSLATE_NOOP("SearchWords", "font size, zoom, larger, scale")},
    Pair{"command.launch", QT_TRANSLATE_NOOP("SearchWords", "start, train, begin, run")},
    Pair{"command.enqueue", QT_TRANSLATE_NOOP("SearchWords", "later, batch jobs")},
    Pair{"command.stop_and_save", QT_TRANSLATE_NOOP("SearchWords", "end, quit training, cancel")},
    Pair{"command.stop_without_saving", QT_TRANSLATE_NOOP("SearchWords", "kill, abort, cancel")},
    Pair{"command.resume", QT_TRANSLATE_NOOP("SearchWords", "continue, restart")},
    Pair{"command.train_on_text", QT_TRANSLATE_NOOP("SearchWords", "own data, my files, corpus")},
    Pair{"command.continue_model", QT_TRANSLATE_NOOP("SearchWords", "fine-tune, finetuning, pretrained, Hugging Face")},
    Pair{"command.duplicate", QT_TRANSLATE_NOOP("SearchWords", "copy, clone, repeat")},
    Pair{"command.duplicate_variant", QT_TRANSLATE_NOOP("SearchWords", "ablation, experiment, copy")},
    Pair{"command.preferences", QT_TRANSLATE_NOOP("SearchWords", "settings, options")},
};

}  // namespace

QString searchWords(const QString& name) {
  const auto found = std::ranges::find_if(kWords, [&](const Pair& pair) { return name == QLatin1String(pair.first); });
  return found == kWords.end() ? QString() : QCoreApplication::translate("SearchWords", found->second);
}

bool containsWords(const QString& text, const QString& search) {
  const QStringList words = search.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  return std::ranges::all_of(words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace batchwise
