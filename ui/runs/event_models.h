// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "core/base/choice.h"
#include "core/config/events/run_event.h"
#include "ui/parts/table_model.h"
#include "ui/runs/run_series.h"

namespace batchwise {

/// Kinds of alerts shown to the user.
enum class AlertKind { NonFinite, Spike, Plateau, SlowDown, Memory, DiskLow, Finished, Failed, Diverged };
/// The names in the settings.
template <>
inline constexpr auto kChoiceNames<AlertKind> = namesInFiles("non_finite", "spike", "plateau", "slow_down", "memory",
                                                             "disk_low", "finished", "failed", "diverged");

QString alertKindText(AlertKind kind);  ///< "Loss spike", translated
/// Returns the kind of a note that is an alert.
std::optional<AlertKind> alertKindOf(const RunEvent& event);

struct AlertRow {
  std::int64_t wallMs = 0;  ///< ms since 1970
  QString run, runName;     ///< empty for a disk alert; without an id, a run that ended before it began
  AlertKind kind = AlertKind::Finished;
  QString sentence;
};

/// Alerts of all runs, newest first; keeps the newest 1,000. GUI thread.
class AlertModel final : public RowTable<std::deque<AlertRow>> {
  Q_OBJECT

 public:
  enum Column { TimeColumn, RunColumn, TextColumn, ColumnCount };
  enum Role { RunRole = Qt::UserRole + 1 };  ///< QString, run id; empty for a disk alert

  explicit AlertModel(QObject* parent = nullptr);

  void add(AlertRow row);
  void clear() { resetRows({}); }

 private:
  QVariant cell(int at, int column, int role) const override;
};

struct LogRow {
  std::int64_t wallMs = 0;  ///< ms since 1970
  RunEvent event;
  QString sentence;  ///< cached: views ask at every repaint
};

/// Event log of a run, oldest first, one sentence per row; keeps the newest 10,000. GUI thread.
class LogModel final : public RowTable<std::deque<LogRow>> {
  Q_OBJECT

 public:
  enum Column { TimeColumn, BatchColumn, TextColumn, ColumnCount };

  explicit LogModel(QObject* parent = nullptr);

  void clear() { resetRows({}); }
  /// Sets the name of the run: the log of its end says which run it was, also where no other line is seen.
  void setRun(const std::string& name) { run_ = name; }
  /// Ignores events without a sentence. `wallMs`: time of the event, ms since 1970.
  void append(const RunEvent& event, std::int64_t wallMs);
  /// All rows as tab-separated lines.
  QString plainText() const;

 private:
  QVariant cell(int at, int column, int role) const override;

  std::string run_;
};

/// Memory of a device, in bytes; total 0: no limit known.
struct DeviceUsage {
  std::string id;  ///< its name
  double used = 0, peak = 0, total = 0;
  bool operator==(const DeviceUsage&) const = default;
};

/// Memory of each device of a run at its newest row: in use, peak, limit, peak as share of the limit. GUI thread.
class DeviceModel final : public RowTable<std::vector<DeviceUsage>> {
  Q_OBJECT

 public:
  enum Column { NameColumn, UsedColumn, PeakColumn, LimitColumn, ShareColumn, ColumnCount };

  explicit DeviceModel(QObject* parent = nullptr);

  void update(const RunSeries& series);

 private:
  QVariant cell(int at, int column, int role) const override;
};

}  // namespace batchwise
