// SPDX-License-Identifier: GPL-3.0-or-later
// What core says in the German window: every message of its sources has German words, and real ones come out whole.
#include "ui/bridge/core_messages.h"

#include <gtest/gtest.h>

#include <QtCore/QCoreApplication>
#include <QtCore/QDirIterator>
#include <QtCore/QFile>
#include <QtCore/QRegularExpression>
#include <QtCore/QXmlStreamReader>
#include <set>

#include "core/config/config_file.h"
#include "core/config/schema.h"
#include "core/run/launch/preflight.h"
#include "core/run/launch/resume_changes.h"
#include "tests/support/test_environment.h"
#include "ui/bridge/language.h"
#include "ui/models/field_words.h"
#include "ui/models/words.h"

namespace batchwise {
namespace {

const QString kRoot = QString::fromStdString(test::sourceRoot().string());

/// The string literals of a C++ source, those that stand side by side joined; comments and raw strings are left out.
QStringList literalsOf(const QString& source) {
  static const QRegularExpression token(
      QStringLiteral(
          R"re(//[^\n]*|/\*.*?\*/|R"\w*\(.*?\)\w*"|#include[^\n]*|'(?:\\.|[^'\\\n])'|"((?:\\.|[^"\\])*)")re"),
      QRegularExpression::DotMatchesEverythingOption);
  QStringList found;
  qsizetype endOfLast = -1;
  for (auto all = token.globalMatch(source); all.hasNext();) {
    const auto match = all.next();
    if (match.capturedStart(1) < 0) continue;
    const QString text = match.captured(1).replace(QStringLiteral("\\\""), QStringLiteral("\""));
    const bool joined = endOfLast >= 0 && source.mid(endOfLast, match.capturedStart() - endOfLast).trimmed().isEmpty();
    if (joined)
      found.back() += text;
    else
      found << text;
    endOfLast = match.capturedEnd();
  }
  return found;
}

/// The part of a literal that reads as prose: three words or more. Names of settings before it are no words; SQL is
/// none.
QString proseOf(const QString& literal) {
  static const QRegularExpression setting(QStringLiteral(R"(^[\w.\[\]-]+: )")),
      word(QStringLiteral(R"(\b[a-z]{2,}\b)")),
      sql(QStringLiteral(R"(\b(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|WHERE|FROM|ORDER BY)\b)"));
  static const QRegularExpression noWords(QStringLiteral(R"(^(<|\*|batchwise ))"));  // markup, SQLite's own, a command
  if (literal.contains(noWords)) return {};
  QString text = literal;
  text.remove(setting);
  static const QRegularExpression edges(QStringLiteral(R"(^[ ']+|[ ']+$)"));
  text.remove(edges);
  int words = 0;
  for (auto all = word.globalMatch(text); all.hasNext(); all.next()) ++words;
  return words >= 3 && text.split(QLatin1Char(' ')).size() >= 3 && !text.contains(sql) ? text : QString();
}

/// The sources of the patterns, with a mark where something is filled in.
QString patterns() {
  QFile file(kRoot + QStringLiteral("/resources/i18n/batchwise_core_de.ts"));
  EXPECT_TRUE(file.open(QIODevice::ReadOnly));
  static const QRegularExpression place(QStringLiteral("[%#]\\d"));
  QString all;
  QXmlStreamReader xml(&file);
  while (!xml.atEnd())
    if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == QLatin1String("source"))
      all += xml.readElementText().replace(place, QStringLiteral("\x02")) + QLatin1Char('\x01');
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  return all;
}

/// Sources whose texts no window shows: the declarations of fields (their help is translated by itself), reading other
/// trainers' files and rescuing a database, which only the command line does, drawings, and a made-up text.
bool shownByNoWindow(const QString& path) {
  static const QRegularExpression others(
      QStringLiteral("fields_|config/import/|config/reference|batch/preview|demo|salvage|sqlite|sql_|analysis/svg"));
  return path.contains(others);
}

TEST(CoreMessagesTest, EveryMessageOfTheSourcesHasGermanWords) {
  const QString known = patterns();
  QStringList missing;
  int checked = 0;
  for (const char* folder : {"base", "time", "config", "schedule", "batch", "guard", "data", "store", "checkpoint",
                             "dist", "train", "run", "analysis", "exchange"}) {
    QDirIterator files(kRoot + QStringLiteral("/core/") + QString::fromLatin1(folder), {QStringLiteral("*.cpp")},
                       QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      if (shownByNoWindow(file.fileName().mid(kRoot.size()))) continue;
      ASSERT_TRUE(file.open(QIODevice::ReadOnly));
      for (const QString& literal : literalsOf(QString::fromUtf8(file.readAll()))) {
        const QString prose = proseOf(literal);
        if (prose.isEmpty()) continue;
        ++checked;
        if (!known.contains(prose)) missing << file.fileName().mid(kRoot.size() + 1) + QStringLiteral(": ") + prose;
      }
    }
  }
  EXPECT_TRUE(missing.isEmpty()) << "to be added to resources/i18n/batchwise_core_de.ts:\n"
                                 << missing.join(QLatin1Char('\n')).toStdString();
  EXPECT_GT(checked, 400);
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
        "batch growth: 4096 asked, 2048 is the largest that the devices hold (batch.growth.bound)",
        "building the model", "tokenising", "training the vocabulary", "saving a checkpoint", "evaluating"})
    expectGerman(message);
}

}  // namespace
}  // namespace batchwise
