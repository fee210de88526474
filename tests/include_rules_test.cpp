// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/include_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

bool carriesLicense(const std::filesystem::path& path) {
  static const std::vector<std::string> extensions = {".h", ".cpp", ".cu", ".cuh", ".py", ".sh", ".cmake"};
  const bool byName = path.filename() == "CMakeLists.txt" || path.filename() == "run" || path.filename() == "test";
  return byName || std::find(extensions.begin(), extensions.end(), path.extension().string()) != extensions.end();
}

SourceTree readProject() {
  SourceTree tree;
  const auto root = sourceRoot();
  for (const char* folder : {"app", "core", "ui", "tests", "packaging"}) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !carriesLicense(entry.path())) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      tree[std::filesystem::relative(entry.path(), root).generic_string()] =
          std::string(std::istreambuf_iterator<char>(file), {});
    }
  }
  return tree;
}

TEST(IncludeRulesTest, TheProjectFollowsTheLayerChain) {
  EXPECT_THAT(checkIncludes(readProject()), IsEmpty());
}

TEST(IncludeRulesTest, NoForeignLibraryLeaksThroughOurHeaders) {
  EXPECT_THAT(checkReach(readProject()), IsEmpty());
}

TEST(IncludeRulesTest, EveryFileNamesItsLicense) {
  const auto tree = readProject();
  EXPECT_THAT(tree, SizeIs(testing::Gt(30u)));
  EXPECT_THAT(checkLicenseLines(tree), IsEmpty());
}

TEST(IncludeRulesTest, AnIncludeToTheRightIsFoundWithFileAndLine) {
  const SourceTree tree = {{"core/config/time/time.h", "#pragma once\n#include \"core/store/workspace.h\"\n"}};
  EXPECT_THAT(checkIncludes(tree),
              ElementsAre("core/config/time/time.h:2: includes core/store/workspace.h: core/config stands "
                          "left of core/store and does not know it"));
}

TEST(IncludeRulesTest, ASubfolderIncludesFromThoseLeftOfItOnly) {
  const SourceTree tree = {{"core/run/session/a.cpp", "#include \"core/run/ranks/b.h\"\n"},
                           {"core/run/ranks/b.cpp", "#include \"core/run/session/a.h\"\n"},
                           {"core/store/workspace.h", "#include \"core/store/journal/c.h\"\n"}};
  EXPECT_THAT(checkIncludes(tree),
              ElementsAre("core/run/ranks/b.cpp:1: includes core/run/session/a.h: core/run/ranks stands left of "
                          "core/run/session and does not know it",
                          "core/store/workspace.h:1: includes core/store/journal/c.h: core/store stands left of "
                          "core/store/journal and does not know it"));
}

TEST(IncludeRulesTest, ANewSubfolderNamesItsPlace) {
  const SourceTree tree = {{"core/run/cloud/a.cpp", "#include \"core/run/trainer.h\"\n"}};
  EXPECT_THAT(checkIncludes(tree), ElementsAre(HasSubstr("core/run/cloud has no place in kRooms")));
}

TEST(IncludeRulesTest, IncludesToTheLeftAndWithinAFolderPass) {
  const SourceTree tree = {{"core/store/a.cpp",
                            "#include <sqlite3.h>\n#include \"core/config/time/time.h\"\n"
                            "#include \"core/store/workspace.h\"\n"},
                           {"ui/charts/plan_chart.cpp", "#include <QChart>\n#include \"ui/charts/p.h\"\n"},
                           {"core/model/a.h", "#include <ATen/ATen.h>\n#include <vector>\n"}};
  EXPECT_THAT(checkIncludes(tree), IsEmpty());
}

struct ForeignCase {
  const char* path;
  const char* header;
};

class ForeignHeaderTest : public testing::TestWithParam<ForeignCase> {};

TEST_P(ForeignHeaderTest, IsRefusedOutsideItsFolders) {
  const SourceTree tree = {{GetParam().path, std::string("#include <") + GetParam().header + ">\n"}};
  EXPECT_THAT(checkIncludes(tree), ElementsAre(HasSubstr(GetParam().header)));
}

INSTANTIATE_TEST_SUITE_P(
    Libraries, ForeignHeaderTest,
    testing::Values(ForeignCase{"core/text/a.cpp", "torch/torch.h"},
                    ForeignCase{"core/model/kernels/a.h", "ATen/ATen.h"},
                    ForeignCase{"ui/edit/a.cpp", "c10/core/Device.h"},
                    ForeignCase{"core/store/a.cpp", "cuda_runtime.h"}, ForeignCase{"core/store/a.h", "sqlite3.h"},
                    ForeignCase{"core/run/a.cpp", "SQLiteCpp/SQLiteCpp.h"}, ForeignCase{"core/train/a.cpp", "nccl.h"},
                    ForeignCase{"core/dist/a.h", "mpi.h"}, ForeignCase{"ui/charts/a.cpp", "QChart"},
                    ForeignCase{"ui/runs/a.cpp", "QtCharts/QLineSeries"}, ForeignCase{"core/base/a.h", "QString"},
                    ForeignCase{"core/config/events/a.cpp", "QtCore/QObject"}));

TEST(IncludeRulesTest, OwnHeadersAreNamedFromTheRoot) {
  const SourceTree tree = {{"core/config/time/a.cpp", "#include \"time.h\"\n"},
                           {"ui/list/b.cpp", "#include \"../c.h\"\n"}};
  EXPECT_THAT(checkIncludes(tree), SizeIs(2));
}

TEST(IncludeRulesTest, CoreKnowsNeitherWindowNorTests) {
  const SourceTree tree = {{"core/run/a.cpp", "#include \"ui/bridge/b.h\"\n"},
                           {"core/run/b.cpp", "#include \"tests/support/test_environment.h\"\n"},
                           {"ui/bridge/c.cpp", "#include \"core/train/loop.h\"\n"}};
  EXPECT_THAT(checkIncludes(tree), SizeIs(3));
}

TEST(IncludeRulesTest, TorchBehindTwoHeadersIsReached) {
  const SourceTree tree = {{"app/main.cpp", "#include \"core/run/a.h\"\n"},
                           {"core/run/a.h", "#include \"core/run/b.h\"\n"},
                           {"core/run/b.h", "#include <torch/types.h>\n"}};
  EXPECT_THAT(checkReach(tree), ElementsAre("core/run/b.h:1: app/main.cpp reaches torch/types.h through this file"));
}

TEST(IncludeRulesTest, TheDatabaseLibraryStaysInsideTheStore) {
  const SourceTree tree = {{"core/store/database.h", "#include <SQLiteCpp/SQLiteCpp.h>\n"},
                           {"core/store/workspace.cpp", "#include \"core/store/database.h\"\n"},
                           {"core/run/a.cpp", "#include \"core/store/database.h\"\n"}};
  EXPECT_THAT(checkReach(tree), ElementsAre("core/store/database.h:1: core/run/a.cpp reaches SQLiteCpp/SQLiteCpp.h "
                                            "through this file"));
}

TEST(IncludeRulesTest, AMissingLicenseLineIsFound) {
  const SourceTree tree = {{"core/a.h", "#pragma once\n"},
                           {"packaging/run", "#!/usr/bin/env bash\n# SPDX-License-Identifier: GPL-3.0-or-later\n"}};
  EXPECT_THAT(checkLicenseLines(tree), ElementsAre(HasSubstr("core/a.h:1:")));
}

}  // namespace
}  // namespace batchwise::test
