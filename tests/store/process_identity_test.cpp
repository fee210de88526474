// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/process_identity.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "core/store/file_lock.h"
#include "core/store/records.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

TEST(ProcessIdentityTest, ThisProcessLives) {
  EXPECT_EQ(livenessOf(currentProcess()), Liveness::Alive);
  EXPECT_GT(currentProcess().startTicks, 0);
}

TEST(ProcessIdentityTest, AnEndedOrReapedProcessIsDead) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ProcessIdentity ended = currentProcess();
  ended.processId = child;
  EXPECT_TRUE([&] {  // a zombie until it is waited for
    for (int i = 0; i < 1000 && livenessOf(ended) != Liveness::Dead; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    return livenessOf(ended) == Liveness::Dead;
  }());
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(livenessOf(ended), Liveness::Dead);
}

TEST(ProcessIdentityTest, ANumberThatIsUsedAgainIsNotTheSameProcess) {
  ProcessIdentity reused = currentProcess();
  reused.startTicks += 1;
  EXPECT_EQ(livenessOf(reused), Liveness::Dead);
  reused = currentProcess();
  reused.processId = 0;
  EXPECT_EQ(livenessOf(reused), Liveness::Dead) << "given up by its own process";
}

TEST(ProcessIdentityTest, OfProcessesElsewhereNothingIsKnown) {
  ProcessIdentity remote = currentProcess();
  remote.host = "another";
  EXPECT_EQ(livenessOf(remote), Liveness::Alive) << "a host may get another name; its boot does not";
  remote.system = "2b1e9f4c-7d1f-4f53-9d0f-0d5c1c6f2c11 pid:[4026531836]";
  EXPECT_EQ(livenessOf(remote), Liveness::Unknown);
  ProcessIdentity container = currentProcess();
  container.system += " of another boot";
  EXPECT_EQ(livenessOf(container), Liveness::Unknown);
}

TEST(MachineIdentityTest, TwoMachinesOfOneNameAreTwoAndARestartedOneIsOne) {
  const MachineIdentity here = currentMachine();
  EXPECT_FALSE(here.boot.empty());
  EXPECT_TRUE(isSameMachine(here, here));
  const MachineIdentity laptop{"localhost", "a1", "boot-1"}, restarted{"localhost", "a1", "boot-2"};
  const MachineIdentity other{"localhost", "b2", "boot-3"}, copied{"node-7", "a1", "boot-4"};
  EXPECT_TRUE(isSameMachine(laptop, restarted));
  EXPECT_FALSE(isSameMachine(laptop, other)) << "of one name";
  EXPECT_FALSE(isSameMachine(laptop, copied)) << "installed from one image";
  const MachineIdentity container{"localhost", "", "boot-1"}, otherContainer{"1f2e3d", "", "boot-1"};
  EXPECT_TRUE(isSameMachine(container, otherContainer)) << "one kernel shares memory and locks";
  EXPECT_TRUE(isSameMachine(laptop, container));
  EXPECT_FALSE(isSameMachine({"localhost", "", "boot-1"}, {"localhost", "", "boot-2"}));
}

TEST(MachineIdentityTest, ItsTextComesBack) {
  const MachineIdentity here = currentMachine();
  EXPECT_EQ(machineFromText(machineText(here)), here);
  EXPECT_EQ(machineFromText(""), MachineIdentity{});
}

TEST(FileLockTest, ExcludesOtherHoldersUntilItIsGivenBack) {
  const TempFolder folder;
  const auto first = FileLock::open(folder / "lock");
  const auto second = FileLock::open(folder / "lock");  // in one process too
  ASSERT_TRUE(first.ok() && second.ok());
  {
    const auto held = checked(first->acquire());
    EXPECT_EQ(refused(second->acquire(std::chrono::milliseconds{30})).code, ErrorCode::Busy);
  }
  EXPECT_TRUE(second->acquire(std::chrono::milliseconds{30}).ok());
}

TEST(FileLockTest, IsFreedWhenItsHolderIsKilled) {
  const TempFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = FileLock::open(folder / "lock");
    const auto held = lock->acquire();
    (void)!::write(ready[1], "x", 1);
    ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const auto lock = FileLock::open(folder / "lock");
  EXPECT_FALSE(lock->acquire(std::chrono::milliseconds{20}).ok());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(lock->acquire(std::chrono::milliseconds{1000}).ok());
  ::close(ready[0]);
  ::close(ready[1]);
}

Timestamp everyClock() {
  Timestamp at;
  at.epoch = 1;
  at.batch = 2;
  at.step = 3;
  at.sample = 4;
  at.token = 5;
  at.seconds = 0.1;
  at.batchInEpoch = 6;
  at.unitInEpoch = 7;
  at.sampleInEpoch = 8;
  at.tokenInEpoch = 9;
  at.stepInBatch = 10;
  return at;
}

TEST(ClockTextTest, ComesBackToTheLastBit) {
  EXPECT_EQ(*timestampFromText(timestampText(everyClock())), everyClock());
  EXPECT_EQ(*timestampFromText("{}"), Timestamp{});
}

TEST(ClockTextTest, WhatIsMissingOrImpossibleIsNamed) {
  const std::string whole = timestampText(everyClock());
  const auto with = [&](const std::string& old, const std::string& now) {
    std::string text = whole;
    return text.replace(text.find(old), old.size(), now);
  };
  for (const auto& [text, name] : std::vector<std::pair<std::string, std::string>>{
           {with("\"unit_in_epoch\":7", "\"unit_in_epoch\":-7"), "unit_in_epoch"},
           {with("\"unit_in_epoch\":7", "\"units\":7"), "unit_in_epoch"},
           {with("\"ba\":2", "\"ba\":2.5"), "ba"},
           {with("\"tok\":5", "\"tok\":9223372036854775807"), "tok"},
           {with("0.1", "-0.1"), "sec"},
           {with("0.1", "null"), "sec"},
           {"[]", "cannot be read"}}) {
    const auto read = timestampFromText(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::Corrupt);
    EXPECT_THAT(read.error().text(), testing::HasSubstr(name));
  }
}

TEST(FreeRunNameTest, NumbersATakenNameWithinItsLimit) {
  const auto isTaken = [](const std::string& name) { return name == "ramp" || name == "ramp-2"; };
  EXPECT_EQ(freeRunName("other", isTaken), "other");
  EXPECT_EQ(freeRunName("ramp", isTaken), "ramp-3");
  const std::string longest(kMaxRunNameBytes, 'a');
  const std::string numbered = freeRunName(longest, [&](const std::string& name) { return name == longest; });
  EXPECT_EQ(numbered, longest.substr(0, kMaxRunNameBytes - 2) + "-2");
}

TEST(TextWithoutControlCharactersTest, KeepsLinesAndEndsAtACharacter) {
  EXPECT_EQ(withoutControlCharacters("a\x1B[31mb\n\tc\r\n\x7F", 100), "a[31mb\n\tc\r\n");
  EXPECT_EQ(withoutControlCharacters("gr\xC3\xBC\xC3\x9F", 5), "gr\xC3\xBC");
  EXPECT_EQ(withoutControlCharacters("a\xFFz", 100), "a\xEF\xBF\xBDz");
  EXPECT_EQ(withoutControlCharacters("abc", 0), "");
}

}  // namespace
}  // namespace batchwise::test
