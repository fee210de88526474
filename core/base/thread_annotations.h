// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Annotations for clang's thread safety analysis (-Wthread-safety, an error in the light preset), ignored by other
// compilers. They name mutexes of core/base/mutex.h. Source: clang documentation, "Thread Safety Analysis".
#if defined(__clang__)
#define BATCHWISE_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define BATCHWISE_THREAD_ATTRIBUTE(attribute)
#endif

/// Member accessed only while `mutex` is held.
#define GUARDED_BY(mutex) BATCHWISE_THREAD_ATTRIBUTE(guarded_by(mutex))
/// Pointer whose target is accessed only while `mutex` is held.
#define PT_GUARDED_BY(mutex) BATCHWISE_THREAD_ATTRIBUTE(pt_guarded_by(mutex))
/// Function, or predicate of a wait, that requires the mutex to be held.
#define REQUIRES(...) BATCHWISE_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
/// Function that locks the mutex itself and must be called without holding it.
#define EXCLUDES(...) BATCHWISE_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))

// For lock types.
#define CAPABILITY(name) BATCHWISE_THREAD_ATTRIBUTE(capability(name))
#define SCOPED_CAPABILITY BATCHWISE_THREAD_ATTRIBUTE(scoped_lockable)
#define ACQUIRE(...) BATCHWISE_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) BATCHWISE_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
