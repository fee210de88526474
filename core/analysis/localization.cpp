// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/localization.h"

#include <algorithm>
#include <iterator>

#include "core/analysis/messages.h"
#include "core/events/messages.h"

namespace batchwise {

Message labelOf(std::string_view name) {
  static constexpr MessageTemplate<0> kLabels[] = {
      messages::unitSteps,         messages::unitSamples,        messages::unitTokens,
      messages::labelTime,         messages::labelBetter,        messages::labelWorse,
      messages::labelSame,         messages::labelWithinNoise,   messages::labelMean,
      messages::labelMedian,       messages::labelStd,           messages::labelRun,
      messages::labelRuns,         messages::labelGroup,         messages::labelState,
      messages::labelId,           messages::labelTags,          messages::labelNote,
      messages::labelField,        messages::labelVsBaseline,    messages::labelBaseline,
      messages::unitGlobalBatches, messages::labelTrainingTime,  messages::labelCreated,
      messages::labelRunning,      messages::trainingPaused,     messages::labelFinished,
      messages::labelStopped,      messages::labelFailed,        messages::labelInterrupted,
      messages::labelValues,       messages::labelConfiguration, messages::labelRunsHeading,
      messages::labelNoiseUnknown};
  const auto* found = std::ranges::find(kLabels, name, &MessageTemplate<0>::text);
  return found == std::end(kLabels) ? Message::verbatim(std::string(name)) : (*found)();
}

}  // namespace batchwise
