// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/text_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "core/text/file_identity.h"
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

class FindTextFilesTest : public testing::Test {
 protected:
  FindTextFilesTest() {
    for (const char* name : {"b.txt", "a.txt", "c.txt.gz", "notes.json", ".hidden.txt", "sub/d.txt", "sub/deep/e.txt",
                             "sub/.git/f.txt", "rows/x.jsonl", "odd[1].txt"})
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
  EXPECT_THAT(names({"sub/**/*.txt"}), ElementsAre("sub/d.txt", "sub/deep/e.txt"));
  EXPECT_THAT(names({"."}), ElementsAre("a.txt", "b.txt", "c.txt.gz", "odd[1].txt", "sub/d.txt", "sub/deep/e.txt"));
  EXPECT_THAT(names({"."}, TextFormat::Jsonl), ElementsAre("rows/x.jsonl"));
  EXPECT_THAT(names({(folder_ / "a.txt").native()}), ElementsAre("a.txt"));
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
  EXPECT_THAT(found("text/**/*.txt"), ElementsAre("moved/old/b.txt"));
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
  for (const TextFormat format : {TextFormat::Text, TextFormat::Lines, TextFormat::Jsonl})
    EXPECT_EQ(choiceFromName<TextFormat>(choiceName(format)), format);
  EXPECT_EQ(choiceFromName<TextFormat>("csv"), std::nullopt);
}

}  // namespace
}  // namespace batchwise
