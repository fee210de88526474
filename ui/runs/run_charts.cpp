// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/run_charts.h"

#include <QtCore/QObject>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "core/analysis/group_curve.h"
#include "core/analysis/run_comparison.h"
#include "core/analysis/run_series_reader.h"
#include "ui/charts/long_series.h"
#include "ui/edit/plan_preview.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"

namespace batchwise {
namespace {

constexpr std::size_t kGroupPoints = 1000;  // most points of a line that is computed from several runs

/// A run with the map of its global batches to the axis.
struct Member {
  const RunView* view;
  std::shared_ptr<const XAxisMap> map;
  bool counts;                      // in means and bands
  const RunView* parent = nullptr;  // of a fork
  std::shared_ptr<const XAxisMap> parentMap = {};
};

struct Group {
  QString label;
  int style;
  std::vector<Member> members;
};

/// A series as drawn for a run.
struct Drawn {
  LongSeries points;      // x: global batches
  bool smoothed = false;  // `points` is a moving average
  Smoothing smoothing = Smoothing::Trailing;
  double batchesPerRow = 1;
  std::shared_ptr<const XAxisMap> map = {};
};

bool isEvaluation(const std::string& series) {
  return series.starts_with("eval.");
}

bool isStepped(const std::string& series) {
  return interpolationFor(series) == Interpolation::Previous;
}

/// Whether the series is recorded only while it can be told, and already a mean over many steps.
bool isNoiseScale(const std::string& series) {
  return series.starts_with("noise_scale");
}

bool isSmoothed(const std::string& series) {
  return series != "lr" && series != kMemorySeries && !isEvaluation(series) && !isStepped(series) &&
         !isNoiseScale(series);
}

bool hasValues(const LongSeries& points) {
  return points.firstOutside(0, points.size(), 0, 0) < points.size();
}

/// Returns the memory series of the device that uses most.
std::string largestDevice(const RunSeries& series) {
  std::string largest;
  double most = -1;
  for (const std::string& device : series.devices()) {
    const LongSeries& peak = series.points("memory." + device + ".peak");
    const double used = peak.empty() ? 0.0 : peak.back().y();
    if (used > most) largest = device;
    most = std::max(most, used);
  }
  return "memory." + largest + ".allocated";
}

/// Returns the name of a series of the charts in the store.
std::string storedName(const RunView& view, const std::string& series) {
  return series == kMemorySeries ? largestDevice(view.series) : series;
}

/// Returns `points` with a NaN where rows of the run without a value lie between two of them.
LongSeries withGaps(const LongSeries& points, const LongSeries& rows) {
  LongSeries all;
  std::size_t next = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0) {
      while (next < rows.size() && rows.x(next) <= points.x(i - 1)) ++next;
      if (next < rows.size() && rows.x(next) < points.x(i))
        all.append(rows.x(next), std::numeric_limits<double>::quiet_NaN());
    }
    all.append(points.x(i), points.y(i));
  }
  return all;
}

LongSeries rawPoints(const RunView& view, const std::string& series) {
  if (series == "step_samples") return view.series.stepSizes(samplesPerEpoch(view.detail)).full;
  if (isNoiseScale(series) && !view.thinned.contains(series))
    return withGaps(view.series.points(series), view.series.points("loss"));
  return view.series.points(storedName(view, series));
}

Drawn drawnPoints(const RunView& view, const std::string& series, double smoothing) {
  Drawn drawn{rawPoints(view, series)};
  const std::size_t rows = drawn.points.size();
  if (rows > 1)
    drawn.batchesPerRow = (drawn.points.back().x() - drawn.points.front().x()) / static_cast<double>(rows - 1);
  drawn.smoothed = smoothing > 0 && rows > 1 && isSmoothed(series);
  drawn.smoothing = smoothingOf(view.detail.summary.status);
  if (drawn.smoothed) drawn.points = view.series.smoothed(series, smoothing, drawn.smoothing);
  return drawn;
}

/// Returns the value at global batch `at`; NaN outside the points and beside values that are not finite.
double valueAtBatch(const LongSeries& points, double at, bool stepped) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const double tolerance = 1e-9 * (1 + std::abs(at));  // of mapping to the axis and back
  const std::size_t next = points.firstAfter(at + tolerance);
  if (next == 0) return kNone;
  const QPointF before = points[next - 1];
  if (before.x() >= at - tolerance) return before.y();
  if (next == points.size()) return kNone;
  if (stepped) return before.y();
  const QPointF after = points[next];
  if (!std::isfinite(before.y()) || !std::isfinite(after.y())) return kNone;  // std::lerp() gives the other one
  return std::lerp(before.y(), after.y(), (at - before.x()) / (after.x() - before.x()));
}

/// Maps the plain chart of `series` and its kind to a number format and an axis from 0.
void setFormat(RunChart& chart, const std::string& series) {
  const Metric* metric = findMetric(series);
  switch (metric == nullptr ? MetricFormat::Plain : metric->format) {
    case MetricFormat::Plain: chart.format = ValueFormat::Plain; break;
    case MetricFormat::Count:
    case MetricFormat::Whole: chart.format = ValueFormat::Count; break;
    case MetricFormat::Rate: chart.format = ValueFormat::Rate; break;
    case MetricFormat::Gibibytes: chart.format = ValueFormat::Gibibytes; break;
  }
  if (series == kMemorySeries) chart.format = ValueFormat::Gibibytes;
  chart.fromZero =
      chart.format != ValueFormat::Plain && (series == kMemorySeries || !series.starts_with(kMemoryPrefix));
}

LongSeries level(const ChartContent& content, double value) {
  return {{content.xLow, value}, {content.xHigh, value}};
}

SeriesLabel labelOf(const std::string& series) {
  if (series == kMemorySeries) return {QObject::tr("Memory"), QObject::tr("GiB per device")};
  return seriesLabel(series);
}

/// Label of a stored reference value.
QString referenceName(const std::string& key) {
  if (key.starts_with("unigram")) return QObject::tr("unigram baseline");
  return toQt(key).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString bandNote(Band band) {
  switch (band) {
    case Band::None: break;
    case Band::Deviation: return QObject::tr("band: standard deviation");
    case Band::Error: return QObject::tr("band: standard error");
    case Band::Confidence95: return QObject::tr("band: 95 % confidence");
  }
  return {};
}

/// Returns whether a series has no value for some global batches between its first and its last. One of which only
/// extremes were read counts as having one for each.
bool hasGaps(const RunView& view, const std::string& series) {
  const LongSeries points = rawPoints(view, series);
  return points.size() > 1 && !view.thinned.contains(storedName(view, series)) &&
         points.back().x() - points.front().x() >= static_cast<double>(points.size());
}

/// Members of groups as curves over the same axis values.
struct SampledGroups {
  std::vector<double> grid;
  std::vector<std::vector<Curve>> groups;
};

SampledGroups sampledAt(std::vector<double> grid, const std::vector<std::vector<Drawn>>& groups, bool stepped) {
  SampledGroups sampled{std::move(grid), {}};
  for (const std::vector<Drawn>& group : groups) {
    sampled.groups.emplace_back();
    for (const Drawn& drawn : group) {
      Curve& curve = sampled.groups.back().emplace_back();
      for (const double x : sampled.grid)
        curve.push_back({x, valueAtBatch(drawn.points, drawn.map->batchAt(x), stepped)});
    }
  }
  return sampled;
}

MeasuredCurve measuredCurve(const Drawn& drawn) {
  MeasuredCurve curve;
  for (std::size_t i = 0; i < drawn.points.size(); ++i) {
    const double batch = drawn.points.x(i), x = drawn.map->at(batch);
    curve.push_back({x, drawn.points.y(i), std::llround(batch), x - drawn.map->at(std::max(0.0, batch - 1))});
  }
  return curve;
}

SampledGroups sampledWhereMeasured(const std::vector<std::vector<Drawn>>& groups) {
  std::vector<MeasuredCurve> measured;
  for (const std::vector<Drawn>& group : groups)
    for (const Drawn& drawn : group) measured.push_back(measuredCurve(drawn));
  std::vector<Curve> curves = alignedCurves(measured);
  SampledGroups sampled{gridOf(curves, kGroupPoints), {}};
  auto next = curves.begin();
  for (const std::vector<Drawn>& group : groups) {
    const auto end = next + static_cast<std::ptrdiff_t>(group.size());
    sampled.groups.emplace_back(next, end);
    next = end;
  }
  return sampled;
}

/// Number of runs that a mean of the series is over.
int measuredRuns(const Group& group, const std::string& series) {
  return static_cast<int>(std::ranges::count_if(group.members, [&](const Member& own) {
    return own.counts && !own.view->series.points(storedName(*own.view, series)).empty();
  }));
}

/// Returns whether the group has a run of another program.
bool isOfOthers(const Group& group) {
  return std::ranges::any_of(group.members,
                             [](const Member& member) { return isExternal(member.view->detail.summary); });
}

/// Adds the lines of one chart.
class ChartMaker {
 public:
  ChartMaker(const ChartLayout& layout, const ChartSpec& spec, const std::vector<Group>& groups)
      : layout_(layout), spec_(spec), groups_(groups) {}

  RunChart make();

 private:
  void addTitle();
  void setExtent();
  void addResumes();
  void addSeries(const std::string& series, int colorOffset);
  void addRun(const std::string& series, const Group& group, const QString& name, int color);
  void addGroup(const std::string& series, const Group& group, const QString& name);
  void addDifferences(const std::string& series);
  void addDifference(const std::string& series, const Group& group, const QString& name);
  void addParent(const std::string& series, const Member& member, int color);
  void addAlone(const std::string& series, int color);
  void addMemoryOfDevices(const RunView& view, int color);
  void addPlan(const RunView& view, const std::string& series);
  void addEpochEnds(const Group& group, int color);
  void addNoiseScale(const Member& member, int color);
  void addCenter(const Group& group, const std::vector<GroupPoint>& points, const std::string& series,
                 const QString& name);
  SampledGroups sample(const std::string& series, std::initializer_list<const Group*> groups);
  static std::vector<GroupPoint> centerOf(const std::string& series, const SampledGroups& sampled, std::size_t group,
                                          Center center, Band band);
  std::vector<double> gridFor(const std::string& series, std::initializer_list<const Group*> groups) const;
  ChartLine& add(LineKind kind, const QString& name, LongSeries points, int color, const Member* member);
  QString nameOf(const Group& group, const std::string& series) const;
  QString legendOf(const Group& group, const std::string& series) const;
  QString nameAlone(const std::string& series) const;
  void noteSmoothing(const Drawn& drawn);
  void addNotes();
  bool seesUnequalTokens() const;
  bool differInStepsPerBatch() const;
  /// The only run; null if there are several.
  const RunView* alone() const;
  /// True if one of the runs is of another program, which does not say what exactly it has measured.
  bool hasExternal() const { return std::ranges::any_of(groups_, isOfOthers); }

  const ChartLayout& layout_;
  const ChartSpec& spec_;
  const std::vector<Group>& groups_;
  RunChart chart_;
  bool centered_ = true;  // every smoothed line is centered: its run has ended
  double window_ = 0;     // global batches over which a line is smoothed; 0: none is
};

const RunView* ChartMaker::alone() const {
  return groups_.size() == 1 && groups_.front().members.size() == 1 ? groups_.front().members.front().view : nullptr;
}

void ChartMaker::addTitle() {
  const std::string& first = spec_.series.front();
  const SeriesLabel label = labelOf(first);
  chart_.title = label.title;
  chart_.unit = label.unit;
  setFormat(chart_, first);
  for (const std::string& series : spec_.series) {
    if (series == first || spec_.isCompanion(series)) continue;
    const SeriesLabel other = labelOf(series);
    chart_.title += QStringLiteral(", ") + other.title;
    if (other.unit != label.unit) chart_.unit.clear();
  }
  if (hasExternal()) chart_.unit.clear();
  if (!spec_.difference) return;
  chart_.fromZero = false;
  chart_.title = QObject::tr("%1, difference").arg(chart_.title);
}

void ChartMaker::setExtent() {
  ChartContent& content = chart_.content;
  content.xAxis = layout_.xAxis;
  content.xHigh = content.dataEnd = 0;
  for (const Group& group : groups_) {
    for (const Member& member : group.members) {
      const auto last = static_cast<double>(member.view->series.lastBatch());
      const auto planned = static_cast<double>(member.view->detail.summary.plannedBatches);
      content.dataEnd = std::max(content.dataEnd, member.map->at(last));
      content.xHigh = std::max(content.xHigh, member.map->at(layout_.wholeRun ? std::max(last, planned) : last));
    }
  }
  if (content.xHigh <= 0) content.xHigh = 1;
}

void ChartMaker::addResumes() {
  for (const Group& group : groups_)
    for (const Member& member : group.members)
      for (const double batch : member.view->resumePositions)
        if (batch > 0) chart_.content.resumePositions.push_back(member.map->at(batch));
}

/// True if the chart has the mean gradient norm of this run too.
bool hasMeanNorm(const ChartSpec& spec, const RunView& view) {
  return spec.has("grad_norm_mean") && !view.series.points("grad_norm_mean").empty();
}

/// The largest gradient norm is the peak of its mean.
LineKind kindOf(const ChartSpec& spec, const RunView& view, const std::string& series) {
  if (isEvaluation(series)) return LineKind::Points;
  return series == "grad_norm" && hasMeanNorm(spec, view) ? LineKind::Thin : LineKind::Main;
}

ChartLine& ChartMaker::add(LineKind kind, const QString& name, LongSeries points, int color, const Member* member) {
  ChartLine line;
  line.name = name;
  line.kind = kind;
  line.color = color;
  line.points = std::move(points);
  if (member != nullptr) line.map = member->map;
  chart_.content.lines.push_back(std::move(line));
  return chart_.content.lines.back();
}

/// Name of the evaluation set of "eval.general.loss"; empty for other series.
QString setOf(const std::string& series) {
  const QStringList parts = toQt(series).split(QLatin1Char('.'));
  return parts.size() > 2 && parts.front() == QLatin1String("eval")
             ? parts.mid(1, parts.size() - 2).join(QLatin1Char('.'))
             : QString();
}

bool namesSets(const ChartSpec& spec) {
  return std::ranges::any_of(spec.series, [](const std::string& series) { return !setOf(series).isEmpty(); });
}

QString ChartMaker::nameAlone(const std::string& series) const {
  if (spec_.hasSeveralQuantities()) return labelOf(series).title;
  if (series == "loss" || series == "tokens_per_sec") return QObject::tr("training");
  if (series == "eval.loss")
    return namesSets(spec_) ? QObject::tr("evaluation, mean of the sets") : QObject::tr("evaluation");
  if (const QString set = setOf(series); !set.isEmpty() && spec_.isCompanion(series))
    return set == QLatin1String("held_out") ? QObject::tr("evaluation on held-out text")
                                            : QObject::tr("evaluation on %1").arg(set);
  if (isEvaluation(series)) return labelOf(series).title;
  if (series == "lr" || series == "step_samples") return QObject::tr("in use");
  if (series == "grad_norm_mean") return QObject::tr("mean norm of the steps");
  if (series != "grad_norm" || hasExternal()) return QObject::tr("measured");
  return hasMeanNorm(spec_, *groups_.front().members.front().view) ? QObject::tr("largest norm of the steps")
                                                                   : QObject::tr("before clipping");
}

QString ChartMaker::nameOf(const Group& group, const std::string& series) const {
  if (alone() != nullptr) return nameAlone(series);
  if (series == spec_.series.front()) return group.label;
  const bool evaluates = isEvaluation(series) && spec_.isCompanion(series);
  const QString what = evaluates ? nameAlone(series) : labelOf(series).title;
  return QStringLiteral("%1, %2").arg(group.label, what);
}

/// Returns the label of a line in the legend, empty for its name: of several runs or groups that of the run, also for
/// companions.
QString ChartMaker::legendOf(const Group& group, const std::string& series) const {
  if (groups_.size() > 1 && !setOf(series).isEmpty()) return nameOf(group, series);
  if (groups_.size() > 1) return spec_.isCompanion(series) || !spec_.hasSeveralQuantities() ? group.label : QString();
  if (series == "grad_norm_mean") return QObject::tr("mean");
  if (series == "grad_norm" && hasMeanNorm(spec_, *group.members.front().view)) return QObject::tr("largest");
  return alone() == nullptr ? nameAlone(series) : QString();
}

void ChartMaker::noteSmoothing(const Drawn& drawn) {
  if (!drawn.smoothed) return;
  window_ = std::max(window_, smoothingWindow(layout_.smoothing) * drawn.batchesPerRow);
  centered_ = centered_ && drawn.smoothing == Smoothing::Centered;
}

/// Adds what is drawn of a single run only, behind its measured lines.
void ChartMaker::addAlone(const std::string& series, int color) {
  const Member& member = groups_.front().members.front();
  const RunView& view = *member.view;
  ChartContent& content = chart_.content;
  if (series == "loss")
    for (const auto& [key, value] : view.detail.references)
      add(LineKind::Reference, referenceName(key), level(content, value), 0, nullptr);
  addPlan(view, series);
  for (const LongSeries& stretch : view.series.superseded(series))
    add(LineKind::Superseded, {}, stretch, color, &member).steps = isStepped(series);
}

void ChartMaker::addPlan(const RunView& view, const std::string& series) {
  if (series != "lr" && series != "step_samples") return;
  const auto planned = series == "lr" ? view.plannedRate : withoutEpochEnds(view.plannedStep);
  if (planned.empty()) return;
  add(LineKind::Planned, QObject::tr("planned"), LongSeries(planned), 0, &groups_.front().members.front()).steps =
      isStepped(series);
}

void ChartMaker::addMemoryOfDevices(const RunView& view, int color) {
  const Member& member = groups_.front().members.front();
  const auto devices = view.series.devices();
  for (const std::string& device : devices) {
    const auto points = [&](const char* kind) { return view.series.points("memory." + device + kind); };
    const QString who = devices.size() > 1 ? toQt(device) + QLatin1Char(' ') : QString();
    const ChartContent& content = chart_.content;
    if (const LongSeries total = points(".total"); !total.empty() && total.back().y() > 0) {
      const double limit = total.back().y();
      add(LineKind::Reference, who + QObject::tr("limit"), level(content, limit), color, nullptr);
    }
    const auto addKind = [&](LineKind kind, const QString& name, const char* series) {
      if (LongSeries own = points(series); !own.empty()) add(kind, who + name, std::move(own), color, &member);
    };
    addKind(LineKind::Thin, QObject::tr("peak"), ".peak");
    addKind(LineKind::Thin, QObject::tr("used by all programs"), ".driver_used");
    addKind(LineKind::Main, QObject::tr("used"), ".allocated");
    ++color;
  }
}

void ChartMaker::addEpochEnds(const Group& group, int color) {
  const bool several = alone() == nullptr;
  for (const Member& member : group.members) {
    LongSeries ends = member.view->series.stepSizes(samplesPerEpoch(member.view->detail)).epochEnds;
    const QString name = QObject::tr("end of an epoch");
    if (ends.empty()) continue;
    ChartLine& line = add(LineKind::Dots, several ? QStringLiteral("%1, %2").arg(group.label, name) : name,
                          std::move(ends), color, &member);
    line.owner = group.label;
    line.legend = groups_.size() > 1 ? group.label : QObject::tr("epoch end");
    if (groups_.size() > 1 && group.members.size() > 1)
      line.runs = measuredRuns(group, "step_samples");  // in the legend it shares the entry of the mean
  }
}

/// Draws the interval of the noise scale behind the batch size, where it is known to less than an order of magnitude:
/// the size stays readable beside it.
void ChartMaker::addNoiseScale(const Member& member, int color) {
  constexpr double kMostSpan = 10, kNone = std::numeric_limits<double>::quiet_NaN();
  const auto points = [&member](const char* name) { return rawPoints(*member.view, name); };
  const LongSeries scale = points("noise_scale"), low = points(kNoiseLow), high = points(kNoiseHigh);
  const std::size_t rows = std::min({scale.size(), low.size(), high.size()});
  const auto isKnown = [&](std::size_t i) { return i < rows && high.y(i) <= kMostSpan * low.y(i); };
  LongSeries line;
  ChartBand band{color, {}, {}};
  bool any = false;
  for (std::size_t i = 0; i < rows; ++i) {
    const bool known = isKnown(i) && ((i > 0 && isKnown(i - 1)) || isKnown(i + 1));  // one row alone has no width
    any = any || known;
    line.append(scale.x(i), known ? scale.y(i) : kNone);
    band.lower.append(member.map->at(low.x(i)), known ? low.y(i) : kNone);
    band.upper.append(member.map->at(high.x(i)), known ? high.y(i) : kNone);
  }
  if (!any) return;
  ChartLine& shown = add(LineKind::Main, QObject::tr("noise scale"), std::move(line), color, &member);
  shown.legend = QObject::tr("noise scale, for trend, not advice");
  shown.hasGaps = true;
  chart_.content.bands.push_back(std::move(band));
}

/// Draws what a fork continues, pale, to the left of its start.
void ChartMaker::addParent(const std::string& series, const Member& member, int color) {
  constexpr std::size_t kMostPoints = 20'000;
  if (member.parent == nullptr || series == kMemorySeries) return;
  const auto start = static_cast<double>(member.view->detail.segments.front().from.batch);
  const LongSeries all = drawnPoints(*member.parent, series, layout_.smoothing).points;
  const std::size_t end = all.firstAfter(start), step = 1 + end / kMostPoints;
  LongSeries before;
  for (std::size_t i = 0; i < end; i += step) before.append(all.x(i), all.y(i));
  if (before.empty()) return;
  ChartLine& line = add(LineKind::Superseded, {}, std::move(before), color, nullptr);
  line.map = member.parentMap;
  line.steps = isStepped(series);
  line.hasGaps = isNoiseScale(series);
}

void ChartMaker::addRun(const std::string& series, const Group& group, const QString& name, int color) {
  const Member& member = group.members.front();
  addParent(series, member, color);
  Drawn drawn = drawnPoints(*member.view, series, layout_.smoothing);
  const bool isZeroUnmeasured = series != "loss" && isSmoothed(series);
  if (drawn.points.empty() || (isZeroUnmeasured && !hasValues(drawn.points))) return;
  noteSmoothing(drawn);
  if (drawn.smoothed) add(LineKind::Raw, {}, rawPoints(*member.view, series), color, &member);
  ChartLine& line = add(kindOf(spec_, *member.view, series), name, std::move(drawn.points), color, &member);
  line.derived = drawn.smoothed;
  line.steps = isStepped(series);
  line.hasGaps = isNoiseScale(series);
  line.legend = legendOf(group, series);
  line.owner = group.label;
}

/// Returns the axis values at which a line computed from groups is evaluated.
std::vector<double> ChartMaker::gridFor(const std::string& series, std::initializer_list<const Group*> groups) const {
  std::size_t points = 0;
  std::vector<Curve> rows;
  double low = std::numeric_limits<double>::max(), high = 0;
  for (const Group* group : groups) {
    for (const Member& member : group->members) {
      const LongSeries own = rawPoints(*member.view, series);
      if (own.empty()) continue;
      points += own.size();
      low = std::min(low, member.map->at(own.front().x()));
      high = std::max(high, member.map->at(own.back().x()));
      Curve& curve = rows.emplace_back();
      for (std::size_t i = 0; points <= kGroupPoints && i < own.size(); ++i)
        curve.push_back({member.map->at(own.x(i)), own.y(i)});
    }
  }
  if (points <= kGroupPoints) return gridOf(rows, kGroupPoints);
  std::vector<double> grid(kGroupPoints);
  for (std::size_t i = 0; i < kGroupPoints; ++i)
    grid[i] = std::lerp(low, high, static_cast<double>(i) / static_cast<double>(kGroupPoints - 1));
  return grid;
}

/// Returns the counted members at axis values at which they can be compared: where all of them were measured if the
/// series has no value for each global batch, such as an evaluation.
SampledGroups ChartMaker::sample(const std::string& series, std::initializer_list<const Group*> groups) {
  bool eachBatch = !isEvaluation(series);
  std::vector<std::vector<Drawn>> drawn;
  for (const Group* group : groups) {
    drawn.emplace_back();
    for (const Member& member : group->members) {
      if (!member.counts) continue;
      drawn.back().push_back(drawnPoints(*member.view, series, layout_.smoothing));
      drawn.back().back().map = member.map;
      noteSmoothing(drawn.back().back());
      eachBatch = eachBatch && (isNoiseScale(series) || !hasGaps(*member.view, series));
    }
  }
  return eachBatch ? sampledAt(gridFor(series, groups), drawn, isStepped(series)) : sampledWhereMeasured(drawn);
}

std::vector<GroupPoint> ChartMaker::centerOf(const std::string& series, const SampledGroups& sampled, std::size_t group,
                                             Center center, Band band) {
  auto points =
      groupCurves(sampled.groups[group], sampled.grid, center, band, interpolationFor(series), leastValue(series));
  if (!isNoiseScale(series)) return points;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<GroupPoint> all;  // with the gaps, in which no member has a value
  auto next = points.begin();
  for (const double x : sampled.grid)
    all.push_back(next != points.end() && next->x == x ? *next++ : GroupPoint{x, kNone, kNone, kNone, 0});
  return points.empty() ? points : all;
}

void ChartMaker::addCenter(const Group& group, const std::vector<GroupPoint>& points, const std::string& series,
                           const QString& name) {
  if (points.empty()) return;
  LongSeries line;
  ChartBand band{group.style, {}, {}};
  bool hasBand = false;
  for (const GroupPoint& point : points) {
    line.append(point.x, point.center);
    band.lower.append(point.x, point.low);
    band.upper.append(point.x, point.high);
    hasBand = hasBand || std::isfinite(point.low);
  }
  if (hasBand) chart_.content.bands.push_back(std::move(band));
  ChartLine& added =
      add(isEvaluation(series) ? LineKind::Points : LineKind::Main, name, std::move(line), group.style, nullptr);
  added.steps = isStepped(series);
  added.hasGaps = isNoiseScale(series);
  added.owner = group.label;
}

void ChartMaker::addGroup(const std::string& series, const Group& group, const QString& name) {
  for (const Member& member : group.members) {
    const Drawn drawn = drawnPoints(*member.view, series, layout_.smoothing);
    if (drawn.points.empty()) continue;
    ChartLine& line = add(LineKind::Thin, {}, drawn.points, group.style, &member);
    line.steps = isStepped(series);
    line.hasGaps = isNoiseScale(series);
    line.derived = drawn.smoothed;
  }
  const int measured = measuredRuns(group, series);
  const auto center = centerOf(series, sample(series, {&group}), 0, layout_.center, layout_.band);
  addCenter(group, center, series, groupName(name, measured));
  if (center.empty()) return;
  chart_.content.lines.back().legend = legendOf(group, series);
  chart_.content.lines.back().runs = measured;
}

void ChartMaker::addSeries(const std::string& series, int colorOffset) {
  const RunView* only = alone();
  const int offset = only != nullptr && !layout_.perRun ? colorOffset : 0;  // the next color may be another run's
  if (only != nullptr && series == kMemorySeries) return addMemoryOfDevices(*only, groups_.front().style + offset);
  if (only != nullptr) addAlone(series, groups_.front().style + offset);
  for (const Group& group : groups_) {
    const int color = group.style + offset;
    if (group.members.size() > 1)
      addGroup(series, group, nameOf(group, series));
    else
      addRun(series, group, nameOf(group, series), color);
    if (series == "step_samples") addEpochEnds(group, color);
  }
  if (only != nullptr && series == "step_samples")
    addNoiseScale(groups_.front().members.front(), groups_.front().style + 1);
}

/// Adds each group minus the baseline, with the standard error of the difference where both have several runs.
void ChartMaker::addDifference(const std::string& series, const Group& group, const QString& name) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const Group& baseline = groups_.front();
  const SampledGroups sampled = sample(series, {&group, &baseline});
  const auto own = centerOf(series, sampled, 0, Center::Mean, Band::Error);
  const auto base = centerOf(series, sampled, 1, Center::Mean, Band::Error);
  std::vector<GroupPoint> points;
  for (std::size_t i = 0, k = 0; i < own.size(); ++i) {
    while (k < base.size() && base[k].x < own[i].x) ++k;
    if (k == base.size() || base[k].x > own[i].x) continue;
    const double value = own[i].center - base[k].center;
    const bool known = own[i].count > 1 && base[k].count > 1;
    const double error = known ? std::hypot(own[i].high - own[i].center, base[k].high - base[k].center) : kNone;
    points.push_back({own[i].x, value, value - error, value + error, own[i].count});
  }
  addCenter(group, points, series, name);
}

void ChartMaker::addDifferences(const std::string& series) {
  const ChartContent& content = chart_.content;
  if (content.lines.empty())  // once for all series
    add(LineKind::Reference, groups_.front().label, level(content, 0), groups_.front().style, nullptr).owner =
        groups_.front().label;
  for (std::size_t i = 1; i < groups_.size(); ++i) addDifference(series, groups_[i], nameOf(groups_[i], series));
}

RunChart ChartMaker::make() {
  addTitle();
  setExtent();
  addResumes();
  int colorOffset = 0;
  for (const std::string& series : groups_.empty() ? std::vector<std::string>() : spec_.series)
    spec_.difference ? addDifferences(series) : addSeries(series, colorOffset++);
  chart_.namesRuns = groups_.size() > 1 && !spec_.hasSeveralQuantities();
  addNotes();
  return std::move(chart_);
}

/// Returns whether the last values of a difference come after clearly unequal numbers of tokens.
bool ChartMaker::seesUnequalTokens() const {
  if (!countsBatches(comparisonAxis(layout_.xAxis))) return false;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  for (const Group& group : groups_)
    for (const Member& member : group.members) last = std::min(last, member.view->series.lastBatch());
  const auto tokensOf = [last](const Group& group) {
    double sum = 0;
    for (const Member& member : group.members)
      sum += valueAtBatch(member.view->series.points("tok"), static_cast<double>(last), false);
    return sum / static_cast<double>(group.members.size());
  };
  return std::ranges::any_of(
      groups_, [&](const Group& group) { return areUnequalTokens(tokensOf(group), tokensOf(groups_.front())); });
}

/// Returns whether the training losses of the groups were taken after unequal numbers of updates inside a global batch.
bool ChartMaker::differInStepsPerBatch() const {
  const auto stepsPerBatch = [](const Group& group) {
    const LongSeries& steps = group.members.front().view->series.points("steps");
    return steps.empty() ? 0 : steps.y(steps.size() - 1) / std::max(1.0, steps.x(steps.size() - 1));
  };
  return std::ranges::any_of(groups_, [&](const Group& group) {
    return std::abs(stepsPerBatch(group) - stepsPerBatch(groups_.front())) > 0.01;
  });
}

void ChartMaker::addNotes() {
  QStringList notes;
  const int window = std::max(1, qRound(window_));
  if (window_ > 0) {
    notes << (hasExternal() ? plural(window, QObject::tr("smoothed over about %n step"),
                                     QObject::tr("smoothed over about %n steps"))
                            : plural(window, QObject::tr("smoothed over about %n global batch"),
                                     QObject::tr("smoothed over about %n global batches")));
    if (centered_) notes.back() = QObject::tr("%1, centered", "%1: smoothed over …").arg(notes.back());
    chart_.content.shortNote = QObject::tr("smoothed over %1").arg(integerText(window));
  }
  if (spec_.difference && groups_.size() < 2) notes << QObject::tr("tick a second run");
  if (spec_.difference && seesUnequalTokens()) notes << QObject::tr("the runs have seen unequal numbers of tokens");
  if (spec_.series.front() == "loss" && !hasExternal() && differInStepsPerBatch())
    notes << QObject::tr("taken after unequal numbers of updates inside a global batch: compare evaluation loss");
  const bool ofGroups = std::ranges::any_of(groups_, [](const Group& group) { return group.members.size() > 1; });
  if (!chart_.content.bands.empty() && (ofGroups || spec_.difference))
    notes << bandNote(spec_.difference ? Band::Error : layout_.band);
  chart_.content.note = notes.join(QStringLiteral("; "));
}

/// Returns the changes of the step size; none if there are more than 32 (token budget).
std::vector<ChartEvent> stageEdges(const RunView& view) {
  constexpr std::size_t kMaxEdges = 32;
  const LongSeries sizes = view.series.stepSizes(samplesPerEpoch(view.detail)).full;
  std::vector<ChartEvent> edges;
  for (std::size_t i = 0; i < sizes.size() && edges.size() <= kMaxEdges;) {
    const double size = sizes.y(i);
    i = sizes.firstOutside(i + 1, sizes.size(), size, size);
    if (i == sizes.size()) break;
    edges.push_back({sizes.x(i), QStringLiteral("stage"),
                     QObject::tr("Batch size from %1 to %2 samples per step")
                         .arg(integerText(std::llround(size)), integerText(std::llround(sizes.y(i))))});
  }
  return edges.size() <= kMaxEdges ? edges : std::vector<ChartEvent>();
}

/// Puts the events of the only run into the chart of its loss, or else into the first.
void addEvents(std::vector<RunChart>& charts, const ChartLayout& layout, const Member& only) {
  const auto loss = std::find_if(charts.begin(), charts.end(), [&layout](const RunChart& chart) {
    return layout.charts[chart.spec].has("loss") && !layout.charts[chart.spec].difference;
  });
  std::vector<ChartEvent>& events = (loss == charts.end() ? charts.front() : *loss).content.events;
  for (const auto& some : {only.view->events, stageEdges(*only.view)})
    events.insert(events.end(), some.begin(), some.end());
  for (ChartEvent& event : events) event.x = only.map->at(event.x);
}

/// Gives charts of the same spec the same value axis, isolated spikes excepted.
void shareValueAxes(std::vector<RunChart>& charts, std::size_t first) {
  ValueRange values;
  for (std::size_t i = first; i < charts.size(); ++i) {
    for (const ChartLine& line : charts[i].content.lines) {
      if (line.kind == LineKind::Reference || line.kind == LineKind::Planned) continue;
      const std::size_t size = line.points.size();
      const ValueRange own = line.isMeasured() ? robustRange(line.points, {0, size}) : line.points.range(0, size);
      if (own.found) values.include(own.low), values.include(own.high);
    }
  }
  for (std::size_t i = first; values.found && i < charts.size(); ++i)
    charts[i].content.values = AxisRange{values.low, values.high};
}

/// Returns the groups with the runs that have the axis; counts the others in `omitted`.
std::vector<Group> prepared(const ChartLayout& layout, const std::vector<ChartGroup>& groups, int& omitted) {
  std::vector<Group> all;
  for (const ChartGroup& group : groups) {
    Group own{group.label, group.style, {}};
    for (const RunView* view : group.members) {
      if (!hasAxis(*view, layout.xAxis)) {
        ++omitted;
        continue;
      }
      own.members.push_back({view, std::make_shared<const XAxisMap>(axisMapOf(*view, layout.xAxis)),
                             std::ranges::find(group.uncounted, view) == group.uncounted.end()});
      const auto parent = group.parents.find(view);
      if (parent == group.parents.end() || !hasAxis(*parent->second, layout.xAxis)) continue;
      own.members.back().parent = parent->second;
      own.members.back().parentMap = std::make_shared<const XAxisMap>(axisMapOf(*parent->second, layout.xAxis));
    }
    if (!own.members.empty()) all.push_back(std::move(own));
  }
  return all;
}

void noteOmitted(RunChart& chart, int omitted) {
  const QString note = plural(omitted, QObject::tr("%n run without values of this axis left out"),
                              QObject::tr("%n runs without values of this axis left out"));
  chart.content.note = chart.content.note.isEmpty() ? note : note + QStringLiteral("; ") + chart.content.note;
  chart.content.shortNote = QObject::tr("%1 left out").arg(omitted);
}

/// Adds the chart of `spec` once for each group, named for it.
void addPerGroup(std::vector<RunChart>& charts, const ChartLayout& layout, const ChartSpec& spec,
                 const std::vector<Group>& groups) {
  const std::size_t first = charts.size();
  AxisRange extent{0, 0};
  for (const Group& group : groups) {
    charts.push_back(ChartMaker(layout, spec, {group}).make());
    RunChart& chart = charts.back();
    chart.unit = chart.unit.isEmpty() ? chart.title : QStringLiteral("%1, %2").arg(chart.title, chart.unit);
    chart.title = group.label;
    extent.high = std::max(extent.high, chart.content.xHigh);
    extent.low = std::max(extent.low, chart.content.dataEnd);
  }
  for (std::size_t i = first; i < charts.size(); ++i) {
    ChartContent& content = charts[i].content;
    content.xHigh = extent.high;
    content.dataEnd = extent.low;
    for (ChartLine& line : content.lines)
      if (line.kind == LineKind::Reference && !line.map) line.points = level(content, line.points.front().y());
  }
  shareValueAxes(charts, first);
}

}  // namespace

int smoothingWindow(double weight) {
  return static_cast<int>(std::lround(1.0 / (1.0 - weight)));
}

bool RunChart::hasValues() const {
  return std::ranges::any_of(content.lines, [](const ChartLine& line) {
    return line.kind != LineKind::Reference && line.kind != LineKind::Planned && !line.points.empty();
  });
}

std::vector<RunChart> runCharts(const ChartLayout& wanted, const std::vector<ChartGroup>& groups) {
  int omitted = 0;
  ChartLayout layout = wanted;
  const bool hasExternal = std::ranges::any_of(groups, [](const ChartGroup& group) {
    return std::ranges::any_of(group.members, [](const RunView* view) { return isExternal(view->detail.summary); });
  });
  if (hasExternal && layout.xAxis == XAxis::Batches) layout.xAxis = XAxis::Steps;  // other programs count nothing else
  const std::vector<Group> all = prepared(layout, groups, omitted);
  std::vector<RunChart> charts;
  for (std::size_t i = 0; i < layout.charts.size(); ++i) {
    const ChartSpec& spec = layout.charts[i];
    const std::size_t first = charts.size();
    if (layout.perRun && all.size() > 1 && !spec.difference)
      addPerGroup(charts, layout, spec, all);
    else
      charts.push_back(ChartMaker(layout, spec, all).make());
    for (std::size_t k = first; k < charts.size(); ++k) {
      charts[k].spec = i;
      if (omitted > 0) noteOmitted(charts[k], omitted);
    }
  }
  const bool single = all.size() == 1 && all.front().members.size() == 1;
  if (single && !charts.empty()) addEvents(charts, layout, all.front().members.front());
  return charts;
}

}  // namespace batchwise
