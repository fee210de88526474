// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// Length of each sample in tokens, special tokens included. Thread-safe.
class Lengths {
 public:
  virtual ~Lengths() = default;
  virtual std::int64_t size() const = 0;
  /// Verifies all values read so far; call before using them. Fails with Corrupt if the file has changed.
  virtual Result<void> intact() const { return {}; }
  /// Returns false if the lengths are assumed, not those of real samples.
  virtual bool known() const { return true; }
  /// Requires 0 <= sample < size().
  virtual std::uint32_t at(std::int64_t sample) const = 0;
  /// Writes at() of each of `samples` to `out`, which has the same length.
  virtual void copy(std::span<const std::int64_t> samples, std::span<std::uint32_t> out) const {
    for (std::size_t index = 0; index < samples.size(); ++index) out[index] = at(samples[index]);
  }
  /// Returns the sum over all samples, saturated at the largest 64-bit integer.
  virtual std::int64_t totalTokens() const = 0;
  virtual std::uint32_t longest() const = 0;
};

/// `samples` sequences of equal length; needs no memory.
class EqualLengths final : public Lengths {
 public:
  EqualLengths(std::int64_t samples, std::uint32_t tokens) : samples_(samples), tokens_(tokens) {}
  std::int64_t size() const override { return samples_; }
  bool known() const override { return false; }
  std::uint32_t at(std::int64_t) const override { return tokens_; }
  std::int64_t totalTokens() const override {
    std::int64_t total = 0;
    return __builtin_mul_overflow(samples_, tokens_, &total) ? std::numeric_limits<std::int64_t>::max() : total;
  }
  std::uint32_t longest() const override { return tokens_; }

 private:
  std::int64_t samples_;
  std::uint32_t tokens_;
};

class ListedLengths final : public Lengths {
 public:
  explicit ListedLengths(std::vector<std::uint32_t> tokens);
  std::int64_t size() const override { return static_cast<std::int64_t>(tokens_.size()); }
  std::uint32_t at(std::int64_t sample) const override { return tokens_[static_cast<std::size_t>(sample)]; }
  std::int64_t totalTokens() const override { return totalTokens_; }
  std::uint32_t longest() const override { return longest_; }

 private:
  std::vector<std::uint32_t> tokens_;
  std::int64_t totalTokens_ = 0;
  std::uint32_t longest_ = 0;
};

}  // namespace batchwise
