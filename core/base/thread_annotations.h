// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Which mutex guards which member, in words that clang checks (-Wthread-safety, an error in the light preset) and other
// compilers pass over. The mutexes that they name are those of core/base/mutex.h.
// Source: clang documentation, "Thread Safety Analysis".
#if defined(__clang__)
#define BATCHWISE_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define BATCHWISE_THREAD_ATTRIBUTE(attribute)
#endif

/// A member that is read and written only while `mutex` is held.
#define GUARDED_BY(mutex) BATCHWISE_THREAD_ATTRIBUTE(guarded_by(mutex))
/// A pointer whose target is read and written only while `mutex` is held.
#define PT_GUARDED_BY(mutex) BATCHWISE_THREAD_ATTRIBUTE(pt_guarded_by(mutex))
/// A function, or the predicate of a wait, that is called only while the mutex is held.
#define REQUIRES(...) BATCHWISE_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
/// A function that takes the mutex itself: called only while it is not held.
#define EXCLUDES(...) BATCHWISE_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))

// For types of locks.
#define CAPABILITY(name) BATCHWISE_THREAD_ATTRIBUTE(capability(name))
#define SCOPED_CAPABILITY BATCHWISE_THREAD_ATTRIBUTE(scoped_lockable)
#define ACQUIRE(...) BATCHWISE_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) BATCHWISE_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
