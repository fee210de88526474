// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/c_locale.h"

#include <clocale>

namespace batchwise {

void useCLocale() {
  std::setlocale(LC_NUMERIC, "C");
  std::setlocale(LC_MESSAGES, "C");
}

}  // namespace batchwise
