// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "core/base/format.h"
#include "core/run/own_program.h"

namespace batchwise::cli {
namespace {

struct SetupArguments {
  bool cuda = false, cpu = false, yes = false;
};

/// Becomes the installer of the Python package that this program came with.
Result<int> setUp(const SetupArguments& arguments) {
  const char* python = std::getenv("BATCHWISE_PYTHON");  // set by the commands that pip installs
  if (python == nullptr || *python == '\0')
    return Error::unsupported(
        "this program was built from its sources, with the LibTorch that lies there; setup is for one that pip "
        "installed");
  const std::string installer = (ownProgram().parent_path().parent_path() / "setup.py").string();
  std::vector<const char*> command = {python, installer.c_str()};
  if (arguments.cuda) command.push_back("--cuda");
  if (arguments.cpu) command.push_back("--cpu");
  if (arguments.yes) command.push_back("--yes");
  command.push_back(nullptr);
  execv(python, const_cast<char* const*>(command.data()));
  return Error::unsupported(formatText("{} cannot be started: {}", python, std::strerror(errno)));
}

}  // namespace

void addSetupCommand(Commands& commands) {
  const auto arguments = std::make_shared<SetupArguments>();
  CLI::App* command =
      commands.add(nullptr, "setup",
                   "Install LibTorch, which training needs, by pip; says the size and asks before it loads anything",
                   "batchwise setup --cpu", [arguments]() -> Result<int> { return setUp(*arguments); });
  CLI::Option* cuda =
      command->add_flag("--cuda", arguments->cuda, "The build for NVIDIA GPUs, even if none is found on this machine");
  command->add_flag("--cpu", arguments->cpu, "The much smaller build without CUDA")->excludes(cuda);
  command->add_flag("--yes", arguments->yes, "Do not ask");
}

}  // namespace batchwise::cli
