// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// Number formats that are read; fp32 is what is written unless the caller gives other bytes.
enum class TensorType { F64, F32, F16, BF16, I64 };

/// "F32" and so on, as in the file.
std::string tensorTypeName(TensorType type);
std::int64_t tensorTypeBytes(TensorType type);

/// One tensor of a safetensors file: row-major, little-endian.
struct TensorInfo {
  std::string name;
  TensorType type = TensorType::F32;
  std::vector<std::int64_t> shape;
  std::int64_t firstByte = 0;  ///< in the data part
  std::int64_t bytes = 0;

  std::int64_t count() const { return bytes / tensorTypeBytes(type); }
};

/// Checks the header of a safetensors file: `file` is the whole file. Accepts only what is complete and unambiguous:
/// header of at most 100 MB, JSON objects nested at most 3 deep, names once each, known types, sizes without overflow,
/// offsets that cover the data part without gap or overlap, metadata of texts only. Returns the tensors in the order of
/// their bytes. Fails with Corrupt, or Unsupported for a type that is not read. Safe for any bytes. Format:
/// "Safetensors", Hugging Face 2022, section Format.
struct SafetensorsHeader {
  std::vector<TensorInfo> tensors;
  std::map<std::string, std::string> metadata;
  std::int64_t dataStart = 0;  ///< of the data part in the file
};
Result<SafetensorsHeader> parseSafetensors(std::span<const std::byte> file);

/// Tensors of one file, or of the files that a model.safetensors.index.json names; mapped, read when asked for.
/// Immutable; any thread may read.
class SafetensorsReader {
 public:
  /// `path`: a file, or a folder with model.safetensors or an index. Fails with NotFound, Io, Corrupt, Unsupported.
  static Result<SafetensorsReader> open(const std::filesystem::path& path);

  const std::vector<TensorInfo>& tensors() const;
  /// The numbers of tensor `index` as fp32. Fails with NonFinite if one of them is not finite, or overflows fp32.
  Result<std::vector<float>> readFloats(std::size_t index) const;

 private:
  struct State;
  explicit SafetensorsReader(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

/// A tensor to be written. `bytes` must stay valid until it is written.
struct TensorBytes {
  std::string name;
  TensorType type = TensorType::F32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

/// Replaces `path` by a safetensors file with the tensors in the given order and the metadata {"format": "pt",
/// "writer": "batchwise"}. Written beside, synced, renamed. Fails with Io or DiskFull.
Result<void> writeSafetensors(const std::filesystem::path& path, std::span<const TensorBytes> tensors);

/// Whether writeSafetensors() made the file. False for one that is not there or cannot be read.
bool isOwnSafetensors(const std::filesystem::path& path);

}  // namespace batchwise
