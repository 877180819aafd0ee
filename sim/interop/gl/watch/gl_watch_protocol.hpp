// SPDX-License-Identifier: Apache-2.0
// The protocol between libcuvette_gl.so, which sees a program's calls of OpenGL, and libcuda.so.1,
// which knows what CUDA has mapped.
//
// The former is preloaded and exports watch_function. The latter finds it and says which function
// to ask before a call. Neither is linked to the other; both belong to one build.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace cuvette::gl_watch {

// An object that a call touches: an object that it names, or one that OpenGL's state names.
enum class Point : uint8_t {
  nothing,
  // The bindings of a draw or a dispatch.
  vertices,           // the arrays of vertex attributes
  elements,           // the element array buffer
  draw_commands,      // the draw indirect buffer
  draw_count,         // the parameter buffer
  dispatch_commands,  // the dispatch indirect buffer
  shaders,            // what a draw's shaders read and write
  compute_shader,     // the same for a dispatch
  feedback,           // the transform feedback buffers
  // Framebuffers: colours only, because CUDA takes nothing else.
  drawn,                   // what a draw or a clear writes: `index` is the draw buffer, or `all`
  drawn_named,             // the same for framebuffer `name`
  draw_framebuffer,        // the target of a blit
  named_draw_framebuffer,  // the same: framebuffer `name`
  read_framebuffer,        // the read buffer of the read framebuffer
  named_read_framebuffer,  // the same for framebuffer `name`
  attachments,             // `list` of `index` attachments of the one bound to target `name`
  attachments_named,       // the same for framebuffer `name`
  // Buffers that pixels come from or go to.
  pack,
  unpack,
  // Objects.
  buffer,         // buffer `name`
  bound_buffer,   // the one bound to target `name`
  texture,        // texture `name`
  bound_texture,  // the active unit's, bound to target `name`
  renderbuffer,
  bound_renderbuffer,
  image,  // `name`, of target `index`: texture or renderbuffer
  // `list` of `index` names
  buffers,
  textures,
  renderbuffers,
};

// The effect of the call on it.
enum class Manner : uint8_t {
  used,      // read or written
  replaced,  // gets other storage
  deleted,
};

struct Touch {
  static constexpr uint32_t all = ~uint32_t{0};

  Point point;
  Manner manner = Manner::used;
  uint32_t name = 0;
  uint32_t index = 0;
  const uint32_t* list = nullptr;
};

// A call that the program is about to make.
struct Call {
  const char* function;  // "glDrawArrays"
  const void* place;     // where it returns to
  const Touch* touches;
  size_t count;
};
using BeforeCall = void (*)(const Call& call) noexcept;

// Written by libcuda.so.1. While a number is 0, libcuda need not be asked about such calls.
struct Wanted {
  std::atomic<uint32_t> mapped{0};      // for calls that use objects
  std::atomic<uint32_t> registered{0};  // for calls that replace or delete them
};

// Called before the last of the contexts that share their objects goes, by a call that returns to
// `place`.
using BeforeGroupEnds = void (*)(uint64_t group, const void* place) noexcept;
// Returns the number of the group that a context belongs to; 0 if it was made unseen.
using GroupOf = uint64_t (*)(void* context);

struct Watching {
  Wanted* wanted;  // for which calls to ask
  GroupOf group_of;
};

// Sets the functions to ask. Nulls if `protocol` is not this one.
using Watch = Watching (*)(uint32_t protocol, BeforeCall before_call,
                           BeforeGroupEnds before_group_ends);
inline constexpr uint32_t protocol = 2;
inline constexpr const char watch_function[] = "cuvette_watch_gl";

}  // namespace cuvette::gl_watch
