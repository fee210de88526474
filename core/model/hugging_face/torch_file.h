// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/model/hugging_face/safetensors.h"

namespace batchwise {

/// Parses a file of torch.save() that holds a dictionary of names and tensors: pytorch_model.bin, as a zip file or in
/// the format before PyTorch 1.6. Its pickle can only build numbers, texts, lists, dictionaries and tensors here;
/// nothing is called. Returns the tensors with `firstByte` counted from the start of the file; their elements lie
/// inside of it, and are no more than those of their storage. Fails with Unsupported, naming it, if the pickle asks for
/// anything else or a value is no tensor of a type that can be read; with Corrupt otherwise. Safe for arbitrary bytes.
/// LibTorch's own reader is not used: it refuses a state_dict() (an OrderedDict) and the older format.
Result<std::vector<TensorInfo>> parseTorchFile(std::span<const std::byte> file);

}  // namespace batchwise
