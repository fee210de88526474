// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/archive_stream.h"

#include <algorithm>

#include "core/base/return_if_error.h"
#include "core/exchange/messages.h"

namespace batchwise {

Result<void> ArchiveStream::fetchRecord() {
  if (record_) return {};
  ASSIGN_OR_RETURN(auto next, reader_.next());
  record_ = std::move(next);
  return {};
}

Result<void> ArchiveStream::expect(ArchiveKind kind, const Message& what) {
  RETURN_IF_ERROR(fetchRecord());
  return recordIs(kind) ? Result<void>{} : reader_.damaged(messages::archiveRecordMisplaced(what));
}

Result<RunDetail> ArchiveStream::run() {
  RETURN_IF_ERROR(expect(ArchiveKind::Run, messages::archiveRunDescriptionNoun()));
  auto run = parseArchivedRun(record_->text());
  if (!run.ok()) return reader_.damaged(run.error().message);
  record_.reset();
  segments_ = static_cast<std::int64_t>(run->segments.size());
  return run;
}

Result<std::optional<CheckpointRecord>> ArchiveStream::nextCheckpoint() {
  while (dataLeft_ > 0) RETURN_IF_ERROR(nextData());
  RETURN_IF_ERROR(fetchRecord());
  if (!recordIs(ArchiveKind::Checkpoint)) return std::optional<CheckpointRecord>{};
  auto checkpoint = parseArchivedCheckpoint(record_->text());
  if (!checkpoint.ok()) return reader_.damaged(checkpoint.error().message);
  record_.reset();
  if (checkpoint->segment >= segments_) return reader_.damaged(messages::archiveCheckpointLacksSegment());
  if (checkpoint->bytes < 1 || checkpoint->bytes > reader_.bytes() - reader_.position())
    return reader_.damaged(messages::archiveCheckpointSizeInvalid(checkpoint->id));
  dataLeft_ = checkpoint->bytes;
  return std::optional{std::move(*checkpoint)};
}

Result<std::span<const std::byte>> ArchiveStream::nextData() {
  if (dataLeft_ == 0) return std::span<const std::byte>{};
  RETURN_IF_ERROR(expect(ArchiveKind::Data, messages::archiveCheckpointDataNoun()));
  data_ = std::move(record_->content);
  record_.reset();
  const auto size = static_cast<std::int64_t>(data_.size());
  if (size == 0 || size > dataLeft_) return reader_.damaged(messages::archiveCheckpointSizeMismatch());
  dataLeft_ -= size;
  return std::span<const std::byte>{data_};
}

Result<std::vector<std::string>> ArchiveStream::series() {
  RETURN_IF_ERROR(expect(ArchiveKind::Series, messages::archiveSeriesListNoun()));
  auto names = parseArchivedSeries(record_->text());
  if (!names.ok()) return reader_.damaged(names.error().message);
  record_.reset();
  for (const std::string& name : *names) seriesKinds_.push_back(rowKindOf(name));
  return names;
}

Result<std::optional<TransferRow>> ArchiveStream::nextRow() {
  while (rowsLeft_.empty()) {
    if (recordIs(ArchiveKind::Rows)) record_.reset();  // consumed
    RETURN_IF_ERROR(fetchRecord());
    if (!recordIs(ArchiveKind::Rows)) return std::optional<TransferRow>{};
    rowsLeft_ = record_->content;
  }
  auto row = popArchivedRow(rowsLeft_);
  if (!row.ok()) return reader_.damaged(row.error().message);
  RETURN_IF_ERROR(checkRow(*row));
  return std::optional{std::move(*row)};
}

Result<void> ArchiveStream::checkRow(const TransferRow& row) {
  if (row.segment < 0 || row.segment >= segments_) return reader_.damaged(messages::archiveMetricsLackSegment());
  const std::tuple place{row.segment, row.kind, row.position};
  if (row.position < 0 || (lastRow_ && place <= *lastRow_))
    return reader_.damaged(messages::archiveMetricsOutOfOrder());
  lastRow_ = place;
  std::int64_t before = -1;
  for (const TransferValue& value : row.values) {
    if (value.series >= seriesKinds_.size() || seriesKinds_[value.series] != row.kind || value.series <= before)
      return reader_.damaged(messages::archiveMetricsSeriesInvalid());
    before = value.series;
  }
  return row.values.empty() ? Result<void>{reader_.damaged(messages::archiveMetricsRowEmpty())} : Result<void>{};
}

Result<std::optional<StoredEvent>> ArchiveStream::nextEvent() {
  while (eventsReturned_ == events_.size()) {
    RETURN_IF_ERROR(fetchRecord());
    if (!recordIs(ArchiveKind::Events)) return std::optional<StoredEvent>{};
    auto events = parseArchivedEvents(record_->text());
    if (!events.ok()) return reader_.damaged(events.error().message);
    record_.reset();
    events_ = std::move(*events);
    eventsReturned_ = 0;
  }
  StoredEvent& event = events_[eventsReturned_++];
  if (event.segment >= segments_) return reader_.damaged(messages::archiveEventLacksSegment());
  return std::optional{std::move(event)};
}

Result<void> ArchiveStream::end() {
  return expect(ArchiveKind::End, messages::archiveEndNoun());
}

}  // namespace batchwise
