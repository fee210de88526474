// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/applications_menu.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QProcess>
#include <QtCore/QSaveFile>
#include <QtCore/QStandardPaths>
#include <array>
#include <utility>

namespace batchwise {
namespace {

struct InstalledFile {
  const char* resource;
  const char* place;  // below the data folder
};

/// The entry comes last, and is removed last: while it is there, the others are, or can be removed once more.
constexpr std::array kFiles = {
    InstalledFile{":/icons/batchwise.svg", "icons/hicolor/scalable/apps/batchwise.svg"},
    InstalledFile{":/desktop/batchwise.xml", "mime/packages/batchwise.xml"},
    InstalledFile{":/desktop/batchwise-studio.desktop", "applications/batchwise-studio.desktop"},
};

/// The command as a quoted word of an Exec line (Desktop Entry Specification, "The Exec key").
QByteArray quoted(QString command) {
  for (const char special : {'\\', '"', '`', '$'})
    command.replace(QLatin1Char(special), QLatin1Char('\\') + QString(QLatin1Char(special)));
  command.replace(QLatin1Char('\\'), QStringLiteral("\\\\"));  // once more, as a value of the file
  command.replace(QLatin1Char('%'), QStringLiteral("%%"));
  return '"' + command.toUtf8() + '"';
}

QString write(const QString& path, const QByteArray& content) {
  QDir().mkpath(QFileInfo(path).absolutePath());
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && file.write(content) == content.size() && file.commit()) return {};
  return QStringLiteral("%1: %2").arg(path, file.errorString());
}

/// The desktop notices changes by itself, or by these programs; without them, at the next login.
void tellDesktop(const QDir& data) {
  const std::array<std::pair<QString, QString>, 2> updates = {{
      {QStringLiteral("update-desktop-database"), data.filePath(QStringLiteral("applications"))},
      {QStringLiteral("update-mime-database"), data.filePath(QStringLiteral("mime"))},
  }};
  for (const auto& [program, folder] : updates)
    if (const QString found = QStandardPaths::findExecutable(program); !found.isEmpty()) {
      QProcess process;
      process.setProgram(found);
      process.setArguments({folder});
      process.setStandardOutputFile(QProcess::nullDevice());
      process.setStandardErrorFile(QProcess::nullDevice());
      process.startDetached();
    }
}

}  // namespace

QString userDataFolder() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
}

QString windowCommand() {
  const QString named = qEnvironmentVariable("BATCHWISE_COMMAND");  // set by the commands that pip installs
  return named.isEmpty() ? QCoreApplication::applicationFilePath() : named;
}

bool isInApplicationsMenu(const QString& dataFolder) {
  return QFile::exists(QDir(dataFolder).filePath(QLatin1String(kFiles.back().place)));
}

QString addToApplicationsMenu(const QString& dataFolder, const QString& command) {
  const QDir data(dataFolder);
  for (const InstalledFile& file : kFiles) {
    QFile resource(QLatin1String(file.resource));
    if (!resource.open(QIODevice::ReadOnly)) return resource.fileName();
    QByteArray content = resource.readAll();
    content.replace("Exec=batchwise-studio", "Exec=" + quoted(command));
    if (const QString problem = write(data.filePath(QLatin1String(file.place)), content); !problem.isEmpty())
      return problem;
  }
  tellDesktop(data);
  return {};
}

QString removeFromApplicationsMenu(const QString& dataFolder) {
  const QDir data(dataFolder);
  for (const InstalledFile& file : kFiles) {
    QFile installed(data.filePath(QLatin1String(file.place)));
    if (installed.exists() && !installed.remove())
      return QStringLiteral("%1: %2").arg(installed.fileName(), installed.errorString());
  }
  tellDesktop(data);
  return {};
}

}  // namespace batchwise
