// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/store/records.h"

namespace batchwise {

/// Runs of a workspace, newest first: copies of the stored summaries. GUI thread.
class RunList final : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  int size() const { return static_cast<int>(runs_.size()); }
  const std::vector<RunSummary>& all() const { return runs_; }
  /// Both return null if there is none. Valid until the next change.
  const RunSummary* at(int place) const;
  const RunSummary* find(const QString& id) const { return at(placeOf(id.toStdString())); }
  int placeOf(const std::string& id) const;  ///< -1 if there is none

  void update(std::vector<RunSummary> runs);

  /// Name that the store will give to a new run that asks for `wanted`.
  std::string freeName(const std::string& wanted) const;
  /// Newest run with status Finished that is not archived; null if there is none. Valid until the next change.
  const RunSummary* newestFinished() const;

 Q_SIGNALS:
  /// update() is done.
  void updated();

 private:
  std::vector<RunSummary> runs_;
  std::unordered_map<std::string, int> places_;  // by id
};

}  // namespace batchwise
