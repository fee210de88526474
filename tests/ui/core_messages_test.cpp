// SPDX-License-Identifier: GPL-3.0-or-later
// What core says in the German window: real messages come out whole.
#include "ui/bridge/core_messages.h"

#include <gtest/gtest.h>

#include <QtCore/QCoreApplication>
#include <QtCore/QRegularExpression>
#include <set>

#include "core/config/config_file.h"
#include "core/config/import/config_import.h"
#include "core/config/schema.h"
#include "core/run/launch/preflight.h"
#include "core/run/launch/resume_changes.h"
#include "ui/bridge/language.h"
#include "ui/models/field_words.h"
#include "ui/models/words.h"

namespace batchwise {
namespace {

TEST(CoreMessagesTest, TheWindowSaysInItsOwnWordsWhatCoreSaysInOptions) {
  static const QRegularExpression option(QStringLiteral("--[a-z]"));
  const TrainConfig before = parseConfig("max_duration: 9ba\n", "draft", {}).config;
  const TrainConfig now =
      parseConfig("max_duration: 12ba\nname: other\nseed: 4\nscheduler: {name: constant}\n", "draft", {}).config;
  std::vector<std::string> said = {
      keptCourseNote(),
      "config.yaml: checkpoint ab12 holds numbers that are not finite; leave --checkpoint out for the "
      "newest good one"};
  for (const ResumeRefusal& refused : judgeChanges(before, now, ResumePlan::Keep).refused)
    said.push_back(refused.text());
  CheckpointRecord inside;
  inside.at.partInBatch = 1;
  said.push_back(stretchRefusal(inside));
  Language language;
  for (const char* name : {"en", "de"}) {
    language.use(QString::fromLatin1(name));
    for (const std::string& message : said)
      EXPECT_FALSE(coreText(message).contains(option)) << name << ": " << coreText(message).toStdString();
  }
  language.use(QStringLiteral("en"));
}

class GermanTest : public ::testing::Test {
 protected:
  GermanTest() { language_.use(QStringLiteral("de")); }
  ~GermanTest() override { language_.use(QStringLiteral("en")); }
  Language language_;
};

TEST_F(GermanTest, EveryFieldOfTheFormHasAGermanLabel) {
  const std::set<QString> alike = {QStringLiteral("Format"), QStringLiteral("Tags"),    QStringLiteral("Name"),
                                   QStringLiteral("Betas"),  QStringLiteral("Epsilon"), QStringLiteral("Gamma"),
                                   QStringLiteral("Dropout")};
  for (const Field& field : configSchema()) {
    const QString german = fieldLabel(field.path);
    language_.use(QStringLiteral("en"));
    const QString english = fieldLabel(field.path);
    language_.use(QStringLiteral("de"));
    EXPECT_TRUE(german != english || alike.count(german) > 0) << field.path << ": " << english.toStdString();
  }
}

/// Words that are in every English sentence and in no German one.
void expectGerman(const std::string& message) {
  static const QRegularExpression english(
      QStringLiteral(R"(\b(the|is|are|of|not|and|use|needs|given|which|above|below|least|most|with|take)\b)"));
  const QString shown = coreText(message);
  EXPECT_NE(shown.toStdString(), message);
  EXPECT_FALSE(shown.contains(english)) << shown.toStdString();
}

TEST_F(GermanTest, FilledInTextsStayAsTheyAre) {
  EXPECT_EQ(coreText("run the ramp is training; stop it first"),
            QStringLiteral("Lauf the ramp trainiert; ihn zuerst anhalten"));
  EXPECT_EQ(coreText("cannot read '/a/the state of the run': No such file or directory"),
            QStringLiteral("'/a/the state of the run' ist nicht lesbar: Datei oder Ordner fehlt"));
  EXPECT_EQ(coreText("its process was killed (signal 9), probably because memory ran out"),
            QStringLiteral("der Prozess wurde getötet (Signal 9), wahrscheinlich, weil der Speicher ausging"));
  EXPECT_EQ(coreText("tags"), QStringLiteral("Schlagwörter"));
  EXPECT_EQ(coreText("tags: 'ramp' is no list"), QStringLiteral("tags: 'ramp' is no list"));
  EXPECT_EQ(coreText("words that nobody has translated"), QStringLiteral("words that nobody has translated"));
  EXPECT_EQ(coreText(""), QString());
  EXPECT_EQ(coreText("%1 <b>hostile</b> %2"), QStringLiteral("%1 <b>hostile</b> %2"));
}

TEST_F(GermanTest, APatternOfFewWordsDoesNotTranslateHalfOfSomethingElse) {
  for (const char* english :
       {"the batch is not what it was", "this goes on, or so it seems", "give it more tokens", "some of its GPUs"})
    EXPECT_EQ(coreText(english), QString::fromUtf8(english));
  EXPECT_EQ(coreText("1,200 tokens"), QStringLiteral("1,200 Tokens"));
  EXPECT_EQ(coreText("'x' is not a number"), QStringLiteral("'x' ist nicht eine Zahl"));
}

TEST_F(GermanTest, WhatAComparisonSaysIsGerman) {
  for (const auto& [english, german] :
       {std::pair("loss at equal time (50 s)", "loss bei gleicher Zeit (50 s)"),
        std::pair("eval.loss at 1.2M tokens", "eval.loss bei 1.2M Tokens"),
        std::pair("eval.loss at 50 s of training", "eval.loss bei 50 s Training"),
        std::pair(
            "loss at equal tokens is taken at 1,200 tokens, the largest that all runs with values of it reach.",
            "loss bei gleichen Tokens gilt an der Stelle 1,200 Tokens, der größten, die alle Läufe mit Werten davon "
            "erreichen."),
        std::pair("Comparison of 3 runs: eval.loss", "Vergleich von 3 Läufen: eval.loss")})
    EXPECT_EQ(coreText(english), QString::fromUtf8(german));
}

TEST_F(GermanTest, DamagedJournalsAreToldInGerman) {
  expectGerman("record 7: the journal '/w/runs/a.journal' leaves out a segment");
  expectGerman(
      "the journal '/w/runs/a.journal' goes on with segment 2, which the database has from elsewhere: the run "
      "was resumed in two places");
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
  for (const std::string& note : import->notes) expectGerman(note);
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
        {PeerFormat::Composer, devices});
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
    expectGerman(import.error().text());
  }
}

TEST_F(GermanTest, WhatASalvageLosesIsGerman) {
  for (const char* message :
       {"texts and state of run number 3; its figures are under 'salvaged-3'", "and 12 more", "1 row larger than 4 MiB",
        "3 rows larger than 4 MiB", "rows of table 'series' that cannot be read or fail their checksum: 1 of 3",
        "a row of table event that belongs to no run", "a block of metrics that fails its checksum (series number 4)",
        "checkpoint r-0-40: cannot open '/w/checkpoints/x.sqlite': No such file or directory",
        "checkpoint file x.sqlite, which no entry names: its name is not that of a checkpoint of a run",
        "the entries of 1 checkpoint of run r, made again from the files",
        "the entries of 3 checkpoints of run r, made again from the files",
        "everything that only the database held: '/w/workspace.sqlite' is empty (0 bytes): it is not a workspace; "
        "restore it from a backup, or delete it to start a new one",
        "'/w' exists already; name a folder that does not, for the new workspace"})
    expectGerman(message);
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
    const auto finding = forecast.ok() ? judgeMemory(*forecast, 1 << 30) : std::nullopt;
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
  const TrainConfig before = parseConfig("max_duration: 9ba\n", "draft", {}).config;
  const TrainConfig now =
      parseConfig("max_duration: 12ba\nname: other\nseed: 4\nscheduler: {name: constant}\n", "draft", {}).config;
  const ResumeChanges judged = judgeChanges(before, now, ResumePlan::Keep);
  EXPECT_GE(judged.refused.size(), 2u);
  for (const ResumeRefusal& refused : judged.refused) expectGerman(refused.text());
  EXPECT_TRUE(judged.keepsCourse);
  expectGerman(keptCourseNote());
  for (const std::string& note : judged.notes)
    if (note.find(" -> ") == std::string::npos) expectGerman(note);  // others name fields and values only
}

TEST_F(GermanTest, EndsAndPhasesOfARunAreGerman) {
  for (const char* message :
       {"max_duration reached", "stopped by the user", "stopped by the user after the global batch",
        "stopped by the user, without a checkpoint", "its program closed without ending the run",
        "process 4711 on 'host' ended without ending the run", "its process ended with exit code 3",
        "the trainer failed: out of range",
        "training waits, and goes on by itself: no space left for '/w'; free some space",
        "goes on from checkpoint ab12 at step 40: same samples and masks, close numbers (other devices, another "
        "micro-batch)",
        "guard.loss_spike: the loss of step 5 is 9.1, above the limit of 3.2 (4.1 standard deviations above the mean "
        "of the "
        "steps before); the step was skipped",
        "batch growth: the function asks for 4096, and 2048 is the largest that the devices hold (batch.growth.bound)",
        "building the model", "tokenising", "training the vocabulary", "saving a checkpoint", "evaluating"})
    expectGerman(message);
}

}  // namespace
}  // namespace batchwise
