// SPDX-License-Identifier: Apache-2.0
// Buffer: the storage of one OpenGL buffer object, lent to devices without a copy.
//
// A software driver keeps a buffer in this process's memory, and glMapBufferRange returns the
// storage itself. All registrations of one buffer share one Buffer and its mapping. Storage to
// which OpenGL gives no pointer (immutable, without the MAP bits) is copied to our own buffer
// that can be mapped, and back.
//
// Threads: any, one at a time; the lock of the graphics resources is held, and the group is
// entered.
#pragma once

#include <string>

#include "sim/base/error.hpp"
#include "sim/interop/gl/gl_share_group.hpp"
#include "sim/memory/address_space.hpp"

namespace cuvette::interop::gl {

class Buffer final : public memory::Lender {
 public:
  // Finds out whether a group has ended, and withdraws what its buffers have lent if so. The
  // registrations of buffers do that; the lock of the graphics resources is not held.
  using FindEnd = bool (*)(ShareGroup& group, const void* call_site);

  // Returns the Buffer of buffer object `name`. Errors: invalid_handle if the object does not
  // exist, out_of_memory if it has no storage (as measured).
  static Result<Ref<Buffer>> of(const Ref<ShareGroup>& group, GLuint name, FindEnd find_end,
                                const void* call_site);

  // Lends the storage to devices; if `discard`, its contents need not be kept. Maps nest. Errors:
  // unknown if it is not the storage that was registered, out_of_memory.
  Result<> map(const memory::Requester& requester, bool read_only, bool discard);
  // Ends the loan. Errors: unknown if OpenGL has taken the storage away since.
  Result<> unmap(const memory::Requester& requester);

  // The storage is about to end while it is lent: no command finds it from now on. Unmapping it
  // tells the program.
  void lose();
  // The same when the group ends. drop() forgets it, once for each registration, when its commands
  // have ended.
  void hide();
  void drop();

  // Returns what is lent; from the first map() on.
  const Ref<memory::Allocation>& allocation() const { return allocation_; }

  size_t size() const { return size_; }
  GLuint name() const { return name_; }
  unsigned mappings() const { return mappings_; }
  ShareGroup& group() const { return *group_; }
  std::string describe() const override;
  Result<> check(const void* call_site) const override;

  // Count registrations; the Buffer is found by its name while there are any.
  void add_registration();
  void remove_registration();

 private:
  Buffer(const Ref<ShareGroup>& group, GLuint name, FindEnd find_end, const void* call_site);
  template <typename T, typename... Arguments>
  friend Ref<T> cuvette::make_ref(Arguments&&...);
  ~Buffer() override = default;

  // Finds out where the storage is, and how to reach it.
  Result<> look();
  void forget();
  void forget_name();
  size_t size_now() const;
  bool stored_as_registered() const;
  // Whether the storage lies where it did, as far as OpenGL tells.
  bool at_its_address() const;
  bool is_lost() const;
  // Returns the address of the storage, or of its copy, which stays mapped in OpenGL until close().
  Result<memory::DevicePtr> open(const memory::Requester& requester);
  // Like open(), where the program has mapped the buffer itself.
  Result<memory::DevicePtr> open_programs(const memory::Requester& requester);
  Result<> close(const memory::Requester& requester);
  Error changed(const void* call_site, const char* how) const;

  const Ref<ShareGroup> group_;
  const GLuint name_;
  const FindEnd find_end_;
  size_t size_ = 0;
  memory::DevicePtr address_ = 0;  // the storage's
  bool immutable_ = false;
  bool mappable_ = true;     // for reading and writing
  bool persistent_ = false;  // the program may keep its own mapping
  GLuint copy_ = 0;          // our own buffer, if the storage cannot be mapped

  unsigned registrations_ = 0;
  unsigned mappings_ = 0;
  bool programs_ = false;  // the program has mapped it itself
  Ref<memory::Allocation> allocation_;
};

}  // namespace cuvette::interop::gl
