// SPDX-License-Identifier: BSD-3-Clause
//
// What the recorder owes its host: the environment of the thread, and a way on when the program
// leaves MPI, and us with it, by longjmp() or an exception.
#include <dlfcn.h>
#include <unwind.h>

#include "record/process.hpp"

namespace pathline::record {
namespace {

/// Is a frame that ends there among those that called us? Without an unwinder nobody knows: yes.
bool is_on_stack(uintptr_t frame) {
  using Backtrace = _Unwind_Reason_Code (*)(_Unwind_Trace_Fn, void*);
  using GetCfa = _Unwind_Word (*)(_Unwind_Context*);
  static const struct Unwinder {
    Backtrace backtrace;
    GetCfa cfa;
    Unwinder() {
      // Not linked, as C programs do without it.
      void* library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
      backtrace = reinterpret_cast<Backtrace>(
          library == nullptr ? nullptr : dlsym(library, "_Unwind_Backtrace"));
      cfa =
          reinterpret_cast<GetCfa>(library == nullptr ? nullptr : dlsym(library, "_Unwind_GetCFA"));
    }
  } unwinder;
  if (unwinder.backtrace == nullptr || unwinder.cfa == nullptr) return true;
  struct Search {
    uintptr_t frame;
    GetCfa cfa;
    bool found;
    bool beyond;
  } search{frame, unwinder.cfa, false, false};
  unwinder.backtrace(
      [](_Unwind_Context* context, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        const uintptr_t here = wanted.cfa(context);
        wanted.found = here == wanted.frame;
        wanted.beyond = here > wanted.frame;
        return wanted.found || wanted.beyond ? _URC_NORMAL_STOP : _URC_NO_REASON;
      },
      &search);
  // Code without unwind tables hides what called it.
  return search.found || !search.beyond;
}

}  // namespace

OwnEnvironment::OwnEnvironment() {
  fegetenv(&floating_);
  fesetenv(FE_DFL_ENV);
  static locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);  // Of the C library, not made.
  locale_ = uselocale(plain);
}

OwnEnvironment::~OwnEnvironment() {
  uselocale(locale_);
  fesetenv(&floating_);
}

bool was_left(const void* frame, bool certain) {
  OpenCall& call = thread.call;
  if (thread.inside == 0) return true;
  const auto here = reinterpret_cast<uintptr_t>(frame);
  const auto there = reinterpret_cast<uintptr_t>(call.frame);
  constexpr uintptr_t kLargestStack = 1U << 30U;
  bool left = false;
  if (here - there < kLargestStack) {
    left = true;  // The stack has been given back.
  } else if (there - here < kLargestStack) {
    const uint32_t count = ++call.inner_calls;
    constexpr uint32_t kNowAndThen = 1024;
    left = *call.alive != kAlive;
    if (!left && (certain || (count & (count - 1)) == 0 || count % kNowAndThen == 0)) {
      left = !is_on_stack(there);
    }
  }
  // Else it is another stack: a fiber's, of which nothing is known.
  if (!left) return false;
  thread.inside = 0;
  thread.caller = nullptr;
  if (process.started.load(std::memory_order_relaxed) && thread.started && !thread.failed) {
    const uint64_t ticks = now();
    if (call.region != 0) emit_leave(ticks, call.region);
    if (call.profiled) profile_leave(ticks);
  }
  call.region = 0;
  call.profiled = false;
  return true;
}

}  // namespace pathline::record
