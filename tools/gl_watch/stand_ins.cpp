// SPDX-License-Identifier: Apache-2.0
// libcuvette_gl.so: a call of OpenGL that may touch what CUDA has mapped is shown to libcuda.so.1
// before OpenGL gets it, and so is the end of a context if libcuda.so.1 may have its objects.
//
// While nothing is mapped a stand-in is two loads, two tests and a jump.
#include "tools/gl_watch/contexts.hpp"
#include "tools/gl_watch/functions.hpp"
#include "tools/gl_watch/touches.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace cuvette::gl_watch {
namespace {

constinit Wanted wanted;
constinit std::atomic<BeforeCall> before_call{nullptr};
constinit std::atomic<BeforeGroupEnds> before_group_ends{nullptr};

bool is_wanted(const std::atomic<uint32_t>& number) {
  return number.load(std::memory_order_relaxed) != 0;
}

template <size_t count>
[[gnu::cold, gnu::noinline]] void tell(const char* function, const void* place,
                                       const Touch (&touches)[count]) {
  if (const BeforeCall ask = before_call.load(std::memory_order_acquire))
    ask({function, place, touches, count});
}

[[gnu::always_inline]] inline void* real_function(Row row, size_t place, const void* caller) {
  void* const real = real_functions[row][place].load(std::memory_order_acquire);
  if (real) [[likely]]
    return real;
  return find_linked(row, caller);
}

// Returns the function that a lookup found, or its stand-in.
void* find_by(void* real, const char* name) {
  using Find = void* (*)(const char* name);
  void* const found = reinterpret_cast<Find>(real)(name);
  const Row row = found && name ? find_row(name) : rows;
  return row == rows ? found : stand_in(row, found);
}

// Says that the last context of a group is about to go, unless `group` is 0. Returns whether it
// said so.
bool tell_end(uint64_t group, const void* place) {
  if (group == 0) return false;
  if (const BeforeGroupEnds ask = before_group_ends.load(std::memory_order_acquire))
    ask(group, place);
  return true;
}

#define UNPACKED(...) __VA_ARGS__

// The slow path, in its own function so that the fast path ends with a jump.
#define GL_CALL(wants, result, name, parameters, arguments, ...)                                  \
  template <size_t place>                                                                         \
  [[gnu::cold, gnu::noinline]] result watched_gl##name(const void* caller, UNPACKED parameters) { \
    if (is_wanted(wanted.wants)) tell("gl" #name, caller, {__VA_ARGS__});                         \
    return reinterpret_cast<result(*) parameters>(real_function(row_gl##name, place, caller))     \
        arguments;                                                                                \
  }
#define GL_ALIAS(other, name)
#include "tools/gl_watch/calls.def"
#undef GL_CALL
#undef GL_ALIAS

#define STAND_IN(place, wants, result, name, parameters, arguments)                       \
  void* const real = real_functions[row_gl##name][place].load(std::memory_order_acquire); \
  if (is_wanted(wanted.wants) || (place == linked && !real)) [[unlikely]]                 \
    return watched_gl##name<place>(__builtin_return_address(0), UNPACKED arguments);      \
  return reinterpret_cast<result(*) parameters>(real) arguments

#define GL_CALL(wants, result, name, parameters, arguments, ...) \
  template <size_t place>                                        \
  result also_gl##name parameters {                              \
    STAND_IN(place, wants, result, name, parameters, arguments); \
  }
#define GL_ALIAS(other, name)
#include "tools/gl_watch/calls.def"
#undef GL_CALL
#undef GL_ALIAS

#define REAL(result, parameters, name, place) \
  reinterpret_cast<result(*) parameters>(real_function(row_##name, place, caller))
#define CREATES_BODY(place, name, parameters, arguments)             \
  const void* const caller = __builtin_return_address(0);            \
  void* const made = REAL(void*, parameters, name, place) arguments; \
  note_made(display, made, share);                                   \
  return made
#define ENTERS_BODY(place, result, name, parameters, arguments, context) \
  const void* const caller = __builtin_return_address(0);                \
  Change change;                                                         \
  tell_end(change.ended(), caller);                                      \
  const result done = REAL(result, parameters, name, place) arguments;   \
  change.finish(done != 0, context);                                     \
  return done
#define ENDS_BODY(place, result, name, parameters, arguments, group) \
  const void* const caller = __builtin_return_address(0);            \
  while (tell_end(group, caller)) {                                  \
  }                                                                  \
  return REAL(result, parameters, name, place) arguments

#define CREATES(name, parameters, arguments)          \
  template <size_t place>                             \
  void* also_##name parameters {                      \
    CREATES_BODY(place, name, parameters, arguments); \
  }
#define ENTERS(result, name, parameters, arguments, context)          \
  template <size_t place>                                             \
  result also_##name parameters {                                     \
    ENTERS_BODY(place, result, name, parameters, arguments, context); \
  }
#define ENDS(result, name, parameters, arguments, group)          \
  template <size_t place>                                         \
  result also_##name parameters {                                 \
    ENDS_BODY(place, result, name, parameters, arguments, group); \
  }
#include "tools/gl_watch/context_calls.def"
#undef CREATES
#undef ENTERS
#undef ENDS

#define GET_PROC_ADDRESS(function)                                                           \
  template <size_t place>                                                                    \
  void* also_##function(const char* name) {                                                  \
    return find_by(real_function(row_##function, place, __builtin_return_address(0)), name); \
  }
GET_PROC_ADDRESS(eglGetProcAddress)
GET_PROC_ADDRESS(glXGetProcAddress)
GET_PROC_ADDRESS(glXGetProcAddressARB)
#undef GET_PROC_ADDRESS

}  // namespace

#define GL_CALL(wants, result, name, parameters, arguments, ...)  \
  EXPORTED result gl##name parameters {                           \
    STAND_IN(linked, wants, result, name, parameters, arguments); \
  }
#define GL_ALIAS(other, name) \
  EXPORTED decltype(gl##name) gl##other __attribute__((alias("gl" #name)));
#include "tools/gl_watch/calls.def"
#undef GL_CALL
#undef GL_ALIAS

#define CREATES(name, parameters, arguments) \
  EXPORTED void* name parameters { CREATES_BODY(linked, name, parameters, arguments); }
#define ENTERS(result, name, parameters, arguments, context)           \
  EXPORTED result name parameters {                                    \
    ENTERS_BODY(linked, result, name, parameters, arguments, context); \
  }
#define ENDS(result, name, parameters, arguments, group) \
  EXPORTED result name parameters { ENDS_BODY(linked, result, name, parameters, arguments, group); }
#include "tools/gl_watch/context_calls.def"
#undef CREATES
#undef ENTERS
#undef ENDS

#define GET_PROC_ADDRESS(function)                                                            \
  EXPORTED void* function(const char* name) {                                                 \
    return find_by(real_function(row_##function, linked, __builtin_return_address(0)), name); \
  }
GET_PROC_ADDRESS(eglGetProcAddress)
GET_PROC_ADDRESS(glXGetProcAddress)
GET_PROC_ADDRESS(glXGetProcAddressARB)
#undef GET_PROC_ADDRESS

#define STAND_INS(function)                                                        \
  {reinterpret_cast<void*>(function), reinterpret_cast<void*>(also_##function<1>), \
   reinterpret_cast<void*>(also_##function<2>), reinterpret_cast<void*>(also_##function<3>)},
void* const stand_ins[rows][places] = {
#define GL_CALL(wants, result, name, ...) STAND_INS(gl##name)
#define GL_ALIAS(other, name)
#include "tools/gl_watch/calls.def"
#undef GL_CALL
#undef GL_ALIAS
#define CREATES(name, ...) STAND_INS(name)
#define ENTERS(result, name, ...) STAND_INS(name)
#define ENDS(result, name, ...) STAND_INS(name)
#include "tools/gl_watch/context_calls.def"
#undef CREATES
#undef ENTERS
#undef ENDS
    STAND_INS(eglGetProcAddress) STAND_INS(glXGetProcAddress) STAND_INS(glXGetProcAddressARB)};
#undef STAND_INS

EXPORTED Watching cuvette_watch_gl(uint32_t version, BeforeCall call, BeforeGroupEnds group_ends) {
  if (version != protocol) return {nullptr, nullptr};
  before_call.store(call, std::memory_order_release);
  before_group_ends.store(group_ends, std::memory_order_release);
  return {&wanted, group_of};
}

}  // namespace cuvette::gl_watch
