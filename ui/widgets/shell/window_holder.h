// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <memory>

#include "ui/bridge/language.h"
#include "ui/widgets/shell/main_window.h"
#include "ui/widgets/window/window_memory.h"

namespace batchwise {

/// The window of the program, which is made anew when its language changes; runs,
/// workspace, draft, queue, alerts, comparison and what can be undone stay as they are.
class WindowHolder final : public QObject {
  Q_OBJECT

 public:
  WindowHolder(const StudioParts& parts, Language& language);
  ~WindowHolder() override;

  MainWindow& window() { return *window_; }

 private:
  void make();
  void speak(const QString& language);

  StudioParts parts_;
  Language& language_;
  WindowMemory memory_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace batchwise
