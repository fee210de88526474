// SPDX-License-Identifier: GPL-3.0-or-later
// Gives each file of the folders that are named to the fuzz target. Fails if there is none.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>

#include "core/base/file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      const auto bytes = batchwise::readFile(entry.path());
      if (!bytes.ok()) {
        std::cerr << bytes.error().text() << "\n";
        return 1;
      }
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size());
      ++files;
    }
  std::cout << files << " files\n";
  return files > 0 ? 0 : 1;
}
