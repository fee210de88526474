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
class WindowMemory;

/// What stands around the pages of the window: list of runs, log, queue, alerts, notes, devices.
class WindowDocks final : public QObject {
  Q_OBJECT

 public:
  WindowDocks(const StudioParts& parts, WindowMemory& memory, QMainWindow& window);

  RunListPane& runs() { return *runs_; }
  /// One per dock, to show and hide it.
  QList<QAction*> toggles() const;
  /// Sizes for a window that has never been laid out.
  void setFirstSizes();
  void showQueue();
  void showLog();
  /// After the selected run has told something new.
  void refreshDevices();
  /// The note that is being typed, without waiting for a pause.
  void saveNotes();
  /// Shows what the presenters knew before this window was there.
  void readPresenters();

 Q_SIGNALS:
  /// A run in the queue or of an alert is to be looked at.
  void runChosen(const QString& run);

 private:
  QDockWidget* add(const QString& title, const char* name, QWidget* content, Qt::DockWidgetArea area);
  void makeQueue();
  void makeAlerts();
  void makeNotes();
  void makeDevices();
  void tellWaiting();
  void tellUnseen();

  StudioParts parts_;
  WindowMemory& memory_;
  QMainWindow& window_;
  RunListPane* runs_;
  NotesPane* notes_;
  DeviceModel* deviceModel_;
  QDockWidget *runsDock_, *logDock_, *queueDock_, *alertsDock_, *notesDock_, *devicesDock_;
};

}  // namespace batchwise
