// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/guard/guard_action.h"

#include <array>
#include <utility>

namespace batchwise {

GuardAction guardActionFromName(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, GuardAction>, 5> kNames = {{{"note", GuardAction::Note},
                                                                               {"pause", GuardAction::Pause},
                                                                               {"stop", GuardAction::Stop},
                                                                               {"skip", GuardAction::Skip},
                                                                               {"roll_back", GuardAction::RollBack}}};
  for (const auto& [known, action] : kNames)
    if (known == name) return action;
  return GuardAction::Off;
}

}  // namespace batchwise
