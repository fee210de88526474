// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/model/hugging_face/safetensors.h"
#include "core/model/hugging_face/weights_reader.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

// Files as torch.save() writes them, by hand; parity_folders_test reads real ones.

namespace batchwise {
namespace {

using testing::HasSubstr;
using Sizes = std::vector<std::int32_t>;

std::string bytesOf(const auto& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::string text(const std::string& value) {
  return "X" + bytesOf(static_cast<std::uint32_t>(value.size())) + value;
}
std::string number(std::int32_t value) {
  return "J" + bytesOf(value);
}
std::string tuple(const Sizes& sizes) {
  std::string all = "(";
  for (const std::int32_t size : sizes) all += number(size);
  return all + "t";
}
std::string storage(const char* type, const char* key, std::int32_t count) {
  return "(" + text("storage") + "ctorch\n" + type + "\n" + text(key) + text("cpu") + number(count) + "tQ";
}
std::string tensor(const std::string& storage, std::int32_t offset, const Sizes& shape, const Sizes& strides) {
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + number(offset) + tuple(shape) + tuple(strides) +
         "\x89"
         "ccollections\nOrderedDict\n)RtR";
}
/// `entries`: names and values. As of state_dict(), with its attribute of versions.
std::string pickle(const std::string& entries) {
  return "\x80\x02"
         "ccollections\nOrderedDict\n)R(" +
         entries + "u}" + text("_metadata") + "}sb.";
}

struct Part {
  std::string name, bytes;
  std::uint16_t method = 0;
};

std::string zip(const std::vector<Part>& parts) {
  std::string file, directory;
  for (const auto& [name, bytes, method] : parts) {
    const auto first = static_cast<std::uint32_t>(file.size());
    const auto size = static_cast<std::uint32_t>(bytes.size());
    const auto nameSize = static_cast<std::uint16_t>(name.size());
    const std::string sizes = bytesOf(size) + bytesOf(size) + bytesOf(nameSize);
    file += std::string("PK\3\4") + std::string(4, '\0') + bytesOf(method) + std::string(8, '\0') + sizes +
            std::string(2, '\0') + name + bytes;
    directory += std::string("PK\1\2") + std::string(6, '\0') + bytesOf(method) + std::string(8, '\0') + sizes +
                 std::string(12, '\0') + bytesOf(first) + name;
  }
  const auto place = static_cast<std::uint32_t>(file.size());
  return file + directory + "PK\5\6" + std::string(8, '\0') + bytesOf(static_cast<std::uint32_t>(directory.size())) +
         bytesOf(place) + std::string(2, '\0');
}
std::string zip(const std::string& pickled, const std::string& data = std::string(24, '\1')) {
  return zip({{"m/data.pkl", pickled}, {"m/data/0", data}});
}

std::string old(const std::string& pickled, std::int64_t count, const std::string& data) {
  const std::string magic("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  return magic + "\x80\x02M\xe9\x03." + "\x80\x02}." + pickled + "\x80\x02]" + text("0") + "a." + bytesOf(count) + data;
}

Result<std::vector<TensorInfo>> parseTorch(const std::string& file) {
  return parseTorchFile(std::as_bytes(std::span(file)));
}

const std::vector<float> kSix = {1, 2, 3, 4, 5, 6};
const std::string kData(reinterpret_cast<const char*>(kSix.data()), 24);
/// Two tensors of one storage: whole and transposed, and the end of it as a parameter.
const std::string kEntries = text("a") + tensor(storage("FloatStorage", "0", 6), 0, {3, 2}, {1, 3}) + text("b") +
                             "ctorch._utils\n_rebuild_parameter\n(" +
                             tensor(storage("FloatStorage", "0", 6), 4, {2}, {1}) + "\x88}tR";

TEST(TorchFileTest, ReadsBothFormatsWithStridesAndSharedStorages) {
  const test::TempFolder folder;
  for (const std::string& file : {zip(pickle(kEntries), kData), old(pickle(kEntries), 6, kData)}) {
    ASSERT_TRUE(writeFileAtomically(folder / "pytorch_model.bin", file).ok());
    const auto reader = test::checked(WeightsReader::open(folder.path()));
    ASSERT_EQ(reader->tensors().size(), 2U);
    EXPECT_EQ(reader->tensors()[0].shape, (std::vector<std::int64_t>{3, 2}));
    EXPECT_EQ(*reader->readFloats(0), (std::vector<float>{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(reader->tensors()[1].name, "b");
    EXPECT_EQ(*reader->readFloats(1), (std::vector<float>{5, 6}));
  }
}

TEST(TorchFileTest, RefusesWhatIsNoTensorAndNamesIt) {
  const std::string one = tensor(storage("FloatStorage", "0", 6), 0, {6}, {1});
  const auto of = [](const std::string& value) { return zip(pickle(text("w") + value)); };
  const auto shaped = [&](std::int32_t offset, const Sizes& shape, const Sizes& strides) {
    return of(tensor(storage("FloatStorage", "0", 6), offset, shape, strides));
  };
  const struct {
    std::string file;
    const char* says;
    ErrorCode code = ErrorCode::Corrupt;
  } kCases[] = {{of("cposix\nsystem\n(" + text("touch x") + "tR"), "'posix.system'", ErrorCode::Unsupported},
                {of("cbuiltins\neval\n(" + text("1") + "tR"), "'builtins.eval'", ErrorCode::Unsupported},
                {of("cmodels\nBert\n)\x81"), "'models.Bert'", ErrorCode::Unsupported},
                {of(tensor(storage("IntStorage", "0", 6), 0, {6}, {1})), "torch.IntStorage", ErrorCode::Unsupported},
                {of(number(3)), "entry \"w\" is no tensor", ErrorCode::Unsupported},
                {zip(pickle(text("lr") + std::string("G?\xb9\x99\x99\x99\x99\x99\x9a"))), "\"lr\" is no tensor",
                 ErrorCode::Unsupported},
                {zip("\x80\x02]."), "no dictionary", ErrorCode::Unsupported},
                {zip(pickle(text("w") + one + text("w") + one)), "tensor \"w\" twice"},
                {shaped(0, {7}, {1}), "tensor \"w\" reaches beyond"},
                {shaped(1, {6}, {1}), "reaches beyond"},
                {shaped(-1, {1}, {1}), "reaches beyond"},
                {shaped(0, {2}, {-1}), "reaches beyond"},
                {shaped(0, {1000000}, {0}), "reaches beyond"},
                {shaped(0, {2147483647, 2147483647, 2147483647}, {0, 0, 0}), "reaches beyond"},
                {shaped(0, {2, 2}, {1}), "no valid shape"},
                {of(tensor(storage("FloatStorage", "0", 7), 0, {6}, {1})), "larger than its data"},
                {of(tensor(storage("DoubleStorage", "0", 6), 0, {6}, {1})), "larger than its data"},
                {of(tensor(storage("FloatStorage", "1", 6), 0, {6}, {1})), "data of tensor \"w\" is missing"},
                {zip({{"m/data.pkl", pickle(text("w") + one)}, {"m/data/0", kData, 8}}), "'m/data/0' is compressed"},
                {zip({{"m/other", "x"}}), "no part data.pkl"},
                {zip("\x80\x04}."), "pickle has protocol 4", ErrorCode::Unsupported},
                {zip("\x80\x02(((."), "pickle is cut off or damaged"},
                {zip("\x80\x02]q\1h\1ah\1."), "no dictionary", ErrorCode::Unsupported},  // a list that holds itself
                {zip("\x80\x02j\1\2\3\4."), "pickle is cut off or damaged"},
                {zip("\x80\x02X\xff\xff\xff\xff."), "pickle is cut off or damaged"},
                {old(pickle(kEntries), 7, kData), "data ends beyond the file"},
                {old(pickle(kEntries), std::int64_t{1} << 62, kData), "data ends beyond the file"},
                {"version https://git-lfs.github.com/spec/v1\n", "fetch it with git lfs pull", ErrorCode::Config},
                {"", "does not begin as one"}};
  const test::TempFolder folder;
  for (const auto& [file, says, code] : kCases) {
    ASSERT_TRUE(writeFileAtomically(folder / "pytorch_model.bin", file).ok());
    const auto refused = WeightsReader::open(folder.path());
    ASSERT_FALSE(refused.ok()) << says;
    EXPECT_EQ(refused.error().code, code) << refused.error().text();
    EXPECT_THAT(refused.error().text(), HasSubstr(says));
    EXPECT_THAT(refused.error().text(), HasSubstr("pytorch_model.bin"));
  }
}

TEST(TorchFileTest, WhatIsLeftOfADamagedFileLiesInsideOfIt) {
  for (const std::string& whole : {zip(pickle(kEntries), kData), old(pickle(kEntries), 6, kData)}) {
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_FALSE(parseTorch(whole.substr(0, size)).ok()) << size;
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string file = whole;
      for (int bit = 0; bit < 8; ++bit) {
        file[at] = static_cast<char>(whole[at] ^ (1 << bit));
        const auto tensors = parseTorch(file);
        if (!tensors.ok()) continue;
        for (const TensorInfo& each : *tensors) EXPECT_LE(each.firstByte + each.bytes, std::ssize(file));
      }
    }
  }
}

TEST(TorchFileTest, ShardsAreReadAndSafetensorsArePreferred) {
  const test::TempFolder folder;
  const auto one = [](const char* name) {
    return zip(pickle(text(name) + tensor(storage("FloatStorage", "0", 6), 0, {6}, {1})), kData);
  };
  ASSERT_TRUE(writeFileAtomically(folder / "p-1.bin", one("a")).ok());
  ASSERT_TRUE(writeFileAtomically(folder / "p-2.bin", one("b")).ok());
  ASSERT_TRUE(
      writeFileAtomically(folder / "pytorch_model.bin.index.json", R"({"weight_map":{"a":"p-1.bin","b":"p-2.bin"}})")
          .ok());
  EXPECT_EQ(test::checked(WeightsReader::open(folder.path()))->tensors().size(), 2U);
  ASSERT_TRUE(writeFileAtomically(folder / "pytorch_model.bin", one("c")).ok());
  EXPECT_EQ(test::checked(WeightsReader::open(folder.path()))->tensors().at(0).name, "c");
  const std::vector<TensorBytes> safe = {{"d", TensorType::F32, {6}, std::as_bytes(std::span(kSix))}};
  ASSERT_TRUE(writeSafetensors(folder / "model.safetensors", safe).ok());
  EXPECT_EQ(test::checked(WeightsReader::open(folder.path()))->tensors().at(0).name, "d");
}

}  // namespace
}  // namespace batchwise
