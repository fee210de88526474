// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <vector>

#include "core/base/mutex.h"
#include "core/dist/rank_line.h"

namespace batchwise {

/// c10d's key-value store for the ranks of a line, one object per rank: every change is an entry in the log of the
/// line, and each rank applies all entries to a HashStore of its own. So c10d defines what a change does, and reading
/// needs no message. A broken line ends waiting calls with its error, as a DistStoreError. Thread-safe.
class RankStore final : public c10d::Store {
 public:
  using Bytes = std::vector<std::uint8_t>;
  using c10d::Store::compareSet;
  using c10d::Store::set;

  explicit RankStore(std::shared_ptr<RankLine> line);

  c10::intrusive_ptr<c10d::Store> clone() override;  ///< the same object, which is thread-safe
  void set(const std::string& key, const Bytes& value) override;
  Bytes compareSet(const std::string& key, const Bytes& expected, const Bytes& desired) override;
  std::int64_t add(const std::string& key, std::int64_t value) override;
  bool deleteKey(const std::string& key) override;
  Bytes get(const std::string& key) override;
  bool check(const std::vector<std::string>& keys) override;
  std::int64_t getNumKeys() override;
  void wait(const std::vector<std::string>& keys) override { wait(keys, timeout_); }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override;

 private:
  struct Outcome {
    std::string value;
    std::exception_ptr failure;
  };
  std::string change(char operation, const std::string& key, const std::string& first, const std::string& second = {});
  template <typename Done>
  void awaitLog(std::chrono::milliseconds timeout, const Done& done);
  void apply(const std::string& entry) REQUIRES(mutex_);

  const std::shared_ptr<RankLine> line_;
  Mutex mutex_;
  const c10::intrusive_ptr<c10d::HashStore> state_ GUARDED_BY(mutex_);
  std::size_t applied_ GUARDED_BY(mutex_) = 0;                  // entries of the log
  std::uint64_t changes_ GUARDED_BY(mutex_) = 0;                // posted by this rank
  std::map<std::string, Outcome> outcomes_ GUARDED_BY(mutex_);  // of this rank's changes, by id, not yet returned
};

}  // namespace batchwise
