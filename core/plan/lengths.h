// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <utility>
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
  explicit ListedLengths(std::vector<std::uint32_t> tokens) : tokens_(std::move(tokens)) {
    for (const std::uint32_t length : tokens_) {
      totalTokens_ += length;
      longest_ = std::max(longest_, length);
    }
  }
  std::int64_t size() const override { return static_cast<std::int64_t>(tokens_.size()); }
  std::uint32_t at(std::int64_t sample) const override { return tokens_[static_cast<std::size_t>(sample)]; }
  std::int64_t totalTokens() const override { return totalTokens_; }
  std::uint32_t longest() const override { return longest_; }

 private:
  std::vector<std::uint32_t> tokens_;
  std::int64_t totalTokens_ = 0;
  std::uint32_t longest_ = 0;
};

/// Opens a file of lengths, as given to `--seqlens`. `.u16` and `.u32` are little-endian binary and memory-mapped (read
/// once when opened); any other file is a JSON array of integers, or one integer per line. Fails with NotFound, Io, or
/// Config, naming the line or position that is not a length.
Result<std::shared_ptr<const Lengths>> openLengths(const std::filesystem::path& path);

/// Returns the file meant by `batch.tokens.metrics_path`: the path itself if it ends with .u16 or .u32, else
/// lengths.u32 in that folder.
std::filesystem::path savedLengthsFile(const std::filesystem::path& metricsPath);

/// Writes `lengths` to `file` (.u16 or .u32, as read by openLengths) if it does not exist, else compares the two. Fails
/// with Config if they differ or a length does not fit 16 bits; also with Io or DiskFull.
Result<void> saveLengths(const std::filesystem::path& file, const Lengths& lengths);

}  // namespace batchwise
