// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a program sets up before anything else.

namespace batchwise {

/// Opens /dev/null in place of a closed stdin, stdout or stderr, so that the next opened file, perhaps a database, does
/// not receive their data. Reads and writes on it fail. Call first in main().
void openMissingStandardStreams();

/// Makes a write beyond the file size limit (ulimit -f) fail with EFBIG, reported as a full disk, instead of killing
/// the process. Inherited by child processes.
void ignoreFileSizeSignal();

/// Sets the environment variables that c10d reads when it makes a group of NCCL ranks: a failed operation ends the
/// group, not the process, and only guard.hang judges what hangs. Values that a user has set stay. Call before starting
/// threads, which may read the environment.
void setNcclErrorHandling();

/// Sets the C locale for numbers and system messages: file formats and displayed numbers rely on it. Call after
/// creating Qt's application object, which sets the locale of the environment for the process, and before starting
/// threads.
void useCLocale();

}  // namespace batchwise
