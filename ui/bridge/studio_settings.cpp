// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/studio_settings.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QStandardPaths>
#include <utility>

namespace batchwise {
namespace {

constexpr int kLayoutVersion = 1;
constexpr int kRecent = 8;

constexpr std::pair<const char*, std::string SlurmOptions::*> kSlurmTexts[] = {
    {"slurm/partition", &SlurmOptions::partition},
    {"slurm/account", &SlurmOptions::account},
    {"slurm/memory", &SlurmOptions::memory}};
constexpr std::pair<const char*, std::int64_t SlurmOptions::*> kSlurmNumbers[] = {
    {"slurm/nodes", &SlurmOptions::nodes},
    {"slurm/ranks_per_node", &SlurmOptions::ranksPerNode},
    {"slurm/gpus_per_node", &SlurmOptions::gpusPerNode},
    {"slurm/cores_per_rank", &SlurmOptions::coresPerRank},
    {"slurm/minutes", &SlurmOptions::limitMinutes}};

constexpr const char* kNotices[] = {"notify/end", "notify/failure", "notify/alert"};  // by DesktopNotice

QString key(const char* name) {
  return QString::fromLatin1(name);
}

}  // namespace

StudioSettings::StudioSettings(const QString& file, std::int64_t gpus)
    : gpus_(gpus),
      settings_(file.isEmpty() ? QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("batchwise"),
                                           QStringLiteral("studio"))
                               : QSettings(file, QSettings::IniFormat)) {}

void StudioSettings::setWorkspace(const QString& folder) {
  set(key("workspace/current"), folder);
  QStringList recent = recentWorkspaces();
  recent.removeAll(folder);
  recent.prepend(folder);
  set(key("workspace/recent"), QStringList(recent.mid(0, kRecent)));
}

bool StudioSettings::notifiesOf(DesktopNotice notice) const {
  return value(key(kNotices[static_cast<int>(notice)]), true).toBool();
}

void StudioSettings::setNotifiesOf(DesktopNotice notice, bool on) {
  set(key(kNotices[static_cast<int>(notice)]), on);
}

QString StudioSettings::folder(const QString& purpose) const {
  static const QStringList exports = {key("chart"), key("archive"), key("export"), key("comparison")};
  if (exports.contains(purpose) && !exportFolder().isEmpty()) return exportFolder();
  for (const QString& used : {text(key("folders/") + purpose), text(key("folders/last"))})
    if (!used.isEmpty() && QFileInfo(used).isDir()) return used;
  return documentsFolder();
}

void StudioSettings::setFolder(const QString& purpose, const QString& folder) {
  set(key("folders/") + purpose, folder);
  set(key("folders/last"), folder);
}

QString StudioSettings::documentsFolder() {
  const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  return !documents.isEmpty() && QFileInfo(documents).isDir() ? documents : QDir::homePath();
}

std::optional<QString> StudioSettings::shortcut(const QString& command) const {
  const QVariant kept = value(key("shortcuts/") + command);
  return kept.isValid() ? std::optional(kept.toString()) : std::nullopt;
}

SlurmOptions StudioSettings::slurm() const {
  SlurmOptions options;
  for (const auto& [name, member] : kSlurmTexts) options.*member = text(key(name)).toStdString();
  for (const auto& [name, member] : kSlurmNumbers)
    options.*member = value(key(name), static_cast<qlonglong>(options.*member)).toLongLong();
  return options;
}

void StudioSettings::setSlurm(const SlurmOptions& options) {
  for (const auto& [name, member] : kSlurmTexts) set(key(name), QString::fromStdString(options.*member));
  for (const auto& [name, member] : kSlurmNumbers) set(key(name), static_cast<qlonglong>(options.*member));
}

StudioSettings::RunColumns StudioSettings::runColumns() const {
  RunColumns columns;
  columns.keys = value(key("runs/keys")).toStringList();
  for (const QString& width : value(key("runs/widths")).toStringList()) columns.widths << width.toInt();
  columns.sorted = value(key("runs/sorted")).toString();
  columns.descending = value(key("runs/descending"), true).toBool();
  columns.fontHeight = value(key("runs/font_height")).toInt();
  columns.fittedNames = value(key("runs/fitted_names")).toInt();
  columns.shown = value(key("runs/shown")).toStringList();
  columns.hidden = value(key("runs/hidden")).toStringList();
  return columns;
}

void StudioSettings::setRunColumns(const RunColumns& columns) {
  set(key("runs/keys"), columns.keys);
  QStringList widths;
  for (const int width : columns.widths) widths << QString::number(width);
  set(key("runs/widths"), widths);
  set(key("runs/sorted"), columns.sorted);
  set(key("runs/descending"), columns.descending);
  set(key("runs/font_height"), columns.fontHeight);
  set(key("runs/fitted_names"), columns.fittedNames);
  set(key("runs/shown"), columns.shown);
  set(key("runs/hidden"), columns.hidden);
}

std::optional<StudioSettings::Layout> StudioSettings::layout() const {
  if (value(key("layout/version")).toInt() != kLayoutVersion) return std::nullopt;
  return Layout{value(key("layout/geometry")).toByteArray(), value(key("layout/state")).toByteArray()};
}

void StudioSettings::setLayout(const Layout& layout) {
  set(key("layout/version"), kLayoutVersion);
  set(key("layout/geometry"), layout.geometry);
  set(key("layout/state"), layout.state);
}

}  // namespace batchwise
