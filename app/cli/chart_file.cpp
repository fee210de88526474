// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chart_file.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "core/analysis/svg.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/messages.h"
#include "core/base/return_if_error.h"

namespace batchwise::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

// Written into the file by ui/theme/svg_picture.cpp.
constexpr std::string_view kPdfMark = "/Creator (\xFE\xFF\0B\0a\0t\0c\0h\0w\0i\0s\0e)"sv;
constexpr std::string_view kPngMark = "Software\0Batchwise"sv;

/// A temporary folder, removed with its content by the destructor.
class ScratchFolder {
 public:
  ScratchFolder() : path_((fs::temp_directory_path() / "batchwise-chart-XXXXXX").string()) {
    made_ = ::mkdtemp(path_.data()) != nullptr;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (made_) fs::remove_all(path_, ignored);
  }
  bool made() const { return made_; }
  fs::path file(const char* name) const { return fs::path(path_) / name; }

 private:
  std::string path_;
  bool made_ = false;
};

/// Runs the program and waits until it exits.
Result<void> runProgram(const fs::path& program, const std::vector<std::string>& arguments) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t process = 0;
  if (const int failed = ::posix_spawn(&process, program.c_str(), nullptr, nullptr, argv.data(), environ); failed != 0)
    return Error::fromErrno(failed, messages::cannotStart, program.string());
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return Error{ErrorCode::Io, program.filename().string() + " could not draw the chart; what it said stands above", {}};
}

Result<void> drawWithQt(const std::string& svg, const fs::path& file, const ChartSize& size, const OutputRule& rule) {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed).parent_path() / "batchwise-chart";
  if (failed || !fs::exists(program))
    return Error::unsupported("drawing " + file.extension().string() +
                              " needs the program batchwise-chart, and there is none at " + program.string() +
                              "; write .svg instead, or build with Qt");
  const ScratchFolder folder;
  if (!folder.made()) return Error::fromErrno(errno, messages::cannotMake, fs::temp_directory_path().string());
  const fs::path source = folder.file("chart.svg");
  RETURN_IF_ERROR(writeFileAtomically(source, svg));
  const fs::path drawn = folder.file("chart").concat(file.extension().native());
  const auto done = runProgram(program, {source.string(), drawn.string(), formatExact(size.widthCm),
                                         formatExact(size.heightCm), std::to_string(size.dpi)});
  if (!done.ok()) return done;
  const auto picture = readFile(drawn);
  return picture.ok() ? writeOutput(file, rule, *picture) : Result<void>(picture.error());
}

}  // namespace

Result<ChartSize> ChartSize::parse(const std::string& text, int dpi) {
  ChartSize size;
  size.dpi = dpi;
  char rest = 0;
  const bool read = std::sscanf(text.c_str(), "%lfx%lf%c", &size.widthCm, &size.heightCm, &rest) == 2;
  const auto fits = [](double side) { return side >= 2 && side <= 200; };
  if (!read || !fits(size.widthCm) || !fits(size.heightCm))
    return Error::config("'" + text + "' is no size; write width and height in centimetres, 2 to 200, as 16x9");
  if (size.widthCm * size.heightCm * dpi * dpi / (2.54 * 2.54) > 1e8)
    return Error::config(text + " cm at " + std::to_string(dpi) +
                         " dpi are more than 100 million pixels; ask for fewer dpi");
  return size;
}

Result<void> writeChart(const Figure& figure, const fs::path& file, const ChartSize& size, OutputRule rule) {
  const std::string ending = file.extension().string();
  if (ending != ".svg" && ending != ".pdf" && ending != ".png")
    return Error::config("'" + file.string() + "' ends in neither .svg, .pdf nor .png");
  rule.mark = ending == ".svg" ? kGeneratorMark : ending == ".pdf" ? kPdfMark : kPngMark;
  const std::string svg = figureSvg(figure, size.widthCm, size.heightCm);
  if (ending == ".svg") return writeOutput(file, rule, svg);
  RETURN_IF_ERROR(checkOutputFile(file, rule));  // fail before rendering
  return drawWithQt(svg, file, size, rule);
}

}  // namespace batchwise::cli
