// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/text_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/random.h"
#include "tests/support/test_environment.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;
using test::TempFolder;
using test::writeText;
using testing::HasSubstr;

std::string filled(std::string_view head, std::size_t bytes) {
  std::string content(head);
  for (std::uint64_t i = 0; content.size() < bytes; ++i) content.push_back(static_cast<char>(subKey(7, i)));
  return content;
}

TEST(TextCheckTest, WhatIsNoTextIsNamedForWhatItIs) {
  const TempFolder folder;
  const std::pair<std::string_view, const char*> cases[] = {
      {"\x89PNG\r\n\x1A\n"sv, "PNG"},
      {"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\nall of this is printable"sv, "PDF"},
      {"\x28\xB5\x2F\xFD"sv, "Zstandard"},
      {"BZh91AY&SY"sv, "bzip2"},
      {"\xFD\x37zXZ\0"sv, "XZ"},
      {"PAR1\x15\x04"sv, "Parquet"},
      {"PK\x03\x04\x14\0\x06\0"sv, "docx"},
      {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "doc"},
      {"{\\rtf1\\ansi the text"sv, "RTF"},
      {"\x7F"
       "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3E\0"sv,
       "ELF"},
      {"SQLite format 3\0"sv, "SQLite"},
      {"\x1F\x8B\x08\0"sv, "gzip"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n"sv, "git lfs pull"},
      {""sv, "binary data"}};
  for (const auto& [head, named] : cases) {
    const std::size_t bytes = head.empty() ? 5000 : head.size();
    const auto plain = inspectText(writeText(folder / "file.txt", filled(head, bytes)));
    ASSERT_FALSE(plain.ok()) << named;
    EXPECT_EQ(plain.error().code, ErrorCode::Config);
    EXPECT_THAT(plain.error().message, HasSubstr(named));
    EXPECT_THAT(plain.error().message, HasSubstr("file.txt"));
    const auto packed = inspectText(writeText(folder / "file.txt.gz", test::gzip(filled(head, bytes))));
    EXPECT_FALSE(packed.ok()) << named;
  }
}

TEST(TextCheckTest, AProgramIsNoWideText) {
  const auto own = inspectText("/proc/self/exe");
  ASSERT_FALSE(own.ok());
  EXPECT_THAT(own.error().message, HasSubstr("ELF"));
  // Many zeros and no known beginning: a table of numbers.
  const TempFolder folder;
  std::string numbers;
  for (std::uint32_t i = 0; i < 20'000'000; i += 5000) numbers.append(reinterpret_cast<const char*>(&i), sizeof i);
  EXPECT_THAT(inspectText(writeText(folder / "numbers.raw", numbers)).error().message,
              testing::HasSubstr("' is not a text file: it holds"));
}

TEST(TextCheckTest, TextStaysText) {
  const TempFolder folder;
  for (const std::string_view text :
       {""sv, "a"sv, "\n\n"sv, "\xEF\xBB\xBFtext"sv,
        "Stra\xDF"
        "e in Latin-1"sv,
        "\x1B[31mred\x1B[0m"sv, "a\0b"sv, "PARIS\n"sv, "PK is a name"sv, "<?xml version='1.0'?>"sv, "BZh9 is no file"sv,
        "PAR1 is a receptor"sv, "What is WEBP?"sv})
    EXPECT_TRUE(inspectText(writeText(folder / "file.txt", text)).ok()) << text;
}

TEST(TextCheckTest, OfSeveralFilesTheFirstIsNamedAndTheOthersAreCounted) {
  const TempFolder folder;
  const std::vector<fs::path> files = {writeText(folder / "a.txt", "text"), writeText(folder / "b.png", "\x89PNG"),
                                       writeText(folder / "c.png", "\x89PNG"), writeText(folder / "d.pdf", "%PDF-1.7")};
  const auto heads = inspectTexts(files);
  ASSERT_FALSE(heads.ok());
  EXPECT_THAT(heads.error().message, HasSubstr("b.png' is no text: it holds PNG data"));
  EXPECT_THAT(heads.error().message, HasSubstr("No text either: 2 more files"));
  EXPECT_EQ(inspectTexts(std::span(files).first(1))->size(), 1u);
}

TEST(TextCheckTest, LoneCarriageReturnsEndLines) {
  const TempFolder folder;
  const auto returnsEndLines = [&](std::string_view text) {
    return inspectText(writeText(folder / "file.txt", text))->returnsEndLines;
  };
  EXPECT_TRUE(returnsEndLines("a\rb"));
  EXPECT_TRUE(returnsEndLines("a\r"));
  EXPECT_TRUE(returnsEndLines("a\nb\rc\n"));
  EXPECT_FALSE(returnsEndLines("a\r\nb\r\r\n"));
  EXPECT_FALSE(returnsEndLines("a\nb"));
}

}  // namespace
}  // namespace batchwise
