// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/hugging_face/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/file.h"
#include "core/base/format.h"
#include "core/base/json.h"
#include "core/base/mapped_file.h"
#include "core/base/text.h"

namespace batchwise {
namespace {

constexpr std::int64_t kLengthBytes = 8;
constexpr std::int64_t kLargestHeader = 100'000'000;
constexpr JsonLimits kHeaderLimits{.depth = 3, .bytes = 100U << 20};
constexpr const char* kWriter = "writer";  // metadata key: the program that wrote the file
constexpr const char* kWriterName = "batchwise";

static_assert(std::endian::native == std::endian::little);  // like the files

Error damaged(const std::string& what) {
  return Error::corrupt(formatText("not a valid safetensors file: {}", what));
}

/// Adds the position in the file to an error.
Error atByte(std::int64_t byte, const Error& error) {
  return error.within(formatText("byte {}", byte));
}

/// Describes a header value for messages, without long content.
std::string describe(const nlohmann::json& value) {
  constexpr std::size_t kLongest = 60;
  if (value.is_string() && value.get_ref<const std::string&>().size() > kLongest) return kTextNoun;
  if (value.is_structured()) return value.is_array() ? kListNoun : kObjectNoun;
  return value.dump();
}

struct TypeName {
  const char* name;
  std::int64_t bytes;
};
/// In the order of TensorType.
constexpr TypeName kTypes[] = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8}};

const TypeName& typeRow(TensorType type) {
  return kTypes[static_cast<std::size_t>(type)];
}

/// Returns a JSON value as a count, 0 to 2^63 - 1.
std::optional<std::int64_t> asCount(const nlohmann::json& value) {
  const auto count = wholeNumberFromJson(value);
  return count && *count >= 0 ? count : std::nullopt;
}

/// Returns the size of a tensor in bytes; nothing on overflow.
std::optional<std::int64_t> bytesOf(const std::vector<std::int64_t>& shape, TensorType type) {
  std::int64_t bytes = tensorTypeBytes(type);
  for (const std::int64_t size : shape)
    if (__builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
  return bytes;
}

Result<TensorType> typeOf(const std::string& tensor, const nlohmann::json& value) {
  if (!value.is_string()) return damaged(formatText("tensor \"{}\" has no dtype", tensor));
  const auto* row = std::ranges::find(kTypes, value.get<std::string>(), &TypeName::name);
  if (row != std::end(kTypes)) return static_cast<TensorType>(row - kTypes);
  return Error::unsupported(
      formatText("tensor \"{}\" has dtype {}: only F64, F32, F16, BF16 and I64 can be read", tensor, describe(value)));
}

Result<TensorInfo> parseTensor(const std::string& tensor, const nlohmann::json& entry) {
  const std::string name = shortenedName(tensor);
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") || !entry.contains("shape") ||
      !entry.contains("data_offsets"))
    return damaged(formatText("tensor \"{}\" must have exactly dtype, shape and data_offsets", name));
  TensorInfo info;
  info.name = tensor;
  ASSIGN_OR_RETURN(info.type, typeOf(name, entry["dtype"]));
  if (!entry["shape"].is_array() || entry["shape"].size() > kMostDimensions)
    return damaged(formatText("the shape of tensor \"{}\" is not a list of at most 16 sizes", name));
  for (const auto& size : entry["shape"]) {
    const auto count = asCount(size);
    if (!count)
      return damaged(formatText("the shape of tensor \"{}\" holds the invalid size {}", name, describe(size)));
    info.shape.push_back(*count);
  }
  const auto& offsets = entry["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2)
    return damaged(formatText("tensor \"{}\" needs two data_offsets", name));
  const auto first = asCount(offsets[0]);
  const auto last = asCount(offsets[1]);
  if (!first || !last || *last < *first)
    return damaged(formatText("the data_offsets of tensor \"{}\" are not a range", name));
  const auto bytes = bytesOf(info.shape, info.type);
  if (!bytes || *bytes != *last - *first)
    return damaged(
        formatText("tensor \"{}\" takes {} bytes, which is not what its shape and dtype need", name, *last - *first));
  info.firstByte = *first;
  info.bytes = *bytes;
  return info;
}

Result<void> parseMetadata(const nlohmann::json& entry, std::map<std::string, std::string>& metadata) {
  if (!entry.is_object()) return damaged("__metadata__ is not an object");
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_string()) return damaged(formatText("__metadata__ \"{}\" is not a string", shortenedName(key)));
    metadata[key] = value.get<std::string>();
  }
  return {};
}

/// Sorts the tensors by position and checks that they cover the data without gaps or overlap.
Result<void> checkCoverage(std::vector<TensorInfo>& tensors, std::int64_t dataStart, std::int64_t fileBytes) {
  const std::int64_t dataBytes = fileBytes - dataStart;
  std::stable_sort(tensors.begin(), tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::pair(a.firstByte, a.bytes) < std::pair(b.firstByte, b.bytes);
  });
  std::int64_t next = 0;
  for (const TensorInfo& tensor : tensors) {
    if (tensor.firstByte != next)
      return atByte(dataStart + next,
                    damaged(formatText("tensor \"{}\" begins at byte {} of the data, where byte {} is due",
                                       shortenedName(tensor.name), tensor.firstByte, next)));
    if (tensor.bytes > dataBytes - next)
      return atByte(fileBytes, damaged(formatText("tensor \"{}\" ends beyond the file: it is cut off or damaged",
                                                  shortenedName(tensor.name))));
    next += tensor.bytes;
  }
  if (next != dataBytes)
    return atByte(dataStart + next, damaged(formatText("{} bytes at its end belong to no tensor", dataBytes - next)));
  return {};
}

/// Returns the position of `name` in the header; its start if the name is escaped differently there.
std::int64_t headerPositionOf(const std::string& name, std::string_view header) {
  const std::size_t place = header.find(nlohmann::json(name).dump());
  return kLengthBytes + (place == std::string_view::npos ? 0 : static_cast<std::int64_t>(place));
}

}  // namespace

std::string shortenedName(const std::string& name) {
  std::size_t end = 200;
  if (name.size() <= end) return name;
  while (end > 0 && isUtf8Continuation(name[end])) --end;
  return name.substr(0, end) + " ...";
}

std::int64_t tensorTypeBytes(TensorType type) {
  return typeRow(type).bytes;
}

Result<SafetensorsHeader> parseSafetensors(std::span<const std::byte> file) {
  const auto size = static_cast<std::int64_t>(file.size());
  if (size < kLengthBytes)
    return atByte(size, damaged(formatText("it has {} bytes, fewer than the length of a header", size)));
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  if (length > static_cast<std::uint64_t>(kLargestHeader))
    return atByte(0, damaged(formatText("its header would take {} bytes; at most 100 MB are allowed", length)));
  const auto headerBytes = static_cast<std::int64_t>(length);
  if (headerBytes > size - kLengthBytes)
    return atByte(size, damaged("its header ends beyond the file: it is cut off or damaged"));
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + kLengthBytes,
                              static_cast<std::size_t>(headerBytes));
  if (text.empty() || text.front() != '{') return atByte(kLengthBytes, damaged("its header does not begin with {"));
  auto parsed = parseStrictJson(text, kHeaderLimits);
  if (!parsed) return atByte(kLengthBytes, damaged(shortenedName(parsed.error().message)));

  SafetensorsHeader header;
  header.dataStart = kLengthBytes + headerBytes;
  for (const auto& [name, entry] : parsed->items()) {
    if (name == "__metadata__") {
      if (auto read = parseMetadata(entry, header.metadata); !read)
        return atByte(headerPositionOf(name, text), read.error());
      continue;
    }
    auto tensor = parseTensor(name, entry);
    if (!tensor) return atByte(headerPositionOf(name, text), tensor.error());
    header.tensors.push_back(std::move(*tensor));
  }
  RETURN_IF_ERROR(checkCoverage(header.tensors, header.dataStart, size));
  return header;
}

Result<void> writeSafetensors(const std::filesystem::path& path, std::span<const TensorBytes> tensors) {
  nlohmann::ordered_json header = {{"__metadata__", {{"format", "pt"}, {kWriter, kWriterName}}}};
  std::int64_t next = 0;
  for (const TensorBytes& tensor : tensors) {
    const auto size = static_cast<std::int64_t>(tensor.bytes.size());
    if (bytesOf(tensor.shape, tensor.type) != size || header.contains(tensor.name))
      return Error::internal(formatText(
          "tensor \"{}\" cannot be written: its bytes do not fit its shape, or its name appears twice", tensor.name));
    header[tensor.name] = {
        {"dtype", typeRow(tensor.type).name}, {"shape", tensor.shape}, {"data_offsets", {next, next + size}}};
    next += size;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // align tensors to 8 bytes
  return replaceFile(path, [&](const FileSink& sink) -> Result<void> {
    const std::uint64_t length = text.size();
    RETURN_IF_ERROR(sink(std::as_bytes(std::span(&length, 1))));
    RETURN_IF_ERROR(sink(std::as_bytes(std::span(text))));
    for (const TensorBytes& tensor : tensors) RETURN_IF_ERROR(sink(tensor.bytes));
    return {};
  });
}

bool isOwnSafetensors(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  if (!file.ok()) return false;
  const auto header = parseSafetensors(file->bytes());
  if (!header.ok()) return false;
  const auto writer = header->metadata.find(kWriter);
  return writer != header->metadata.end() && writer->second == kWriterName;
}

}  // namespace batchwise
