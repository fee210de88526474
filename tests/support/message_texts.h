// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/message.h"

namespace batchwise::test {

/// Returns the English texts of messages.
inline std::vector<std::string> textsOf(const std::vector<Message>& messages) {
  return {messages.begin(), messages.end()};
}

}  // namespace batchwise::test
