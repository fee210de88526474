// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace batchwise {

/// Sets the C locale for numbers and system messages: file formats and displayed numbers rely on it. Call after
/// creating Qt's application object, which sets the locale of the environment for the process, and before starting
/// threads.
void useCLocale();

}  // namespace batchwise
