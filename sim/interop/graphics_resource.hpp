// SPDX-License-Identifier: Apache-2.0
// GraphicsResource: a buffer or an image of a graphics API, registered with one CUDA context, which
// maps it and gives it back.
//
// "All graphics calls issued before cuGraphicsMapResources() will complete before any subsequent
// CUDA work issued in stream begins", and the other way round at unmap. Software OpenGL runs in the
// calling thread, so mapping waits for OpenGL, and unmapping waits for the stream.
//
// Threads: any. There is one lock for all resources, graphics_mutex, and no thread waits for a
// stream while holding it. Invariant: a call maps or unmaps all of its resources or none.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/device/texture/array.hpp"
#include "sim/interop/gl/late_use.hpp"
#include "sim/interop/gl/watch/gl_watch.hpp"
#include "sim/interop/graphics_lock.hpp"
#include "sim/memory/address_space.hpp"
#include "sim/record/resource.hpp"

namespace cuvette::interop {

namespace gl {
class Entrance;
class ShareGroup;
}  // namespace gl

// CU_GRAPHICS_MAP_RESOURCE_FLAGS_*
enum class MapFlags : uint8_t { none, read_only, write_discard };

class GraphicsResource : public Counted {
 public:
  struct MappedPointer {
    memory::DevicePtr address;
    size_t size;
  };

  // --- What a mapped resource is. Errors: not_mapped. ---
  // Errors: not_mapped_as_pointer.
  Result<MappedPointer> pointer() const;
  // Returns the array of one layer or cube face of one mipmap level. Errors: not_mapped_as_array,
  // invalid_value if it does not exist.
  Result<Ref<device::Array>> array(unsigned index, unsigned level) const;
  // Errors: not_mapped_as_array.
  Result<Ref<device::MipmappedArray>> mipmapped_array() const;

  // Returns the arrays that it is, or was, mapped as; null if it never was.
  virtual Ref<device::MipmappedArray> arrays_ever_mapped() const { return nullptr; }

  // Sets how it will be mapped the next time. Errors: already_mapped.
  Result<> set_map_flags(MapFlags flags);

  // Ends the registration, after the work of its context has ended. Errors: already_mapped,
  // invalid_graphics_context as for mapping, invalid_handle if it has ended already.
  Result<> unregister();

  // Whether its registration has ended.
  bool ended() const;
  // Whether it belongs to the share group of the calling thread's current OpenGL context.
  bool of_current_gl() const;
  // Returns the CUDA context that it is registered with.
  uint64_t owner() const { return owner_; }
  virtual const memory::Lender& lender() const = 0;

  // Map and unmap resources: both wait for what the documentation promises, and change all
  // resources or none. Mapping is for work in `stream`, or in all streams if it is null. Errors:
  // invalid_handle for a resource that is named twice (CUVETTE_CONTRACT=driver: the driver's
  // answers), already_mapped or not_mapped, invalid_graphics_context if no context of its share
  // group can be made current, unknown if OpenGL has taken its storage away.
  static Result<> map(std::span<const Ref<GraphicsResource>> resources,
                      const device::Stream* stream, const memory::Requester& requester);
  static Result<> unmap(std::span<const Ref<GraphicsResource>> resources, device::Stream& stream,
                        const memory::Requester& requester);

  // --- Frames: an EGLImage is not mapped, but copied when CUDA asks for its frame. ---
  // Copies the frame in, unless CUDA has it already. Errors: as for mapping.
  Result<> take_frame(const memory::Requester& requester);
  // Gives the frames of a context back, after its work was waited for. A frame that cannot be given
  // back, because no context of its share group can be made current, is reported.
  static void give_back_frames(uint64_t owner, const memory::Requester& requester);

  // --- Late uses: an image's arrays can be used when it is unmapped, as on hardware. ---
  static const gl::LateUses late_uses;  // the three below
  // Prepares for a call that reads, or writes, `region` of what `lender` has lent: the array gets
  // what OpenGL has, if a context of the share group can be made current. Errors: invalid_value if
  // `lender` is not registered any more.
  static Result<> begin_late_use(const memory::Lender& lender, const memory::Region& region,
                                 bool write, const void* call_site);
  // Ends such a call. Its writes are copied back by the call that waits for the context's work, or
  // maps or unregisters the resource, where a context of the share group can be made current; at
  // once if the work is `done`.
  static void end_late_use(const memory::Lender& lender, bool done, const void* call_site);
  // Notes that a running kernel may change it.
  static void note_kernel_use(memory::Lender& lender);

  // --- The end of OpenGL's contexts: what they lent is withdrawn ---
  // No command finds it from now on; commands that use it are waited for. The resources can no
  // longer be mapped. The group is the one that libcuvette_gl.so knows under this number.
  static void withdraw(uint64_t number, const void* place) noexcept;
  // OpenGL is about to free the storage of a mapped object, because it is deleted or gets other
  // storage; unmapping the resource will tell the program.
  static void withdraw(const memory::Lender& lender) EXCLUDES(graphics_mutex);
  // Finds out whether a group has ended, and withdraws what it lent if so.
  static bool withdraw_if_ended(gl::ShareGroup& group, const void* place);

  // Returns every registered resource of a CUDA context, or of all contexts (0).
  static std::vector<Ref<GraphicsResource>> registered(uint64_t owner);
  // Ends the registrations of a CUDA context that has ended, and notifies observers of them.
  static void abandon(uint64_t owner, const memory::Requester& requester);
  // Notifies observers that it was never unmapped or unregistered.
  void notify_left(const void* place) const;

 protected:
  GraphicsResource(Ref<gl::ShareGroup> group, MapFlags flags, uint64_t owner);
  ~GraphicsResource() override;

  // Registers what `make` makes for the current OpenGL context's group. `make` is called with
  // graphics_mutex held.
  using Make = std::function<Result<Ref<GraphicsResource>>(const Ref<gl::ShareGroup>&)>;
  static Result<Ref<GraphicsResource>> enrol(const Make& make);

  // With the group entered:
  virtual Result<> take(const memory::Requester& requester, MapFlags flags)
      REQUIRES(graphics_mutex) = 0;
  virtual Result<> give_back(const memory::Requester& requester) REQUIRES(graphics_mutex) = 0;
  virtual void retire() REQUIRES(graphics_mutex) = 0;  // its registration ends
  // OpenGL is about to free what it has lent: no new command finds it.
  virtual void lose() REQUIRES(graphics_mutex) {}
  // When the group has ended, in this order: no new command finds the memory; the registration
  // ends.
  virtual void hide() REQUIRES(graphics_mutex) = 0;
  virtual void drop() REQUIRES(graphics_mutex) = 0;
  // Returns the memory that devices get, if there is any yet.
  virtual Ref<const memory::Allocation> memory() const REQUIRES(graphics_mutex) = 0;
  // Returns OpenGL's name of it, if the program has one.
  virtual std::optional<gl::Object> object() const { return std::nullopt; }
  // For a resource with frames.
  virtual bool needs_no_mapping() const { return false; }
  virtual Result<> copy_frame(const memory::Requester& requester) REQUIRES(graphics_mutex) {
    return Error::invalid_value;
  }
  // For one with arrays that are used while it is unmapped: copies what OpenGL has.
  virtual Result<> copy_late(const memory::Requester& requester) REQUIRES(graphics_mutex) {
    return Error::invalid_value;
  }
  // Registrations may share memory: whether any has it mapped, what is known of late uses, and
  // whether there are others.
  virtual bool is_lent() const REQUIRES(graphics_mutex) { return mapped_; }
  virtual gl::LateUse& late_use() REQUIRES(graphics_mutex) { return own_late_use_; }
  virtual bool others_are_registered() const REQUIRES(graphics_mutex) { return false; }
  virtual void note_late_write_while_lent() REQUIRES(graphics_mutex) {}
  // While it is mapped:
  virtual Result<MappedPointer> mapped_pointer() const REQUIRES(graphics_mutex);
  virtual Result<Ref<device::MipmappedArray>> mapped_arrays() const REQUIRES(graphics_mutex);
  // While it is not mapped: gives back what was, or may have been, written late.
  virtual Result<> give_back_late(const memory::Requester& requester, bool written)
      REQUIRES(graphics_mutex) {
    return {};
  }
  // Returns the memory that commands lose when it is given back; none if it stays mapped by other
  // registrations.
  virtual const memory::Allocation* last_use() const = 0;

 private:
  record::Resource recorded_;
  using Resources = std::span<const Ref<GraphicsResource>>;
  Result<> take_frame_now(const memory::Requester& requester) REQUIRES(graphics_mutex);
  // Whether it was used since it was unmapped, and so must be given back.
  bool is_late() REQUIRES(graphics_mutex) {
    return !is_lent() && !needs_no_mapping() &&
           (late_use().taken || lender().used_by_kernels.load(std::memory_order_acquire));
  }
  void forget_late() REQUIRES(graphics_mutex);
  static std::vector<GraphicsResource*>& living() REQUIRES(graphics_mutex);
  static GraphicsResource* find_lent_by(const memory::Lender& lender) REQUIRES(graphics_mutex);
  // Whether commands still use it, or kernels that may.
  bool is_busy() const;
  void begin_late(bool written) REQUIRES(graphics_mutex);
  // Gives back what was used late. False if that must wait: it is busy, or its group cannot be
  // entered.
  bool end_late(const memory::Requester& requester, gl::Entrance& entrance)
      REQUIRES(graphics_mutex);
  // Waits for the late uses of what is about to be mapped or unregistered.
  static void wait_for_late_uses(Resources resources) EXCLUDES(graphics_mutex);
  static Result<> check_map(Resources resources) REQUIRES(graphics_mutex);
  static Result<> check_unmap(Resources resources) REQUIRES(graphics_mutex);
  bool mapped() const EXCLUDES(graphics_mutex);
  // Returns memory that commands still use and that giving back would take from them.
  static Ref<const memory::Allocation> busy_memory(Resources resources) REQUIRES(graphics_mutex);
  static Result<> give_back(Resources resources, const memory::Requester& requester)
      REQUIRES(graphics_mutex);
  void set_mapped(bool mapped) REQUIRES(graphics_mutex);
  using LoanNews = void (device::Observer::*)(const device::Stream&, const memory::Allocation&,
                                              const void* call_site);
  // Notifies observers that `stream` gets the memory, or gives it back.
  void notify(LoanNews news, const device::Stream& stream, const memory::Requester& requester) const
      REQUIRES(graphics_mutex);
  void end() REQUIRES(graphics_mutex);
  // The steps of withdraw(): notes that the group has ended, and returns its resources; ends them
  // when their commands have ended.
  using List = std::vector<Ref<GraphicsResource>>;
  static void withdraw_all_of(gl::ShareGroup& group, const void* place) EXCLUDES(graphics_mutex);
  // For the thread that holds the lock already.
  static bool withdraw_by_holder(uint64_t number, const void* place)
      CUVETTE_THREAD_ATTRIBUTE(no_thread_safety_analysis);
  static List hide_all_of(gl::ShareGroup& group, const void* place) REQUIRES(graphics_mutex);
  static std::vector<Ref<const memory::Allocation>> memory_of(const List& resources)
      REQUIRES(graphics_mutex);
  static void drop_all(const List& resources) REQUIRES(graphics_mutex);
  void drop_now() REQUIRES(graphics_mutex);

  const Ref<gl::ShareGroup> group_;
  const uint64_t owner_;
  MapFlags flags_ GUARDED_BY(graphics_mutex);
  bool mapped_ GUARDED_BY(graphics_mutex) = false;
  bool registered_ GUARDED_BY(graphics_mutex) = true;
  bool dropped_ GUARDED_BY(graphics_mutex) = false;  // its group has ended
  gl::LateUse own_late_use_ GUARDED_BY(graphics_mutex);
  uint64_t seen_ GUARDED_BY(graphics_mutex) = 0;  // the last call that named it
  std::unique_ptr<gl::Watched> watched_ GUARDED_BY(graphics_mutex);
};

// Errors: invalid_graphics_context if no OpenGL context is current in the calling thread.
Result<> check_gl_context();

// Registers buffer object `name` of the current OpenGL context.
// Errors: invalid_graphics_context, invalid_handle, out_of_memory, not_supported.
Result<Ref<GraphicsResource>> register_gl_buffer(unsigned name, MapFlags flags,
                                                 const memory::Requester& requester);

// Errors: invalid_value if `target` is none of the images that CUDA takes.
Result<> check_gl_image_target(unsigned target);

// Registers image `name` of `target` (GL_TEXTURE_2D, ...); its arrays get `array_flags`
// (device::array_flag). Errors: as above, and invalid_value for a target or format that CUDA does
// not take.
Result<Ref<GraphicsResource>> register_gl_image(unsigned name, unsigned target, MapFlags flags,
                                                unsigned array_flags,
                                                const memory::Requester& requester);

}  // namespace cuvette::interop
