// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/presenters/csv_export_jobs.h"

#include <QtCore/QFileInfo>
#include <atomic>
#include <optional>

#include "core/base/return_if_error.h"
#include "ui/models/display_text.h"
#include "ui/presenters/output_writing.h"

namespace batchwise {
namespace {

constexpr std::size_t kRowsPerBlock = 10'000;  // about 10 ms

}  // namespace

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

QString CsvExportJobs::file() const {
  return busy() ? jobs_.front()->name : QString();
}

QString CsvExportJobs::description() const {
  return busy() ? tr("Saving %1…").arg(QFileInfo(file()).fileName()) : QString();
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
        const QString problem = written.ok() ? QString() : coreText(written.error().full());
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

}  // namespace batchwise
