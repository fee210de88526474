// SPDX-License-Identifier: GPL-3.0-or-later
// A checkpoint file that our writer made, with the changes that the bytes ask for: everything in it is read. What reads
// well is what was written; without a change, all of it.
#include <cstdlib>
#include <fstream>

#include "core/base/file.h"
#include "core/store/checkpoints/checkpoint_file.h"
#include "tests/fuzz/edited_file.h"
#include "tests/fuzz/shared_folder.h"

namespace {

using namespace batchwise;

constexpr std::int64_t kMostBytes = 64 << 20;  // of an entry that a changed file claims

void require(bool holds) {
  if (!holds) std::abort();
}

std::vector<std::byte> contentOf(const CheckpointEntry& entry) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(entry.bytes));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 + entry.name.size());
  return bytes;
}

class Place {
 public:
  Place() : folder_("checkpoint-fuzz"), file_(folder_.path() / "c1.ckpt") {
    auto writer = CheckpointWriter::create(file_, 1 << 20);
    require(writer.ok());
    for (const CheckpointEntry& entry : entries_) require(writer->add(entry, contentOf(entry)).ok());
    require(writer->finish({{"clock", R"({"ba":12})"}, {"config", "model: tiny"}}).ok());
    const auto bytes = readFile(file_);
    require(bytes.ok());
    original_ = *bytes;
  }

  void take(std::span<const std::uint8_t> edits) {
    std::string bytes = original_;
    fuzz::applyEdits(edits, {&bytes});
    std::ofstream(file_, std::ios::binary) << bytes;
    require(readsWell() || bytes != original_);
  }

 private:
  bool readsWell() const {
    const auto reader = CheckpointReader::open(file_);
    if (!reader.ok()) return false;
    for (const CheckpointEntry& entry : reader->entries()) {
      if (entry.bytes < 0 || entry.bytes > kMostBytes) continue;
      std::vector<std::byte> bytes(static_cast<std::size_t>(entry.bytes));
      if (reader->read(entry.name, bytes).ok()) require(isWritten(entry) && bytes == contentOf(entry));
    }
    return reader->verify().ok();
  }
  bool isWritten(const CheckpointEntry& entry) const {
    for (const CheckpointEntry& one : entries_)
      if (one.name == entry.name && one.type == entry.type && one.shape == entry.shape && one.bytes == entry.bytes)
        return true;
    return false;
  }

  const std::vector<CheckpointEntry> entries_ = {{"model/weight", "fp32", {64, 32}, 8192},
                                                 {"model/bias", "bf16", {5}, 10},
                                                 {"optim/step", "i64", {}, 8},
                                                 {"rng", "bytes", {}, 0}};
  fuzz::SharedFolder folder_;
  std::filesystem::path file_;
  std::string original_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Place place;
  place.take({data, size});
  return 0;
}
