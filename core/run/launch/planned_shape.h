// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/config/config_file.h"
#include "core/exchange/model_shape.h"

namespace batchwise {

/// Returns the model that a configuration would train, before any data is read: vocabulary size of tokenizer.path or of
/// the vocabulary to be trained, sizes of model.init_from. Fails as reading those files, and with Config if they do not
/// match.
Result<ModelShape> plannedShape(const LoadedConfig& config);

}  // namespace batchwise
