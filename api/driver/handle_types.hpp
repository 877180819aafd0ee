// SPDX-License-Identifier: Apache-2.0
// handle_types.def for templates: HandleType<Object> has what the row says. The objects are only
// declared here.
#pragma once

#include "api/driver/cuda.hpp"
#include "api/driver/handle_table.hpp"
#include "sim/base/error.hpp"

namespace cuvette {
#define HANDLE(type, room, class_, words, null, foreign, stale, orphan, names) \
  namespace room {                                                             \
  class class_;                                                                \
  }
#include "api/driver/handle_types.def"
}  // namespace cuvette

namespace cuvette::driver {

// The numbers of the types, which are part of each handle.
enum class HandleNumber : unsigned {
#define HANDLE(type, room, class_, words, null, foreign, stale, orphan, names) of_##type,
#include "api/driver/handle_types.def"
};

// The errors for invalid handles: see handle_types.def.
struct HandleErrors {
  const char* words;
  Error null, foreign, stale, orphan;
};

template <typename Object>
struct HandleType;
#define HANDLE(type, room, class_, words, null, foreign, stale, orphan, names)                   \
  template <>                                                                                    \
  struct HandleType<room::class_> {                                                              \
    using Handle = type;                                                                         \
    using Table =                                                                                \
        HandleTable<room::class_, static_cast<unsigned>(HandleNumber::of_##type), Names::names>; \
    static constexpr HandleErrors errors{words, Error::null, Error::foreign, Error::stale,       \
                                         Error::orphan};                                         \
  };
#include "api/driver/handle_types.def"

template <typename Object>
using HandleOf = typename HandleType<Object>::Handle;

// Maps a handle type that is a pointer to its object.
template <typename Handle>
struct HandleTarget;
#define NUMBER(...)
#define HANDLE(type, room, class_, words, null, foreign, stale, orphan, names) \
  template <>                                                                  \
  struct HandleTarget<type> {                                                  \
    using Object = room::class_;                                               \
  };
#include "api/driver/handle_types.def"

template <typename Handle>
using ObjectOf = typename HandleTarget<Handle>::Object;

}  // namespace cuvette::driver
