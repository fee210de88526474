// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/text_source.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <tuple>

#include "core/base/file.h"
#include "core/base/random.h"
#include "core/text/file_identity.h"
#include "core/text/text_check.h"
#include "core/text/text_files.h"
#include "tests/support/checked.h"
#include "tests/support/test_environment.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;
using test::TempFolder;
using test::writeText;
using testing::ElementsAre;
using testing::HasSubstr;
using Texts = std::vector<std::string>;

struct Reading {
  Texts documents;
  TextCounts counts;
};

Reading readAll(const fs::path& path, TextFormat format, TextLimits limits = {}, std::string field = "text") {
  auto reader = test::checked(DocumentReader::open(path, format, std::move(field), {}, limits));
  Reading reading;
  std::string document;
  while (true) {
    if (!*test::checked(reader->next(document))) break;
    reading.documents.push_back(document);
  }
  reading.counts = reader->counts();
  return reading;
}

/// The error of opening or reading `path`.
Error failureOf(const fs::path& path, TextFormat format, TextLimits limits = {}) {
  auto reader = DocumentReader::open(path, format, "text", {}, limits);
  if (!reader.ok()) return reader.error();
  std::string document;
  while (true) {
    const auto more = reader->next(document);
    if (!more.ok()) return more.error();
    if (!*more) return Error::internal("no error");
  }
}

struct TextCase {
  const char* name;
  std::string_view content;
  TextFormat format;
  Texts documents;
  std::int64_t replaced = 0;
};

const TextCase kTextCases[] = {
    {"empty file", "", TextFormat::Text, {}},
    {"one document", "a b\nc\n", TextFormat::Text, {"a b\nc"}},
    {"no newline at the end", "a\n\nb", TextFormat::Text, {"a", "b"}},
    {"several blank lines", "\n\n a\n \t \n\n\nb\n\n", TextFormat::Text, {" a", "b"}},
    {"only blank lines", "\n \n\t\n\r\n\n", TextFormat::Text, {}},
    {"WikiText headings are text", " \n = Title = \n \n First . \n", TextFormat::Text, {" = Title =", " First ."}},
    {"CRLF", "a\r\nb\r\n\r\nc\r\n", TextFormat::Text, {"a\nb", "c"}},
    {"carriage returns of old Macs end lines", "a\rb\r\rc\r", TextFormat::Text, {"a\nb", "c"}},
    {"carriage returns of old Macs end documents", "a\rb\r\rc\r", TextFormat::Lines, {"a", "b", "c"}},
    {"lines that end in all three ways", "a\rb\nc\r\nd", TextFormat::Lines, {"a", "b", "c", "d"}},
    {"a line end that was converted twice", "a\r\r\nb\r\r\n\r\r\nc", TextFormat::Text, {"a\r\nb", "c"}},
    {"jsonl with carriage returns", "{\"text\": \"a\"}\r{\"text\": \"b\"}\r", TextFormat::Jsonl, {"a", "b"}},
    {"byte order mark",
     "\xEF\xBB\xBF"
     "a\n",
     TextFormat::Text,
     {"a"}},
    {"only a byte order mark", "\xEF\xBB\xBF", TextFormat::Text, {}},
    {"NUL is dropped", "a\0b\n\0\nc"sv, TextFormat::Text, {"ab", "c"}},
    {"invalid UTF-8", "a\xFF\xFE z \xC3(", TextFormat::Text, {"a\uFFFD\uFFFD z \uFFFD("}, 3},
    {"one replacement per cut-off sequence", "\xE2\x82 x \xF0\x9F\x98", TextFormat::Text, {"\uFFFD x \uFFFD"}, 2},
    {"overlong forms and surrogates",
     "x\xC0\x80y\xED\xA0\x80z",
     TextFormat::Text,
     {"x\uFFFD\uFFFDy\uFFFD\uFFFD\uFFFDz"},
     5},
    {"lines", "a\n\nb\n  \nc d", TextFormat::Lines, {"a", "b", "c d"}},
    {"lines with CRLF", "a\r\nb\r\n", TextFormat::Lines, {"a", "b"}},
    {"jsonl",
     "{\"text\": \"a\\nb\", \"n\": 1}\n\n{\"n\": [{\"text\": \"no\"}], \"text\": \"c\\u00e9\"}\r\n",
     TextFormat::Jsonl,
     {"a\nb", "c\u00e9"}},
    {"jsonl with empty and blank texts",
     "{\"text\": \"\"}\n{\"text\": \" \"}\n{\"text\": \"x\"}",
     TextFormat::Jsonl,
     {"x"}},
    {"jsonl with null for a text", "{\"text\": null}\n{\"text\": \"x\"}\n", TextFormat::Jsonl, {"x"}},
    {"jsonl with an escaped NUL", "{\"text\": \"a\\u0000b\"}", TextFormat::Jsonl, {"ab"}},
    {"jsonl with lone surrogates",
     R"({"text": "a\ud800b \udc00c \ud83d\ude00 \\ud800 \ud800\ud83d\ude00"})",
     TextFormat::Jsonl,
     {"a\uFFFDb \uFFFDc \U0001F600 \\ud800 \uFFFD\U0001F600"},
     3},
    {"jsonl with invalid UTF-8", "{\"text\": \"a\xFF\"}", TextFormat::Jsonl, {"a\uFFFD"}, 1},
    {"csv", "id,text\n1,a\n2,\"b, \"\"c\"\"\n\nd\"\n", TextFormat::Csv, {"a", "b, \"c\"\n\nd"}},
    {"csv with CRLF", "text,id\r\na,1\r\n\"b\r\nc\",2\r\n", TextFormat::Csv, {"a", "b\nc"}},
    {"csv with CRLF after the text", "id,text\r\n1,a\r\n2,\"b\"\r\n", TextFormat::Csv, {"a", "b"}},
    {"csv with carriage returns", "id,text\r1,a\r2,b", TextFormat::Csv, {"a", "b"}},
    {"csv with a byte order mark and a quoted header", "\xEF\xBB\xBF\"text\",\"i\nd\"\na,1", TextFormat::Csv, {"a"}},
    {"csv with blank rows and texts", "id,text\n\n1,\n2,\" \"\n , \n3,x\n \n", TextFormat::Csv, {"x"}},
    {"csv with quotes inside", "text\na\"b\"\n\"c\"d\"\n", TextFormat::Csv, {"a\"b\"", "cd\""}},
    {"csv with invalid UTF-8 and NUL", "id,text\n\xFF,a\xFF\0\0\"b\n"sv, TextFormat::Csv, {"a\uFFFD\"b"}, 1},
    {"csv of a header alone", "text,id\n", TextFormat::Csv, {}},
    {"empty csv", "", TextFormat::Csv, {}},
};

TEST(DocumentReaderTest, ReadsHostileTexts) {
  const TempFolder folder;
  for (const TextCase& c : kTextCases) {
    SCOPED_TRACE(c.name);
    const Reading plain = readAll(writeText(folder / "text.txt", c.content), c.format);
    EXPECT_EQ(plain.documents, c.documents);
    EXPECT_EQ(plain.counts.replacedSequences, c.replaced);
    EXPECT_EQ(plain.counts.documents, std::ssize(c.documents));
    const Reading packed = readAll(writeText(folder / "text.txt.gz", test::gzip(c.content)), c.format);
    EXPECT_EQ(packed.documents, c.documents);
    EXPECT_EQ(readAll(writeText(folder / "text.txt.zst", test::zstd(c.content)), c.format).documents, c.documents);
  }
}

TEST(DocumentReaderTest, ReadsCsvAsPythonDoes) {
  if (std::system("command -v python3 > /dev/null") != 0) GTEST_SKIP() << "there is no python3";
  const TempFolder folder;
  const std::string judge =
      "python3 '" + (test::sourceRoot() / "tests/text/csv_judge.py").native() + "' '" + folder.path().native() + "' ";
  for (const std::string arguments : {"1 csv", "2 csv", "3 tsv", "4 csv", "5 tsv"}) {
    ASSERT_EQ(std::system((judge + arguments).c_str()), 0);
    const auto rows = folder / ("rows." + arguments.substr(2));
    const Reading judged = readAll(folder / "rows.jsonl", TextFormat::Jsonl);
    EXPECT_GT(judged.documents.size(), 1000U);
    EXPECT_EQ(readAll(rows, TextFormat::Csv, {}, "the \"text\"").documents, judged.documents) << arguments;
  }
}

TEST(DocumentReaderTest, ReadsShardsThatMosaicMlStreamingWrote) {
  // Written by its MDSWriter 0.13.0 with further columns of fixed and own sizes; texts.jsonl has the same texts.
  const auto folder = test::sourceRoot() / "tests/vectors/mds";
  const Reading judged = readAll(folder / "texts.jsonl", TextFormat::Jsonl);
  EXPECT_EQ(judged.documents.size(), 59U);
  for (const std::string ending : {".mds", ".mds.zstd"}) {
    Reading all = readAll(folder / ("shard.00000" + ending), TextFormat::Mds);
    for (const std::string& text : readAll(folder / ("shard.00001" + ending), TextFormat::Mds).documents)
      all.documents.push_back(text);
    EXPECT_EQ(all.documents, judged.documents) << ending;
  }
  EXPECT_THAT(DocumentReader::open(folder / "shard.00000.mds", TextFormat::Mds, "raw").error().message,
              HasSubstr("the column raw (bytes) of"));
}

TEST(DocumentReaderTest, DamagedShardsAreErrorsOrRead) {
  const TempFolder folder;
  const std::string whole = readFile(test::sourceRoot() / "tests/vectors/mds/shard.00000.mds").value();
  for (std::size_t at = 0; at < whole.size(); at += at < 500 ? 1 : 17) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x91);
    for (const std::string& content : {whole.substr(0, at), flipped}) {
      auto reader = DocumentReader::open(writeText(folder / "damaged.mds", content), TextFormat::Mds);
      for (std::string document; reader.ok();) {
        const auto more = reader->next(document);
        if (!more.ok()) reader = more.error();
        if (!more.ok() || !*more) break;
      }
      EXPECT_TRUE(reader.ok() || reader.error().message.find("damaged.mds") != std::string::npos);
    }
  }
}

TEST(DocumentReaderTest, NamesFileAndLineOfBadRows) {
  const TempFolder folder;
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"id,texts,b\n1,a,2\n", ":1",
       "no column 'text' (did you mean 'texts'?); set data.text_field to one of id, texts, b"},
      {"id,text\n1,\"a\nb\"\n2\n", ":4", "the row has 1 field, but the header has 2 columns"},
      {"id,text\n1,a\n2,b,c\n", ":3", "the row has 3 fields, but the header has 2 columns"},
      {"id,text\n\"1\n\",\"a\n2,b\n", ":3", "a quote that begins a field in this line never ends"},
      {"id,\"text\n", ":1", "a quote that begins a field in this line never ends"},
      {"id,text\n1,a\n2,\"Hello you\n3,\"Hello there\n", ":3", "ends inside of a field of a later line"},
      {"id,text,text\n1,a,b\n", ":1", "several columns are named 'text'"},
      {"id;text\n1;a\n", ":1", "the columns are not separated by commas"},
  };
  for (const auto& [content, line, words] : cases) {
    const Error error = failureOf(writeText(folder / "bad.csv", content), TextFormat::Csv);
    EXPECT_EQ(error.code, ErrorCode::Config);
    EXPECT_THAT(error.text(), HasSubstr("bad.csv" + std::string(line) + ":"));
    EXPECT_THAT(error.text(), HasSubstr(words));
  }
  EXPECT_THAT(failureOf(writeText(folder / "bad.tsv", "id,text\n1,a\n"), TextFormat::Csv).text(),
              HasSubstr("the columns are not separated by tabs"));
  const TextLimits small{.documentBytes = 100, .jsonLineBytes = 200};
  const std::string head = "id,text\n1,a\n2,";
  const auto path = writeText(folder / "bad.csv", head + std::string(500, 'x') + "\n");
  EXPECT_THAT(failureOf(path, TextFormat::Csv, small).text(),
              testing::AllOf(HasSubstr("bad.csv:3"), testing::EndsWith("longer than 200 bytes")));
  writeText(path, head + "\"x\n" + std::string(50 << 20, '\n'));
  const std::string open = failureOf(path, TextFormat::Csv).text();
  EXPECT_THAT(open, testing::AllOf(HasSubstr("bad.csv:3"), HasSubstr("does the quote that begins")));
  writeText(path, std::string(2 << 20, ','));
  EXPECT_THAT(failureOf(path, TextFormat::Csv).text(), HasSubstr("bad.csv:1"));
}

TEST(DocumentReaderTest, ReadsZstandardFramesOneAfterTheOther) {
  const TempFolder folder;
  const std::string skippable("\x50\x2A\x4D\x18\x03\0\0\0abc", 11);
  const std::string frames = test::zstd("one\n") + skippable + test::zstd("") + test::zstd("\ntwo\n");
  EXPECT_EQ(readAll(writeText(folder / "a.zst", frames), TextFormat::Text).documents, (Texts{"one", "two"}));
  std::string numbers;
  for (int i = 0; i < 400'000; ++i) numbers += std::to_string(i * 7) + "\n";
  const auto path = writeText(folder / "long.zst", test::zstd(numbers, 27));
  EXPECT_EQ(readAll(path, TextFormat::Lines).documents.size(), 400'000U);
  if (std::system("command -v zstd > /dev/null") != 0) return;
  writeText(folder / "long.txt", numbers);
  ASSERT_EQ(std::system(("zstd -q --long=27 -9 --no-check '" + (folder / "long.txt").native() + "'").c_str()), 0);
  EXPECT_EQ(readAll(folder / "long.txt.zst", TextFormat::Lines).documents,
            readAll(folder / "long.txt", TextFormat::Lines).documents);
}

TEST(DocumentReaderTest, NamesDamagedCompressedFiles) {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i * 7) + " ";
  const std::string zstd = test::zstd(text), gzip = test::gzip(text), zeros(100'000, '\0');
  const std::tuple<const char*, std::string, const char*> cases[] = {
      {"cut.zst", zstd.substr(0, zstd.size() - 2), "ends in the middle of its Zstandard data"},
      {"header.zst", zstd + zstd.substr(0, 3), "ends in the middle of its Zstandard data"},
      {"rest.zst", zstd + "more", "holds damaged Zstandard data"},
      {"plain.zst", "no Zstandard at all", "holds damaged Zstandard data"},
      {"wide.zst", test::zstd("text", 28), "was compressed with a window above 128 MiB"},
      {"cut.gz", gzip.substr(0, gzip.size() - 12), "ends in the middle"},
      {"plain.gz", "no gzip at all", "plain.gz"},
      {"rest.gz", test::gzip("one\n") + zeros + "more", "rest.gz"},
      {"zeros.gz", zeros, "zeros.gz"}};
  for (const auto& [name, content, words] : cases) {
    const Error error = failureOf(writeText(folder / name, content), TextFormat::Text);
    EXPECT_EQ(error.code, ErrorCode::Corrupt) << name;
    EXPECT_THAT(error.message, HasSubstr(words)) << name;
    EXPECT_THAT(error.message, HasSubstr(name));
  }
}

TEST(DocumentReaderTest, ReadsGzipOfSeveralMembersAndZerosBehindThemAsPadding) {
  const TempFolder folder;
  for (const std::string& padding : {std::string(), std::string(100'000, '\0')}) {
    const auto path = writeText(folder / "a.gz", test::gzip("one\n") + padding + test::gzip("\ntwo\n") + padding);
    EXPECT_THAT(readAll(path, TextFormat::Text).documents, ElementsAre("one", "two")) << padding.size();
  }
}

TEST(DocumentReaderTest, CutsLongDocumentsAtWhiteSpaceAndLosesNothing) {
  const TempFolder folder;
  std::string words;
  for (int i = 0; i < 5000; ++i) words += "w" + std::to_string(i) + (i % 7 == 0 ? "\n" : " ");
  const TextLimits limits{.documentBytes = 1000, .jsonLineBytes = 1 << 20};
  for (const TextFormat format : {TextFormat::Text, TextFormat::Jsonl}) {
    std::string content = words;
    if (format == TextFormat::Jsonl) {
      std::replace(content.begin(), content.end(), '\n', ' ');
      content = "{\"text\": \"" + content + "\"}\n";
    }
    const Reading reading = readAll(writeText(folder / "long", content), format, limits);
    std::string joined;
    for (const std::string& document : reading.documents) {
      EXPECT_LE(document.size(), 1000u);
      joined += document + " ";
    }
    EXPECT_EQ(reading.counts.cutDocuments, std::ssize(reading.documents) - 1);
    const auto normal = [](std::string text) {
      std::replace(text.begin(), text.end(), '\n', ' ');
      const auto twice = [](char a, char b) { return a == ' ' && b == ' '; };
      text.erase(std::unique(text.begin(), text.end(), twice), text.end());
      return text;
    };
    EXPECT_EQ(normal(joined), normal(words));
  }
}

TEST(DocumentReaderTest, CutsTextWithoutWhiteSpaceBetweenCodePoints) {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "\u20AC";
  const TextLimits limits{.documentBytes = 100, .jsonLineBytes = 1 << 20};
  const Reading reading = readAll(writeText(folder / "euro", text), TextFormat::Lines, limits);
  std::string joined;
  for (const std::string& document : reading.documents) joined += document;
  EXPECT_EQ(joined, text);
  EXPECT_EQ(reading.counts.replacedSequences, 0);
  EXPECT_GT(reading.counts.cutDocuments, 25);
}

TEST(DocumentReaderTest, NamesFileAndLineOfBadJson) {
  const TempFolder folder;
  const std::pair<const char*, const char*> cases[] = {
      {"{\"text\": \"a\"}\n{\"text\": \n", "is not valid JSON"},
      {"{\"text\": \"a\"}\n{\"n\": 1e999, \"text\": \"b\"}\n", "has a number at byte"},
      {"{\"text\": \"a\"}\n[1]\n", "a list instead of a JSON object"},
      {"{\"text\": \"a\"}\n\"x\"\n", "a string instead of a JSON object"},
      {"{\"text\": \"a\"}\n{\"other\": {\"text\": \"b\"}}\n", "has no field 'text'"},
      {"{\"text\": \"a\"}\n{\"text\": 3}\n", "has a number in the field 'text'"},
      {"{\"text\": \"a\"}\n{\"text\": {\"x\": 3}}\n", "has an object in the field 'text'"},
      {"{\"text\": \"a\"}\n{\"text\": [null]}\n", "has a list in the field 'text'"},
      {"{\"text\": \"a\"}\nnull\n", "null instead of a JSON object"},
  };
  for (const auto& [content, words] : cases) {
    const Error error = failureOf(writeText(folder / "bad.jsonl", content), TextFormat::Jsonl);
    EXPECT_EQ(error.code, ErrorCode::Config);
    EXPECT_THAT(error.text(), HasSubstr("bad.jsonl:2"));
    EXPECT_THAT(error.text(), HasSubstr(words));
  }
  const TextLimits small{.documentBytes = 100, .jsonLineBytes = 200};
  const auto path = writeText(folder / "bad.jsonl", "{\"text\": \"" + std::string(500, 'x') + "\"}");
  EXPECT_THAT(failureOf(path, TextFormat::Jsonl, small).text(), HasSubstr("longer than 200 bytes"));
}

TEST(DocumentReaderTest, RefusesWhatIsNoTextFile) {
  const TempFolder folder;
  EXPECT_EQ(failureOf(folder / "none.txt", TextFormat::Text).code, ErrorCode::NotFound);
  EXPECT_THAT(failureOf(folder.path(), TextFormat::Text).message, HasSubstr("is a folder"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(failureOf(folder / "pipe", TextFormat::Text).message, HasSubstr("pipe, socket or device"));
  EXPECT_THAT(failureOf("/dev/zero", TextFormat::Text).message, HasSubstr("pipe, socket or device"));
  const auto wide = writeText(folder / "wide.txt",
                              "\xFF\xFE"
                              "a\0b\0"sv);
  EXPECT_THAT(failureOf(wide, TextFormat::Text).message, HasSubstr("UTF-16"));
}

std::string wideText(std::u16string_view text, bool bigEnd) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
    bytes += bigEnd ? std::string{high, low} : std::string{low, high};
  }
  return bytes;
}

TEST(DocumentReaderTest, WideTextWithoutAMarkIsNamedAsWhatItLooksLike) {
  const TempFolder folder;
  const std::u16string_view texts[] = {u"The cat sat on the mat.\nIt slept.\n", u"Кошка спит на ковре.\nОна спит.\n",
                                       u"猫坐在垫子上。它睡着了。狗在外面跑来跑去,很高兴。\n我们看着它们。\n", u"abcd"};
  for (const std::u16string_view text : texts)
    for (const bool bigEnd : {false, true}) {
      const Error refused = failureOf(writeText(folder / "wide.txt", wideText(text, bigEnd)), TextFormat::Text);
      EXPECT_EQ(refused.code, ErrorCode::Config);
      EXPECT_THAT(refused.message, HasSubstr(bigEnd ? "looks like UTF-16BE" : "looks like UTF-16LE"));
    }
  EXPECT_THAT(failureOf(writeText(folder / "wide.txt", "a\0\0\0b\0\0\0c\0\0\0d\0\0\0"sv), TextFormat::Text).message,
              HasSubstr("looks like UTF-32LE"));
  // A few NUL bytes are no encoding, whatever their places, nor is a file of nothing else.
  std::string text;
  for (int i = 0; i < 200; ++i) text += "Ein Käse und ein Brot. \n";
  text[101] = text[301] = text[501] = '\0';
  EXPECT_EQ(readAll(writeText(folder / "text.txt", text), TextFormat::Lines).documents.size(), 200u);
  EXPECT_TRUE(readAll(writeText(folder / "zeros.txt", std::string(5000, '\0')), TextFormat::Text).documents.empty());
}

TEST(DocumentReaderTest, GoesOnFromAnyPosition) {
  const TempFolder folder;
  const TextLimits limits{.documentBytes = 64, .jsonLineBytes = 1 << 20};
  std::string text = "\xEF\xBB\xBF", json = "\xEF\xBB\xBF", rows = "\xEF\xBB\xBFid,\"te\nxt\",text\n";
  for (int i = 0; i < 60; ++i) {
    const std::string words =
        std::string(static_cast<std::size_t>(i * 3), static_cast<char>('a' + i % 26)) + " \xFF" + std::to_string(i);
    text += words + (i % 3 ? "\r\n" : "\n\n");
    json += "{\"text\": \"" + words + "\"}\n";
    rows += "\"\n\",b,\"" + words + "\n\"\"" + words + "\"\r\n";
  }
  struct Case {
    fs::path path;
    TextFormat format;
  };
  for (const Case& c : {Case{writeText(folder / "a.txt", text), TextFormat::Text},
                        Case{writeText(folder / "a.lines", text), TextFormat::Lines},
                        Case{writeText(folder / "a.jsonl.gz", test::gzip(json)), TextFormat::Jsonl},
                        Case{writeText(folder / "a.csv", rows), TextFormat::Csv},
                        Case{writeText(folder / "a.csv.zst", test::zstd(rows)), TextFormat::Csv}}) {
    const Reading whole = readAll(c.path, c.format, limits);
    Reading pieces;
    TextPosition position;
    std::int64_t replacedLine = 0;
    for (std::string document;;) {  // a new reader for each document
      auto reader = test::checked(DocumentReader::open(c.path, c.format, "text", position, limits));
      if (!reader->next(document).value()) break;
      pieces.documents.push_back(document);
      pieces.counts += reader->counts();
      replacedLine = reader->replacedLine();
      position = reader->position();
    }
    EXPECT_EQ(pieces.documents, whole.documents) << c.path;
    EXPECT_EQ(pieces.counts.replacedSequences, whole.counts.replacedSequences) << c.path;
    EXPECT_EQ(pieces.counts.cutDocuments, whole.counts.cutDocuments) << c.path;
    const std::int64_t expected = 3 + 59 * 3 + 1;
    EXPECT_TRUE(c.format != TextFormat::Csv || replacedLine == expected) << "of the last row, in its second line";
  }
}

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
      {"\x28\xB5\x2F\xFD"sv, "ends in .zst"},
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
      {"\x1F\x8B\x08\0"sv, "ends in .gz"},
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
  EXPECT_THAT(test::refused(inspectText("/proc/self/exe")).message, HasSubstr("ELF"));
  // Many zeros and no known beginning: a table of numbers.
  const TempFolder folder;
  std::string numbers;
  for (std::uint32_t i = 0; i < 20'000'000; i += 5000) numbers.append(reinterpret_cast<const char*>(&i), sizeof i);
  EXPECT_THAT(inspectText(writeText(folder / "numbers.raw", numbers)).error().message,
              testing::HasSubstr("' is not a text file: it holds"));
}

TEST(TextCheckTest, TextInAnotherEncodingIsRefused) {
  const TempFolder folder;
  const auto inspected = [&](std::string_view sentence) {
    std::string text;
    for (int i = 0; i < 20; ++i) text += sentence;
    return inspectText(writeText(folder / "file.txt", text));
  };
  // "кошка и дом" in windows-1251, "猫和狗" in GBK, white pixels.
  for (const std::string_view foreign : {"\xEA\xEE\xF8\xEA\xE0 \xE8 \xE4\xEE\xEC\n\n", "\xC3\xA8\xBA\xCD\xB9\xB7\n\n",
                                         "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"})
    EXPECT_THAT(inspected(foreign).error().message, HasSubstr("is no text in UTF-8"));
  EXPECT_THAT(inspected("\x1B$BG-$H8$\x1B(B\n\n").error().message, HasSubstr("iconv -f ISO-2022-JP -t UTF-8"));
  EXPECT_TRUE(inspected("Die Stra\xDF"
                        "e f\xFC"
                        "hrt in das Dorf\n\n")
                  .ok());
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
  const Error heads = test::refused(inspectTexts(files, TextFormat::Text));
  EXPECT_THAT(heads.message, HasSubstr("b.png' is no text: it holds PNG data"));
  EXPECT_THAT(heads.message, HasSubstr("No text either: 2 more files"));
  EXPECT_EQ(inspectTexts(std::span(files).first(1), TextFormat::Text)->size(), 1u);
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

class FindTextFilesTest : public testing::Test {
 protected:
  FindTextFilesTest() {
    for (const char* name : {"b.txt", "a.txt", "c.txt.gz", "notes.json", ".hidden.txt", "sub/d.txt", "sub/deep/e.txt",
                             "sub/.git/f.txt", "rows/x.jsonl", "rows/y.csv", "rows/z.tsv.zst", "odd[1].txt"})
      writeText(folder_ / name, "x\n");
  }

  Texts names(const std::vector<std::string>& patterns, TextFormat format = TextFormat::Text) {
    const auto files = findTextFiles(patterns, folder_.path(), format);
    if (!files.ok()) return {files.error().message};
    Texts relative;
    for (const fs::path& file : *files) relative.push_back(fs::relative(file, folder_.path()).native());
    return relative;
  }

  TempFolder folder_;
};

TEST_F(FindTextFilesTest, FindsFilesFoldersAndPatternsOnceAndSorted) {
  EXPECT_THAT(names({"b.txt", "a.txt", "./a.txt"}), ElementsAre("a.txt", "b.txt"));
  EXPECT_THAT(names({"*.txt"}), ElementsAre("a.txt", "b.txt", "odd[1].txt"));
  EXPECT_THAT(names({"odd[1].txt"}), ElementsAre("odd[1].txt"));
  EXPECT_THAT(names({"[ab].t?t"}), ElementsAre("a.txt", "b.txt"));
  EXPECT_THAT(names({"sub"}), ElementsAre("sub/d.txt", "sub/deep/e.txt"));
  EXPECT_THAT(names({"*/d.txt"}), ElementsAre("sub/d.txt"));
  EXPECT_THAT(names({"sub/**"}), ElementsAre("sub/d.txt", "sub/deep/e.txt"));
  EXPECT_THAT(names({"sub/**/*.txt"}), ElementsAre("sub/d.txt", "sub/deep/e.txt"));
  EXPECT_THAT(names({"."}), ElementsAre("a.txt", "b.txt", "c.txt.gz", "odd[1].txt", "sub/d.txt", "sub/deep/e.txt"));
  EXPECT_THAT(names({"."}, TextFormat::Jsonl), ElementsAre("rows/x.jsonl"));
  EXPECT_THAT(names({"."}, TextFormat::Csv), ElementsAre("rows/y.csv", "rows/z.tsv.zst"));
  EXPECT_THAT(names({(folder_ / "a.txt").native()}), ElementsAre("a.txt"));
}

TEST_F(FindTextFilesTest, ASavedDatasetDictIsReadBySplit) {
  writeText(folder_ / "saved/dataset_dict.json", R"({"splits": ["train", "test"]})");
  for (const char* name : {"saved/train/data.arrow", "saved/test/data.arrow"}) writeText(folder_ / name, "x");
  for (const char* pattern : {"saved", "."})
    EXPECT_THAT(names({pattern}, TextFormat::Parquet).front(),
                testing::AllOf(HasSubstr("the splits train, test"),
                               HasSubstr("such as '" + (folder_ / "saved/train").native() + "'")));
  EXPECT_THAT(names({"saved"}).front(), HasSubstr("the splits train, test")) << "where a survey looks for text, too";
  EXPECT_THAT(names({"saved/train"}, TextFormat::Parquet), ElementsAre("saved/train/data.arrow"));
  EXPECT_THAT(names({"rows", "."}, TextFormat::Jsonl), ElementsAre("rows/x.jsonl"));
}

TEST_F(FindTextFilesTest, OnlyWhatWasWrittenIsAPattern) {
  for (const char* name : {"[work] 2024", "a*b", "what?"}) {
    const fs::path base = folder_ / name;
    writeText(base / "text/one.txt", "x\n");
    writeText(base / "text/two.md", "x\n");
    writeText(base / "run/run.yaml", "x\n");
    writeText(folder_ / "w 2024/text/other.txt", "x\n");  // what "[work] 2024" would match
    writeText(folder_ / "axb/text/other.txt", "x\n");
    const fs::path one = base / "text/one.txt", two = base / "text/two.md";
    const auto found = [&](const std::string& pattern, const fs::path& start) {
      return findTextFiles({pattern}, start, TextFormat::Text).value();
    };
    EXPECT_THAT(found("text/*.txt", base), ElementsAre(one)) << name;
    EXPECT_THAT(found("./t??t/one.[st]xt", base), ElementsAre(one)) << name;
    EXPECT_THAT(found("../text/*.txt", base / "run"), ElementsAre(one)) << name;
    EXPECT_THAT(found("**/*.txt", base), ElementsAre(one)) << name;
    EXPECT_THAT(found("text", base), ElementsAre(one, two)) << name;
    EXPECT_THAT(found((base / "text/*.txt").native(), "/"), ElementsAre(one)) << "as the window stores it";
  }
}

TEST_F(FindTextFilesTest, ATildeIsTheHomeFolder) {
  const test::EnvironmentVariable home("HOME", (folder_ / "[me]").native());
  writeText(folder_ / "[me]/text/one.txt", "x\n");
  const fs::path one = folder_ / "[me]/text/one.txt";
  for (const char* pattern : {"~/text/one.txt", "~/text", "~/text/*.txt", "~//text/o*"})
    EXPECT_THAT(findTextFiles({pattern}, folder_ / "sub", TextFormat::Text).value(), ElementsAre(one)) << pattern;
  writeText(folder_ / "~x.txt", "x\n");
  EXPECT_THAT(names({"~x.txt"}), ElementsAre("~x.txt"));
}

TEST_F(FindTextFilesTest, NotesWhatIsNamedMoreThanOnce) {
  const auto notesOf = [&](const std::vector<std::string>& patterns) {
    std::vector<std::string> notes;
    EXPECT_TRUE(findTextFiles(patterns, folder_.path(), TextFormat::Text, &notes).ok());
    return notes;
  };
  EXPECT_THAT(notesOf({"a.txt", "b.txt"}), testing::IsEmpty());
  EXPECT_THAT(notesOf({"a.txt", "./a.txt", "sub/../a.txt"}),
              ElementsAre("'" + (folder_ / "a.txt").native() + "' is named 3 times; it is read once"));
  EXPECT_THAT(notesOf({"a.txt", "*.txt", "."}), ElementsAre(HasSubstr("3 files are named more than once")));
}

TEST_F(FindTextFilesTest, SaysWhatIsMissing) {
  EXPECT_THAT(names({"nothing.txt"}).front(), HasSubstr("no file or folder '" + (folder_ / "nothing.txt").native()));
  EXPECT_THAT(names({"*.csv"}).front(), HasSubstr("no file matches the pattern"));
  EXPECT_THAT(names({"rows"}).front(), HasSubstr("no file for the format 'text'"));
  EXPECT_THAT(names({""}).front(), HasSubstr("a name is empty"));
  ASSERT_EQ(::mkfifo((folder_ / "pipe.txt").c_str(), 0600), 0);
  EXPECT_THAT(names({"pipe.txt"}).front(), HasSubstr("pipe, socket or device"));
  EXPECT_THAT(names({"a.txt/x"}).front(), HasSubstr("a.txt/x"));
}

TEST_F(FindTextFilesTest, SurvivesCircularLinks) {
  fs::create_directory_symlink(folder_ / "sub", folder_ / "sub/loop");
  fs::create_symlink(folder_ / "self.txt", folder_ / "self.txt");
  EXPECT_THAT(names({"sub"}), ElementsAre("sub/d.txt", "sub/deep/e.txt"));
  EXPECT_THAT(names({"sub/**/*.txt"}), ElementsAre("sub/d.txt", "sub/deep/e.txt"));
  EXPECT_THAT(names({"*.txt"}), ElementsAre("a.txt", "b.txt", "odd[1].txt"));
  EXPECT_THAT(names({"self.txt"}).front(), HasSubstr("self.txt"));
}

TEST_F(FindTextFilesTest, OfMovedFilesOnlyThoseAreSoughtThatThePatternWouldHaveFound) {
  for (const char* name : {"text/a.txt", "text/old/b.txt", "text/rows.jsonl"}) {
    writeText(folder_ / name, std::string("the text of ") + name + "\n");
    // A file that has just changed is not remembered.
    fs::last_write_time(folder_ / name, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  DataRequest request;
  request.baseFolder = folder_.path();
  request.cacheFolder = folder_ / "cache";
  fs::create_directories(request.cacheFolder);
  FileIdentities identities(request.cacheFolder / "files.json");
  ASSERT_TRUE(identities
                  .of({folder_ / "text/a.txt", folder_ / "text/old/b.txt", folder_ / "text/rows.jsonl"},
                      [](std::int64_t, std::int64_t) {}, {})
                  .ok());
  fs::rename(folder_ / "text", folder_ / "moved");
  const auto found = [&](const char* pattern) {
    const auto files = findMovedFiles({pattern}, request, {}, {});
    Texts relative;
    if (!files.ok()) return Texts{files.error().message};
    for (const std::string& file : files->patterns) relative.push_back(fs::relative(file, folder_.path()).native());
    return relative;
  };
  EXPECT_THAT(found("text/*.txt"), ElementsAre("moved/a.txt"));
  EXPECT_THAT(found("text/**/*.txt"), ElementsAre("moved/a.txt", "moved/old/b.txt"));
  EXPECT_THAT(found("te*/**"), ElementsAre("moved/a.txt", "moved/old/b.txt", "moved/rows.jsonl"));
  EXPECT_THAT(found("text"), ElementsAre("moved/a.txt", "moved/old/b.txt"));
}

TEST_F(FindTextFilesTest, AFileChangedInPlaceIsReadAgainWhateverItsTimeSays) {
  const fs::path file = folder_ / "kept.txt";
  const auto past = fs::file_time_type::clock::now() - std::chrono::hours(1);
  FileIdentities identities(folder_ / "files.json");
  const auto hashOf = [&](const std::string& text) {
    writeText(file, text);
    fs::last_write_time(file, past);
    return identities.of({file}, [](std::int64_t, std::int64_t) {}, {}).value().front().content;
  };
  const Hash128 first = hashOf("one text\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // beyond a tick of the file system's clock
  EXPECT_NE(hashOf("two text\n"), first);
}

TEST(TextFormatTest, NamesRoundTrip) {
  for (const TextFormat format : {TextFormat::Text, TextFormat::Lines, TextFormat::Jsonl, TextFormat::Csv})
    EXPECT_EQ(choiceFromName<TextFormat>(choiceName(format)), format);
  EXPECT_EQ(choiceFromName<TextFormat>("feather"), std::nullopt);
}

}  // namespace
}  // namespace batchwise
