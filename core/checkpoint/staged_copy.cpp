// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/staged_copy.h"

#include <ATen/ops/view.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace batchwise {
namespace {

/// Where the bytes of a filled stage go.
struct Landing {
  std::byte* to = nullptr;  // null: the stage is free
  std::size_t bytes = 0;
};

class Conveyor {
 public:
  explicit Conveyor(Stages& stages) : stages_(stages), landings_(static_cast<std::size_t>(stages.count())) {}

  void send(const at::Tensor& bytes, std::byte* to) {
    empty(next_);
    stages_.begin(next_, bytes);
    landings_[static_cast<std::size_t>(next_)] = {to, static_cast<std::size_t>(bytes.numel())};
    next_ = (next_ + 1) % stages_.count();
  }

  // The oldest first.
  void finish() {
    for (std::int64_t i = 0; i < stages_.count(); ++i) empty((next_ + i) % stages_.count());
  }

 private:
  void empty(std::int64_t stage) {
    Landing& landing = landings_[static_cast<std::size_t>(stage)];
    if (landing.to == nullptr) return;
    std::memcpy(landing.to, stages_.wait(stage), landing.bytes);
    landing = {};
  }

  Stages& stages_;
  std::vector<Landing> landings_;
  std::int64_t next_ = 0;
};

}  // namespace

void copyThrough(Stages& stages, const std::vector<NamedTensor>& from, const std::vector<NamedTensor>& to) {
  Conveyor conveyor(stages);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i].tensor.numel() == 0) continue;
    const at::Tensor bytes = from[i].tensor.reshape({-1}).view(at::kByte);
    auto* const target = static_cast<std::byte*>(to[i].tensor.mutable_data_ptr());
    for (std::int64_t first = 0; first < bytes.numel(); first += stages.bytes())
      conveyor.send(bytes.narrow(0, first, std::min(stages.bytes(), bytes.numel() - first)), target + first);
  }
  conveyor.finish();
}

}  // namespace batchwise
