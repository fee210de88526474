// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/event_display.h"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/file.h"
#include "tests/support/manual_clock.h"

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

TEST(EventDisplayTest, JsonLinesHoldEveryEvent) {
  const OutFile out;
  const ManualClock clock;
  {
    EventDisplay display(DisplayMode::JsonLines, out.descriptor(), clock);
    display.publish(started());
    for (int batch = 1; batch <= 4; ++batch) display.publish(rowAt(batch));
  }
  std::istringstream lines(out.text());
  std::vector<std::string> events;
  for (std::string line; std::getline(lines, line);) events.push_back(nlohmann::json::parse(line).at("event"));
  EXPECT_EQ(events, (std::vector<std::string>{"run_started", "metrics", "metrics", "metrics", "metrics"}));
}

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

}  // namespace
}  // namespace batchwise::cli
