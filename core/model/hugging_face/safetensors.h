// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace batchwise {

/// Element types that can be read.
enum class TensorType { F64, F32, F16, BF16, I64 };

inline constexpr std::size_t kMostDimensions = 16;

/// Returns a name from a file for a message: at most 200 bytes of it.
std::string shortenedName(const std::string& name);

/// Returns the size of an element.
std::int64_t tensorTypeBytes(TensorType type);

/// A tensor in a file of weights; little-endian.
struct TensorInfo {
  std::string name;
  TensorType type = TensorType::F32;
  std::vector<std::int64_t> shape;
  std::int64_t firstByte = 0;         ///< in a safetensors file relative to the data section
  std::int64_t bytes = 0;             ///< of its elements
  std::vector<std::int64_t> strides;  ///< in elements; empty: row-major

  std::int64_t count() const { return bytes / tensorTypeBytes(type); }
};

/// Parses and validates the header of a safetensors file. Requires: header of at most 100 MB, JSON nested at most 3
/// deep, unique names, known types, sizes without overflow, offsets that cover the data section without gap or overlap,
/// metadata values of type string. Returns tensors in byte order. Fails with Corrupt, or Unsupported for other types.
/// Safe for arbitrary bytes. Source: "Safetensors", Hugging Face 2022, section Format.
struct SafetensorsHeader {
  std::vector<TensorInfo> tensors;
  std::map<std::string, std::string> metadata;
  std::int64_t dataStart = 0;  ///< offset of the data section in the file
};
Result<SafetensorsHeader> parseSafetensors(std::span<const std::byte> file);

/// A tensor to write. `bytes` must stay valid until it is written.
struct TensorBytes {
  std::string name;
  TensorType type = TensorType::F32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

/// Atomically replaces `path` by a safetensors file with the tensors in the given order and the metadata {"format":
/// "pt", "writer": "batchwise"}. Fails with Io or DiskFull.
Result<void> writeSafetensors(const std::filesystem::path& path, std::span<const TensorBytes> tensors);

/// Returns whether writeSafetensors() wrote the file; false if it is missing or unreadable.
bool isOwnSafetensors(const std::filesystem::path& path);

/// Parses a file of torch.save() that holds a dictionary of names and tensors: pytorch_model.bin, as a zip file or in
/// the format before PyTorch 1.6. Its pickle can only build numbers, texts, lists, dictionaries and tensors here;
/// nothing is called. Returns the tensors with `firstByte` counted from the start of the file; their elements lie
/// inside of it, and are no more than those of their storage. Fails with Unsupported, naming it, if the pickle asks for
/// anything else or a value is no tensor of a type that can be read; with Corrupt otherwise. Safe for arbitrary bytes.
/// LibTorch's own reader is not used: it refuses a state_dict() (an OrderedDict) and the older format.
Result<std::vector<TensorInfo>> parseTorchFile(std::span<const std::byte> file);

}  // namespace batchwise
