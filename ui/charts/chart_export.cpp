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
#include <memory>
#include <set>

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
  Theme light;
  light.setAppearance(Appearance::Light);
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

}  // namespace batchwise
