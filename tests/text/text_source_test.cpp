// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/text_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/test_environment.h"
#include "tests/text/data_fixture.h"

namespace batchwise {
namespace {

namespace fs = std::filesystem;
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
  auto reader = DocumentReader::open(path, format, std::move(field), {}, limits);
  EXPECT_TRUE(reader.ok()) << reader.error().text();
  Reading reading;
  std::string document;
  while (true) {
    const auto more = reader->next(document);
    EXPECT_TRUE(more.ok()) << more.error().text();
    if (!more.ok() || !*more) break;
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

using namespace std::string_view_literals;

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
    {"jsonl with an escaped NUL", "{\"text\": \"a\\u0000b\"}", TextFormat::Jsonl, {"ab"}},
    {"jsonl with lone surrogates",
     R"({"text": "a\ud800b \udc00c \ud83d\ude00 \\ud800 \ud800\ud83d\ude00"})",
     TextFormat::Jsonl,
     {"a\uFFFDb \uFFFDc \U0001F600 \\ud800 \uFFFD\U0001F600"},
     3},
    {"jsonl with invalid UTF-8", "{\"text\": \"a\xFF\"}", TextFormat::Jsonl, {"a\uFFFD"}, 1},
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
  }
}

TEST(DocumentReaderTest, ReadsGzipOfSeveralMembers) {
  const TempFolder folder;
  const auto path = writeText(folder / "a.gz", test::gzip("one\n") + test::gzip("\ntwo\n"));
  EXPECT_EQ(readAll(path, TextFormat::Text).documents, (Texts{"one", "two"}));
}

TEST(DocumentReaderTest, NamesDamagedGzipFiles) {
  const TempFolder folder;
  const std::string packed = test::gzip(std::string(100'000, 'x') + "y z");
  const Error cut = failureOf(writeText(folder / "cut.gz", packed.substr(0, packed.size() - 12)), TextFormat::Text);
  EXPECT_EQ(cut.code, ErrorCode::Corrupt);
  EXPECT_THAT(cut.message, HasSubstr("ends in the middle"));
  const Error plain = failureOf(writeText(folder / "plain.gz", "no gzip at all"), TextFormat::Text);
  EXPECT_EQ(plain.code, ErrorCode::Corrupt);
  EXPECT_THAT(plain.message, HasSubstr("plain.gz"));
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
      {"{\"text\": \"a\"}\n{\"text\": null}\n", "has null in the field 'text'"},
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

TEST(DocumentReaderTest, ZerosBehindGzipDataArePadding) {
  const TempFolder folder;
  const std::string zeros(100'000, '\0');
  const auto path = writeText(folder / "a.gz", test::gzip("one\n\n") + zeros + test::gzip("two\n") + zeros);
  EXPECT_THAT(readAll(path, TextFormat::Text).documents, ElementsAre("one", "two"));
  const Error rest = failureOf(writeText(folder / "b.gz", test::gzip("one\n") + zeros + "more"), TextFormat::Text);
  EXPECT_EQ(rest.code, ErrorCode::Corrupt);
  EXPECT_EQ(failureOf(writeText(folder / "c.gz", zeros), TextFormat::Text).code, ErrorCode::Corrupt);
}

TEST(DocumentReaderTest, GoesOnFromAnyPosition) {
  const TempFolder folder;
  const TextLimits limits{.documentBytes = 64, .jsonLineBytes = 1 << 20};
  std::string text = "\xEF\xBB\xBF", json = "\xEF\xBB\xBF";
  for (int i = 0; i < 60; ++i) {
    const std::string words =
        std::string(static_cast<std::size_t>(i * 3), static_cast<char>('a' + i % 26)) + " \xFF" + std::to_string(i);
    text += words + (i % 3 ? "\r\n" : "\n\n");
    json += "{\"text\": \"" + words + "\"}\n";
  }
  struct Case {
    fs::path path;
    TextFormat format;
  };
  for (const Case& c : {Case{writeText(folder / "a.txt", text), TextFormat::Text},
                        Case{writeText(folder / "a.lines", text), TextFormat::Lines},
                        Case{writeText(folder / "a.jsonl.gz", test::gzip(json)), TextFormat::Jsonl}}) {
    const Reading whole = readAll(c.path, c.format, limits);
    Reading pieces;
    TextPosition position;
    for (std::string document;;) {  // a new reader for each document
      auto reader = DocumentReader::open(c.path, c.format, "text", position, limits);
      ASSERT_TRUE(reader.ok());
      if (!reader->next(document).value()) break;
      pieces.documents.push_back(document);
      pieces.counts += reader->counts();
      position = reader->position();
    }
    EXPECT_EQ(pieces.documents, whole.documents) << c.path;
    EXPECT_EQ(pieces.counts.replacedSequences, whole.counts.replacedSequences) << c.path;
    EXPECT_EQ(pieces.counts.cutDocuments, whole.counts.cutDocuments) << c.path;
  }
}

}  // namespace
}  // namespace batchwise
