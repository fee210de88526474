// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/watch/watch_page.h"

#include <time.h>

#include <QtCore/QTimer>
#include <QtGui/QAction>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSlider>
#include <QtWidgets/QStackedLayout>
#include <QtWidgets/QToolButton>
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/base/format.h"
#include "ui/models/display_text.h"
#include "ui/models/labels.h"
#include "ui/presenters/failure_help.h"
#include "ui/widgets/charts/chart_export.h"
#include "ui/widgets/charts/series_chart.h"
#include "ui/widgets/parts/flow_layout.h"
#include "ui/widgets/parts/labels.h"
#include "ui/widgets/parts/layouts.h"
#include "ui/widgets/parts/shortcuts.h"
#include "ui/widgets/watch/chart_grid.h"

namespace batchwise {
namespace {

/// Smallest width, in characters, of the run's state beside the tools.
constexpr int kMinStateChars = 24;

QString stateSentence(const RunSummary& run) {
  QStringList parts{stateText(run)};
  if (run.plannedBatches > 0)
    parts << WatchPage::tr("batch %1 of %2").arg(integerText(run.at.batch), integerText(run.plannedBatches));
  if (run.at.token > 0) parts << WatchPage::tr("%1 tokens").arg(toQt(formatCount(static_cast<double>(run.at.token))));
  if (run.loss) parts << WatchPage::tr("loss %1").arg(valueText(*run.loss, ValueFormat::Plain));
  if (run.evalLoss) parts << WatchPage::tr("evaluation %1").arg(valueText(*run.evalLoss, ValueFormat::Plain));
  QStringList tags;
  for (const std::string& tag : run.tags) tags << toQt(tag);
  if (!tags.isEmpty()) parts << WatchPage::tr("tags %1").arg(tags.join(QStringLiteral(", ")));
  return parts.join(QStringLiteral("  ·  "));
}

SeriesChart::Spec interactiveSpec(const SeriesLabel& label, ValueFormat format, bool fromZero = false) {
  return {label.title, label.unit, format, fromZero, {}, true};
}

SeriesChart::Spec chartSpec(RunChart chart) {
  switch (chart) {
    case RunChart::Loss: return interactiveSpec(seriesLabel("loss"), ValueFormat::Plain);
    case RunChart::Rate: return interactiveSpec(seriesLabel("lr"), ValueFormat::Rate, true);
    case RunChart::Batch: return interactiveSpec(seriesLabel("step_samples"), ValueFormat::Count, true);
    case RunChart::Speed: return interactiveSpec(seriesLabel("tokens_per_sec"), ValueFormat::Count, true);
    case RunChart::GradNorm: return interactiveSpec(seriesLabel("grad_norm"), ValueFormat::Plain);
    case RunChart::Evaluation: return interactiveSpec(seriesLabel("eval.loss"), ValueFormat::Plain);
    case RunChart::Memory: break;
  }
  return interactiveSpec({WatchPage::tr("Memory"), WatchPage::tr("GiB per device")}, ValueFormat::Gibibytes, true);
}

/// Returns the CPU time of this thread.
double threadCpuMs() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

}  // namespace

WatchPage::WatchPage(WatchPresenter& presenter, RunListModel& runs, const Theme& theme, StudioSettings& settings,
                     CsvExportJobs& saving, MessageBar& message, QWidget* parent)
    : QWidget(parent),
      presenter_(presenter),
      runs_(runs),
      theme_(theme),
      settings_(settings),
      export_(new ChartExport(settings, saving, message, *this)),
      pages_(new QStackedLayout(this)) {
  runPage_ = new QWidget(this);
  makeCharts();
  column(runPage_, {makeHeader(), {grid_, 1}}, {{0, 8, 0, 0}, 8});
  emptyPage_ = makeEmptyPage();
  startPage_ = makeStartPage();
  for (QWidget* page : {emptyPage_, startPage_, runPage_}) pages_->addWidget(page);

  connect(&presenter_, &WatchPresenter::selectionChanged, this, [this] {
    widestState_ = 0;
    showHeader();
    choosePage();
  });
  connect(&runs_, &QAbstractItemModel::dataChanged, this, &WatchPage::showHeader);
  // A run may be selected before it is listed.
  connect(&runs_, &QAbstractItemModel::rowsInserted, this, &WatchPage::showHeader);
  connect(&runs_, &QAbstractItemModel::modelReset, this, &WatchPage::showHeader);
  // Once the controls have their new sizes.
  connect(&theme_, &Theme::changed, this, [this] {
    QTimer::singleShot(0, this, [this] {
      widestState_ = 0;
      showHeader();
      placeHeader();
    });
  });
  restoreSettings();
  showHeader();
  choosePage();
}

void WatchPage::makeCharts() {
  grid_ = new ChartGrid(theme_, runPage_);
  for (const RunChart chart : kRunCharts) charts_.push_back(addChart(chartSpec(chart)));
  makeActions();
  connect(&presenter_, &WatchPresenter::extraSeriesChanged, this, &WatchPage::placeFurther);
  placeFurther();
}

SeriesChart* WatchPage::addChart(const SeriesChart::Spec& spec) {
  auto* chart = new SeriesChart(spec, theme_);
  grid_->addChart(chart);
  connect(chart, &SeriesChart::menuRequested, this, [this, chart](QPoint place) { export_->openMenu(*chart, place); });
  return chart;
}

void WatchPage::placeFurther() {
  for (const auto& [series, chart] : std::exchange(further_, {})) grid_->removeChart(chart);
  for (const std::string& series : presenter_.extraSeries()) {
    const auto format = series.starts_with("memory.") ? ValueFormat::Gibibytes : ValueFormat::Plain;
    further_.emplace_back(series, addChart(interactiveSpec(seriesLabel(series), format)));
  }
  if (logarithmic_ == nullptr) return;
  grid_->setLogarithmic(logarithmic_->isChecked());
  grid_->setRobust(robust_->isChecked());
}

/// Lists the series of this run that have no chart of their own, and those chosen for another run.
void WatchPage::fillSeriesMenu() {
  series_->clear();
  const auto& chosen = presenter_.extraSeries();
  std::set<std::pair<QString, std::string>> names;  // by title
  for (const auto& name : presenter_.view().availableExtras) names.emplace(seriesLabel(name).title, name);
  for (const auto& name : chosen) names.emplace(seriesLabel(name).title, name);
  for (const auto& [word, name] : names) {
    auto* action = series_->addAction(escapeMnemonic(word));
    action->setCheckable(true);
    action->setChecked(std::find(chosen.begin(), chosen.end(), name) != chosen.end());
    connect(action, &QAction::toggled, this, [this, name = name](bool on) {
      std::vector<std::string> series = presenter_.extraSeries();
      on ? series.push_back(name) : static_cast<void>(std::erase(series, name));
      presenter_.setExtraSeries(std::move(series));
    });
  }
  if (names.empty()) series_->addAction(tr("The run has told nothing else yet"))->setEnabled(false);
}

/// Creates an action that is active only while a chart has the focus, so that letters can be typed elsewhere.
QAction* WatchPage::gridAction(const char* name, const QString& text, const QKeySequence& keys, const QString& help) {
  auto* action = new QAction(text, this);
  setCommandName(*action, name);
  action->setShortcut(keys);
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  action->setToolTip(tr("%1 (%2 while a chart has the focus)").arg(help, keys.toString(QKeySequence::NativeText)));
  grid_->addAction(action);
  return action;
}

void WatchPage::makeActions() {
  fit_ = gridAction("fit", tr("Fit"), Qt::Key_F,
                    tr("Shows everything. Wheel: zoom; drag: choose a part; Shift and drag: move; arrow keys: cursor; "
                       "+ and −: zoom"));
  follow_ = gridAction("follow", tr("Follow"), Qt::Key_End,
                       tr("Goes along with the newest value, until the charts are moved"));
  start_ = gridAction("to_start", tr("To the start"), Qt::Key_Home, tr("Shows the beginning of the run"));
  logarithmic_ = gridAction("logarithmic", tr("Log scale"), Qt::Key_L,
                            tr("Logarithmic value axes; each chart tells how many values it cannot show"));
  robust_ = gridAction("clip_spikes", tr("Clip spikes"), Qt::Key_R,
                       tr("Lone spikes may lie outside: an arrow marks each, and the chart tells how many"));
  nextClock_ = gridAction("next_x_axis", tr("Next x axis"), Qt::Key_X, tr("Draws the charts over the next clock"));
  for (QAction* action : {follow_, logarithmic_, robust_}) action->setCheckable(true);
  connect(fit_, &QAction::triggered, grid_, &ChartGrid::fit);
  connect(follow_, &QAction::triggered, this, [this](bool on) { on ? grid_->follow() : grid_->fit(); });
  connect(start_, &QAction::triggered, grid_, &ChartGrid::toStart);
  connect(logarithmic_, &QAction::toggled, grid_, &ChartGrid::setLogarithmic);
  connect(robust_, &QAction::toggled, grid_, &ChartGrid::setRobust);
  connect(nextClock_, &QAction::triggered, this,
          [this] { clock_->setCurrentIndex((clock_->currentIndex() + 1) % clock_->count()); });
  connect(grid_, &ChartGrid::viewChanged, this, [this] { follow_->setChecked(grid_->view().follows()); });
  robust_->setChecked(true);
}

QWidget* WatchPage::makeTools(QWidget* parent) {
  auto* tools = new QWidget(parent);
  clock_ = new QComboBox(tools);
  for (const XAxis clock : kXAxes) clock_->addItem(xAxisTitle(clock));
  clock_->setAccessibleName(tr("X axis of all charts"));
  clock_->setToolTip(tr("What all charts are drawn over. The next one: X while a chart has the focus"));
  auto* layout = new FlowLayout(tools);
  layout->addWidget(clock_);
  for (QAction* action : {fit_, follow_, logarithmic_, robust_}) {
    auto* button = new QToolButton(tools);
    button->setDefaultAction(action);
    button->setFocusPolicy(Qt::TabFocus);
    layout->addWidget(button);
  }
  layout->addWidget(makeSeriesButton(tools));
  wholeRun_ = new QCheckBox(tr("Whole run"), tools);
  wholeRun_->setToolTip(tr("The axes reach to the planned end of the run"));
  wholeRun_->setChecked(presenter_.options().wholeRun);
  layout->addWidget(wholeRun_);
  layout->addWidget(makeSmoothing(tools));
  return tools;
}

QWidget* WatchPage::makeSeriesButton(QWidget* parent) {
  auto* button = new QToolButton(parent);
  series_ = new QMenu(button);
  series_->setObjectName(QStringLiteral("series"));
  auto* action = new QAction(tr("More charts"), this);
  action->setIconText(tr("More…"));
  setCommandName(*action, "more_charts");
  action->setToolTip(tr("Chart anything else that the run has told"));
  button->setDefaultAction(action);
  button->setFocusPolicy(Qt::TabFocus);
  connect(series_, &QMenu::aboutToShow, this, &WatchPage::fillSeriesMenu);
  auto* save = new QAction(tr("Export a chart of the run…"), this);  // for the palette: charts have it in their menus
  setCommandName(*save, "export_run_chart");
  connect(save, &QAction::triggered, this, &WatchPage::openExportMenu);
  connect(action, &QAction::triggered, this,
          [this, button] { series_->popup(button->mapToGlobal(QPoint(0, button->height()))); });
  return button;
}

QWidget* WatchPage::makeHeader() {
  auto* header = new QWidget(runPage_);
  name_ = plainLabel(header, TextLook::Heading);
  state_ = new ElidedLabel(header);
  Theme::setLook(state_, TextLook::Muted);
  tools_ = makeTools(header);
  header_ = row(header, {{row(nullptr, {name_, {state_, 1}}, {.spacing = 8}), 1}, tools_}, {{16, 0, 16, 0}, 8});
  return header;
}

QWidget* WatchPage::makeSmoothing(QWidget* parent) {
  auto* group = new QWidget(parent);
  auto* word = new QLabel(tr("Smoothing"), group);
  smoothing_ = new QSlider(Qt::Horizontal, group);
  smoothing_->setRange(0, 99);
  smoothing_->setValue(static_cast<int>(presenter_.options().smoothing * 100));
  smoothing_->setFixedWidth(96);
  smoothing_->setAccessibleName(tr("Smoothing of the loss"));
  smoothing_->setToolTip(tr("Weight of the values before in the thick line; the thin one shows every value"));
  word->setBuddy(smoothing_);
  row(group, {word, smoothing_}, {{0, 0, 0, 0}, 8});
  return group;
}

void WatchPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  placeHeader();
}

void WatchPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  // Hidden controls get a changed font only now.
  QTimer::singleShot(0, this, &WatchPage::placeHeader);
}

/// Places title and tools in one line if both fit, otherwise one below the other, the tools in as many rows as they
/// need.
void WatchPage::placeHeader() {
  const int state = std::max(widestState_, kMinStateChars * fontMetrics().horizontalAdvance(QLatin1Char('x')));
  const int title = name_->sizeHint().width() + state;
  int line = 0;  // width of all tools side by side
  const QLayout& tools = *tools_->layout();
  for (int i = 0; i < tools.count(); ++i) line += tools.itemAt(i)->sizeHint().width() + 8;
  const bool narrow = title + line + 48 > width();
  header_->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  tools_->setMinimumWidth(narrow ? 0 : line);
}

QWidget* WatchPage::makeEmptyPage() {
  auto* page = new QWidget(this);
  auto* label =
      plainLabel(page, TextLook::Muted, tr("The charts of a run will be here. Choose one on the left, or make one."));
  label->setWordWrap(true);
  label->setAlignment(Qt::AlignCenter);
  auto* button = new QPushButton(tr("New run"), page);
  Theme::setPrimary(button);
  column(page, {Cell(0), label, {button, 0, Qt::AlignHCenter}, Cell(0)});
  connect(button, &QPushButton::clicked, this, &WatchPage::newRunRequested);
  return page;
}

QWidget* WatchPage::makeStartPage() {
  auto* page = new QWidget(this);
  startPhase_ = plainLabel(page, TextLook::Heading);
  startDetail_ = plainLabel(page, TextLook::Muted);
  for (QLabel* label : {startPhase_, startDetail_}) label->setAlignment(Qt::AlignHCenter);
  startBar_ = new QProgressBar(page);
  startBar_->setTextVisible(false);
  startBar_->setFixedWidth(320);
  startBar_->setAccessibleName(tr("Progress of the preparation"));
  column(page, {Cell(0), startPhase_, {startBar_, 0, Qt::AlignHCenter}, startDetail_, Cell(0)});
  return page;
}

void WatchPage::showProgress(const TrainingState& progress) {
  starting_ = progress.phase != RunPhase::Idle && progress.run.isEmpty();
  if (starting_) {
    startPhase_->setText(progress.activity);
    const bool known = progress.activityTotal > 0;
    startBar_->setRange(0, known ? 1000 : 0);
    startBar_->setValue(known ? static_cast<int>(1000 * progress.activityDone / progress.activityTotal) : 0);
    startDetail_->setText(tr("Preparing %1. The charts appear with the first global batch.").arg(progress.name));
  }
  choosePage();
}

void WatchPage::choosePage() {
  QWidget* page = runPage_;
  if (starting_ && presenter_.selected().isEmpty())
    page = startPage_;
  else if (presenter_.selected().isEmpty())
    page = emptyPage_;
  if (pages_->currentWidget() != page) pages_->setCurrentWidget(page);
}

QString WatchPage::endReason(const RunSummary& run) const {
  const QString why = sentenceCase(coreText(run.reason));
  if (run.status != RunStatus::Failed) return why;
  const RemainingCheckpoints left = run.checkpoints > 0 ? RemainingCheckpoints::Some : RemainingCheckpoints::None;
  return why + QLatin1Char('\n') + failureHelp(run.cause, left).remedy;
}

void WatchPage::showHeader() {
  const RunSummary* run = runs_.find(presenter_.selected());
  if (run == nullptr) return;
  name_->setText(toQt(run->name));
  state_->setText(stateSentence(*run));
  widestState_ = std::max(widestState_, state_->fontMetrics().horizontalAdvance(state_->text()));
  placeHeader();
  state_->setToolTip(run->reason.empty() ? state_->text() : plainToolTip(endReason(*run)));
}

void WatchPage::applyOptions() {
  presenter_.setOptions(
      {smoothing_->value() / 100.0, wholeRun_->isChecked(), kXAxes[static_cast<std::size_t>(clock_->currentIndex())]});
}

void WatchPage::restoreSettings() {
  const StudioSettings::WatchOptions kept = settings_.watch();
  smoothing_->setValue(static_cast<int>(std::lround(kept.smoothing * 100)));
  wholeRun_->setChecked(kept.wholeRun);
  clock_->setCurrentIndex(kept.clock >= 0 && kept.clock < clock_->count() ? kept.clock : 0);
  logarithmic_->setChecked(kept.logarithmic);
  robust_->setChecked(kept.clipSpikes);
  applyOptions();
  const auto changed = [this] {
    applyOptions();
    saveSettings();
  };
  connect(clock_, &QComboBox::currentIndexChanged, this, changed);
  connect(wholeRun_, &QCheckBox::toggled, this, changed);
  connect(smoothing_, &QSlider::valueChanged, this, changed);
  for (QAction* action : {logarithmic_, robust_}) connect(action, &QAction::toggled, this, &WatchPage::saveSettings);
}

void WatchPage::saveSettings() {
  settings_.setWatch({smoothing_->value() / 100.0, wholeRun_->isChecked(), clock_->currentIndex(),
                      logarithmic_->isChecked(), robust_->isChecked()});
}

/// Opens the menu of the focused chart, or of the first one.
void WatchPage::openExportMenu() {
  const auto focused = std::find_if(charts_.begin(), charts_.end(),
                                    [this](const QWidget* chart) { return chart == window()->focusWidget(); });
  SeriesChart& chart = focused == charts_.end() ? lossChart() : **focused;
  const QWidget& over = chart.isVisible() ? static_cast<QWidget&>(chart) : *window();
  export_->openMenu(chart, over.mapToGlobal(over.rect().center()));
}

bool WatchPage::mayRepaint() {
  constexpr double kShare = 20;  // inverse of the share of a core
  constexpr double kLatestMs = 500;
  if (!sinceRepaint_.isValid() || grid_->underMouse()) return true;
  const double pauseMs = std::min(kShare * (threadCpuMs() - cpuAtRepaintMs_), kLatestMs);
  return static_cast<double>(sinceRepaint_.elapsed()) >= pauseMs;
}

QString WatchPage::emptyText() const {
  if (presenter_.loading()) return tr("Loading…");
  const RunView& run = presenter_.view();
  const RunStatus status = run.detail.summary.status;
  const bool begins = (status == RunStatus::Created || status == RunStatus::Running) && run.series.lastBatch() == 0;
  return begins ? tr("Values appear after the first global batch") : tr("This run has no values of this kind");
}

void WatchPage::repaintCharts() {
  if (!isVisible() || !mayRepaint() || !presenter_.consumeDirty()) return;
  sinceRepaint_.start();
  cpuAtRepaintMs_ = threadCpuMs();
  std::vector<bool> hiddenIfEmpty;
  for (const RunChart chart : kRunCharts) hiddenIfEmpty.push_back(!alwaysShown(chart));
  hiddenIfEmpty.resize(kRunCharts.size() + further_.size(), false);
  for (SeriesChart* chart : charts_) chart->setEmptyText(emptyText());
  for (const auto& [series, chart] : further_) chart->setEmptyText(emptyText());
  grid_->setContents(runCharts(presenter_.view(), presenter_.options()), hiddenIfEmpty);
}

}  // namespace batchwise
