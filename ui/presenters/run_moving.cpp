// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/run_moving.h"

#include <QtCore/QFileInfo>
#include <algorithm>
#include <atomic>

#include "core/exchange/run_archive.h"
#include "ui/models/words.h"

namespace batchwise {
namespace {

constexpr int kLookMs = 100;

}  // namespace

struct RunMoving::Work {
  enum class Way { Out, In };
  Work(Way itsWay, QString itsFile) : way(itsWay), file(std::move(itsFile)) {}

  const Way way;
  const QString file;
  std::atomic<int> percent = 0;  // told by the task queue
  std::stop_source stop;

  ArchiveProgress progress() {
    return [this](std::int64_t done, std::int64_t total) {
      percent = total > 0 ? static_cast<int>(std::min<std::int64_t>(99, 100 * done / total)) : 0;
    };
  }
};

RunMoving::RunMoving(TaskQueue& slow, QObject* parent) : FileWork(parent), slow_(slow) {
  look_.setInterval(kLookMs);
  connect(&look_, &QTimer::timeout, this, [this] {
    if (shown_ == percent()) return;
    shown_ = percent();
    Q_EMIT progressed();
  });
}

RunMoving::~RunMoving() {
  for (const auto& work : waiting_) work->stop.request_stop();
}

/// `move(work, stop)` in the queue's thread; `tell(summary)` here, also if it was given up too late.
template <typename Move, typename Tell>
void RunMoving::post(const std::shared_ptr<Work>& work, Move move, Tell tell) {
  waiting_.push_back(work);
  look_.start();
  slow_.post(
      this,
      [work, move = std::move(move)](const std::stop_token& closing) {
        const std::stop_callback alsoThen(closing, [&work] { work->stop.request_stop(); });
        return move(*work, work->stop.get_token());
      },
      [this, work, tell = std::move(tell)](const Result<ArchiveSummary>& done) {
        const bool givenUp = !done.ok() && done.error().code == ErrorCode::Stopped;
        if (!givenUp) tell(done);
        if (!givenUp && !done.ok()) Q_EMIT troubled();
        remove(work);
      });
  Q_EMIT progressed();
}

void RunMoving::exportRun(std::shared_ptr<const Workspace> workspace, const QString& run, const QString& file) {
  auto work = std::make_shared<Work>(Work::Way::Out, file);
  post(
      work,
      [workspace = std::move(workspace), run = run.toStdString()](Work& own, std::stop_token stop) {
        return exportArchive(*workspace, run, {}, own.file.toStdString(), Replaces::AnyFiles, own.progress(),
                             std::move(stop));
      },
      [this, file](const Result<ArchiveSummary>& done) {
        if (done.ok())
          Q_EMIT exported(file);
        else
          Q_EMIT exportFailed(coreText(done.error().text()));
      });
}

void RunMoving::importRun(std::shared_ptr<Workspace> workspace, const QString& archive) {
  auto work = std::make_shared<Work>(Work::Way::In, archive);
  const QString folder = QString::fromStdString(workspace->folder().string());
  post(
      work,
      [workspace = std::move(workspace)](Work& own, std::stop_token stop) {
        return importArchive(*workspace, own.file.toStdString(), {}, own.progress(), std::move(stop));
      },
      [this, folder, name = QFileInfo(archive).fileName()](const Result<ArchiveSummary>& done) {
        if (done.ok())
          Q_EMIT imported(toQt(done->run), toQt(done->name), folder);
        else
          Q_EMIT importFailed(name, coreText(done.error().text()));
      });
}

QString RunMoving::sentence() const {
  if (!busy()) return {};
  const QString name = QFileInfo(waiting_.front()->file).fileName();
  return waiting_.front()->way == Work::Way::Out ? tr("Exporting %1…").arg(name) : tr("Importing %1…").arg(name);
}

int RunMoving::percent() const {
  return busy() ? waiting_.front()->percent.load() : 0;
}

void RunMoving::giveUp() {
  if (!busy()) return;
  const auto work = waiting_.front();
  work->stop.request_stop();
  remove(work);
}

/// Nothing happens if it was given up before.
void RunMoving::remove(const std::shared_ptr<Work>& work) {
  if (std::erase(waiting_, work) == 0) return;
  shown_ = 0;
  if (!busy()) look_.stop();
  Q_EMIT progressed();
}

}  // namespace batchwise
