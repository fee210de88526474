// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/desktop_notification.h"

#include <QtCore/QVariantMap>
#include <QtDBus/QDBusConnection>
#include <QtDBus/QDBusMessage>

namespace batchwise {

void showDesktopNotification(const QString& title, const QString& text) {
  auto bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) return;
  auto call = QDBusMessage::createMethodCall(QStringLiteral("org.freedesktop.Notifications"),
                                             QStringLiteral("/org/freedesktop/Notifications"),
                                             QStringLiteral("org.freedesktop.Notifications"), QStringLiteral("Notify"));
  constexpr uint kReplacesNone = 0;
  constexpr int kDesktopDecides = -1;
  // The specification allows markup in the body, not in the title.
  call << QStringLiteral("Batchwise") << kReplacesNone << QStringLiteral("batchwise-studio") << title
       << text.toHtmlEscaped() << QStringList()
       << QVariantMap{{QStringLiteral("desktop-entry"), QStringLiteral("batchwise-studio")}} << kDesktopDecides;
  bus.send(call);
}

void showDesktopBadge(int count) {
  auto bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) return;
  auto signal =
      QDBusMessage::createSignal(QStringLiteral("/org/batchwise/studio"),
                                 QStringLiteral("com.canonical.Unity.LauncherEntry"), QStringLiteral("Update"));
  signal << QStringLiteral("application://batchwise-studio.desktop")
         << QVariantMap{{QStringLiteral("count"), static_cast<qint64>(count)},
                        {QStringLiteral("count-visible"), count > 0}};
  bus.send(signal);
}

}  // namespace batchwise
