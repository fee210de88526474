// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chart_file.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "app/cli/stop_signals.h"
#include "app/cli/temporary_folder.h"
#include "core/analysis/report.h"
#include "core/base/file.h"
#include "core/base/format.h"
#include "core/run/controllers/child_process.h"
#include "core/run/own_program.h"

namespace batchwise::cli {
namespace {

namespace fs = std::filesystem;

/// Fails with Config if there are no charts with this extension.
Result<void> checkEnding(const fs::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".svg" || ending == ".pdf" || ending == ".png") return {};
  return Error::config(formatText("'{}' must end in .svg, .pdf or .png", file.string()));
}

/// Runs the program and waits until it exits; passes its stderr on. A signal that would stop this process stops it.
Result<void> runProgram(const fs::path& program, std::vector<std::string> command) {
  command.insert(command.begin(), program.native());
  std::atomic<bool> stopped = false;
  const StopSignals signals([&stopped](int) { stopped = true; });  // the child is in a session of its own
  ASSIGN_OR_RETURN(auto child, ChildProcess::start(command, {}));
  std::optional<ChildExit> end;
  while (!end) {
    if (stopped) child.signal(SIGTERM);
    child.read(20);
    end = child.ended();
  }
  std::cerr << end->stderrTail;
  if (!end->bySignal && end->number == 0) return {};
  return Error{
      ErrorCode::Io, formatText("{} could not draw the chart; its message is above", program.filename().string()), {}};
}

Result<void> drawWithQt(const std::string& svg, const fs::path& file, const ChartSize& size, Replaces replaces) {
  const fs::path program = ownProgram().parent_path() / "batchwise-chart";
  if (!fs::exists(program))
    return Error::unsupported(formatText(
        "drawing {} needs the program batchwise-chart, and there is none at {}; write .svg instead, or build with Qt",
        file.extension().string(), program.string()));
  const TemporaryFolder folder("batchwise-chart");
  if (folder.path().empty()) return Error::fromErrno(errno, "cannot create '{}'", fs::temp_directory_path().string());
  const fs::path source = folder.path() / "chart.svg";
  RETURN_IF_ERROR(writeFileAtomically(source, svg));
  const fs::path drawn = (folder.path() / "chart").concat(file.extension().native());
  const auto done = runProgram(program, {source.string(), drawn.string(), formatExact(size.widthCm),
                                         formatExact(size.heightCm), std::to_string(size.dpi)});
  if (!done.ok()) return done;
  const auto picture = readFile(drawn);
  return picture.ok() ? writeOutput(file, replaces, *picture) : Result<void>(picture.error());
}

}  // namespace

Result<ChartSize> ChartSize::parse(const std::string& text, int dpi) {
  ChartSize size;
  size.dpi = dpi;
  char rest = 0;
  const bool read = std::sscanf(text.c_str(), "%lfx%lf%c", &size.widthCm, &size.heightCm, &rest) == 2;
  const auto fits = [](double side) { return side >= 2 && side <= 200; };
  if (!read || !fits(size.widthCm) || !fits(size.heightCm))
    return Error::config(
        formatText("'{}' is not a size; give width and height in centimeters, 2 to 200, such as 16x9", text));
  if (size.widthCm * size.heightCm * dpi * dpi / (2.54 * 2.54) > 1e8)
    return Error::config(formatText("{} cm at {} dpi are more than 100 million pixels; give a lower --dpi", text, dpi));
  return size;
}

Result<void> checkChartFile(const fs::path& file, Replaces replaces) {
  RETURN_IF_ERROR(checkEnding(file));
  return checkOutputFile(file, replaces);
}

Result<void> writeChart(const Figure& figure, const fs::path& file, const ChartSize& size, Replaces replaces) {
  RETURN_IF_ERROR(checkChartFile(file, replaces));  // before it is drawn
  const std::string svg = figureSvg(figure, size.widthCm, size.heightCm);
  return file.extension() == ".svg" ? writeOutput(file, replaces, svg) : drawWithQt(svg, file, size, replaces);
}

}  // namespace batchwise::cli
