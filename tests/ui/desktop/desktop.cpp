// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/desktop/desktop.h"

#include <signal.h>

#include <QtCore/QCoreApplication>
#include <QtCore/QDir>
#include <QtCore/QElapsedTimer>
#include <QtCore/QFile>
#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QStandardPaths>
#include <QtCore/QThread>
#include <QtNetwork/QLocalSocket>
#include <algorithm>

namespace batchwise::test {
namespace {

constexpr int kPollMs = 60;
constexpr QRect kScreen(0, 0, 1366, 900);
constexpr int kShortMs = 10'000;

QString programsFolder() {
  return qEnvironmentVariable("BATCHWISE_TESTED_PROGRAMS", QCoreApplication::applicationDirPath());
}

Control controlFrom(const QJsonObject& object) {
  const auto text = [&object](const char* key) { return object[QLatin1String(key)].toString(); };
  const auto number = [&object](const char* key) { return object[QLatin1String(key)].toInt(); };
  return {text("role"),
          text("name"),
          text("value"),
          text("object"),
          QRect(number("x"), number("y"), number("width"), number("height")),
          object[QStringLiteral("enabled")].toBool(),
          object[QStringLiteral("checked")].toBool()};
}

bool fits(const Control& control, const QString& what) {
  if (what.endsWith(QLatin1Char('*'))) return control.name.startsWith(what.chopped(1));
  return control.object == what || control.name == what;
}

/// Polls until `condition` gives something; nothing at the limit.
template <typename Condition>
auto poll(Condition condition, int limitMs) -> decltype(condition()) {
  QElapsedTimer watch;
  watch.start();
  while (true) {
    if (auto found = condition()) return found;
    if (watch.hasExpired(limitMs)) return {};
    QThread::msleep(kPollMs);
  }
}

}  // namespace

QString Desktop::missing() {
  for (const QString& program : {QStringLiteral("Xvfb"), QStringLiteral("xdotool")})
    if (QStandardPaths::findExecutable(program).isEmpty()) return program;
  return {};
}

Desktop::Desktop(const QString& folder) : folder_(folder) {
  for (QProcess* each : {&server_, &program_}) each->setProcessChannelMode(QProcess::ForwardedErrorChannel);
}

Desktop::~Desktop() {
  for (QProcess* each : {&program_, &server_})
    if (each->state() != QProcess::NotRunning) {
      each->kill();
      each->waitForFinished();
    }
}

bool Desktop::open() {
  const QString size = QStringLiteral("%1x%2x24").arg(kScreen.width()).arg(kScreen.height());
  server_.start(QStringLiteral("Xvfb"),
                {QStringLiteral("-displayfd"), QStringLiteral("1"), QStringLiteral("-screen"), QStringLiteral("0"),
                 size, QStringLiteral("-nolisten"), QStringLiteral("tcp")});
  while (server_.waitForReadyRead(kShortMs))
    if (server_.canReadLine()) {
      display_ = QLatin1Char(':') + QString::fromLatin1(server_.readLine()).trimmed();
      return true;
    }
  return false;
}

QProcessEnvironment Desktop::environment() const {
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const char* each : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
    environment.insert(QString::fromLatin1(each), folder_ + QStringLiteral("/home"));
  for (const char* each : {"XDG_CURRENT_DESKTOP", "WAYLAND_DISPLAY", "QT_STYLE_OVERRIDE"})
    environment.remove(QString::fromLatin1(each));
  environment.insert(QStringLiteral("DISPLAY"), display_);
  environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C.UTF-8"));
  environment.insert(QStringLiteral("DBUS_SESSION_BUS_ADDRESS"), QStringLiteral("disabled:"));
  environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb"));
  environment.insert(QStringLiteral("QT_PLUGIN_PATH"), QStringLiteral(BATCHWISE_TEST_PLUGINS));
  environment.insert(QStringLiteral("QT_QPA_GENERIC_PLUGINS"), QStringLiteral("controls"));
  environment.insert(QStringLiteral("BATCHWISE_CONTROLS"), folder_ + QStringLiteral("/controls"));
  return environment;
}

bool Desktop::startProgram(const QString& workingFolder) {
  QFile::remove(folder_ + QStringLiteral("/controls"));
  program_.setProcessEnvironment(environment());
  program_.setWorkingDirectory(workingFolder);
  program_.start(programsFolder() + QStringLiteral("/batchwise-studio"), {QStringLiteral("--workspace"), workspace()});
  return program_.waitForStarted() && await(QStringLiteral("New run")).has_value();
}

bool Desktop::killProgram() {
  ::kill(static_cast<pid_t>(program_.processId()), SIGKILL);
  return program_.waitForFinished() && program_.exitStatus() == QProcess::CrashExit;
}

bool Desktop::endProgram() {
  program_.terminate();
  return program_.waitForFinished() && program_.exitStatus() == QProcess::NormalExit;
}

std::vector<Control> Desktop::controls() const {
  QLocalSocket socket;
  socket.connectToServer(folder_ + QStringLiteral("/controls"));
  if (!socket.waitForConnected(kShortMs)) return {};
  QByteArray text;
  while (socket.waitForReadyRead(kShortMs)) text += socket.readAll();
  text += socket.readAll();
  std::vector<Control> controls;
  for (const QJsonValue& each : QJsonDocument::fromJson(text).array()) controls.push_back(controlFrom(each.toObject()));
  return controls;
}

std::optional<Control> Desktop::await(const QString& what, int limitMs) const {
  QRect before;
  return poll(
      [&]() -> std::optional<Control> {
        const auto all = controls();
        const auto found = std::find_if(all.begin(), all.end(), [&what](const Control& each) {
          return fits(each, what) && each.enabled && !each.place.isEmpty() && kScreen.contains(each.place.center());
        });
        if (found == all.end()) return {};
        const bool stays = found->place == std::exchange(before, found->place);
        return stays ? std::optional(*found) : std::nullopt;
      },
      limitMs);
}

bool Desktop::shows(const QString& part) const {
  const auto all = controls();
  return std::any_of(all.begin(), all.end(), [&part](const Control& each) {
    return kScreen.contains(each.place.center()) && (each.name.contains(part) || each.value.contains(part));
  });
}

bool Desktop::awaitText(const QString& part, int limitMs) const {
  return poll([&] { return shows(part); }, limitMs);
}

bool Desktop::run(const QString& program, const QStringList& arguments) const {
  QProcess process;
  process.setProcessEnvironment(environment());
  process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
  process.start(program, arguments);
  return process.waitForFinished(kLimitMs) && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
}

bool Desktop::mouse(const QStringList& arguments) {
  return run(QStringLiteral("xdotool"), arguments);
}

bool Desktop::click(const QString& what) {
  const auto control = await(what);
  if (!control) return false;
  // Rows of a list may say that they are wider than what is shown of it.
  const QPoint at(control->place.left() + std::min(control->place.width() / 2, 20), control->place.center().y());
  return mouse({QStringLiteral("mousemove"), QString::number(at.x()), QString::number(at.y()), QStringLiteral("click"),
                QStringLiteral("1")});
}

bool Desktop::key(const QString& keys) {
  return run(QStringLiteral("xdotool"), {QStringLiteral("key"), keys});
}

bool Desktop::type(const QString& text) {
  return run(QStringLiteral("xdotool"),
             {QStringLiteral("type"), QStringLiteral("--delay"), QStringLiteral("8"), QStringLiteral("--"), text});
}

bool Desktop::enter(const QString& field, const QString& text) {
  constexpr int kTries = 2;  // a person sees that something was lost, and types again
  for (int tries = 0; tries < kTries; ++tries) {
    if (!click(field) || !key(QStringLiteral("ctrl+a")) || !type(text)) return false;
    if (poll([&] { return shows(text); }, kShortMs)) return true;
    takePicture(QStringLiteral("not-entered"));
  }
  return false;
}

void Desktop::takePicture(const QString& name) const {
  const QString folder = QStringLiteral(BATCHWISE_SCREENSHOT_FOLDER "/desktop/");
  QDir().mkpath(folder);
  if (!QStandardPaths::findExecutable(QStringLiteral("import")).isEmpty())
    run(QStringLiteral("import"),
        {QStringLiteral("-window"), QStringLiteral("root"), folder + name + QStringLiteral(".png")});
}

bool Desktop::dropOnce(const QString& file) {
  QProcess source;
  QProcessEnvironment plain = environment();
  plain.remove(QStringLiteral("QT_QPA_GENERIC_PLUGINS"));
  source.setProcessEnvironment(plain);
  source.setProcessChannelMode(QProcess::ForwardedErrorChannel);
  source.start(QStringLiteral(BATCHWISE_DRAG_SOURCE), {file});
  // It tells where it can be taken hold of.
  if (!source.waitForReadyRead(kShortMs)) return false;
  const QStringList at = QString::fromLatin1(source.readLine()).trimmed().split(QLatin1Char(' '));
  const QString move = QStringLiteral("mousemove"), wait = QStringLiteral("sleep"), a = QStringLiteral("0.2");
  const bool dragged = at.size() == 2 && mouse({move,
                                                at[0],
                                                at[1],
                                                QStringLiteral("mousedown"),
                                                QStringLiteral("1"),
                                                wait,
                                                a,
                                                move,
                                                QStringLiteral("700"),
                                                QStringLiteral("420"),
                                                wait,
                                                a,
                                                move,
                                                QStringLiteral("710"),
                                                QStringLiteral("430"),
                                                wait,
                                                a,
                                                move,
                                                QStringLiteral("720"),
                                                QStringLiteral("440"),
                                                wait,
                                                QStringLiteral("0.5"),
                                                QStringLiteral("mouseup"),
                                                QStringLiteral("1")});
  return dragged && source.waitForFinished(kShortMs) && source.exitCode() == 0;
}

bool Desktop::drop(const QString& file) {
  // A window that is busy may not have answered when the button is released.
  return dropOnce(file) || dropOnce(file) || dropOnce(file);
}

QJsonObject Desktop::ask(const QStringList& arguments) const {
  QProcess process;
  process.setProcessEnvironment(environment());
  process.start(programsFolder() + QStringLiteral("/batchwise"),
                QStringList{QStringLiteral("--workspace"), workspace(), QStringLiteral("--json")} + arguments);
  process.waitForFinished(kLimitMs);
  return QJsonDocument::fromJson(process.readAllStandardOutput()).object();
}

std::vector<QJsonObject> Desktop::runs() const {
  std::vector<QJsonObject> runs;
  for (const QJsonValue& each : ask({QStringLiteral("runs"), QStringLiteral("list")})[QStringLiteral("runs")].toArray())
    runs.push_back(each.toObject());
  return runs;
}

}  // namespace batchwise::test
