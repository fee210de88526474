// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise {

/// Makes threads that wait sleep instead of spin: spinning ones take the cores from those that work, which makes
/// training several times slower beside other work. OpenMP takes its wait policy from the environment when its
/// library is loaded, and one of the libraries that every program links brings it, before main(). So this starts the
/// program again with OMP_WAIT_POLICY=passive, in the same process, unless the variable is set already (to whatever
/// value). Call it first in main(), with main's `arguments`. If the system refuses, the program just goes on.
void restartWithPassiveThreads(char* const* arguments);

}  // namespace batchwise
