// SPDX-License-Identifier: GPL-3.0-or-later
// In place of the driver's library: one GPU, of whose memory 5 GiB are in use.
#include <cstring>

namespace {
int started = 0;
}

struct Memory {
  unsigned long long total, free, used;
};

extern "C" {
int nvmlInit_v2() {
  ++started;
  return 0;
}
int nvmlShutdown() {
  --started;
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  static int onlyOne;
  if (started == 0 || std::strcmp(uuid, "GPU-00010203-0405-0607-0809-0a0b0c0d0eff") != 0) return 6;
  *device = &onlyOne;
  return 0;
}
int nvmlDeviceGetMemoryInfo(void*, Memory* memory) {
  *memory = {8ULL << 30, 3ULL << 30, 5ULL << 30};
  return 0;
}
}
