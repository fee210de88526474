// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QString>
#include <QtCore/QStringList>
#include <memory>
#include <optional>

#include "core/run/slurm/slurm_job.h"

class QSettings;

namespace batchwise {

/// What the window remembers between two starts, in an INI file of the user's configuration folder. Every key is
/// written here and nowhere else. A file of another version is left alone except for what is understood. GUI thread.
class StudioSettings {
 public:
  /// `file` empty: $XDG_CONFIG_HOME/batchwise/studio.ini.
  explicit StudioSettings(const QString& file = {});
  ~StudioSettings();

  /// Forgets everything.
  void reset();
  QString fileName() const;

  QString workspace() const;  ///< empty: the default one
  void setWorkspace(const QString& folder);
  QStringList recentWorkspaces() const;  ///< newest first, at most 8
  QString appearance() const;            ///< "system", "light", "dark"
  void setAppearance(const QString& name);
  int textPercent() const;  ///< 100 is the system's font size
  void setTextPercent(int percent);
  /// Where launched runs train: "program", "process", "slurm".
  QString launchPlace() const;
  void setLaunchPlace(const QString& place);
  /// What is asked of Slurm.
  SlurmOptions slurm() const;
  void setSlurm(const SlurmOptions& options);
  QString language() const;  ///< "system", "en", "de"
  void setLanguage(const QString& name);
  /// What is done about a kind of alert: "nothing", "pause", "checkpoint", "stop".
  QString alertAction(const QString& kind) const;
  void setAlertAction(const QString& kind, const QString& action);
  /// Below which share of the usual speed, in percent (5 to 95), a run is said to be slow.
  int slowPercent() const;
  void setSlowPercent(int percent);
  bool notifiesDesktop() const;
  void setNotifiesDesktop(bool on);
  /// The keys that the person gave a command, in portable words; nothing: its own.
  std::optional<QString> shortcut(const QString& command) const;
  void setShortcut(const QString& command, const QString& keys);
  void forgetShortcut(const QString& command);

  /// How the page that watches a run shows its charts.
  struct Watch {
    double smoothing = 0.8;
    bool wholeRun = true;
    int clock = 0;  ///< place in the list of clocks
    bool logarithmic = false;
    bool clipSpikes = true;
  };
  Watch watch() const;
  void setWatch(const Watch& watch);
  /// Folder in which a file dialog of this `purpose` was last used.
  QString folder(const QString& purpose) const;
  void setFolder(const QString& purpose, const QString& folder);

  struct Layout {
    QByteArray geometry;
    QByteArray state;
  };
  /// Nothing if none was saved or it is of another layout version.
  std::optional<Layout> layout() const;
  void setLayout(const Layout& layout);
  /// Those that a person has given names, in the order of their names.
  QStringList layoutNames() const;
  std::optional<Layout> layoutNamed(const QString& name) const;
  void saveLayout(const QString& name, const Layout& layout);
  void forgetLayout(const QString& name);

 private:
  std::optional<Layout> layoutAt(const QString& place) const;
  void setLayoutAt(const QString& place, const Layout& layout);

  std::unique_ptr<QSettings> settings_;
};

}  // namespace batchwise
