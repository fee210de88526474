// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/studio_settings.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QSettings>
#include <QtCore/QStandardPaths>
#include <QtCore/QUrl>
#include <utility>

namespace batchwise {
namespace {

constexpr int kVersion = 1;
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

QString key(const char* name) {
  return QString::fromLatin1(name);
}

/// A name may hold characters that separate groups in an INI file.
QString namedLayout(const QString& name) {
  return key("layouts/") + QString::fromLatin1(QUrl::toPercentEncoding(name));
}

}  // namespace

StudioSettings::StudioSettings(const QString& file, std::int64_t gpus) : gpus_(gpus) {
  settings_ = file.isEmpty() ? std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope,
                                                           QStringLiteral("batchwise"), QStringLiteral("studio"))
                             : std::make_unique<QSettings>(file, QSettings::IniFormat);
  if (!settings_->contains(key("version"))) settings_->setValue(key("version"), kVersion);
}

StudioSettings::~StudioSettings() = default;

void StudioSettings::reset() {
  settings_->clear();
  settings_->setValue(key("version"), kVersion);
}

QVariant StudioSettings::value(const QString& key, const QVariant& otherwise) const {
  return settings_->value(key, otherwise);
}

void StudioSettings::set(const QString& key, const QVariant& value) {
  settings_->setValue(key, value);
}

QString StudioSettings::fileName() const {
  return settings_->fileName();
}

void StudioSettings::setWorkspace(const QString& folder) {
  set(key("workspace/current"), folder);
  QStringList recent = recentWorkspaces();
  recent.removeAll(folder);
  recent.prepend(folder);
  set(key("workspace/recent"), QStringList(recent.mid(0, kRecent)));
}

QStringList StudioSettings::recentWorkspaces() const {
  return value(key("workspace/recent")).toStringList();
}

namespace {

QString keyOf(StudioSettings::DesktopNotice notice) {
  switch (notice) {
    case StudioSettings::DesktopNotice::End: return key("notify/end");
    case StudioSettings::DesktopNotice::Failure: return key("notify/failure");
    case StudioSettings::DesktopNotice::Alert: break;
  }
  return key("notify/alert");
}

}  // namespace

bool StudioSettings::notifiesOf(DesktopNotice notice) const {
  return value(keyOf(notice), true).toBool();
}

void StudioSettings::setNotifiesOf(DesktopNotice notice, bool on) {
  set(keyOf(notice), on);
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

void StudioSettings::removeShortcut(const QString& command) {
  settings_->remove(key("shortcuts/") + command);
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

StudioSettings::ChartOptions StudioSettings::chartOptions() const {
  ChartOptions options;
  options.smoothing = std::clamp(value(key("watch/smoothing"), options.smoothing).toDouble(), 0.0, 0.99);
  options.wholeRun = value(key("watch/whole_run"), options.wholeRun).toBool();
  options.xAxis = value(key("watch/clock"), options.xAxis).toInt();
  options.clipSpikes = value(key("watch/clip_spikes"), options.clipSpikes).toBool();
  return options;
}

void StudioSettings::setChartOptions(const ChartOptions& options) {
  set(key("watch/smoothing"), options.smoothing);
  set(key("watch/whole_run"), options.wholeRun);
  set(key("watch/clock"), options.xAxis);
  set(key("watch/clip_spikes"), options.clipSpikes);
}

StudioSettings::RunColumns StudioSettings::runColumns() const {
  RunColumns columns;
  columns.order = value(key("runs/order")).toStringList();
  columns.shown = value(key("runs/shown")).toStringList();
  columns.hidden = value(key("runs/hidden")).toStringList();
  columns.widths = value(key("runs/widths")).toMap();
  columns.sortedBy = value(key("runs/sorted_by"), columns.sortedBy).toString();
  columns.descending = value(key("runs/descending"), columns.descending).toBool();
  return columns;
}

void StudioSettings::setRunColumns(const RunColumns& columns) {
  set(key("runs/order"), columns.order);
  set(key("runs/shown"), columns.shown);
  set(key("runs/hidden"), columns.hidden);
  set(key("runs/widths"), columns.widths);
  set(key("runs/sorted_by"), columns.sortedBy);
  set(key("runs/descending"), columns.descending);
}

std::optional<StudioSettings::Layout> StudioSettings::layoutAt(const QString& place) const {
  if (value(place + key("/version")).toInt() != kLayoutVersion) return std::nullopt;
  return Layout{value(place + key("/geometry")).toByteArray(), value(place + key("/state")).toByteArray()};
}

void StudioSettings::setLayoutAt(const QString& place, const Layout& layout) {
  set(place + key("/version"), kLayoutVersion);
  set(place + key("/geometry"), layout.geometry);
  set(place + key("/state"), layout.state);
}

QStringList StudioSettings::layoutNames() const {
  settings_->beginGroup(key("layouts"));
  QStringList names;
  for (const QString& place : settings_->childGroups()) names << QUrl::fromPercentEncoding(place.toLatin1());
  settings_->endGroup();
  names.sort(Qt::CaseInsensitive);
  return names;
}

std::optional<StudioSettings::Layout> StudioSettings::savedLayout(const QString& name) const {
  return layoutAt(namedLayout(name));
}

void StudioSettings::saveLayout(const QString& name, const Layout& layout) {
  setLayoutAt(namedLayout(name), layout);
}

void StudioSettings::removeLayout(const QString& name) {
  settings_->remove(namedLayout(name));
}

}  // namespace batchwise
