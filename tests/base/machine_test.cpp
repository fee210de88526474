// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/machine.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <map>
#include <string>

#include "core/base/file.h"
#include "core/base/process_setup.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

constexpr std::int64_t kKiB = 1024;

/// A made-up machine of 1,000 KiB, all of them available.
class AvailableMemoryTest : public testing::Test {
 protected:
  AvailableMemoryTest() { put("proc/meminfo", "MemTotal: 2000 kB\nMemAvailable:    1000 kB\n"); }
  void put(const std::string& file, const std::string& text) {
    const std::filesystem::path path = root_ / file;
    ASSERT_TRUE(makeFolders(path.parent_path()).ok());
    ASSERT_TRUE(writeFileAtomically(path, text).ok());
  }
  void group(const std::string& folder, const std::string& limit, std::int64_t usedKiB, std::int64_t droppableKiB) {
    put(folder + "/memory.max", limit + "\n");
    put(folder + "/memory.current", std::to_string(usedKiB * kKiB) + "\n");
    put(folder + "/memory.stat",
        "anon 5\ninactive_file " + std::to_string(droppableKiB * kKiB - 2) + "\nactive_file 2\nfile 9\n");
  }
  void oldGroup(const std::string& folder, std::int64_t limit, std::int64_t usedKiB, std::int64_t droppableKiB) {
    put(folder + "/memory.limit_in_bytes", std::to_string(limit) + "\n");
    put(folder + "/memory.usage_in_bytes", std::to_string(usedKiB * kKiB) + "\n");
    put(folder + "/memory.stat",
        "inactive_file 1\ntotal_inactive_file " + std::to_string(droppableKiB * kKiB - 2) + "\ntotal_active_file 2\n");
  }
  test::TempFolder root_;
};

TEST_F(AvailableMemoryTest, WithoutALimitIsWhatTheKernelCallsAvailable) {
  EXPECT_EQ(availableMemory(root_.path()), 1000 * kKiB);
  put("proc/self/cgroup", "0::/job\n");
  group("sys/fs/cgroup/job", "max", 900, 0);
  EXPECT_EQ(availableMemory(root_.path()), 1000 * kKiB);
}

TEST_F(AvailableMemoryTest, TheLimitOfAGroupAndOfThoseAroundItCounts) {
  put("proc/self/cgroup", "0::/slice/job/\n");
  group("sys/fs/cgroup/slice/job", std::to_string(800 * kKiB), 300, 100);
  EXPECT_EQ(availableMemory(root_.path()), 600 * kKiB) << "pages that can be dropped are free";
  group("sys/fs/cgroup/slice", std::to_string(900 * kKiB), 400, 0);
  EXPECT_EQ(availableMemory(root_.path()), 500 * kKiB);
  group("sys/fs/cgroup/slice", std::to_string(5000 * kKiB), 400, 0);
  EXPECT_EQ(availableMemory(root_.path()), 600 * kKiB);
  put("proc/self/cgroup", "0::/../other\n");  // of a container: the path of a group that it cannot see
  group("sys/fs/cgroup", std::to_string(200 * kKiB), 50, 0);
  EXPECT_EQ(availableMemory(root_.path()), 150 * kKiB);
}

TEST_F(AvailableMemoryTest, SoDoTheOlderControlGroups) {
  put("proc/self/cgroup", "9:name=systemd:/\n5:cpu,memory:/job\n0::/\n");
  oldGroup("sys/fs/cgroup/memory", 9223372036854771712, 5, 0);  // none
  EXPECT_EQ(availableMemory(root_.path()), 1000 * kKiB);
  oldGroup("sys/fs/cgroup/memory/job", 700 * kKiB, 300, 200);
  EXPECT_EQ(availableMemory(root_.path()), 600 * kKiB);
}

TEST_F(AvailableMemoryTest, NoneIsSomethingElseThanNotKnown) {
  put("proc/self/cgroup", "0::/job\n");
  group("sys/fs/cgroup/job", std::to_string(100 * kKiB), 120, 0);
  EXPECT_EQ(availableMemory(root_.path()), 0);
  const test::TempFolder nothing;
  EXPECT_EQ(availableMemory(nothing.path()), std::nullopt);
}

TEST(GpuDriverVersionTest, IsTheFirstWordOfDigitsAndDots) {
  EXPECT_EQ(gpuDriverVersion("NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 07:19:03 UTC 2025"), "580.65.06");
  EXPECT_EQ(gpuDriverVersion("NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build"), "550.54.15");
  EXPECT_EQ(gpuDriverVersion(""), "");
  EXPECT_EQ(gpuDriverVersion("a driver of 2026"), "");
}

TEST(MachineTest, ThisOneHasMemory) {
  const MachineInfo machine = machineInfo();
  ASSERT_TRUE(machine.availableMemoryBytes.has_value());
  EXPECT_GT(*machine.availableMemoryBytes, 0);
  EXPECT_LE(*machine.availableMemoryBytes, machine.memoryBytes);
}

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

TEST(CLocaleTest, NumbersAndMessagesAreOfNoLanguageAndLettersStay) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  ASSERT_NE(std::setlocale(LC_ALL, "C.UTF-8"), nullptr);  // as Qt takes the desktop's
  useCLocale();
  EXPECT_STREQ(std::setlocale(LC_NUMERIC, nullptr), "C");
  EXPECT_STREQ(std::setlocale(LC_MESSAGES, nullptr), "C");
  EXPECT_STREQ(std::setlocale(LC_CTYPE, nullptr), "C.UTF-8");
  std::setlocale(LC_ALL, before.c_str());
}

TEST(GpuEnvironmentTest, CublasGetsASettingThatItRepeatsItselfWith) {
  for (const char* wrong : {":0:0", ""}) {
    ::setenv("CUBLAS_WORKSPACE_CONFIG", wrong, 1);
    setGpuEnvironment();
    EXPECT_STREQ(::getenv("CUBLAS_WORKSPACE_CONFIG"), ":4096:8") << wrong;
  }
  ::setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8", 1);
  setGpuEnvironment();
  EXPECT_STREQ(::getenv("CUBLAS_WORKSPACE_CONFIG"), ":16:8");
}

TEST(GpuEnvironmentTest, NcclDoesNotSumInTheSwitchesUnlessTheUserSaysOtherwise) {
  ::unsetenv("NCCL_NVLS_ENABLE");
  setGpuEnvironment();
  EXPECT_STREQ(::getenv("NCCL_NVLS_ENABLE"), "0");
  ::setenv("NCCL_NVLS_ENABLE", "1", 1);
  setGpuEnvironment();
  EXPECT_STREQ(::getenv("NCCL_NVLS_ENABLE"), "1");
}

TEST(GpuEnvironmentTest, TheProcessOutlivesAFailedOperationUnlessTheUserSaysOtherwise) {
  ::unsetenv("TORCH_NCCL_ASYNC_ERROR_HANDLING");
  ::setenv("TORCH_NCCL_ENABLE_MONITORING", "1", 1);
  setGpuEnvironment();
  EXPECT_STREQ(::getenv("TORCH_NCCL_ASYNC_ERROR_HANDLING"), "2");
  EXPECT_STREQ(::getenv("TORCH_NCCL_ENABLE_MONITORING"), "1");
}

}  // namespace
}  // namespace batchwise
