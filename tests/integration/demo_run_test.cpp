// SPDX-License-Identifier: GPL-3.0-or-later
// The bundled demo through the trainer library, as window and command line run it.
#include <gtest/gtest.h>

#include <fstream>
#include <mutex>
#include <string>

#include "core/run/run_controller.h"
#include "core/store/workspace.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

class Rows final : public EventSink {
 public:
  void publish(const RunEvent& event) override {
    const std::scoped_lock lock(mutex_);
    if (const auto* row = std::get_if<MetricsRow>(&event)) rows_.push_back(*row);
  }
  std::vector<MetricsRow> rows() const {
    const std::scoped_lock lock(mutex_);
    return rows_;
  }

 private:
  mutable std::mutex mutex_;  // guards rows_
  std::vector<MetricsRow> rows_;
};

/// Whether this process has loaded a library.
bool isMapped(const std::string& library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("/" + library) != std::string::npos) return true;
  return false;
}

TEST(DemoRunTest, LearnsMoreThanHowOftenWordsOccur) {
  const test::TempFolder folder;
  EXPECT_FALSE(isMapped("libtorch_cpu.so")) << "a program that does not train has loaded LibTorch";
  Rows rows;
  LaunchRequest request;
  request.workspace = folder.path();
  request.config = loadConfig("demo", {"max_duration=200ba"});
  ASSERT_TRUE(request.config.ok()) << request.config.errorText();
  const auto controller = makeThreadRunController(rows);
  ASSERT_TRUE(controller->start(request).ok());
  const Result<RunFinished> end = controller->wait();
  ASSERT_TRUE(end.ok()) << end.error().text();
  EXPECT_TRUE(isMapped("libtorch_cpu.so"));
  ASSERT_EQ(end->status, RunStatus::Finished) << end->reason;
  ASSERT_EQ(rows.rows().size(), 200u);
  const auto workspace = Workspace::open(folder.path());
  ASSERT_TRUE(workspace.ok());
  const auto run = (*workspace)->findRun("latest");
  ASSERT_TRUE(run.ok());
  const double unigram = run->references.at("unigram_entropy");
  EXPECT_GT(rows.rows().front().loss, unigram);
  EXPECT_LT(rows.rows().back().loss, unigram - 0.5);
  EXPECT_LT(*run->summary.evalLoss, unigram - 0.5);
}

}  // namespace
}  // namespace batchwise
