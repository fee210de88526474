// SPDX-License-Identifier: GPL-3.0-or-later
// Linked into the window's tests when they are built with the thread sanitizer: Qt is not, so the sanitizer does not see
// that what a thread wrote before it posted an event happened before the event is handled. The two functions take the
// place of Qt's, tell it, and call them.
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include <QtWidgets/QApplication>

namespace {

template <typename Function>
Function nextOf(const char* symbol) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, symbol));
}

}  // namespace

bool QMetaObject::invokeMethodImpl(QObject* object, QtPrivate::QSlotObjectBase* slot, Qt::ConnectionType type,
                                   void* result) {
  static const auto next = nextOf<decltype(&QMetaObject::invokeMethodImpl)>(
      "_ZN11QMetaObject16invokeMethodImplEP7QObjectPN9QtPrivate15QSlotObjectBaseEN2Qt14ConnectionTypeEPv");
  __tsan_release(object);
  return next(object, slot, type, result);
}

bool QApplication::notify(QObject* receiver, QEvent* event) {
  using Notify = bool (*)(QApplication*, QObject*, QEvent*);
  static const auto next = nextOf<Notify>("_ZN12QApplication6notifyEP7QObjectP6QEvent");
  if (event->type() == QEvent::MetaCall) __tsan_acquire(receiver);
  return next(this, receiver, event);
}
