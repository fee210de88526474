// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/controllers/command_channel.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

#include "core/base/format.h"
#include "core/base/hash.h"
#include "core/store/process_identity.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "runs";
constexpr const char* kSuffix = ".commands";
constexpr std::size_t kLongestName = 64;

/// Returns the name after the process id: a hash of host and system, since other hosts and containers reuse process
/// ids.
std::string nameSuffix() {
  const ProcessIdentity own = currentProcess();
  return "-" + hash128(own.host + "/" + own.system).hex().substr(0, 8) + kSuffix;
}

std::string socketName(std::int64_t processId) {
  return std::to_string(processId) + nameSuffix();
}

/// Returns an address relative to an open folder, because the folder's path may exceed the 107 bytes of an address.
sockaddr_un addressIn(const FileDescriptor& folder, const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = "/proc/self/fd/" + std::to_string(folder.get()) + "/" + name;
  std::memcpy(address.sun_path, path.c_str(), std::min(path.size() + 1, sizeof address.sun_path - 1));
  return address;
}

FileDescriptor openFolder(const fs::path& folder) {
  return FileDescriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

FileDescriptor makeSocket() {
  return FileDescriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

/// Removes sockets of processes of this host that no longer exist.
void removeStaleSockets(const fs::path& folder) {
  const std::string ending = nameSuffix();
  for (const fs::path& entry : entriesOf(folder)) {
    const std::string name = entry.filename().native();
    pid_t process = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    const bool ours = error == std::errc{} && process > 0 && std::string_view(end, name.data() + name.size()) == ending;
    std::error_code ignored;
    if (ours && ::kill(process, 0) != 0 && errno == ESRCH) fs::remove(entry, ignored);
  }
}

}  // namespace

Result<std::unique_ptr<CommandListener>> CommandListener::open(const fs::path& workspace, CommandMailbox& commands) {
  const fs::path folder = workspace / kFolder;
  RETURN_IF_ERROR(makeFolders(folder));
  removeStaleSockets(folder);
  const fs::path path = folder / socketName(::getpid());
  std::error_code ignored;
  fs::remove(path, ignored);  // of an earlier process with this id
  const FileDescriptor opened = openFolder(folder);
  FileDescriptor socket = makeSocket();
  const sockaddr_un address = addressIn(opened, socketName(::getpid()));
  if (!opened.valid() || !socket.valid() ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return Error::fromErrno(errno, "cannot accept commands from other programs at '{}'", path.native());
  ::chmod(path.c_str(), S_IRUSR | S_IWUSR);
  return std::unique_ptr<CommandListener>(new CommandListener(path, std::move(socket), commands));
}

CommandListener::CommandListener(fs::path path, FileDescriptor socket, CommandMailbox& commands)
    : path_(std::move(path)),
      socket_(std::move(socket)),
      commands_(commands),
      thread_([this](const std::stop_token& stop) { listen(stop); }) {}

CommandListener::~CommandListener() {
  thread_.request_stop();
  ::shutdown(socket_.get(), SHUT_RDWR);  // unblocks recv() in the thread
  thread_.join();
  std::error_code ignored;
  fs::remove(path_, ignored);
}

void CommandListener::listen(const std::stop_token& stop) {
  std::array<char, kLongestName> message{};
  while (!stop.stop_requested()) {
    const ssize_t size = ::recv(socket_.get(), message.data(), message.size(), 0);
    if (size < 0 && errno != EINTR) return;
    if (size <= 0) continue;
    if (const auto command = choiceFromName<RunCommand>({message.data(), static_cast<std::size_t>(size)}))
      commands_.post(*command);
  }
}

Result<void> sendRunCommand(const fs::path& workspace, std::int64_t processId, RunCommand command) {
  const FileDescriptor folder = openFolder(workspace / kFolder);
  const FileDescriptor socket = makeSocket();
  if (!folder.valid() || !socket.valid())
    return Error::fromErrno(errno, "cannot reach '{}'", (workspace / kFolder).native());
  const sockaddr_un address = addressIn(folder, socketName(processId));
  const std::string_view name = choiceName(command);
  if (::sendto(socket.get(), name.data(), name.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address), sizeof address) >= 0)
    return {};
  if (errno == EAGAIN)
    return Error{ErrorCode::Busy, formatText("process {} no longer accepts commands", processId), {}};
  return Error::notFound(formatText(
      "process {} does not accept commands: it has ended, is still starting, or runs on another host", processId));
}

}  // namespace batchwise
