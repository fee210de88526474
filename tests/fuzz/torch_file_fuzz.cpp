// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as a file of torch.save(). What is accepted lies inside the file.
#include <cstdlib>

#include "core/model/hugging_face/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto tensors = batchwise::parseTorchFile({reinterpret_cast<const std::byte*>(data), size});
  if (!tensors.ok()) return 0;
  for (const batchwise::TensorInfo& tensor : *tensors) {
    std::int64_t last = tensor.firstByte;
    for (std::size_t d = 0; d < tensor.shape.size(); ++d)
      last += (tensor.shape[d] - 1) * tensor.strides[d] * batchwise::tensorTypeBytes(tensor.type);
    const auto end = static_cast<std::int64_t>(size);
    if (tensor.firstByte < 0 || tensor.bytes > end ||
        (tensor.bytes > 0 && last + batchwise::tensorTypeBytes(tensor.type) > end))
      std::abort();
  }
  return 0;
}
