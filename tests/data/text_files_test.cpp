// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/data/data_fixture.h"
#include "tests/support/message_texts.h"
#include "tests/support/test_environment.h"

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
    if (!files.ok()) return {files.error().message.text()};
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

TEST_F(FindTextFilesTest, NotesWhatIsNamedMoreThanOnce) {
  const auto notesOf = [&](const std::vector<std::string>& patterns) {
    std::vector<Message> notes;
    EXPECT_TRUE(findTextFiles(patterns, folder_.path(), TextFormat::Text, &notes).ok());
    return test::textsOf(notes);
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

TEST(TextFormatTest, NamesRoundTrip) {
  for (const TextFormat format : {TextFormat::Text, TextFormat::Lines, TextFormat::Jsonl})
    EXPECT_EQ(choiceFromName<TextFormat>(choiceName(format)), format);
  EXPECT_EQ(choiceFromName<TextFormat>("csv"), std::nullopt);
}

}  // namespace
}  // namespace batchwise
