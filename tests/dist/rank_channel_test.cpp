// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dist/rank_channel.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <thread>

#include "core/dist/rank_handshake.h"
#include "core/dist/rank_messages.h"

namespace batchwise {
namespace {

using testing::HasSubstr;

// The channels of `size` ranks of this process, by rank.
std::vector<std::shared_ptr<RankChannel>> connected(std::int64_t size) {
  std::vector<std::shared_ptr<RankChannel>> channels;
  auto first = RankChannel::lead(size, "word");
  EXPECT_TRUE(first.ok());
  channels.push_back(std::move(*first));
  for (std::int64_t rank = 1; rank < size; ++rank) {
    auto other = RankChannel::join(channels.front()->endpoint(), rank, size, 10);
    EXPECT_TRUE(other.ok());
    channels.push_back(std::move(*other));
  }
  EXPECT_TRUE(channels.front()->awaitAll(10).ok());
  return channels;
}

std::future<Result<std::vector<std::string>>> saying(RankChannel& channel, const std::string& text) {
  return std::async(std::launch::async, [&channel, text] { return channel.exchange(text); });
}

TEST(RankChannelTest, EveryRankGetsTheTextsOfAllInOrder) {
  auto channels = connected(3);
  for (int round = 0; round < 20; ++round) {
    const std::string long_(static_cast<std::size_t>(round) * 5000, 'x');
    auto second = saying(*channels[1], "one" + long_);
    auto third = saying(*channels[2], "");
    const auto first = channels[0]->exchange("zero");
    const std::vector<std::string> expected = {"zero", "one" + long_, ""};
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(*first, expected);
    EXPECT_EQ(*second.get(), expected);
    EXPECT_EQ(*third.get(), expected);
  }
}

TEST(RankChannelTest, ARankThatGivesUpIsNamedToAll) {
  auto channels = connected(3);
  auto waiting = saying(*channels[0], "zero");
  auto alsoWaiting = saying(*channels[1], "one");
  channels[2]->abandon(Error{ErrorCode::OutOfMemory, "no room left", {}});
  for (auto* one : {&waiting, &alsoWaiting}) {
    const auto outcome = one->get();
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, ErrorCode::OutOfMemory);
    EXPECT_THAT(outcome.error().text(), HasSubstr("rank 2: no room left"));
  }
  EXPECT_FALSE(channels[0]->lostRank());
  EXPECT_FALSE(channels[2]->exchange("two").ok());
}

TEST(RankChannelTest, ARankThatVanishesIsNamedWithWhatItWasDoing) {
  std::promise<std::pair<std::string, bool>> told;  // before the channel, whose thread sets it
  auto lead = RankChannel::lead(2, "word");
  ASSERT_TRUE(lead.ok());
  (*lead)->onBroken(&told, [&told](const Error& why, bool lost) { told.set_value({why.text(), lost}); });
  const pid_t child = fork();
  if (child == 0) {  // the other rank: a process that ends without a word
    auto other = RankChannel::join((*lead)->endpoint(), 1, 2, 10);
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
  auto channel = rank == 0 ? RankChannel::lead(2, "word") : RankChannel::join({"localhost", port, "word"}, 1, 2, 20);
  if (!channel.ok()) _exit(1);
  if (rank == 0) port = (*channel)->endpoint().port;
  if (rank == 0 && ::write(ready, &port, sizeof port) != sizeof port) _exit(2);
  if ((rank == 0 && !(*channel)->awaitAll(20).ok()) || !(*channel)->exchange("met").ok()) _exit(1);
  (*channel)->setSilenceLimit(silenceLimitSec);
  if (::write(ready, "r", 1) != 1) _exit(2);
  std::this_thread::sleep_for(std::chrono::seconds(3));  // a step, in which both are stopped
  const bool together = (*channel)->exchange("after").ok();
  channel->reset();
  _exit(together ? 0 : 3);
}

int portFrom(int ready) {
  int port = 0;
  EXPECT_EQ(::read(ready, &port, sizeof port), static_cast<ssize_t>(sizeof port));
  return port;
}

TEST(RankChannelTest, RanksThatAreStoppedAllAtOnceGoOnTogetherWhoeverGoesOnFirst) {
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

TEST(RankChannelTest, ARankZeroThatIsStoppedAloneIsTakenForLost) {
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t zero = rankInAProcess(0, 0, ready[1], 0);
  const int port = portFrom(ready[0]);
  auto channel = RankChannel::join({"localhost", port, "word"}, 1, 2, 20);
  ASSERT_TRUE(channel.ok() && (*channel)->exchange("met").ok());
  (*channel)->setSilenceLimit(2.0);
  kill(zero, SIGSTOP);
  const auto outcome = (*channel)->exchange("after");
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().text(), HasSubstr("rank 0 has been silent for"));
  kill(zero, SIGKILL);
  waitpid(zero, nullptr, 0);
}

TEST(RankChannelTest, ARankThatSaysGoodbyeIsNotLost) {
  auto channels = connected(2);
  channels.pop_back();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_FALSE(channels.front()->error().has_value());
}

TEST(RankChannelTest, RankZeroKnowsWhoIsMissing) {
  auto channels = connected(3);
  channels[1]->arrive();
  channels[2]->enter("an evaluation");
  channels[0]->arrive();
  const auto heard = [&channels] {
    const std::string text = channels[0]->missing();
    return text.find("rank 1") == std::string::npos && text.find("last seen") != std::string::npos;
  };
  for (int looks = 0; looks < 100 && !heard(); ++looks) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_THAT(channels[0]->missing(),
              testing::AllOf(HasSubstr("rank 2 (process"), HasSubstr("last seen in an evaluation"),
                             testing::Not(HasSubstr("rank 1"))));
}

// A connection to rank 0's port by somebody who knows nothing; not valid if nobody listens.
RankSocket strangerAt(int port) {
  return RankSocket::connect("127.0.0.1", port);
}

// The body of the next message; empty if it is of another kind, or none comes for 10 s.
std::string nextBody(RankSocket& socket, char kind) {
  RankMessage message;
  ReadResult read = ReadResult::Incomplete;
  for (const double until = nowSec() + 10; read == ReadResult::Incomplete && nowSec() < until;) {
    pollfd watched{socket.get(), POLLIN, 0};
    ::poll(&watched, 1, 100);
    read = socket.receive(message, kLongestHandshakeBody);
  }
  return read == ReadResult::Message && message.kind == kind ? message.body : std::string();
}

// The handshake of a rank that knows the secret "word", over a socket of the test's own. Returns its proof.
std::string joinAs(RankSocket& socket, std::int64_t rank, const std::string& name) {
  ClientHandshake handshake("word", rank, 2, *randomBytes(kNonceBytes));
  EXPECT_TRUE(socket.send(kHello, handshake.hello()));
  const auto proof = handshake.prove(nextBody(socket, kChallenge), name);
  EXPECT_TRUE(proof && socket.send(kProof, *proof));
  EXPECT_TRUE(handshake.isWelcome(nextBody(socket, kWelcome)));
  return proof.value_or("");
}

// The first bytes of a message whose body is so long.
std::string lengthOf(std::size_t body) {
  return numberText(static_cast<std::uint32_t>(body));
}

// A port on which another program than rank 0 listens.
FileDescriptor listenerOfAnother(int& port) {
  FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* general = reinterpret_cast<sockaddr*>(&address);
  const bool listens = ::bind(listener.get(), general, length) == 0 && ::listen(listener.get(), 8) == 0 &&
                       ::getsockname(listener.get(), general, &length) == 0;
  EXPECT_TRUE(listens);
  port = ntohs(address.sin_port);
  return listener;
}

// Everything that comes until the other end closes, or for so long.
std::string allThatComes(int socket, double seconds) {
  std::string come;
  for (const double until = nowSec() + seconds; nowSec() < until;) {
    pollfd watched{socket, POLLIN, 0};
    if (::poll(&watched, 1, 50) == 0) continue;
    std::array<char, 4096> buffer{};
    const ssize_t size = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (size <= 0) break;
    come.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return come;
}

TEST(RankChannelTest, AStrangerIsNotLetIn) {
  auto lead = RankChannel::lead(2, "word");
  ASSERT_TRUE(lead.ok());
  RankChannel::Endpoint wrong = (*lead)->endpoint();
  for (const char* secret : {"guess", "", "wor", "words"}) {
    wrong.secret = secret;
    const auto stranger = RankChannel::join(wrong, 1, 2, 10);
    ASSERT_FALSE(stranger.ok()) << secret;
    EXPECT_THAT(stranger.error().text(), HasSubstr("cannot prove that it is rank 0 of this run"));
  }
  const Result<void> all = (*lead)->awaitAll(0.2);
  ASSERT_FALSE(all.ok());
  EXPECT_THAT(all.error().text(), HasSubstr("rank 1 did not connect"));
  EXPECT_FALSE(RankChannel::join({"localhost", 1, "word"}, 1, 2, 0.1).ok()) << "nobody listens there";
}

TEST(RankChannelTest, AnotherProgramOnThePortGetsANonceAndNothingElse) {
  int port = 0;
  const FileDescriptor listener = listenerOfAnother(port);
  ServerHandshake impostor("a guess", 2, *randomBytes(kNonceBytes));
  for (const std::string& answer :
       {std::string(lengthOf(64) + kChallenge + std::string(64, 'x')), std::string("HTTP/1.1 400"),
        std::string(1U << 20U, '\xff'), std::string("impostor")}) {
    auto joining = std::async(std::launch::async, [port] {
      return RankChannel::join({"localhost", port, "word of this run"}, 1, 2, 20);
    });
    RankSocket other(FileDescriptor(::accept(listener.get(), nullptr, nullptr)));
    const std::string hello = nextBody(other, kHello);
    EXPECT_EQ(hello.size(), kNonceBytes);
    if (answer == "impostor")
      other.send(kChallenge, impostor.challenge(hello).value_or(""));
    else
      static_cast<void>(::send(other.get(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    EXPECT_EQ(allThatComes(other.get(), 5), "");
    const auto joined = joining.get();
    ASSERT_FALSE(joined.ok());
    EXPECT_EQ(joined.error().code, ErrorCode::Device);
    EXPECT_THAT(joined.error().text(), HasSubstr("the program at localhost:" + std::to_string(port) + " cannot prove"));
  }
}

TEST(RankChannelTest, AnotherProgramThatAnswersByteByByteHoldsNobodyUpForLongerThanTheirPatience) {
  int port = 0;
  const FileDescriptor listener = listenerOfAnother(port);
  const double began = nowSec();
  auto joining = std::async(std::launch::async, [port] {
    return RankChannel::join({"localhost", port, "word"}, 1, 2, 1.5);
  });
  RankSocket other(FileDescriptor(::accept(listener.get(), nullptr, nullptr)));
  const std::string head = lengthOf(kNonceBytes + kMacBytes) + kChallenge;
  static_cast<void>(::send(other.get(), head.data(), head.size(), MSG_NOSIGNAL));
  while (joining.wait_for(std::chrono::milliseconds(300)) != std::future_status::ready)
    static_cast<void>(::send(other.get(), "x", 1, MSG_NOSIGNAL));
  EXPECT_LT(nowSec() - began, 4.0);
  const auto joined = joining.get();
  ASSERT_FALSE(joined.ok());
  EXPECT_THAT(joined.error().text(), HasSubstr("another program listens there"));
}

TEST(RankChannelTest, AConnectionThatEndsBeforeItWasAnsweredIsTriedAgain) {
  int port = 0;
  const FileDescriptor listener = listenerOfAnother(port);
  auto joining = std::async(std::launch::async, [port] {
    return RankChannel::join({"localhost", port, "word"}, 1, 2, 20);
  });
  // As a rank 0 of an earlier launch that is just ending.
  { const FileDescriptor ending(::accept(listener.get(), nullptr, nullptr)); }
  RankSocket second(FileDescriptor(::accept(listener.get(), nullptr, nullptr)));
  ServerHandshake handshake("word", 2, *randomBytes(kNonceBytes));
  second.send(kChallenge, handshake.challenge(nextBody(second, kHello)).value_or(""));
  ASSERT_TRUE(handshake.verify(nextBody(second, kProof)).has_value());
  second.send(kWelcome, handshake.welcome(1));
  EXPECT_TRUE(joining.get().ok());
}

TEST(RankChannelTest, APortThatSomebodyElseHoldsIsAnErrorThatSaysSo) {
  int port = 0;
  const FileDescriptor listener = listenerOfAnother(port);
  const auto lead = RankChannel::lead(2, "word", port);
  ASSERT_FALSE(lead.ok());
  EXPECT_EQ(lead.error().code, ErrorCode::Io);
  EXPECT_THAT(lead.error().text(),
              testing::AllOf(HasSubstr("port " + std::to_string(port)), HasSubstr("is in use by another program"),
                             HasSubstr("BATCHWISE_RANK_PORT")));
}

TEST(RankChannelTest, WhatOneRankSentLetsNobodyElseIn) {
  std::string proof;
  {
    auto lead = RankChannel::lead(2, "word");
    ASSERT_TRUE(lead.ok());
    RankSocket right = strangerAt((*lead)->endpoint().port);
    proof = joinAs(right, 1, "rank 1");
  }
  auto lead = RankChannel::lead(2, "word");
  ASSERT_TRUE(lead.ok());
  const int port = (*lead)->endpoint().port;
  RankSocket replaying = strangerAt(port);
  ASSERT_TRUE(replaying.send(kHello, std::string(kNonceBytes, 'x')));
  const std::string challenge = nextBody(replaying, kChallenge);
  ASSERT_EQ(challenge.size(), kNonceBytes + kMacBytes);
  ASSERT_TRUE(replaying.send(kProof, proof));
  EXPECT_EQ(allThatComes(replaying.get(), 5), "") << "closed without a word";
  RankSocket reflecting = strangerAt(port);
  ASSERT_TRUE(reflecting.send(kHello, std::string(kNonceBytes, 'x')));
  const std::string mac = nextBody(reflecting, kChallenge).substr(kNonceBytes);
  ASSERT_TRUE(reflecting.send(kProof, mac + std::string("\x01\0\0\0\0\0\0\0", 8)));
  EXPECT_EQ(allThatComes(reflecting.get(), 5), "");
  RankSocket early = strangerAt(port);
  ASSERT_TRUE(early.send(kText, "a text before the proof"));
  EXPECT_EQ(allThatComes(early.get(), 5), "");
  EXPECT_FALSE((*lead)->awaitAll(0).ok());
  // The right one comes in as if nothing had been, and only once.
  EXPECT_TRUE(RankChannel::join((*lead)->endpoint(), 1, 2, 10).ok());
}

TEST(RankChannelTest, AnUnprovenPeerIsHeardForTenSecondsAndNoLonger) {
  auto lead = RankChannel::lead(2, "word");
  ASSERT_TRUE(lead.ok());
  RankSocket slow = strangerAt((*lead)->endpoint().port);
  RankSocket huge = strangerAt((*lead)->endpoint().port);
  const std::string absurd = lengthOf(1U << 30U) + kHello;
  ASSERT_GT(::send(huge.get(), absurd.data(), absurd.size(), MSG_NOSIGNAL), 0);
  EXPECT_EQ(allThatComes(huge.get(), 3), "");
  EXPECT_EQ(::recv(huge.get(), std::array<char, 1>{}.data(), 1, MSG_DONTWAIT), 0) << "closed at once";
  const std::string hello = lengthOf(kNonceBytes) + kHello + std::string(kNonceBytes, 'x');
  const double began = nowSec();
  bool open = true;
  for (std::size_t i = 0; open && nowSec() < began + 20; ++i) {  // a byte a second, as long as it is let
    if (i < hello.size()) open = ::send(slow.get(), &hello[i], 1, MSG_NOSIGNAL) == 1;
    std::array<char, 1> byte{};
    pollfd watched{slow.get(), POLLIN, 0};
    if (::poll(&watched, 1, 1000) > 0) open = ::recv(slow.get(), byte.data(), 1, 0) > 0;
  }
  EXPECT_FALSE(open);
  EXPECT_GT(nowSec() - began, 8.0);
  EXPECT_LT(nowSec() - began, 14.0);
}

TEST(RankChannelTest, ManyWhoSayNothingOrNonsenseDelayNobody) {
  auto lead = RankChannel::lead(3, "word");
  ASSERT_TRUE(lead.ok());
  const int port = (*lead)->endpoint().port;
  std::vector<RankSocket> strangers;
  for (int i = 0; i < 150; ++i) {
    strangers.push_back(strangerAt(port));
    ASSERT_TRUE(strangers.back().valid()) << i;
    const std::string nonsense(static_cast<std::size_t>(i % 12) * 1000, 'x');
    static_cast<void>(::send(strangers.back().get(), nonsense.data(), nonsense.size(), MSG_NOSIGNAL));
  }
  // Each of the silent ones may wait for seconds: one after the other they would take minutes.
  auto one = RankChannel::join((*lead)->endpoint(), 1, 3, 20);
  auto two = RankChannel::join((*lead)->endpoint(), 2, 3, 20);
  ASSERT_TRUE(one.ok() && two.ok());
  ASSERT_TRUE((*lead)->awaitAll(10).ok());
  auto first = saying(**lead, "zero");
  auto second = saying(**one, "one");
  EXPECT_TRUE((*two)->exchange("two").ok());
  EXPECT_TRUE(first.get().ok() && second.get().ok());
}

// Connections that greet and never prove themselves, one after the other, at most so many open at a time.
void floodUntil(const std::atomic<bool>& done, int port, std::atomic<int>& challenged) {
  std::deque<RankSocket> open;
  while (!done) {
    open.push_back(strangerAt(port));
    if (open.back().send(kHello, std::string(kNonceBytes, 'x'))) ++challenged;
    if (open.size() > 300) open.pop_front();
  }
}

TEST(RankChannelTest, ARankWithinItsHandshakeStaysHoweverManyOthersCome) {
  auto lead = RankChannel::lead(2, "word");
  ASSERT_TRUE(lead.ok());
  RankSocket socket = strangerAt((*lead)->endpoint().port);
  ClientHandshake handshake("word", 1, 2, *randomBytes(kNonceBytes));
  ASSERT_TRUE(socket.send(kHello, handshake.hello()));
  const auto proof = handshake.prove(nextBody(socket, kChallenge), "rank 1");
  ASSERT_TRUE(proof.has_value());
  std::atomic<bool> done = false;
  std::atomic<int> challenged = 0;
  std::jthread flood([&] { floodUntil(done, (*lead)->endpoint().port, challenged); });
  const double began = nowSec();  // a busy machine takes some time for the proof
  while (nowSec() < began + 0.5 || (challenged < 200 && nowSec() < began + 0.9))
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_TRUE(socket.send(kProof, *proof));
  EXPECT_TRUE(handshake.isWelcome(nextBody(socket, kWelcome)));
  done = true;
  EXPECT_TRUE((*lead)->awaitAll(10).ok());
}

TEST(RankChannelTest, ARankThatTakesNothingIsGivenUpAndNamed) {
  auto lead = RankChannel::lead(2, "word");
  ASSERT_TRUE(lead.ok());
  // As a process that is stopped: it has joined, and reads no more.
  RankSocket deaf = strangerAt((*lead)->endpoint().port);
  joinAs(deaf, 1, "rank 1 (process 7 on node3)");
  ASSERT_TRUE(deaf.send(kText, "one"));
  ASSERT_TRUE((*lead)->awaitAll(10).ok());
  const std::string much(64U << 20U, 'x');
  static_cast<void>((*lead)->exchange(much));  // half of it leaves within the 10 s of RankSocket
  const auto next = (*lead)->exchange("zero");
  ASSERT_FALSE(next.ok());
  EXPECT_THAT(next.error().text(),
              testing::AllOf(HasSubstr("rank 1 (process 7 on node3)"), HasSubstr("accepted no data")));
  // Behind the half message there is nothing that could be taken for the rest of it.
  std::string come(1U << 20U, '\0');
  std::size_t all = 0;
  for (ssize_t size = 1; size > 0; all += static_cast<std::size_t>(std::max<ssize_t>(0, size)))
    size = ::recv(deaf.get(), come.data(), come.size(), 0);
  EXPECT_LT(all, much.size());
}

TEST(RankChannelTest, WhoIsNotAnsweredForLongIsLetInByItsFirstConnection) {
  // A rank 0 whose machine is busy: it listens, and answers late.
  int port = 0;
  const FileDescriptor listener = listenerOfAnother(port);
  const RankChannel::Endpoint endpoint{"localhost", port, "word"};
  auto joining = std::async(std::launch::async, [&endpoint] { return RankChannel::join(endpoint, 1, 2, 20, 0.2); });
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  RankSocket first(FileDescriptor(::accept(listener.get(), nullptr, nullptr)));
  ServerHandshake handshake("word", 2, *randomBytes(kNonceBytes));
  const auto challenge = handshake.challenge(nextBody(first, kHello));
  ASSERT_TRUE(challenge.has_value());
  ASSERT_TRUE(first.send(kChallenge, *challenge));
  ASSERT_TRUE(handshake.verify(nextBody(first, kProof)).has_value());
  ASSERT_TRUE(first.send(kWelcome, handshake.welcome(1)));
  const auto joined = joining.get();
  ASSERT_TRUE(joined.ok()) << joined.error().text();
  EXPECT_EQ((*joined)->rank(), 1);
}

TEST(RankChannelTest, NobodyListensOnceAllHaveJoined) {
  auto channels = connected(3);
  const int port = channels.front()->endpoint().port;
  bool open = true;
  for (int looks = 0; looks < 100 && open; ++looks) {  // the port closes with the look that let the last one in
    open = strangerAt(port).valid();
    if (open) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_FALSE(open);
  EXPECT_FALSE(RankChannel::join(channels.front()->endpoint(), 2, 3, 0.1).ok());
  EXPECT_FALSE(channels.front()->error().has_value());
}

TEST(RankChannelTest, AnExchangeWithARankThatHasEndedFailsNamingItAndTheSection) {
  auto channels = connected(3);
  channels[2]->enter("a checkpoint");
  channels[0]->enter("a step");
  auto waiting = saying(*channels[0], "zero");
  auto alsoWaiting = saying(*channels[1], "one");
  channels.pop_back();
  for (auto* one : {&waiting, &alsoWaiting}) {
    const auto outcome = one->get();
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, ErrorCode::LostRank);
    EXPECT_THAT(outcome.error().text(),
                testing::AllOf(HasSubstr("rank 2 (process"), HasSubstr("has ended after a checkpoint"),
                               HasSubstr("waits for it in a step")));
  }
}

TEST(RankChannelTest, TheOthersDoNotWaitForARankZeroThatHasEnded) {
  auto channels = connected(2);
  channels[1]->enter("an evaluation");
  auto waiting = saying(*channels[1], "one");
  channels.erase(channels.begin());
  const auto outcome = waiting.get();
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().text(), testing::AllOf(HasSubstr("rank 0"), HasSubstr("in an evaluation")));
  channels.clear();
}

TEST(RankChannelTest, WhoComesToSomethingAfterAnotherHasEndedIsToldToo) {
  std::promise<std::string> told;  // before the channels, whose threads set it
  auto channels = connected(2);
  auto other = saying(*channels[1], "one");
  ASSERT_TRUE(channels[0]->exchange("zero").ok());
  ASSERT_TRUE(other.get().ok());
  channels.pop_back();  // has been to all that rank 0 was in: no error
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ASSERT_FALSE(channels[0]->error().has_value());
  channels[0]->onBroken(&told, [&told](const Error& why, bool) { told.set_value(why.text()); });
  channels[0]->arrive();  // as for the sum of a step's gradients, which another library waits in
  EXPECT_THAT(told.get_future().get(), HasSubstr("rank 1"));
  EXPECT_TRUE(channels[0]->error().has_value());
}

}  // namespace
}  // namespace batchwise
