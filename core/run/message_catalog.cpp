// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/message_catalog.h"

#include <string_view>
#include <unordered_map>

namespace batchwise {
namespace {

// The files of the catalog are read here as a table, not as the declarations that core/<layer>/messages.h makes of
// them.
#undef BATCHWISE_MESSAGE
#define BATCHWISE_MESSAGE(name, id, text) {id, text},

const std::unordered_map<std::string_view, const char*>& catalog() {
  static const std::unordered_map<std::string_view, const char*> entries = {
#include "core/analysis/messages.def"
#include "core/base/messages.def"
#include "core/batch/messages.def"
#include "core/checkpoint/messages.def"
#include "core/config/messages.def"
#include "core/data/messages.def"
#include "core/dist/messages.def"
#include "core/events/messages.def"
#include "core/exchange/messages.def"
#include "core/guard/messages.def"
#include "core/kernels/messages.def"
#include "core/model/messages.def"
#include "core/optim/messages.def"
#include "core/run/messages.def"
#include "core/schedule/messages.def"
#include "core/store/messages.def"
#include "core/time/messages.def"
#include "core/train/messages.def"
  };
  return entries;
}

}  // namespace

const char* catalogTemplate(const std::string& id) {
  const auto found = catalog().find(id);
  return found == catalog().end() ? nullptr : found->second;
}

}  // namespace batchwise
