// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/runs_page.h"

#include <time.h>

#include <QtGui/QAction>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QStackedLayout>
#include <QtWidgets/QToolBar>
#include <algorithm>
#include <utility>

#include "core/base/format.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/series_chart.h"
#include "ui/list/failure_help.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/shortcuts.h"
#include "ui/runs/chart_grid.h"
#include "ui/runs/chart_tools.h"
#include "ui/runs/values_pane.h"

namespace batchwise {
namespace {

QString stateSentence(const RunSummary& run) {
  QStringList parts{stateText(run)};
  if (run.plannedBatches > 0)
    parts << RunsPage::tr("batch %1 of %2").arg(integerText(run.at.batch), integerText(run.plannedBatches));
  if (run.at.token > 0) parts << RunsPage::tr("%1 tokens").arg(toQt(formatCount(static_cast<double>(run.at.token))));
  if (run.loss) parts << RunsPage::tr("loss %1").arg(valueText(*run.loss, ValueFormat::Plain));
  if (run.evalLoss) parts << RunsPage::tr("evaluation %1").arg(valueText(*run.evalLoss, ValueFormat::Plain));
  if (!run.tags.empty()) parts << RunsPage::tr("tags %1").arg(toQt(run.tags).join(QStringLiteral(", ")));
  return parts.join(QStringLiteral("  ·  "));
}

/// Returns why the run ended; for a failure or divergence, also the remedy.
QString endReason(const RunSummary& run) {
  const QString why = sentenceCase(toQt(run.reason));
  const bool diverged = run.cause == FailureCause::Diverged;
  if (run.status != RunStatus::Failed && !diverged) return why;
  const RemainingCheckpoints left = diverged              ? RemainingCheckpoints::Unknown
                                    : run.checkpoints > 0 ? RemainingCheckpoints::Some
                                                          : RemainingCheckpoints::None;
  return why + QLatin1Char('\n') + failureHelp(run.cause, left).remedy;
}

/// Returns the name of the line of a run or group; empty: none.
QString lineOfGroup(const ChartContent& content, const QString& label) {
  const auto found = std::ranges::find_if(content.lines, [&label](const ChartLine& line) {
    return !label.isEmpty() && line.owner == label && !line.name.isEmpty();
  });
  return found == content.lines.end() ? QString() : found->name;
}

/// Returns the CPU time of this thread.
double threadCpuMs() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

}  // namespace

RunsPage::RunsPage(RunsPresenter& presenter, ComparePresenter& comparing, RunList& runs, const Theme& theme,
                   StudioSettings& settings, FileJobs& saving, MessageBar& message, QWidget* parent)
    : QWidget(parent),
      presenter_(presenter),
      comparing_(comparing),
      runs_(runs),
      settings_(settings),
      pages_(new QStackedLayout(this)) {
  runPage_ = new QWidget(this);
  makeCharts(settings, saving, theme, message);
  emptyPage_ = makeEmptyPage();
  startPage_ = makeStartPage();
  for (QWidget* page : {emptyPage_, startPage_, runPage_}) pages_->addWidget(page);
  connectLayout();
  connectValues();
  const auto shownChanged = [this] {
    keepView();
    showHeader();
    showValues();
    choosePage();
  };
  connect(&presenter_, &RunsPresenter::selectionChanged, this, shownChanged);
  connect(&presenter_, &RunsPresenter::shownChanged, this, shownChanged);
  connect(&comparing_, &ComparePresenter::changed, this, &RunsPage::showHeader);
  connect(&runs_, &RunList::updated, this, &RunsPage::showHeader);
  grid_->setRobust(presenter_.layout().clipSpikes);
  shownChanged();
  showCharts();
}

void RunsPage::makeCharts(StudioSettings& settings, FileJobs& saving, const Theme& theme, MessageBar& message) {
  export_ = new ChartExport(settings, saving, *this);
  auto* header = makeHeader();
  auto* tools = new QToolBar(runPage_);
  tools->setMovable(false);
  setUpExtension(*tools, theme);
  split_ = new QSplitter(Qt::Vertical, runPage_);
  auto* across = new QSplitter(Qt::Horizontal, split_);
  grid_ = new ChartGrid(theme, across);
  series_ = new SeriesPanel(across);
  across->setStretchFactor(0, 1);
  across->setChildrenCollapsible(false);
  values_ = new ValuesPane(comparing_, settings, saving, theme, message, split_);
  split_->setStretchFactor(0, 1);
  split_->setChildrenCollapsible(false);
  tools_ = new ChartTools(presenter_, comparing_, *grid_, *tools, *this);
  column(runPage_, {header, row(nullptr, {{tools, 1}}, {{8, 0, 8, 0}}), {split_, 1}}, {{0, 8, 0, 0}, 4});
  series_->hide();
  split_->restoreState(settings.runsSplit());
  connect(tools_->seriesPanel(), &QAction::toggled, series_, &QWidget::setVisible);
  connect(series_, &SeriesPanel::chartRequested, tools_, &ChartTools::addChart);
  connect(&theme, &Theme::changed, tools_, &ChartTools::showLayout);
  connect(tools_, &ChartTools::exportMenuRequested, this, &RunsPage::fillExports);
}

void RunsPage::connectLayout() {
  connect(grid_, &ChartGrid::menuRequested, this, &RunsPage::openChartMenu);
  connect(grid_, &ChartGrid::moveRequested, this, &RunsPage::moveChart);
  connect(grid_, &ChartGrid::sizeRequested, this, [this](std::size_t spec, int columns, int height) {
    ChartLayout layout = presenter_.layout();
    if (spec >= layout.charts.size()) return;
    layout.charts[spec].columns = columns;
    layout.charts[spec].height = height;
    presenter_.tryLayout(layout);
  });
  connect(grid_, &ChartGrid::sizeChosen, this, [this] { presenter_.setLayout(presenter_.layout()); });
  connect(grid_, &ChartGrid::seriesDropped, this, [this](std::size_t spec, const QString& series) {
    change(spec, [name = series.toStdString()](ChartSpec& own) {
      if (!own.has(name)) own.series.push_back(name);
    });
  });
  connect(&presenter_, &RunsPresenter::layoutChanged, this, [this] {
    const ChartLayout& layout = presenter_.layout();
    grid_->setRobust(layout.clipSpikes);
    values_->setChartAxis(layout.xAxis);
    if (isVisible()) showCharts();
  });
}

void RunsPage::connectValues() {
  tools_->values()->setChecked(settings_.showsValues());
  connect(tools_->values(), &QAction::toggled, this, [this](bool on) {
    settings_.setShowsValues(on);
    showValues();
  });
  connect(split_, &QSplitter::splitterMoved, this, [this] { settings_.setRunsSplit(split_->saveState()); });
  connect(values_, &ValuesPane::metricRequested, this, [this](const QString& series) {
    ChartLayout layout = presenter_.layout();
    layout.metric = series.toStdString();
    presenter_.setLayout(layout);
  });
  connect(values_, &ValuesPane::marginRequested, this, [this](std::optional<double> margin) {
    ChartLayout layout = presenter_.layout();
    layout.margin = margin;
    presenter_.setLayout(layout);
  });
  connect(values_, &ValuesPane::groupRequested, this,
          [this](const QString& field) { tools_->groupBy(field.toStdString()); });
  connect(values_, &ValuesPane::linesKept, &presenter_, &RunsPresenter::setBrushedGroups);
  connect(values_, &ValuesPane::lineSelected, this, [this](const QString& label) {
    for (int i = 0; i < grid_->count(); ++i) {
      SeriesChart& chart = grid_->chart(i);
      chart.setEmphasized(lineOfGroup(chart.content(), label));
    }
  });
}

QWidget* RunsPage::makeHeader() {
  auto* header = new QWidget(runPage_);
  name_ = new ElidedLabel(header);
  Theme::setLook(name_, TextLook::Heading);
  state_ = new ElidedLabel(header);
  Theme::setLook(state_, TextLook::Muted);
  row(header, {name_, {state_, 1}}, {{16, 0, 16, 0}, 8});
  return header;
}

QWidget* RunsPage::makeEmptyPage() {
  auto* page = new QWidget(this);
  auto* label =
      plainLabel(page, TextLook::Muted, tr("Charts appear here. Select or tick runs on the left, or start a new run."));
  label->setWordWrap(true);
  label->setAlignment(Qt::AlignCenter);
  auto* button = new QPushButton(tr("New run"), page);
  Theme::setPrimary(button);
  column(page, {stretch(0), label, {button, 0, Qt::AlignHCenter}, stretch(0)});
  connect(button, &QPushButton::clicked, this, &RunsPage::newRunRequested);
  return page;
}

QWidget* RunsPage::makeStartPage() {
  auto* page = new QWidget(this);
  startPhase_ = plainLabel(page, TextLook::Heading);
  startDetail_ = plainLabel(page, TextLook::Muted);
  for (QLabel* label : {startPhase_, startDetail_}) {
    label->setAlignment(Qt::AlignHCenter);
    label->setWordWrap(true);
  }
  startBar_ = new QProgressBar(page);
  startBar_->setTextVisible(false);
  startBar_->setFixedWidth(320);
  startBar_->setAccessibleName(tr("Progress of the preparation"));
  column(page, {stretch(0), startPhase_, {startBar_, 0, Qt::AlignHCenter}, startDetail_, stretch(0)});
  return page;
}

void RunsPage::showProgress(const TrainingState& progress) {
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

void RunsPage::choosePage() {
  QWidget* page = runPage_;
  if (presenter_.shown().isEmpty()) page = starting_ ? startPage_ : emptyPage_;
  if (pages_->currentWidget() != page) pages_->setCurrentWidget(page);
}

/// Returns the first shown run, as listed, or as read if it is archived; null if neither is known yet.
const RunSummary* RunsPage::firstShown() const {
  const QStringList& shown = presenter_.shown();
  if (shown.isEmpty()) return nullptr;
  if (const RunSummary* listed = runs_.find(shown.front())) return listed;
  const std::vector<const RunView*> read = presenter_.shownViews();
  return !read.empty() && read.front()->id == shown.front() ? &read.front()->detail.summary : nullptr;
}

/// Returns what the others are compared with: the baseline, or the group that it is of.
QString RunsPage::baselineText(const RunSummary& baseline) const {
  const auto& comparison = comparing_.comparison();
  if (!comparison || comparison->options.groupBy.empty() || comparison->lines.empty())
    return tr("compared with the baseline %1").arg(toQt(baseline.name));
  const ComparedLine& group = comparison->lines.front();
  return plural(group.members.size(), tr("compared with the group %1 (%n run)"),
                tr("compared with the group %1 (%n runs)"))
      .arg(toQt(group.label));
}

void RunsPage::showHeader() {
  const QStringList& shown = presenter_.shown();
  const RunSummary* run = firstShown();
  if (run == nullptr) {  // not the texts of the run shown before
    name_->clear();
    state_->clear();
    state_->setToolTip({});
    return;
  }
  const bool several = shown.size() > 1;
  name_->setText(several ? plural(shown.size(), tr("%n run"), tr("%n runs")) : toQt(run->name));
  state_->setText(several ? baselineText(*run) : stateSentence(*run));
  state_->setToolTip(several || run->reason.empty() ? QString() : plainToolTip(endReason(*run)));
}

void RunsPage::showValues() {
  const bool several = presenter_.shown().size() > 1;
  values_->setVisible(several && tools_->values()->isChecked());
  tools_->values()->setEnabled(several);
  shareHeight();
}

/// Unless the user has chosen, gives the values the height of their rows, but at most a third: the charts come first.
void RunsPage::shareHeight() {
  if (!settings_.runsSplit().isEmpty()) return;
  const int runs = static_cast<int>(presenter_.shown().size());
  const int height = split_->height() - split_->handleWidth(), most = height / 3;
  if (most <= 0) return;  // before the first layout
  const int values = std::min(values_->heightForRows(runs), most);
  split_->setSizes({height - values, values});
}

void RunsPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  shareHeight();
}

/// Keeps the visible part for the runs shown before, and returns to that of the runs shown now.
void RunsPage::keepView() {
  QStringList runs = presenter_.shown();
  runs.sort();  // another baseline keeps it
  const QString shown = runs.join(QLatin1Char('\n'));
  if (shown == viewOf_) return;
  views_[std::exchange(viewOf_, shown)] = {grid_->xAxis(), grid_->view()};
  const auto found = views_.find(shown);
  if (found == views_.end() || found->second.first != grid_->xAxis())
    grid_->fit();
  else
    grid_->setView(found->second.second, grid_->xAxis());
}

void RunsPage::change(std::size_t spec, const std::function<void(ChartSpec&)>& edit) {
  ChartLayout layout = presenter_.layout();
  if (spec >= layout.charts.size()) return;
  edit(layout.charts[spec]);
  presenter_.setLayout(layout);
}

/// Moves a chart before the one at `to`.
void RunsPage::moveChart(std::size_t from, std::size_t to) {
  ChartLayout layout = presenter_.drawnLayout();
  if (from >= layout.charts.size() || to > layout.charts.size() || to == from || to == from + 1) return;
  ChartSpec spec = std::move(layout.charts[from]);
  layout.charts.erase(layout.charts.begin() + static_cast<std::ptrdiff_t>(from));
  if (to > from) --to;
  layout.charts.insert(layout.charts.begin() + static_cast<std::ptrdiff_t>(to), std::move(spec));
  presenter_.setLayout(layout);
}

void RunsPage::removeChart(std::size_t spec) {
  ChartLayout layout = presenter_.drawnLayout();
  if (spec >= layout.charts.size()) return;
  layout.charts.erase(layout.charts.begin() + static_cast<std::ptrdiff_t>(spec));
  presenter_.setLayout(layout);
}

void RunsPage::openChartMenu(int index, std::size_t spec, QPoint place) {
  if (index < 0 || index >= grid_->count()) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  export_->addTo(*menu, grid_->chart(index));
  menu->addSeparator();
  if (spec < presenter_.layout().charts.size()) addChartChanges(*menu, spec);  // not if the preset adds it by itself
  menu->popup(place);
}

/// Adds the changes of a chart to its menu; each is also done by dragging its title or an edge.
void RunsPage::addChartChanges(QMenu& menu, std::size_t spec) {
  const ChartSpec own = presenter_.layout().charts[spec];
  const auto add = [&](const QString& text, bool enabled, const std::function<void(ChartSpec&)>& set) {
    QAction* action = menu.addAction(text);
    action->setEnabled(enabled);
    connect(action, &QAction::triggered, this, [this, spec, set] { change(spec, set); });
    return action;
  };
  const auto addSwitch = [&](const QString& text, bool on, const std::function<void(ChartSpec&)>& set) {
    QAction* action = add(text, true, set);
    action->setCheckable(true);
    action->setChecked(on);
  };
  addSwitch(tr("Log scale"), own.logarithmic, [](ChartSpec& to) { to.logarithmic = !to.logarithmic; });
  addSwitch(tr("Difference to the baseline"), own.difference, [](ChartSpec& to) { to.difference = !to.difference; });
  QMenu* remove = own.series.size() > 1 ? menu.addMenu(tr("Remove from this chart")) : nullptr;
  for (const std::string& name : own.series)
    if (remove != nullptr)
      connect(remove->addAction(escapeMnemonic(seriesTitle(name))), &QAction::triggered, this,
              [this, spec, name] { change(spec, [&name](ChartSpec& to) { std::erase(to.series, name); }); });
  menu.addSeparator();
  add(tr("Wider"), own.columns < ChartSpec::kMostColumns, [](ChartSpec& to) { ++to.columns; });
  add(tr("Narrower"), own.columns > 1, [](ChartSpec& to) { --to.columns; });
  const int height = own.height > 0 ? own.height : 2 * ChartSpec::kLeastHeight;
  add(tr("Taller"), height < ChartSpec::kMostHeight,
      [height](ChartSpec& to) { to.height = std::min(height + 4, ChartSpec::kMostHeight); });
  add(tr("Lower"), height > ChartSpec::kLeastHeight,
      [height](ChartSpec& to) { to.height = std::max(height - 4, ChartSpec::kLeastHeight); });
  add(tr("Automatic height"), own.height > 0, [](ChartSpec& to) { to.height = 0; });
  menu.addSeparator();
  const std::size_t count = presenter_.layout().charts.size();
  QAction *forward = menu.addAction(tr("Move forward")), *back = menu.addAction(tr("Move back"));
  forward->setEnabled(spec > 0);
  back->setEnabled(spec + 1 < count);
  connect(forward, &QAction::triggered, this, [this, spec] { moveChart(spec, spec - 1); });
  connect(back, &QAction::triggered, this, [this, spec] { moveChart(spec, spec + 2); });
  connect(menu.addAction(tr("Remove chart")), &QAction::triggered, this, [this, spec] { removeChart(spec); });
}

/// Lists the exports of each chart, and those of the comparison.
void RunsPage::fillExports(QMenu& menu) {
  std::vector<SeriesChart*> charts;
  for (int i = 0; i < grid_->count(); ++i) {
    charts.push_back(&grid_->chart(i));
    export_->addTo(*menu.addMenu(escapeMnemonic(charts.back()->title().title)), *charts.back());
  }
  export_->addAllTo(menu, charts);
  menu.addSeparator();
  menu.addActions(values_->exports());
}

bool RunsPage::mayRepaint() {
  constexpr double kShare = 20;  // inverse of the share of a core
  constexpr double kLatestMs = 500;
  if (!sinceRepaint_.isValid() || grid_->underMouse()) return true;
  const double pauseMs = std::min(kShare * (threadCpuMs() - cpuAtRepaintMs_), kLatestMs);
  return static_cast<double>(sinceRepaint_.elapsed()) >= pauseMs;
}

QString RunsPage::emptyText() const {
  if (presenter_.loading()) return tr("Loading…");
  const std::vector<const RunView*> views = presenter_.shownViews();
  const bool begins = std::any_of(views.begin(), views.end(), [](const RunView* view) {
    const RunStatus status = view->detail.summary.status;
    return (status == RunStatus::Created || status == RunStatus::Running) && view->series.lastBatch() == 0;
  });
  if (begins && presenter_.showsOthers()) return tr("Values appear once there are some in the files of the run");
  if (begins) return tr("Values appear after the first global batch");
  return views.size() > 1 ? tr("These runs have no values of this kind") : tr("This run has no values of this kind");
}

void RunsPage::repaintCharts() {
  if (!isVisible() || !mayRepaint() || !presenter_.consumeDirty()) return;
  sinceRepaint_.start();
  cpuAtRepaintMs_ = threadCpuMs();
  showCharts();
}

void RunsPage::showCharts() {
  tools_->setCountSteps(presenter_.showsOthers());
  grid_->setCharts(presenter_.charts(), presenter_.drawnLayout().charts, emptyText());
  series_->setSeries(presenter_.availableSeries());
}

}  // namespace batchwise
