// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_store.h"

#include <c10/util/Exception.h>

#include <utility>

#include "core/dist/rank_messages.h"

namespace batchwise {
namespace {

constexpr char kSet = 's', kCompareSet = 'c', kAdd = 'a', kDelete = 'd';

std::string textOf(const RankStore::Bytes& bytes) {
  return {bytes.begin(), bytes.end()};
}

RankStore::Bytes bytesOf(const std::string& text) {
  return {text.begin(), text.end()};
}

std::optional<std::string> entryAt(RankLine& line, std::size_t index, double timeoutSec) {
  const Result<std::optional<std::string>> entry = line.posted(index, timeoutSec);
  if (!entry.ok()) C10_THROW_ERROR(DistStoreError, entry.error().text());
  return *entry;
}

}  // namespace

RankStore::RankStore(std::shared_ptr<RankLine> line)
    : line_(std::move(line)), state_(c10::make_intrusive<c10d::HashStore>()) {}

c10::intrusive_ptr<c10d::Store> RankStore::clone() {
  return c10::intrusive_ptr<c10d::Store>::unsafe_reclaim_from_nonowning(this);
}

void RankStore::set(const std::string& key, const Bytes& value) {
  change(kSet, key, textOf(value));
}

RankStore::Bytes RankStore::compareSet(const std::string& key, const Bytes& expected, const Bytes& desired) {
  return bytesOf(change(kCompareSet, key, textOf(expected), textOf(desired)));
}

std::int64_t RankStore::add(const std::string& key, std::int64_t value) {
  return std::stoll(change(kAdd, key, std::to_string(value)));
}

bool RankStore::deleteKey(const std::string& key) {
  return change(kDelete, key, {}) == "1";
}

RankStore::Bytes RankStore::get(const std::string& key) {
  Bytes value;
  awaitLog(timeout_, [&]() REQUIRES(mutex_) {
    const bool found = state_->check({key});
    if (found) value = state_->get(key);
    return found;
  });
  return value;
}

bool RankStore::check(const std::vector<std::string>& keys) {
  bool all = false;
  awaitLog(timeout_, [&]() REQUIRES(mutex_) {
    all = state_->check(keys);
    return true;
  });
  return all;
}

std::int64_t RankStore::getNumKeys() {
  std::int64_t count = 0;
  awaitLog(timeout_, [&]() REQUIRES(mutex_) {
    count = state_->getNumKeys();
    return true;
  });
  return count;
}

void RankStore::wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) {
  awaitLog(timeout, [&]() REQUIRES(mutex_) { return state_->check(keys); });
}

std::string RankStore::change(char operation, const std::string& key, const std::string& first,
                              const std::string& second) {
  std::string id;
  {
    const MutexLock lock(mutex_);
    id = std::to_string(line_->rank()) + "." + std::to_string(++changes_);
  }
  line_->post(joinTexts({id, std::string(1, operation), key, first, second}));
  Outcome outcome;
  awaitLog(timeout_, [&]() REQUIRES(mutex_) {
    auto own = outcomes_.extract(id);
    if (own) outcome = std::move(own.mapped());
    return !own.empty();
  });
  if (outcome.failure) std::rethrow_exception(outcome.failure);
  return outcome.value;
}

// Applies what has come until `done`, a predicate for which mutex_ is held.
template <typename Done>
void RankStore::awaitLog(std::chrono::milliseconds timeout, const Done& done) {
  constexpr double kForeverSec = 1e9;
  const double untilSec =
      nowSec() + (timeout == kNoTimeout ? kForeverSec : std::chrono::duration<double>(timeout).count());
  for (;;) {
    std::size_t next = 0;
    {
      const MutexLock lock(mutex_);
      while (const auto entry = entryAt(*line_, applied_, 0)) {
        ++applied_;
        apply(*entry);
      }
      if (done()) return;
      next = applied_;
    }
    const double leftSec = untilSec - nowSec();
    if (leftSec <= 0) C10_THROW_ERROR(DistStoreError, "wait timeout after " + std::to_string(timeout.count()) + "ms");
    entryAt(*line_, next, leftSec);
  }
}

void RankStore::apply(const std::string& entry) {
  const auto texts = splitTexts(entry);
  if (!texts || texts->size() != 5 || (*texts)[1].empty()) return;
  const std::string& id = (*texts)[0];
  const std::string& key = (*texts)[2];
  const std::string& first = (*texts)[3];
  Outcome outcome;
  try {
    switch ((*texts)[1].front()) {
      case kSet: state_->set(key, bytesOf(first)); break;
      case kCompareSet: outcome.value = textOf(state_->compareSet(key, bytesOf(first), bytesOf((*texts)[4]))); break;
      case kAdd: outcome.value = std::to_string(state_->add(key, std::stoll(first))); break;
      case kDelete: outcome.value = state_->deleteKey(key) ? "1" : "0"; break;
      default: return;
    }
  } catch (const std::exception&) {  // for the rank that asked for it, as of a sum with what is no number
    outcome.failure = std::current_exception();
  }
  if (id.starts_with(std::to_string(line_->rank()) + ".")) outcomes_.emplace(id, std::move(outcome));
}

}  // namespace batchwise
