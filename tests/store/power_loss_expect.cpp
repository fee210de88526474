// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/power_loss_expect.h"

#include <gtest/gtest.h>

#include <sstream>

#include "core/store/checkpoints/checkpoint_file.h"
#include "tests/store/store_fixture.h"

namespace batchwise::test {

void Known::add(const std::vector<std::string>& marks) {
  for (const std::string& mark : marks) {
    std::istringstream text(mark);
    std::string what, value;
    text >> what >> value;
    if (what == "row") row = std::stoll(value);
    if (what == "checkpoint") checkpoints.push_back(value);
    if (what == "removing") std::erase(checkpoints, value);
    words.insert(what);
  }
}

CheckpointRecord makeCheckpoint(const std::filesystem::path& workspace, const std::string& id, std::int64_t batch,
                                std::int64_t bytes) {
  const std::string file = "checkpoints/" + id + ".sqlite";
  const std::vector<std::byte> content(static_cast<std::size_t>(bytes), static_cast<std::byte>(batch));
  auto target = CheckpointWriter::create(workspace / file, bytes);
  EXPECT_TRUE(target.ok() && target->add({"weights", "bytes", {}, bytes}, content).ok());
  EXPECT_TRUE(target->finish({{"batch", std::to_string(batch)}}).ok());
  return checkpointOf(id, batch, file);
}

void expectRows(const Workspace& workspace, const std::string& run, std::int64_t atLeast, RowsBehind behind) {
  const auto loss = workspace.series(run, "loss");
  ASSERT_TRUE(loss.ok()) << loss.error().text();
  EXPECT_GE(static_cast<std::int64_t>(loss->size()), atLeast) << "acknowledged rows are lost";
  for (std::size_t i = 0; i < loss->size(); ++i) {
    if (behind == RowsBehind::Follow || static_cast<std::int64_t>(i) < atLeast) {
      ASSERT_EQ(loss->at(i).batch, static_cast<std::int64_t>(i) + 1);
    }
    ASSERT_EQ(loss->at(i).value, rowOf(loss->at(i).batch).loss);
  }
}

void expectCheckpoints(const Workspace& workspace, const std::string& run, const std::vector<std::string>& known,
                       const std::function<bool(const CheckpointRecord&)>& written) {
  const auto records = workspace.checkpoints(run);
  ASSERT_TRUE(records.ok()) << records.error().text();
  std::set<std::string> found;
  for (const CheckpointRecord& record : *records) {
    found.insert(record.id);
    if (!written(record)) continue;
    const auto reader = CheckpointReader::open(workspace.folder() / record.file);
    ASSERT_TRUE(reader.ok()) << "a row promises a checkpoint: " << reader.error().text();
    ASSERT_TRUE(reader->verify().ok());
    const auto batch = reader->facts().find("batch");
    if (batch == reader->facts().end()) continue;
    ASSERT_EQ(batch->second, std::to_string(record.at.batch)) << record.id;
  }
  for (const std::string& id : known) EXPECT_TRUE(found.contains(id)) << id << " is lost";
}

}  // namespace batchwise::test
