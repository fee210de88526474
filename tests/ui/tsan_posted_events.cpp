// SPDX-License-Identifier: GPL-3.0-or-later
// Linked into the window's tests when they are built with the thread sanitizer: Qt is not, so the sanitizer does not
// see that what a thread wrote before it posted an event happened before the event is handled. The two functions take
// the place of Qt's, tell it, and call them.
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include <QtWidgets/QApplication>

namespace {

template <typename Function>
Function nextOf(const char* symbol) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, symbol));
}

/// Stands for the end of an event; the object itself for its posting.
char& handled(QObject* object) {
  return reinterpret_cast<char*>(object)[1];
}

}  // namespace

bool QMetaObject::invokeMethodImpl(QObject* object, QtPrivate::QSlotObjectBase* slot, Qt::ConnectionType type,
                                   void* result) {
  static const auto next = nextOf<decltype(&QMetaObject::invokeMethodImpl)>(
      "_ZN11QMetaObject16invokeMethodImplEP7QObjectPN9QtPrivate15QSlotObjectBaseEN2Qt14ConnectionTypeEPv");
  __tsan_release(object);
  slot->ref();
  const bool posted = next(object, slot, type, result);
  __tsan_acquire(&handled(object));
  slot->destroyIfLastRef();  // here, and not inside Qt: the event may have been handled already
  return posted;
}

bool QApplication::notify(QObject* receiver, QEvent* event) {
  using Notify = bool (*)(QApplication*, QObject*, QEvent*);
  static const auto next = nextOf<Notify>("_ZN12QApplication6notifyEP7QObjectP6QEvent");
  if (event->type() != QEvent::MetaCall) return next(this, receiver, event);
  __tsan_acquire(receiver);
  const bool done = next(this, receiver, event);
  __tsan_release(&handled(receiver));
  return done;
}
