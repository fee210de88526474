// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/checkpoints/checkpoint_average.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/store/checkpoints/checkpoint_file.h"
#include "core/store/messages.h"

namespace batchwise {
namespace {

using Bytes = std::vector<std::byte>;

Result<Bytes> readEntry(const CheckpointReader& reader, const CheckpointEntry& entry) {
  const auto found = std::ranges::find(reader.entries(), entry.name, &CheckpointEntry::name);
  if (found == reader.entries().end() || found->type != entry.type || found->shape != entry.shape)
    return Error::config(messages::averagedEntryDiffers(entry.name));
  Bytes bytes(static_cast<std::size_t>(entry.bytes));
  RETURN_IF_ERROR(reader.read(entry.name, bytes));
  return bytes;
}

Result<Bytes> meanOf(const std::vector<CheckpointReader>& readers, const CheckpointEntry& entry) {
  const std::size_t count = static_cast<std::size_t>(entry.bytes) / sizeof(float);
  std::vector<double> sum(count);
  std::vector<float> values(count);
  for (const CheckpointReader& reader : readers) {
    ASSIGN_OR_RETURN(const auto bytes, readEntry(reader, entry));
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(values)).begin());
    for (std::size_t i = 0; i < count; ++i) sum[i] += values[i];
  }
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(sum[i] / static_cast<double>(readers.size()));
  const auto bytes = std::as_bytes(std::span(values));
  return Bytes(bytes.begin(), bytes.end());
}

}  // namespace

Result<void> writeCheckpointAverage(const std::vector<std::filesystem::path>& files, std::string_view averaged,
                                    const std::map<std::string, std::string>& facts,
                                    const std::filesystem::path& target) {
  std::vector<CheckpointReader> readers;
  for (const auto& file : files) {
    ASSIGN_OR_RETURN(auto reader, CheckpointReader::open(file));
    readers.push_back(std::move(reader));
  }
  const CheckpointReader& first = readers.front();
  std::int64_t size = 0;
  for (const CheckpointEntry& entry : first.entries()) size += entry.bytes;
  ASSIGN_OR_RETURN(auto writer, CheckpointWriter::create(target, size));
  for (const CheckpointEntry& entry : first.entries()) {
    const bool mean = entry.type == "fp32" && entry.name.starts_with(averaged);
    ASSIGN_OR_RETURN(const auto bytes, mean ? meanOf(readers, entry) : readEntry(first, entry));
    RETURN_IF_ERROR(writer.add(entry, bytes));
  }
  auto all = first.facts();
  for (const auto& [name, value] : facts) all[name] = value;
  return writer.finish(all);
}

}  // namespace batchwise
