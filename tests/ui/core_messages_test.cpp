// SPDX-License-Identifier: GPL-3.0-or-later
// What core says in the German window: real messages come out whole.

#include <gtest/gtest.h>

#include <QtCore/QCoreApplication>
#include <QtCore/QRegularExpression>
#include <cerrno>
#include <set>

#include "core/analysis/localization.h"
#include "core/analysis/messages.h"
#include "core/base/messages.h"
#include "core/base/result.h"
#include "core/config/config_file.h"
#include "core/config/import/config_import.h"
#include "core/config/messages.h"
#include "core/config/schema.h"
#include "core/run/launch/preflight.h"
#include "core/run/launch/resume_decision.h"
#include "core/run/messages.h"
#include "core/store/messages.h"
#include "core/time/messages.h"
#include "ui/bridge/language.h"
#include "ui/models/choice_labels.h"
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
  Language language;
  for (const char* name : {"en", "de"}) {
    language.setLanguage(QString::fromLatin1(name));
    for (const Message& message : said)
      EXPECT_FALSE(coreText(message).contains(option)) << name << ": " << coreText(message).toStdString();
  }
  language.setLanguage(QStringLiteral("en"));
}

class GermanTest : public ::testing::Test {
 protected:
  GermanTest() { language_.setLanguage(QStringLiteral("de")); }
  ~GermanTest() override { language_.setLanguage(QStringLiteral("en")); }
  Language language_;
};

TEST_F(GermanTest, DigitsAreGroupedBySpacesNotByWhatGermansReadAsADecimalComma) {
  const QString grouped = QStringLiteral("31\u202f927");
  EXPECT_EQ(integerText(31'927), grouped);
  EXPECT_EQ(integerText(-1'234'567), QStringLiteral("-1\u202f234\u202f567"));
  EXPECT_EQ(windowTexts().integer(31'927), grouped.toStdString());
  EXPECT_EQ(coreText(messages::placeOnAxis(31'927, labelOf("tokens"))), grouped + QStringLiteral(" Tokens"));
  EXPECT_EQ(coreText(messages::settingBudget(31'927)), QStringLiteral("Budget ") + grouped);
  EXPECT_EQ(coreText(messages::settingBudget("auto")), QStringLiteral("Budget auto"));
  language_.setLanguage(QStringLiteral("en"));
  EXPECT_EQ(integerText(31'927), QStringLiteral("31,927"));
}

TEST_F(GermanTest, EveryFieldOfTheFormHasAGermanLabel) {
  const std::set<QString> alike = {QStringLiteral("Format"),  QStringLiteral("Tags"),      QStringLiteral("Name"),
                                   QStringLiteral("Betas"),   QStringLiteral("Epsilon"),   QStringLiteral("Gamma"),
                                   QStringLiteral("Dropout"), QStringLiteral("Experiment")};
  for (const Field& field : configSchema()) {
    const QString german = fieldLabel(field.path);
    language_.setLanguage(QStringLiteral("en"));
    const QString english = fieldLabel(field.path);
    language_.setLanguage(QStringLiteral("de"));
    EXPECT_TRUE(german != english || alike.count(german) > 0) << field.path << ": " << english.toStdString();
  }
}

TEST_F(GermanTest, EveryChoiceInWordsIsGerman) {
  const std::set<QString> alike = {QStringLiteral("0"), QStringLiteral("1/n"), QStringLiteral("Tokens")};
  for (const Field& field : configSchema()) {
    if (field.kind != FieldKind::Choice) continue;
    for (const std::string& choice : field.choices) {
      const QString german = choiceLabel(field.path, choice);
      language_.setLanguage(QStringLiteral("en"));
      const QString english = choiceLabel(field.path, choice);
      language_.setLanguage(QStringLiteral("de"));
      const bool isName = english.compare(toQt(choice).remove(QLatin1Char('_')), Qt::CaseInsensitive) == 0;
      EXPECT_TRUE(german != english || isName || alike.contains(english)) << field.path << ": " << choice;
    }
  }
}

TEST_F(GermanTest, LabelsOfASubgroupBeginWithItsHeading) {
  for (const Field& field : configSchema()) {
    if (!subgroupOf(field).empty()) {
      EXPECT_NE(labelInGroup(field), fieldLabel(field.path)) << field.path;
    }
  }
}

/// Words that are in every English sentence and in no German one.
void expectGerman(const Message& message) {
  ASSERT_FALSE(message.id().empty()) << message.text();
  static const QRegularExpression english(
      QStringLiteral(R"(\b(the|is|are|of|not|and|use|needs|given|which|above|below|least|most|with|take)\b)"));
  const QString shown = coreText(message);
  EXPECT_NE(shown.toStdString(), message.text());
  EXPECT_FALSE(shown.contains(english)) << shown.toStdString();
}

TEST_F(GermanTest, FilledInTextsStayAsTheyAre) {
  EXPECT_EQ(coreText(messages::queuedRunIsTraining("the ramp")),
            QStringLiteral("Lauf the ramp trainiert; ihn zuerst anhalten"));
  EXPECT_EQ(coreText(Error::fromErrno(ENOENT, messages::cannotRead, "/a/the state of the run").message),
            QStringLiteral("'/a/the state of the run' ist nicht lesbar: Datei oder Ordner fehlt"));
  EXPECT_EQ(coreText(messages::runProcessKilledOutOfMemory("(SIGKILL)")),
            QStringLiteral("der Prozess wurde getötet (SIGKILL), wahrscheinlich, weil der Speicher ausging"));
  EXPECT_EQ(coreText(labelOf("tags")), QStringLiteral("Schlagwörter"));
  EXPECT_EQ(coreText(Message::verbatim("what the system says")), QStringLiteral("what the system says"));
  EXPECT_EQ(coreText({}), QString());
  EXPECT_EQ(coreText(messages::inContext("{where} <b>hostile</b> %2", "{message}")),
            QStringLiteral("{where} <b>hostile</b> %2: {message}"));
}

TEST_F(GermanTest, WhatAComparisonSaysIsGerman) {
  const auto expect = [](const Message& message, const char* german) {
    EXPECT_EQ(coreText(message), QString::fromUtf8(german));
  };
  expect(messages::labelAtEqualAxisWithUnit("loss", labelOf("time"), "50 s"), "loss, gleiche Zeit (50 s)");
  expect(messages::labelAtPlace("eval.loss", messages::placeOnAxis("1.2M", labelOf("tokens"))),
         "eval.loss bei 1.2M Tokens");
  expect(messages::labelAtPlace("eval.loss", messages::placeInTraining("50 s")), "eval.loss bei 50 s Training");
  expect(messages::comparisonReportTitle(3, "eval.loss"), "Vergleich von 3 Läufen: eval.loss");
}

TEST_F(GermanTest, ErrorsOfAConfigurationAreGerman) {
  const LoadedConfig loaded = parseConfig(
      "name: ''\nseeed: 3\nmax_duration: 5\nmodel: {hidden_size: 100, num_attention_heads: 3}\n"
      "optimizer: {lr: -1, betas: [0.9]}\nbatch: {global_train_batch_size: 0, device_train_microbatch_size: some}\n"
      "eval: {interval: 1parsec}\nscheduler: {name: linaer}\nguard: {non_finite: roll_back}\ndevices: gpu\n",
      "draft", {});
  EXPECT_GE(loaded.errors.size(), 8u);
  for (const ConfigIssue& issue : loaded.errors) expectGerman(issue.message);
}

TEST_F(GermanTest, RulesAndSlipsAreGerman) {
  const LoadedConfig rules = parseConfig(
      "batch: {global_train_batch_size: 8, rampup: {initial_global_train_batch_size: 16}}\n"
      "model: {hidden_size: 100, num_attention_heads: 3}\nguard: {non_finite: roll_back}\ncheckpoint: {interval: []}\n"
      "guard: {early_stop: {action: stop}}\neval: {interval: []}\n",
      "draft", {});
  for (const ConfigIssue& issue : rules.errors) expectGerman(issue.message);
  for (const FieldProblem& problem :
       checkRules(parseConfig("batch: {global_train_batch_size: 8, rampup: {initial_global_train_batch_size: 16}}\n",
                              "draft", {})
                      .config))
    expectGerman(problem.message);
}

/// What an import says of a file.
void expectGermanAccount(const std::string& text, const ImportOptions& options) {
  const auto import = importConfig(text, "peer.yaml", options);
  ASSERT_TRUE(import.ok()) << import.error().text();
  for (const TakenSetting& setting : import->taken)
    if (!setting.note.empty() && setting.note != "cos_min_ratio") expectGerman(setting.note);  // a name of theirs
  for (const SettingNotTaken& setting : import->notTaken) expectGerman(setting.why);
  for (const Message& note : import->notes) expectGerman(note);
  EXPECT_GE(import->taken.size(), 5u);
  EXPECT_GE(import->notTaken.size(), 5u);
}

TEST_F(GermanTest, WhatAnImportFromComposerSaysIsGerman) {
  for (const std::optional<std::int64_t> devices : {std::optional<std::int64_t>(), std::optional<std::int64_t>(8)})
    expectGermanAccount(
        "max_duration: 3\nseed: 1\nglobal_seed: 2\ntokenizer_name: bert-base-uncased\nsave_interval: 5\n"
        "global_train_batch_size: 64\nsave_num_checkpoints_to_keep: -1\nprecision: fp8\nmlm_probability: 3\n"
        "model: {use_pretrained: true, pretrained_model_name: some/model, model_config: {vocab_size: 8000, "
        "bert_layer: parallel, other: 1}}\nbatch_size_warmup_tokens: 100_000tok\nbatch_size_warmup_min_size: 2\n"
        "optimizer: {name: decoupled_adamw, lr: 1.0e-3, weight_decay: 1.0e-5, filter_bias_norm_wd: true}\n"
        "algorithms: {fused_layernorm: true}\nscheduler: {name: made_up, t_warmup: 1ba}\n"
        "train_loader: {drop_last: true, sequence_packing: true, workers: 2}\ndata_remote: ${oc.env:REMOTE}\n"
        "data_local: ${nowhere}\nrun_name: ${run_name}\nload_path: ${model}x\nautoresume: true\n",
        {ExternalFormat::Composer, devices});
}

TEST_F(GermanTest, WhatAnImportFromTorchtuneSaysIsGerman) {
  for (const char* accumulated : {"", "gradient_accumulation_steps: 4\n"})
    expectGermanAccount(
        std::string("batch_size: 4\nepochs: 2\nmax_steps_per_epoch: 10\ndtype: bf16\npacked: true\ncompile: true\n"
                    "batch_increase_function: 'lambda e, b: b'\nmine: 1\nprofiler: {enabled: true}\n"
                    "optimizer: {_component_: torch.optim.AdamW, lr: 1e-3, fused: true}\n"
                    "lr_scheduler: {_component_: a.get_linear_schedule, num_warmup_steps: 3}\n") +
            accumulated,
        {});
}

TEST_F(GermanTest, WhatAnImportFromDeepSpeedSaysIsGerman) {
  const auto file = [](const std::string& scheduler, const std::string& efficiency) {
    return "{train_micro_batch_size_per_gpu: 2, gradient_accumulation_steps: 4, bf16: {enabled: true}, fp16: {enabled: "
           "false}, gradient_predivide_factor: 2, zero_optimization: {stage: 1}, wandb: {enabled: true}, optimizer: "
           "{type: Adam, params: {lr: 1e-4, torch_adam: true}}, scheduler: {type: " +
           scheduler + "}, data_efficiency: {enabled: true, data_sampling: {enabled: true, dynamic_batching: {" +
           efficiency + "}}}, steps_per_print: auto, amp: {enabled: false}, mine: 1}";
  };
  expectGermanAccount(file("WarmupLR, params: {warmup_num_steps: 100}",
                           "enabled: true, max_tokens: 4e3, min_batch_size: 2, verbose: true, other: 1"),
                      {});
  expectGermanAccount(file("WarmupCosineLR, params: {warmup_num_steps: 100, total_num_steps: 50}", "enabled: false"),
                      {std::nullopt, 4});
  expectGermanAccount(
      file("WarmupCosineLR, params: {warmup_num_steps: 10, total_num_steps: 50, warmup_type: linear}", "enabled: true"),
      {});
}

TEST_F(GermanTest, WhatCannotBeImportedIsGerman) {
  for (const char* text : {"a: 1\n", "- 1\n", "a: [\n", "a: b: c\n", "a: *b\n", "a:\n\tb: 1\n", "a: \"\\q\"\n"}) {
    const auto import = importConfig(text, "peer.yaml", {});
    ASSERT_FALSE(import.ok()) << text;
    expectGerman(import.error().full());
  }
}

TEST_F(GermanTest, WhatTheMachineLacksIsGerman) {
  const LoadedConfig loaded = parseConfig(
      "data: {train: [nowhere/*.txt]}\ntokenizer: {path: nowhere}\nmodel: {init_from: nowhere}\ndevices: cuda:77\n",
      "draft", "/nonexistent");
  ASSERT_TRUE(loaded.ok()) << loaded.errorText();
  const auto findings = preflight(loaded, "/proc");
  EXPECT_GE(findings.size(), 5u);
  for (const PreflightFinding& finding : findings) {
    expectGerman(finding.what);
    expectGerman(finding.remedy);
  }
}

TEST_F(GermanTest, WhatASmallerStepWouldTakeIsGerman) {
  const auto judge = [](const std::string& yaml) {
    const LoadedConfig loaded = parseConfig("model: {preset: mini}\n" + yaml, "draft", {});
    const auto forecast = forecastMemory(loaded, 1, nullptr);
    const auto finding = forecast.ok() ? assessMemory(*forecast, 1 << 30) : std::nullopt;
    ASSERT_TRUE(finding.has_value()) << yaml;
    expectGerman(finding->what);
    expectGerman(finding->remedy);
  };
  judge("batch: {device_train_microbatch_size: 48}\ndata: {max_seq_len: 512}\ndevices: cpu\n");
  for (const std::string again : {"}", ", activation_checkpointing: true}"}) {
    judge("batch: {device_train_microbatch_size: 256}\ndata: {max_seq_len: 512}\ndevices: {use: cpu" + again + "\n");
    judge("devices: {use: cpu, memory_limit: 100MiB" + again + "\n");
    judge("data: {max_seq_len: 512}\ndevices: {use: cpu, memory_limit: 220MiB" + again + "\n");
  }
}

TEST_F(GermanTest, WhatAResumeChangesIsGerman) {
  const ResumeDecision judged = decisionOnManyChanges();
  EXPECT_GE(judged.refusals.size(), 2u);
  for (const ResumeRefusal& refusal : judged.refusals) expectGerman(refusal.text());
  EXPECT_TRUE(judged.keepsSchedule);
  expectGerman(messages::learningRateCourseKept());
  for (const Message& note : judged.changes)
    if (note.text().find(" -> ") == std::string::npos) expectGerman(note);  // others name fields and values only
}

}  // namespace
}  // namespace batchwise
