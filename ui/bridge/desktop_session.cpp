// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/desktop_session.h"

#include <QtCore/QCryptographicHash>
#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QLockFile>
#include <QtCore/QStandardPaths>
#include <QtCore/QVariantMap>
#include <QtDBus/QDBusConnection>
#include <QtDBus/QDBusMessage>
#include <QtNetwork/QLocalServer>
#include <QtNetwork/QLocalSocket>

namespace batchwise {
namespace {

constexpr int kTimeoutMs = 500;
constexpr int kNameLetters = 20;

/// The same for every spelling of the path.
QString serverName(const QString& workspace) {
  const QFileInfo info(workspace);
  const QString folder = info.exists() ? info.canonicalFilePath() : info.absoluteFilePath();
  const QByteArray hash = QCryptographicHash::hash(folder.toUtf8(), QCryptographicHash::Sha256).toHex();
  return QStringLiteral("batchwise-") + QString::fromLatin1(hash.left(kNameLetters));
}

}  // namespace

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

SingleWindow::SingleWindow(QObject* parent) : QObject(parent) {}

SingleWindow::~SingleWindow() = default;

bool SingleWindow::raiseExisting(const QString& workspace, const QString& file) {
  QLocalSocket socket;
  socket.connectToServer(serverName(workspace));
  if (!socket.waitForConnected(kTimeoutMs)) return false;
  socket.write(file.toUtf8() + '\n');
  socket.waitForBytesWritten(kTimeoutMs);
  socket.disconnectFromServer();
  return true;
}

void SingleWindow::listenFor(const QString& workspace) {
  const QString name = serverName(workspace);
  if (server_ && server_->serverName() == name) return;
  server_.reset();
  const QDir folder(QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation));
  lock_ = std::make_unique<QLockFile>(folder.filePath(name + QStringLiteral(".lock")));
  lock_->setStaleLockTime(0);  // a window holds it as long as it lives
  if (!lock_->tryLock(0)) return;
  server_ = std::make_unique<QLocalServer>();
  server_->setSocketOptions(QLocalServer::UserAccessOption);
  QLocalServer::removeServer(name);  // left by a killed window
  server_->listen(name);
  connect(server_.get(), &QLocalServer::newConnection, this, [this] {
    while (QLocalSocket* socket = server_->nextPendingConnection()) {
      connect(socket, &QLocalSocket::readyRead, this, [this, socket] {
        if (socket->canReadLine()) Q_EMIT raiseRequested(QString::fromUtf8(socket->readLine()).trimmed());
      });
      connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
    }
  });
}

}  // namespace batchwise
