// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QObject>
#include <memory>

#include "ui/bridge/language.h"
#include "ui/widgets/main_window.h"

namespace batchwise {

/// The window of the program, which is made anew when its language changes; runs, workspace and draft stay as they are.
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
  std::unique_ptr<MainWindow> window_;
};

}  // namespace batchwise
