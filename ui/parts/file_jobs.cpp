// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/parts/file_jobs.h"

#include <QtCore/QFileInfo>
#include <algorithm>
#include <atomic>

#include "core/base/result.h"
#include "core/store/archive/run_archive.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

constexpr std::size_t kRowsPerBlock = 10'000;  // about 10 ms
constexpr int kPollMs = 100;

Result<void> writeCsv(RowSource& rows, const std::string& file, std::atomic<int>& percent,
                      const std::stop_token& stop) {
  ASSIGN_OR_RETURN(auto output, OutputFile::open(file, kChosenFile));
  for (bool isFirst = true; isFirst || !rows.atEnd(); isFirst = false) {
    const TextTable block = rows.next(kRowsPerBlock);
    const std::string text = isFirst ? tableText(block, TableFormat::Csv) : csvRows(block);
    RETURN_IF_ERROR(output.write(std::as_bytes(std::span(text))));
    percent = static_cast<int>(100 * rows.progress());
    if (stop.stop_requested()) return Error{ErrorCode::Stopped, "", {}};
  }
  return output.commit();
}

}  // namespace

struct FileJobs::Job {
  Job(QString what, QString cancel, QString itsFile)
      : description(std::move(what)), cancelText(std::move(cancel)), file(std::move(itsFile)) {}

  const QString description, cancelText, file;
  std::atomic<int> percent = 0;  // written by the task queue
  std::stop_source stop;

  ArchiveProgress progress() {
    return [this](std::int64_t done, std::int64_t total) {
      percent = total > 0 ? static_cast<int>(std::min<std::int64_t>(99, 100 * done / total)) : 0;
    };
  }
};

FileJobs::FileJobs(TaskQueue& queue, QObject* parent) : QObject(parent), queue_(queue) {
  pollTimer_.setInterval(kPollMs);
  connect(&pollTimer_, &QTimer::timeout, this, [this] {
    if (shownPercent_ == percent()) return;
    shownPercent_ = percent();
    Q_EMIT progressChanged();
  });
}

FileJobs::~FileJobs() {
  for (const auto& job : jobs_) job->stop.request_stop();
}

/// Runs `work(job, stop)` in the queue's thread, then `report(result)` in the GUI thread, unless canceled in time.
template <typename Work, typename Done>
void FileJobs::post(const QString& description, const QString& cancelText, const QString& file, Work work,
                    Done report) {
  auto job = std::make_shared<Job>(description.arg(QFileInfo(file).fileName()), cancelText, file);
  jobs_.push_back(job);
  pollTimer_.start();
  queue_.post(
      this,
      [job, work = std::move(work)](const std::stop_token& closing) {
        const std::stop_callback alsoThen(closing, [&job] { job->stop.request_stop(); });
        return work(*job, job->stop.get_token());
      },
      [this, job, report = std::move(report)](const auto& done) {
        const bool canceled = !done.ok() && done.error().code == ErrorCode::Stopped;
        if (!canceled) report(done);
        if (!canceled && !done.ok()) Q_EMIT errorOccurred();
        remove(job);
      });
  Q_EMIT progressChanged();
}

void FileJobs::reportWritten(const QString& file, const Error* problem) {
  if (problem == nullptr)
    Q_EMIT written(file);
  else
    Q_EMIT failed(toQt(problem->text()));
}

void FileJobs::saveTable(std::unique_ptr<RowSource> rows, const QString& file) {
  post(
      tr("Saving %1…"), tr("Cancel saving"), file,
      [rows = std::shared_ptr(std::move(rows))](Job& job, const std::stop_token& stop) {
        return writeCsv(*rows, job.file.toStdString(), job.percent, stop);
      },
      [this, file](const Result<void>& done) { reportWritten(file, done.ok() ? nullptr : &done.error()); });
}

void FileJobs::saveBytes(std::function<Result<std::string>()> make, const QString& file) {
  post(
      tr("Saving %1…"), tr("Cancel saving"), file,
      [make = std::move(make)](Job& job, const std::stop_token& stop) -> Result<void> {
        if (stop.stop_requested()) return Error{ErrorCode::Stopped, "", {}};
        ASSIGN_OR_RETURN(const std::string bytes, make());
        if (stop.stop_requested()) return Error{ErrorCode::Stopped, "", {}};
        return writeOutput(job.file.toStdString(), kChosenFile, bytes);
      },
      [this, file](const Result<void>& done) { reportWritten(file, done.ok() ? nullptr : &done.error()); });
}

void FileJobs::exportRun(std::shared_ptr<const Workspace> workspace, const QString& run, const QString& file) {
  post(
      tr("Exporting %1…"), tr("Cancel the export"), file,
      [workspace = std::move(workspace), run = run.toStdString()](Job& job, std::stop_token stop) {
        return exportArchive(*workspace, run, {}, job.file.toStdString(), kChosenFile, job.progress(), std::move(stop));
      },
      [this, file](const Result<ArchiveSummary>& done) { reportWritten(file, done.ok() ? nullptr : &done.error()); });
}

void FileJobs::importRun(std::shared_ptr<Workspace> workspace, const QString& archive) {
  const QString folder = QString::fromStdString(workspace->folder().string());
  post(
      tr("Importing %1…"), tr("Cancel the import"), archive,
      [workspace = std::move(workspace)](Job& job, std::stop_token stop) {
        return importArchive(*workspace, job.file.toStdString(), {}, job.progress(), std::move(stop));
      },
      [this, folder, name = QFileInfo(archive).fileName()](const Result<ArchiveSummary>& done) {
        if (done.ok())
          Q_EMIT imported(toQt(done->run), toQt(done->name), folder);
        else
          Q_EMIT importFailed(name, toQt(done.error().text()));
      });
}

QString FileJobs::description() const {
  return busy() ? jobs_.front()->description : QString();
}

QString FileJobs::cancelText() const {
  return busy() ? jobs_.front()->cancelText : QString();
}

int FileJobs::percent() const {
  return busy() ? jobs_.front()->percent.load() : 0;
}

void FileJobs::cancel() {
  if (!busy()) return;
  const auto job = jobs_.front();
  job->stop.request_stop();
  remove(job);
}

/// No effect if it was canceled before.
void FileJobs::remove(const std::shared_ptr<Job>& job) {
  if (std::erase(jobs_, job) == 0) return;
  shownPercent_ = 0;
  if (!busy()) pollTimer_.stop();
  Q_EMIT progressChanged();
}

}  // namespace batchwise
