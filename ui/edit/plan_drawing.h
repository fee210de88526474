// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/train_config.h"
#include "ui/charts/handle_layer.h"
#include "ui/edit/plan_preview.h"

namespace batchwise {

/// A time of a schedule that has a place in the chart.
struct DrawnTime {
  std::optional<Time> SchedulerConfig::*member;
  const char* path;
  bool fromEnd = false;  ///< it counts back from t_max
};

/// A value of the configuration that can be dragged in a chart of the plan.
struct PlanHandle {
  enum class Of { StageStart, StageSize, PeakRate, ScheduleTime };
  Of of = Of::PeakRate;
  std::size_t stage = 0;            ///< of StageStart, StageSize
  const DrawnTime* time = nullptr;  ///< of ScheduleTime
  ChartHandle shown;
};

/// Ramp and schedule of a configuration as its charts show them, and the configuration after something is dragged,
/// added, removed or typed there. Places are those of the charts. A value without widgets.
class PlanDrawing {
 public:
  /// Round: to sizes that devices take, whole global batches and round numbers; Exact: as near as the unit allows.
  enum class Snap { Round, Exact };

  PlanDrawing() = default;
  /// `plan`: of this configuration, or of one with another ramp or schedule, as while it is dragged. `varied`: fields
  /// that differ between the runs of a sweep.
  PlanDrawing(TrainConfig config, std::shared_ptr<const PlanPreview> plan, std::vector<std::string> varied = {});

  /// Returns that of another configuration, on the same plan.
  PlanDrawing of(TrainConfig config) const { return {std::move(config), plan_, varied_}; }

  const TrainConfig& config() const { return config_; }
  const std::vector<PlanHandle>& sizes() const { return sizes_; }
  const std::vector<PlanHandle>& rates() const { return rates_; }
  /// Returns why the batch size, or the times of the schedule, cannot be drawn; empty if they can.
  const QString& sizesLock() const { return sizesLock_; }
  const QString& timesLock() const { return timesLock_; }
  /// Returns the batch size as a line of steps.
  std::vector<QPointF> sizeCourse() const;

  // `pixel`: what a pixel of the chart is, which decides what a round number is.

  TrainConfig moved(const PlanHandle& handle, QPointF to, QPointF pixel, Snap snap) const;
  /// By a number of small steps: 1, more for large ones, kToLimit as far as its neighbors let it; negative: down.
  TrainConfig stepped(const PlanHandle& handle, int steps, QPointF pixel) const;
  /// Fails with Config if the text is no value for it.
  Result<TrainConfig> typed(const PlanHandle& handle, const QString& text) const;
  /// With a further stage from a place on; the configuration as it is if no global batch is left for it there.
  TrainConfig added(QPointF at, QPointF pixel, Snap snap) const;
  TrainConfig removed(std::size_t stage) const;

 private:
  struct Range {
    double low = 0, high = 0;  ///< global batches
  };

  double converted(double count, TimeUnit unit, TimeUnit other) const;
  double clockAt(TimeUnit unit, double batches) const { return converted(batches, TimeUnit::Batch, unit); }
  double batchesAt(const Time& time) const { return converted(time.number(), time.unit(), TimeUnit::Batch); }
  std::optional<Time> resolved(const Time& time, double ratio) const;
  double firstBatchAt(const Time& time) const;
  /// How times in a unit are rounded.
  struct Scale {
    TimeUnit clock = TimeUnit::Batch;  ///< that the unit means
    double each = 1;                   ///< of that clock
    double batches = 1;                ///< in global batches
    double step = 0;                   ///< the same in the unit; 0: at whole global batches
  };
  Scale scaleOf(TimeUnit unit, double ratio, double pixel, Snap snap) const;
  Time lengthOf(Range batches, TimeUnit unit, double ratio, double pixel, Snap snap) const;

  void readStages();
  void lock();
  void addSizeHandles();
  std::size_t stageCount() const { return table_.size(); }
  double level(std::size_t stage) const { return perSize_ * static_cast<double>(table_[stage].globalTrainBatchSize); }
  Range roomOf(std::size_t stage) const;
  std::int64_t roundSize(double size, double pixel) const;
  std::int64_t steppedSize(std::size_t stage, int steps) const;
  TrainConfig withTable(std::vector<RampLevelConfig> table) const;
  TrainConfig withStart(std::size_t stage, double batches, double pixel, Snap snap) const;
  TrainConfig withSize(std::size_t stage, std::int64_t size) const;

  void addRateHandles(bool peak);
  double ratioOf(const DrawnTime& time) const;
  std::optional<Time> timeInUse(const DrawnTime& time) const;
  double placeOf(const DrawnTime& time) const;
  Range roomOf(const DrawnTime& time) const;
  TrainConfig withTime(const DrawnTime& time, double batches, double pixel, Snap snap) const;
  TrainConfig withRate(double rate, int digits) const;

  TrainConfig config_;
  std::shared_ptr<const PlanPreview> plan_;
  std::vector<std::string> varied_;
  double end_ = 0;                       // of the plan, in global batches
  double perSize_ = 1;                   // samples in a unit
  std::int64_t fit_ = 1;                 // devices take multiples of it
  std::vector<RampLevelConfig> table_;   // the ramp; a single stage without one
  std::vector<double> starts_;           // of its stages, in global batches
  std::vector<const DrawnTime*> times_;  // that the schedule has
  std::vector<PlanHandle> sizes_, rates_;
  QString sizesLock_, timesLock_;
};

}  // namespace batchwise
