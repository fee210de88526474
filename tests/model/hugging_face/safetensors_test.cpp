// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/hugging_face/safetensors.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/random.h"
#include "core/model/hugging_face/weights_reader.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"

namespace batchwise {
namespace {

/// A file with this header and data; `claimed` is the length written before the header.
std::string fileOf(const std::string& header, std::size_t dataBytes, std::uint64_t claimed) {
  std::string file(8, '\0');
  std::memcpy(file.data(), &claimed, 8);
  return file + header + std::string(dataBytes, '\1');
}
std::string fileOf(const std::string& header, std::size_t dataBytes) {
  return fileOf(header, dataBytes, header.size());
}

Result<SafetensorsHeader> parse(const std::string& file) {
  return parseSafetensors(std::as_bytes(std::span(file)));
}

const std::string kGood = R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}})";

TEST(SafetensorsTest, ReadsWhatTheFormatAllows) {
  const std::string two = R"({"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[2],"data_offsets":[4,8]},)"
                          R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}   )";
  const auto header = test::checked(parse(fileOf(two, 8)));
  ASSERT_EQ(header->tensors.size(), 2U);
  EXPECT_EQ(header->tensors[0].name, "a");
  EXPECT_TRUE(header->tensors[0].shape.empty());
  EXPECT_EQ(header->tensors[1].count(), 2);
  EXPECT_EQ(header->metadata.at("format"), "pt");
  EXPECT_TRUE(parse(fileOf("{}", 0)).ok());
  EXPECT_TRUE(parse(fileOf(R"({"a":{"dtype":"F32","shape":[0,7],"data_offsets":[0,0]}})", 0)).ok());
}

struct Hostile {
  const char* name;
  std::string file;
};

std::string tensor(const std::string& fields) {
  return "{\"a\":{" + fields + "}}";
}

std::vector<Hostile> hostileFiles() {
  const std::string maximum = "18446744073709551615";
  return {
      {"empty", ""},
      {"seven bytes", std::string(7, '\0')},
      {"length without header", fileOf("", 0, 0)},
      {"header longer than the file", fileOf(kGood, 24, kGood.size() + 25)},
      {"header of 2^64 - 1 bytes", fileOf(kGood, 24, ~std::uint64_t{0})},
      {"header of 2^63 bytes", fileOf(kGood, 24, std::uint64_t{1} << 63)},
      {"header above 100 MB", fileOf(kGood, 24, 100'000'001)},
      {"header cut short", fileOf(kGood, 24, kGood.size() - 1)},
      {"no JSON", fileOf("hello", 0)},
      {"space before the object", fileOf(" " + kGood, 24)},
      {"byte order mark", fileOf("\xEF\xBB\xBF" + kGood, 24)},
      {"a list", fileOf("[]", 0)},
      {"a number", fileOf("17", 0)},
      {"two objects", fileOf(kGood + "{}", 24)},
      {"nul after the object", fileOf(kGood + std::string(1, '\0'), 24)},
      {"invalid UTF-8 in a name", fileOf("{\"\xFF\xFE\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4)},
      {"unfinished text", fileOf("{\"a", 0)},
      {"trailing comma", fileOf(R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},})", 24)},
      {"comment", fileOf("{/* */}", 0)},
      {"deep lists", fileOf("{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}", 0)},
      {"deep objects", fileOf(R"({"a":{"b":{"c":{"d":1}}}})", 0)},
      {"list in a shape", fileOf(tensor(R"("dtype":"F32","shape":[[2]],"data_offsets":[0,8])"), 8)},
      {"a name twice",
       fileOf(
           R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
           8)},
      {"a field twice", fileOf(tensor(R"("dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4])"), 4)},
      {"metadata twice", fileOf(R"({"__metadata__":{},"__metadata__":{}})", 0)},
      {"metadata as a list", fileOf(R"({"__metadata__":[]})", 0)},
      {"metadata with a number", fileOf(R"({"__metadata__":{"a":1}})", 0)},
      {"metadata with an object", fileOf(R"({"__metadata__":{"a":{}}})", 0)},
      {"tensor is a number", fileOf(R"({"a":1})", 0)},
      {"tensor is empty", fileOf(R"({"a":{}})", 0)},
      {"no dtype", fileOf(tensor(R"("shape":[1],"data_offsets":[0,4])"), 4)},
      {"no shape", fileOf(tensor(R"("dtype":"F32","data_offsets":[0,4])"), 4)},
      {"no offsets", fileOf(tensor(R"("dtype":"F32","shape":[1])"), 4)},
      {"one field too many", fileOf(tensor(R"("dtype":"F32","shape":[1],"data_offsets":[0,4],"x":0)"), 4)},
      {"dtype is a number", fileOf(tensor(R"("dtype":32,"shape":[1],"data_offsets":[0,4])"), 4)},
      {"dtype unknown", fileOf(tensor(R"("dtype":"F8","shape":[1],"data_offsets":[0,1])"), 1)},
      {"dtype in lower case", fileOf(tensor(R"("dtype":"f32","shape":[1],"data_offsets":[0,4])"), 4)},
      {"shape is a number", fileOf(tensor(R"("dtype":"F32","shape":1,"data_offsets":[0,4])"), 4)},
      {"negative size", fileOf(tensor(R"("dtype":"F32","shape":[-1],"data_offsets":[0,4])"), 4)},
      {"size with a fraction", fileOf(tensor(R"("dtype":"F32","shape":[1.5],"data_offsets":[0,6])"), 6)},
      {"size in exponent form", fileOf(tensor(R"("dtype":"F32","shape":[1e0],"data_offsets":[0,4])"), 4)},
      {"size as text", fileOf(tensor(R"("dtype":"F32","shape":["1"],"data_offsets":[0,4])"), 4)},
      {"size of 2^64 - 1", fileOf(tensor(R"("dtype":"F32","shape":[)" + maximum + R"(],"data_offsets":[0,4])"), 4)},
      {"sizes that overflow to 0",
       fileOf(tensor(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0])"), 0)},
      {"sizes that overflow to 4",
       fileOf(tensor(R"("dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4])"), 4)},
      {"17 dimensions",
       fileOf(tensor(R"("dtype":"F32","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"data_offsets":[0,4])"), 4)},
      {"one offset", fileOf(tensor(R"("dtype":"F32","shape":[1],"data_offsets":[0])"), 4)},
      {"three offsets", fileOf(tensor(R"("dtype":"F32","shape":[1],"data_offsets":[0,4,4])"), 4)},
      {"offsets backwards", fileOf(tensor(R"("dtype":"F32","shape":[1],"data_offsets":[4,0])"), 4)},
      {"negative offset", fileOf(tensor(R"("dtype":"F32","shape":[1],"data_offsets":[-4,0])"), 4)},
      {"offset of 2^64 - 1", fileOf(tensor(R"("dtype":"F32","shape":[1],"data_offsets":[0,)" + maximum + "]"), 4)},
      {"offsets do not fit the shape", fileOf(tensor(R"("dtype":"F32","shape":[1],"data_offsets":[0,8])"), 8)},
      {"data cut off", fileOf(kGood, 23)},
      {"no data", fileOf(kGood, 0)},
      {"bytes left over", fileOf(kGood, 25)},
      {"bytes without a tensor", fileOf("{}", 1)},
      {"gap at the start", fileOf(tensor(R"("dtype":"F32","shape":[1],"data_offsets":[4,8])"), 8)},
      {"gap between",
       fileOf(
           R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
           12)},
      {"overlap",
       fileOf(
           R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
           8)},
      {"a name twice, once escaped",
       fileOf(
           R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"\u0061":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
           8)},
      {"half a surrogate", fileOf(R"({"\ud800":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4)},
      {"dtype is null", fileOf(tensor(R"("dtype":null,"shape":[1],"data_offsets":[0,4])"), 4)},
      {"shape is null", fileOf(tensor(R"("dtype":"F32","shape":null,"data_offsets":[0,4])"), 4)},
      {"a size is null", fileOf(tensor(R"("dtype":"F32","shape":[null],"data_offsets":[0,4])"), 4)},
      {"a size is true", fileOf(tensor(R"("dtype":"F32","shape":[true],"data_offsets":[0,4])"), 4)},
      {"offsets are texts", fileOf(tensor(R"("dtype":"F32","shape":[1],"data_offsets":["0","4"])"), 4)},
      {"a number too large for any type", fileOf(tensor(R"("dtype":"F32","shape":[1e999],"data_offsets":[0,4])"), 4)},
      {"a dtype of a megabyte",
       fileOf(tensor("\"dtype\":\"" + std::string(1 << 20, 'F') + R"(","shape":[1],"data_offsets":[0,4])"), 4)},
      {"a size of a megabyte of digits",
       fileOf(tensor(R"("dtype":"F32","shape":[)" + std::string(1 << 20, '9') + R"(],"data_offsets":[0,4])"), 4)},
      {"the same bytes twice",
       fileOf(
           R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
           4)},
  };
}

TEST(SafetensorsTest, RefusesEveryHostileFile) {
  const auto files = hostileFiles();
  EXPECT_GE(files.size(), 60U);
  for (const Hostile& hostile : files) {
    const auto header = parse(hostile.file);
    ASSERT_FALSE(header.ok()) << hostile.name;
    EXPECT_TRUE(header.error().code == ErrorCode::Corrupt || header.error().code == ErrorCode::Unsupported)
        << hostile.name;
    EXPECT_FALSE(header.error().message.empty()) << hostile.name;
    EXPECT_LT(header.error().message.size(), 400U) << hostile.name;
    EXPECT_TRUE(header.error().context.starts_with("byte ")) << hostile.name << ": " << header.error().text();
  }
}

TEST(SafetensorsTest, SurvivesRandomDamage) {
  const std::string good = fileOf(kGood, 24);
  for (int round = 0; round < test::repeats(2000, 100'000); ++round) {
    std::string file = good;
    for (int change = 0; change < 3; ++change) {
      const std::uint64_t bits = randomBits(5, static_cast<std::uint64_t>(round * 3 + change));
      file[bits % file.size()] = static_cast<char>(bits >> 32);
    }
    const auto header = parse(file);
    if (!header.ok()) continue;
    std::int64_t covered = header->dataStart;
    for (const TensorInfo& info : header->tensors) covered += info.bytes;
    EXPECT_EQ(covered, static_cast<std::int64_t>(file.size()));
  }
}

template <typename Value>
std::span<const std::byte> bytes(const std::vector<Value>& values) {
  return std::as_bytes(std::span(values));
}

TEST(SafetensorsTest, WritesWhatItReads) {
  const test::TempFolder folder;
  const std::vector<float> floats = {1.5F, -2.25F, 3e30F, 0.0F, -1e-40F, 7.0F};
  const std::vector<std::uint16_t> halves = {0x3C00, 0xC000, 0x0001};  // 1, -2, 2^-24
  const std::vector<std::uint16_t> brains = {0x3F80, 0xC040};          // 1, -3
  const std::vector<double> doubles = {0.1};
  const std::vector<TensorBytes> tensors = {{"x.y", TensorType::F32, {2, 3}, bytes(floats)},
                                            {"h", TensorType::F16, {3}, bytes(halves)},
                                            {"b\"\\ü", TensorType::BF16, {2, 1}, bytes(brains)},
                                            {"d", TensorType::F64, {}, bytes(doubles)}};
  ASSERT_TRUE(writeSafetensors(folder / "m.safetensors", tensors).ok());
  const auto reader = test::checked(WeightsReader::open(folder / "m.safetensors"));
  ASSERT_EQ(reader->tensors().size(), 4U);
  EXPECT_EQ(*reader->readFloats(0), floats);
  EXPECT_EQ(*reader->readFloats(1), (std::vector<float>{1.0F, -2.0F, 0x1p-24F}));
  EXPECT_EQ(*reader->readFloats(2), (std::vector<float>{1.0F, -3.0F}));
  EXPECT_EQ(*reader->readFloats(3), (std::vector<float>{0.1F}));
  EXPECT_EQ(reader->tensors()[2].name, "b\"\\ü");
}

TEST(SafetensorsTest, AFileThatIsCutWhileItIsReadIsNamed) {
  const test::TempFolder folder;
  const std::vector<float> floats(100'000, 1.5F);
  const auto file = folder / "m.safetensors";
  ASSERT_TRUE(writeSafetensors(file, std::vector<TensorBytes>{{"x", TensorType::F32, {100'000}, bytes(floats)}}).ok());
  const auto reader = test::checked(WeightsReader::open(file));
  EXPECT_TRUE(reader->readFloats(0).ok());
  std::filesystem::resize_file(file, 10'000);
  const Error cut = test::refused(reader->readFloats(0));
  EXPECT_EQ(cut.code, ErrorCode::Corrupt);
  EXPECT_THAT(cut.text(), testing::HasSubstr("m.safetensors"));
}

TEST(SafetensorsTest, RefusesNumbersThatAreNotFinite) {
  const test::TempFolder folder;
  const std::vector<float> floats = {1.0F, std::numeric_limits<float>::quiet_NaN()};
  const std::vector<double> doubles = {1e300};
  const std::vector<TensorBytes> tensors = {{"nan", TensorType::F32, {2}, bytes(floats)},
                                            {"large", TensorType::F64, {1}, bytes(doubles)}};
  ASSERT_TRUE(writeSafetensors(folder / "m.safetensors", tensors).ok());
  const auto reader = test::checked(WeightsReader::open(folder / "m.safetensors"));
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(test::refused(reader->readFloats(i)).code, ErrorCode::NonFinite);
  }
}

TEST(SafetensorsTest, FollowsAnIndexButNotOutOfTheFolder) {
  const test::TempFolder folder;
  const std::vector<float> one = {1.0F}, two = {2.0F};
  const std::vector<TensorBytes> first = {{"a", TensorType::F32, {1}, bytes(one)}};
  const std::vector<TensorBytes> second = {{"b", TensorType::F32, {1}, bytes(two)}};
  ASSERT_TRUE(writeSafetensors(folder / "m-1.safetensors", first).ok());
  ASSERT_TRUE(writeSafetensors(folder / "m-2.safetensors", second).ok());
  const auto index = folder / "model.safetensors.index.json";
  ASSERT_TRUE(writeFileAtomically(index, R"({"weight_map":{"a":"m-1.safetensors","b":"m-2.safetensors"}})").ok());
  EXPECT_EQ(test::checked(WeightsReader::open(folder.path()))->tensors().size(), 2U);
  for (const char* name : {"../x.safetensors", "/etc/passwd", "", ".hidden"}) {
    ASSERT_TRUE(writeFileAtomically(index, R"({"weight_map":{"a":")" + std::string(name) + "\"}}").ok());
    EXPECT_FALSE(WeightsReader::open(folder.path()).ok()) << name;
  }
}

TEST(SafetensorsTest, AFileThatCannotBeExaminedOrIsAPipeIsRefused) {
  const test::TempFolder folder;
  const auto weights = folder / "model.safetensors";
  std::filesystem::create_symlink("model.safetensors", weights);  // to itself
  const Error linked = test::refused(WeightsReader::open(folder.path()));
  EXPECT_EQ(linked.code, ErrorCode::Io) << linked.text();
  std::filesystem::remove(weights);
  ASSERT_TRUE(
      writeFileAtomically(weights, "version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n").ok());
  EXPECT_THAT(WeightsReader::open(folder.path()).error().text(), testing::HasSubstr("git lfs pull"));
  std::filesystem::remove(weights);
  ASSERT_EQ(::mkfifo(weights.c_str(), 0600), 0);
  EXPECT_EQ(WeightsReader::open(folder.path()).error().code, ErrorCode::Config) << "nobody is waited for";
}

TEST(SafetensorsTest, NamesAMissingFile) {
  EXPECT_EQ(test::refused(WeightsReader::open("/nonexistent/model.safetensors")).code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace batchwise
