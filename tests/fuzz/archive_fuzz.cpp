// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as an archive, and as the contents of records in a frame that is right: kind (1 byte), length (2), content.
#include <vector>

#include "core/exchange/archive_records.h"
#include "tests/fuzz/memory_file.h"

namespace {

using namespace batchwise;

void readAll(ArchiveStream& archive) {
  if (const auto run = archive.run(); !run.ok()) return;
  while (true) {
    const auto checkpoint = archive.nextCheckpoint();
    if (!checkpoint.ok()) return;
    if (!*checkpoint) break;
  }
  if (const auto series = archive.series(); !series.ok()) return;
  while (true) {
    const auto row = archive.nextRow();
    if (!row.ok()) return;
    if (!*row) break;
  }
  while (true) {
    const auto event = archive.nextEvent();
    if (!event.ok()) return;
    if (!*event) break;
  }
  (void)archive.end();
}

void readFrom(std::span<const std::byte> bytes) {
  const fuzz::MemoryFile file(bytes);
  auto reader = ArchiveReader::open(file.path());
  if (!reader.ok()) return;
  ArchiveStream archive(*reader);
  readAll(archive);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  readFrom(bytes);
  std::vector<std::byte> framed;
  const FileSink sink = [&](std::span<const std::byte> piece) -> Result<void> {
    framed.insert(framed.end(), piece.begin(), piece.end());
    return {};
  };
  ArchiveWriter writer(sink);
  (void)writer.begin();
  while (bytes.size() >= 3) {
    const auto kind = static_cast<ArchiveKind>(std::to_integer<std::uint32_t>(bytes[0]) % 8);
    const std::size_t length = std::to_integer<std::size_t>(bytes[1]) + 256 * std::to_integer<std::size_t>(bytes[2]);
    bytes = bytes.subspan(3);
    const auto content = bytes.first(std::min(length, bytes.size()));
    (void)writer.add(kind, content);
    bytes = bytes.subspan(content.size());
  }
  (void)writer.end();
  readFrom(framed);
  return 0;
}
