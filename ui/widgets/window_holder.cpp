// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/window_holder.h"

namespace batchwise {

WindowHolder::WindowHolder(const StudioParts& parts, Language& language) : parts_(parts), language_(language) {
  make();
}

WindowHolder::~WindowHolder() = default;

void WindowHolder::make() {
  window_ = std::make_unique<MainWindow>(parts_);
  // Later, because the window that asks is in the midst of a click.
  connect(window_.get(), &MainWindow::languageWanted, this, &WindowHolder::speak, Qt::QueuedConnection);
}

void WindowHolder::speak(const QString& language) {
  parts_.settings.setLanguage(language);
  const bool visible = window_->isVisible();
  const CompareView compared = window_->comparison();
  const int page = window_->openPage();
  window_->keepLayout();
  window_.reset();
  language_.use(language);
  make();
  window_->takeUp(compared, page);
  if (visible) window_->show();
}

}  // namespace batchwise
