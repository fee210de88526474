// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/chart_tools.h"

#include <QtCore/QMimeData>
#include <QtGui/QAction>
#include <QtGui/QStandardItemModel>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QMenu>
#include <QtWidgets/QSlider>
#include <QtWidgets/QToolBar>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QWidgetAction>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/series_chart.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/shortcuts.h"
#include "ui/runs/chart_grid.h"

namespace batchwise {
namespace {

/// List whose items are dragged as series.
class SeriesList final : public QListWidget {
 public:
  using QListWidget::QListWidget;

 protected:
  QMimeData* mimeData(const QList<QListWidgetItem*>& items) const override {
    auto* content = new QMimeData;
    if (!items.isEmpty()) content->setData(kSeriesMimeType, items.front()->data(Qt::UserRole).toString().toUtf8());
    return content;
  }
};

}  // namespace

SeriesPanel::SeriesPanel(QWidget* parent)
    : QWidget(parent), search_(searchLine(this, "seriesSearch", tr("Find a series"))), list_(new SeriesList(this)) {
  named(list_, "seriesList", tr("Series of the shown runs"),
        tr("Drag a series onto a chart. Return or a double click adds a chart of the series"));
  list_->setDragEnabled(true);
  list_->setFrameShape(QFrame::NoFrame);
  column(this, {search_, {list_, 1}}, {{0, 0, 8, 8}, 4});
  connect(search_, &QLineEdit::textChanged, this, &SeriesPanel::filter);
  connect(list_, &QListWidget::itemActivated, this,
          [this](const QListWidgetItem* item) { Q_EMIT chartRequested(item->data(Qt::UserRole).toString()); });
}

void SeriesPanel::setSeries(const std::set<std::string>& series) {
  if (series == series_) return;
  series_ = series;
  list_->clear();
  for (const std::string& name : series) {
    auto* item = new QListWidgetItem(seriesTitle(name), list_);
    item->setData(Qt::UserRole, toQt(name));
    item->setToolTip(plainToolTip(toQt(name)));
  }
  list_->sortItems();
  filter();
}

void SeriesPanel::filter() {
  const QString words = search_->text().trimmed();
  for (int i = 0; i < list_->count(); ++i) {
    QListWidgetItem* item = list_->item(i);
    item->setHidden(!item->text().contains(words, Qt::CaseInsensitive) &&
                    !item->data(Qt::UserRole).toString().contains(words, Qt::CaseInsensitive));
  }
}

namespace {

constexpr int kSmoothingSteps = 99;  // hundredths
constexpr int kPresetChars = 30;     // longer names of presets are elided

bool allLogarithmic(const ChartLayout& layout) {
  return !layout.charts.empty() && std::all_of(layout.charts.begin(), layout.charts.end(),
                                               [](const ChartSpec& spec) { return spec.logarithmic; });
}

/// Opens the menu of `action` below `button` when the action is triggered by its command.
void openBelow(QToolButton* button, QAction* action) {
  button->setPopupMode(QToolButton::InstantPopup);
  QObject::connect(action, &QAction::triggered, button, [button, action] {
    const QWidget& over = button->isVisible() ? *static_cast<QWidget*>(button) : *button->parentWidget();
    action->menu()->popup(over.mapToGlobal(QPoint(0, over.height())));
  });
}

QToolButton* addButton(QToolBar& bar, QAction* action) {
  bar.addAction(action);
  auto* button = static_cast<QToolButton*>(bar.widgetForAction(action));
  button->setFocusPolicy(Qt::TabFocus);
  return button;
}

/// Adds a control; where it does not fit, `action` stands for it in the menu at the end.
void add(QToolBar& bar, QWidget* control, QAction* action) {
  auto* tool = new QWidgetAction(&bar);
  tool->setText(action->text());
  tool->setMenu(action->menu());
  tool->setDefaultWidget(control);
  control->setSizePolicy(QSizePolicy::Fixed,
                         control->sizePolicy().verticalPolicy());  // no share of the room that is left
  bar.addAction(tool);
}

}  // namespace

ChartTools::ChartTools(RunsPresenter& presenter, ComparePresenter& comparing, ChartGrid& grid, QToolBar& bar,
                       QWidget& page)
    : QObject(&page), presenter_(presenter), comparing_(comparing), grid_(grid), page_(page) {
  makeViewActions();
  makeLayoutActions();
  addPreset(bar);
  addXAxis(bar);
  addSmoothing(bar);
  addButton(bar, fit_);
  addButton(bar, follow_);
  addButton(bar, logarithmic_);
  addButton(bar, robust_);
  addButton(bar, group_);
  addButton(bar, wholeRun_);
  addMenus(bar);
  connect(&presenter_, &RunsPresenter::layoutChanged, this, &ChartTools::showLayout);
  connect(&presenter_, &RunsPresenter::presetsChanged, this, &ChartTools::showLayout);
  connect(&comparing_, &ComparePresenter::changed, this, &ChartTools::showGrouping);
  showLayout();
}

QAction* ChartTools::pageAction(const char* name, const QString& text, const QString& help) {
  auto* action = new QAction(text, &page_);
  setCommandName(*action, name);
  action->setToolTip(help);
  return action;
}

/// Creates an action that is active only while a chart has the focus, so that letters can be typed elsewhere.
QAction* ChartTools::gridAction(const char* name, const QString& text, const QKeySequence& keys, const QString& help) {
  auto* action = pageAction(name, text, {});
  action->setShortcut(keys);
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  action->setToolTip(tr("%1 (%2 while a chart has the focus)").arg(help, keys.toString(QKeySequence::NativeText)));
  grid_.addAction(action);
  return action;
}

void ChartTools::makeViewActions() {
  fit_ = gridAction("fit", tr("Fit"), Qt::Key_F,
                    tr("Shows everything. Wheel: zoom; drag: choose a part; Shift and drag: move; arrow keys: cursor; "
                       "+ and −: zoom"));
  follow_ = gridAction("follow", tr("Follow"), Qt::Key_End, tr("Follows the newest value until the charts are moved"));
  start_ = gridAction("to_start", tr("To the start"), Qt::Key_Home, tr("Shows the beginning of the run"));
  nextXAxis_ = gridAction("next_x_axis", tr("Next x axis"), Qt::Key_X, tr("Switches all charts to the next x axis"));
  follow_->setCheckable(true);
  connect(fit_, &QAction::triggered, &grid_, &ChartGrid::fit);
  connect(follow_, &QAction::triggered, &grid_, [this](bool on) { on ? grid_.follow() : grid_.fit(); });
  connect(start_, &QAction::triggered, &grid_, &ChartGrid::toStart);
  connect(nextXAxis_, &QAction::triggered, this,
          [this] { xAxis_->setCurrentIndex((xAxis_->currentIndex() + 1) % xAxis_->count()); });
  connect(&grid_, &ChartGrid::viewChanged, this, [this] { follow_->setChecked(grid_.view().follows()); });
}

void ChartTools::makeLayoutActions() {
  logarithmic_ = gridAction("logarithmic", tr("Log scale"), Qt::Key_L,
                            tr("Logarithmic value axes; each chart counts the values it cannot show"));
  robust_ = gridAction("clip_spikes", tr("Clip spikes"), Qt::Key_R,
                       tr("Isolated spikes may be off scale: an arrow marks each, and the chart counts them"));
  wholeRun_ = pageAction("whole_run", tr("Whole run"), tr("Extends the axes to the planned end of the run"));
  group_ = gridAction(
      "group_seeds", tr("Group seeds"), Qt::Key_G,
      tr("Runs that differ in the seed only become one line with a band. It is on once a run has several seeds; "
         "switched off and on, it also makes them one row of the runs table"));
  for (QAction* action : {logarithmic_, robust_, wholeRun_, group_}) action->setCheckable(true);
  connect(logarithmic_, &QAction::toggled, this, &ChartTools::setLogarithmic);
  connect(robust_, &QAction::toggled, this,
          [this](bool on) { change([on](ChartLayout& layout) { layout.clipSpikes = on; }); });
  connect(wholeRun_, &QAction::toggled, this,
          [this](bool on) { change([on](ChartLayout& layout) { layout.wholeRun = on; }); });
  connect(group_, &QAction::toggled, this, [this](bool on) {
    if (!settingControls_) groupBy(on ? kGroupByExperiment : "");
  });
  group_->setMenu(menuOf(group_, [this](QMenu& menu) { fillGroups(menu); }));
}

QMenu* ChartTools::menuOf(QAction* action, const std::function<void(QMenu&)>& fill) {
  auto* menu = new QMenu(&page_);
  menu->setToolTipsVisible(true);
  action->setMenu(menu);
  connect(menu, &QMenu::aboutToShow, this, [menu, fill] {
    menu->clear();
    fill(*menu);
  });
  return menu;
}

void ChartTools::addPreset(QToolBar& bar) {
  auto* action = pageAction("preset", tr("Preset"), tr("Which charts are shown"));
  menuOf(action, [this](QMenu& menu) { fillPresets(menu); })->setObjectName(QStringLiteral("presets"));
  preset_ = named(new QToolButton(&bar), "preset", tr("Preset"), tr("Which charts are shown"));
  preset_->setMenu(action->menu());
  openBelow(preset_, action);
  preset_->setFocusPolicy(Qt::TabFocus);
  add(bar, preset_, action);
}

void ChartTools::addXAxis(QToolBar& bar) {
  xAxis_ = named(new QComboBox(&bar), "xAxis", tr("X axis of all charts"),
                 tr("X axis of all charts. X switches to the next one while a chart has the focus"));
  for (const XAxis xAxis : kXAxes) xAxis_->addItem(xAxisTitle(xAxis));
  auto* action = new QAction(tr("X axis"), &page_);
  menuOf(action, [this](QMenu& menu) {
    std::vector<MenuChoice> choices;
    for (int i = countSteps_ ? 1 : 0; i < xAxis_->count(); ++i)
      choices.push_back({xAxis_->itemText(i), i == xAxis_->currentIndex(), [this, i] { xAxis_->setCurrentIndex(i); }});
    addChoices(menu, choices);
  });
  add(bar, xAxis_, action);
  connect(xAxis_, &QComboBox::currentIndexChanged, this, [this](int index) {
    change([index](ChartLayout& layout) { layout.xAxis = kXAxes[static_cast<std::size_t>(index)]; });
  });
}

void ChartTools::addSmoothing(QToolBar& bar) {
  auto* group = new QWidget(&bar);
  auto* label = new QLabel(tr("Smoothing"), group);
  smoothing_ = named(
      new QSlider(Qt::Horizontal, group), "smoothing", tr("Smoothing"),
      tr("Weight of the neighbors in the thick line: of the values before while a run trains, of those on both sides "
         "once it has ended, so that it does not lag. The thin line shows every value"));
  smoothing_->setRange(0, kSmoothingSteps);
  smoothing_->setFixedWidth(80);
  label->setBuddy(smoothing_);
  row(group, {label, smoothing_}, {{4, 0, 4, 0}, 4});
  auto* action = new QAction(tr("Smoothing"), &page_);
  menuOf(action, [this](QMenu& menu) {
    std::vector<MenuChoice> choices;
    for (const int value : {0, 50, 80, 90, 95, 99})
      choices.push_back({value == 0 ? tr("No smoothing") : QString::number(value / 100.0, 'f', 2),
                         value == smoothing_->value(), [this, value] { smoothing_->setValue(value); }});
    addChoices(menu, choices);
  });
  add(bar, group, action);
  connect(smoothing_, &QSlider::valueChanged, this, [this](int value) {
    if (settingControls_) return;
    ChartLayout layout = presenter_.layout();
    layout.smoothing = value / 100.0;
    smoothing_->isSliderDown() ? presenter_.tryLayout(layout) : presenter_.setLayout(layout);
  });
  connect(smoothing_, &QSlider::sliderReleased, this, [this] { presenter_.setLayout(presenter_.layout()); });
}

void ChartTools::addMenus(QToolBar& bar) {
  values_ =
      pageAction("show_values", tr("Values"), tr("The table of values below the charts, while runs are compared"));
  values_->setCheckable(true);
  addButton(bar, values_);
  addChart_ = pageAction("add_chart", tr("Add chart"), tr("A chart of any series of the shown runs"));
  menuOf(addChart_, [this](QMenu& menu) { fillSeries(menu); })->setObjectName(QStringLiteral("series"));
  seriesPanel_ =
      pageAction("series_panel", tr("List of series"), tr("The series of the shown runs, to drag onto charts"));
  seriesPanel_->setCheckable(true);
  exports_ = pageAction("export_charts", tr("Export"), tr("Pictures, values, tables and a report"));
  menuOf(exports_, [this](QMenu& menu) { Q_EMIT exportMenuRequested(menu); })->setObjectName(QStringLiteral("exports"));
  openBelow(addButton(bar, addChart_), addChart_);
  openBelow(addButton(bar, exports_), exports_);
}

void ChartTools::change(const std::function<void(ChartLayout&)>& edit) {
  if (settingControls_) return;
  ChartLayout layout = presenter_.layout();
  edit(layout);
  presenter_.setLayout(layout);
}

void ChartTools::setLogarithmic(bool on) {
  change([on](ChartLayout& layout) {
    for (ChartSpec& spec : layout.charts) spec.logarithmic = on;
  });
}

void ChartTools::addChart(const QString& series) {
  ChartLayout layout = presenter_.drawnLayout();
  layout.charts.push_back({.series = {series.toStdString()}});
  presenter_.setLayout(layout);
}

/// Takes the series out of all charts, and those out that show nothing else.
void ChartTools::removeSeries(const std::string& series) {
  ChartLayout layout = presenter_.drawnLayout();
  for (ChartSpec& spec : layout.charts) std::erase(spec.series, series);
  std::erase_if(layout.charts, [](const ChartSpec& spec) { return spec.series.empty(); });
  presenter_.setLayout(layout);
}

void ChartTools::showLayout() {
  const bool wasSetting = std::exchange(settingControls_, true);
  const ChartLayout& layout = presenter_.layout();
  const QString name = presenter_.presetName();
  const QString shown = name.isEmpty() ? tr("Custom charts") : name;
  const QFontMetrics metrics = preset_->fontMetrics();
  preset_->setText(metrics.elidedText(shown, Qt::ElideRight, kPresetChars * metrics.averageCharWidth()));
  preset_->setToolTip(plainToolTip(shown));
  xAxis_->setCurrentIndex(std::max(countSteps_ ? 1 : 0, static_cast<int>(layout.xAxis)));
  smoothing_->setValue(static_cast<int>(std::lround(layout.smoothing * 100)));
  logarithmic_->setChecked(allLogarithmic(layout));
  robust_->setChecked(layout.clipSpikes);
  wholeRun_->setChecked(layout.wholeRun);
  settingControls_ = wasSetting;
  showGrouping();
}

void ChartTools::setCountSteps(bool countSteps) {
  static_assert(kXAxes[0] == XAxis::Batches && kXAxes[1] == XAxis::Steps);
  if (std::exchange(countSteps_, countSteps) == countSteps) return;
  if (auto* items = qobject_cast<QStandardItemModel*>(xAxis_->model())) {
    items->item(0)->setEnabled(!countSteps);
    items->item(0)->setToolTip(countSteps ? tr("Runs of other programs count steps only") : QString());
  }
  showLayout();
}

void ChartTools::showGrouping() {
  const auto& comparison = comparing_.comparison();
  const std::string& by = presenter_.layout().groupBy;
  const bool wasSetting = std::exchange(settingControls_, true);
  group_->setChecked(by == kGroupWhereSeeds ? comparison && !comparison->options.groupBy.empty() : !by.empty());
  settingControls_ = wasSetting;
}

void ChartTools::askPresetName() {
  const auto name = askText(page_, {tr("Save preset"), tr("Name"), tr("Save"), {}});
  if (name && mayReplacePreset(name->trimmed())) presenter_.savePreset(*name);
}

/// Asks if there is an own preset of that name.
bool ChartTools::mayReplacePreset(const QString& name) {
  if (!presenter_.ownPresets().contains(name)) return true;
  return confirm(page_, {tr("Replace the preset?"), tr("There is already a preset %1.").arg(name),
                         tr("Its charts and options are lost."), tr("Replace")});
}

void ChartTools::fillPresets(QMenu& menu) {
  const QString shown = presenter_.presetName();
  std::vector<MenuChoice> choices;
  for (const ChartPreset preset : kChartPresets)
    choices.push_back({presetTitle(preset), presetTitle(preset) == shown,
                       [this, preset] { change([preset](ChartLayout& layout) { applyPreset(layout, preset); }); }});
  addChoices(menu, choices);
  menu.addSeparator();
  const QStringList own = presenter_.ownPresets();
  for (const QString& name : own)
    connect(menu.addAction(escapeMnemonic(name)), &QAction::triggered, this,
            [this, name] { presenter_.openPreset(name); });
  if (!own.isEmpty()) menu.addSeparator();
  connect(menu.addAction(tr("Save preset…")), &QAction::triggered, this, &ChartTools::askPresetName);
  if (own.isEmpty()) return;
  QMenu* remove = menu.addMenu(tr("Delete"));
  for (const QString& name : own)
    connect(remove->addAction(escapeMnemonic(name)), &QAction::triggered, this,
            [this, name] { presenter_.deletePreset(name); });
}

/// Lists what runs can be grouped by, the center and the band.
void ChartTools::fillGroups(QMenu& menu) {
  const ChartLayout& layout = presenter_.layout();
  std::vector<MenuChoice> choices;
  const auto add = [&](const QString& text, const std::string& field) {
    choices.push_back({text, layout.groupBy == field, [this, field] { groupBy(field); }});
  };
  add(tr("Group seeds once a run has several"), kGroupWhereSeeds);
  add(tr("No groups"), "");
  add(tr("Group by all settings except the seed"), kGroupByExperiment);
  if (comparing_.comparison())
    for (const FieldRow& row : comparing_.comparison()->differences.rows)
      add(tr("Group by %1").arg(fieldLabel(row.field)), row.field);
  addChoices(menu, choices);
  const auto choice = [&](const QString& text, bool checked, const std::function<void(ChartLayout&)>& set) {
    return MenuChoice{text, checked, [this, set] { change(set); }};
  };
  const auto band = [&](const QString& text, Band of) {
    return choice(text, layout.band == of, [of](ChartLayout& own) { own.band = of; });
  };
  menu.addSeparator();
  addChoices(*menu.addMenu(tr("Band")),
             {band(tr("Standard deviation"), Band::Deviation), band(tr("Standard error"), Band::Error),
              band(tr("95 % confidence"), Band::Confidence95), band(tr("None"), Band::None)});
  addChoices(
      *menu.addMenu(tr("Center")),
      {choice(tr("Mean"), layout.center == Center::Mean, [](ChartLayout& own) { own.center = Center::Mean; }),
       choice(tr("Median"), layout.center == Center::Median, [](ChartLayout& own) { own.center = Center::Median; })});
}

/// Lists the series of the shown runs and of the charts; those that a chart has are checked, also while it is left out
/// for want of values.
void ChartTools::fillSeries(QMenu& menu) {
  const std::vector<ChartSpec> charts = presenter_.drawnLayout().charts;
  std::vector<std::pair<QString, std::string>> names;
  for (const std::string& name : presenter_.availableSeries()) names.emplace_back(seriesTitle(name), name);
  std::sort(names.begin(), names.end());
  for (const auto& entry : names) {
    const std::string& name = entry.second;
    bool has = false, shown = false;
    for (std::size_t spec = 0; spec < charts.size(); ++spec) {
      if (!charts[spec].has(name)) continue;
      has = true;
      shown = shown || grid_.shows(spec);
    }
    auto* action =
        menu.addAction(escapeMnemonic(has && !shown ? tr("%1 (no values yet)").arg(entry.first) : entry.first));
    action->setCheckable(true);
    action->setChecked(has);
    connect(action, &QAction::triggered, this,
            [this, name](bool on) { on ? addChart(toQt(name)) : removeSeries(name); });
  }
  menu.addSeparator();
  menu.addAction(seriesPanel_);
}

}  // namespace batchwise
