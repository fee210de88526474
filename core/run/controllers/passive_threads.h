// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise {

/// Makes waiting OpenMP threads sleep instead of spin; spinning takes cores from working threads and slows training
/// several times beside other work. OpenMP reads its wait policy when its library is loaded, which happens before
/// main(). So this executes the program again in the same process with OMP_WAIT_POLICY=passive, unless the variable is
/// set. Call it first in main(), with main's `arguments`. If the system refuses, the program continues.
void restartWithPassiveThreads(char* const* arguments);

}  // namespace batchwise
