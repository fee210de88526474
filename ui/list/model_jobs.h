// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QJsonObject>
#include <QtCore/QObject>
#include <QtCore/QProcess>
#include <vector>

#include "ui/bridge/thread_bridge.h"
#include "ui/list/run_presenter.h"
#include "ui/list/workspace_presenter.h"

namespace batchwise {

/// A command of the program that evaluates or judges one model and answers in JSON.
struct ModelJob {
  QString title;          ///< "base-1 on movie-reviews"
  QStringList arguments;  ///< "judge", "base-1", "--task", …
  bool operator==(const ModelJob&) const = default;
};

/// Evaluations and judgements of models, one after the other in processes of their own, each when no run trains on this
/// machine. They are kept in the workspace until they are done: what a window that closes has interrupted, the next one
/// continues, and scores that are stored are not computed again. GUI thread.
class ModelJobs final : public QObject {
  Q_OBJECT

 public:
  ModelJobs(WorkspacePresenter& workspace, const RunPresenter& run, QObject* parent = nullptr);
  /// Ends the process.
  ~ModelJobs() override;

  /// Those that are listed already are not added again.
  void add(const std::vector<ModelJob>& jobs);
  /// Removes a job; its process ends.
  void cancel(int job);
  /// Starts the first one though a run trains.
  void startNow() {
    if (waitsForRun()) start();
  }

  /// The first one is in progress, or the next.
  const std::vector<ModelJob>& all() const { return jobs_; }
  /// What a job does: "features of the training part, 40 %", "Waiting until run first has ended".
  QString stateOf(int job) const;
  bool waitsForRun() const { return !jobs_.empty() && process_.state() == QProcess::NotRunning; }

 Q_SIGNALS:
  /// all() or a state has changed.
  void changed();
  /// `answer`: what the program has written; the scores are stored.
  void done(const QString& title, const QJsonObject& answer);
  void failed(const QString& title, const QString& why);

 private:
  /// Why the process ends: by itself, or because of cancel(), or since another workspace is opened.
  enum class Ending { Own, Canceled, Abandoned };
  void stop(Ending why);
  void startNext();
  void start();
  void readErrors();
  void finish(int code, QProcess::ExitStatus status);
  void store();
  void readStored();

  WorkspacePresenter& workspace_;
  const RunPresenter& run_;
  std::vector<ModelJob> jobs_;
  QProcess process_;
  QByteArray errors_;         // of the process, the line that is not complete
  QString progress_, error_;  // of the process
  Ending ending_ = Ending::Own;
};

}  // namespace batchwise
