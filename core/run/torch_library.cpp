// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/torch_library.h"

#include <dlfcn.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/format.h"

namespace batchwise {
namespace {
namespace fs = std::filesystem;

constexpr const char* kTorchVariable = "BATCHWISE_TORCH";
constexpr std::array kTorchLibraries = {"libc10.so", "libtorch_cpu.so"};
constexpr std::array kCudaLibraries = {"libc10_cuda.so", "libtorch_cuda.so"};
constexpr const char* kStandIns = "no_cuda";  // for kCudaLibraries; only a wheel has them

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

/// Returns the version around the folder of its libraries: "2.11.0+cu130"; empty if it names none.
std::string versionOf(const fs::path& libraries) {
  constexpr std::int64_t kMaxBytes = 1 << 16;
  const auto text = readFile(libraries.parent_path() / "version.py", kMaxBytes);
  if (!text.ok()) {  // of a package for C++
    const auto line = readFile(libraries.parent_path() / "build-version", kMaxBytes);
    return line.ok() ? line->substr(0, line->find('\n')) : "";
  }
  constexpr std::string_view kName = "__version__ = '";
  const auto begin = text->find(kName);
  if (begin == std::string::npos) return "";
  const auto end = text->find('\'', begin + kName.size());
  return end == std::string::npos ? "" : text->substr(begin + kName.size(), end - begin - kName.size());
}

bool hasTorch(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kTorchLibraries.back(), ignored);
}

/// Returns whether the folder has LibTorch of the version needed; one that names none is taken at its word.
bool fits(const fs::path& folder) {
  const std::string version = versionOf(folder);
  return version.empty() || version.starts_with(std::string(kTorchVersion) + ".");
}

Error otherVersion(const fs::path& folder) {
  return Error::unsupported(
      formatText("{} has LibTorch {}, and this program needs {}: name the folder of that "
                 "version's libtorch.so in {}, or install it",
                 folder.string(), versionOf(folder), kTorchVersion, kTorchVariable));
}

Result<void> load(const fs::path& library) {
  if (dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) != nullptr) return {};
  return loadError(library, dlerror(), "install LibTorch again");
}

}  // namespace

const char* const kTorchVersion = BATCHWISE_TORCH_VERSION;

bool comesWithoutTorch(const fs::path& program) {
  std::error_code ignored;
  return fs::is_directory(program.parent_path() / kStandIns, ignored);
}

Result<std::optional<fs::path>> findTorch(const Environment& environment, const fs::path& program,
                                          const fs::path& userData) {
  if (const char* named = environment(kTorchVariable); named != nullptr && *named != '\0') {
    const fs::path folder = named;
    if (!hasTorch(folder))
      return Error::unsupported(
          formatText("{} names {}, where there is no {}: name the folder torch/lib of LibTorch {}", kTorchVariable,
                     named, kTorchLibraries.back(), kTorchVersion));
    if (!fits(folder)) return otherVersion(folder);
    return std::optional(folder);
  }
  if (!comesWithoutTorch(program)) return std::optional<fs::path>();
  std::vector<fs::path> packages = packageFolders(userData);
  packages.insert(packages.begin(), program.parent_path().parent_path().parent_path());
  std::optional<fs::path> other;
  for (const fs::path& each : packages) {
    const fs::path folder = each / "torch" / "lib";
    if (!hasTorch(folder)) continue;
    if (fits(folder)) return std::optional(folder);
    if (!other) other = folder;
  }
  if (other) return otherVersion(*other);
  return std::optional<fs::path>();
}

Result<void> loadTorchFrom(const fs::path& folder, const fs::path& program) {
  for (const char* name : kTorchLibraries) RETURN_IF_ERROR(load(folder / name));
  for (const char* name : kCudaLibraries) {
    std::error_code ignored;
    if (fs::exists(folder / name, ignored))
      RETURN_IF_ERROR(load(folder / name));
    else if (comesWithoutTorch(program))
      RETURN_IF_ERROR(load(program.parent_path() / kStandIns / name));
  }
  return {};
}

Error noTorchError(const Environment& environment) {
  const char* python = environment("BATCHWISE_PYTHON");  // set by the commands that pip installs
  return Error::unsupported(formatText(
      "training needs LibTorch {}, which is not installed: {}name the folder of its libtorch.so in {}", kTorchVersion,
      python == nullptr || *python == '\0' ? "" : "call batchwise setup, or ", kTorchVariable));
}

Error loadError(const fs::path& library, const std::string& reason, const std::string& remedy) {
  const auto says = [&reason](const char* part) { return reason.find(part) != reason.npos; };
  const bool noRoom = says("failed to map segment") || says("annot allocate memory") || says("annot map zero-fill");
  rlimit limit{};
  if (!noRoom || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return Error::unsupported(formatText("{} cannot be loaded: {}; {}", library.string(), reason, remedy));
  return Error::unsupported(
      formatText("{} cannot be loaded: {}; this process may use only {} of address space "
                 "(ulimit -v): remove or raise that limit",
                 library.string(), reason, formatBytes(static_cast<std::int64_t>(limit.rlim_cur))));
}

}  // namespace batchwise
