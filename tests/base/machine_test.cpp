// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/machine.h"

#include <gtest/gtest.h>

#include "core/base/file.h"
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

}  // namespace
}  // namespace batchwise
