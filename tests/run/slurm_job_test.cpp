// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>

#include "core/run/slurm/slurm_client.h"

namespace batchwise {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SlurmJobTest, ReadsTimesAsSlurmWritesThem) {
  EXPECT_EQ(slurmMinutes("90"), 90);
  EXPECT_EQ(slurmMinutes("1:30:00"), 90);
  EXPECT_EQ(slurmMinutes("1-00:00:00"), 1440);
  EXPECT_EQ(slurmMinutes("2-12"), 3600);
  EXPECT_EQ(slurmMinutes("10:30"), 11) << "minutes and seconds, rounded up";
  for (const char* none : {"infinite", "n/a", "", "1:2:3:4", "soon", "-5", "1e3"})
    EXPECT_EQ(slurmMinutes(none), std::nullopt) << none;
}

TEST(SlurmJobTest, WarnsTheRanksEarlyEnough) {
  EXPECT_EQ(slurmWarningSec(1), 30);
  EXPECT_EQ(slurmWarningSec(10), 60);
  EXPECT_EQ(slurmWarningSec(60), 360);
  EXPECT_EQ(slurmWarningSec(2880), 600);
}

TEST(SlurmJobTest, TheScriptSaysWhatWasAskedFor) {
  SlurmOptions options;
  options.partition = "gpu";
  options.nodes = 2;
  options.ranksPerNode = options.gpusPerNode = 8;
  options.limitMinutes = 240;
  options.more = {"--exclusive"};
  const std::string script = slurmScript(options, {"/opt/batchwise", "/data/it's here"}, {"abc"});
  for (const char* line :
       {"#SBATCH --partition=gpu\n", "#SBATCH --nodes=2\n", "#SBATCH --ntasks-per-node=8\n",
        "#SBATCH --gpus-per-node=8\n", "#SBATCH --time=240\n", "#SBATCH --output=\"/", "#SBATCH --signal=USR1@600\n",
        "#SBATCH --requeue\n", "#SBATCH --exclusive\n", "#SBATCH --job-name=batchwise-abc\n",
        "program='/opt/batchwise'\n", "workspace='/data/it'\\''s here'\n", "runs=(abc)\n"})
    EXPECT_THAT(script, HasSubstr(line));
  EXPECT_THAT(script, Not(HasSubstr("@DIRECTIVES@")));
  EXPECT_THAT(script, Not(HasSubstr("--array")));
  EXPECT_EQ(script.substr(0, 12), "#!/bin/bash\n");
  EXPECT_LT(script.rfind("#SBATCH"), script.find("set -u")) << "sbatch reads no option behind a command";
}

TEST(SlurmJobTest, SeveralRunsAreAnArray) {
  const std::string script = slurmScript({}, {"/opt/batchwise", "/data"}, {"one", "two", "three"});
  EXPECT_THAT(script, HasSubstr("#SBATCH --array=0-2\n"));
  EXPECT_THAT(script, HasSubstr("runs=(one two three)\n"));
  EXPECT_THAT(script, HasSubstr("BATCHWISE_CHAIN_LEFT:-0}"));
}

TEST(SlurmJobTest, OptionsThatCannotBeMeantAreRefused) {
  const auto refused = [](const std::function<void(SlurmOptions&)>& change, const char* why) {
    SlurmOptions options;
    change(options);
    const Result<void> checked = checkSlurmOptions(options);
    ASSERT_FALSE(checked.ok()) << why;
    EXPECT_THAT(checked.error().message, HasSubstr(why));
  };
  EXPECT_TRUE(checkSlurmOptions({}).ok());
  refused([](SlurmOptions& o) { o.nodes = 0; }, "(--nodes) is 0");
  refused([](SlurmOptions& o) { o.gpusPerNode = 4; }, "give the same number");
  refused([](SlurmOptions& o) { o.partition = "a\n#SBATCH --uid=0"; }, "is not allowed in a batch script");
  refused([](SlurmOptions& o) { o.more = {"exclusive"}; }, "--sbatch=--exclusive");
}

}  // namespace
}  // namespace batchwise
