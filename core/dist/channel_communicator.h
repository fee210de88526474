// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/dist/communicator.h"
#include "core/dist/rank_channel.h"

namespace batchwise {

/// Base for ranks in separate processes: texts and values use a RankChannel, tensors are up to the subclass.
class ChannelCommunicator : public Communicator {
 public:
  explicit ChannelCommunicator(std::shared_ptr<RankChannel> line) : line_(std::move(line)) {}

  std::int64_t rank() const override { return line_->rank(); }
  std::int64_t size() const override { return line_->size(); }
  /// Sums in rank order, so that all ranks get identical bits.
  Result<void> allReduceValues(std::span<double> values) override;
  Result<std::vector<std::string>> allGatherTexts(const std::string& own) override { return line_->exchange(own); }
  void enter(std::string_view section) override { line_->enter(section); }
  void abandon(const Error& why) override { line_->abandon(why); }

 protected:
  RankChannel& line() const { return *line_; }

 private:
  const std::shared_ptr<RankChannel> line_;
};

}  // namespace batchwise
