// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise {

/// Numbers are written and read with a point, and the system's messages are English, whatever the desktop's language:
/// files, patterns of translation and figures rely on it. To be called once Qt's application object is there, which
/// takes the locale of the environment for the whole process; before other threads.
void keepPlainLocale();

}  // namespace batchwise
