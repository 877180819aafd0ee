// SPDX-License-Identifier: Apache-2.0
// libcuvette_gl.so: a call of OpenGL that may touch what CUDA has mapped is shown to libcuda.so.1
// before OpenGL gets it.
//
// While nothing is mapped a stand-in is two loads, two tests and a jump.
#include "tools/gl_watch/functions.hpp"
#include "tools/gl_watch/touches.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace cuvette::gl_watch {
namespace {

constinit Wanted wanted;
constinit std::atomic<BeforeCall> before_call{nullptr};

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
    STAND_INS(eglGetProcAddress) STAND_INS(glXGetProcAddress) STAND_INS(glXGetProcAddressARB)};
#undef STAND_INS

EXPORTED Wanted* cuvette_watch_gl(uint32_t version, BeforeCall ask) {
  if (version != protocol) return nullptr;
  before_call.store(ask, std::memory_order_release);
  return &wanted;
}

}  // namespace cuvette::gl_watch
