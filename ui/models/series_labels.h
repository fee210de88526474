// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <string>

#include "core/analysis/localization.h"

namespace batchwise {

/// Title and unit of a stored series in the window: "Loss", "nats per masked token".
struct SeriesLabel {
  QString title;
  QString unit;  ///< empty if part of the title or unknown
};
/// Returns the series name without a unit if there is no label for it.
SeriesLabel seriesLabel(const std::string& series);

/// Texts for tables, charts and reports of core, in the window's language.
Localization windowTexts();

}  // namespace batchwise
