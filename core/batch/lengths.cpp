// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/batch/lengths.h"

#include <algorithm>

namespace batchwise {

ListedLengths::ListedLengths(std::vector<std::uint32_t> tokens) : tokens_(std::move(tokens)) {
  for (const std::uint32_t length : tokens_) {
    totalTokens_ += length;
    longest_ = std::max(longest_, length);
  }
}

}  // namespace batchwise
