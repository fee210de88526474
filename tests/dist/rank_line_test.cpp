// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_line.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <future>

#include "core/dist/rank_wire.h"

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

// One rank of two in a process of its own, which ends with code 0 if all went well. `ready` is a pipe: what rank 0 says
// first is its port; then comes a byte from each rank once they have met.
pid_t rankInAProcess(std::int64_t rank, int port, int ready, double silenceLimitSec) {
  const pid_t process = fork();
  if (process != 0) return process;
  auto line = rank == 0 ? RankLine::lead(2, "word", RankLine::Reach::ThisHost)
                        : RankLine::join({"localhost", port, "word"}, 1, 2, 20);
  if (!line.ok()) _exit(1);
  if (rank == 0) port = (*line)->place().port;
  if (rank == 0 && ::write(ready, &port, sizeof port) != sizeof port) _exit(2);
  if ((rank == 0 && !(*line)->awaitAll(20).ok()) || !(*line)->exchange("met").ok()) _exit(1);
  (*line)->setSilenceLimit(silenceLimitSec);
  if (::write(ready, "r", 1) != 1) _exit(2);
  std::this_thread::sleep_for(std::chrono::seconds(3));  // a step, in which both are stopped
  const bool together = (*line)->exchange("after").ok();
  line->reset();
  _exit(together ? 0 : 3);
}

int portFrom(int ready) {
  int port = 0;
  EXPECT_EQ(::read(ready, &port, sizeof port), static_cast<ssize_t>(sizeof port));
  return port;
}

TEST(RankLineTest, RanksThatAreStoppedAllAtOnceGoOnTogetherWhoeverGoesOnFirst) {
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  std::vector<pid_t> ranks = {rankInAProcess(0, 0, ready[1], 4.0)};
  const int port = portFrom(ready[0]);
  ranks.push_back(rankInAProcess(1, port, ready[1], 4.0));
  ::close(ready[1]);  // so that reading ends with the ranks
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  }
  // As for a job that is suspended: far longer than a silence may last, and rank 0 comes back last.
  for (const pid_t rank : ranks) kill(rank, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(10));
  kill(ranks[1], SIGCONT);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  kill(ranks[0], SIGCONT);
  for (const pid_t rank : ranks) {
    int status = -1;
    waitpid(rank, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

TEST(RankLineTest, ARankZeroThatIsStoppedAloneIsTakenForLost) {
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t zero = rankInAProcess(0, 0, ready[1], 0);
  const int port = portFrom(ready[0]);
  auto line = RankLine::join({"localhost", port, "word"}, 1, 2, 20);
  ASSERT_TRUE(line.ok() && (*line)->exchange("met").ok());
  (*line)->setSilenceLimit(2.0);
  kill(zero, SIGSTOP);
  const auto outcome = (*line)->exchange("after");
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().text(), HasSubstr("rank 0 has been silent for"));
  kill(zero, SIGKILL);
  waitpid(zero, nullptr, 0);
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
  for (int looks = 0; looks < 100 && !heard(); ++looks) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_THAT(lines[0]->missing(), testing::AllOf(HasSubstr("rank 2 (process"), HasSubstr("last seen in an evaluation"),
                                                  testing::Not(HasSubstr("rank 1"))));
}

// A connection to rank 0's port by somebody who knows nothing; not valid if nobody listens.
FileDescriptor strangerAt(int port) {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool there = ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  return there ? std::move(socket) : FileDescriptor();
}

TEST(RankLineTest, AStrangerIsNotLetIn) {
  auto lead = RankLine::lead(2, "word");
  ASSERT_TRUE(lead.ok());
  RankLine::Place wrong = (*lead)->place();
  for (const char* secret : {"guess", "", "wor", "words"}) {
    wrong.secret = secret;
    const auto stranger = RankLine::join(wrong, 1, 2, 10);
    ASSERT_FALSE(stranger.ok()) << secret;
    EXPECT_THAT(stranger.error().text(), HasSubstr("does not let rank 1 in"));
  }
  const Result<void> all = (*lead)->awaitAll(0.2);
  ASSERT_FALSE(all.ok());
  EXPECT_THAT(all.error().text(), HasSubstr("rank 1 did not connect"));
  EXPECT_FALSE(RankLine::join({"localhost", 1, "word"}, 1, 2, 0.1).ok()) << "nobody listens there";
}

TEST(RankLineTest, ManyWhoSayNothingOrNonsenseDelayNobody) {
  auto lead = RankLine::lead(3, "word");
  ASSERT_TRUE(lead.ok());
  const int port = (*lead)->place().port;
  std::vector<FileDescriptor> strangers;
  for (int i = 0; i < 150; ++i) {
    strangers.push_back(strangerAt(port));
    ASSERT_TRUE(strangers.back().valid()) << i;
    const std::string nonsense(static_cast<std::size_t>(i % 12) * 1000, 'x');
    static_cast<void>(::send(strangers.back().get(), nonsense.data(), nonsense.size(), MSG_NOSIGNAL));
  }
  // Each of the silent ones may wait for seconds: one after the other they would take minutes.
  auto one = RankLine::join((*lead)->place(), 1, 3, 20);
  auto two = RankLine::join((*lead)->place(), 2, 3, 20);
  ASSERT_TRUE(one.ok() && two.ok());
  ASSERT_TRUE((*lead)->awaitAll(10).ok());
  auto first = saying(**lead, "zero");
  auto second = saying(**one, "one");
  EXPECT_TRUE((*two)->exchange("two").ok());
  EXPECT_TRUE(first.get().ok() && second.get().ok());
}

TEST(RankLineTest, ARankThatTakesNothingIsGivenUpAndNamed) {
  auto lead = RankLine::lead(2, "word");
  ASSERT_TRUE(lead.ok());
  // As a process that is stopped: it has joined, and reads no more.
  const FileDescriptor deaf = strangerAt((*lead)->place().port);
  prepareSocket(deaf.get());
  ASSERT_TRUE(sendMessage(deaf.get(), kHello, "word\n1\nrank 1 (process 7 on node3)"));
  ASSERT_TRUE(sendMessage(deaf.get(), kText, "one"));
  ASSERT_TRUE((*lead)->awaitAll(10).ok());
  const std::string much(64U << 20U, 'x');
  static_cast<void>((*lead)->exchange(much));  // half of it leaves within the 10 s of prepareSocket()
  const auto next = (*lead)->exchange("zero");
  ASSERT_FALSE(next.ok());
  EXPECT_THAT(next.error().text(), testing::AllOf(HasSubstr("rank 1 (process 7 on node3)"), HasSubstr("took nothing")));
  // Behind the half message there is nothing that could be taken for the rest of it.
  std::string come(1U << 20U, '\0');
  std::size_t all = 0;
  for (ssize_t size = 1; size > 0; all += static_cast<std::size_t>(std::max<ssize_t>(0, size)))
    size = ::recv(deaf.get(), come.data(), come.size(), 0);
  EXPECT_LT(all, much.size());
}

TEST(RankLineTest, WhoIsNotAnsweredForLongIsLetInByItsFirstConnection) {
  auto lead = RankLine::lead(2, "word");
  ASSERT_TRUE(lead.ok());
  RankLine::Place place = (*lead)->place();
  *lead = nullptr;
  // A rank 0 whose machine is busy: it listens, and answers late.
  const FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(place.port));
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(::listen(listener.get(), 8), 0);
  auto joining = std::async(std::launch::async, [&place] { return RankLine::join(place, 1, 2, 20, 0.2); });
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  const FileDescriptor first(::accept(listener.get(), nullptr, nullptr));
  ASSERT_TRUE(sendMessage(first.get(), kWelcome, {}));
  const auto joined = joining.get();
  ASSERT_TRUE(joined.ok()) << joined.error().text();
  EXPECT_EQ((*joined)->rank(), 1);
}

TEST(RankLineTest, NobodyListensOnceAllHaveJoined) {
  auto lines = connected(3);
  const int port = lines.front()->place().port;
  bool open = true;
  for (int looks = 0; looks < 100 && open; ++looks) {  // the port closes with the look that let the last one in
    open = strangerAt(port).valid();
    if (open) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_FALSE(open);
  EXPECT_FALSE(RankLine::join(lines.front()->place(), 2, 3, 0.1).ok());
  EXPECT_FALSE(lines.front()->trouble().has_value());
}

TEST(RankLineTest, AnExchangeWithARankThatHasEndedFailsNamingItAndTheSection) {
  auto lines = connected(3);
  lines[2]->enter("a checkpoint");
  lines[0]->enter("a step");
  auto waiting = saying(*lines[0], "zero");
  auto alsoWaiting = saying(*lines[1], "one");
  lines.pop_back();
  for (auto* one : {&waiting, &alsoWaiting}) {
    const auto outcome = one->get();
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, ErrorCode::Device);
    EXPECT_THAT(outcome.error().text(),
                testing::AllOf(HasSubstr("rank 2 (process"), HasSubstr("has ended after a checkpoint"),
                               HasSubstr("waits for it in a step")));
  }
}

TEST(RankLineTest, TheOthersDoNotWaitForARankZeroThatHasEnded) {
  auto lines = connected(2);
  lines[1]->enter("an evaluation");
  auto waiting = saying(*lines[1], "one");
  lines.erase(lines.begin());
  const auto outcome = waiting.get();
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().text(), testing::AllOf(HasSubstr("rank 0"), HasSubstr("in an evaluation")));
  lines.clear();
}

TEST(RankLineTest, WhoComesToSomethingAfterAnotherHasEndedIsToldToo) {
  auto lines = connected(2);
  auto other = saying(*lines[1], "one");
  ASSERT_TRUE(lines[0]->exchange("zero").ok());
  ASSERT_TRUE(other.get().ok());
  lines.pop_back();  // has been to all that rank 0 was in: no trouble
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ASSERT_FALSE(lines[0]->trouble().has_value());
  std::promise<std::string> told;
  lines[0]->onBroken([&told](const Error& why, bool) { told.set_value(why.text()); });
  lines[0]->arrive();  // as for the sum of a step's gradients, which another library waits in
  EXPECT_THAT(told.get_future().get(), HasSubstr("rank 1"));
  EXPECT_TRUE(lines[0]->trouble().has_value());
}

}  // namespace
}  // namespace batchwise
