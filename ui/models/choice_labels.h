// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <string>

namespace batchwise {

/// Label of a choice of a field: "Linear, warm-up" for "linear_with_warmup" of scheduler.name, translated. Returns
/// the choice itself where its name in files is also its name in texts ("auto", "tiny", "bf16"), or it is unknown.
QString choiceLabel(const std::string& path, const std::string& choice);

}  // namespace batchwise
