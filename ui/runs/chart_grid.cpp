// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/chart_grid.h"

#include <QtCore/QMimeData>
#include <QtGui/QDrag>
#include <QtGui/QDropEvent>
#include <QtGui/QMouseEvent>
#include <QtWidgets/QApplication>
#include <QtWidgets/QRubberBand>
#include <cmath>
#include <map>
#include <utility>

#include "ui/charts/chart_legend.h"
#include "ui/parts/display_text.h"
#include "ui/runs/event_lane.h"

namespace batchwise {
namespace {

/// MIME type of a chart that is dragged to another place; its data is the index of its spec.
constexpr const char* kChartMimeType = "application/x-batchwise-chart";
constexpr int kEdge = 8;  // pixels between charts, where they are resized

/// Transparent area over the title of a chart, which drags the chart.
class TitleHandle final : public QWidget {
 public:
  TitleHandle(std::size_t spec, SeriesChart& chart, QWidget* parent) : QWidget(parent), spec_(spec), chart_(chart) {
    setCursor(Qt::OpenHandCursor);
  }

 protected:
  bool event(QEvent* event) override {
    if (event->type() == QEvent::ToolTip) setToolTip(plainToolTip(toolTipText()));
    return QWidget::event(event);
  }
  void mousePressEvent(QMouseEvent* event) override {
    pressedAt_ = event->position().toPoint();
    chart_.setFocus(Qt::MouseFocusReason);
  }
  void mouseMoveEvent(QMouseEvent* event) override {
    if (!(event->buttons() & Qt::LeftButton) || !pressedAt_) return;
    if ((event->position().toPoint() - *pressedAt_).manhattanLength() < QApplication::startDragDistance()) return;
    pressedAt_.reset();
    // Another chart may take the place of this one while it is dragged: the charts' parent drags, later.
    QWidget* charts = parentWidget()->parentWidget();
    const auto drag = [charts, spec = spec_] {
      auto* dragged = new QDrag(charts);
      auto* content = new QMimeData;
      content->setData(QString::fromLatin1(kChartMimeType), QByteArray::number(static_cast<qulonglong>(spec)));
      dragged->setMimeData(content);
      dragged->exec(Qt::MoveAction);
    };
    QMetaObject::invokeMethod(charts, drag, Qt::QueuedConnection);
  }
  void contextMenuEvent(QContextMenuEvent* event) override { Q_EMIT chart_.menuRequested(event->globalPos()); }

 private:
  /// Returns all that the title row may have no room for.
  QString toolTipText() const {
    const ChartTitle& spec = chart_.title();
    QStringList lines{spec.unit.isEmpty() ? spec.title : QStringLiteral("%1 (%2)").arg(spec.title, spec.unit)};
    if (!chart_.content().note.isEmpty()) lines << sentenceCase(chart_.content().note);
    lines << chart_.frame().outside << GridCell::tr("Drag to move the chart; its edges resize it");
    return lines.join(QLatin1Char('\n'));
  }

  std::size_t spec_;
  SeriesChart& chart_;
  std::optional<QPoint> pressedAt_;
};

/// A row of items: those from `first` to `end`, in columns of the grid.
struct GridRow {
  std::size_t first = 0, end = 0;
  int height = 0;  // 0: its share of the window
};

int columnsThatFit(const std::vector<GridItem>& items, int width, int least) {
  int wanted = 0;
  for (const GridItem& item : items) wanted += item.columns;
  return std::clamp(width / std::max(1, least), 1, std::clamp(wanted, 1, ChartSpec::kMostColumns));
}

std::vector<GridRow> rowsOf(const std::vector<GridItem>& items, int columns) {
  std::vector<GridRow> rows;
  int used = columns;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const int own = std::min(items[i].columns, columns);
    if (used + own > columns) {
      rows.push_back({i, i, 0});
      used = 0;
    }
    used += own;
    rows.back().end = i + 1;
    rows.back().height = std::max(rows.back().height, items[i].height);
  }
  return rows;
}

/// Gives each row without a height its share of what the others leave.
void shareHeight(std::vector<GridRow>& rows, int window, int least) {
  const auto shared = std::count_if(rows.begin(), rows.end(), [](const GridRow& row) { return row.height == 0; });
  for (const GridRow& row : rows) window -= row.height;
  if (shared == 0) return;
  const int share = std::max(least, window / static_cast<int>(shared));
  for (GridRow& row : rows)
    if (row.height == 0) row.height = share;
}

/// Returns the measured lines, which the cards of other charts list.
std::vector<const ChartLine*> measuredLines(const ChartContent& content) {
  std::vector<const ChartLine*> lines;
  for (const ChartLine& line : content.lines)
    if ((line.kind == LineKind::Main || line.kind == LineKind::Points) && !line.name.isEmpty()) lines.push_back(&line);
  return lines;
}

}  // namespace

std::vector<QRect> placeInGrid(const std::vector<GridItem>& items, QSize window, QSize least) {
  const int columns = columnsThatFit(items, window.width(), least.width());
  std::vector<GridRow> rows = rowsOf(items, columns);
  shareHeight(rows, window.height(), least.height());
  std::vector<QRect> places;
  const auto edge = [&](int column) { return window.width() * column / columns; };
  int top = 0;
  for (const GridRow& row : rows) {
    int column = 0;
    for (std::size_t i = row.first; i < row.end; ++i) {
      const int next = i + 1 == row.end ? columns : column + std::min(items[i].columns, columns);
      places.emplace_back(edge(column), top, edge(next) - edge(column), row.height);
      column = next;
    }
    top += row.height;
  }
  return places;
}

GridCell::GridCell(RunChart chart, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      spec_(chart.spec),
      chart_(new SeriesChart({chart.title, chart.unit, chart.format, chart.fromZero, {}, true}, theme, this)),
      lane_(new EventLane(*chart_, theme, this)),
      handle_(new TitleHandle(spec_, *chart_, this)) {
  setMouseTracking(true);
}

bool GridCell::fits(const RunChart& chart) const {
  const ChartTitle& own = chart_->title();
  return spec_ == chart.spec && own.title == chart.title && own.unit == chart.unit && own.format == chart.format &&
         own.fromZero == chart.fromZero;
}

void GridCell::setChart(RunChart chart, const std::optional<AxisRange>& part, const QString& emptyText) {
  const bool events = !chart.content.events.empty();
  chart_->setEmptyText(emptyText);
  chart_->setContent(std::move(chart.content), part);
  if (lane_->isHidden() == events) {
    lane_->setVisible(events);
    placeHandle();
  }
  lane_->update();
}

QSize GridCell::leastSize() const {
  return chart_->minimumSizeHint() + QSize(kEdge, kEdge);
}

void GridCell::updateEvents() {
  lane_->update();
}

void GridCell::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  placeHandle();
}

void GridCell::placeHandle() {
  const QRect inside = rect().adjusted(0, 0, -kEdge, -kEdge);
  const int lane = lane_->isHidden() ? 0 : lane_->sizeHint().height();
  chart_->setGeometry(inside.adjusted(0, 0, 0, -lane));
  lane_->setGeometry(inside.x(), inside.bottom() + 1 - lane, inside.width(), lane);
  handle_->setGeometry(inside.x(), inside.y(), inside.width(), fontMetrics().height() + 4);
  handle_->raise();
}

std::optional<Qt::Edge> GridCell::edgeAt(QPoint place) const {
  if (place.x() >= width() - kEdge) return Qt::RightEdge;
  return place.y() >= height() - kEdge ? std::optional(Qt::BottomEdge) : std::nullopt;
}

void GridCell::mousePressEvent(QMouseEvent* event) {
  dragged_ = event->button() == Qt::LeftButton ? edgeAt(event->position().toPoint()) : std::nullopt;
}

void GridCell::mouseMoveEvent(QMouseEvent* event) {
  const auto edge = dragged_ ? dragged_ : edgeAt(event->position().toPoint());
  setCursor(!edge ? Qt::ArrowCursor : *edge == Qt::RightEdge ? Qt::SizeHorCursor : Qt::SizeVerCursor);
  if (!dragged_ || !(event->buttons() & Qt::LeftButton)) return;
  const QPoint corner = event->position().toPoint();
  Q_EMIT resizeRequested({corner.x(), corner.y()}, *dragged_);
}

void GridCell::mouseReleaseEvent(QMouseEvent*) {
  if (std::exchange(dragged_, std::nullopt)) Q_EMIT resized();
}

ChartGrid::ChartGrid(const Theme& theme, QWidget* parent)
    : QScrollArea(parent),
      theme_(theme),
      legend_(new LegendStrip(theme, this)),
      content_(new QWidget(this)),
      dropMark_(new QRubberBand(QRubberBand::Line, content_)) {
  setAccessibleName(tr("Charts"));
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setWidget(content_);
  content_->setAcceptDrops(true);
  content_->installEventFilter(this);
  connect(legend_, &LegendStrip::lineHovered, this, &ChartGrid::emphasize);
}

void ChartGrid::emphasize(const QString& name) {
  legend_->setEmphasized(name);
  for (GridCell* cell : cells_) cell->chart().setEmphasized(name);
}

GridCell* ChartGrid::addCell(RunChart chart) {
  auto* cell = new GridCell(std::move(chart), theme_, content_);
  cell->chart().setCardArea(this);
  connectChart(cell);
  cell->show();
  return cell;
}

void ChartGrid::connectChart(GridCell* cell) {
  SeriesChart* chart = &cell->chart();
  connect(chart, &SeriesChart::cursorMoved, this, [this, chart](std::optional<double> x) { moveCursor(chart, x); });
  connect(chart, &SeriesChart::zoomRequested, this, [this](double factor, double at) {
    view_.zoom(factor, at);
    showView();
  });
  connect(chart, &SeriesChart::panRequested, this, [this](double distance) {
    view_.pan(distance);
    showView();
  });
  connect(chart, &SeriesChart::rangeRequested, this, &ChartGrid::showPart);
  connect(chart, &SeriesChart::fullRangeRequested, this, &ChartGrid::fit);
  connect(chart, &SeriesChart::lineHovered, this, &ChartGrid::emphasize);
  connect(chart, &SeriesChart::menuRequested, this, [this, cell](QPoint place) {
    const auto at = std::find(cells_.begin(), cells_.end(), cell) - cells_.begin();
    Q_EMIT menuRequested(static_cast<int>(at), cell->spec(), place);
  });
  connect(chart, &SeriesChart::seriesDropped, this,
          [this, cell](const QString& series) { Q_EMIT seriesDropped(cell->spec(), series); });
  connect(cell, &GridCell::resizeRequested, this,
          [this, cell](QSize size, Qt::Edge edge) { requestSize(*cell, size, edge); });
  connect(cell, &GridCell::resized, this, &ChartGrid::sizeChosen);
}

/// Moves the legend of charts that name the same runs above the grid.
void ChartGrid::shareLegend(std::vector<RunChart>& charts) {
  const bool several = std::ranges::count_if(charts, &RunChart::namesRuns) > 1;
  std::vector<const ChartContent*> shared;
  for (RunChart& chart : charts) {
    chart.content.legendElsewhere = several && chart.namesRuns;
    if (chart.content.legendElsewhere) shared.push_back(&chart.content);
  }
  legend_->setCharts(shared);
  placeLegend();
}

void ChartGrid::placeLegend() {
  const int height = legend_->heightForWidth(width());
  legend_->setGeometry(0, 0, width(), height);
  if (viewportMargins().top() != height) setViewportMargins(0, height, 0, 0);
}

void ChartGrid::setCharts(std::vector<RunChart> charts, const std::vector<ChartSpec>& specs, const QString& emptyText) {
  leaveOutEmpty(charts, specs);
  shareLegend(charts);
  if (!charts.empty()) {
    const ChartContent& first = charts.front().content;
    AxisRange extent{first.xLow, first.xHigh};
    double end = 0;
    for (const RunChart& chart : charts) {
      extent.high = std::max(extent.high, chart.content.xHigh);
      end = std::max(end, chart.content.dataEnd);
    }
    if (first.xAxis != xAxis_) view_.fit();
    xAxis_ = first.xAxis;
    if (end > 0 || !view_.part()) view_.setExtent(extent, end);  // a part waits for its runs
  }
  bool changed = cells_.size() != charts.size() || specs_ != specs;
  specs_ = specs;
  while (cells_.size() > charts.size()) {
    cells_.back()->hide();
    cells_.back()->deleteLater();
    cells_.pop_back();
  }
  for (std::size_t i = 0; i < charts.size(); ++i) {
    if (i == cells_.size()) cells_.push_back(nullptr);
    GridCell*& cell = cells_[i];
    if (cell == nullptr || !cell->fits(charts[i])) {
      if (cell != nullptr) cell->hide(), cell->deleteLater();
      cell = addCell(charts[i]);
      changed = true;
    }
    cell->chart().setLogarithmic(specs_[charts[i].spec].logarithmic);
    cell->chart().setRobust(robust_);
    cell->setChart(std::move(charts[i]), view_.part(), emptyText);
  }
  const QSize least = cells_.empty() ? QSize() : cells_.front()->leastSize();
  if (std::exchange(leastCell_, least) != least || changed)
    arrange();
  else
    alignPlots();
}

/// Leaves out the charts without values. While none has any, as while a run is read, the same charts stay: they say
/// why.
void ChartGrid::leaveOutEmpty(std::vector<RunChart>& charts, const std::vector<ChartSpec>& specs) const {
  const bool known = std::ranges::any_of(charts, &RunChart::hasValues), same = !cells_.empty() && specs_ == specs;
  std::erase_if(charts, [&](const RunChart& chart) {
    if (known) return !chart.hasValues() && chart.content.events.empty();
    return same && !shows(chart.spec);
  });
}

void ChartGrid::setRobust(bool robust) {
  robust_ = robust;
  for (GridCell* cell : cells_) cell->chart().setRobust(robust);
}

void ChartGrid::setView(const AxisView& view, XAxis xAxis) {
  if (xAxis != xAxis_) return;
  view_ = view;
  showView();
}

void ChartGrid::fit() {
  view_.fit();
  showView();
}

void ChartGrid::follow() {
  view_.follow();
  showView();
}

void ChartGrid::toStart() {
  view_.toStart();
  showView();
}

void ChartGrid::showPart(AxisRange part) {
  view_.show(part);
  showView();
}

void ChartGrid::showView() {
  for (GridCell* cell : cells_) {
    cell->chart().showPart(view_.part());
    cell->updateEvents();
  }
  alignPlots();
  Q_EMIT viewChanged();
}

void ChartGrid::moveCursor(const SeriesChart* under, std::optional<double> x) {
  for (GridCell* cell : cells_) {
    SeriesChart& chart = cell->chart();
    chart.showCursorAt(x);
    chart.showCard(x && &chart == under ? card(chart, *x) : ChartCard());
  }
}

ChartCard ChartGrid::card(const SeriesChart& under, double x) const {
  constexpr std::size_t kMostRows = 16;
  ChartCard card = under.cardAt(x);
  const std::size_t own = card.rows.size();
  for (const GridCell* cell : cells_) {
    const SeriesChart& chart = cell->chart();
    if (&chart == &under) continue;
    const auto lines = measuredLines(chart.content());
    for (const ChartLine* line : lines) {
      const QString value = chart.valueText(*line, x);
      if (value.isEmpty()) continue;
      const QString& title = chart.title().title;
      card.rows.push_back({lines.size() > 1 ? QStringLiteral("%1, %2").arg(title, line->name) : title,
                           QStringLiteral("%1 %2").arg(value, chart.title().unit).trimmed(), line->kind, line->color});
    }
  }
  if (card.rows.size() > kMostRows) card.rows.resize(std::min(own, card.rows.size()));
  return card;
}

int ChartGrid::columnCount() const {
  std::vector<GridItem> items;
  for (const GridCell* cell : cells_) items.push_back({specs_[cell->spec()].columns, 0});
  return cells_.empty() ? 1 : columnsThatFit(items, viewport()->width() - kEdge, cells_.front()->leastSize().width());
}

/// Turns a size in pixels into columns and lines of text.
void ChartGrid::requestSize(const GridCell& cell, QSize size, Qt::Edge edge) {
  const ChartSpec& spec = specs_[cell.spec()];
  int columns = spec.columns, height = spec.height;
  if (edge == Qt::RightEdge)
    columns =
        static_cast<int>(std::lround(size.width() * columnCount() / std::max(1.0, viewport()->width() - 1.0 * kEdge)));
  else
    height = size.height() / lineHeight();
  Q_EMIT sizeRequested(cell.spec(), std::clamp(columns, 1, ChartSpec::kMostColumns),
                       height == 0 ? 0 : std::clamp(height, ChartSpec::kLeastHeight, ChartSpec::kMostHeight));
}

void ChartGrid::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  placeLegend();
  arrange();
}

bool ChartGrid::event(QEvent* event) {
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) placeLegend(), arrange();
  return QScrollArea::event(event);
}

void ChartGrid::arrange() {
  std::vector<GridItem> items;
  for (const GridCell* cell : cells_) {
    const ChartSpec& spec = specs_[cell->spec()];
    items.push_back({spec.columns, spec.height * lineHeight()});
  }
  const QSize least = cells_.empty() ? QSize(1, 1) : cells_.front()->leastSize();
  const auto places = placeInGrid(items, viewport()->size() - QSize(kEdge, 0), least);
  int bottom = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    cells_[i]->setGeometry(places[i].translated(kEdge, 0));
    bottom = std::max(bottom, places[i].bottom() + 1);
  }
  content_->resize(viewport()->width(), std::max(bottom, viewport()->height()));
  alignPlots();
}

/// Lets the plots of charts below each other begin at the same x.
void ChartGrid::alignPlots() {
  std::map<int, double> widths;  // by the left edge of a column
  for (const GridCell* cell : cells_) widths[cell->x()] = std::max(widths[cell->x()], cell->chart().frame().axisWidth);
  for (GridCell* cell : cells_) cell->chart().setLeastAxisWidth(widths[cell->x()]);
}

/// Returns the index in the layout at which a chart dropped at `place` is inserted.
std::size_t ChartGrid::specAt(QPoint place) const {
  for (const GridCell* cell : cells_)
    if (cell->geometry().contains(place)) return cell->spec() + (place.x() > cell->geometry().center().x() ? 1 : 0);
  return specs_.size();
}

void ChartGrid::showDropPlace(QPoint place) {
  for (const GridCell* cell : cells_) {
    if (!cell->geometry().contains(place)) continue;
    const bool after = place.x() > cell->geometry().center().x();
    const int x = after ? cell->geometry().right() - kEdge / 2 : cell->geometry().left() - kEdge / 2;
    dropMark_->setGeometry(x, cell->y(), 3, cell->height() - kEdge);
    dropMark_->raise();
    dropMark_->show();
  }
}

bool ChartGrid::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  if (type == QEvent::DragLeave) dropMark_->hide();
  if (type != QEvent::DragEnter && type != QEvent::DragMove && type != QEvent::Drop)
    return QScrollArea::eventFilter(watched, event);
  auto& drop = *static_cast<QDropEvent*>(event);
  const QString chart = QString::fromLatin1(kChartMimeType);
  const bool ours = drop.mimeData()->hasFormat(chart);
  const QPoint place = drop.position().toPoint();
  if (ours && type != QEvent::Drop) showDropPlace(place);
  if (ours && type == QEvent::Drop) {
    dropMark_->hide();
    Q_EMIT moveRequested(static_cast<std::size_t>(drop.mimeData()->data(chart).toULongLong()), specAt(place));
  }
  ours ? drop.acceptProposedAction() : drop.ignore();
  return ours;
}

}  // namespace batchwise
