// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as the log of another program, whose kind is the first of them; of MLflow as a database, or as meta.yaml and
// the lines of a metric. A second byte of 0 gives event files and those of W&B, whose checksums no mutation finds,
// right ones.
#include <zlib.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/fuzz/shared_folder.h"
#include "tests/trackers/any_file.h"
#include "tests/trackers/event_files.h"

namespace {

using namespace batchwise;

// A record in blocks of 32 KiB, behind the 7 bytes that the file begins with.
std::string wandbFile(std::string content) {
  std::string file("\x3AW&B\xE1\xBE\0", 7);
  content.resize(std::min<std::size_t>(content.size(), 32'000));
  content.insert(0, 1, '\1');
  const auto sum = ::crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
  test::appendNumber(file, static_cast<std::uint32_t>(sum));
  test::appendNumber(file, static_cast<std::uint16_t>(content.size() - 1));
  return file + content;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::SharedFolder folder("trackers-fuzz");
  if (size < 2) return 0;
  const auto kind = static_cast<RunSourceKind>(data[0] % 8);
  std::string bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (data[1] == 0 && kind == RunSourceKind::TensorBoard) bytes = test::recordOf(bytes);
  if (data[1] == 0 && kind == RunSourceKind::Wandb) bytes = wandbFile(bytes);
  auto file = folder.path() / "log";
  if (kind == RunSourceKind::TrainerState) file += ".json";
  if (data[1] == 0 && kind == RunSourceKind::Mlflow) {
    file = folder.path() / kMlflowMeta;
    std::filesystem::create_directories(folder.path() / "metrics");
    std::ofstream(folder.path() / "metrics" / "loss", std::ios::binary) << bytes;
  }
  std::ofstream(file, std::ios::binary) << bytes;
  (void)test::readsAnyFile(kind, file);
  return 0;
}
