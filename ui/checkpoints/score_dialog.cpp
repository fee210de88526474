// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/score_dialog.h"

#include <QtCore/QFileInfo>
#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QRegularExpression>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSpinBox>
#include <algorithm>

#include "core/base/output_file.h"
#include "core/base/result.h"
#include "core/config/task_config.h"
#include "core/text/task_table.h"
#include "ui/bridge/studio_settings.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"
#include "ui/parts/file_jobs.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"

namespace batchwise {
namespace {

const QString kTaskPurpose = QStringLiteral("task");  // of the file dialogs: where tasks and labelled text are

QString tableFilter() {
  return TaskDialog::tr(
      "Tables (*.tsv *.csv *.jsonl *.ndjson *.json *.parquet *.arrow *.feather *.gz *.zst);;"
      "All files (*)");
}

/// A value as YAML, which JSON is.
QByteArray yamlOf(const QJsonValue& value) {
  const QByteArray list = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
  return list.mid(1, list.size() - 2);
}

QByteArray yamlOf(const TaskConfig& task) {
  QByteArray yaml;
  const auto add = [&yaml](const char* key, const QJsonValue& value) { yaml += key + (": " + yamlOf(value)) + '\n'; };
  add("name", toQt(task.name));
  add("kind", toQt(std::string(choiceName(task.kind))));
  add("train", toQt(task.train));
  if (!task.test.empty()) add("test", toQt(task.test));
  if (task.text.size() == 1)
    add("text", toQt(task.text.front()));
  else
    add("text", QJsonArray{toQt(task.text[0]), toQt(task.text[1])});
  add("label", toQt(task.label));
  if (task.metric) add("metric", toQt(std::string(choiceName(*task.metric))));
  return yaml;
}

/// Makes a line for a file, with a button that asks for it.
QWidget* fileRow(QDialog& dialog, StudioSettings& settings, QLineEdit* file, const char* name,
                 const FileQuestion& question) {
  auto* part = new QWidget(&dialog);
  auto* choose =
      named(new QPushButton(TaskDialog::tr("Choose…"), part), name, TaskDialog::tr("Choose: %1").arg(question.title));
  row(part, {{file, 1}, choose}, {{0, 0, 0, 0}, 8});
  QObject::connect(choose, &QPushButton::clicked, &dialog, [&dialog, &settings, file, question] {
    const QString chosen = askForFileToRead(dialog, settings, kTaskPurpose, question);
    if (!chosen.isEmpty()) file->setText(chosen);
  });
  return part;
}

}  // namespace

TaskDialog::TaskDialog(const QString& table, StudioSettings& settings, TaskQueue& tasks, QWidget* parent)
    : QDialog(parent),
      table_(table),
      settings_(settings),
      tasks_(tasks),
      form_(new QFormLayout),
      name_(named(new QLineEdit(this), "taskName", tr("Name"))),
      test_(named(new QLineEdit(this), "taskTest", tr("Test file"),
                  tr("A table with the same columns that models are scored on and never learn from"))),
      kind_(named(new QComboBox(this), "taskKind", tr("Kind"))),
      metric_(named(new QComboBox(this), "taskMetric", tr("Metric"))),
      text_(named(new QComboBox(this), "taskText", tr("Column of the text"))),
      second_(named(new QComboBox(this), "taskSecond", tr("Column of the second text"))),
      label_(named(new QComboBox(this), "taskLabel", tr("Column of the label"))),
      problem_(textLabel(this, TextLook::Bad)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("New task from %1").arg(QFileInfo(table).fileName()));
  static const QRegularExpression other(QStringLiteral("[^A-Za-z0-9_-]+"));
  name_->setText(QFileInfo(table).baseName().replace(other, QStringLiteral("-")).left(40));
  kind_->addItem(tr("Classification of texts"), static_cast<int>(TaskKind::Classification));
  kind_->addItem(tr("Classification of pairs of texts"), static_cast<int>(TaskKind::Pair));
  kind_->addItem(tr("Regression: a number per text"), static_cast<int>(TaskKind::Regression));
  kind_->addItem(tr("A label per word"), static_cast<int>(TaskKind::TokenLabels));
  metric_->addItem(tr("Usual for the kind"), -1);
  for (const TaskMetric metric :
       {TaskMetric::Accuracy, TaskMetric::F1, TaskMetric::Matthews, TaskMetric::Pearson, TaskMetric::Spearman})
    metric_->addItem(seriesLabel("eval.task.." + std::string(choiceName(metric))).title, static_cast<int>(metric));
  form_->setRowWrapPolicy(QFormLayout::WrapLongRows);
  form_->addRow(tr("Name"), name_);
  form_->addRow(tr("Kind"), kind_);
  form_->addRow(tr("Text"), text_);
  form_->addRow(tr("Second text"), second_);
  form_->addRow(tr("Label"), label_);
  form_->addRow(tr("Metric"), metric_);
  form_->addRow(tr("Test file"),
                fileRow(*this, settings_, test_, "chooseTaskTest", {tr("Test file"), {}, tableFilter()}));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  save_ = addMainButton(*this, *buttons, QDialogButtonBox::ActionRole, tr("Save the task…"), "saveTask");
  column(this, {form_, problem_, stretch(0), buttons}, {{16, 16, 16, 16}, 8});
  setMinimumWidth(60 * fontMetrics().averageCharWidth());
  connect(name_, &QLineEdit::textChanged, this, &TaskDialog::update);
  for (QComboBox* each : {kind_, metric_, text_, second_, label_})
    connect(each, &QComboBox::currentIndexChanged, this, &TaskDialog::update);
  connect(save_, &QPushButton::clicked, this, &TaskDialog::save);
  unreadable_ = tr("Reading the columns…");
  update();
  readColumns();
}

void TaskDialog::readColumns() {
  tasks_.post(
      this, [file = table_.toStdString()] { return taskColumns(file); },
      [this](const Result<std::vector<std::string>>& columns) {
        unreadable_ = columns.ok() ? QString() : sentenceCase(toQt(columns.error().text()));
        showColumns(columns.ok() ? toQt(*columns) : QStringList());
      });
}

/// Guesses the label by its usual names, and the text as what comes first beside it.
void TaskDialog::showColumns(const QStringList& columns) {
  for (QComboBox* each : {text_, second_, label_}) each->addItems(columns);
  for (const QString& name : {QStringLiteral("label"), QStringLiteral("labels"), QStringLiteral("score")})
    if (label_->currentIndex() == 0) label_->setCurrentIndex(std::max(0, static_cast<int>(columns.indexOf(name))));
  const int label = label_->currentIndex(), count = label_->count();
  const auto usual = static_cast<int>(columns.indexOf(QStringLiteral("text")));
  text_->setCurrentIndex(usual >= 0 ? usual : label == 0 && count > 1 ? 1 : 0);
  for (int i = 0; i < count; ++i)
    if (i != label && i != text_->currentIndex()) {
      second_->setCurrentIndex(i);
      break;
    }
  update();
}

TaskConfig TaskDialog::task() const {
  TaskConfig task;
  task.name = name_->text().trimmed().toStdString();
  task.kind = static_cast<TaskKind>(kind_->currentData().toInt());
  task.train = table_.toStdString();
  task.test = test_->text().trimmed().toStdString();
  task.text = {text_->currentText().toStdString()};
  if (task.kind == TaskKind::Pair) task.text.push_back(second_->currentText().toStdString());
  task.label = label_->currentText().toStdString();
  if (const int metric = metric_->currentData().toInt(); metric >= 0) task.metric = static_cast<TaskMetric>(metric);
  return task;
}

void TaskDialog::update() {
  form_->setRowVisible(second_, task().kind == TaskKind::Pair);
  QString problem = unreadable_;
  if (problem.isEmpty())
    if (const std::string wrong = problemOf(task()); !wrong.empty()) problem = tr("The task %1").arg(toQt(wrong));
  if (problem.isEmpty() && label_->currentIndex() == text_->currentIndex())
    problem = tr("Text and label are the same column");
  problem_->setText(problem);
  problem_->setVisible(!problem.isEmpty());
  save_->setEnabled(problem.isEmpty());
}

void TaskDialog::save() {
  const QString file = askForFileToWrite(
      *this, settings_, kTaskPurpose,
      {tr("Save the task"), toQt(task().name) + QStringLiteral(".yaml"), tr("Tasks (*.yaml *.yml);;All files (*)")});
  if (file.isEmpty()) return;
  tasks_.post(
      this,
      [file = file.toStdString(), text = yamlOf(task()).toStdString()] { return writeOutput(file, kChosenFile, text); },
      [this, file](const Result<void>& written) {
        if (!written.ok()) return problem_->setText(sentenceCase(toQt(written.error().text()))), problem_->show();
        Q_EMIT saved(file);
        accept();
      });
}

ScoreDialog::ScoreDialog(Method method, const std::vector<ScoredModel>& models, StudioSettings& settings,
                         TaskQueue& tasks, QWidget* parent)
    : QDialog(parent),
      settings_(settings),
      tasks_(tasks),
      form_(new QFormLayout),
      models_(named(new QListWidget(this), "scoredModels", tr("Models"))),
      method_(named(new QComboBox(this), "scoreMethod", tr("Method"))),
      text_(named(new QLineEdit(this), "scoreText", tr("Text"), tr("A file of text that a run can read"))),
      task_(named(new QLineEdit(this), "scoreTask", tr("Task"),
                  tr("A file that describes labelled text and how models are scored on it"))),
      rates_(named(new QLineEdit(QStringLiteral("1e-5, 3e-5, 5e-5"), this), "scoreRates", tr("Learning rates"),
                   tr("The one that is best on the validation part counts"))),
      draws_(named(new QSpinBox(this), "scoreDraws", tr("Mask draws"),
                   tr("The mean over several draws of masks is less noisy, and takes so many times as long"))),
      seeds_(named(new QSpinBox(this), "scoreSeeds", tr("Seeds"), tr("Trainings of each rate, for the spread"))),
      epochs_(named(new QSpinBox(this), "scoreEpochs", tr("Epochs"),
                    tr("At most; the one that is best on the validation part counts"))),
      problem_(textLabel(this, TextLook::Muted)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(method == Method::Evaluate ? tr("Evaluate on a text") : tr("Judge models"));
  method_->addItem(tr("Evaluate on a text: loss, accuracy, bits per byte"));
  method_->addItem(tr("Probe on a task: seconds per model"));
  method_->addItem(tr("Fine-tune on a task: minutes per model"));
  method_->setCurrentIndex(static_cast<int>(method));
  draws_->setRange(1, 1000);
  seeds_->setRange(1, 100);
  seeds_->setValue(5);
  epochs_->setRange(1, 1000);
  epochs_->setValue(3);
  auto* describe = named(new QPushButton(tr("New task…"), this), "newTask", {},
                         tr("Describe a table of labelled text, whose columns are read"));
  form_->setRowWrapPolicy(QFormLayout::WrapLongRows);
  form_->addRow(tr("Models"), makeModels(models));
  form_->addRow(tr("Method"), method_);
  form_->addRow(tr("Text"), fileRow(*this, settings_, text_, "chooseScored", {tr("Text"), {}, tr("All files (*)")}));
  form_->addRow(tr("Mask draws"), draws_);
  QWidget* task = fileRow(*this, settings_, task_, "chooseScored",
                          {tr("Task file"), {}, tr("Tasks (*.yaml *.yml);;All files (*)")});
  task->layout()->addWidget(describe);
  form_->addRow(tr("Task"), task);
  form_->addRow(tr("Learning rates"), rates_);
  form_->addRow(tr("Seeds"), seeds_);
  form_->addRow(tr("Epochs"), epochs_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  start_ = addMainButton(*this, *buttons, QDialogButtonBox::ActionRole, tr("Start"), "startScoring");
  column(this, {{form_, 1}, problem_, buttons}, {{16, 16, 16, 16}, 8});
  resizeWithinScreen(*this, {80 * fontMetrics().averageCharWidth(), 26 * fontMetrics().height()});
  connect(describe, &QPushButton::clicked, this, &ScoreDialog::describeTask);
  connect(models_, &QListWidget::itemChanged, this, &ScoreDialog::update);
  connect(method_, &QComboBox::currentIndexChanged, this, &ScoreDialog::update);
  for (QLineEdit* each : {text_, task_, rates_}) connect(each, &QLineEdit::textChanged, this, &ScoreDialog::update);
  connect(start_, &QPushButton::clicked, this, [this] {
    Q_EMIT requested(jobs());
    accept();
  });
  update();
}

QWidget* ScoreDialog::makeModels(const std::vector<ScoredModel>& models) {
  auto* part = new QWidget(this);
  auto* folder = named(new QPushButton(tr("Add a Hugging Face folder…"), part), "addScoredFolder");
  for (const ScoredModel& model : models) addModel(model);
  if (models_->count() > 0) models_->setCurrentRow(0);
  connect(folder, &QPushButton::clicked, this, &ScoreDialog::addFolder);
  column(part, {{models_, 1}, {folder, 0, Qt::AlignLeft}}, {{0, 0, 0, 0}, 4});
  return part;
}

void ScoreDialog::addModel(const ScoredModel& model) {
  auto* item = new QListWidgetItem(model.name, models_);
  item->setData(Qt::UserRole, model.argument);
  item->setToolTip(plainToolTip(model.argument));
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  item->setCheckState(model.ticked ? Qt::Checked : Qt::Unchecked);
}

void ScoreDialog::addFolder() {
  const QString folder = askForFolder(*this, settings_, QStringLiteral("model"), tr("Folder of a Hugging Face model"));
  if (folder.isEmpty()) return;
  addModel({QFileInfo(folder).fileName(), folder});
  update();
}

void ScoreDialog::describeTask() {
  const QString table =
      askForFileToRead(*this, settings_, kTaskPurpose, {tr("Labelled text to learn from"), {}, tableFilter()});
  if (table.isEmpty()) return;
  auto* dialog = new TaskDialog(table, settings_, tasks_, this);
  connect(dialog, &TaskDialog::saved, task_, &QLineEdit::setText);
  dialog->open();
}

ScoreDialog::Method ScoreDialog::method() const {
  return static_cast<Method>(method_->currentIndex());
}

QStringList ScoreDialog::rates() const {
  static const QRegularExpression separator(QStringLiteral("[,;\\s]+"));
  return rates_->text().split(separator, Qt::SkipEmptyParts);
}

QString ScoreDialog::problem() const {
  const bool evaluates = method() == Method::Evaluate;
  if (jobs().empty()) return tr("Tick a model, or add a folder.");
  const QString file = (evaluates ? text_ : task_)->text().trimmed();
  if (file.isEmpty())
    return evaluates ? tr("Choose a text.") : tr("Choose a task file, or describe labelled text as a new task.");
  if (!QFileInfo::exists(file)) return tr("There is no file %1.").arg(file);
  if (method() != Method::FineTune) return {};
  const QStringList given = rates();
  const bool valid = std::ranges::all_of(given, [](const QString& rate) {
    bool isNumber = false;
    return rate.toDouble(&isNumber) > 0 && isNumber;
  });
  return given.isEmpty() || !valid ? tr("Learning rates are positive numbers, such as 1e-5, 3e-5.") : QString();
}

std::vector<ModelJob> ScoreDialog::jobs() const {
  const bool evaluates = method() == Method::Evaluate;
  const QString file = QFileInfo((evaluates ? text_ : task_)->text().trimmed()).absoluteFilePath();
  std::vector<ModelJob> jobs;
  for (int i = 0; i < models_->count(); ++i) {
    const QListWidgetItem& item = *models_->item(i);
    if (item.checkState() != Qt::Checked) continue;
    QStringList arguments{evaluates ? QStringLiteral("eval") : QStringLiteral("judge"),
                          item.data(Qt::UserRole).toString()};
    if (evaluates) {
      arguments << QStringLiteral("--data") << file << QStringLiteral("--draws") << draws_->text();
    } else {
      const bool tunes = method() == Method::FineTune;
      arguments << QStringLiteral("--task") << file << QStringLiteral("--method")
                << (tunes ? QStringLiteral("finetune") : QStringLiteral("probe"));
      if (tunes)
        arguments << QStringLiteral("--rates") << rates().join(u',') << QStringLiteral("--seeds")
                  << QString::number(seeds_->value()) << QStringLiteral("--epochs")
                  << QString::number(epochs_->value());
    }
    jobs.push_back(
        {tr("%1 on %2", "a model and a text or task").arg(item.text(), QFileInfo(file).fileName()), arguments});
  }
  return jobs;
}

void ScoreDialog::update() {
  const bool evaluates = method() == Method::Evaluate, tunes = method() == Method::FineTune;
  form_->setRowVisible(text_->parentWidget(), evaluates);
  form_->setRowVisible(draws_, evaluates);
  form_->setRowVisible(task_->parentWidget(), !evaluates);
  for (QWidget* each : std::initializer_list<QWidget*>{rates_, seeds_, epochs_}) form_->setRowVisible(each, tunes);
  const QString wrong = problem();
  problem_->setText(wrong.isEmpty() ? tr("Each starts when no run trains on this machine; the queue shows them.")
                                    : wrong);
  start_->setEnabled(wrong.isEmpty());
}

}  // namespace batchwise
