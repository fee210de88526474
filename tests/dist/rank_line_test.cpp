// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <future>

namespace batchwise {
namespace {

using testing::HasSubstr;

// The lines of `size` ranks of this process, by rank.
std::vector<std::unique_ptr<RankLine>> connected(std::int64_t size) {
  std::vector<std::unique_ptr<RankLine>> lines;
  auto first = RankLine::lead(size, "word");
  EXPECT_TRUE(first.ok());
  lines.push_back(std::move(*first));
  for (std::int64_t rank = 1; rank < size; ++rank) {
    auto other = RankLine::join(lines.front()->place(), rank, size, 10);
    EXPECT_TRUE(other.ok());
    lines.push_back(std::move(*other));
  }
  EXPECT_TRUE(lines.front()->awaitAll(10).ok());
  return lines;
}

std::future<Result<std::vector<std::string>>> saying(RankLine& line, const std::string& text) {
  return std::async(std::launch::async, [&line, text] { return line.exchange(text); });
}

TEST(RankLineTest, EveryRankGetsTheTextsOfAllInOrder) {
  auto lines = connected(3);
  for (int round = 0; round < 20; ++round) {
    const std::string long_(static_cast<std::size_t>(round) * 5000, 'x');
    auto second = saying(*lines[1], "one" + long_);
    auto third = saying(*lines[2], "");
    const auto first = lines[0]->exchange("zero");
    const std::vector<std::string> expected = {"zero", "one" + long_, ""};
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(*first, expected);
    EXPECT_EQ(*second.get(), expected);
    EXPECT_EQ(*third.get(), expected);
  }
}

TEST(RankLineTest, ARankThatGivesUpIsNamedToAll) {
  auto lines = connected(3);
  auto waiting = saying(*lines[0], "zero");
  auto alsoWaiting = saying(*lines[1], "one");
  lines[2]->abandon(Error{ErrorCode::OutOfMemory, "no room left", {}});
  for (auto* one : {&waiting, &alsoWaiting}) {
    const auto outcome = one->get();
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, ErrorCode::OutOfMemory);
    EXPECT_THAT(outcome.error().text(), HasSubstr("rank 2: no room left"));
  }
  EXPECT_FALSE(lines[0]->lostRank());
  EXPECT_FALSE(lines[2]->exchange("two").ok());
}

TEST(RankLineTest, ARankThatVanishesIsNamedWithWhatItWasDoing) {
  auto lead = RankLine::lead(2, "word");
  ASSERT_TRUE(lead.ok());
  std::promise<std::pair<std::string, bool>> told;
  (*lead)->onBroken([&told](const Error& why, bool lost) { told.set_value({why.text(), lost}); });
  const pid_t child = fork();
  if (child == 0) {  // the other rank: a process that ends without a word
    auto other = RankLine::join((*lead)->place(), 1, 2, 10);
    if (!other.ok()) _exit(1);
    (*other)->enter("a step");
    static_cast<void>((*other)->exchange("one"));
    kill(getpid(), SIGKILL);
  }
  ASSERT_TRUE((*lead)->awaitAll(10).ok());
  ASSERT_TRUE((*lead)->exchange("zero").ok());
  const auto [why, lost] = told.get_future().get();
  waitpid(child, nullptr, 0);
  EXPECT_THAT(why, HasSubstr("rank 1 (process " + std::to_string(child)));
  EXPECT_THAT(why, HasSubstr("was lost in a step"));
  EXPECT_TRUE(lost);
  EXPECT_TRUE((*lead)->lostRank());
  EXPECT_FALSE((*lead)->exchange("zero").ok());
}

TEST(RankLineTest, ARankThatSaysGoodbyeIsNotLost) {
  auto lines = connected(2);
  lines.pop_back();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_FALSE(lines.front()->trouble().has_value());
}

TEST(RankLineTest, RankZeroKnowsWhoIsMissing) {
  auto lines = connected(3);
  lines[1]->arrive();
  lines[2]->enter("an evaluation");
  lines[0]->arrive();
  const auto heard = [&lines] {
    const std::string text = lines[0]->missing();
    return text.find("rank 1") == std::string::npos && text.find("last seen") != std::string::npos;
  };
  for (int looks = 0; looks < 100 && !heard(); ++looks)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_THAT(lines[0]->missing(), testing::AllOf(HasSubstr("rank 2 (process"), HasSubstr("last seen in an evaluation"),
                                                  testing::Not(HasSubstr("rank 1"))));
}

TEST(RankLineTest, AStrangerIsNotLetIn) {
  auto lead = RankLine::lead(2, "word");
  ASSERT_TRUE(lead.ok());
  RankLine::Place wrong = (*lead)->place();
  wrong.secret = "guess";
  const auto stranger = RankLine::join(wrong, 1, 2, 10);
  const Result<void> all = (*lead)->awaitAll(1);
  ASSERT_FALSE(all.ok());
  EXPECT_THAT(all.error().text(), HasSubstr("rank 1 did not connect"));
  EXPECT_FALSE(RankLine::join({"localhost", 1, "word"}, 1, 2, 0.1).ok()) << "nobody listens there";
}

}  // namespace
}  // namespace batchwise
