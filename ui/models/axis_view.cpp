// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/axis_view.h"

#include <algorithm>

namespace batchwise {
namespace {

constexpr double kLeastShare = 1e-7;  // of the extent: below that, doubles lack precision
constexpr double kFollowShare = 0.2;  // of the data, if following starts from the full extent
constexpr double kRoomAtEnd = 0.02;   // of the width: margin right of the newest value

}  // namespace

void AxisView::setExtent(AxisRange all, double end) {
  all_ = all;
  end_ = std::clamp(end, all.low, all.high);
  if (!part_) return;
  if (follows_)
    placeAtEnd(part_->width());
  else
    place(part_->low, part_->width());
}

void AxisView::fit() {
  part_.reset();
  follows_ = false;
}

void AxisView::follow() {
  follows_ = true;
  placeAtEnd(part_ ? part_->width() : kFollowShare * (end_ - all_.low));
}

void AxisView::toStart() {
  follows_ = false;
  place(all_.low, part_ ? part_->width() : kFollowShare * (end_ - all_.low));
}

void AxisView::show(AxisRange part) {
  follows_ = false;
  const double low = std::max(part.low, all_.low);
  place(low, std::min(part.high, all_.high) - low);
}

void AxisView::zoom(double factor, double at) {
  const AxisRange before = shown();
  const double width = before.width() * factor;
  if (width >= all_.width()) {
    fit();
    return;
  }
  if (follows_)
    placeAtEnd(width);
  else
    place(at - (at - before.low) * factor, width);
}

void AxisView::pan(double distance) {
  if (!part_) return;
  follows_ = false;
  place(part_->low + distance, part_->width());
}

void AxisView::place(double low, double width) {
  width = std::max(width, kLeastShare * all_.width());
  if (width >= all_.width()) {
    fit();
    return;
  }
  low = std::clamp(low, all_.low, all_.high - width);
  part_ = AxisRange{low, low + width};
}

void AxisView::placeAtEnd(double width) {
  width = std::clamp(width, kLeastShare * all_.width(), all_.width());
  const double high = end_ + kRoomAtEnd * width;  // may exceed the extent, to keep the margin
  part_ = AxisRange{high - width, high};
}

}  // namespace batchwise
