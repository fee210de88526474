// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QTimer>
#include <deque>
#include <memory>

#include "core/analysis/text_table.h"
#include "core/base/output_file.h"
#include "core/store/workspace.h"
#include "ui/bridge/thread_bridge.h"

namespace batchwise {

/// For a file chosen in a dialog, which has already asked whether to replace it.
inline constexpr Replaces kChosenFile = Replaces::AnyFiles;

/// Writes a file chosen by the user, atomically; refuses to overwrite a workspace. Returns the translated error, empty
/// on success.
QString writeChosenFile(const QString& file, const QByteArray& bytes);

/// Queue of long file operations, run one after the other; each can be canceled. GUI thread.
class FileJobs : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  virtual bool busy() const = 0;
  /// Describes the current operation: "Saving chart.csv…". Empty if idle.
  virtual QString description() const = 0;
  /// Progress of the current operation, 0 to 100.
  virtual int percent() const = 0;
  /// Text of the button that cancels the current operation.
  virtual QString cancelText() const = 0;
  /// Cancels the current operation, removes its partial output, and starts the next.
  virtual void cancel() = 0;

 Q_SIGNALS:
  /// busy(), description() or percent() have changed.
  void progressChanged();
  /// An operation has failed and the user should see it. progressChanged() follows.
  void errorOccurred();
};

/// Writes long tables to .csv files, one after the other, in blocks on the task queue that leave room for other tasks.
/// A file appears, or replaces an older one, only when complete. Destruction cancels. GUI thread.
class CsvExportJobs final : public FileJobs {
  Q_OBJECT

 public:
  explicit CsvExportJobs(TaskQueue& tasks, QObject* parent = nullptr);
  ~CsvExportJobs() override;

  /// Emits finished(), never before returning.
  void save(std::unique_ptr<RowSource> rows, const QString& file);
  /// Cancels the current file, without finished(), and starts the next. A complete file that is being moved into place
  /// cannot be canceled: finished() follows.
  void cancel() override;

  bool busy() const override { return !jobs_.empty(); }
  QString description() const override;
  int percent() const override { return percent_; }
  QString cancelText() const override { return tr("Cancel saving"); }

 Q_SIGNALS:
  /// `problem`: error, empty on success. progressChanged() follows.
  void finished(const QString& file, const QString& problem);

 private:
  struct Job;

  void writeNext();
  void startNext();

  TaskQueue& tasks_;
  std::deque<std::shared_ptr<Job>> jobs_;  // front: in progress, accessed by the task queue only
  int percent_ = 0;                        // progress of the front
};

/// Exports runs to archives, or imports them, one after the other on a task queue; archives may hold gigabytes of
/// checkpoints. Files and runs appear, or replace older ones, only when complete. Destruction cancels. GUI thread.
class ArchiveJobs final : public FileJobs {
  Q_OBJECT

 public:
  explicit ArchiveJobs(TaskQueue& slow, QObject* parent = nullptr);
  ~ArchiveJobs() override;

  /// Exports the run with its newest checkpoint. Emits exported() or exportFailed() unless canceled.
  void exportRun(std::shared_ptr<const Workspace> workspace, const QString& run, const QString& file);
  /// Emits imported() or importFailed() unless canceled.
  void importRun(std::shared_ptr<Workspace> workspace, const QString& archive);

  bool busy() const override { return !jobs_.empty(); }
  QString description() const override;
  int percent() const override;
  QString cancelText() const override;
  /// Emits exported() or imported() if the operation had already completed.
  void cancel() override;

 Q_SIGNALS:
  void exported(const QString& file);
  void exportFailed(const QString& what);
  /// `folder`: of the workspace, which may have been closed meanwhile.
  void imported(const QString& run, const QString& name, const QString& folder);
  /// `archive`: file name.
  void importFailed(const QString& archive, const QString& why);

 private:
  struct Job;
  template <typename Transfer, typename Done>
  void post(const std::shared_ptr<Job>& job, Transfer move, Done report);
  void remove(const std::shared_ptr<Job>& job);

  TaskQueue& slow_;
  std::deque<std::shared_ptr<Job>> jobs_;  // front: in progress
  QTimer pollTimer_;                       // polls the progress
  int shownPercent_ = 0;                   // last emitted percent
};

}  // namespace batchwise
