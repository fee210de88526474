// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/series_panel.h"

#include <QtCore/QMimeData>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListWidget>

#include "ui/charts/series_chart.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"
#include "ui/parts/layouts.h"
#include "ui/runs/chart_layout.h"

namespace batchwise {
namespace {

/// List whose items are dragged as series.
class SeriesList final : public QListWidget {
 public:
  using QListWidget::QListWidget;

 protected:
  QMimeData* mimeData(const QList<QListWidgetItem*>& items) const override {
    auto* content = new QMimeData;
    if (!items.isEmpty())
      content->setData(QString::fromLatin1(kSeriesMimeType), items.front()->data(Qt::UserRole).toString().toUtf8());
    return content;
  }
};

}  // namespace

QString seriesTitle(const std::string& series) {
  return series == kMemorySeries ? SeriesPanel::tr("Memory") : seriesLabel(series).title;
}

SeriesPanel::SeriesPanel(QWidget* parent) : QWidget(parent), search_(new QLineEdit(this)), list_(new SeriesList(this)) {
  named(search_, "seriesSearch", tr("Find a series"));
  search_->setPlaceholderText(tr("Find a series"));
  search_->setClearButtonEnabled(true);
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

}  // namespace batchwise
