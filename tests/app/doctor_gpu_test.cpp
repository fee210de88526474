// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/doctor_gpu.h"

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/run/launch/launch_check.h"

namespace batchwise::cli {
namespace {

struct Expected {
  std::string device;
  std::int64_t sequences, rows, hidden;
};

// Only a machine with a GPU trains the first of them.
TEST(DoctorGpuTest, WhatItTrainsIsAcceptedOnEveryDevice) {
  const TemporaryFolder folder("batchwise-doctor-test");
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
