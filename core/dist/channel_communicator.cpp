// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/channel_communicator.h"

#include <cstring>

#include "core/dist/messages.h"

namespace batchwise {

Result<void> ChannelCommunicator::allReduceValues(std::span<double> values) {
  const Result<std::vector<std::string>> all =
      line_->exchange(std::string(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
  if (!all.ok()) return all.error();
  std::fill(values.begin(), values.end(), 0.0);
  for (const std::string& bytes : *all) {
    if (bytes.size() != values.size_bytes()) return Error::internal(messages::ranksSumDifferentCounts());
    for (std::size_t i = 0; i < values.size(); ++i) {
      double value = 0;
      std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
      values[i] += value;
    }
  }
  return {};
}

}  // namespace batchwise
