// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <map>

#include "core/base/process_setup.h"

namespace batchwise {
namespace {

std::optional<LaunchedRank> with(const std::map<std::string, std::string>& variables) {
  return launchedRank([&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(LaunchedRankTest, ReadsWhatEachLauncherSays) {
  EXPECT_EQ(with({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}}),
            (LaunchedRank{"mpirun", 3, 4, 1}));
  EXPECT_EQ(
      with({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_LOCALID", "0"}, {"SLURM_STEP_ID", "0"}}),
      (LaunchedRank{"srun", 1, 2, 0}));
  EXPECT_EQ(with({{"RANK", "7"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "7"}, {"MASTER_ADDR", "node1"}}),
            (LaunchedRank{"torchrun", 7, 8, 7}));
}

TEST(LaunchedRankTest, TheInnermostLauncherCounts) {
  EXPECT_EQ(with({{"SLURM_PROCID", "1"},
                  {"SLURM_STEP_NUM_TASKS", "2"},
                  {"SLURM_STEP_ID", "0"},
                  {"RANK", "9"},
                  {"WORLD_SIZE", "16"},
                  {"LOCAL_RANK", "1"},
                  {"TORCHELASTIC_RUN_ID", "none"}}),
            (LaunchedRank{"torchrun", 9, 16, 1}));
  EXPECT_EQ(with({{"SLURM_PROCID", "0"},
                  {"SLURM_STEP_NUM_TASKS", "1"},
                  {"SLURM_STEP_ID", "0"},
                  {"RANK", "3"},
                  {"WORLD_SIZE", "8"},
                  {"LOCAL_RANK", "3"},
                  {"TORCHELASTIC_RUN_ID", "none"}}),
            (LaunchedRank{"torchrun", 3, 8, 3}));
}

TEST(LaunchedRankTest, IsNobodyOnItsOwn) {
  EXPECT_EQ(with({}), std::nullopt);
  EXPECT_EQ(with({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}), std::nullopt);
  EXPECT_EQ(with({{"RANK", "1"}, {"WORLD_SIZE", "2"}}), std::nullopt) << "a name that others use too";
  // In a batch script, before srun.
  EXPECT_EQ(with({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}}), std::nullopt);
  EXPECT_EQ(with({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_STEP_ID", "4294967291"}}),
            std::nullopt);
  EXPECT_EQ(with({{"OMPI_COMM_WORLD_RANK", "two"}, {"OMPI_COMM_WORLD_SIZE", "4"}}), std::nullopt);
}

}  // namespace
}  // namespace batchwise
