// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <memory>

#include "ui/bridge/language.h"
#include "ui/widgets/shell/main_window.h"
#include "ui/widgets/window/retained_state.h"

namespace batchwise {

/// Owns the main window and recreates it when the language changes. Runs, workspace, draft, queue, alerts, comparison
/// and undo stacks are kept.
class WindowShell final : public QObject {
  Q_OBJECT

 public:
  WindowShell(const StudioParts& parts, Language& language);
  ~WindowShell() override;

  MainWindow& window() { return *window_; }

 private:
  void make();
  void setLanguage(const QString& language);

  StudioParts parts_;
  Language& language_;
  RetainedState retained_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace batchwise
