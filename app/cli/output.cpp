// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <streambuf>
#include <system_error>

#include "core/base/format.h"
#include "core/base/mutex.h"
#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/config/sweep.h"
#include "core/store/records.h"

namespace batchwise::cli {
namespace {

/// Counts code points, an approximation of the terminal columns that suffices for the texts shown here.
std::size_t widthOf(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

/// Buffers text until a flush or until it is long, then passes it on escaped.
class EscapingBuffer final : public std::streambuf {
 public:
  explicit EscapingBuffer(std::streambuf& target) : target_(target) {}

 protected:
  int_type overflow(int_type c) override {
    const MutexLock lock(mutex_);
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    buffer_ += traits_type::to_char_type(c);
    return forwardIfLong() ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const MutexLock lock(mutex_);
    buffer_.append(text, static_cast<std::size_t>(size));
    return forwardIfLong() ? size : 0;
  }
  int sync() override {
    const MutexLock lock(mutex_);
    return forward(buffer_.size()) && target_.pubsync() == 0 ? 0 : -1;
  }

 private:
  static constexpr std::size_t kFlushBytes = 1 << 16;

  bool forwardIfLong() REQUIRES(mutex_) {
    return buffer_.size() < kFlushBytes || forward(buffer_.size() - incompleteTailBytes(buffer_));
  }
  bool forward(std::size_t bytes) REQUIRES(mutex_) {
    const std::string safe = escapedForTerminal(std::string_view(buffer_).substr(0, bytes));
    buffer_.erase(0, bytes);
    return target_.sputn(safe.data(), std::ssize(safe)) == std::ssize(safe);
  }

  Mutex mutex_;
  std::streambuf& target_ GUARDED_BY(mutex_);
  std::string buffer_ GUARDED_BY(mutex_);
};

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

int exitCode(const Error& error) {
  return error.code == ErrorCode::Config || error.code == ErrorCode::NotFound ? kBadInput : kFailed;
}

int fail(const Error& error, bool json) {
  if (json) printJson(errorJson(error));
  std::cerr << "batchwise: " << error.text() << "\n";
  return exitCode(error);
}

int fail(const LoadedConfig& config, bool json) {
  if (json) {
    Json answer = errorJson(Error::config(config.errorText()));
    answer["field"] = config.errors.front().field;
    answer["errors"] = jsonIssues(config.errors);
    printJson(answer);
  }
  for (const ConfigIssue& issue : config.errors) std::cerr << escapedLine(issue.text()) << "\n";
  return kBadInput;
}

void showNotes(const LoadedConfig& config) {
  for (const ConfigIssue& note : config.notes) std::cerr << "note: " << escapedLine(note.text()) << "\n";
}

void showNotes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) std::cerr << "note: " << note << "\n";
}

RunNotes runNotes(const LoadedConfig& run) {
  RunNotes notes{runName(run.config), {}};
  for (const ConfigIssue& note : run.notes) notes.notes.push_back(note.text());
  return notes;
}

void showRunNotes(const std::vector<RunNotes>& runs) {
  std::vector<std::string> shown;
  for (const RunNotes& run : runs)
    for (const std::string& note : run.notes) {
      if (std::ranges::find(shown, note) != shown.end()) continue;
      shown.push_back(note);
      showNotes({runs.size() == 1 ? note : inContextText(runContextText(run.run), note)});
    }
}

Error errorOfRun(const LoadedConfig& run) {
  return Error::config(inContextText(runContextText(runName(run.config)), run.errorText()));
}

std::ostream& reportStream(const std::filesystem::path& file) {
  return isStream(file) ? std::cerr : std::cout;
}

int printJson(const Json& json) {
  std::cout << withEscapedControls(jsonText(json)) << std::endl;
  return kDone;
}

int flushStdout(int code) {
  errno = 0;
  std::cout.flush();
  if (std::cout.good()) return code;
  const std::string why = errno != 0 ? " (" + std::generic_category().message(errno) + ")" : "";
  std::cerr << "batchwise: the output is incomplete: stdout cannot be written" << why << "\n";
  return kFailed;
}

Json jsonNumber(const std::optional<double>& value) {
  return value ? Json(batchwise::jsonNumber(*value)) : Json(nullptr);
}

Json errorJson(const Error& error) {
  return {{"schema", "batchwise.error/1"},
          {"code", choiceName(error.code)},
          {"field", error.field},
          {"message", error.text()}};
}

Json jsonIssues(const std::vector<ConfigIssue>& issues) {
  return jsonList(issues, [](const ConfigIssue& issue) -> Json {
    Json object = {{"code", choiceName(ErrorCode::Config)},
                   {"field", issue.field},
                   {"source", issue.source},
                   {"line", issue.line},
                   {"message", issue.message}};
    if (!issue.nearest.empty()) object["nearest"] = issue.nearest;
    return object;
  });
}

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = escapedLine(cell);
  rows_.push_back(std::move(cells));
}

void Table::print(std::ostream& out) const {
  std::vector<std::size_t> widths;
  for (const auto& [title, align] : columns_) widths.push_back(widthOf(title));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], widthOf(row[i]));
  const auto line = [&](auto cellAt) {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string cell = cellAt(i);
      const std::string gap(widths[i] - widthOf(cell), ' ');
      text += (i == 0 ? "" : "  ") + (columns_[i].second == Align::Right ? gap + cell : cell + gap);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << "\n";
  };
  line([&](std::size_t i) { return columns_[i].first; });
  for (const auto& row : rows_) line([&](std::size_t i) { return row[i]; });
}

void escapeStandardStreams() {
  // Never deleted, because the streams are flushed at process exit.
  for (std::ostream* stream : {&std::cout, &std::cerr}) stream->rdbuf(new EscapingBuffer(*stream->rdbuf()));
}

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
