// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QCoreApplication;

namespace batchwise {

/// Installs the English plural forms and the window's wording of messages of core, and over them
/// resources/i18n/batchwise_XX.ts of the desktop's language, where that is there. GUI thread, once, before a text is
/// shown. `application` owns what is installed.
void installTranslations(QCoreApplication& application);

}  // namespace batchwise
