// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/window/studio_parts.h"

class QAction;
class QDockWidget;
class QMainWindow;

namespace batchwise {

class DeviceModel;
class NotesPane;
class RunListPane;

/// The docks around the pages: run list, log, queue, alerts, note, devices. All but the run list are closed at first,
/// so that the charts have the room.
class WindowDocks final : public QObject {
  Q_OBJECT

 public:
  WindowDocks(StudioParts& parts, QMainWindow& window);

  RunListPane& runs() { return *runs_; }
  /// Returns one action per dock, which shows and hides it.
  QList<QAction*> toggles() const;
  /// Sets the sizes of a window without a stored layout.
  void setDefaultSizes();
  void showQueue() { bringForward(queueDock_); }
  void showAlerts() { bringForward(alertsDock_); }
  void showLog() { bringForward(logDock_); }
  /// Opens the log, or closes it where it can be seen.
  void toggleLog();
  /// Updates the devices of the selected run.
  void refreshDevices();
  /// See NotesPane.
  NotesPane& notes() { return *notes_; }

 Q_SIGNALS:
  /// The user wants to see the run of a queue entry or an alert.
  void runChosen(const QString& run);
  /// The user wants to choose which desktop notifications there are.
  void notificationsRequested();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  static void bringForward(QDockWidget* dock);
  int widthOfRuns() const;
  QDockWidget* add(const QString& title, const char* name, QWidget* content, Qt::DockWidgetArea area);
  void makeLog();
  void makeQueue();
  void makeAlerts();
  void makeNotes();
  void makeDevices();
  StudioParts& parts_;
  QMainWindow& window_;
  RunListPane* runs_;
  NotesPane* notes_;
  DeviceModel* deviceModel_;
  QDockWidget *runsDock_, *logDock_, *queueDock_, *alertsDock_, *notesDock_, *devicesDock_;
  bool logAtEnd_ = true;  // the user has not scrolled away from the newest row
};

}  // namespace batchwise
