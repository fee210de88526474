// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as a packed text, of gzip and of Zstandard; as the packed part of one of gzip, in a frame that is right; and
// packed, which gives them back.
#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "core/text/text_source.h"
#include "tests/fuzz/shared_folder.h"

namespace {

using namespace batchwise;

constexpr std::size_t kMostUnpacked = 256U << 10U;

std::optional<std::string> unpacked(const std::filesystem::path& file, std::size_t piece) {
  const auto source = openByteSource(file);
  if (!source.ok()) return std::nullopt;
  std::string all, buffer(piece, '\0');
  while (true) {
    const auto size = (*source)->read(std::span(buffer));
    if (!size.ok()) return std::nullopt;
    if (*size > buffer.size()) std::abort();
    if (*size == 0) return all;
    all.append(buffer, 0, *size);
  }
}

// What the file holds when it is read in large and in small pieces; nothing if it is damaged, both times.
std::optional<std::string> read(const std::string& bytes, const char* name = "text.gz") {
  static const fuzz::SharedFolder folder("gzip-fuzz");
  const auto file = folder.path() / name;
  std::ofstream(file, std::ios::binary) << bytes;
  const auto whole = unpacked(file, 1U << 16U);
  if (unpacked(file, 977) != whole) std::abort();
  const auto skipping = openByteSource(file);
  if (skipping.ok() && (*skipping)->skip(whole ? static_cast<std::int64_t>(whole->size()) : 10).ok() && whole) {
    char after = 0;
    const auto end = (*skipping)->read(std::span(&after, 1));
    if (!end.ok() || *end != 0) std::abort();
  }
  for (const TextFormat format : {TextFormat::Text, TextFormat::Lines, TextFormat::Jsonl, TextFormat::Csv}) {
    auto reader = DocumentReader::open(file, format);
    std::string document;
    while (reader.ok()) {
      const auto more = reader->next(document);
      if (!more.ok() || !*more) break;
      if (document.empty()) std::abort();
    }
  }
  return whole;
}

std::string numberText(std::uint32_t number) {
  std::string text;
  for (int shift = 0; shift < 32; shift += 8) text.push_back(static_cast<char>(number >> shift & 255U));
  return text;
}

// What zlib itself makes of a raw stream; nothing if it is damaged or long.
std::optional<std::string> inflated(const std::string& raw) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) std::abort();
  std::string all(kMostUnpacked, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(raw.data()));
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = reinterpret_cast<Bytef*>(all.data());
  stream.avail_out = static_cast<uInt>(all.size());
  const bool ended = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0;
  all.resize(stream.total_out);
  inflateEnd(&stream);
  return ended ? std::optional(all) : std::nullopt;
}

std::uint32_t crcOf(const std::string& text) {
  return static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

std::string framed(const std::string& raw, const std::string& text) {
  return std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10) + raw + numberText(crcOf(text)) +
         numberText(static_cast<std::uint32_t>(text.size()));
}

std::string packed(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, 1, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
  std::string raw(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(raw.data());
  stream.avail_out = static_cast<uInt>(raw.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
  raw.resize(stream.total_out);
  deflateEnd(&stream);
  return framed(raw, text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  read(bytes, "text.zst");
  if (const auto text = inflated(bytes)) {
    const std::string file = framed(bytes, *text);
    if (read(file) != text) std::abort();
    if (read(file + file) != *text + *text) std::abort();
  }
  if (read(packed(bytes)) != bytes) std::abort();
  return 0;
}
