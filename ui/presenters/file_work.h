// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QString>

namespace batchwise {

/// Work on files that takes a while and can be given up, one piece after the other. GUI thread.
class FileWork : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  virtual bool busy() const = 0;
  /// What is done now: "Saving chart.csv…". Empty if nothing is.
  virtual QString sentence() const = 0;
  /// Of that, from 0 to 100.
  virtual int percent() const = 0;
  /// Gives up what is done now; nothing of it is left behind. The next piece is begun.
  virtual void giveUp() = 0;

 Q_SIGNALS:
  /// busy(), sentence() or percent() have changed.
  void progressed();
  /// Something has gone wrong that the person is to see. progressed() follows.
  void troubled();
};

}  // namespace batchwise
