// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise::cli {

/// Makes std::cout and std::cerr escape all text with escapedForTerminal(), so that text from a workspace, a model or a
/// file cannot control the terminal. Text that is already escaped passes unchanged. Call once per process, before other
/// threads start; writing is thread-safe afterwards.
void escapeStandardStreams();

}  // namespace batchwise::cli
