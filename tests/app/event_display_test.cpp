// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/event_display.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

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

TEST(EventDisplayTest, JsonLinesHoldEveryEvent) {
  std::ostringstream out;
  const ManualClock clock;
  {
    EventDisplay display(DisplayMode::JsonLines, out, clock);
    display.publish(started());
    for (int batch = 1; batch <= 4; ++batch) display.publish(rowAt(batch));
  }
  std::istringstream lines(out.str());
  std::vector<std::string> events;
  for (std::string line; std::getline(lines, line);) events.push_back(nlohmann::json::parse(line).at("event"));
  EXPECT_EQ(events, (std::vector<std::string>{"run_started", "metrics", "metrics", "metrics", "metrics"}));
}

TEST(EventDisplayTest, PlainLinesShowARowASecondAndTheLast) {
  std::ostringstream out;
  ManualClock clock;
  EventDisplay display(DisplayMode::Plain, out, clock);
  display.publish(started());
  for (int batch = 1; batch <= 4; ++batch) {
    display.publish(rowAt(batch));
    clock.advanceMs(400);
  }
  EXPECT_THAT(out.str(), HasSubstr("run first (abc)\n1/4ba  loss 2.5"));
  EXPECT_THAT(out.str(), testing::Not(HasSubstr("2/4ba")));
  EXPECT_THAT(out.str(), HasSubstr("4/4ba"));
  EXPECT_THAT(out.str(), testing::Not(HasSubstr("\r")));
}

TEST(EventDisplayTest, ATerminalShowsABarWithRateAndTimeLeft) {
  std::ostringstream out;
  ManualClock clock;
  EventDisplay display(DisplayMode::Terminal, out, clock);
  display.publish(started());
  for (int batch = 1; batch <= 2; ++batch) {
    clock.advanceMs(1000);
    display.publish(rowAt(batch));
  }
  EXPECT_THAT(out.str(), HasSubstr("[=====     ] 50 %  2/4ba  loss 2.5"));
  EXPECT_THAT(out.str(), HasSubstr("1.20k samples/s"));
  EXPECT_THAT(out.str(), HasSubstr("ETA 2"));
}

TEST(EventDisplayTest, LastingLinesClearTheBar) {
  std::ostringstream out;
  ManualClock clock;
  {
    EventDisplay display(DisplayMode::Terminal, out, clock);
    display.publish(PhaseProgress{"tokenising", 1 << 20, 4 << 20, "bytes"});
    display.publish(RunNote{NoteLevel::Warning, "careful", {}});
    display.publish(PhaseProgress{"tokenising", 4 << 20, 4 << 20, "bytes"});
    clock.advanceMs(200);
    display.publish(PhaseProgress{"tokenising", 4 << 20, 4 << 20, "bytes"});
  }
  EXPECT_THAT(out.str(), HasSubstr("tokenising [==        ] 25 %, "));
  EXPECT_THAT(out.str(), HasSubstr("\r\033[Kwarning: careful\n"));
  EXPECT_EQ(out.str().back(), '\n');
}

}  // namespace
}  // namespace batchwise::cli
