// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QString>

namespace batchwise {

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
  /// Cancels the current operation, removes its partial output, and starts the next.
  virtual void cancel() = 0;

 Q_SIGNALS:
  /// busy(), description() or percent() have changed.
  void progressChanged();
  /// An operation has failed and the user should see it. progressChanged() follows.
  void errorOccurred();
};

}  // namespace batchwise
