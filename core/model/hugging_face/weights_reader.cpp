// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/hugging_face/weights_reader.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/mapped_file.h"
#include "core/model/hugging_face/safetensors.h"
#include "core/text/tokenizer.h"

namespace batchwise {
namespace {

constexpr JsonLimits kIndexLimits{.depth = 3};

float halfToFloat(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1F;
  const int fraction = half & 0x3FF;
  const float sign = (half & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 0x1F) return fraction == 0 ? sign * std::numeric_limits<float>::infinity() : std::nanf("");
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

float numberAt(const std::byte* bytes, TensorType type, std::int64_t i) {
  const auto read = [bytes, i](auto value) {
    std::memcpy(&value, bytes + i * static_cast<std::int64_t>(sizeof value), sizeof value);
    return value;
  };
  switch (type) {
    case TensorType::F64: return static_cast<float>(read(double{}));
    case TensorType::F32: return read(float{});
    case TensorType::F16: return halfToFloat(read(std::uint16_t{}));
    case TensorType::BF16: return std::bit_cast<float>(static_cast<std::uint32_t>(read(std::uint16_t{})) << 16);
    case TensorType::I64: return static_cast<float>(read(std::int64_t{}));
  }
  return 0;
}

/// Returns the elements of a tensor, which starts at `bytes`, in the order of its rows.
std::vector<float> floatsAt(const std::byte* bytes, const TensorInfo& info) {
  std::vector<float> values(static_cast<std::size_t>(info.count()));
  std::vector<std::int64_t> at(info.strides.size());
  std::int64_t place = 0;
  for (float& value : values) {
    value = numberAt(bytes, info.type, place);
    if (at.empty()) ++place;
    for (std::size_t d = at.size(); d-- > 0;) {
      place += info.strides[d];
      if (++at[d] < info.shape[d]) break;
      place -= info.strides[d] * info.shape[d];
      at[d] = 0;
    }
  }
  return values;
}

/// Returns the tensors of a file, with `firstByte` from its start.
Result<std::vector<TensorInfo>> tensorsOf(const std::filesystem::path& path, std::span<const std::byte> file) {
  RETURN_IF_ERROR(checkFetched(path, {reinterpret_cast<const char*>(file.data()), file.size()}));
  if (path.extension() == ".bin") return parseTorchFile(file);
  ASSIGN_OR_RETURN(auto header, parseSafetensors(file));
  for (TensorInfo& tensor : header.tensors) tensor.firstByte += header.dataStart;
  return std::move(header.tensors);
}

/// Returns whether there is certainly no such file. One that cannot be examined counts as present: opening it tells
/// why.
bool isMissing(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found;
}

/// Returns the file names in an index. Rejects paths, so that an index cannot refer to files outside its folder.
Result<std::set<std::string>> shardNames(const std::filesystem::path& index) {
  ASSIGN_OR_RETURN(auto text, readFile(index, static_cast<std::int64_t>(kIndexLimits.bytes)));
  const auto parsed = parseStrictJson(text, kIndexLimits);
  if (!parsed) return Error::corrupt(parsed.error().message).within(index.string());
  const auto map = parsed->find("weight_map");
  if (map == parsed->end() || !map->is_object() || map->empty())
    return Error::corrupt("the index has no usable weight_map").within(index.string());
  std::set<std::string> names;
  for (const auto& [tensor, file] : map->items()) {
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos)
      return Error::corrupt(
                 formatText("the index maps tensor \"{}\" to {}, which is not the name of a file in its folder",
                            shortenedName(tensor), shortenedName(jsonText(file))))
          .within(index.string());
    names.insert(name);
  }
  return names;
}

/// Returns the files with the weights of a folder.
Result<std::vector<std::filesystem::path>> weightFiles(const std::filesystem::path& folder) {
  for (const char* name : {"model.safetensors", "pytorch_model.bin"}) {
    if (!isMissing(folder / name)) return std::vector{folder / name};
    const auto index = folder / (std::string(name) + ".index.json");
    if (isMissing(index)) continue;
    ASSIGN_OR_RETURN(const auto names, shardNames(index));
    std::vector<std::filesystem::path> files;
    for (const std::string& shard : names) files.push_back(folder / shard);
    return files;
  }
  return Error::notFound(
      formatText("the folder '{}' holds no model.safetensors and no pytorch_model.bin", folder.native()));
}

}  // namespace

struct WeightsReader::State {
  std::vector<MappedFile> files;
  std::vector<std::filesystem::path> paths;  // parallel to files
  std::vector<TensorInfo> tensors;
  std::vector<std::size_t> fileOf;  // parallel to tensors

  /// Adds the tensors of one file. Fails with Corrupt if a name occurs twice.
  Result<void> add(const std::filesystem::path& path) {
    ASSIGN_OR_RETURN(auto file, MappedFile::open(path));
    auto placed = tensorsOf(path, file.bytes());
    RETURN_IF_ERROR(file.intact());
    if (!placed) return placed.error().within(path.string());
    for (TensorInfo& tensor : *placed) {
      if (!names.insert(tensor.name).second)
        return Error::corrupt(formatText("tensor \"{}\" is in two files", shortenedName(tensor.name)))
            .within(path.string());
      fileOf.push_back(files.size());
      tensors.push_back(std::move(tensor));
    }
    files.push_back(std::move(file));
    paths.push_back(path);
    return {};
  }

  std::set<std::string> names;
};

WeightsReader::WeightsReader(std::shared_ptr<const State> state) : state_(std::move(state)) {}

Result<WeightsReader> WeightsReader::open(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> files = {path};
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    ASSIGN_OR_RETURN(files, weightFiles(modelFolder(path).transformer));
  }
  auto state = std::make_shared<State>();
  for (const auto& file : files) RETURN_IF_ERROR(state->add(file));
  return WeightsReader(std::move(state));
}

const std::vector<TensorInfo>& WeightsReader::tensors() const {
  return state_->tensors;
}

Result<std::vector<float>> WeightsReader::readFloats(std::size_t index) const {
  const TensorInfo& info = state_->tensors.at(index);
  const std::size_t file = state_->fileOf[index];
  const std::vector<float> values = floatsAt(state_->files[file].bytes().data() + info.firstByte, info);
  RETURN_IF_ERROR(state_->files[file].intact());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      return Error{ErrorCode::NonFinite, formatText("number {} of tensor \"{}\" is not finite in fp32", i, info.name),
                   state_->paths[file].string()};
  }
  return values;
}

}  // namespace batchwise
