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

/// Persistent settings of the window, an INI file in the user's configuration folder. The only place that names the
/// keys. Unknown keys of another version are preserved. GUI thread.
class StudioSettings {
 public:
  /// If `file` is empty, opens $XDG_CONFIG_HOME/batchwise/studio.ini.
  explicit StudioSettings(const QString& file = {});
  ~StudioSettings();

  void reset();
  QString fileName() const;

  QString workspace() const;  ///< empty: default workspace
  void setWorkspace(const QString& folder);
  QStringList recentWorkspaces() const;  ///< newest first, at most 8
  QString appearance() const;            ///< "system", "light", "dark"
  void setAppearance(const QString& name);
  int textPercent() const;  ///< 100: system font size
  void setTextPercent(int percent);
  /// "program", "process" or "slurm".
  QString launchTarget() const;
  void setLaunchTarget(const QString& place);
  SlurmOptions slurm() const;
  void setSlurm(const SlurmOptions& options);
  QString language() const;  ///< "system", "en", "de"
  void setLanguage(const QString& name);
  /// Action on an alert of `kind`: "nothing", "pause", "checkpoint", "stop".
  QString alertAction(const QString& kind) const;
  void setAlertAction(const QString& kind, const QString& action);
  /// Threshold for the alert "slow", in percent of the usual speed; 5 to 95.
  int slowPercent() const;
  void setSlowPercent(int percent);
  bool notifiesDesktop() const;
  void setNotifiesDesktop(bool on);
  /// Key sequence the user assigned to `command`, in QKeySequence::PortableText; none: the default applies.
  std::optional<QString> shortcut(const QString& command) const;
  void setShortcut(const QString& command, const QString& keys);
  void removeShortcut(const QString& command);

  /// View options of the page that displays a run.
  struct WatchOptions {
    double smoothing = 0.8;
    bool wholeRun = true;
    int clock = 0;  ///< index into kXAxes
    bool logarithmic = false;
    bool clipSpikes = true;
  };
  WatchOptions watch() const;
  void setWatch(const WatchOptions& watch);
  /// Folder last used in the file dialog for `purpose`.
  QString folder(const QString& purpose) const;
  void setFolder(const QString& purpose, const QString& folder);

  struct Layout {
    QByteArray geometry;
    QByteArray state;
  };
  /// Returns none if no layout was saved or it has another layout version.
  std::optional<Layout> layout() const;
  void setLayout(const Layout& layout);
  /// Names of saved layouts, sorted without regard to case.
  QStringList layoutNames() const;
  std::optional<Layout> savedLayout(const QString& name) const;
  void saveLayout(const QString& name, const Layout& layout);
  void removeLayout(const QString& name);

 private:
  std::optional<Layout> layoutAt(const QString& place) const;
  void setLayoutAt(const QString& place, const Layout& layout);

  std::unique_ptr<QSettings> settings_;
};

}  // namespace batchwise
