// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_export.h"

#include <QtCore/QLocale>
#include <QtCore/QPointer>
#include <QtGui/QClipboard>
#include <QtGui/QDoubleValidator>
#include <QtGui/QGuiApplication>
#include <QtGui/QPainter>
#include <QtWidgets/QDialog>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QMenu>
#include <QtWidgets/QTableView>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>

#include "core/base/format.h"
#include "ui/charts/chart_content.h"
#include "ui/charts/chart_painter.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/file_jobs.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"
#include "ui/parts/table_model.h"

namespace batchwise {
namespace {

constexpr std::size_t kMaxTableRows = 5'000;

/// Returns what a reader must know without the window: smoothing, band, and what dots and thin lines are.
QString figureNote(const ChartContent& content) {
  const auto has = [&](LineKind kind) {
    return std::ranges::find(content.lines, kind, &ChartLine::kind) != content.lines.end();
  };
  QStringList notes;
  if (!content.note.isEmpty()) notes << content.note;
  if (has(LineKind::Points)) notes << ChartExport::tr("lines with dots: evaluation");
  if (!content.bands.empty() && has(LineKind::Thin)) notes << ChartExport::tr("thin lines: single runs");
  return notes.join(QStringLiteral("; "));
}

/// Appends to the labels of groups in the legend of how many runs they are, as the names on the card end: " (n = 2)".
void countGroups(ChartContent& content) {
  for (ChartLine& line : content.lines)
    if (line.runs > 0 && !line.legend.isEmpty()) line.legend = groupName(line.legend, line.runs);
}

/// Returns whether the unit fits beside the title.
bool unitFits(const ChartTitle& spec, const Theme& theme, double width) {
  QFont bold = theme.smallFont();
  bold.setBold(true);
  const QFontMetricsF metrics(bold);
  const double title = metrics.horizontalAdvance(spec.title) + metrics.height();
  return title + QFontMetricsF(theme.smallFont()).horizontalAdvance(spec.unit) + 16 <= width;
}

/// The name of the x axis and the notes, below the plot in as many rows as they need.
class FigureFoot {
 public:
  FigureFoot(const ChartContent& content, const QString& unit, const Theme& theme, double width)
      : theme_(theme), title_(xAxisTitle(content.xAxis)), metrics_(theme.smallFont()) {
    note_ = figureNote(content);
    if (!unit.isEmpty()) note_ = note_.isEmpty() ? unit : unit + QStringLiteral("; ") + note_;
    const double most = (width - 2 * kChartMargin) * kSharePainted;
    lines_ = brokenLines(note_, [&](const QString& line) { return metrics_.horizontalAdvance(line) <= most; });
    for (QString& line : lines_) line = metrics_.elidedText(line, Qt::ElideRight, most);
  }
  double height() const { return metrics_.height() * static_cast<double>(1 + lines_.size()) + kChartMargin; }
  /// Paints it at the bottom of `area`, the name below the middle of the plot.
  void paint(QPainter& painter, QSizeF area, const QRectF& plot) const {
    const double top = area.height() - height();
    painter.setFont(theme_.smallFont());
    painter.setPen(theme_.colors().muted);
    painter.drawText(QRectF(plot.left(), top, plot.width(), metrics_.height()), Qt::AlignHCenter, title_);
    double y = top + metrics_.height() + metrics_.ascent();
    for (const QString& line : lines_) {
      painter.drawText(QPointF(kChartMargin, y), line);
      y += metrics_.height();
    }
  }

 private:
  static constexpr double kSharePainted = 0.9;  // of the width: a text may be wider in the picture than on the screen

  const Theme& theme_;
  QString title_, note_;
  QFontMetricsF metrics_;
  QStringList lines_;  // of the note
};

/// Takes lines out by name, with the bands and single runs that are of no other line.
void leaveOut(ChartContent& content, const QStringList& names) {
  std::set<int> gone, kept;  // colors
  for (const ChartLine& line : content.lines)
    if (!line.name.isEmpty()) (names.contains(line.name) ? gone : kept).insert(line.color);
  const auto isGone = [&](int color) { return gone.contains(color) && !kept.contains(color); };
  std::erase_if(content.lines, [&](const ChartLine& line) {
    return line.name.isEmpty() ? isGone(line.color) : names.contains(line.name);
  });
  std::erase_if(content.bands, [&](const ChartBand& band) { return isGone(band.color); });
}

QStringList namesOf(const ChartContent& content) {
  QStringList names;
  for (const ChartLine& line : content.lines)
    if (!line.name.isEmpty() && !names.contains(line.name)) names << line.name;
  return names;
}

/// A field for one end of the value axis; empty: that of the window.
QLineEdit* rangeField(QWidget* parent, const char* name, const QString& label) {
  auto* field = named(new QLineEdit(parent), name, label);
  field->setPlaceholderText(ChartExport::tr("as shown"));
  field->setValidator(new QDoubleValidator(field));
  return field;
}

/// The lines and the value axis of a picture, as rows of a dialog.
struct PictureFields {
  QListWidget* lines;
  QLineEdit *low, *high;
  AxisRange shown;  // of the window

  PictureChoice choice() const;
};

PictureChoice PictureFields::choice() const {
  PictureChoice choice;
  for (int row = 0; row < lines->count(); ++row)
    if (lines->item(row)->checkState() == Qt::Unchecked) choice.leftOut << lines->item(row)->text();
  const auto value = [](const QLineEdit* field, double otherwise) {
    bool ok = false;
    const double typed = QLocale().toDouble(field->text(), &ok);
    return ok ? typed : otherwise;
  };
  if (!low->text().isEmpty() || !high->text().isEmpty())
    choice.values = AxisRange{value(low, shown.low), value(high, shown.high)};
  return choice;
}

PictureFields addFields(QFormLayout& form, const SeriesChart& chart) {
  QWidget* dialog = form.parentWidget();
  auto* lines = named(new QListWidget(dialog), "pictureLines", ChartExport::tr("Lines in the picture"));
  for (const QString& name : namesOf(chart.content())) {
    auto* item = new QListWidgetItem(name, lines);
    item->setCheckState(Qt::Checked);
  }
  lines->setMaximumHeight(8 * (lines->fontMetrics().height() + 6));
  auto* low = rangeField(dialog, "pictureLow", ChartExport::tr("Lowest value"));
  auto* high = rangeField(dialog, "pictureHigh", ChartExport::tr("Highest value"));
  form.addRow(ChartExport::tr("Lines"), lines);
  form.addRow(ChartExport::tr("Values from"), low);
  form.addRow(ChartExport::tr("to"), high);
  return {lines, low, high, {chart.frame().yLow, chart.frame().yHigh}};
}

/// Paints the visible part in the light theme.
void paintFigure(QPainter& painter, const SeriesChart& chart, QSizeF area, const PictureChoice& choice = {}) {
  const Theme light(Appearance::Light);
  const QFontMetricsF metrics(light.smallFont());
  ChartContent content = chart.content();
  leaveOut(content, choice.leftOut);
  countGroups(content);
  const QString unit = unitFits(chart.title(), light, area.width()) ? QString() : chart.title().unit;
  const FigureFoot foot(content, unit, light, area.width());
  content.note.clear();
  content.shortNote.clear();
  const QSizeF upper(area.width(), area.height() - foot.height());
  PlotSetting setting = chart.setting();
  if (choice.values) setting.values = choice.values;
  PlotFrame frame = plotFrame(content, setting, upper, metrics);
  const DrawnChart drawn = drawnChart(content, frame, 2 * static_cast<int>(frame.plot.width()));
  placeAtEnds(frame, content, drawn, metrics);
  const ChartScene scene{chart.title(), content, frame, light, upper, drawn};
  painter.fillRect(QRectF(QPointF(), area), light.colors().base);
  paintChart(painter, scene);
  foot.paint(painter, area, frame.plot);
}

}  // namespace

QPicture chartPicture(const SeriesChart& chart, const PictureSize& size, const PictureChoice& choice) {
  return recordPicture(size, [&](QPainter& painter, QSizeF area) { paintFigure(painter, chart, area, choice); });
}

QPicture chartsPicture(const std::vector<SeriesChart*>& charts, const PictureSize& size) {
  return recordPicture(size, [&](QPainter& painter, QSizeF area) {
    const std::size_t columns = charts.size() > 1 ? 2 : 1, rows = (charts.size() + columns - 1) / columns;
    const QSizeF part(area.width() / static_cast<double>(columns), area.height() / static_cast<double>(rows));
    for (std::size_t i = 0; i < charts.size(); ++i) {
      const std::size_t row = i / columns, column = i % columns;
      painter.save();
      painter.translate(static_cast<double>(column) * part.width(), static_cast<double>(row) * part.height());
      paintFigure(painter, *charts[i], part);
      painter.restore();
    }
  });
}

void savePicture(FileJobs& saving, const QPicture& picture, const QString& file, const PictureSize& size) {
  saving.saveBytes(
      [picture, file, size]() -> Result<std::string> {
        const DrawnPicture drawn = drawPicture(picture, file, size);
        if (!drawn.problem.isEmpty()) return Error::config(drawn.problem.toStdString());
        return drawn.bytes.toStdString();
      },
      file);
}

void showTable(const SeriesChart& chart) {
  auto* dialog = new QDialog(chart.window());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName(QStringLiteral("chartTable"));
  dialog->setWindowTitle(ChartExport::tr("Values: %1").arg(chart.title().title));
  auto* model = new TextTableModel(dialog);
  model->setTable(ChartRows(chart.content(), AxisRange{chart.frame().xLow, chart.frame().xHigh}).next(kMaxTableRows));
  auto* view = new QTableView(dialog);
  view->setModel(model);
  view->setAccessibleName(dialog->windowTitle());
  auto* caption = textLabel(dialog, TextLook::Muted);
  caption->setText(model->rowCount() == static_cast<int>(kMaxTableRows)
                       ? ChartExport::tr("The first %1 rows of the shown part. Zoom in for others, or save the values.")
                             .arg(integerText(model->rowCount()))
                       : plural(model->rowCount(), ChartExport::tr("%n row of the shown part"),
                                ChartExport::tr("%n rows of the shown part")));
  column(dialog, {{view, 1}, caption});
  dialog->resize(chart.window()->size() / 2);
  dialog->show();
}

ChartExport::ChartExport(StudioSettings& settings, FileJobs& saving, QWidget& page)
    : QObject(&page), settings_(settings), saving_(saving), page_(page) {}

void ChartExport::addTo(QMenu& menu, SeriesChart& chart) {
  QMenu& pictures = *menu.addMenu(tr("Save picture"));
  addPictureSizes(pictures, page_, [this, kept = QPointer(&chart)](const PictureSize& size) {
    if (kept != nullptr) choosePicture(*kept, chartPicture(*kept, size), size);
  });
  connect(pictures.addAction(tr("Size, lines and values…")), &QAction::triggered, &chart,
          [this, &chart] { askForPicture(chart); });
  connect(menu.addAction(tr("Copy picture")), &QAction::triggered, &chart, [&chart] {
    const PictureSize size;
    const DrawnPicture drawn = drawPicture(chartPicture(chart, size), QStringLiteral(".png"), size);
    QGuiApplication::clipboard()->setImage(QImage::fromData(drawn.bytes));
  });
  connect(menu.addAction(tr("Save values of the shown part…")), &QAction::triggered, &chart, [this, &chart] {
    chooseValues(chart, AxisRange{chart.frame().xLow, chart.frame().xHigh});
  });
  connect(menu.addAction(tr("Save all values…")), &QAction::triggered, &chart,
          [this, &chart] { chooseValues(chart, {}); });
  connect(menu.addAction(tr("Show values as a table")), &QAction::triggered, &chart, [&chart] { showTable(chart); });
}

void ChartExport::addAllTo(QMenu& menu, const std::vector<SeriesChart*>& charts) {
  if (charts.empty()) return;
  const std::vector<QPointer<SeriesChart>> kept(charts.begin(), charts.end());
  const auto choose = [this, kept](const PictureSize& size) {
    std::vector<SeriesChart*> shown;
    for (const QPointer<SeriesChart>& chart : kept)
      if (chart != nullptr) shown.push_back(chart);
    if (!shown.empty()) choosePicture(*shown.front(), chartsPicture(shown, size), size);
  };
  QMenu& pictures = *menu.addMenu(tr("All charts as one picture"));
  addPictureSizes(pictures, page_, choose);
  connect(pictures.addAction(tr("Custom size…")), &QAction::triggered, this, [this, choose] {
    auto* dialog = new PictureDialog(page_);
    connect(dialog, &QDialog::accepted, this, [choose, dialog] { choose(dialog->pictureSize()); });
    dialog->open();
  });
}

void ChartExport::askForPicture(SeriesChart& chart) {
  auto* dialog = new PictureDialog(page_);
  const PictureFields fields = addFields(dialog->form(), chart);
  connect(dialog, &QDialog::accepted, &chart, [this, &chart, dialog, fields] {
    choosePicture(chart, chartPicture(chart, dialog->pictureSize(), fields.choice()), dialog->pictureSize());
  });
  dialog->open();
}

void ChartExport::choosePicture(const SeriesChart& chart, const QPicture& picture, const PictureSize& size) {
  const QString file = chooseFile(chart, tr("Save picture"), QStringLiteral(".svg"),
                                  tr("Drawing (*.svg);;Document (*.pdf);;Picture (*.png)"));
  if (!file.isEmpty()) savePicture(saving_, picture, file, size);
}

void ChartExport::chooseValues(const SeriesChart& chart, std::optional<AxisRange> part) {
  auto rows = std::make_unique<ChartRows>(chart.content(), part);  // the chart may go while the dialog is open
  const QString file = chooseFile(chart, tr("Save values"), QStringLiteral(".csv"), tr("CSV (*.csv)"));
  if (!file.isEmpty()) saving_.saveTable(std::move(rows), file);
}

/// Replaces characters that file names cannot have: titles of further charts come from the run.
QString ChartExport::chooseFile(const SeriesChart& chart, const QString& title, const QString& ending,
                                const QString& filters) {
  QString name = chart.title().title;
  for (QChar& letter : name)
    if (letter == QLatin1Char('/') || !letter.isPrint()) letter = QLatin1Char('-');
  if (name.startsWith(QLatin1Char('.'))) name.prepend(QLatin1Char('-'));
  return askForFileToWrite(page_, settings_, QStringLiteral("chart"), {title, name + ending, filters});
}

namespace {

bool isUnnamed(const ChartLine& line) {
  return line.kind != LineKind::Reference && (line.name.isEmpty() || line.kind == LineKind::Superseded);
}

/// Returns the name of the line that an unnamed one belongs to: of the same run and color.
QString ownerName(const ChartContent& content, const ChartLine& line) {
  for (const ChartLine& other : content.lines)
    if (!isUnnamed(other) && other.map == line.map && other.color == line.color) return other.name;
  return {};
}

QString unnamedTitle(const ChartLine& line) {
  return line.kind == LineKind::Superseded ? QObject::tr("superseded") : QObject::tr("every value");
}

QString lineTitle(const ChartContent& content, const ChartLine& line) {
  if (!isUnnamed(line)) return line.derived ? QObject::tr("%1, smoothed").arg(line.name) : line.name;
  const QString owner = ownerName(content, line);
  const bool alone = std::ranges::count_if(content.lines, [&](const ChartLine& other) {
                       return isUnnamed(other) && unnamedTitle(other) == unnamedTitle(line);
                     }) == 1;
  return alone || owner.isEmpty() ? unnamedTitle(line)
                                  : QObject::tr("%1, %2", "a line and its values").arg(owner, unnamedTitle(line));
}

/// Returns the edges of a band as lines, named for the line of its color.
std::array<ChartLine, 2> edgesOf(const ChartContent& content, const ChartBand& band) {
  ChartLine lower, upper;
  lower.points = band.lower;
  upper.points = band.upper;
  for (ChartLine* edge : {&lower, &upper}) edge->color = band.color;
  const auto named = std::ranges::find_if(
      content.lines, [&](const ChartLine& line) { return !isUnnamed(line) && line.color == band.color; });
  const QString name = named == content.lines.end() ? QString() : named->name;
  lower.name = QObject::tr("%1, lower bound").arg(name);
  upper.name = QObject::tr("%1, upper bound").arg(name);
  return {std::move(lower), std::move(upper)};
}

/// Returns the map of all lines but references, if it is the same.
std::shared_ptr<const XAxisMap> commonMap(const std::vector<ChartLine>& lines) {
  std::shared_ptr<const XAxisMap> map;
  bool first = true;
  for (const ChartLine& line : lines) {
    if (line.kind == LineKind::Reference) continue;
    if (!first && line.map != map) return nullptr;
    map = line.map;
    first = false;
  }
  return map;
}

/// A step within a global batch has a fractional position.
std::string numberText(double x) {
  const bool isWhole = x == std::floor(x) && std::abs(x) < 1e15;
  return isWhole ? std::to_string(static_cast<std::int64_t>(x)) : formatExact(x);
}

}  // namespace

ChartRows::ChartRows(ChartContent content, std::optional<AxisRange> part) : content_(std::move(content)) {
  for (const ChartBand& band : content_.bands)
    for (ChartLine& edge : edgesOf(content_, band)) content_.lines.push_back(std::move(edge));
  if (content_.xAxis != XAxis::Batches) sharedMap_ = commonMap(content_.lines);
  if (sharedMap_) columns_.push_back({xAxisTitle(XAxis::Batches).toStdString(), true});
  columns_.push_back({xAxisTitle(content_.xAxis).toStdString(), true});
  for (std::size_t i = 0; i < content_.lines.size(); ++i)
    if (content_.lines[i].kind != LineKind::Reference) addLine(i, part);
}

void ChartRows::addLine(std::size_t at, const std::optional<AxisRange>& part) {
  const ChartLine& line = content_.lines[at];
  Cursor cursor{at, 0, line.points.size()};
  if (part) {
    cursor.next = line.points.firstAtOrAfter(line.fromAxis(part->low));
    cursor.end = std::max(cursor.next, line.points.firstAfter(line.fromAxis(part->high)));
  }
  readX(cursor);
  totalValues_ += cursor.end - cursor.next;
  cursors_.push_back(cursor);
  columns_.push_back({lineTitle(content_, line).toStdString(), true});
}

void ChartRows::readX(Cursor& cursor) const {
  const ChartLine& line = content_.lines[cursor.line];
  if (cursor.done()) return;
  const double x = line.points.x(cursor.next);
  cursor.x = sharedMap_ ? x : line.toAxis(x);
}

std::string ChartRows::takeValue(Cursor& cursor) const {
  const ChartLine& line = content_.lines[cursor.line];
  const double value = line.points.y(cursor.next++);
  readX(cursor);
  return line.hasGaps && std::isnan(value) ? std::string() : formatExact(value);
}

TextTable ChartRows::next(std::size_t most) {
  TextTable table{columns_, {}};
  while (table.rows.size() < most && !atEnd()) table.rows.push_back(row());
  return table;
}

bool ChartRows::atEnd() const {
  return std::all_of(cursors_.begin(), cursors_.end(), [](const Cursor& cursor) { return cursor.done(); });
}

double ChartRows::progress() const {
  std::size_t left = 0;
  for (const Cursor& cursor : cursors_) left += cursor.end - cursor.next;
  return totalValues_ == 0 ? 1 : 1 - static_cast<double>(left) / static_cast<double>(totalValues_);
}

std::vector<std::string> ChartRows::row() {
  double first = std::numeric_limits<double>::infinity();
  for (const Cursor& cursor : cursors_)
    if (!cursor.done()) first = std::min(first, cursor.x);
  std::vector<std::string> cells{numberText(first)};
  if (sharedMap_) cells.push_back(formatExact(sharedMap_->at(first)));
  for (Cursor& cursor : cursors_)
    cells.push_back(!cursor.done() && cursor.x == first ? takeValue(cursor) : std::string());
  return cells;
}

}  // namespace batchwise
