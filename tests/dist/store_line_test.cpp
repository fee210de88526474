// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/store_line.h"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <future>
#include <thread>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "tests/support/checked.h"

namespace batchwise {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using Line = std::shared_ptr<StoreLine>;

constexpr double kPatienceSec = 20;

MeetingPoint pointAt(int port) {
  MeetingPoint point;
  point.host = "127.0.0.1";
  point.port = port;
  point.onOneMachine = true;
  return point;
}

/// A port of this machine, with the socket that rank 0 gets.
struct OpenPort {
  MeetingPoint point = pointAt(0);
  FileDescriptor socket;
  OpenPort() {
    auto opened = test::checked(openRankPort(point));
    socket = *std::move(opened);
  }
};

struct Newcomer {
  std::int64_t rank = 0, size = 2;
  std::string version = "1";
};

// Connects each at the same port and at the same time.
std::vector<Result<Line>> meeting(const std::vector<Newcomer>& newcomers, double timeoutSec = kPatienceSec) {
  OpenPort port;
  std::vector<std::future<Result<Line>>> ranks;
  for (const Newcomer& one : newcomers)
    ranks.push_back(std::async(std::launch::async, [&port, one, timeoutSec] {
      FileDescriptor socket = one.rank == 0 ? std::move(port.socket) : FileDescriptor();
      return StoreLine::connect(one.rank, one.size, port.point, one.version, timeoutSec, std::move(socket));
    }));
  std::vector<Result<Line>> lines;
  for (auto& rank : ranks) lines.push_back(rank.get());
  return lines;
}

// The lines of `size` ranks of this process, by rank.
std::vector<Line> connected(std::int64_t size) {
  std::vector<Newcomer> ranks;
  for (std::int64_t rank = 0; rank < size; ++rank) ranks.push_back({rank, size});
  std::vector<Line> lines;
  for (Result<Line>& line : meeting(ranks)) {
    EXPECT_TRUE(line.ok()) << line.error().text();
    lines.push_back(*std::move(line));
  }
  return lines;
}

// Rank 0 ends last, as it waits for the others.
void end(std::vector<Line>& lines) {
  while (!lines.empty()) lines.pop_back();
}

std::future<Result<std::vector<std::string>>> saying(RankLine& line, const std::string& text) {
  return std::async(std::launch::async, [&line, text] { return line.exchange(text); });
}

TEST(StoreLineTest, EveryRankGetsTheTextsOfAllInOrder) {
  auto lines = connected(3);
  for (int round = 0; round < 20; ++round) {
    const std::string much(static_cast<std::size_t>(round) * 5000, static_cast<char>(round * 13));
    auto second = saying(*lines[1], "one" + much);
    auto third = saying(*lines[2], "");
    const auto first = lines[0]->exchange("zero");
    const std::vector<std::string> expected = {"zero", "one" + much, ""};
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(*first, expected);
    EXPECT_EQ(*second.get(), expected);
    EXPECT_EQ(*third.get(), expected);
  }
  end(lines);
}

TEST(StoreLineTest, TextsThatTheStoreWouldNotTakeAreRefused) {
  for (const std::size_t each : {StoreLine::kMostBytes / 2 - 100, StoreLine::kMostBytes / 2 + 100}) {
    auto lines = connected(2);
    auto second = saying(*lines[1], std::string(each, 'x'));
    const auto first = lines[0]->exchange(std::string(each, 'y'));
    const auto other = second.get();
    EXPECT_EQ(first.ok(), 2 * each < StoreLine::kMostBytes);
    EXPECT_EQ(first.ok(), other.ok());
    if (first.ok()) {
      EXPECT_EQ(other->back().size(), each);
    } else {
      EXPECT_EQ(first.error().code, ErrorCode::Unsupported);
      EXPECT_THAT(other.error().text(), HasSubstr("at most 7.0 MiB"));
    }
    end(lines);
  }
}

TEST(StoreLineTest, ARankThatGivesUpIsNamedToAll) {
  auto lines = connected(3);
  auto waiting = saying(*lines[0], "zero");
  auto alsoWaiting = saying(*lines[1], "one");
  lines[2]->abandon(Error{ErrorCode::OutOfMemory, "no room left", {}});
  for (auto* one : {&waiting, &alsoWaiting}) {
    const Error outcome = test::refused(one->get());
    EXPECT_EQ(outcome.code, ErrorCode::OutOfMemory);
    EXPECT_THAT(outcome.text(), HasSubstr("rank 2: no room left"));
  }
  EXPECT_FALSE(lines[0]->lostRank());
  EXPECT_FALSE(lines[2]->exchange("two").ok());
  end(lines);
}

TEST(StoreLineTest, ARankThatNeverComesIsNamedToAll) {
  const auto lines = meeting({{0, 4}, {2, 4}}, 1.5);
  for (const Result<Line>& line : lines) {
    ASSERT_FALSE(line.ok());
    EXPECT_THAT(line.error().text(), AllOf(HasSubstr("rank 1, rank 3 did not come to 127.0.0.1:"),
                                           HasSubstr("WORLD_SIZE"), Not(HasSubstr("rank 2"))));
  }
}

TEST(StoreLineTest, RanksThatDoNotBelongTogetherAreRefused) {
  for (const Result<Line>& line : meeting({{0, 2}, {1, 3}})) {
    ASSERT_FALSE(line.ok());
    EXPECT_EQ(line.error().code, ErrorCode::Config);
    EXPECT_THAT(line.error().text(), AllOf(HasSubstr("one of 2"), HasSubstr("one of 3"), HasSubstr("WORLD_SIZE")));
  }
  for (const Result<Line>& line : meeting({{0, 2, "1"}, {1, 2, "2"}})) {
    ASSERT_FALSE(line.ok());
    EXPECT_EQ(line.error().code, ErrorCode::Unsupported);
    EXPECT_THAT(line.error().text(), HasSubstr("need the same build"));
  }
}

// As of a second run at the same port, whose rank 0 has an error of its own.
TEST(StoreLineTest, ASecondRunAtOnePortIsRefusedAndDisturbsNobody) {
  OpenPort port;
  auto first = std::async(std::launch::async, [&] {
    return StoreLine::connect(0, 2, port.point, "1", kPatienceSec, std::move(port.socket));
  });
  auto second = test::checked(StoreLine::connect(1, 2, port.point, "1", kPatienceSec));
  auto zero = test::checked(first.get());
  MeetingPoint same = port.point;
  const Error again = test::refused(openRankPort(same));
  EXPECT_EQ(again.code, ErrorCode::Io);
  EXPECT_THAT(again.text(),
              AllOf(HasSubstr("port " + std::to_string(same.port)), HasSubstr("is in use"), HasSubstr("MASTER_PORT")));
  EXPECT_THAT(test::refused(StoreLine::connect(1, 2, port.point, "1", kPatienceSec)).text(),
              AllOf(HasSubstr("another rank 1"), HasSubstr("MASTER_PORT")));
  auto waiting = saying(**zero, "zero");
  EXPECT_TRUE((*second)->exchange("one").ok());
  EXPECT_TRUE(waiting.get().ok());
  second = Error::internal("gone");
}

TEST(StoreLineTest, NobodyAtThePortIsAnErrorThatSaysWhatToSee) {
  OpenPort port;  // listens, and answers nobody, as another program
  for (const int at : {port.point.port, 1}) {
    EXPECT_THAT(
        test::refused(StoreLine::connect(1, 2, pointAt(at), "1", 0.5)).text(),
        AllOf(HasSubstr("rank 1 cannot reach rank 0 at 127.0.0.1:" + std::to_string(at)), HasSubstr("MASTER_PORT")));
  }
}

TEST(StoreLineTest, ListensOnTheLoopbackInterfaceIfAllRanksAreOnOneMachine) {
  const OpenPort port;
  sockaddr_in address{};
  socklen_t length = sizeof(address);
  ASSERT_EQ(::getsockname(port.socket.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
  EXPECT_EQ(ntohl(address.sin_addr.s_addr), INADDR_LOOPBACK);
}

// As torchrun's agent, which starts the ranks again after a failure.
TEST(StoreLineTest, TheLaunchersStoreServesOneAttemptAfterTheOther) {
  OpenPort port;
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(port.point.port);
  options.isServer = true;
  options.waitWorkers = false;
  options.masterListenFd = ::dup(port.socket.get());
  port.socket = FileDescriptor();
  const auto agent = c10::make_intrusive<c10d::TCPStore>(port.point.host, options);
  for (const char* attempt : {"0", "1"}) {
    MeetingPoint point = port.point;
    point.servedByLauncher = true;
    point.prefix = attempt;
    auto joining = std::async(std::launch::async, [&] { return StoreLine::connect(1, 2, point, "1", kPatienceSec); });
    auto zero = test::checked(StoreLine::connect(0, 2, point, "1", kPatienceSec));
    auto one = test::checked(joining.get());
    auto waiting = saying(**one, "one");
    ASSERT_TRUE((*zero)->exchange("zero").ok());
    ASSERT_TRUE(waiting.get().ok());
    *zero = nullptr;
    EXPECT_THAT(test::refused((*one)->exchange("one")).text(),
                AllOf(HasSubstr("rank 0 (process"), HasSubstr("has ended")));
  }
}

// One rank of two in a process of its own, which ends with code 0 if all went well. `ready` gets a byte once they have
// met; rank 0 has the socket of the port.
pid_t rankInAProcess(std::int64_t rank, OpenPort& port, int ready, double silenceLimitSec) {
  const pid_t process = fork();
  if (process != 0) {
    if (rank == 0) port.socket = FileDescriptor();
    return process;
  }
  auto line = StoreLine::connect(rank, 2, port.point, "1", kPatienceSec, std::move(port.socket));
  if (!line.ok() || !(*line)->exchange("met").ok()) _exit(1);
  if (silenceLimitSec > 0) (*line)->setSilenceLimit(silenceLimitSec);
  if (::write(ready, "r", 1) != 1) _exit(2);
  std::this_thread::sleep_for(std::chrono::seconds(3));  // a step, in which both are stopped
  const bool together = (*line)->exchange("after").ok();
  *line = nullptr;
  _exit(together ? 0 : 3);
}

TEST(StoreLineTest, ARankThatVanishesIsNamedWithWhatItWasDoing) {
  std::promise<std::pair<std::string, bool>> told;  // before the line, whose thread sets it
  OpenPort port;
  const pid_t child = fork();
  if (child == 0) {  // the other rank: a process that ends without a word
    port.socket = FileDescriptor();
    auto other = StoreLine::connect(1, 2, port.point, "1", kPatienceSec);
    if (!other.ok()) _exit(1);
    (*other)->enter("a step");
    static_cast<void>((*other)->exchange("one"));
    kill(getpid(), SIGKILL);
  }
  auto zero = test::checked(StoreLine::connect(0, 2, port.point, "1", kPatienceSec, std::move(port.socket)));
  (*zero)->onBroken(&told, [&told](const Error& why, bool lost) { told.set_value({why.text(), lost}); });
  ASSERT_TRUE((*zero)->exchange("zero").ok());
  auto telling = told.get_future();
  ASSERT_EQ(telling.wait_for(std::chrono::seconds(2)), std::future_status::ready);
  const auto [why, lost] = telling.get();
  waitpid(child, nullptr, 0);
  EXPECT_THAT(why, HasSubstr("rank 1 (process " + std::to_string(child)));
  EXPECT_THAT(why, HasSubstr("was lost in a step"));
  EXPECT_TRUE(lost);
  EXPECT_TRUE((*zero)->lostRank());
  EXPECT_EQ(test::refused((*zero)->exchange("zero")).code, ErrorCode::LostRank);
}

// As on another machine: in a process namespace of its own, where this one cannot see it.
TEST(StoreLineTest, ARankThatCannotBeSeenIsLostAfterTheLimitOfSilenceIfThereIsOne) {
  OpenPort port;
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    if (::unshare(CLONE_NEWPID) != 0) _exit(9);
    port.socket = FileDescriptor();
    const pid_t child = rankInAProcess(1, port, ready[1], 0);
    char byte = 0;
    if (::read(ready[0], &byte, 1) == 1) kill(child, SIGKILL);
    _exit(0);
  }
  auto zero = StoreLine::connect(0, 2, port.point, "1", 5, std::move(port.socket));
  int status = 0;
  if (zero.ok()) static_cast<void>((*zero)->exchange("met"));
  waitpid(parent, &status, 0);
  if (WEXITSTATUS(status) == 9) GTEST_SKIP() << "no process namespace here";
  ASSERT_TRUE(zero.ok());
  auto waiting = saying(**zero, "after");
  ASSERT_EQ(waiting.wait_for(std::chrono::seconds(5)), std::future_status::timeout);
  EXPECT_TRUE((*zero)->hasSilentRank());
  (*zero)->setSilenceLimit(6);
  const Error outcome = test::refused(waiting.get());
  EXPECT_EQ(outcome.code, ErrorCode::LostRank);
  EXPECT_THAT(outcome.text(), ContainsRegex("nothing has come from it for [67] s"));
}

TEST(StoreLineTest, TheOthersAreToldOfARankZeroThatVanishes) {
  OpenPort port;
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t zero = rankInAProcess(0, port, ready[1], 0);
  auto line = StoreLine::connect(1, 2, port.point, "1", kPatienceSec);
  ASSERT_TRUE(line.ok() && (*line)->exchange("met").ok());
  (*line)->enter("an evaluation");
  kill(zero, SIGKILL);
  const auto outcome = (*line)->exchange("after");
  waitpid(zero, nullptr, 0);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::LostRank);
  EXPECT_THAT(outcome.error().text(),
              AllOf(HasSubstr("rank 0 (process " + std::to_string(zero)), HasSubstr("was lost in an evaluation")));
}

TEST(StoreLineTest, RanksThatAreStoppedAllAtOnceGoOnTogetherWhoeverGoesOnFirst) {
  OpenPort port;
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const std::array<pid_t, 2> ranks = {rankInAProcess(0, port, ready[1], 0), rankInAProcess(1, port, ready[1], 4.0)};
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

TEST(StoreLineTest, ARankZeroThatIsStoppedAloneIsTakenForLost) {
  OpenPort port;
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t zero = rankInAProcess(0, port, ready[1], 0);
  auto line = StoreLine::connect(1, 2, port.point, "1", kPatienceSec);
  ASSERT_TRUE(line.ok() && (*line)->exchange("met").ok());
  (*line)->setSilenceLimit(2.0);
  kill(zero, SIGSTOP);
  const Error outcome = test::refused((*line)->exchange("after"));
  EXPECT_EQ(outcome.code, ErrorCode::LostRank);
  EXPECT_THAT(outcome.text(), HasSubstr("rank 0 has been silent for"));
  *line = nullptr;
  kill(zero, SIGKILL);
  waitpid(zero, nullptr, 0);
}

TEST(StoreLineTest, ARankThatSaysGoodbyeIsNotLost) {
  auto lines = connected(2);
  lines.pop_back();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_FALSE(lines.front()->error().has_value());
}

TEST(StoreLineTest, RankZeroKnowsWhoIsMissing) {
  auto lines = connected(3);
  lines[1]->arrive();
  lines[2]->enter("an evaluation");
  lines[0]->arrive();
  const auto heard = [&lines] {
    const std::string text = lines[0]->missing();
    return text.find("rank 1") == std::string::npos && text.find("last seen in an eval") != std::string::npos;
  };
  for (int looks = 0; looks < 100 && !heard(); ++looks) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_THAT(lines[0]->missing(),
              AllOf(HasSubstr("rank 2 (process"), HasSubstr("last seen in an evaluation"), Not(HasSubstr("rank 1"))));
  EXPECT_FALSE(lines[0]->hasSilentRank());
  end(lines);
}

TEST(StoreLineTest, AnExchangeWithARankThatHasEndedFailsNamingItAndTheSection) {
  auto lines = connected(3);
  lines[2]->enter("a checkpoint");
  lines[0]->enter("a step");
  lines[1]->enter("a step");
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // until all know the sections
  auto waiting = saying(*lines[0], "zero");
  auto alsoWaiting = saying(*lines[1], "one");
  lines.pop_back();
  for (auto* one : {&waiting, &alsoWaiting}) {
    const Error outcome = test::refused(one->get());
    EXPECT_EQ(outcome.code, ErrorCode::LostRank);
    EXPECT_THAT(outcome.text(), AllOf(HasSubstr("rank 2 (process"), HasSubstr("has ended after a checkpoint"),
                                      HasSubstr("waits for it in a step")));
  }
  end(lines);
}

TEST(StoreLineTest, WhoComesToSomethingAfterAnotherHasEndedIsToldToo) {
  std::promise<std::string> told;  // before the lines, whose threads set it
  auto lines = connected(2);
  auto other = saying(*lines[1], "one");
  ASSERT_TRUE(lines[0]->exchange("zero").ok());
  ASSERT_TRUE(other.get().ok());
  lines.pop_back();  // has been to all that rank 0 was in: no error
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  ASSERT_FALSE(lines[0]->error().has_value());
  lines[0]->onBroken(&told, [&told](const Error& why, bool) { told.set_value(why.text()); });
  lines[0]->arrive();  // as for the sum of a step's gradients, which another library waits in
  EXPECT_THAT(told.get_future().get(), HasSubstr("rank 1"));
  EXPECT_TRUE(lines[0]->error().has_value());
}

}  // namespace
}  // namespace batchwise
