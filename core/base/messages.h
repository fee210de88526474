// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/message.h"

namespace batchwise::messages {
#include "core/base/messages.def"
}  // namespace batchwise::messages
