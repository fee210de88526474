// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/text_bytes.h"

namespace batchwise {

TextBytes::TextBytes(const Tokenizer& tokenizer, const TokenDataset& data) {
  for (std::int32_t id = 0; id < tokenizer.vocabulary().size(); ++id) own_.push_back(tokenizer.ownBytes(id));
  const auto counts = data.tokenCounts();
  double all = 0;
  for (std::size_t id = 0; id < counts.size() && id < own_.size(); ++id)
    all += static_cast<double>(counts[id]) * own_[id];
  const auto text = static_cast<double>(data.statistics().text.textBytes);
  if (all > 0 && text > 0) scale_ = text / all;
}

double TextBytes::under(std::span<const std::int32_t> ids) const {
  std::int64_t own = 0;
  for (const std::int32_t id : ids) own += own_[static_cast<std::size_t>(id)];
  return scale_ * static_cast<double>(own);
}

}  // namespace batchwise
