// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/file_jobs.h"

#include <QtCore/QFileInfo>
#include <algorithm>
#include <atomic>
#include <optional>

#include "core/base/result.h"
#include "core/store/archive/run_archive.h"
#include "ui/models/display_text.h"

namespace batchwise {
namespace {

constexpr std::size_t kRowsPerBlock = 10'000;  // about 10 ms

constexpr int kPollMs = 100;

}  // namespace

QString writeChosenFile(const QString& file, const QByteArray& bytes) {
  const auto written = writeOutput(file.toStdString(), kChosenFile, bytes.toStdString());
  return written.ok() ? QString() : toQt(written.error().text());
}

struct CsvExportJobs::Job {
  Job(std::unique_ptr<RowSource> source, const QString& fileName) : name(fileName), rows(std::move(source)) {}

  /// GUI thread. Returns false if the file is already being moved into place.
  bool cancel() {
    Stage writing = Stage::Writing;
    return stage.compare_exchange_strong(writing, Stage::Canceled);
  }

  /// Writes the next block, and commits the file after the last; a canceled file is never committed.
  Result<void> writeBlock() {
    const bool isFirst = !file;
    if (isFirst) {
      ASSIGN_OR_RETURN(auto opened, OutputFile::open(name.toStdString(), kChosenFile));
      file.emplace(std::move(opened));
    }
    const TextTable block = rows->next(kRowsPerBlock);
    const std::string text = isFirst ? tableText(block, TableFormat::Csv) : csvRows(block);
    const auto written = file->write(std::as_bytes(std::span(text)));
    return written.ok() && rows->atEnd() ? commit() : written;
  }

  Result<void> commit() {
    Stage writing = Stage::Writing;
    return stage.compare_exchange_strong(writing, Stage::Committing) ? file->commit() : Result<void>{};
  }

  const QString name;
  std::unique_ptr<RowSource> rows;
  std::optional<OutputFile> file;  // set when open
  enum class Stage { Writing, Committing, Canceled };
  std::atomic<Stage> stage = Stage::Writing;  // both threads try to leave Writing; one succeeds
};

CsvExportJobs::CsvExportJobs(TaskQueue& tasks, QObject* parent) : FileJobs(parent), tasks_(tasks) {}
CsvExportJobs::~CsvExportJobs() {
  if (busy()) jobs_.front()->cancel();
}

void CsvExportJobs::save(std::unique_ptr<RowSource> rows, const QString& file) {
  jobs_.push_back(std::make_shared<Job>(std::move(rows), file));
  if (jobs_.size() == 1) writeNext();
  Q_EMIT progressChanged();
}

QString CsvExportJobs::description() const {
  return busy() ? tr("Saving %1…").arg(QFileInfo(jobs_.front()->name).fileName()) : QString();
}

void CsvExportJobs::cancel() {
  if (busy() && jobs_.front()->cancel()) startNext();
}

void CsvExportJobs::startNext() {
  jobs_.pop_front();
  percent_ = 0;
  if (busy()) writeNext();
  Q_EMIT progressChanged();
}

void CsvExportJobs::writeNext() {
  struct Block {
    QString problem;
    double progress;
    bool last;
  };
  tasks_.post(
      this,
      [job = jobs_.front()] {
        const auto written = job->writeBlock();
        const QString problem = written.ok() ? QString() : toQt(written.error().text());
        return Block{problem, job->rows->progress(), job->rows->atEnd()};
      },
      [this, of = jobs_.front()](const Block& block) {
        if (!busy() || jobs_.front() != of) return;  // canceled
        if (!block.last && block.problem.isEmpty()) {
          percent_ = static_cast<int>(100 * block.progress);
          writeNext();
          Q_EMIT progressChanged();
          return;
        }
        Q_EMIT finished(of->name, block.problem);
        if (!block.problem.isEmpty()) Q_EMIT errorOccurred();
        startNext();
      });
}

struct ArchiveJobs::Job {
  enum class Direction { Export, Import };
  Job(Direction itsDirection, QString itsFile) : direction(itsDirection), file(std::move(itsFile)) {}

  const Direction direction;
  const QString file;
  std::atomic<int> percent = 0;  // written by the task queue
  std::stop_source stop;

  ArchiveProgress progress() {
    return [this](std::int64_t done, std::int64_t total) {
      percent = total > 0 ? static_cast<int>(std::min<std::int64_t>(99, 100 * done / total)) : 0;
    };
  }
};

ArchiveJobs::ArchiveJobs(TaskQueue& slow, QObject* parent) : FileJobs(parent), slow_(slow) {
  pollTimer_.setInterval(kPollMs);
  connect(&pollTimer_, &QTimer::timeout, this, [this] {
    if (shownPercent_ == percent()) return;
    shownPercent_ = percent();
    Q_EMIT progressChanged();
  });
}

ArchiveJobs::~ArchiveJobs() {
  for (const auto& job : jobs_) job->stop.request_stop();
}

/// Runs `move(job, stop)` in the queue's thread, then `report(summary)` in the GUI thread, unless canceled in time.
template <typename Transfer, typename Done>
void ArchiveJobs::post(const std::shared_ptr<Job>& job, Transfer move, Done report) {
  jobs_.push_back(job);
  pollTimer_.start();
  slow_.post(
      this,
      [job, move = std::move(move)](const std::stop_token& closing) {
        const std::stop_callback alsoThen(closing, [&job] { job->stop.request_stop(); });
        return move(*job, job->stop.get_token());
      },
      [this, job, report = std::move(report)](const Result<ArchiveSummary>& done) {
        const bool canceled = !done.ok() && done.error().code == ErrorCode::Stopped;
        if (!canceled) report(done);
        if (!canceled && !done.ok()) Q_EMIT errorOccurred();
        remove(job);
      });
  Q_EMIT progressChanged();
}

void ArchiveJobs::exportRun(std::shared_ptr<const Workspace> workspace, const QString& run, const QString& file) {
  auto job = std::make_shared<Job>(Job::Direction::Export, file);
  post(
      job,
      [workspace = std::move(workspace), run = run.toStdString()](Job& own, std::stop_token stop) {
        return exportArchive(*workspace, run, {}, own.file.toStdString(), Replaces::AnyFiles, own.progress(),
                             std::move(stop));
      },
      [this, file](const Result<ArchiveSummary>& done) {
        if (done.ok())
          Q_EMIT exported(file);
        else
          Q_EMIT exportFailed(toQt(done.error().text()));
      });
}

void ArchiveJobs::importRun(std::shared_ptr<Workspace> workspace, const QString& archive) {
  auto job = std::make_shared<Job>(Job::Direction::Import, archive);
  const QString folder = QString::fromStdString(workspace->folder().string());
  post(
      job,
      [workspace = std::move(workspace)](Job& own, std::stop_token stop) {
        return importArchive(*workspace, own.file.toStdString(), {}, own.progress(), std::move(stop));
      },
      [this, folder, name = QFileInfo(archive).fileName()](const Result<ArchiveSummary>& done) {
        if (done.ok())
          Q_EMIT imported(toQt(done->run), toQt(done->name), folder);
        else
          Q_EMIT importFailed(name, toQt(done.error().text()));
      });
}

QString ArchiveJobs::description() const {
  if (!busy()) return {};
  const QString name = QFileInfo(jobs_.front()->file).fileName();
  return jobs_.front()->direction == Job::Direction::Export ? tr("Exporting %1…").arg(name)
                                                            : tr("Importing %1…").arg(name);
}

QString ArchiveJobs::cancelText() const {
  const bool exports = busy() && jobs_.front()->direction == Job::Direction::Export;
  return exports ? tr("Cancel the export") : tr("Cancel the import");
}

int ArchiveJobs::percent() const {
  return busy() ? jobs_.front()->percent.load() : 0;
}

void ArchiveJobs::cancel() {
  if (!busy()) return;
  const auto job = jobs_.front();
  job->stop.request_stop();
  remove(job);
}

/// No effect if it was canceled before.
void ArchiveJobs::remove(const std::shared_ptr<Job>& job) {
  if (std::erase(jobs_, job) == 0) return;
  shownPercent_ = 0;
  if (!busy()) pollTimer_.stop();
  Q_EMIT progressChanged();
}

}  // namespace batchwise
