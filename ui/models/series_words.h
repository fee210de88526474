// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <string>

#include "core/analysis/wording.h"

namespace batchwise {

/// What a stored series is called in the window, and the unit of its values: "Loss", "nats per masked token".
struct SeriesWords {
  QString title;
  QString unit;  ///< may be empty: the title says it, or it is not known
};
/// The name itself, without a unit, for a series that has no words.
SeriesWords seriesWords(const std::string& series);

/// Lets tables, charts and reports of the core speak as the window does.
Wording windowWording();

}  // namespace batchwise
