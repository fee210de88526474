// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/list/model_jobs.h"

#include <sys/prctl.h>

#include <QtCore/QFile>
#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QProcessEnvironment>
#include <QtCore/QTimer>
#include <algorithm>
#include <csignal>
#include <utility>
#include <variant>

#include "core/base/result.h"
#include "core/run/own_program.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr const char* kSetting = "model_jobs";
constexpr int kStopMs = 3000;

std::string toText(const std::vector<ModelJob>& jobs) {
  QJsonArray list;
  for (const ModelJob& job : jobs) list << QJsonArray{job.title, QJsonArray::fromStringList(job.arguments)};
  return QJsonDocument(list).toJson(QJsonDocument::Compact).toStdString();
}

std::vector<ModelJob> fromText(const std::string& text) {
  std::vector<ModelJob> jobs;
  for (const QJsonValue& each : QJsonDocument::fromJson(QByteArray::fromStdString(text)).array()) {
    ModelJob& job = jobs.emplace_back(ModelJob{each[0].toString(), {}});
    for (const QJsonValue& argument : each[1].toArray()) job.arguments << argument.toString();
  }
  return jobs;
}

}  // namespace

ModelJobs::ModelJobs(WorkspacePresenter& workspace, const RunPresenter& run, QObject* parent)
    : QObject(parent), workspace_(workspace), run_(run) {
  process_.setChildProcessModifier([] { prctl(PR_SET_PDEATHSIG, SIGTERM); });  // also if this program is killed
  connect(&process_, &QProcess::readyReadStandardError, this, &ModelJobs::readErrors);
  connect(&process_, &QProcess::finished, this, &ModelJobs::finish);
  connect(
      &process_, &QProcess::errorOccurred, this,
      [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        error_ = QStringLiteral(": ") + process_.errorString();
        finish(1, QProcess::NormalExit);
      },
      Qt::QueuedConnection);
  connect(&workspace_, &WorkspacePresenter::closing, this, [this] {
    jobs_.clear();
    stop(Ending::Abandoned);
  });
  connect(&workspace_, &WorkspacePresenter::opened, this, &ModelJobs::readStored);
  connect(&workspace_, &WorkspacePresenter::refreshed, this, &ModelJobs::startNext);  // the queue of runs comes first
}

ModelJobs::~ModelJobs() {
  process_.disconnect(this);
  if (process_.state() == QProcess::NotRunning) return;
  process_.terminate();
  if (!process_.waitForFinished(kStopMs)) process_.kill();
}

void ModelJobs::add(const std::vector<ModelJob>& jobs) {
  for (const ModelJob& job : jobs)
    if (std::ranges::find(jobs_, job) == jobs_.end()) jobs_.push_back(job);
  store();
  startNext();
}

void ModelJobs::cancel(int job) {
  if (job < 0 || job >= std::ssize(jobs_)) return;
  if (job == 0 && process_.state() != QProcess::NotRunning) return stop(Ending::Canceled);
  jobs_.erase(jobs_.begin() + job);
  store();
}

void ModelJobs::stop(Ending why) {
  if (process_.state() == QProcess::NotRunning) return;
  ending_ = why;
  process_.terminate();
  QTimer::singleShot(kStopMs, &process_, [this] {
    if (ending_ != Ending::Own) process_.kill();
  });
  Q_EMIT changed();
}

void ModelJobs::startNext() {
  if (waitsForRun() && !run_.busyOnThisMachine() && !workspace_.anyLocalRunTraining()) start();
  Q_EMIT changed();
}

void ModelJobs::start() {
  errors_.clear();
  error_.clear();
  progress_ = tr("Starting");
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("BATCHWISE_PROGRESS"), QStringLiteral("json"));
  process_.setProcessEnvironment(environment);
  process_.start(QFile::decodeName(trainingProgram().c_str()),
                 jobs_.front().arguments +
                     QStringList{QStringLiteral("--json"), QStringLiteral("--workspace"), workspace_.folder()});
  process_.closeWriteChannel();
  Q_EMIT changed();
}

void ModelJobs::readErrors() {
  errors_ += process_.readAllStandardError();
  for (qsizetype end = errors_.indexOf('\n'); end >= 0; end = errors_.indexOf('\n')) {
    const std::string line = errors_.first(end).toStdString();
    errors_.remove(0, end + 1);
    const auto event = eventFromLine(line);
    const auto* phase = event.ok() ? std::get_if<PhaseProgress>(&*event) : nullptr;
    if (phase == nullptr) {
      if (!event.ok() && !line.starts_with("note: ")) error_ = toQt(line);
      continue;
    }
    progress_ = sentenceCase(toQt(phase->phase));
    if (phase->total > 0)
      progress_ = tr("%1, %2 %", "what is done, and how much of it")
                      .arg(progress_)
                      .arg(static_cast<int>(100 * phase->done / phase->total));
  }
  Q_EMIT changed();
}

void ModelJobs::finish(int code, QProcess::ExitStatus status) {
  readErrors();
  const QJsonObject answer = QJsonDocument::fromJson(process_.readAllStandardOutput()).object();
  const Ending ending = std::exchange(ending_, Ending::Own);
  if (ending != Ending::Abandoned) {
    const QString title = jobs_.front().title;
    jobs_.erase(jobs_.begin());
    store();
    if (ending == Ending::Own && status == QProcess::NormalExit && code == 0)
      Q_EMIT done(title, answer);
    else if (ending == Ending::Own)
      Q_EMIT failed(title, error_.isEmpty() ? tr("The program ended unexpectedly")
                                            : sentenceCase(error_.section(QStringLiteral(": "), 1)));
  }
  startNext();
}

QString ModelJobs::stateOf(int job) const {
  if (job > 0) return tr("Waiting");
  if (ending_ != Ending::Own) return tr("Stopping");
  if (process_.state() != QProcess::NotRunning) return progress_;
  const QString run = run_.nameOnThisMachine();
  return run.isEmpty() ? tr("Waiting until no run trains on this machine")
                       : tr("Waiting until run %1 has ended").arg(run);
}

void ModelJobs::store() {
  if (!workspace_.workspace()) return;
  workspace_.tasks().post(
      this,
      [workspace = workspace_.workspace(), text = toText(jobs_)] { return workspace->saveSetting(kSetting, text); },
      [](const Result<void>&) {}, TaskQueue::AtEnd::Run);
  Q_EMIT changed();
}

void ModelJobs::readStored() {
  workspace_.tasks().post(
      this, [workspace = workspace_.workspace()] { return workspace->setting(kSetting); },
      [this, of = workspace_.workspace()](const Result<std::optional<std::string>>& text) {
        if (of == workspace_.workspace() && text.ok() && text->has_value()) add(fromText(**text));
      });
}

}  // namespace batchwise
