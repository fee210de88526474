// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtTest/QTest>

namespace batchwise::test {

/// Handles events until `condition` holds, and tells whether it ever does. The limit is for what is broken, not for how
/// fast a machine has to be: a test that passes waits no longer than the condition.
template <typename Condition>
bool comesTrue(Condition condition) {
  constexpr int kLimitMs = 60'000;
  return QTest::qWaitFor(condition, kLimitMs);
}

}  // namespace batchwise::test
