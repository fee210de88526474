// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/app/program.h"
#include "tests/support/test_environment.h"

namespace batchwise::test {

using Words = std::vector<std::string>;

/// The words of a command line, then `more`; no word of the line holds a space.
inline Words words(const std::string& line, const Words& more = {}) {
  std::istringstream stream(line);
  Words all{std::istream_iterator<std::string>(stream), {}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// A folder with a workspace in it, and the program run against that workspace.
class CommandTest : public testing::Test {
 protected:
  std::filesystem::path workspace() const { return folder_ / "workspace"; }

  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = folder_ / name;
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }

  std::vector<std::string> withWorkspace(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--workspace", workspace().string()});
    return arguments;
  }

  ProgramResult run(const std::vector<std::string>& arguments) const {
    return runProgram(folder_.path(), withWorkspace(arguments));
  }

  /// Returns the path of a file in a copy of a folder of tests/vectors/cases.
  std::string copiedCase(const std::string& name, const std::string& file = "run.yaml") const {
    const std::filesystem::path copy = folder_ / name;
    if (!std::filesystem::exists(copy))
      std::filesystem::copy(sourceRoot() / "tests/vectors/cases" / name, copy,
                            std::filesystem::copy_options::recursive);
    return (copy / file).string();
  }

  TempFolder folder_;
};

}  // namespace batchwise::test
