// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/messages.h"

namespace batchwise::messages {
#include "app/cli/messages.def"
}  // namespace batchwise::messages
