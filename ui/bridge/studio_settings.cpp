// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/studio_settings.h"

#include <QtCore/QSettings>
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

StudioSettings::StudioSettings(const QString& file) {
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

StudioSettings::WatchOptions StudioSettings::watch() const {
  WatchOptions watch;
  watch.smoothing = std::clamp(value(key("watch/smoothing"), watch.smoothing).toDouble(), 0.0, 0.99);
  watch.wholeRun = value(key("watch/whole_run"), watch.wholeRun).toBool();
  watch.clock = value(key("watch/clock"), watch.clock).toInt();
  watch.logarithmic = value(key("watch/logarithmic"), watch.logarithmic).toBool();
  watch.clipSpikes = value(key("watch/clip_spikes"), watch.clipSpikes).toBool();
  return watch;
}

void StudioSettings::setWatch(const WatchOptions& watch) {
  set(key("watch/smoothing"), watch.smoothing);
  set(key("watch/whole_run"), watch.wholeRun);
  set(key("watch/clock"), watch.clock);
  set(key("watch/logarithmic"), watch.logarithmic);
  set(key("watch/clip_spikes"), watch.clipSpikes);
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
