// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/gl/gl_buffer.hpp"

#include <map>
#include <utility>

#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/misuse.hpp"
#include "sim/interop/gl/gl_buffer_calls.hpp"

namespace cuvette::interop::gl {
namespace {

using device::address_space;
using device::notify_misuse;

// The registered buffers, by group and name.
auto& registered() {
  static auto* const buffers = new std::map<std::pair<const ShareGroup*, GLuint>, Buffer*>;
  return *buffers;
}

// OpenGL has just said that the bytes are `storage`'s. Anything else lent of them belongs to a
// buffer that OpenGL has deleted, or given other storage. Returns whether there was something.
bool lose_others(const memory::Allocation& storage) {
  bool any = false;
  for (const Ref<memory::Allocation>& one : address_space().all()) {
    if (one->kind != memory::AllocationKind::graphics || one->address >= storage.end() ||
        one->end() <= storage.address)
      continue;
    any = address_space().free(one).ok() || any;
    device::Context::wait_for_users(*one);
  }
  return any;
}

}  // namespace

Buffer::Buffer(const Ref<ShareGroup>& group, GLuint name, FindEnd find_end, const void* call_site)
    : group_(group), name_(name), find_end_(find_end) {
  registered_at = call_site;
}

std::string Buffer::describe() const {
  return "OpenGL buffer " + std::to_string(name_) + " (" + std::to_string(size_) + " bytes)";
}

Result<Ref<Buffer>> Buffer::of(const Ref<ShareGroup>& group, GLuint name, FindEnd find_end,
                               const void* call_site) {
  if (group->gl().IsBuffer(name) != GL_TRUE)
    return refuse(Error::invalid_handle, "OpenGL has no buffer %u in the current context.", name);
  if (const auto found = registered().find({group.get(), name});
      found != registered().end() && found->second->stored_as_registered() &&
      found->second->at_its_address())
    return Ref<Buffer>(found->second);
  auto buffer = make_ref<Buffer>(group, name, find_end, call_site);
  TRY(buffer->look());
  return buffer;
}

void Buffer::add_registration() {
  if (registrations_++ == 0) registered()[{group_.get(), name_}] = this;
}

void Buffer::remove_registration() {
  if (--registrations_ > 0) return;
  forget_name();
  if (copy_) group_->gl().DeleteBuffers(1, &copy_);
  forget();
}

void Buffer::forget_name() {
  const auto found = registered().find({group_.get(), name_});
  // Storage that came later under this name may have taken the place.
  if (found != registered().end() && found->second == this) registered().erase(found);
}

void Buffer::lose() {
  // It may be lost already.
  if (allocation_) static_cast<void>(address_space().free(allocation_));
}

void Buffer::hide() {
  lose();
  mappings_ = 0;
}

bool Buffer::is_lost() const {
  return mappings_ > 0 && allocation_->loan.load() != memory::Allocation::Loan::lent;
}

void Buffer::drop() {
  if (--registrations_ > 0) return;
  forget_name();
  copy_ = 0;
  forget();
}

Result<> Buffer::look() {
  const BufferCalls calls(*group_);
  size_ = size_now();
  if (size_ == 0)
    return refuse(Error::out_of_memory, "OpenGL buffer %u has no storage: call glBufferData first.",
                  name_);
  constexpr GLint64 both = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT;
  immutable_ = group_->capabilities().buffer_storage &&
               calls.parameter(name_, GL_BUFFER_IMMUTABLE_STORAGE) != 0;
  const GLint64 flags = immutable_ ? calls.parameter(name_, GL_BUFFER_STORAGE_FLAGS) : both;
  mappable_ = (flags & both) == both;
  persistent_ = (flags & GL_MAP_PERSISTENT_BIT) != 0;
  // Otherwise the address is learnt when the buffer is mapped for devices.
  if (!mappable_ || calls.parameter(name_, GL_BUFFER_MAPPED)) return {};
  address_ = reinterpret_cast<uintptr_t>(calls.map(name_, size_));
  if (!address_) {
    calls.clear_error();
    return refuse(Error::out_of_memory, "OpenGL failed to map the %zu bytes of buffer %u.", size_,
                  name_);
  }
  calls.unmap(name_);
  return {};
}

size_t Buffer::size_now() const {
  return static_cast<size_t>(BufferCalls(*group_).parameter(name_, GL_BUFFER_SIZE));
}

bool Buffer::stored_as_registered() const {
  if (group_->gl().IsBuffer(name_) != GL_TRUE) return false;
  return immutable_ || size_now() == size_;
}

// Storage that came later may have the name and the size of what was registered.
bool Buffer::at_its_address() const {
  if (is_lost()) return false;
  if (address_ == 0 || immutable_) return true;
  const BufferCalls calls(*group_);
  if (calls.parameter(name_, GL_BUFFER_MAPPED))
    return programs_ || mappings_ == 0 ||
           reinterpret_cast<uintptr_t>(calls.pointer(name_)) == address_;
  if (mappings_ > 0) return false;
  const auto at = reinterpret_cast<uintptr_t>(calls.map(name_, size_));
  if (!at) {
    calls.clear_error();
    return true;
  }
  calls.unmap(name_);
  return at == address_;
}

Error Buffer::changed(const void* call_site, const char* how) const {
  notify_misuse(device::misuse::StorageChanged{"buffer", how}, *this, call_site);
  return refuse(Error::unknown, "%s %s", describe().c_str(), how);
}

// OpenGL frees the storage of a mapped buffer that is deleted or gets other storage. Only a context
// of the group can be asked, and the thread may have none; but the group may have ended. The
// address is compared because a new group may have a fence and a buffer of the same names.
Result<> Buffer::check(const void* call_site) const {
  if (!group_->is_current()) {
    if (!find_end_(*group_, call_site)) return {};
    return refuse(Error::invalid_value, "%s was deleted with the last OpenGL context that had it.",
                  describe().c_str());
  }
  if (copy_) return {};
  if (group_->gl().IsBuffer(name_) == GL_TRUE) {
    const auto now = reinterpret_cast<uintptr_t>(BufferCalls(*group_).pointer(name_));
    if (now == address_ || (programs_ && now != 0)) return {};
  }
  return changed(
      call_site,
      "was deleted or unmapped by OpenGL, or was given other storage, while CUDA had it mapped.");
}

// A buffer that can be mapped and is as large as before needs no questions, each of which costs as
// much as the mapping. One that cannot be mapped has been misused: then questions find out how, and
// OpenGL's error is cleared, because our call raised it.
Result<memory::DevicePtr> Buffer::open(const memory::Requester& requester) {
  const BufferCalls calls(*group_);
  programs_ = false;
  if (address_ != 0 && !persistent_ && calls.direct()) {
    const auto at = reinterpret_cast<memory::DevicePtr>(calls.map(name_, size_));
    if (!at) {
      calls.clear_error();
    } else if (at == address_ && (immutable_ || size_now() == size_)) [[likely]] {
      return at;
    } else {
      calls.unmap(name_);
      return changed(requester.call_site, "was given other storage after it was registered.");
    }
  }
  if (!stored_as_registered())
    return changed(requester.call_site,
                   "was deleted, or was given storage of another size, after it was registered.");
  if (calls.parameter(name_, GL_BUFFER_MAPPED)) return open_programs(requester);
  GLuint source = name_;
  if (!mappable_) {
    if (!copy_) copy_ = calls.make(size_);
    calls.copy(name_, copy_, size_);
    source = copy_;
  }
  const auto at = reinterpret_cast<memory::DevicePtr>(calls.map(source, size_));
  if (!at) {
    calls.clear_error();
    return refuse(Error::out_of_memory, "OpenGL failed to map the %zu bytes of buffer %u.", size_,
                  name_);
  }
  if (!mappable_) return at;
  if (address_ != 0 && at != address_) {
    calls.unmap(name_);
    return changed(requester.call_site, "was given other storage after it was registered.");
  }
  address_ = at;
  return at;
}

Result<memory::DevicePtr> Buffer::open_programs(const memory::Requester& requester) {
  const BufferCalls calls(*group_);
  programs_ = true;
  if (!(calls.parameter(name_, GL_BUFFER_ACCESS_FLAGS) & GL_MAP_PERSISTENT_BIT))
    notify_misuse(device::misuse::MappedTwice{}, *this, requester.call_site);
  // The program's mapping begins somewhere in the storage.
  return reinterpret_cast<uintptr_t>(calls.pointer(name_)) -
         static_cast<uint64_t>(calls.parameter(name_, GL_BUFFER_MAP_OFFSET));
}

Result<> Buffer::close(const memory::Requester& requester) {
  const BufferCalls calls(*group_);
  if (!copy_ && !programs_ && calls.direct()) {
    if (calls.unmap(name_)) [[likely]]
      return {};
    calls.clear_error();
  }
  const bool there = group_->gl().IsBuffer(name_) == GL_TRUE;
  if (copy_) {
    calls.unmap(copy_);
    if (there) calls.copy(copy_, name_, size_);
  }
  if (!there) return changed(requester.call_site, "was deleted while CUDA had it mapped.");
  if (copy_ || programs_) return {};
  if (calls.parameter(name_, GL_BUFFER_MAPPED)) {
    calls.unmap(name_);
    return {};
  }
  if (!stored_as_registered())
    return changed(requester.call_site, "was given other storage while CUDA had it mapped.");
  notify_misuse(device::misuse::UnmappedUnderneath{}, *this, requester.call_site);
  return {};
}

Result<> Buffer::map(const memory::Requester& requester, bool read_only_, bool discard) {
  if (is_lost())
    return changed(requester.call_site,
                   "was deleted, or was given other storage, while CUDA had it mapped.");
  if (mappings_ > 0) {
    if (!read_only_) read_only.store(false, std::memory_order_relaxed);
    ++mappings_;
    return {};
  }
  mapped_at.store(requester.call_site, std::memory_order_relaxed);
  const memory::DevicePtr at = TRY(open(requester));
  if (!allocation_ || allocation_->address != at || allocation_->owner != requester.owner) {
    forget();
    allocation_ = address_space().make_lendable(at, size_, Ref<memory::Lender>(this), requester);
  }
  Result<> lent = address_space().lend(allocation_);
  if (!lent.ok() && lose_others(*allocation_)) lent = address_space().lend(allocation_);
  if (lent.ok() && discard)
    lent = address_space().make_fresh(*allocation_, memory::Region::linear(at, size_));
  if (!lent.ok()) {
    if (!programs_) BufferCalls(*group_).unmap(copy_ ? copy_ : name_);
    return lent;
  }
  read_only.store(read_only_, std::memory_order_relaxed);
  mappings_ = 1;
  return {};
}

void Buffer::forget() {
  if (!allocation_) return;
  address_space().forget(allocation_);
  allocation_ = nullptr;
}

Result<> Buffer::unmap(const memory::Requester& requester) {
  if (--mappings_ > 0) return {};
  device::Context::wait_for_users(*allocation_);
  // If its context has ended, so has the loan.
  static_cast<void>(address_space().free(allocation_));
  return close(requester);
}

}  // namespace cuvette::interop::gl
