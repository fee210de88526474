// SPDX-License-Identifier: GPL-3.0-or-later
// c10d::HashStore says what is right.
#include "core/dist/rank_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <set>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "core/base/random.h"
#include "core/dist/rank_channel.h"
#include "core/dist/thread_group.h"

namespace batchwise {
namespace {

using Store = c10::intrusive_ptr<c10d::Store>;
using testing::HasSubstr;

// The text of what `work` throws; empty if it throws nothing.
template <typename Thrown, typename Work>
std::string thrownBy(const Work& work) {
  try {
    work();
  } catch (const Thrown& e) {
    return e.what();
  }
  return {};
}

// Stores of two ranks over channels of this process.
class RankStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    auto first = RankChannel::lead(2, "word");
    ASSERT_TRUE(first.ok());
    auto second = RankChannel::join((*first)->endpoint(), 1, 2, 20);
    ASSERT_TRUE(second.ok());
    ASSERT_TRUE((*first)->awaitAll(20).ok());
    lines_ = {std::move(*first), std::move(*second)};
    for (const auto& line : lines_) stores_.push_back(makeRankStore(line));
  }

  std::vector<std::shared_ptr<RankLine>> lines_;
  std::vector<Store> stores_;
};

TEST_F(RankStoreTest, AGetWaitsForWhatTheOtherRankSets) {
  for (const std::size_t getter : {0, 1}) {
    const std::string key = "id of " + std::to_string(getter);
    auto got = std::async(std::launch::async, [&] { return stores_[getter]->get_to_str(key); });
    EXPECT_EQ(got.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
    const std::string value("with\0zero", 9);
    stores_[1 - getter]->set(key, value);
    EXPECT_EQ(got.get(), value);
    EXPECT_EQ(stores_[1 - getter]->get_to_str(key), value) << "a rank reads what it has set";
  }
}

// One call with small random arguments; what it returned, as text.
std::string randomCall(c10d::Store& store, std::uint64_t draw) {
  const auto below = [draw](std::uint64_t salt, std::uint64_t bound) {
    return boundedRandom(randomBits(salt, draw), bound);
  };
  const std::string key = "key " + std::to_string(below(1, 3));
  const std::string value = std::to_string(below(2, 3));
  switch (below(3, 6)) {
    case 0: return store.set(key, value), "set";
    case 1: return store.compareSet(key, below(4, 3) == 0 ? "" : std::to_string(below(5, 3)), value);
    case 2: return std::to_string(store.add(key, static_cast<std::int64_t>(below(6, 5)) - 2));
    case 3: return std::to_string(store.deleteKey(key));
    case 4: return std::to_string(store.check({key})) + std::to_string(store.check({"key 0", "key 1"}));
    default: return std::to_string(store.getNumKeys());
  }
}

TEST_F(RankStoreTest, ItReturnsWhatAHashStoreReturns) {
  const Store expected = c10::make_intrusive<c10d::HashStore>();
  std::set<std::string> seen;
  for (std::uint64_t draw = 0; draw < 400; ++draw) {
    const std::size_t rank = draw % 3 % 2;
    const std::string found = randomCall(*stores_[rank], draw);
    ASSERT_EQ(found, randomCall(*expected, draw)) << draw;
    seen.insert(found);
    const std::string done = "done " + std::to_string(draw);  // what the other rank waits for before it reads
    expected->set(done, "");
    stores_[rank]->set(done, "");
    stores_[1 - rank]->wait({done});
  }
  EXPECT_GE(seen.size(), 8U) << "the calls differ";
}

TEST_F(RankStoreTest, SumsOfTwoRanksAtATimeAreAllDifferentAndComplete) {
  constexpr std::int64_t kEach = 100;
  const auto count = [&](std::size_t rank) {
    std::vector<std::int64_t> sums;
    for (std::int64_t i = 0; i < kEach; ++i) sums.push_back(stores_[rank]->add("arrived", 1));
    return sums;
  };
  auto other = std::async(std::launch::async, count, 1);
  std::vector<std::int64_t> all = count(0);
  for (const std::int64_t sum : other.get()) all.push_back(sum);
  std::ranges::sort(all);
  for (std::int64_t i = 0; i < 2 * kEach; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], i + 1);
}

TEST_F(RankStoreTest, AWaitEndsAfterItsTimeAsThatOfAHashStore) {
  const auto expected = c10::make_intrusive<c10d::HashStore>();
  for (const Store& store : {stores_[0], stores_[1], Store(expected)}) {
    store->set("here", "1");
    EXPECT_EQ(thrownBy<c10::DistStoreError>([&] { store->wait({"here"}, std::chrono::milliseconds(50)); }), "");
    const auto began = std::chrono::steady_clock::now();
    EXPECT_NE(thrownBy<c10::DistStoreError>([&] {
                store->wait({"here", "never"}, std::chrono::milliseconds(150));
              }),
              "");
    EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(150));
    store->setTimeout(std::chrono::milliseconds(50));
    EXPECT_NE(thrownBy<c10::DistStoreError>([&] { store->get("never"); }), "");
  }
}

TEST_F(RankStoreTest, WhatCannotBeSummedIsAnErrorOfWhoAskedAlone) {
  stores_[0]->set("text", "no number");
  EXPECT_NE(thrownBy<std::exception>([&] { stores_[1]->add("text", 1); }), "");
  EXPECT_EQ(stores_[0]->get_to_str("text"), "no number");
  EXPECT_EQ(stores_[0]->add("number", 2), 2);
  EXPECT_EQ(stores_[1]->add("number", 3), 5);
}

TEST_F(RankStoreTest, PrefixesKeepKeysApart) {
  std::vector<Store> left, right;
  for (const Store& store : stores_) {
    left.push_back(c10::make_intrusive<c10d::PrefixStore>("left", store));
    right.push_back(c10::make_intrusive<c10d::PrefixStore>("right", store->clone()));
  }
  left[0]->set("id", "l");
  right[1]->set("id", "r");
  EXPECT_EQ(left[1]->get_to_str("id"), "l");
  EXPECT_EQ(right[0]->get_to_str("id"), "r");
  EXPECT_FALSE(stores_[0]->check({"id"}));
  EXPECT_EQ(stores_[0]->getNumKeys(), 2);
}

TEST_F(RankStoreTest, ARankThatGivesUpEndsAWaitingGetWithItsError) {
  auto waiting =
      std::async(std::launch::async, [&] { return thrownBy<c10::DistStoreError>([&] { stores_[0]->get("never"); }); });
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  lines_[1]->abandon(Error{ErrorCode::OutOfMemory, "no room left", {}});
  EXPECT_THAT(waiting.get(), HasSubstr("rank 1: no room left"));
  EXPECT_THAT(thrownBy<c10::DistStoreError>([&] { stores_[1]->set("key", "value"); }), HasSubstr("no room left"));
}

TEST(LostRankStoreTest, ALostRankEndsAWaitingGetWithTheError) {
  auto lead = RankChannel::lead(2, "word");
  ASSERT_TRUE(lead.ok());
  const pid_t child = fork();
  if (child == 0) {  // the other rank: a process that ends without a word
    auto other = RankChannel::join((*lead)->endpoint(), 1, 2, 20);
    if (other.ok()) (*other)->post("something");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    kill(getpid(), SIGKILL);
  }
  ASSERT_TRUE((*lead)->awaitAll(20).ok());
  const Store store = makeRankStore(std::move(*lead));
  EXPECT_THAT(thrownBy<c10::DistStoreError>([&] { store->get("never"); }), HasSubstr("was lost in setting up"));
  waitpid(child, nullptr, 0);
}

TEST(ThreadStoreTest, ThreadsOfOneProcessShareOneToo) {
  constexpr std::int64_t kRanks = 3;
  ThreadGroup group(kRanks);
  std::vector<std::jthread> threads;
  for (std::int64_t rank = 0; rank < kRanks; ++rank)
    threads.emplace_back([&group, rank] {
      const Store store = makeRankStore(group.line(rank));
      for (int i = 0; i < 200; ++i) store->add("sum", rank);
      store->add("done", 1);
      while (store->add("done", 0) < kRanks) std::this_thread::yield();
      EXPECT_EQ(store->get_to_str("sum"), "600");
      EXPECT_EQ(store->getNumKeys(), 2);
    });
}

TEST(ThreadStoreTest, AThreadThatGivesUpEndsAWaitingGet) {
  ThreadGroup group(2);
  std::string told;
  group.line(1)->onBroken(&told, [&told](const Error& why, bool lost) { told = why.text() + (lost ? " lost" : ""); });
  const Store store = makeRankStore(group.line(1));
  auto waiting =
      std::async(std::launch::async, [&] { return thrownBy<c10::DistStoreError>([&] { store->get("never"); }); });
  group.line(0)->abandon(Error{ErrorCode::OutOfMemory, "no room left", {}});
  EXPECT_THAT(waiting.get(), HasSubstr("no room left"));
  EXPECT_EQ(told, "no room left");
}

TEST(ThreadStoreTest, AnEndIsToldNewestFirstOnceAllLinesAreBroken) {
  ThreadGroup group(3);
  int owners[3] = {};
  std::string told;
  for (const int i : {2, 0, 1})
    group.line(1)->onBroken(&owners[i], [&told, &group, i](const Error&, bool) {
      told += std::to_string(i) + (group.line(2)->error() ? "" : " before the others know");
    });
  group.line(1)->onBroken(&owners[0], {});
  group.line(0)->abandon(Error{ErrorCode::OutOfMemory, "no room left", {}});
  EXPECT_EQ(told, "12");
}

}  // namespace
}  // namespace batchwise
