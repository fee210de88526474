// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/line_communicator.h"

#include <cstring>

namespace batchwise {

Result<void> LineCommunicator::sumValues(std::span<double> values) {
  const Result<std::vector<std::string>> all =
      line_->exchange(std::string(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
  if (!all.ok()) return all.error();
  std::fill(values.begin(), values.end(), 0.0);
  for (const std::string& bytes : *all) {
    if (bytes.size() != values.size_bytes())
      return Error::internal("the ranks do not add up equally many values: they are not at the same place");
    for (std::size_t i = 0; i < values.size(); ++i) {
      double value = 0;
      std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
      values[i] += value;
    }
  }
  return {};
}

}  // namespace batchwise
