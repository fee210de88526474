// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <QtCore/QString>
#include <memory>

class QLocalServer;
class QLockFile;

namespace batchwise {

/// Shows a desktop notification (org.freedesktop.Notifications) if there is such a service; texts are plain, not
/// markup. Does not block. GUI thread.
void showDesktopNotification(const QString& title, const QString& text);

/// Shows a count on the application icon where the desktop supports it (com.canonical.Unity.LauncherEntry); 0 removes
/// it.
void showDesktopBadge(int count);

/// Keeps one window per workspace and user: the first listens on a local socket, later ones ask it to come to the front
/// and exit. GUI thread.
class SingleWindow final : public QObject {
  Q_OBJECT

 public:
  explicit SingleWindow(QObject* parent = nullptr);
  ~SingleWindow() override;

  /// Asks the window that holds `workspace` to come to the front, and to open `file`, one line, if it is not empty.
  /// Returns false if there is no such window. Blocks for up to one second, in any thread.
  static bool raiseExisting(const QString& workspace, const QString& file);
  /// Makes this the window of `workspace`, and of no other; of two that start at the same moment only the first.
  void listenFor(const QString& workspace);

 Q_SIGNALS:
  /// Another process asked for this window, to open `file` if that is not empty.
  void raiseRequested(const QString& file);

 private:
  std::unique_ptr<QLockFile> lock_;
  std::unique_ptr<QLocalServer> server_;
};

}  // namespace batchwise
