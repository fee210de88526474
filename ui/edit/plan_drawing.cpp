// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/plan_drawing.h"

#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "core/config/schedule_parameters.h"
#include "core/config/schema.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"

namespace batchwise {
namespace {

constexpr std::size_t kMostStages = 40;  // that can be told apart in a chart
constexpr double kSnapPixels = 3;
constexpr double kManyBatches = 10;  // from here on, edges are at round numbers of samples and tokens
constexpr double kRow = 1;           // the row of a global batch counts it as completed
constexpr double kLeastRate = 1e-12;

constexpr DrawnTime kWarmup{&SchedulerConfig::tWarmup, "scheduler.t_warmup"};
constexpr DrawnTime kDecay{&SchedulerConfig::tDecay, "scheduler.t_decay", true};
constexpr DrawnTime kCooldown{&SchedulerConfig::tCooldown, "scheduler.t_cooldown", true};
constexpr DrawnTime kMax{&SchedulerConfig::tMax, "scheduler.t_max"};

/// The end of the run is that of its last row.
double rowOf(const DrawnTime& time) {
  return &time == &kMax ? 0 : kRow;
}

/// Returns the smallest of 1, 2 and 5 times a power of ten that is not below `least`.
double roundStep(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(std::max(least, 1e-12))));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10 * power;
}

/// 0.3 rather than 0.30000000000000004.
double withDigits(double number, int digits) {
  return QString::number(number, 'g', digits).toDouble();
}

}  // namespace

PlanDrawing::PlanDrawing(TrainConfig config, std::shared_ptr<const PlanPreview> plan, std::vector<std::string> varied)
    : config_(std::move(config)), plan_(std::move(plan)), varied_(std::move(varied)) {
  if (plan_->clocks.size() < 2 || plan_->stages.empty()) {
    if (config_.batch.growth.enabled())
      timesLock_ = QObject::tr("The samples are known only during the run: change the schedule in the form.");
    return;
  }
  end_ = static_cast<double>(*plan_->totals.batches);
  perSize_ = plan_->units.packs ? plan_->units.samples : 1;
  fit_ = std::max<std::int64_t>(1, config_.batch.deviceTrainMicrobatchSize.value_or(1) * plan_->units.devices);
  readStages();
  lock();
  if (sizesLock_.isEmpty()) addSizeHandles();
  addRateHandles(config_.stages.empty() && std::ranges::find(varied_, "optimizer.lr") == varied_.end());
}

/// Linear between the clocks that are known, which include both sides of each begin of a stage.
double PlanDrawing::converted(double count, TimeUnit unit, TimeUnit other) const {
  if (unit == other) return count;
  const auto clock = [](TimeUnit wanted) {
    return [wanted](const PlanClock& at) {
      return static_cast<double>(wanted == TimeUnit::Batch    ? at.batch
                                 : wanted == TimeUnit::Sample ? at.sample
                                                              : at.token);
    };
  };
  const auto x = clock(unit), y = clock(other);
  auto right = std::ranges::lower_bound(plan_->clocks, count, std::less<>(), x);
  right = std::clamp(right, std::next(plan_->clocks.begin()), std::prev(plan_->clocks.end()));
  const auto left = std::prev(right);
  return y(*left) + (count - x(*left)) / std::max(1.0, x(*right) - x(*left)) * (y(*right) - y(*left));
}

std::optional<Time> PlanDrawing::resolved(const Time& time, double ratio) const {
  const auto found = resolveTime(time, plan_->length, ratio, "at");
  return found.ok() ? std::optional(*found) : std::nullopt;
}

double PlanDrawing::firstBatchAt(const Time& time) const {
  const auto at = resolved(time, 1.0);
  return at ? std::ceil(batchesAt(*at) - 1e-6) : 0;
}

PlanDrawing::Scale PlanDrawing::scaleOf(TimeUnit unit, double ratio, double pixel, Snap snap) const {
  const bool isExact = snap == Snap::Exact, isShare = unit == TimeUnit::Duration || unit == TimeUnit::Epoch;
  const auto whole = resolved(unit == TimeUnit::Epoch ? Time::epochs(1) : Time::duration(1), ratio);
  const double grain = isExact ? 1 : roundStep(std::max(1.0, kSnapPixels * pixel));
  Scale scale{unit, ratio, grain, 0};
  if (isShare && whole) scale = {whole->unit(), whole->number(), 0, 0};
  if (!isShare && (isExact || unit == TimeUnit::Batch || grain < kManyBatches)) return scale;
  const double perBatch = clockAt(scale.clock, end_) / end_ / scale.each;
  scale.step = roundStep((isExact ? 0.1 : grain) * perBatch);
  scale.batches = scale.step / perBatch;
  return scale;
}

/// Returns the time between two global batches in this unit. `pixel`: in global batches.
Time PlanDrawing::lengthOf(Range batches, TimeUnit unit, double ratio, double pixel, Snap snap) const {
  const Scale scale = scaleOf(unit, ratio, pixel, snap);
  double& dragged = batches.low > 0 ? batches.low : batches.high;
  if (scale.step == 0) dragged = std::round(dragged / scale.batches) * scale.batches;
  const double clocks = clockAt(scale.clock, batches.high) - clockAt(scale.clock, batches.low);
  double number = std::max(0.0, clocks / scale.each);
  if (scale.step == 0) return Time::of(static_cast<std::int64_t>(number + 1e-6), unit);  // not behind its begin
  number = withDigits(std::round(number / scale.step) * scale.step, 15);
  if (unit == TimeUnit::Duration) return Time::duration(number);
  return unit == TimeUnit::Epoch ? Time::epochs(number) : Time::of(std::llround(number), unit);
}

// The batch size.

void PlanDrawing::readStages() {
  const RampupConfig& rampup = config_.batch.rampup;
  table_ = rampup.stages;
  for (const RampLevelConfig& stage : table_) starts_.push_back(starts_.empty() ? 0 : firstBatchAt(stage.at));
  if (!table_.empty()) return;
  // A clock on which the edges stay at their places in the data when the size of the global batch changes.
  TimeUnit unit = plan_->maxDuration.unit();
  if (unit != TimeUnit::Batch && unit != TimeUnit::Token) unit = TimeUnit::Sample;
  const auto add = [&](double from, std::int64_t size) {
    starts_.push_back(from);
    table_.push_back({Time::of(std::llround(clockAt(unit, from)), unit), size});
  };
  if (!rampup.enabled()) return add(0, config_.batch.globalTrainBatchSize);
  for (const PlannedRange& range : plan_->stages) add(static_cast<double>(range.fromBatch), range.stepUnits);
}

void PlanDrawing::lock() {
  const BatchConfig& batch = config_.batch;
  const std::string& schedule = config_.scheduler.name;
  const auto varies = [this](const char* path) {
    return std::ranges::any_of(varied_, [path](const std::string& each) { return each.starts_with(path); });
  };
  if (!config_.stages.empty())
    sizesLock_ = timesLock_ = QObject::tr("The run has stages: change their settings in the form.");
  else if (batch.growth.enabled())
    sizesLock_ = QObject::tr("The sizes follow from the adaptive growth: change its expression.");
  else if (batch.rampup.fromSchedule.enabled())
    sizesLock_ = QObject::tr("The sizes follow from the schedule, and the rate from the sizes: change the factor.");
  else if (batch.useMaximumBatchSize)
    sizesLock_ = QObject::tr("The size is the largest that fits into memory.");
  else if (varies("batch.rampup.") || varies("batch.global_train_batch_size"))
    sizesLock_ = QObject::tr("The batch size has several values: change them in the form.");
  else if (stageCount() > kMostStages)
    sizesLock_ =
        QObject::tr("The ramp has %1 stages, too many to tell apart: change it in the form.").arg(stageCount());
  else if (batch.rampup.duration && table_.back().globalTrainBatchSize != batch.globalTrainBatchSize)
    sizesLock_ = QObject::tr("The ramp does not reach its last size: make it shorter in the form.");
  if (schedule == "expression")
    timesLock_ = QObject::tr("The schedule is an expression, which has no times to drag: change its text.");
  else if (schedule == "chain")
    timesLock_ = QObject::tr("The schedule is a chain: change the table of its parts.");
  else if (varies("scheduler."))
    timesLock_ = QObject::tr("The schedule has several values: change them in the form.");
}

void PlanDrawing::addSizeHandles() {
  using Of = PlanHandle::Of;
  const bool isConstant = stageCount() == 1;
  for (std::size_t i = 0; i < stageCount(); ++i) {
    const double from = starts_[i] + kRow, to = i + 1 < stageCount() ? std::min(end_, starts_[i + 1] + kRow) : end_;
    if (from > end_) break;  // the run ends before
    const QString size = integerText(table_[i].globalTrainBatchSize);
    const QString text = isConstant ? size
                         : i == 0
                             ? QObject::tr("%1 at the start", "a batch size").arg(size)
                             : QObject::tr("%1 at %2", "a batch size, and a time").arg(size, timeText(table_[i].at));
    const QPointF corner(from, level(i)), below(from, level(i > 0 ? i - 1 : 0)), right(to, level(i));
    if (i > 0)
      sizes_.push_back({Of::StageStart,
                        i,
                        nullptr,
                        {QObject::tr("Start of stage %1").arg(i + 1), text, toQt(table_[i].at.text()), Qt::Horizontal,
                         (corner + below) / 2, below, corner}});
    sizes_.push_back(
        {Of::StageSize,
         i,
         nullptr,
         {isConstant ? QObject::tr("Batch size") : QObject::tr("Size of stage %1").arg(i + 1), text,
          QString::number(table_[i].globalTrainBatchSize), Qt::Vertical, (corner + right) / 2, corner, right}});
  }
}

/// Returns the global batches at which the stage can begin.
PlanDrawing::Range PlanDrawing::roomOf(std::size_t stage) const {
  const double after = stage + 1 < stageCount() ? std::min(starts_[stage + 1], end_) : end_;
  return {starts_[stage - 1] + 1, after - 1};
}

/// Returns a power of two near the size, else the nearest multiple of what the devices take at once. Below that there
/// is none.
std::int64_t PlanDrawing::roundSize(double size, double pixel) const {
  const double power = std::exp2(std::round(std::log2(std::max(1.0, size))));
  const double off = std::abs(power - size);  // below the first multiple: the nearer of both
  if (off <= 2 * kSnapPixels * pixel / perSize_ || off < static_cast<double>(fit_) - size) return std::llround(power);
  return std::max<std::int64_t>(1, std::llround(size / static_cast<double>(fit_))) * fit_;
}

/// One step: to the next multiple of what the devices take; more: twice or half; to the limit: as its neighbor.
std::int64_t PlanDrawing::steppedSize(std::size_t stage, int steps) const {
  const std::int64_t size = table_[stage].globalTrainBatchSize, below = (size - 1) / fit_ * fit_;
  const bool up = steps > 0;
  if (std::abs(steps) == kToLimit) {
    const std::size_t other = up ? stage + 1 : stage - 1;  // wraps around before the first
    return other < stageCount() ? table_[other].globalTrainBatchSize : up ? size : fit_;
  }
  if (std::abs(steps) > 1) return up ? 2 * size : size / 2;
  return up ? (size / fit_ + 1) * fit_ : below > 0 ? below : size / 2;
}

TrainConfig PlanDrawing::withTable(std::vector<RampLevelConfig> table) const {
  TrainConfig config = config_;
  const auto& given = config_.batch.rampup.stages;
  const std::int64_t before = given.empty() ? 0 : given.back().globalTrainBatchSize;
  const std::int64_t after = table.back().globalTrainBatchSize;
  const bool keepsPlaces = given.empty() || before == after || plan_->maxDuration.unit() == TimeUnit::Batch;
  for (std::int64_t last = 0; RampLevelConfig & stage : table) {  // in global batches of another size
    if (keepsPlaces || stage.at.unit() != TimeUnit::Batch || stage.at.count() == 0) continue;
    last = std::max(last + 1, stage.at.count() * before / after);
    stage.at = Time::of(last, TimeUnit::Batch);
  }
  config.batch.globalTrainBatchSize = table.back().globalTrainBatchSize;
  if (table.size() == 1 || config.batch.rampup.stages.empty()) config.batch.rampup = {};
  if (table.size() > 1) config.batch.rampup.stages = std::move(table);
  return config;
}

TrainConfig PlanDrawing::withStart(std::size_t stage, double batches, double pixel, Snap snap) const {
  const Range room = roomOf(stage);
  if (room.high < room.low) return config_;
  std::vector<RampLevelConfig> table = table_;
  Time& at = table[stage].at;
  const TimeUnit unit = at.unit();
  batches = std::clamp(batches, room.low, room.high);
  at = lengthOf({0, batches}, unit, 1.0, pixel, snap);
  if (const double first = firstBatchAt(at); first < room.low || first > room.high)
    at = lengthOf({0, batches}, unit, 1.0, pixel, Snap::Exact);
  return withTable(std::move(table));
}

TrainConfig PlanDrawing::withSize(std::size_t stage, std::int64_t size) const {
  const auto most = static_cast<std::int64_t>(*findField("batch.global_train_batch_size")->maximum);
  std::vector<RampLevelConfig> table = table_;
  table[stage].globalTrainBatchSize = std::clamp<std::int64_t>(size, 1, most);
  return withTable(std::move(table));
}

TrainConfig PlanDrawing::added(QPointF at, QPointF pixel, Snap snap) const {
  if (!sizesLock_.isEmpty() || table_.empty() || stageCount() >= kMostStages) return config_;
  const double batches = std::max(0.0, at.x() - kRow), size = std::max(1.0, at.y() / perSize_);
  const auto stage = std::ranges::upper_bound(starts_, batches) - starts_.begin();
  PlanDrawing wider = *this;
  wider.starts_.insert(wider.starts_.begin() + stage, batches);
  wider.table_.insert(wider.table_.begin() + stage,
                      {table_.back().at, snap == Snap::Exact ? std::llround(size) : roundSize(size, pixel.y())});
  const auto index = static_cast<std::size_t>(stage);
  const Range room = wider.roomOf(index);
  return room.high < room.low ? config_ : wider.withStart(index, batches, pixel.x(), snap);
}

TrainConfig PlanDrawing::removed(std::size_t stage) const {
  if (stageCount() < 2) return config_;
  std::vector<RampLevelConfig> table = table_;
  if (stage == 0) table[1].at = table[0].at;
  table.erase(table.begin() + static_cast<std::ptrdiff_t>(stage));
  return withTable(std::move(table));
}

std::vector<QPointF> PlanDrawing::sizeCourse() const {
  std::vector<QPointF> course;
  for (std::size_t i = 0; i < stageCount(); ++i) {
    if (i > 0) course.emplace_back(starts_[i] + kRow, level(i - 1));
    course.emplace_back(starts_[i] + kRow, level(i));
  }
  if (!course.empty()) course.emplace_back(std::max(end_, course.back().x()), course.back().y());
  return course;
}

// The learning rate.

double PlanDrawing::ratioOf(const DrawnTime& time) const {
  return &time == &kWarmup && !config_.scheduler.scaleWarmup ? 1.0 : config_.scaleScheduleRatio;
}

/// Returns the time as given, else its default, on a clock; nothing if the schedule has none.
std::optional<Time> PlanDrawing::timeInUse(const DrawnTime& time) const {
  if (const auto& given = config_.scheduler.*time.member) return resolved(*given, ratioOf(time));
  if (&time == &kMax) return resolved(Time::duration(1.0), 1.0);
  const auto found = plan_->resolved.find(time.path);
  if (found == plan_->resolved.end()) return std::nullopt;
  const auto value = Time::parse(found->second);
  return value.ok() ? std::optional(*value) : std::nullopt;
}

/// Returns the global batch at which something changes by this time.
double PlanDrawing::placeOf(const DrawnTime& time) const {
  const auto length = timeInUse(time);
  if (!length) return end_;
  if (!time.fromEnd) return batchesAt(*length);
  return converted(clockAt(length->unit(), placeOf(kMax)) - length->number(), length->unit(), TimeUnit::Batch);
}

void PlanDrawing::addRateHandles(bool peak) {
  const auto add = [this](PlanHandle::Of of, const DrawnTime* time, ChartHandle shown) {
    shown.value = QObject::tr("%1: %2", "a setting and its value").arg(shown.name, shown.value);
    rates_.push_back({of, 0, time, std::move(shown)});
  };
  const double rate = config_.optimizer.lr, side = end_ / 30;
  const QString text = toQt(formatExact(rate));
  if (peak)
    add(PlanHandle::Of::PeakRate, nullptr,
        {fieldLabel("optimizer.lr"), text, text, Qt::Vertical, {side / 2, rate}, {0, rate}, {side, rate}});
  const auto known = scheduleParameters(config_.scheduler.name);
  const bool isFlat = config_.scheduler.name.starts_with("constant");  // t_max has no effect
  for (const DrawnTime* time : {&kWarmup, &kDecay, &kCooldown, &kMax}) {
    const auto used = timeInUse(*time);
    const std::string name = std::string(time->path).substr(std::string("scheduler.").size());
    if (!timesLock_.isEmpty() || !used || std::ranges::find(known, name) == known.end()) continue;
    if (isFlat && time == &kMax) continue;
    times_.push_back(time);
    const double x = std::min(end_, placeOf(*time) + rowOf(*time));
    const auto next = std::ranges::lower_bound(plan_->rate, x, std::less<>(), &QPointF::x);
    const QPointF at(x, (next == plan_->rate.end() ? plan_->rate.back() : *next).y());
    const Time shown = (config_.scheduler.*time->member).value_or(*used);
    add(PlanHandle::Of::ScheduleTime, time,
        {fieldLabel(time->path), timeText(shown), toQt(shown.text()), Qt::Horizontal, at, {x, 0}, at});
  }
}

/// Returns the global batches to which the time can be dragged: between its neighbors.
PlanDrawing::Range PlanDrawing::roomOf(const DrawnTime& time) const {
  Range room{0, end_};
  for (const DrawnTime* other : times_) {
    const double place = placeOf(*other);
    if (&time == &kMax && other != &kMax)
      room.low += other->fromEnd ? placeOf(kMax) - place : place + 1;  // a decay goes with the end
    else if (other == &kMax || (&time == &kWarmup && other->fromEnd))
      room.high = std::min(room.high, place);
    else if (time.fromEnd && other == &kWarmup)
      room.low = place;
  }
  if (&time == &kMax) room.high = end_;
  return room;
}

TrainConfig PlanDrawing::withTime(const DrawnTime& time, double batches, double pixel, Snap snap) const {
  const Range room = roomOf(time);
  const auto used = timeInUse(time);
  if (room.high < room.low || !used) return config_;
  TrainConfig config = config_;
  std::optional<Time>& value = config.scheduler.*time.member;
  const double at = std::clamp(batches, room.low, room.high);
  if (&time == &kMax && at > end_ - 0.5) {
    value.reset();  // the end of the run, however long it is
    return config;
  }
  const Range length = time.fromEnd ? Range{at, placeOf(kMax)} : Range{0, at};
  value = lengthOf(length, value.value_or(*used).unit(), ratioOf(time), pixel, snap);
  const bool mayBeZero = time.fromEnd || (&time == &kWarmup && config.scheduler.name != "inverse_sqrt");
  return value->number() > 0 || mayBeZero ? config : config_;
}

TrainConfig PlanDrawing::withRate(double rate, int digits) const {
  TrainConfig config = config_;
  config.optimizer.lr = withDigits(std::clamp(rate, kLeastRate, *findField("optimizer.lr")->maximum), digits);
  return config;
}

// What is done to a handle.

TrainConfig PlanDrawing::moved(const PlanHandle& handle, QPointF to, QPointF pixel, Snap snap) const {
  const bool isRound = snap == Snap::Round;
  const double size = to.y() / perSize_;
  switch (handle.of) {
    case PlanHandle::Of::StageStart: return withStart(handle.stage, to.x() - kRow, pixel.x(), snap);
    case PlanHandle::Of::StageSize:
      return withSize(handle.stage, isRound ? roundSize(size, pixel.y()) : std::llround(size));
    case PlanHandle::Of::PeakRate: return withRate(to.y(), isRound ? 2 : 4);
    case PlanHandle::Of::ScheduleTime: break;
  }
  return withTime(*handle.time, to.x() - rowOf(*handle.time), pixel.x(), snap);
}

TrainConfig PlanDrawing::stepped(const PlanHandle& handle, int steps, QPointF pixel) const {
  const bool toLimit = std::abs(steps) == kToLimit;
  const Snap snap = toLimit ? Snap::Exact : Snap::Round;
  const auto by = [&](const Time& time, double ratio) {
    return steps * scaleOf(time.unit(), ratio, pixel.x(), Snap::Round).batches;
  };
  if (handle.of == PlanHandle::Of::StageStart) {
    const Time& at = table_[handle.stage].at;
    return withStart(handle.stage, batchesAt(resolved(at, 1.0).value_or(at)) + by(at, 1.0), pixel.x(), snap);
  }
  if (handle.of == PlanHandle::Of::StageSize) return withSize(handle.stage, steppedSize(handle.stage, steps));
  if (handle.of == PlanHandle::Of::ScheduleTime) {
    const DrawnTime& time = *handle.time;
    const Time shown = (config_.scheduler.*time.member).value_or(timeInUse(time).value_or(Time()));
    return withTime(time, placeOf(time) + by(shown, ratioOf(time)), pixel.x(), snap);
  }
  const double rate = std::max(config_.optimizer.lr, kLeastRate);
  const double digit = std::pow(10.0, std::floor(std::log10(rate) + 1e-9) - 1);  // the second one
  return toLimit ? config_ : withRate(std::max(rate + steps * digit, digit), 2);
}

Result<TrainConfig> PlanDrawing::typed(const PlanHandle& handle, const QString& text) const {
  const std::string value = text.trimmed().toStdString();
  if (handle.of == PlanHandle::Of::StageStart) {
    ASSIGN_OR_RETURN(const Time at, Time::parse(value));
    std::vector<RampLevelConfig> table = table_;
    const auto found = resolved(at, 1.0), before = resolved(std::exchange(table[handle.stage].at, at), 1.0);
    if (!found || !before || found->unit() != before->unit())
      return Error::config(
          "at", formatText("{} has another unit than the other stages, which have {}", value, table_.back().at.text()));
    const Range room = roomOf(handle.stage);
    if (const double first = firstBatchAt(at); first < room.low || first > room.high)
      return Error::config("at", formatText("{} is not between the stages before and after", value));
    return withTable(std::move(table));
  }
  const bool isSize = handle.of == PlanHandle::Of::StageSize;
  const std::string path = handle.time != nullptr ? handle.time->path
                           : isSize               ? "batch.global_train_batch_size"
                                                  : "optimizer.lr";
  TrainConfig config = config_;
  if (const std::string problem = findField(path)->set(config, value); !problem.empty())
    return Error::config(path, problem);
  return isSize ? withSize(handle.stage, config.batch.globalTrainBatchSize) : config;
}

}  // namespace batchwise
