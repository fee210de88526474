// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/text_outlet.h"

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

TEST(TextOutletTest, WhoWritesDoesNotWaitForWhoReadsAndNothingIsLost) {
  Pipe pipe;
  std::optional<TextOutlet> outlet(std::in_place, pipe.writer.get());
  constexpr int kLines = 100'000;  // far more than a pipe holds
  for (int i = 0; i < kLines; ++i) outlet->write(numberedLines(i, i + 1));
  EXPECT_FALSE(outlet->idle());
  EXPECT_EQ(outlet->obstacle(), "") << "there is room";
  const std::string all = numberedLines(0, kLines);
  EXPECT_EQ(pipe.read(all.size()), all);
  outlet->drain(kLong);
  EXPECT_TRUE(outlet->idle());
}

TEST(TextOutletTest, TellsThatTooMuchWaitsUntilHalfOfTheRoomIsFree) {
  Pipe pipe;
  TextOutlet outlet(pipe.writer.get(), 1 << 20);
  const std::string much((1 << 20) + (1 << 18), 'x');  // a quarter more than fits
  outlet.write(much);
  EXPECT_THAT(outlet.obstacle(), HasSubstr("nobody reads the output"));
  (void)pipe.read(1 << 18);  // a pipe holds 64 KiB, so that more than half of the room is still taken
  EXPECT_NE(outlet.obstacle(), "");
  (void)pipe.read(700 << 10);  // about a quarter of the room is still taken
  while (!outlet.obstacle().empty()) usleep(1000);
  EXPECT_FALSE(outlet.idle()) << "it does not wait until all is read";
  (void)pipe.read(much.size() - (1 << 18) - (700 << 10));
  outlet.drain(kLong);
  EXPECT_TRUE(outlet.idle());
}

TEST(TextOutletTest, WhatIsLeftIsWrittenAtTheEnd) {
  Pipe pipe;
  { TextOutlet(pipe.writer.get()).write("the end\n"); }
  EXPECT_EQ(pipe.read(8), "the end\n");
}

TEST(TextOutletTest, AReaderThatHasGoneIsToldOfAndHoldsNothingUp) {
  Pipe pipe;
  pipe.reader = {};
  testing::internal::CaptureStderr();
  {
    TextOutlet outlet(pipe.writer.get(), 1 << 10);
    outlet.write(std::string(1 << 12, 'x'));
    outlet.drain(kLong);
    EXPECT_EQ(outlet.obstacle(), "");
    outlet.write(std::string(1 << 12, 'x'));
    EXPECT_EQ(outlet.obstacle(), "");
    EXPECT_TRUE(outlet.idle());
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("the rest of the output cannot be written: Broken pipe"));
}

TEST(TextOutletTest, AFullDiskIsWaitedForButNotAtTheEnd) {
  const FileDescriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  testing::internal::CaptureStderr();
  {
    TextOutlet outlet(full.get(), 1 << 10);
    outlet.write(std::string(1 << 12, 'x'));
    while (outlet.obstacle().find("No space left") == std::string::npos) usleep(1000);  // the first try
    EXPECT_FALSE(outlet.idle()) << "it is tried again";
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace batchwise::cli
