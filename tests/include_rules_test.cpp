// SPDX-License-Identifier: GPL-3.0-or-later

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/test_environment.h"

namespace batchwise::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// One broken rule, as compilers print it: "core/config/time/time.h:7: what is wrong".
using Violation = std::string;

/// Texts of source files by path from the project root ("core/config/time/time.h").
using SourceTree = std::map<std::string, std::string>;

struct Include {
  int line;
  std::string header;
  bool own;  // in quotes, not in angle brackets
};

// Left to right; a folder includes from itself and from what stands before it. Where STYLE names several folders of one
// rank, this is the order among them.
constexpr std::array kCoreLayers = {"base",     "config", "plan", "text",  "store", "trackers",
                                    "analysis", "model",  "dist", "train", "run"};
constexpr std::array kUiLayers = {"theme",       "bridge", "parts", "charts", "list",
                                  "checkpoints", "edit",   "runs",  "window"};

/// The subfolders of a layer, left to right; "" is the layer's own files. A subfolder includes from itself and from
/// what stands before it.
const std::map<std::string, std::vector<std::string>> kRooms = {
    {"core/config", {"time", "", "import", "events"}},
    {"core/model", {"shape", "hugging_face", "kernels", ""}},
    {"core/plan", {"schedule", ""}},
    {"core/run", {"", "launch", "ranks", "session", "controllers", "slurm"}},
    {"core/store", {"", "metrics", "checkpoints", "recording", "journal", "archive", "restore", "workspace"}},
    {"core/text", {"", "tools"}},
    {"core/train", {"guard", "checkpoint", ""}},
};

struct ForeignRule {
  const char* headers;  // regular expression over the header's name
  const char* allowed;  // regular expression over the including file's path
  const char* message;
};

constexpr std::array kForeignRules = {
    ForeignRule{"(torch|ATen|c10|caffe2)/.*", "core/(model/(?!shape|hugging_face|kernels)|dist|train/(?!guard)|run).*",
                "LibTorch is not known here; it begins with core/model"},
    ForeignRule{"(cuda|cublas|cudnn|curand|nvtx)[a-zA-Z0-9_/]*\\.h(pp)?",
                "core/(model/(?!shape|hugging_face)|dist|train/(?!guard)|run).*",
                "CUDA is not known here; it begins with core/model/kernels"},
    ForeignRule{"sqlite3\\.h", "core/store/.*\\.cpp", "SQLite is known to .cpp files of core/store only"},
    ForeignRule{"SQLiteCpp/.*", "core/store/.*", "SQLite is known to core/store only"},
    ForeignRule{"nccl\\.h|mpi\\.h", "core/dist/.*\\.cpp", "NCCL and MPI are known to .cpp files of core/dist only"},
    ForeignRule{"(QtCharts/.*|Q(Abstract)?(Chart|ChartView|LineSeries|XYSeries|ValueAxis|LogValueAxis|AreaSeries|"
                "ScatterSeries|LegendMarker|Legend))",
                "ui/charts/plan_chart\\.cpp", "Qt Charts is known to the charts of plans only"},
    ForeignRule{"Qsci/.*", "ui/edit/yaml_editor\\.cpp", "QScintilla is known to the YAML editor only"},
    ForeignRule{"Q[A-Zt].*", "(ui|app)/.*", "Qt is known to ui and app only"},
};

bool isSource(const std::string& path) {
  static const std::regex pattern(R"(.*\.(h|cpp|cu|cuh))");
  return std::regex_match(path, pattern);
}

std::vector<Include> includesOf(const std::string& text) {
  static const std::regex pattern(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)re");
  std::vector<Include> found;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (std::regex_match(line, match, pattern)) found.push_back({number, match[2], match[1] == "\""});
  }
  return found;
}

/// "core/config/time/time.h" -> "core", "time"; an empty second part if there is no second folder.
std::pair<std::string, std::string> foldersOf(const std::string& path) {
  const auto first = path.find('/');
  if (first == std::string::npos) return {"", ""};
  const auto second = path.find('/', first + 1);
  return {path.substr(0, first), second == std::string::npos ? "" : path.substr(first + 1, second - first - 1)};
}

/// "core/run/session/run_session.h" -> "session"; empty for a file of the layer itself.
std::string roomOf(const std::string& path) {
  const auto layerEnd = path.find('/', path.find('/') + 1);
  const auto roomEnd = path.find('/', layerEnd + 1);
  return roomEnd == std::string::npos ? "" : path.substr(layerEnd + 1, roomEnd - layerEnd - 1);
}

template <typename Names>
std::size_t position(const Names& layers, const std::string& name) {
  return static_cast<std::size_t>(std::find(layers.begin(), layers.end(), name) - layers.begin());
}

bool needsTorchOrCuda(const std::string& header) {
  static const std::regex pattern("core/(model/(?!shape/|hugging_face/)|dist/|train/(?!guard/)).*");
  return std::regex_match(header, pattern);
}

/// Why a file of a layer's subfolder may not include `header`, of the same layer; empty if it may.
std::string wrongRoom(const std::string& layer, const std::string& from, const std::string& header) {
  const std::string room = roomOf(from);
  const std::string headerRoom = roomOf(header);
  if (room == headerRoom) return "";
  const auto rooms = kRooms.find(layer);
  const std::size_t place = rooms == kRooms.end() ? 0 : position(rooms->second, room);
  if (rooms == kRooms.end() || place == rooms->second.size())
    return layer + "/" + room + " has no place in kRooms of tests/include_rules_test.cpp yet";
  if (position(rooms->second, headerRoom) < place) return "";
  return (room.empty() ? layer : layer + "/" + room) + " stands left of " +
         (headerRoom.empty() ? layer : layer + "/" + headerRoom) + " and does not know it";
}

/// Why `from` may not include our own `header`; empty if it may.
std::string wrongDirection(const std::string& from, const std::string& header) {
  if (header.ends_with(".moc")) return {};  // what Qt's moc makes of the file itself
  const auto [top, layer] = foldersOf(from);
  const auto [headerTop, headerLayer] = foldersOf(header);
  if (headerTop != "core" && headerTop != "ui" && headerTop != "app" && headerTop != "tests")
    return "own headers are named by their path from the root, as \"core/config/time/time.h\"";
  if (top == "tests") return "";
  if (headerTop == "tests") return "only tests include from tests";
  if (top == "core" && headerTop != "core") return "core includes from core only";
  if (top == "ui" && headerTop == "app") return "ui does not include from app";
  if (top == "core" && position(kCoreLayers, headerLayer) > position(kCoreLayers, layer))
    return "core/" + layer + " stands left of core/" + headerLayer + " and does not know it";
  if (top == "ui" && headerTop == "ui" && position(kUiLayers, headerLayer) > position(kUiLayers, layer))
    return "ui/" + layer + " stands left of ui/" + headerLayer + " and does not know it";
  if (top == headerTop && layer == headerLayer && top != "app") return wrongRoom(top + "/" + layer, from, header);
  if (top != "core" && headerTop == "core" && needsTorchOrCuda(header))
    return "ui and app reach the trainer through core/run only, not core/" + headerLayer;
  return "";
}

/// Why `from` may not include the foreign `header`; empty if it may.
std::string wrongLibrary(const std::string& from, const std::string& header) {
  if (foldersOf(from).first == "tests") return "";
  for (const auto& rule : kForeignRules) {
    if (!std::regex_match(header, std::regex(rule.headers))) continue;
    return std::regex_match(from, std::regex(rule.allowed)) ? "" : rule.message;
  }
  return "";
}

struct ReachRule {
  const char* headers;  // regular expression over a foreign header's name
  const char* starts;   // regular expression over the paths that must not reach it
};

constexpr std::array kReachRules = {
    ReachRule{"(torch|ATen|c10|caffe2)/.*|(cuda|cublas|cudnn).*\\.h|nccl\\.h|mpi\\.h",
              "(ui|app|core/(base|config|plan|text|store|analysis|model/(shape|hugging_face)|train/guard))/.*"},
    ReachRule{"sqlite3\\.h|SQLiteCpp/.*", "(ui|app|core/(?!store/|trackers/)[^/]+)/.*"},
    ReachRule{"Q(tWidgets|tCharts|sci)/.*|QWidget", "ui/.*_(presenter|models?)\\.(h|cpp)"},
};

bool mustNotReach(const std::string& start, const std::string& header) {
  return std::any_of(kReachRules.begin(), kReachRules.end(), [&](const ReachRule& rule) {
    return std::regex_match(header, std::regex(rule.headers)) && std::regex_match(start, std::regex(rule.starts));
  });
}

bool isConfined(const std::string& header) {
  return std::any_of(kReachRules.begin(), kReachRules.end(),
                     [&](const ReachRule& rule) { return std::regex_match(header, std::regex(rule.headers)); });
}

/// `start` and every own header that it includes, however indirectly.
std::set<std::string> reachedFiles(const SourceTree& tree, const std::string& start) {
  std::set<std::string> seen{start};
  std::vector<std::string> open{start};
  while (!open.empty()) {
    const auto file = tree.find(open.back());
    open.pop_back();
    if (file == tree.end()) continue;
    for (const auto& include : includesOf(file->second))
      if (include.own && seen.insert(include.header).second) open.push_back(include.header);
  }
  return seen;
}

/// Checks the `#include` lines of .h, .cpp, .cu and .cuh files: own headers are named by their path from the root and
/// lie to the left in the layer chain and among the subfolders of a layer, and each foreign library is seen only where
/// it may be (STYLE, "The shape").
std::vector<Violation> checkIncludes(const SourceTree& tree) {
  std::vector<Violation> found;
  for (const auto& [path, text] : tree) {
    if (!isSource(path)) continue;
    for (const auto& include : includesOf(text)) {
      const auto reason = include.own ? wrongDirection(path, include.header) : wrongLibrary(path, include.header);
      if (!reason.empty())
        found.push_back(path + ":" + std::to_string(include.line) + ": includes " + include.header + ": " + reason);
    }
  }
  return found;
}

/// What a file reaches through our own headers, however many: window, programs and light layers no LibTorch, CUDA, NCCL
/// or MPI; nothing outside core/store the database library; presenters and item models no widget.
std::vector<Violation> checkReach(const SourceTree& tree) {
  std::map<std::string, std::vector<Include>> foreign;
  for (const auto& [path, text] : tree) {
    if (!isSource(path)) continue;
    for (const auto& include : includesOf(text))
      if (!include.own && isConfined(include.header)) foreign[path].push_back(include);
  }
  std::vector<Violation> found;
  for (const auto& [start, text] : tree) {
    if (!isSource(start) || start.starts_with("tests/")) continue;
    for (const auto& path : reachedFiles(tree, start)) {
      for (const auto& include : foreign[path]) {
        if (!mustNotReach(start, include.header)) continue;
        found.push_back(path + ":" + std::to_string(include.line) + ": " + start + " reaches " + include.header +
                        " through this file");
      }
    }
  }
  return found;
}

/// Each file names its license in the first line, or in the second below "#!".
std::vector<Violation> checkLicenseLines(const SourceTree& tree) {
  static const std::regex license(R"((//|#|<!--) SPDX-License-Identifier: GPL-3\.0-or-later( -->)?)");
  std::vector<Violation> found;
  for (const auto& [path, text] : tree) {
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    if (line.starts_with("#!")) std::getline(lines, line);
    if (!std::regex_match(line, license))
      found.push_back(path + ":1: the first line is not the license: // SPDX-License-Identifier: GPL-3.0-or-later");
  }
  return found;
}

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

TEST(IncludeRulesTest, APresenterHasNoWidget) {
  const SourceTree tree = {{"ui/edit/a_presenter.cpp", "#include \"ui/edit/a_table.h\"\n"},
                           {"ui/edit/a_table.h", "#include <QtWidgets/QWidget>\n"}};
  EXPECT_THAT(checkReach(tree), ElementsAre("ui/edit/a_table.h:1: ui/edit/a_presenter.cpp reaches QtWidgets/QWidget "
                                            "through this file"));
}

TEST(IncludeRulesTest, AMissingLicenseLineIsFound) {
  const SourceTree tree = {{"core/a.h", "#pragma once\n"},
                           {"packaging/run", "#!/usr/bin/env bash\n# SPDX-License-Identifier: GPL-3.0-or-later\n"}};
  EXPECT_THAT(checkLicenseLines(tree), ElementsAre(HasSubstr("core/a.h:1:")));
}

}  // namespace
}  // namespace batchwise::test
