// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/event_display.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

#include "app/cli/doctor_gpu.h"
#include "core/base/file.h"
#include "core/run/launch/launch_check.h"
#include "tests/support/manual_clock.h"
#include "tests/support/test_environment.h"

namespace batchwise::cli {
namespace {

using testing::HasSubstr;

MetricsRow rowAt(std::int64_t batch) {
  MetricsRow row;
  row.at.batch = batch;
  row.loss = 2.5;
  row.learningRate = 5e-4;
  row.globalBatchSamples = 256;
  row.samplesPerSec = 1200;
  return row;
}

RunStarted started() {
  RunStarted event;
  event.run = "abc";
  event.name = "first";
  event.plannedBatches = 4;
  return event;
}

/// A file in memory, in place of stdout.
class OutFile {
 public:
  int descriptor() const { return file_.get(); }
  /// What the display has written, all of it.
  std::string shownBy(EventDisplay& display) const {
    display.writer().drain(std::chrono::minutes{1});
    return text();
  }
  std::string text() const {
    std::string all(static_cast<std::size_t>(lseek(file_.get(), 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(file_.get(), all.data(), all.size(), 0), static_cast<ssize_t>(all.size()));
    return all;
  }

 private:
  FileDescriptor file_{memfd_create("out", MFD_CLOEXEC)};
};

TEST(EventDisplayTest, PlainLinesShowARowASecondAndTheLast) {
  const OutFile out;
  ManualClock clock;
  EventDisplay display(DisplayMode::Plain, out.descriptor(), clock);
  display.publish(started());
  for (int batch = 1; batch <= 4; ++batch) {
    display.publish(rowAt(batch));
    clock.advanceMs(400);
  }
  const std::string shown = out.shownBy(display);
  EXPECT_THAT(shown, HasSubstr("run first (abc)\n1/4ba  loss 2.5"));
  EXPECT_THAT(shown, testing::Not(HasSubstr("2/4ba")));
  EXPECT_THAT(shown, HasSubstr("4/4ba"));
  EXPECT_THAT(shown, testing::Not(HasSubstr("\r")));
}

TEST(ProgressDisplayTest, KeepsWarningsForTheAnswerInJson) {
  const OutFile out;
  for (const bool json : {true, false}) {
    ProgressDisplay display(json, out.descriptor());
    display.publish(PhaseProgress{"building the model", 0, 0, {}});
    display.publish(RunNote{NoteLevel::Warning, "norm in bf16 is slower", {}});
    display.close();
    EXPECT_EQ(out.text().find("warning: norm in bf16 is slower") != std::string::npos, !json) << out.text();
    EXPECT_EQ(display.notes(), std::vector<std::string>{"norm in bf16 is slower"});
  }
}

TEST(EventDisplayTest, ATerminalShowsABarWithRateAndTimeLeft) {
  const OutFile out;
  ManualClock clock;
  EventDisplay display(DisplayMode::Terminal, out.descriptor(), clock);
  display.publish(started());
  for (int batch = 1; batch <= 2; ++batch) {
    clock.advanceMs(1000);
    (void)out.shownBy(display);  // a line that nobody has seen is not replaced
    display.publish(rowAt(batch));
  }
  const std::string shown = out.shownBy(display);
  EXPECT_THAT(shown, HasSubstr("[=====     ] 50 %  2/4ba  loss 2.5"));
  EXPECT_THAT(shown, HasSubstr("1.20k samples/s"));
  EXPECT_THAT(shown, HasSubstr("ETA 2"));
}

TEST(EventDisplayTest, ALineThatIsTooLongIsCutBetweenCharacters) {
  const OutFile out;
  ManualClock clock;
  std::string phase;
  for (int i = 0; i < 100; ++i) phase += "ä";
  EventDisplay display(DisplayMode::Terminal, out.descriptor(), clock);
  display.publish(PhaseProgress{phase, 0, 0, {}});
  EXPECT_THAT(out.shownBy(display), testing::EndsWith(phase.substr(0, 79 * std::string("ä").size())));  // of 80 columns
}

TEST(EventDisplayTest, LastingLinesClearTheBar) {
  const OutFile out;
  ManualClock clock;
  {
    EventDisplay display(DisplayMode::Terminal, out.descriptor(), clock);
    display.publish(PhaseProgress{"tokenizing", 1 << 20, 4 << 20, "bytes"});
    display.publish(RunNote{NoteLevel::Warning, "careful", {}});
    display.publish(PhaseProgress{"tokenizing", 4 << 20, 4 << 20, "bytes"});
    clock.advanceMs(200);
    (void)out.shownBy(display);
    display.publish(PhaseProgress{"tokenizing", 4 << 20, 4 << 20, "bytes"});
  }
  const std::string shown = out.text();
  EXPECT_THAT(shown, HasSubstr("tokenizing [==        ] 25 %, "));
  EXPECT_THAT(shown, HasSubstr("\r\033[Kwarning: careful\n"));
  EXPECT_EQ(shown.back(), '\n');
}

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

struct Expected {
  std::string device;
  std::int64_t sequences, rows, hidden;
};

// Only a machine with a GPU trains the first of them.
TEST(DoctorGpuTest, WhatItTrainsIsAcceptedOnEveryDevice) {
  const test::TempFolder folder;
  for (const Expected& expected :
       {Expected{"cuda:0", 512, 30528, 768}, Expected{"cuda:0", 1, 30528, 768}, Expected{"cpu", 64, 512, 128}}) {
    SCOPED_TRACE(expected.device);
    ASSERT_TRUE(writeFileAtomically(folder.path() / "vocab.txt", trialVocabulary(expected.device)).ok());
    const LoadedConfig config = trialConfig(expected.device, expected.sequences, folder.path());
    ASSERT_TRUE(config.ok()) << config.errorText();
    const Result<ModelShape> shape = plannedShape(config);
    ASSERT_TRUE(shape.ok()) << shape.error().text();
    EXPECT_EQ(shape->vocabSize, expected.rows);
    EXPECT_EQ(shape->hiddenSize, expected.hidden);
  }
}

}  // namespace
}  // namespace batchwise::cli
