// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise {

/// Puts something that can be neither read nor written in the place of stdin, stdout and stderr where a program was
/// started without them: else the next file that it opens, a database perhaps, would take what is meant for them. To be
/// called before anything else.
void occupyStandardStreams();

/// A write beyond the limit of a file's size (ulimit -f) fails with EFBIG, which is reported as a full disk, in place
/// of ending the program. Programs that are started inherit this.
void ignoreFileSizeSignal();

}  // namespace batchwise
