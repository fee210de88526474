// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_reader.h"

#include <gtest/gtest.h>

#include "core/store/recording/run_writer.h"
#include "tests/support/test_environment.h"
#include "tests/ui/fake_run_controller.h"
#include "tests/ui/waiting.h"

namespace batchwise {
namespace {

class RunReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Workspace::open(folder_.path());
    ASSERT_TRUE(opened.ok());
    workspace_ = *opened;
    NewRun run;
    run.name = "read";
    id_ = *workspace_->createRun(run);
    beginSegment({});
    reader_ = std::make_unique<RunReader>(tasks_, workspace_, QString::fromStdString(id_),
                                          std::vector<std::string>{"step.loss"}, [this](Result<RunUpdate> update) {
                                            ASSERT_TRUE(update.ok());
                                            if (update->changed) updates_.push_back(std::move(*update));
                                          });
  }

  void beginSegment(const RunRecorder::SegmentStart& start) {
    writer_.reset();
    auto writer = RunWriter::open(workspace_, id_, start);
    ASSERT_TRUE(writer.ok());
    writer_ = std::move(*writer);
  }

  void store(std::int64_t firstBatch, std::int64_t lastBatch) {
    for (std::int64_t batch = firstBatch; batch <= lastBatch; ++batch) {
      MetricsRow row = test::rowAt(batch);
      row.at.step = batch;
      writer_->publish(row);
    }
    ASSERT_TRUE(writer_->flush().ok());
  }

  const RunUpdate& readNext() {
    const std::size_t before = updates_.size();
    reader_->read();
    EXPECT_TRUE(test::comesTrue([&] { return updates_.size() > before; }));
    return updates_.back();
  }

  test::TempFolder folder_;
  TaskQueue tasks_;
  std::shared_ptr<Workspace> workspace_;
  std::string id_;
  std::unique_ptr<RunWriter> writer_;
  std::vector<RunUpdate> updates_;
  std::unique_ptr<RunReader> reader_;
};

TEST_F(RunReaderTest, ReadsTheWholeRunOnceAndThenWhatIsNew) {
  store(1, 5);
  const RunUpdate first = readNext();
  ASSERT_TRUE(first.view.has_value());
  EXPECT_EQ(first.view->series.lastBatch(), 5);
  store(6, 7);
  writer_->publish(RunNote{NoteLevel::Warning, "new", {}});
  ASSERT_TRUE(writer_->flush().ok());
  const RunUpdate next = readNext();
  EXPECT_FALSE(next.view.has_value());
  ASSERT_EQ(next.points.at("loss").size(), 2u);
  EXPECT_EQ(next.points.at("loss").front().x(), 6);
  EXPECT_EQ(next.events.size(), 1u);
  EXPECT_EQ(next.detail.summary.at.batch, 7);
}

TEST_F(RunReaderTest, FurtherSeriesAreReadFromTheirBeginningAndTheOthersNotAgain) {
  store(1, 5);
  ASSERT_FALSE(readNext().points.contains("step_sec"));
  const std::size_t before = updates_.size();
  reader_->select({"step.loss", "step_sec"});
  ASSERT_TRUE(test::comesTrue([&] { return updates_.size() > before; }));
  EXPECT_FALSE(updates_.back().view.has_value());
  EXPECT_EQ(updates_.back().points.at("step_sec").size(), 5u);
  EXPECT_TRUE(updates_.back().points.at("loss").empty());
  store(6, 6);
  EXPECT_EQ(readNext().points.at("step_sec").size(), 1u);
}

TEST_F(RunReaderTest, StepsWaitForTheRowOfTheirGlobalBatch) {
  store(1, 1);
  MetricsRow part = test::rowAt(1);
  part.at.step = 2;
  part.at.stepInBatch = 1;
  writer_->publish(part);
  ASSERT_TRUE(writer_->flush().ok());
  EXPECT_TRUE(readNext().points.at("step.loss").empty());
  MetricsRow row = test::rowAt(2);
  row.at.step = 3;
  writer_->publish(row);
  ASSERT_TRUE(writer_->flush().ok());
  const RunUpdate& next = readNext();
  ASSERT_EQ(next.points.at("step.loss").size(), 1u);
  EXPECT_EQ(next.points.at("step.loss").front().x(), 2);
}

TEST_F(RunReaderTest, AResumeIsReadAsAWholeWithWhatItSupersedes) {
  store(1, 10);
  EXPECT_EQ(readNext().view->series.lastBatch(), 10);
  RunRecorder::SegmentStart start;
  start.from = test::rowAt(6).at;
  start.from.step = 6;
  beginSegment(start);
  store(7, 8);
  const RunUpdate next = readNext();
  ASSERT_TRUE(next.view.has_value());
  EXPECT_EQ(next.view->series.lastBatch(), 8);
  ASSERT_EQ(next.view->series.superseded("loss").size(), 1u);
  EXPECT_EQ(next.view->series.superseded("loss")[0].front().x(), 7);
  EXPECT_EQ(next.view->series.superseded("loss")[0].back().x(), 10);
}

TEST_F(RunReaderTest, SaysOfWhichSeriesOnlyExtremesWereRead) {
  store(1, 3);
  EXPECT_TRUE(readNext().view->thinned.empty());
  reader_.reset();
  store(30'000'000, 30'000'000);
  RunReader again(tasks_, workspace_, QString::fromStdString(id_), std::vector<std::string>{},
                  [this](Result<RunUpdate> update) { updates_.push_back(std::move(*update)); });
  const std::size_t before = updates_.size();
  again.read();
  ASSERT_TRUE(test::comesTrue([&] { return updates_.size() > before; }));
  EXPECT_TRUE(updates_.back().view->thinned.contains("loss"));
}

TEST_F(RunReaderTest, ARowThatIsStoredALittleLaterIsReadByOneWake) {
  store(1, 1);
  readNext();
  // Stored at the writer's next tick, which a busy disk may delay: then the next row counts.
  bool isRead = false;
  for (std::int64_t batch = 2; batch < 7 && !isRead; ++batch) {
    writer_->publish(test::rowAt(batch));
    reader_->wake();
    isRead = QTest::qWaitFor([&] { return updates_.back().detail.summary.at.batch == batch; }, 1000);
  }
  EXPECT_TRUE(isRead);
}

}  // namespace
}  // namespace batchwise
