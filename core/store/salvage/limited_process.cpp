// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/salvage/limited_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <thread>

#include "core/store/messages.h"

namespace batchwise {
namespace {

void limit(pid_t process, __rlimit_resource which, std::int64_t most) {
  const rlimit both{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
  (void)::prlimit(process, which, &both, nullptr);
}

std::string searchPath() {
  const char* path = std::getenv("PATH");
  return std::string("PATH=") + (path == nullptr ? "/usr/bin:/bin" : path);
}

class SpawnActions {
 public:
  SpawnActions(const std::filesystem::path& folder, int in, int out) {
    posix_spawn_file_actions_init(&files_);
    if (in < 0) posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (in >= 0) posix_spawn_file_actions_adddup2(&files_, in, STDIN_FILENO);
    if (out < 0) posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (out >= 0) posix_spawn_file_actions_adddup2(&files_, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
    posix_spawn_file_actions_addchdir_np(&files_, folder.c_str());
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&files_);
  }
  int run(pid_t& process, std::vector<std::string> argv, std::vector<std::string> environment) {
    const auto pointers = [](std::vector<std::string>& texts) {
      std::vector<char*> list;
      for (std::string& text : texts) list.push_back(text.data());
      list.push_back(nullptr);
      return list;
    };
    return ::posix_spawnp(&process, argv.front().c_str(), &files_, &attributes_, pointers(argv).data(),
                          pointers(environment).data());
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

Result<LimitedProcess> LimitedProcess::start(const std::vector<std::string>& argv, const std::filesystem::path& folder,
                                             const ProcessLimits& limits, int in, int out) {
  pid_t process = -1;
  SpawnActions actions(folder, in, out);
  // Excludes settings of the user (~/.sqliterc) and temporary files in other folders.
  const int failed = actions.run(process, argv,
                                 {searchPath(), "LC_ALL=C", "HOME=" + folder.native(),
                                  "SQLITE_TMPDIR=" + folder.native(), "TMPDIR=" + folder.native()});
  if (failed != 0) return Error::fromErrno(failed, messages::cannotStart, argv.front());
  limit(process, RLIMIT_CPU, limits.cpuSec);
  limit(process, RLIMIT_AS, limits.memoryBytes);
  limit(process, RLIMIT_FSIZE, limits.fileBytes);
  limit(process, RLIMIT_CORE, 0);
  return LimitedProcess(process);
}

LimitedProcess::~LimitedProcess() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<ProcessOutcome> LimitedProcess::wait(std::chrono::steady_clock::time_point deadline,
                                            const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kPollInterval{5};
  int status = 0;
  while (true) {
    const pid_t ended = ::waitpid(process_, &status, WNOHANG);
    if (ended == process_) break;
    if (ended < 0 && errno != EINTR) return Error::fromErrno(errno, messages::cannotWaitFor, "a program");
    if (stop.stop_requested()) return Error{ErrorCode::Stopped, messages::storeWorkCanceled(), {}};
    if (std::chrono::steady_clock::now() > deadline) return Error{ErrorCode::Io, messages::salvageReaderTimedOut(), {}};
    std::this_thread::sleep_for(kPollInterval);
  }
  process_ = -1;
  if (!WIFEXITED(status)) return ProcessOutcome::Signal;
  return WEXITSTATUS(status) == 0 ? ProcessOutcome::Success : ProcessOutcome::Failure;
}

}  // namespace batchwise
