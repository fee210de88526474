// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/external_names.h"

#include <algorithm>

namespace batchwise::config {

const std::vector<ExternalName>& externalNames() {
  static const std::vector<ExternalName> rows = {
      {"global_train_batch_size", "batch.global_train_batch_size", "Composer"},
      {"device_train_microbatch_size", "batch.device_train_microbatch_size", "Composer"},
      {"batch_rampup", "batch.rampup.duration", "bert24"},
      {"inital_global_train_batch_size", "batch.rampup.initial_global_train_batch_size", "bert24"},  // misspelled there
      {"initial_global_train_batch_size", "batch.rampup.initial_global_train_batch_size", "bert24"},
      {"batch.rampup.inital_global_train_batch_size", "batch.rampup.initial_global_train_batch_size", "bert24"},
      {"batch.batch_increase_function", "batch.growth.batch_increase_function", "torchtune"},
      {"batch_increase_function", "batch.growth.batch_increase_function", "torchtune"},
      {"use_maximum_batch_size", "batch.use_maximum_batch_size", "torchtune"},
      {"max_seq_len", "data.max_seq_len", "Composer"},
      {"eval_interval", "eval.interval", "Composer"},
      {"save_interval", "checkpoint.interval", "Composer"},
  };
  return rows;
}

const ExternalName* externalName(const std::string& theirs) {
  const auto found = std::ranges::find(externalNames(), theirs, &ExternalName::theirs);
  return found == externalNames().end() ? nullptr : &*found;
}

}  // namespace batchwise::config
