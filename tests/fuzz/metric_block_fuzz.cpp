// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as stored metrics, as they are and with the checksum that belongs to them.
#include <vector>

#include "core/base/hash.h"
#include "core/store/metrics/metric_codec.h"

namespace {

constexpr batchwise::MetricKey kKey{7};

void decode(std::span<const std::byte> bytes) {
  (void)batchwise::decodeRow(kKey, bytes);
  (void)batchwise::decodeBlock(kKey, bytes);
  (void)batchwise::decodeExtent(kKey, bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  decode(bytes);
  std::vector<std::byte> sealed(bytes.begin(), bytes.end());
  const std::uint32_t crc = batchwise::crc32c(bytes, batchwise::crc32c(std::as_bytes(std::span{kKey})));
  const auto end = std::as_bytes(std::span{&crc, 1});
  sealed.insert(sealed.end(), end.begin(), end.end());
  decode(sealed);
  return 0;
}
