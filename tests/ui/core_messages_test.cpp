// SPDX-License-Identifier: GPL-3.0-or-later
// How the window words what core says.

#include <gtest/gtest.h>

#include <QtCore/QRegularExpression>

#include "core/base/messages.h"
#include "core/config/config_file.h"
#include "core/config/schema.h"
#include "core/run/launch/resume_decision.h"
#include "core/run/messages.h"
#include "ui/models/display_text.h"
#include "ui/models/labels.h"

namespace batchwise {
namespace {

/// What a resume does that changes the length, the name, the seed and the schedule.
ResumeDecision decisionOnManyChanges() {
  RunDetail run;
  run.configYaml = "max_duration: 9ba\n";
  LaunchRequest request;
  request.config = parseConfig("max_duration: 12ba\nname: other\nseed: 4\nscheduler: {name: constant}\n", "draft", {});
  return decideResume(request, run, {}, parseConfig(run.configYaml, "draft", {}).config);
}

TEST(CoreMessagesTest, TheWindowSaysInItsOwnWordsWhatCoreSaysInOptions) {
  static const QRegularExpression option(QStringLiteral("--[a-z]"));
  std::vector<Message> said = {messages::learningRateCourseKept(),
                               messages::inContext("config.yaml", messages::resumeCheckpointNotFinite("ab12"))};
  for (const ResumeRefusal& refusal : decisionOnManyChanges().refusals) said.push_back(refusal.text());
  said.push_back(ResumeRefusal{ResumeRefusal::Reason::InsideBatch, "ab12"}.text());
  for (const Message& message : said)
    EXPECT_FALSE(coreText(message).contains(option)) << coreText(message).toStdString();
}

TEST(CoreMessagesTest, LabelsOfASubgroupBeginWithItsHeading) {
  for (const Field& field : configSchema()) {
    if (!subgroupOf(field).empty()) {
      EXPECT_NE(labelInGroup(field), fieldLabel(field.path)) << field.path;
    }
  }
}

TEST(CoreMessagesTest, FilledInTextsStayAsTheyAre) {
  EXPECT_EQ(coreText(messages::queuedRunIsTraining("the {run} %1")).toStdString(),
            messages::queuedRunIsTraining("the {run} %1").text());
  EXPECT_EQ(coreText(Message::verbatim("what the system says")), QStringLiteral("what the system says"));
  EXPECT_EQ(coreText({}), QString());
  EXPECT_EQ(coreText(messages::inContext("{where} <b>hostile</b> %2", "{message}")),
            QStringLiteral("{where} <b>hostile</b> %2: {message}"));
}

}  // namespace
}  // namespace batchwise
