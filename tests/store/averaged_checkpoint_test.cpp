// SPDX-License-Identifier: GPL-3.0-or-later

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_files.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/records.h"
#include "tests/store/store_fixture.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using testing::HasSubstr;

class AveragedCheckpointTest : public testing::Test {
 protected:
  AveragedCheckpointTest()
      : workspace_(openStore(folder_.path())), run_(makeRun(*workspace_, "run")), writer_(startRun(workspace_, run_)) {}

  /// A checkpoint with one weight and one moment, of these values.
  void add(const std::string& id, std::int64_t batch, const std::vector<float>& weights,
           const std::string& name = "model/weight") {
    const std::string file = "checkpoints/" + id + ".sqlite";
    const auto bytes = std::as_bytes(std::span(weights));
    const auto size = static_cast<std::int64_t>(bytes.size());
    auto checkpoint = CheckpointWriter::create(folder_ / file, 1 << 16);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().text();
    for (const std::string& entry : {name, std::string("optimizer/exp_avg/weight")})
      ASSERT_TRUE(checkpoint->add({entry, "fp32", {std::ssize(weights)}, size}, bytes).ok());
    ASSERT_TRUE(checkpoint->finish({{"state", state_.empty() ? id : state_}}).ok());
    CheckpointRecord record = checkpointOf(id, batch, file);
    if (!state_.empty()) record.bytes = static_cast<std::int64_t>(std::filesystem::file_size(folder_ / file));
    ASSERT_TRUE(writer_->addCheckpoint(record).ok());
  }

  std::vector<float> read(const CheckpointRecord& record, const std::string& name) {
    const auto reader = CheckpointReader::openIn(folder_.path(), record.file);
    EXPECT_TRUE(reader.ok() && reader->verify().ok());
    std::vector<float> values(3);
    EXPECT_TRUE(reader->read(name, std::as_writable_bytes(std::span(values))).ok());
    facts_ = reader->facts();
    return values;
  }

  TempFolder folder_;
  std::shared_ptr<Workspace> workspace_;
  std::string run_;
  std::unique_ptr<RunWriter> writer_;
  std::map<std::string, std::string> facts_;
  std::string state_;  // the fact of the next checkpoint; empty: its id
};

TEST_F(AveragedCheckpointTest, HasTheMeanWeightsOfTheLastAndTheRestOfTheNewest) {
  add("aaaaaaaaaaaa", 1, {100, 100, 100});
  add("bbbbbbbbbbbb", 2, {1, 2, 3});
  add("cccccccccccc", 3, {2, 5, -3});
  const auto record = addAveragedCheckpoint(*workspace_, "run", 2);
  ASSERT_TRUE(record.ok()) << record.error().text();
  EXPECT_EQ(record->reason, kAverageCheckpoint);
  EXPECT_EQ(record->at.batch, 3);
  EXPECT_EQ(read(*record, "model/weight"), (std::vector<float>{1.5F, 3.5F, 0}));
  EXPECT_EQ(read(*record, "optimizer/exp_avg/weight"), (std::vector<float>{2, 5, -3}));
  EXPECT_EQ(facts_.at("state"), "cccccccccccc");
  EXPECT_EQ(facts_.at("average_of"), R"(["cccccccccccc","bbbbbbbbbbbb"])");
  EXPECT_EQ(workspace_->checkpoints(run_)->size(), 4U);
  EXPECT_THAT(entriesOf(workspace_->checkpointFolder()), testing::SizeIs(4)) << "nothing else is left there";
}

TEST_F(AveragedCheckpointTest, IsNeitherResumedNorRemovedNorAveragedByItself) {
  add("bbbbbbbbbbbb", 2, {1, 2, 3});
  add("cccccccccccc", 3, {2, 5, -3});
  const auto first = addAveragedCheckpoint(*workspace_, "run", 2);
  ASSERT_TRUE(first.ok()) << first.error().text();
  const auto records = *workspace_->checkpoints(run_);
  const auto segments = workspace_->findRun(run_)->segments;
  const auto order = resumeOrder(segments, records);
  ASSERT_EQ(order.size(), 2U);
  EXPECT_EQ(order.front().id, "cccccccccccc");
  const auto removed = selectForRemoval(segments, records, {.keepLast = 1, .keepBest = 0});
  ASSERT_EQ(removed.size(), 1U) << "it does not count as the last";
  EXPECT_EQ(removed.front().id, "bbbbbbbbbbbb");
  const auto second = addAveragedCheckpoint(*workspace_, "run", 2);
  ASSERT_TRUE(second.ok()) << second.error().text();
  EXPECT_EQ(read(*second, "model/weight"), read(*first, "model/weight"));
}

TEST_F(AveragedCheckpointTest, RefusesTooFewAndOthers) {
  add("bbbbbbbbbbbb", 2, {1, 2, 3});
  for (const auto& [count, why] : {std::pair{1, "2 or more checkpoints, and 1 was requested"},
                                   std::pair{2, "has 1 checkpoint to average, and 2 were requested"}}) {
    const auto few = addAveragedCheckpoint(*workspace_, "run", count);
    ASSERT_FALSE(few.ok());
    EXPECT_THAT(few.error().text(), HasSubstr(why));
  }
  add("cccccccccccc", 3, {2, 5, -3}, "model/another");
  const auto others = addAveragedCheckpoint(*workspace_, "run", 2);
  ASSERT_FALSE(others.ok());
  EXPECT_THAT(others.error().text(), HasSubstr("model/another"));
  EXPECT_EQ(workspace_->checkpoints(run_)->size(), 2U);
}

TEST_F(AveragedCheckpointTest, RefusesWeightsWhoseBytesAreNoWholeNumbers) {
  std::int64_t batch = 0;
  for (const std::string id : {"bbbbbbbbbbbb", "cccccccccccc"}) {
    const std::string file = "checkpoints/" + id + ".sqlite";
    auto checkpoint = CheckpointWriter::create(folder_ / file, 1 << 16);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().text();
    ASSERT_TRUE(checkpoint->add({"model/weight", "fp32", {6}, 27}, std::vector<std::byte>(27)).ok());
    ASSERT_TRUE(checkpoint->finish({{"state", id}}).ok());
    ASSERT_TRUE(writer_->addCheckpoint(checkpointOf(id, ++batch, file)).ok());
  }
  const auto average = addAveragedCheckpoint(*workspace_, "run", 2);
  ASSERT_FALSE(average.ok());
  EXPECT_EQ(average.error().code, ErrorCode::Corrupt);
  EXPECT_EQ(workspace_->checkpoints(run_)->size(), 2U);
}

TEST_F(AveragedCheckpointTest, TheCheckOfContentsFindsDamageAndAnotherCheckpointInTheFile) {
  const auto problems = [&] {
    const auto found = checkCheckpointContents(*workspace_, [](double, double) {});
    EXPECT_TRUE(found.ok());
    return found.ok() ? *found : std::vector<std::string>{};
  };
  const auto atStep = [](std::int64_t step) { return "{\"clock\": " + timestampText(afterBatches(step)) + "}"; };
  state_ = atStep(1);
  add("aaaaaaaaaaaa", 1, {100, 100, 100});
  state_ = atStep(2);
  add("bbbbbbbbbbbb", 2, {1, 2, 3});
  ASSERT_TRUE(writer_->flush().ok());
  EXPECT_TRUE(problems().empty());
  const auto first = folder_ / "checkpoints/aaaaaaaaaaaa.sqlite", second = folder_ / "checkpoints/bbbbbbbbbbbb.sqlite";
  std::filesystem::copy_file(second, first, std::filesystem::copy_options::overwrite_existing);
  ASSERT_EQ(problems().size(), 1U);
  EXPECT_THAT(problems()[0], HasSubstr("holds the state at step 2, but step 1 was written"));
  std::string bytes = *readFile(second);
  const std::size_t weights = bytes.rfind(std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  ASSERT_NE(weights, std::string::npos);
  bytes[weights + 3] = '\x40';
  ASSERT_TRUE(writeFileAtomically(second, bytes).ok());
  EXPECT_EQ(problems().size(), 2U);
}

}  // namespace
}  // namespace batchwise::test
