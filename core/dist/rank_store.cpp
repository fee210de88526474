// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_store.h"

#include <c10/util/Exception.h>

#include <exception>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <utility>

#include "core/base/mutex.h"
#include "core/dist/rank_messages.h"

namespace batchwise {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr char kSet = 's', kCompareSet = 'c', kAdd = 'a', kDelete = 'd';

std::string textOf(const Bytes& bytes) {
  return {bytes.begin(), bytes.end()};
}

Bytes bytesOf(const std::string& text) {
  return {text.begin(), text.end()};
}

class RankStore final : public c10d::Store {
 public:
  explicit RankStore(std::shared_ptr<RankLine> line) : line_(std::move(line)) {}

  c10::intrusive_ptr<Store> clone() override {  // thread-safe
    return c10::intrusive_ptr<Store>::unsafe_reclaim_from_nonowning(this);
  }

  void set(const std::string& key, const Bytes& value) override { change(kSet, key, textOf(value)); }
  Bytes compareSet(const std::string& key, const Bytes& expected, const Bytes& desired) override {
    return bytesOf(change(kCompareSet, key, textOf(expected), textOf(desired)));
  }
  std::int64_t add(const std::string& key, std::int64_t value) override {
    return std::stoll(change(kAdd, key, std::to_string(value)));
  }
  bool deleteKey(const std::string& key) override { return change(kDelete, key, {}) == "1"; }

  Bytes get(const std::string& key) override {
    return await(timeout_, [&]() REQUIRES(mutex_) {
      return state_->check({key}) ? std::optional(state_->get(key)) : std::nullopt;
    });
  }
  bool check(const std::vector<std::string>& keys) override {
    return await(timeout_, [&]() REQUIRES(mutex_) { return std::optional(state_->check(keys)); });
  }
  std::int64_t getNumKeys() override {
    return await(timeout_, [&]() REQUIRES(mutex_) { return std::optional(state_->getNumKeys()); });
  }
  void wait(const std::vector<std::string>& keys) override { wait(keys, timeout_); }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override {
    await(timeout, [&]() REQUIRES(mutex_) { return state_->check(keys) ? std::optional(true) : std::nullopt; });
  }

 private:
  struct Outcome {
    std::string value;
    std::exception_ptr failure;
  };

  std::string change(char operation, const std::string& key, const std::string& first, const std::string& second = {}) {
    std::string id;
    {
      const MutexLock lock(mutex_);
      id = std::to_string(line_->rank()) + "." + std::to_string(++changes_);
    }
    line_->post(joinTexts({id, std::string(1, operation), key, first, second}));
    Outcome outcome = await(timeout_, [&]() REQUIRES(mutex_) {
      auto own = outcomes_.extract(id);
      return own ? std::optional(std::move(own.mapped())) : std::nullopt;
    });
    if (outcome.failure) std::rethrow_exception(outcome.failure);
    return outcome.value;
  }

  // Applies what comes until `ready` returns something, and returns that. mutex_ is held for `ready`.
  template <typename Ready>
  typename std::invoke_result_t<Ready>::value_type await(std::chrono::milliseconds timeout, const Ready& ready) {
    constexpr double kForeverSec = 1e9;
    const double untilSec =
        nowSec() + (timeout == kNoTimeout ? kForeverSec : std::chrono::duration<double>(timeout).count());
    for (;;) {
      std::size_t next = 0;
      {
        const MutexLock lock(mutex_);
        while (const auto entry = entryAt(applied_, 0)) {
          ++applied_;
          apply(*entry);
        }
        if (auto found = ready()) return *std::move(found);
        next = applied_;
      }
      const double leftSec = untilSec - nowSec();
      if (leftSec <= 0) C10_THROW_ERROR(DistStoreError, "wait timeout after " + std::to_string(timeout.count()) + "ms");
      entryAt(next, leftSec);
    }
  }

  std::optional<std::string> entryAt(std::size_t index, double timeoutSec) {
    Result<std::optional<std::string>> entry = line_->posted(index, timeoutSec);
    if (!entry.ok()) C10_THROW_ERROR(DistStoreError, entry.error().text());
    return *std::move(entry);
  }

  void apply(const std::string& entry) REQUIRES(mutex_) {
    const auto texts = splitTexts(entry);
    if (!texts || texts->size() != 5 || (*texts)[1].empty()) return;
    const std::string &id = (*texts)[0], &key = (*texts)[2], &first = (*texts)[3], &second = (*texts)[4];
    Outcome outcome;
    try {
      switch ((*texts)[1].front()) {
        case kSet: state_->set(key, bytesOf(first)); break;
        case kCompareSet: outcome.value = textOf(state_->compareSet(key, bytesOf(first), bytesOf(second))); break;
        case kAdd: outcome.value = std::to_string(state_->add(key, std::stoll(first))); break;
        case kDelete: outcome.value = state_->deleteKey(key) ? "1" : "0"; break;
        default: return;
      }
    } catch (const std::exception&) {  // for the rank that asked for it, as of a sum with what is no number
      outcome.failure = std::current_exception();
    }
    if (id.starts_with(std::to_string(line_->rank()) + ".")) outcomes_.emplace(id, std::move(outcome));
  }

  const std::shared_ptr<RankLine> line_;
  Mutex mutex_;
  const c10::intrusive_ptr<c10d::HashStore> state_ GUARDED_BY(mutex_) = c10::make_intrusive<c10d::HashStore>();
  std::size_t applied_ GUARDED_BY(mutex_) = 0;                  // entries of the log
  std::uint64_t changes_ GUARDED_BY(mutex_) = 0;                // posted by this rank
  std::map<std::string, Outcome> outcomes_ GUARDED_BY(mutex_);  // of this rank's changes, by id, not yet returned
};

}  // namespace

c10::intrusive_ptr<c10d::Store> makeRankStore(std::shared_ptr<RankLine> line) {
  return c10::make_intrusive<RankStore>(std::move(line));
}

}  // namespace batchwise
