// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/dist/communicator.h"
#include "core/dist/rank_line.h"

namespace batchwise {

/// Ranks that are processes: what they agree on goes over a RankLine, tensors over what the subclass knows.
class LineCommunicator : public Communicator {
 public:
  explicit LineCommunicator(std::shared_ptr<RankLine> line) : line_(std::move(line)) {}

  std::int64_t rank() const override { return line_->rank(); }
  std::int64_t size() const override { return line_->size(); }
  /// In rank order, so that all ranks get the same bits.
  Result<void> sumValues(std::span<double> values) override;
  Result<std::vector<std::string>> exchangeTexts(const std::string& own) override { return line_->exchange(own); }
  void enter(std::string_view section) override { line_->enter(section); }
  void abandon(const Error& why) override { line_->abandon(why); }

 protected:
  RankLine& line() const { return *line_; }

 private:
  const std::shared_ptr<RankLine> line_;
};

}  // namespace batchwise
