// SPDX-License-Identifier: GPL-3.0-or-later
// What happens on a file system whose locks do not work, or that several machines share: fcntl() and statfs() of this
// program answer as such a one does.
#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstdarg>
#include <fstream>

#include "core/store/file_lock.h"
#include "core/store/journal/journal.h"
#include "core/store/process_identity.h"
#include "tests/store/store_fixture.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace {

enum class Locks { Work, Refused, GrantedToAll };
Locks locks = Locks::Work;
bool isShared = false;  // the file system

int answer(const char* name, int descriptor, int command, void* argument) {
  if (locks != Locks::Work && (command == F_OFD_SETLK || command == F_OFD_GETLK)) {
    if (locks == Locks::Refused) {
      errno = ENOLCK;
      return -1;
    }
    if (command == F_OFD_GETLK) static_cast<struct flock*>(argument)->l_type = F_UNLCK;
    return 0;
  }
  using Function = int (*)(int, int, ...);
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name))(descriptor, command, argument);
}

}  // namespace

extern "C" {
int fcntl(int descriptor, int command, ...) {
  va_list more;
  va_start(more, command);
  void* argument = va_arg(more, void*);
  va_end(more);
  return answer("fcntl", descriptor, command, argument);
}
int fcntl64(int descriptor, int command, ...) {
  va_list more;
  va_start(more, command);
  void* argument = va_arg(more, void*);
  va_end(more);
  return answer("fcntl64", descriptor, command, argument);
}
int statfs(const char* path, struct statfs* info) noexcept {
  constexpr long kNfs = 0x6969;
  using Function = int (*)(const char*, struct statfs*);
  const int code = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "statfs"))(path, info);
  if (code == 0 && isShared) info->f_type = kNfs;
  return code;
}
}

namespace batchwise::test {
namespace {

using testing::HasSubstr;

class BrokenLocksTest : public testing::TestWithParam<Locks> {
 protected:
  void SetUp() override { locks = Locks::Work; }
  void TearDown() override { locks = Locks::Work; }

  template <typename Value>
  void expectRefused(const Result<Value>& result) const {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::Unsupported) << result.error().text();
    EXPECT_THAT(result.error().text(), HasSubstr("cannot lock"));
    EXPECT_THAT(result.error().text(),
                HasSubstr(GetParam() == Locks::Refused ? "has no locks" : "grants the same lock twice"));
  }
  const TempFolder folder_;
};

TEST_P(BrokenLocksTest, NothingIsWrittenThere) {
  { EXPECT_TRUE(JournalWriter::create(folder_.path(), "abcdefghijkl", {}, {}).ok()); }
  { EXPECT_FALSE(makeRun(*openStore(folder_.path()), "here").empty()); }
  locks = GetParam();
  expectRefused(FileLock::open(folder_ / "lock"));
  expectRefused(Workspace::open(folder_.path()));
  expectRefused(JournalWriter::create(folder_.path(), "abcdefghijkm", {}, {}));
  expectRefused(JournalWriter::resume(folder_.path(), "abcdefghijkl", {}));
  EXPECT_EQ((*checked(Workspace::open(folder_.path(), Workspace::Mode::ReadOnly)))->listRuns()->size(), 1U);
}

TEST(SharedFolderTest, WhatAnotherMachineHasIsNotOpenedWhereItCanBeWritten) {
  const TempFolder folder;
  { EXPECT_FALSE(makeRun(*openStore(folder.path()), "here").empty()); }
  std::ofstream(folder / "workspace.host") << machineText({"other", "an id", "a boot"});
  isShared = true;
  for (const auto mode : {Workspace::Mode::ReadOnly, Workspace::Mode::ReadWrite}) {
    const Error error = refused(Workspace::open(folder.path(), mode));
    EXPECT_EQ(error.code, ErrorCode::Unsupported);
    EXPECT_THAT(error.text(), HasSubstr("is used by the machine 'other'"));
  }
  std::ofstream(folder / "workspace.host") << machineText(currentMachine());
  EXPECT_TRUE(Workspace::open(folder.path(), Workspace::Mode::ReadOnly).ok());
  isShared = false;
}

INSTANTIATE_TEST_SUITE_P(All, BrokenLocksTest, testing::Values(Locks::Refused, Locks::GrantedToAll));

}  // namespace
}  // namespace batchwise::test
