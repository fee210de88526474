// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/events/run_command.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace batchwise {
namespace {

TEST(CommandMailboxTest, TakesTheWaitingCommandOnce) {
  CommandMailbox mailbox;
  EXPECT_EQ(mailbox.take(), RunCommand::None);
  mailbox.post(RunCommand::Pause);
  EXPECT_EQ(mailbox.peek(), RunCommand::Pause);
  EXPECT_EQ(mailbox.take(), RunCommand::Pause);
  EXPECT_EQ(mailbox.take(), RunCommand::None);
}

TEST(CommandMailboxTest, AStrongerCommandReplacesAWeakerOneAndNotTheOtherWayRound) {
  CommandMailbox mailbox;
  mailbox.post(RunCommand::SaveCheckpoint);
  mailbox.post(RunCommand::StopWithCheckpoint);
  mailbox.post(RunCommand::Pause);
  EXPECT_EQ(mailbox.peek(), RunCommand::StopWithCheckpoint);
  mailbox.post(RunCommand::Abort);
  mailbox.post(RunCommand::StopWithCheckpoint);
  EXPECT_EQ(mailbox.take(), RunCommand::Abort);
}

TEST(CommandMailboxTest, ACheckpointAskedForIsNotLostToOtherCommands) {
  CommandMailbox mailbox;
  mailbox.post(RunCommand::SaveCheckpoint);
  mailbox.post(RunCommand::Pause);
  mailbox.post(RunCommand::SaveCheckpoint);
  EXPECT_EQ(mailbox.peek(), RunCommand::Pause);
  EXPECT_EQ(mailbox.take(), RunCommand::Pause);
  EXPECT_EQ(mailbox.waitFor(std::chrono::minutes(1)), RunCommand::SaveCheckpoint);
  EXPECT_EQ(mailbox.take(), RunCommand::None);
  mailbox.post(RunCommand::SaveCheckpoint);
  mailbox.clear();
  EXPECT_EQ(mailbox.take(), RunCommand::None);
}

TEST(RunCommandTest, ComesBackFromItsName) {
  for (const RunCommand command :
       {RunCommand::None, RunCommand::Pause, RunCommand::Continue, RunCommand::StopAfterBatch,
        RunCommand::StopWithCheckpoint, RunCommand::Abort, RunCommand::SaveCheckpoint})
    EXPECT_EQ(choiceFromName<RunCommand>(choiceName(command)), command);
  EXPECT_FALSE(choiceFromName<RunCommand>("stop ").has_value());
  EXPECT_FALSE(choiceFromName<RunCommand>("").has_value());
}

TEST(CommandMailboxTest, TheLaterOfTwoEqualsCounts) {
  CommandMailbox mailbox;
  mailbox.post(RunCommand::Pause);
  mailbox.post(RunCommand::Continue);
  EXPECT_EQ(mailbox.take(), RunCommand::Continue);
}

TEST(CommandMailboxTest, WaitReturnsTheCommandThatAnotherThreadPosts) {
  CommandMailbox mailbox;
  RunCommand taken = RunCommand::None;
  {
    std::jthread waiting([&] { taken = mailbox.waitFor(std::chrono::minutes(1)); });
    std::jthread posting([&] { mailbox.post(RunCommand::Continue); });
  }
  EXPECT_EQ(taken, RunCommand::Continue);
  EXPECT_EQ(mailbox.peek(), RunCommand::None);
}

TEST(CommandMailboxTest, OneOfManyThreadsWins) {
  CommandMailbox mailbox;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&mailbox, i] { mailbox.post(i == 5 ? RunCommand::Abort : RunCommand::Pause); });
  }
  EXPECT_EQ(mailbox.take(), RunCommand::Abort);
}

}  // namespace
}  // namespace batchwise
