// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/async_text_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "core/base/file.h"

namespace batchwise::cli {
namespace {

using testing::HasSubstr;

constexpr std::chrono::minutes kLong{1};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    reader = FileDescriptor(ends[0]);
    writer = FileDescriptor(ends[1]);
  }
  std::string read(std::size_t bytes) {
    std::string text;
    std::array<char, 4096> buffer;
    while (text.size() < bytes) {
      const ssize_t got = ::read(reader.get(), buffer.data(), std::min(buffer.size(), bytes - text.size()));
      if (got <= 0) break;
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return text;
  }
  FileDescriptor reader, writer;
};

std::string numberedLines(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST(AsyncTextWriterTest, WhoWritesDoesNotWaitForWhoReadsAndNothingIsLost) {
  Pipe pipe;
  std::optional<AsyncTextWriter> outlet(std::in_place, pipe.writer.get());
  constexpr int kLines = 100'000;  // far more than a pipe holds
  for (int i = 0; i < kLines; ++i) outlet->write(numberedLines(i, i + 1));
  EXPECT_FALSE(outlet->idle());
  EXPECT_EQ(outlet->blockedReason(), "") << "there is room";
  const std::string all = numberedLines(0, kLines);
  EXPECT_EQ(pipe.read(all.size()), all);
  outlet->drain(kLong);
  EXPECT_TRUE(outlet->idle());
}

TEST(AsyncTextWriterTest, TellsThatTooMuchWaitsUntilHalfOfTheRoomIsFree) {
  Pipe pipe;
  AsyncTextWriter outlet(pipe.writer.get(), 1 << 20);
  const std::string much((1 << 20) + (1 << 18), 'x');  // a quarter more than fits
  outlet.write(much);
  EXPECT_THAT(outlet.blockedReason(), HasSubstr("nobody reads the output"));
  (void)pipe.read(1 << 18);  // a pipe holds 64 KiB, so that more than half of the room is still taken
  EXPECT_NE(outlet.blockedReason(), "");
  (void)pipe.read(700 << 10);  // about a quarter of the room is still taken
  while (!outlet.blockedReason().empty()) usleep(1000);
  EXPECT_FALSE(outlet.idle()) << "it does not wait until all is read";
  (void)pipe.read(much.size() - (1 << 18) - (700 << 10));
  outlet.drain(kLong);
  EXPECT_TRUE(outlet.idle());
}

TEST(AsyncTextWriterTest, WhatIsLeftIsWrittenAtTheEnd) {
  Pipe pipe;
  { AsyncTextWriter(pipe.writer.get()).write("the end\n"); }
  EXPECT_EQ(pipe.read(8), "the end\n");
}

TEST(AsyncTextWriterTest, AReaderThatHasGoneIsToldOfAndHoldsNothingUp) {
  Pipe pipe;
  pipe.reader = {};
  testing::internal::CaptureStderr();
  {
    AsyncTextWriter outlet(pipe.writer.get(), 1 << 10);
    outlet.write(std::string(1 << 12, 'x'));
    outlet.drain(kLong);
    EXPECT_EQ(outlet.blockedReason(), "");
    outlet.write(std::string(1 << 12, 'x'));
    EXPECT_EQ(outlet.blockedReason(), "");
    EXPECT_TRUE(outlet.idle());
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("the rest of the output cannot be written: Broken pipe"));
}

TEST(AsyncTextWriterTest, AFullDiskIsWaitedForButNotAtTheEnd) {
  const FileDescriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  testing::internal::CaptureStderr();
  {
    AsyncTextWriter outlet(full.get(), 1 << 10);
    outlet.write(std::string(1 << 12, 'x'));
    while (outlet.blockedReason().find("No space left") == std::string::npos) usleep(1000);  // the first try
    EXPECT_FALSE(outlet.idle()) << "it is tried again";
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace batchwise::cli
