// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>

#include "ui/widgets/window/studio_parts.h"

class QAction;
class QDockWidget;
class QMainWindow;

namespace batchwise {

class DeviceModel;
class NotesPane;
class RunListPane;
class RetainedState;

/// The docks around the pages: run list, log, queue, alerts, note, devices.
class WindowDocks final : public QObject {
  Q_OBJECT

 public:
  WindowDocks(const StudioParts& parts, RetainedState& retained, QMainWindow& window);

  RunListPane& runs() { return *runs_; }
  /// Returns one action per dock, which shows and hides it.
  QList<QAction*> toggles() const;
  /// Sets the sizes of a window without a stored layout.
  void setDefaultSizes();
  void showQueue();
  void showLog();
  /// Updates the devices of the selected run.
  void refreshDevices();
  /// Saves the note that is being typed, without waiting for a pause.
  void saveNotes();
  /// Shows the state that the presenters had before this window was created.
  void syncWithPresenters();

 Q_SIGNALS:
  /// The user wants to see the run of a queue entry or an alert.
  void runChosen(const QString& run);

 private:
  QDockWidget* add(const QString& title, const char* name, QWidget* content, Qt::DockWidgetArea area);
  void makeQueue();
  void makeAlerts();
  void makeNotes();
  void makeDevices();
  void updateQueueTitle();
  void updateAlertsTitle();

  StudioParts parts_;
  RetainedState& retained_;
  QMainWindow& window_;
  RunListPane* runs_;
  NotesPane* notes_;
  DeviceModel* deviceModel_;
  QDockWidget *runsDock_, *logDock_, *queueDock_, *alertsDock_, *notesDock_, *devicesDock_;
};

}  // namespace batchwise
