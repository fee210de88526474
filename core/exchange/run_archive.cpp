// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/run_archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <utility>

#include "core/base/format.h"
#include "core/base/texts.h"
#include "core/exchange/archive_records.h"
#include "core/exchange/archive_text.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/checkpoints/checkpoint_selection.h"
#include "core/store/texts.h"
#include "core/store/workspace_folder.h"

namespace batchwise {
namespace {

/// Batches rows and events into records of 256 KiB.
class RecordBatcher {
 public:
  explicit RecordBatcher(ArchiveWriter& archive) : archive_(archive) {}

  Result<void> addRow(const TransferRow& row) {
    appendArchivedRow(row, rows_);
    return rows_.size() < kRecordBytes ? Result<void>{} : flush();
  }
  Result<void> addEvent(const StoredEvent& event) {
    events_ += (events_.empty() ? "[" : ",") + archivedEvent(event);
    return events_.size() < kRecordBytes ? Result<void>{} : flush();
  }
  Result<void> flush() {
    if (!rows_.empty()) RETURN_IF_ERROR(archive_.add(ArchiveKind::Rows, std::exchange(rows_, {})));
    if (!events_.empty()) RETURN_IF_ERROR(archive_.add(ArchiveKind::Events, std::exchange(events_, {}) + "]"));
    return {};
  }

 private:
  static constexpr std::size_t kRecordBytes = 256 << 10;
  ArchiveWriter& archive_;
  std::vector<std::byte> rows_;
  std::string events_;
};

Result<std::vector<CheckpointRecord>> chosenCheckpoints(const Workspace& workspace, const RunDetail& run,
                                                        const CheckpointSelection& choice) {
  using Kind = CheckpointSelection::Kind;
  ASSIGN_OR_RETURN(const auto all, workspace.checkpoints(run.summary.id));
  if (choice.kind == Kind::None) return std::vector<CheckpointRecord>{};
  if (choice.kind == Kind::All) return all;
  if (choice.kind == Kind::Latest) {
    const auto order = resumeOrder(run.segments, all);
    if (order.empty()) return std::vector<CheckpointRecord>{};
    return std::vector{order.front()};
  }
  std::vector<CheckpointRecord> chosen;
  for (const std::string& id : choice.ids) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& record) { return record.id == id; });
    if (found == all.end()) return Error::notFound(formatText("run {} has no checkpoint '{}'", run.summary.name, id));
    chosen.push_back(*found);
  }
  return chosen;
}

/// Writes the parts of a run to an archive.
class Exporter {
 public:
  Exporter(const Workspace& workspace, const RunDetail& run, const std::vector<CheckpointRecord>& checkpoints,
           const ArchiveProgress& progress, std::stop_token stop)
      : workspace_(workspace), run_(run), checkpoints_(checkpoints), progress_(progress), stop_(std::move(stop)) {
    for (const CheckpointRecord& record : checkpoints_) total_ += record.bytes;
  }

  Result<void> write(const FileSink& sink) {
    const FileSink counted = [&](std::span<const std::byte> bytes) -> Result<void> {
      if (stop_.stop_requested()) return Error{ErrorCode::Stopped, kStoreWorkCanceled, {}};
      done_ += static_cast<std::int64_t>(bytes.size());
      if (progress_) progress_(done_, std::max(total_, done_));
      return sink(bytes);
    };
    ArchiveWriter archive(counted);
    RETURN_IF_ERROR(archive.begin());
    RETURN_IF_ERROR(archive.add(ArchiveKind::Run, archivedRun(run_)));
    for (const CheckpointRecord& record : checkpoints_)
      if (auto done = addCheckpoint(archive, record); !done.ok())
        return done.error().within(checkpointContextText(record.id));
    RETURN_IF_ERROR(addMetrics(archive));
    RETURN_IF_ERROR(addEvents(archive));
    return archive.end();
  }
  std::int64_t bytes() const { return done_; }

 private:
  Result<void> addCheckpoint(ArchiveWriter& archive, CheckpointRecord record) {
    ASSIGN_OR_RETURN(const auto found, findCheckpointFile(workspace_.folder(), record.file));
    const std::filesystem::path& path = found;
    ASSIGN_OR_RETURN(const auto reader, CheckpointReader::open(path));
    RETURN_IF_ERROR(reader.verify());
    const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
    struct stat status {};
    if (!file.valid() || ::fstat(file.get(), &status) != 0)
      return Error::fromErrno(errno, "cannot open '{}'", path.native());
    record.bytes = status.st_size;
    RETURN_IF_ERROR(archive.add(ArchiveKind::Checkpoint, archivedCheckpoint(record)));
    std::vector<std::byte> piece(static_cast<std::size_t>(maxRecordBytes(ArchiveKind::Data)));
    for (std::int64_t left = record.bytes; left > 0;) {
      const ssize_t got =
          ::read(file.get(), piece.data(), std::min<std::size_t>(piece.size(), static_cast<std::size_t>(left)));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Error::fromErrno(errno, "cannot read '{}'", path.native());
      if (got == 0) return Error::corrupt(formatText("'{}' became shorter while it was being read", path.native()));
      left -= got;
      RETURN_IF_ERROR(archive.add(ArchiveKind::Data, std::span(piece).first(static_cast<std::size_t>(got))));
    }
    return {};
  }

  Result<void> addMetrics(ArchiveWriter& archive) {
    RecordBatcher pieces(archive);
    const auto begin = [&](const std::vector<std::string>& names) {
      return archive.add(ArchiveKind::Series, archivedSeries(names));
    };
    const auto take = [&](const TransferRow& row) { return pieces.addRow(row); };
    auto done = readRunRows(workspace_, run_.summary.id, static_cast<std::int64_t>(run_.segments.size()), begin, take);
    return done.ok() ? pieces.flush() : done;
  }

  Result<void> addEvents(ArchiveWriter& archive) {
    RecordBatcher pieces(archive);
    ASSIGN_OR_RETURN(const auto events, workspace_.events(run_.summary.id));
    for (const StoredEvent& event : events) {
      if (event.segment >= static_cast<std::int64_t>(run_.segments.size())) continue;  // started after the run was read
      RETURN_IF_ERROR(pieces.addEvent(event));
    }
    return pieces.flush();
  }

  const Workspace& workspace_;
  const RunDetail& run_;
  const std::vector<CheckpointRecord>& checkpoints_;
  const ArchiveProgress& progress_;
  const std::stop_token stop_;
  std::int64_t total_ = 0;
  std::int64_t done_ = 0;
};

}  // namespace

Result<CheckpointSelection> parseCheckpointSelection(const std::string& text) {
  using Kind = CheckpointSelection::Kind;
  if (text == "latest") return CheckpointSelection{Kind::Latest, {}};
  if (text == "all") return CheckpointSelection{Kind::All, {}};
  if (text == "none") return CheckpointSelection{Kind::None, {}};
  CheckpointSelection choice{Kind::Listed, {}};
  std::istringstream ids(text);
  for (std::string id; std::getline(ids, id, ',');)
    if (!id.empty() && std::find(choice.ids.begin(), choice.ids.end(), id) == choice.ids.end())
      choice.ids.push_back(id);
  if (choice.ids.empty())
    return Error::config(
        formatText("'{}' does not name a checkpoint; use latest, all, none, or ids separated by commas", text));
  return choice;
}

Result<ArchiveSummary> exportArchive(const Workspace& workspace, const std::string& run,
                                     const CheckpointSelection& choice, const std::filesystem::path& target,
                                     Replaces replaces, const ArchiveProgress& progress, std::stop_token stop) {
  ASSIGN_OR_RETURN(const auto detail, workspace.findRun(run));
  ASSIGN_OR_RETURN(const auto checkpoints, chosenCheckpoints(workspace, detail, choice));
  Exporter exporter(workspace, detail, checkpoints, progress, std::move(stop));
  RETURN_IF_ERROR(writeOutput(target, replaces, [&](const FileSink& sink) { return exporter.write(sink); }));
  return ArchiveSummary{detail.summary.id, detail.summary.name, static_cast<std::int64_t>(checkpoints.size()),
                        exporter.bytes()};
}

}  // namespace batchwise
