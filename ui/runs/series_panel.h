// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>
#include <set>
#include <string>

class QLineEdit;
class QListWidget;

namespace batchwise {

/// List of the series of the shown runs, with a search field. A series is dragged onto a chart, or gets a chart of its
/// own by Return or a double click.
class SeriesPanel final : public QWidget {
  Q_OBJECT

 public:
  explicit SeriesPanel(QWidget* parent = nullptr);

  /// `series`: stored names.
  void setSeries(const std::set<std::string>& series);

 Q_SIGNALS:
  void chartRequested(const QString& series);

 private:
  void filter();

  QLineEdit* search_;
  QListWidget* list_;
  std::set<std::string> series_;
};

/// Title of a series in menus and lists; its name if it has none.
QString seriesTitle(const std::string& series);

}  // namespace batchwise
