// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/torch_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/format.h"

namespace batchwise {
namespace {
namespace fs = std::filesystem;

constexpr const char* kTorchVariable = "BATCHWISE_TORCH";
constexpr std::array kTorchLibraries = {"libc10.so", "libtorch_cpu.so"};
constexpr std::array kCudaLibraries = {"libc10_cuda.so", "libtorch_cuda.so"};

/// The folders of installed packages in the environments of a folder, in the order of their names.
std::vector<fs::path> packageFolders(const fs::path& environments) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const char* name : {"lib", "lib64"})
    for (const auto& entry : fs::directory_iterator(environments / "torch" / name, ignored))
      if (entry.path().filename().string().starts_with("python")) found.push_back(entry.path() / "site-packages");
  std::sort(found.begin(), found.end());
  return found;
}

/// Returns the version of the package around the folder of its libraries: "2.11.0+cu130"; empty if it names none.
std::string versionOf(const fs::path& libraries) {
  const auto text = readFile(libraries.parent_path() / "version.py", 1 << 16);
  if (!text.ok()) return "";
  constexpr std::string_view kName = "__version__ = '";
  const auto begin = text->find(kName);
  if (begin == std::string::npos) return "";
  const auto end = text->find('\'', begin + kName.size());
  return end == std::string::npos ? "" : text->substr(begin + kName.size(), end - begin - kName.size());
}

Result<void> load(const fs::path& library) {
  if (dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) != nullptr) return {};
  return Error::unsupported(formatText("LibTorch cannot be loaded: {}", dlerror()));
}

}  // namespace

const char* const kTorchVersion = BATCHWISE_TORCH_VERSION;

std::vector<fs::path> torchFolders(const Environment& environment, const fs::path& program, const fs::path& userData) {
  if (const char* named = environment(kTorchVariable); named != nullptr && *named != '\0') return {fs::path(named)};
  std::vector<fs::path> folders{program.parent_path().parent_path().parent_path() / "torch" / "lib"};
  for (const fs::path& packages : packageFolders(userData)) folders.push_back(packages / "torch" / "lib");
  return folders;
}

Result<std::optional<fs::path>> findTorch(const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    if (!fs::exists(folder / kTorchLibraries.back(), ignored)) continue;
    const std::string version = versionOf(folder);
    if (!version.empty() && !version.starts_with(std::string(kTorchVersion) + "."))
      return Error::unsupported(
          formatText("{} has LibTorch {}, and this program needs {}: pip install 'torch=={}.*', or name the folder of "
                     "that version's libtorch.so in {}",
                     folder.string(), version, kTorchVersion, kTorchVersion, kTorchVariable));
    return std::optional(folder);
  }
  return std::optional<fs::path>();
}

Result<void> loadTorchFrom(const fs::path& folder, const fs::path& standIns) {
  for (const char* name : kTorchLibraries) RETURN_IF_ERROR(load(folder / name));
  for (const char* name : kCudaLibraries) {
    std::error_code ignored;
    RETURN_IF_ERROR(load((fs::exists(folder / name, ignored) ? folder : standIns) / name));
  }
  return {};
}

}  // namespace batchwise
