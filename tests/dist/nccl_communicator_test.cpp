// SPDX-License-Identifier: GPL-3.0-or-later
// A library in NCCL's place that connects, hangs and fails as it is told.
#include "core/dist/nccl_communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace batchwise {
namespace {

using testing::HasSubstr;

constexpr int kBroken = 6;  // ncclRemoteError

struct MadeUpNccl {
  std::atomic<int> state = kNcclSuccess;  // what commGetAsyncError tells, once it was asked `busyFor` times
  std::atomic<int> busyFor = 0;
  std::atomic<int> aborted = 0;
  std::atomic<int> destroyed = 0;
  NcclConfig config;
};
MadeUpNccl* nccl = nullptr;

NcclLibrary madeUpLibrary() {
  NcclLibrary library;
  library.getUniqueId = [](NcclId* id) {
    id->bytes.fill('i');
    return kNcclSuccess;
  };
  library.commInitRankConfig = [](NcclComm* comm, int, NcclId id, int, NcclConfig* config) {
    EXPECT_EQ(id.bytes[127], 'i');
    *comm = nccl;
    nccl->config = *config;
    return kNcclInProgress;
  };
  library.commGetAsyncError = [](NcclComm comm, int* state) {
    EXPECT_EQ(comm, nccl);
    EXPECT_EQ(nccl->aborted, 0) << "there is no communicator any more";
    *state = nccl->busyFor.fetch_sub(1) > 0 ? kNcclInProgress : nccl->state.load();
    return kNcclSuccess;
  };
  library.commAbort = [](NcclComm comm) {
    EXPECT_EQ(comm, nccl);
    ++nccl->aborted;
    return kNcclSuccess;
  };
  library.commDestroy = [](NcclComm comm) {
    EXPECT_EQ(comm, nccl);
    ++nccl->destroyed;
    return kNcclSuccess;
  };
  library.getErrorString = [](int code) -> const char* {
    return code == kBroken ? "a rank is gone" : "something else";
  };
  return library;
}

class NcclLinkTest : public testing::Test {
 protected:
  void SetUp() override {
    nccl = &nccl_;
    auto channel = RankChannel::lead(1, "word", RankChannel::ListenScope::ThisHost);
    ASSERT_TRUE(channel.ok()) << channel.error().text();
    channel_ = std::move(*channel);
    ASSERT_TRUE(channel_->awaitAll(10).ok());
  }
  std::unique_ptr<NcclLink> connected() {
    auto link = NcclLink::connect(madeUpLibrary(), channel_, 60);
    EXPECT_TRUE(link.ok()) << link.error().text();
    return link.ok() ? std::move(*link) : nullptr;
  }

  MadeUpNccl nccl_;
  std::shared_ptr<RankChannel> channel_;
};

TEST_F(NcclLinkTest, WaitsUntilTheRanksHaveMetAndUntilACallIsOnItsStream) {
  nccl_.busyFor = 1000;
  auto link = connected();
  ASSERT_NE(link, nullptr);
  EXPECT_LE(nccl_.busyFor, 0);
  EXPECT_EQ(nccl_.config.blocking, 0);
  nccl_.busyFor = 1000;
  link->call("adding up", [](NcclComm) { return kNcclInProgress; });
  EXPECT_LE(nccl_.busyFor, 0);
  EXPECT_TRUE(link->status().ok());
  link.reset();
  EXPECT_EQ(nccl_.destroyed, 1);
  EXPECT_EQ(nccl_.aborted, 0);
}

TEST_F(NcclLinkTest, RanksThatDoNotMeetInTimeAreNotWaitedForAnyLonger) {
  nccl_.state = kNcclInProgress;
  const auto link = NcclLink::connect(madeUpLibrary(), channel_, 0.05);
  ASSERT_FALSE(link.ok());
  EXPECT_EQ(link.error().code, ErrorCode::Device);
  EXPECT_THAT(link.error().message, HasSubstr("connecting to the other ranks took longer than 0.05 s"));
  EXPECT_EQ(nccl_.aborted, 1);
  EXPECT_EQ(nccl_.destroyed, 0);
}

TEST_F(NcclLinkTest, ACallThatHangsEndsWhenTheLineBreaks) {
  auto link = connected();
  ASSERT_NE(link, nullptr);
  nccl_.state = kNcclInProgress;
  auto call =
      std::async(std::launch::async, [&] { link->call("adding up", [](NcclComm) { return kNcclInProgress; }); });
  EXPECT_EQ(call.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  channel_->abandon(Error{ErrorCode::OutOfMemory, "no room left", {}});
  ASSERT_EQ(call.wait_for(std::chrono::minutes(1)), std::future_status::ready);
  ASSERT_FALSE(link->status().ok());
  EXPECT_EQ(link->status().error().code, ErrorCode::OutOfMemory);
  EXPECT_EQ(nccl_.aborted, 1);
  link->call("adding up", [](NcclComm) -> int {
    ADD_FAILURE() << "there is no communicator any more";
    return kNcclSuccess;
  });
  link.reset();
  EXPECT_EQ(nccl_.destroyed, 0);
}

TEST_F(NcclLinkTest, ErrorsOfTheLibraryBreakItWhetherTheyComeAtOnceOrLater) {
  auto link = connected();
  ASSERT_NE(link, nullptr);
  link->call("adding up", [](NcclComm) { return kBroken; });
  ASSERT_FALSE(link->status().ok());
  EXPECT_EQ(link->status().error().message, "NCCL: adding up: a rank is gone");
  nccl_.aborted = 0;
  link = connected();
  ASSERT_NE(link, nullptr);
  nccl_.state = kBroken;
  link->call("adding up", [](NcclComm) { return kNcclInProgress; });
  EXPECT_FALSE(link->status().ok());
  EXPECT_EQ(nccl_.aborted, 1);
}

TEST_F(NcclLinkTest, WhatIsRefusedBeforeItComesToTheLibraryBreaksItWithItsOwnWords) {
  auto link = connected();
  ASSERT_NE(link, nullptr);
  link->refuse(Error::unsupported("numbers of type Int cannot be added up"));
  ASSERT_FALSE(link->status().ok());
  EXPECT_EQ(link->status().error().code, ErrorCode::Unsupported);
  EXPECT_EQ(link->status().error().message, "numbers of type Int cannot be added up");
  EXPECT_EQ(nccl_.aborted, 1) << "what is under way ends";
  link->refuse(Error::unsupported("something else"));
  EXPECT_EQ(link->status().error().message, "numbers of type Int cannot be added up") << "the first reason counts";
  EXPECT_EQ(nccl_.aborted, 1);
}

TEST(NcclLibraryTest, ALibraryThatIsNotThereOrAnotherIsRefused) {
  const auto none = NcclLibrary::load("libno-such-nccl.so.2");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::Unsupported);
  const auto other = NcclLibrary::load("libm.so.6");
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().message, HasSubstr("older than NCCL 2.14"));
}

}  // namespace
}  // namespace batchwise
