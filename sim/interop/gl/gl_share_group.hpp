// SPDX-License-Identifier: Apache-2.0
// ShareGroup: OpenGL contexts that share their objects, so that a name means the same in each of
// them.
//
// OpenGL has no handle for such a group. A fence represents it, made when the first of its objects
// is registered: contexts of the group know it (glIsSync, 23 ns), others do not. Names alone would
// not do, because another group may use the same ones.
//
// A group ends with its last context, and takes its objects along. libcuvette_gl.so sees that come
// (contexts.hpp there). Without it the group asks for the contexts that it has seen: then its end
// is noticed by the next call that needs it, and never if a new context got an old one's handle and
// is current elsewhere. A new group's fence may get the old one's handle as well, so the fence has
// a label.
//
// Threads: any, one at a time; the lock of the graphics resources is held, but for is_current() and
// ended(). A thread uses the group while it holds an Entered.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/ref.hpp"
#include "sim/interop/gl/gl_context.hpp"

namespace cuvette::interop::gl {

// The capabilities of a group's contexts.
struct Capabilities {
  bool es = false;
  int version = 0;              // 45 is 4.5
  bool direct_access = false;   // ARB_direct_state_access, or 4.5
  bool buffer_storage = false;  // immutable buffers: ARB_ or EXT_buffer_storage, or 4.4
  bool legacy = false;          // compatibility profile, with the state from before 3.1
  bool copy_image = false;      // ARB_copy_image, or 4.3
  bool labels = false;          // names for objects: 4.3
};

class ShareGroup final : public Counted {
 public:
  // Errors: invalid_graphics_context if no OpenGL context is current in the calling thread.
  static Result<> check_current();
  // Returns the group of the calling thread's current context. Errors: invalid_graphics_context
  // without one, not_supported if it is too old to map buffers.
  static Result<Ref<ShareGroup>> of_current();

  // While an Entered lives, a context of the group is current; afterwards the caller's is again.
  class Entered {
   public:
    explicit Entered(std::optional<CurrentContext> callers) : callers_(callers) {}
    Entered(Entered&& other) noexcept : callers_(std::exchange(other.callers_, std::nullopt)) {}
    Entered& operator=(Entered&&) = delete;
    ~Entered() {
      if (callers_) callers_->make_current();
    }

   private:
    std::optional<CurrentContext> callers_;  // the caller's context, if it had to be replaced
  };
  // Makes a context of the group current. Errors: invalid_graphics_context if no context is
  // current, or if one of another group is and this group's own cannot be made current instead.
  Result<Entered> enter();

  // Whether the calling thread's current context is of the group.
  bool is_current() const {
    return !ended_.load(std::memory_order_relaxed) && gl_.IsSync(fence_) == GL_TRUE;
  }

  // --- Its end ---
  // Returns the group that libcuvette_gl.so knows under this number, if it has registered objects.
  static Ref<ShareGroup> of_number(uint64_t number);
  // Whether its contexts, and with them its objects, have ended: as far as that is noted, or found
  // out now.
  bool ended() const { return ended_.load(std::memory_order_relaxed); }
  bool has_ended();
  // Notes the end: no context is of the group any more.
  void end();
  // The error of a call that needs it, with a sentence.
  Error ended_error() const;
  // Notes that the current context is of the group.
  void note_current();

  // Count registered objects; the group is entered. The fence goes with the last one.
  void add_object() { ++objects_; }
  void remove_object();
  // Like remove_object() where the group cannot be entered: its fence ends with its contexts.
  void forget_object();

  const Functions& gl() const { return gl_; }
  const Capabilities& capabilities() const { return capabilities_; }
  WindowSystem system() const { return home_.system; }

 private:
  ShareGroup(const CurrentContext& home, const Functions& gl, const Capabilities& capabilities);
  template <typename T, typename... Arguments>
  friend Ref<T> cuvette::make_ref(Arguments&&...);
  ~ShareGroup() override = default;

  // Like is_current(), where the fence may be another one that got its handle.
  bool has_fence() const;

  const CurrentContext home_;  // where the first object was registered
  const Functions& gl_;
  const Capabilities capabilities_;
  const GLsync fence_;
  const std::string label_;  // the fence's
  const uint64_t number_;    // libcuvette_gl.so's; 0 without it
  unsigned objects_ = 0;
  std::atomic<bool> ended_{false};    // written with the lock held
  std::vector<CurrentContext> seen_;  // contexts of the group, some of which may have ended
};

// Enters groups one after the other, and leaves the last one when it ends.
class Entrance {
 public:
  // Errors: those of ShareGroup::enter(). True if it is another group than before.
  Result<bool> enter(ShareGroup& group) {
    if (&group == group_) return false;
    entered_.reset();
    group_ = nullptr;
    entered_.emplace(TRY(group.enter()));
    group_ = &group;
    return true;
  }

 private:
  const ShareGroup* group_ = nullptr;
  std::optional<ShareGroup::Entered> entered_;
};

}  // namespace cuvette::interop::gl
