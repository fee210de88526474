// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QTimer>
#include <deque>
#include <functional>
#include <memory>

#include "core/analysis/text_table.h"
#include "core/base/output_file.h"
#include "core/store/workspace.h"
#include "ui/bridge/thread_bridge.h"

namespace batchwise {

/// For a file chosen in a dialog, which has already asked whether to replace it.
inline constexpr Replaces kChosenFile = Replaces::AnyFiles;

/// Writes tables, reports and pictures to files, exports runs to archives and imports them, one after the other on a
/// task queue; a table may have millions of rows and an archive gigabytes of checkpoints. Each can be canceled. Files
/// and runs appear, or replace older ones, only when complete. Destruction cancels. GUI thread.
class FileJobs final : public QObject {
  Q_OBJECT

 public:
  explicit FileJobs(TaskQueue& queue, QObject* parent = nullptr);
  ~FileJobs() override;

  /// Emits written() or failed() unless canceled.
  void saveTable(std::unique_ptr<RowSource> rows, const QString& file);
  /// The same of the content of a file that `make` returns, called in the queue's thread.
  void saveBytes(std::function<Result<std::string>()> make, const QString& file);
  /// Exports the run with its newest checkpoint. Emits written() or failed() unless canceled.
  void exportRun(std::shared_ptr<const Workspace> workspace, const QString& run, const QString& file);
  /// Emits imported() or importFailed() unless canceled.
  void importRun(std::shared_ptr<Workspace> workspace, const QString& archive);

  bool busy() const { return !jobs_.empty(); }
  /// Describes the current operation: "Saving chart.csv…". Empty if idle.
  QString description() const;
  /// Progress of the current operation, 0 to 100.
  int percent() const;
  /// Text of the button that cancels the current operation.
  QString cancelText() const;
  /// Cancels the current operation, removes its partial output, and starts the next. One that had already completed is
  /// reported.
  void cancel();

 Q_SIGNALS:
  /// busy(), description() or percent() have changed.
  void progressChanged();
  /// An operation has failed and the user should see it. progressChanged() follows.
  void errorOccurred();
  void written(const QString& file);
  void failed(const QString& what);
  /// `folder`: of the workspace, which may have been closed meanwhile.
  void imported(const QString& run, const QString& name, const QString& folder);
  /// `archive`: file name.
  void importFailed(const QString& archive, const QString& why);

 private:
  struct Job;
  template <typename Work, typename Done>
  void post(const QString& description, const QString& cancelText, const QString& file, Work work, Done report);
  void reportWritten(const QString& file, const Error* problem);
  void remove(const std::shared_ptr<Job>& job);

  TaskQueue& queue_;
  std::deque<std::shared_ptr<Job>> jobs_;  // front: in progress
  QTimer pollTimer_;                       // polls the progress
  int shownPercent_ = 0;                   // last emitted percent
};

}  // namespace batchwise
