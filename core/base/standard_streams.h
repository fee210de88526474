// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise {

/// Opens /dev/null in place of a closed stdin, stdout or stderr, so that the next opened file, perhaps a database, does
/// not receive their data. Reads and writes on it fail. Call first in main().
void openMissingStandardStreams();

/// Makes a write beyond the file size limit (ulimit -f) fail with EFBIG, reported as a full disk, instead of killing
/// the process. Inherited by child processes.
void ignoreFileSizeSignal();

}  // namespace batchwise
