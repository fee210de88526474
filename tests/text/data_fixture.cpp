// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/text/data_fixture.h"

#include <zlib.h>
#include <zstd.h>

#include <fstream>
#include <memory>
#include <stdexcept>

namespace batchwise::test {

std::filesystem::path writeText(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << content;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.native());
  return path;
}

std::string gzip(std::string_view content) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib does not start");
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib does not finish");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(std::string_view content, int windowBits) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&::ZSTD_freeCCtx)> context(::ZSTD_createCCtx(), &::ZSTD_freeCCtx);
  ::ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, windowBits);
  std::string packed(::ZSTD_compressBound(content.size()), '\0');
  ZSTD_inBuffer input{content.data(), content.size(), 0};
  ZSTD_outBuffer output{packed.data(), packed.size(), 0};
  ::ZSTD_compressStream2(context.get(), &output, &input, ZSTD_e_flush);  // of unknown size, so with the whole window
  if (::ZSTD_compressStream2(context.get(), &output, &input, ZSTD_e_end) != 0)
    throw std::runtime_error("zstd does not finish");
  packed.resize(output.pos);
  return packed;
}

Vocabulary smallVocabulary(const std::vector<std::string>& pieces) {
  std::vector<std::string> tokens{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  tokens.insert(tokens.end(), pieces.begin(), pieces.end());
  return Vocabulary::fromTokens(std::move(tokens)).value();
}

}  // namespace batchwise::test
