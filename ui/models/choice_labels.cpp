// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/choice_labels.h"

#include <QtCore/QCoreApplication>
#include <algorithm>
#include <array>
#include <utility>

#include "ui/models/display_text.h"
#include "ui/models/labels.h"

namespace batchwise {
namespace {

struct ChoiceLabels {
  Q_DECLARE_TR_FUNCTIONS(ChoiceLabels)
};

using Pair = std::pair<const char*, const char*>;

/// By choice, or by field and choice where fields differ.
constexpr std::array kChoiceLabels = {
    Pair{"model.tie_word_embeddings=false", QT_TRANSLATE_NOOP("ChoiceLabels", "No")},
    Pair{"model.tie_word_embeddings=true", QT_TRANSLATE_NOOP("ChoiceLabels", "Yes")},
    Pair{"data.mask_unit=tokens", QT_TRANSLATE_NOOP("ChoiceLabels", "Single tokens")},
    Pair{"batch.round=none", QT_TRANSLATE_NOOP("ChoiceLabels", "No rounding")},
    Pair{"batch.growth.bound=none", QT_TRANSLATE_NOOP("ChoiceLabels", "No bound")},
    Pair{"bert", "BERT"},
    Pair{"roberta", "RoBERTa"},
    Pair{"xlm-roberta", "XLM-RoBERTa"},
    Pair{"modernbert", "ModernBERT"},
    Pair{"eurobert", "EuroBERT"},
    Pair{"neobert", "NeoBERT"},
    Pair{"gelu", "GELU"},
    Pair{"gelu_new", QT_TRANSLATE_NOOP("ChoiceLabels", "GELU, tanh form")},
    Pair{"relu", "ReLU"},
    Pair{"silu", "SiLU"},
    Pair{"post", QT_TRANSLATE_NOOP("ChoiceLabels", "After each sublayer")},
    Pair{"pre", QT_TRANSLATE_NOOP("ChoiceLabels", "Before each sublayer")},
    Pair{"wordpiece", "WordPiece"},
    Pair{"byte_bpe", QT_TRANSLATE_NOOP("ChoiceLabels", "Byte-level BPE")},
    Pair{"text", QT_TRANSLATE_NOOP("ChoiceLabels", "By blank lines")},
    Pair{"lines", QT_TRANSLATE_NOOP("ChoiceLabels", "One per line")},
    Pair{"jsonl", QT_TRANSLATE_NOOP("ChoiceLabels", "One JSON object per line")},
    Pair{"demo", QT_TRANSLATE_NOOP("ChoiceLabels", "Generated text")},
    Pair{"whole_words", QT_TRANSLATE_NOOP("ChoiceLabels", "Whole words")},
    Pair{"power_of_two", QT_TRANSLATE_NOOP("ChoiceLabels", "Power of two")},
    Pair{"doubling", QT_TRANSLATE_NOOP("ChoiceLabels", "Doubling")},
    Pair{"device_maximum", QT_TRANSLATE_NOOP("ChoiceLabels", "Largest without accumulation")},
    Pair{"dataloader", QT_TRANSLATE_NOOP("ChoiceLabels", "Order of the epoch")},
    Pair{"random", QT_TRANSLATE_NOOP("ChoiceLabels", "Random order")},
    Pair{"seqlen", QT_TRANSLATE_NOOP("ChoiceLabels", "By length")},
    Pair{"in_order", QT_TRANSLATE_NOOP("ChoiceLabels", "In order")},
    Pair{"best_fit", QT_TRANSLATE_NOOP("ChoiceLabels", "Best fit")},
    Pair{"real", QT_TRANSLATE_NOOP("ChoiceLabels", "Real tokens")},
    Pair{"padded", QT_TRANSLATE_NOOP("ChoiceLabels", "Padded tokens")},
    Pair{"keep", QT_TRANSLATE_NOOP("ChoiceLabels", "Train on it")},
    Pair{"discard", QT_TRANSLATE_NOOP("ChoiceLabels", "Leave it out")},
    Pair{"adamw", "AdamW"},
    Pair{"stable_adamw", "StableAdamW"},
    Pair{"constant", QT_TRANSLATE_NOOP("ChoiceLabels", "Constant")},
    Pair{"step", QT_TRANSLATE_NOOP("ChoiceLabels", "Steps of equal length")},
    Pair{"multistep", QT_TRANSLATE_NOOP("ChoiceLabels", "Steps at milestones")},
    Pair{"exponential", QT_TRANSLATE_NOOP("ChoiceLabels", "Exponential")},
    Pair{"linear", QT_TRANSLATE_NOOP("ChoiceLabels", "Linear")},
    Pair{"cosine", QT_TRANSLATE_NOOP("ChoiceLabels", "Cosine")},
    Pair{"cosine_annealing", QT_TRANSLATE_NOOP("ChoiceLabels", "Cosine annealing")},
    Pair{"cosine_annealing_warm_restarts", QT_TRANSLATE_NOOP("ChoiceLabels", "Cosine annealing, restarted")},
    Pair{"polynomial", QT_TRANSLATE_NOOP("ChoiceLabels", "Polynomial")},
    Pair{"multistep_with_warmup", QT_TRANSLATE_NOOP("ChoiceLabels", "Steps at milestones, warm-up")},
    Pair{"constant_with_warmup", QT_TRANSLATE_NOOP("ChoiceLabels", "Constant, warm-up")},
    Pair{"linear_with_warmup", QT_TRANSLATE_NOOP("ChoiceLabels", "Linear, warm-up")},
    Pair{"cosine_annealing_with_warmup", QT_TRANSLATE_NOOP("ChoiceLabels", "Cosine annealing, warm-up")},
    Pair{"polynomial_with_warmup", QT_TRANSLATE_NOOP("ChoiceLabels", "Polynomial, warm-up")},
    Pair{"inverse_sqrt", QT_TRANSLATE_NOOP("ChoiceLabels", "Inverse square root")},
    Pair{"warmup_stable_decay", QT_TRANSLATE_NOOP("ChoiceLabels", "Warm-up, stable, decay")},
    Pair{"one_minus_sqrt", QT_TRANSLATE_NOOP("ChoiceLabels", "Constant, then 1 − square root")},
    Pair{"cosine_inverse_sqrt", QT_TRANSLATE_NOOP("ChoiceLabels", "Cosine, then inverse square root")},
    Pair{"expression", QT_TRANSLATE_NOOP("ChoiceLabels", "Expression")},
    Pair{"chain", QT_TRANSLATE_NOOP("ChoiceLabels", "Chain of schedules")},
    Pair{"1-sqrt", QT_TRANSLATE_NOOP("ChoiceLabels", "1 − square root")},
    Pair{"zero", QT_TRANSLATE_NOOP("ChoiceLabels", "0")},
    Pair{"one", QT_TRANSLATE_NOOP("ChoiceLabels", "1/n")},
    Pair{"none", QT_TRANSLATE_NOOP("ChoiceLabels", "None")},
    Pair{"sqrt", QT_TRANSLATE_NOOP("ChoiceLabels", "Square root")},
    Pair{"samples", QT_TRANSLATE_NOOP("ChoiceLabels", "Samples")},
    Pair{"tokens", QT_TRANSLATE_NOOP("ChoiceLabels", "Tokens")},
    Pair{"off", QT_TRANSLATE_NOOP("ChoiceLabels", "Off")},
    Pair{"note", QT_TRANSLATE_NOOP("ChoiceLabels", "Note")},
    Pair{"pause", QT_TRANSLATE_NOOP("ChoiceLabels", "Pause")},
    Pair{"stop", QT_TRANSLATE_NOOP("ChoiceLabels", "Stop")},
    Pair{"skip", QT_TRANSLATE_NOOP("ChoiceLabels", "Skip the step")},
    Pair{"roll_back", QT_TRANSLATE_NOOP("ChoiceLabels", "Roll back")},
    Pair{"local", QT_TRANSLATE_NOOP("ChoiceLabels", "This machine")},
    Pair{"always", QT_TRANSLATE_NOOP("ChoiceLabels", "Always")},
    Pair{"never", QT_TRANSLATE_NOOP("ChoiceLabels", "Never")},
};

}  // namespace

QString choiceLabel(const std::string& path, const std::string& choice) {
  if (choice.starts_with("eval.")) return seriesLabel(choice).title;
  for (const std::string& key : {path + "=" + choice, choice})
    if (const auto found = std::ranges::find(kChoiceLabels, key, &Pair::first); found != kChoiceLabels.end())
      return ChoiceLabels::tr(found->second);
  return toQt(choice);
}

}  // namespace batchwise
