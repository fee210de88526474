// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/plain_locale.h"

#include <clocale>

namespace batchwise {

void keepPlainLocale() {
  std::setlocale(LC_NUMERIC, "C");
  std::setlocale(LC_MESSAGES, "C");
}

}  // namespace batchwise
