// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/staged_copy.h"

#include <ATen/ops/view.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace batchwise {
namespace {

/// Destination of the bytes in a buffer.
struct Destination {
  std::byte* to = nullptr;  // null: the buffer is unused
  std::size_t bytes = 0;
};

class StagedCopier {
 public:
  explicit StagedCopier(StagingBuffers& stages)
      : stages_(stages), destinations_(static_cast<std::size_t>(stages.count())) {}

  void send(const at::Tensor& bytes, std::byte* to) {
    empty(next_);
    stages_.begin(next_, bytes);
    destinations_[static_cast<std::size_t>(next_)] = {to, static_cast<std::size_t>(bytes.numel())};
    next_ = (next_ + 1) % stages_.count();
  }

  // Oldest first.
  void finish() {
    for (std::int64_t i = 0; i < stages_.count(); ++i) empty((next_ + i) % stages_.count());
  }

 private:
  void empty(std::int64_t stage) {
    Destination& destination = destinations_[static_cast<std::size_t>(stage)];
    if (destination.to == nullptr) return;
    std::memcpy(destination.to, stages_.wait(stage), destination.bytes);
    destination = {};
  }

  StagingBuffers& stages_;
  std::vector<Destination> destinations_;
  std::int64_t next_ = 0;
};

}  // namespace

void copyStaged(StagingBuffers& stages, const std::vector<NamedTensor>& from, const std::vector<NamedTensor>& to) {
  StagedCopier copier(stages);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i].tensor.numel() == 0) continue;
    const at::Tensor bytes = from[i].tensor.reshape({-1}).view(at::kByte);
    auto* const target = static_cast<std::byte*>(to[i].tensor.mutable_data_ptr());
    for (std::int64_t first = 0; first < bytes.numel(); first += stages.bytes())
      copier.send(bytes.narrow(0, first, std::min(stages.bytes(), bytes.numel() - first)), target + first);
  }
  copier.finish();
}

}  // namespace batchwise
