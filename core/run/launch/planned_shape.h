// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/config/config_file.h"
#include "core/exchange/model_shape.h"

namespace batchwise {

/// The model that a configuration would train, before any data is read: with the vocabulary of tokenizer.path or the
/// size of the one that is to be trained, and the sizes of model.init_from. Fails as what reads those files, and with
/// Config if they do not go together.
Result<ModelShape> plannedShape(const LoadedConfig& config);

}  // namespace batchwise
