// SPDX-License-Identifier: GPL-3.0-or-later
// One rule for every file that a command writes: over one that is there only with --force.
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "tests/app/stored_run_fixture.h"

namespace batchwise::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Words = std::vector<std::string>;

std::string bytesOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A command that writes one file, up to the name of the file.
struct Form {
  const char* name;
  Words command;
  std::string ending;
};

class OutputFilesTest : public StoredRunFixture {
 protected:
  OutputFilesTest() {
    storeRun("base", 0.25);
    other_ = write("deepspeed.json", R"({"train_batch_size": 48, "gradient_clipping": 0.5})");
  }

  std::vector<Form> forms() const {
    return {{"csv", {"export", "base", "--csv"}, ".csv"},
            {"archive", {"export", "base", "--archive"}, ".batchwise"},
            {"svg", {"export", "base", "--chart"}, ".svg"},
            {"report", {"runs", "compare", "base", "--report"}, ".html"},
            {"comparison", {"runs", "compare", "base", "--chart"}, ".svg"},
            {"points", {"runs", "compare", "base", "--points"}, ".csv"},
            {"groups", {"runs", "compare", "base", "--group-by", "seed", "--group-points"}, ".csv"},
            {"import", {"config", "import", other_, "--output"}, ".yaml"}};
  }

  ProgramResult writeTo(const Form& form, const fs::path& file, const Words& more = {}) const {
    Words words = form.command;
    words.push_back(file.string());
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  std::string other_;
};

TEST_F(OutputFilesTest, AFileThatIsThereNeedsForce) {
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name);
    const fs::path file = write(std::string("mine-") + form.name + form.ending, "mine\n");
    const ProgramResult refused = writeTo(form, file);
    EXPECT_EQ(refused.exitCode, 2);
    EXPECT_THAT(refused.err, HasSubstr("replace it with --force"));
    EXPECT_EQ(bytesOf(file), "mine\n");
    const ProgramResult forced = writeTo(form, file, {"--force"});
    ASSERT_EQ(forced.exitCode, 0) << forced.err;
    const std::string written = bytesOf(file);
    EXPECT_NE(written, "mine\n");
    EXPECT_EQ(writeTo(form, file).exitCode, 2) << "an earlier export is a file too";
    EXPECT_EQ(bytesOf(file), written);
  }
  const std::string copy = write("copy.sqlite", "mine");
  EXPECT_EQ(run({"store", "backup", copy}).exitCode, 2);
  EXPECT_EQ(bytesOf(copy), "mine");
}

TEST_F(OutputFilesTest, ALinkIsWrittenThroughOnlyWithForce) {
  const fs::path target = write("target.csv", "mine"), link = folder_ / "link.csv";
  fs::create_symlink("target.csv", link);
  const Form csv = forms().front();
  EXPECT_THAT(writeTo(csv, link).err, HasSubstr("replace it with --force"));
  EXPECT_EQ(bytesOf(target), "mine");
  EXPECT_EQ(writeTo(csv, link, {"--force"}).exitCode, 0);
  EXPECT_THAT(bytesOf(target), testing::StartsWith("ba,"));
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST_F(OutputFilesTest, StreamsAreWrittenAsTheyAre) {
  const Form csv = forms().front();
  ASSERT_EQ(writeTo(csv, folder_ / "plain.csv").exitCode, 0);
  const ProgramResult streamed = writeTo(csv, "/dev/stdout");
  EXPECT_EQ(streamed.exitCode, 0) << streamed.err;
  EXPECT_EQ(streamed.out, bytesOf(folder_ / "plain.csv")) << "and nothing else";
  EXPECT_TRUE(fs::is_symlink("/dev/stdout"));
  const fs::path pipe = folder_ / "pipe", piped = folder_ / "piped.csv";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  RunningProgram program(
      folder_.path(), withWorkspace({"export", "base", "--csv", pipe.string()}),
      {"sh", "-c",
       "cat '" + pipe.string() + "' > '" + piped.string() + "' & \"$0\" \"$@\"; code=$?; wait; exit $code"});
  EXPECT_EQ(program.wait().exitCode, 0);
  EXPECT_EQ(bytesOf(piped), streamed.out);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(OutputFilesTest, WithJsonNoFileIsWrittenToStdout) {
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.name);
    const ProgramResult refused = writeTo(form, "/dev/stdout", {"--json"});
    EXPECT_EQ(refused.exitCode, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, HasSubstr("stdout holds the JSON"));
  }
  const ProgramResult beside = writeTo(forms().front(), "/dev/stderr", {"--json"});
  EXPECT_EQ(beside.exitCode, 0) << beside.err;
  EXPECT_EQ(beside.json().at("form"), "csv");
  EXPECT_THAT(beside.err, testing::StartsWith("ba,"));
}

TEST_F(OutputFilesTest, AFileThatGrowsBeyondItsLimitIsAnErrorAndLeavesNothing) {
  std::string file =
      R"({"train_batch_size": 48, "zero_optimization": {"stage": 1}, "optimizer": {"type": "AdamW", "params": )"
      R"({"lr": 1e-3, "betas": [0.9, 0.98], "eps": 1e-6, "weight_decay": 0.01}}})";
  const std::string source = write("large.json", file), target = (folder_ / "large.yaml").string();
  RunningProgram program(folder_.path(), withWorkspace({"config", "import", source, "--output", target, "--json"}),
                         {"sh", "-c", "ulimit -f 0; exec \"$0\" \"$@\""});
  EXPECT_EQ(program.wait().exitCode, 1) << "neither killed by SIGXFSZ nor done";
  EXPECT_FALSE(fs::exists(target));
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    EXPECT_THAT(entry.path().filename().string(), testing::Not(testing::StartsWith("large.yaml")));
}

}  // namespace
}  // namespace batchwise::test
