// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise::cli {

/// From now on std::cout and std::cerr write all text as shownSafely() gives it, so that no command can forget it: what
/// a workspace, a model or a file says steers no terminal. JSON and tables that have been made safe before pass as they
/// are. Once per process, before other threads; any thread may write afterwards.
void makeStandardStreamsSafe();

}  // namespace batchwise::cli
