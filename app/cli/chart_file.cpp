// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chart_file.h"

#include <cstdio>

#include "core/base/format.h"

namespace batchwise::cli {
namespace {

namespace fs = std::filesystem;

/// Fails with Config if no chart is written with this extension.
Result<void> checkEnding(const fs::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".svg") return {};
  if (ending != ".pdf" && ending != ".png") return Error::config(formatText("'{}' must end in .svg", file.string()));
  fs::path drawing = file;
  drawing.replace_extension(".svg");
  return Error::config(
      formatText("'{}': charts are written as .svg; write '{}' and turn it into {} with "
                 "`rsvg-convert --format {} --output OUT IN`, or save the picture from the window",
                 file.string(), drawing.string(), ending, ending.substr(1)));
}

}  // namespace

Result<ChartSize> ChartSize::parse(const std::string& text) {
  ChartSize size;
  char rest = 0;
  const bool read = std::sscanf(text.c_str(), "%lfx%lf%c", &size.widthCm, &size.heightCm, &rest) == 2;
  const auto fits = [](double side) { return side >= 2 && side <= 200; };
  if (!read || !fits(size.widthCm) || !fits(size.heightCm))
    return Error::config(
        formatText("'{}' is not a size; give width and height in centimeters, 2 to 200, such as 16x9", text));
  return size;
}

Result<void> checkChartFile(const fs::path& file, Replaces replaces) {
  RETURN_IF_ERROR(checkEnding(file));
  return checkOutputFile(file, replaces);
}

Result<void> writeChart(const Figure& figure, const fs::path& file, const ChartSize& size, Replaces replaces) {
  RETURN_IF_ERROR(checkChartFile(file, replaces));  // before it is drawn
  return writeOutput(file, replaces, figureSvg(figure, size.widthCm, size.heightCm));
}

}  // namespace batchwise::cli
