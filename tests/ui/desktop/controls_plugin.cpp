// SPDX-License-Identifier: GPL-3.0-or-later
// Loaded into a program under test by QT_QPA_GENERIC_PLUGINS: answers each connection to the local socket that
// BATCHWISE_CONTROLS names with the visible controls and where they are on the screen, as a screen reader sees them. It
// only reads; whoever tests clicks on what it names.
#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <QtCore/QMetaEnum>
#include <QtGui/QAccessible>
#include <QtGui/QGenericPlugin>
#include <QtGui/QGuiApplication>
#include <QtGui/QWindow>
#include <QtNetwork/QLocalServer>
#include <QtNetwork/QLocalSocket>

namespace {

constexpr int kDeepest = 40;
constexpr int kMostChildren = 400;

QJsonObject describe(QAccessibleInterface& control) {
  const QRect place = control.rect();
  const QAccessible::State state = control.state();
  return {{QStringLiteral("role"),
           QString::fromLatin1(QMetaEnum::fromType<QAccessible::Role>().valueToKey(control.role()))},
          {QStringLiteral("name"), control.text(QAccessible::Name)},
          {QStringLiteral("value"), control.text(QAccessible::Value)},
          {QStringLiteral("object"), control.object() == nullptr ? QString() : control.object()->objectName()},
          {QStringLiteral("x"), place.x()},
          {QStringLiteral("y"), place.y()},
          {QStringLiteral("width"), place.width()},
          {QStringLiteral("height"), place.height()},
          {QStringLiteral("enabled"), state.disabled == 0},
          {QStringLiteral("checked"), state.checked == 1},
          {QStringLiteral("focused"), state.focused == 1}};
}

void addVisible(QAccessibleInterface* control, QJsonArray& controls, int depth) {
  if (control == nullptr || !control->isValid() || control->state().invisible || depth > kDeepest) return;
  controls.append(describe(*control));
  const int children = std::min(control->childCount(), kMostChildren);
  for (int i = 0; i < children; ++i) addVisible(control->child(i), controls, depth + 1);
}

QByteArray visibleControls() {
  QJsonArray controls;
  for (QWindow* window : QGuiApplication::topLevelWindows())
    if (window->isVisible()) addVisible(window->accessibleRoot(), controls, 0);
  return QJsonDocument(controls).toJson(QJsonDocument::Compact);
}

class ControlsServer final : public QObject {
 public:
  ControlsServer() {
    server_.listen(qEnvironmentVariable("BATCHWISE_CONTROLS"));
    connect(&server_, &QLocalServer::newConnection, this, [this] {
      QLocalSocket* client = server_.nextPendingConnection();
      connect(client, &QLocalSocket::disconnected, client, &QObject::deleteLater);
      client->write(visibleControls());
      client->disconnectFromServer();
    });
  }

 private:
  QLocalServer server_;
};

}  // namespace

class ControlsPlugin final : public QGenericPlugin {
  Q_OBJECT
  Q_PLUGIN_METADATA(IID QGenericPluginFactoryInterface_iid FILE "controls_plugin.json")

 public:
  QObject* create(const QString&, const QString&) override { return new ControlsServer; }
};

#include "controls_plugin.moc"
