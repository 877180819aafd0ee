// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/gl_buffer.hpp"

#include <map>
#include <utility>

#include "sim/device/machine.hpp"
#include "sim/device/misuse.hpp"
#include "sim/interop/gl_buffer_calls.hpp"

namespace cuvette::interop::gl {
namespace {

using device::MisuseKind;
using device::notify_misuse;

memory::AddressSpace& address_space() { return device::Machine::get().memory(); }

// The registered buffers, by group and name.
auto& registered() {
  static auto* const buffers = new std::map<std::pair<const ShareGroup*, GLuint>, Buffer*>;
  return *buffers;
}

}  // namespace

Buffer::Buffer(const Ref<ShareGroup>& group, GLuint name, const void* call_site)
    : group_(group), name_(name) {
  registered_at = call_site;
}

std::string Buffer::describe() const {
  return "OpenGL buffer " + std::to_string(name_) + " (" + std::to_string(size_) + " bytes)";
}

Result<Ref<Buffer>> Buffer::of(const Ref<ShareGroup>& group, GLuint name, const void* call_site) {
  if (group->gl().IsBuffer(name) != GL_TRUE)
    return refuse(Error::invalid_handle, "OpenGL has no buffer %u in the current context.", name);
  if (const auto found = registered().find({group.get(), name});
      found != registered().end() && found->second->stored_as_registered())
    return Ref<Buffer>(found->second);
  auto buffer = make_ref<Buffer>(group, name, call_site);
  TRY(buffer->look());
  return buffer;
}

void Buffer::add_registration() {
  if (registrations_++ == 0) registered()[{group_.get(), name_}] = this;
}

void Buffer::remove_registration() {
  if (--registrations_ > 0) return;
  const auto found = registered().find({group_.get(), name_});
  // Storage that came later under this name has taken the place.
  if (found != registered().end() && found->second == this) registered().erase(found);
  if (copy_) group_->gl().DeleteBuffers(1, &copy_);
}

Result<> Buffer::look() {
  const BufferCalls calls(*group_);
  size_ = static_cast<size_t>(calls.parameter(name_, GL_BUFFER_SIZE));
  if (size_ == 0)
    return refuse(Error::out_of_memory, "OpenGL buffer %u has no storage: call glBufferData first.",
                  name_);
  constexpr GLint64 both = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT;
  immutable_ = group_->capabilities().buffer_storage &&
               calls.parameter(name_, GL_BUFFER_IMMUTABLE_STORAGE) != 0;
  if (immutable_ && (calls.parameter(name_, GL_BUFFER_STORAGE_FLAGS) & both) != both)
    return {};                                              // the copy is made when it is mapped
  if (calls.parameter(name_, GL_BUFFER_MAPPED)) return {};  // learnt when it is mapped for devices
  address_ = reinterpret_cast<uintptr_t>(calls.map(name_, size_));
  if (!address_)
    return refuse(Error::out_of_memory, "OpenGL does not map the %zu bytes of buffer %u.", size_,
                  name_);
  calls.unmap(name_);
  return {};
}

bool Buffer::stored_as_registered() const {
  if (group_->gl().IsBuffer(name_) != GL_TRUE) return false;
  return immutable_ ||
         static_cast<size_t>(BufferCalls(*group_).parameter(name_, GL_BUFFER_SIZE)) == size_;
}

Error Buffer::changed(const memory::Asker& asker, const char* how) {
  notify_misuse(MisuseKind::graphics_storage_changed, *this,
                allocation_ ? allocation_->call_site : nullptr, asker.call_site,
                describe() + " " + how +
                    " A registration is for the storage that the buffer had then: unregister the "
                    "buffer before it gets other storage or is deleted, and register it again.");
  return refuse(Error::unknown, "%s %s", describe().c_str(), how);
}

Result<memory::DevicePtr> Buffer::open(const memory::Asker& asker) {
  if (!stored_as_registered())
    return changed(asker,
                   "has been deleted, or has got storage of another size, since it was "
                   "registered.");
  const BufferCalls calls(*group_);
  const bool can_be_mapped =
      !immutable_ || address_ != 0 || calls.parameter(name_, GL_BUFFER_MAPPED) != 0;
  programs_ = can_be_mapped && calls.parameter(name_, GL_BUFFER_MAPPED) != 0;
  if (programs_) {
    if (!(calls.parameter(name_, GL_BUFFER_ACCESS_FLAGS) & GL_MAP_PERSISTENT_BIT))
      notify_misuse(MisuseKind::graphics_used_while_mapped, *this, asker.call_site, asker.call_site,
                    describe() +
                        " is mapped by glMapBuffer while it is mapped for CUDA. Graphics "
                        "must not access a resource while CUDA has it mapped; only a "
                        "persistent mapping may stay.");
    // It begins somewhere in the storage.
    return reinterpret_cast<uintptr_t>(calls.pointer(name_)) -
           static_cast<uint64_t>(calls.parameter(name_, GL_BUFFER_MAP_OFFSET));
  }
  GLuint source = name_;
  if (!can_be_mapped) {
    if (!copy_) copy_ = calls.make(size_);
    calls.copy(name_, copy_, size_);
    source = copy_;
  }
  const auto at = reinterpret_cast<memory::DevicePtr>(calls.map(source, size_));
  if (!at)
    return refuse(Error::out_of_memory, "OpenGL does not map the %zu bytes of buffer %u.", size_,
                  name_);
  if (!copy_ && address_ != 0 && at != address_) {
    calls.unmap(name_);
    return changed(asker, "has got other storage since it was registered.");
  }
  if (!copy_) address_ = at;
  return at;
}

Result<> Buffer::close(const memory::Asker& asker) {
  const bool there = group_->gl().IsBuffer(name_) == GL_TRUE;
  const BufferCalls calls(*group_);
  if (copy_) {
    calls.unmap(copy_);
    if (there) calls.copy(copy_, name_, size_);
  }
  if (!there) return changed(asker, "has been deleted while CUDA had it mapped.");
  if (copy_) return {};
  const bool mapped = calls.parameter(name_, GL_BUFFER_MAPPED) != 0;
  if (programs_) return {};
  if (!mapped) {
    if (!stored_as_registered())
      return changed(asker, "has got other storage while CUDA had it mapped.");
    notify_misuse(MisuseKind::graphics_used_while_mapped, *this, allocation_->call_site,
                  asker.call_site,
                  describe() +
                      " has been unmapped by glUnmapBuffer while CUDA had it mapped. "
                      "Graphics must not access a resource while CUDA has it mapped.");
    return {};
  }
  calls.unmap(name_);
  return {};
}

Result<> Buffer::map(const memory::Asker& asker, bool read_only_, bool discard) {
  if (mappings_ > 0) {
    if (!read_only_) read_only.store(false, std::memory_order_relaxed);
    ++mappings_;
    return {};
  }
  const memory::DevicePtr at = TRY(open(asker));
  auto allocation = address_space().borrow(at, size_, Ref<memory::Lender>(this), asker);
  if (!allocation.ok()) {
    if (!programs_) BufferCalls(*group_).unmap(copy_ ? copy_ : name_);
    return allocation.error();
  }
  allocation_ = std::move(allocation).value();
  read_only.store(read_only_, std::memory_order_relaxed);
  mappings_ = 1;
  if (!discard) return {};
  return address_space().make_fresh(*allocation_, memory::Region::linear(at, size_));
}

Result<> Buffer::unmap(const memory::Asker& asker) {
  if (--mappings_ > 0) return {};
  device::Machine::get().wait_for_users(*allocation_);
  const Result<> ended = address_space().free(allocation_);
  const Result<> closed = close(asker);
  allocation_ = nullptr;
  TRY(ended);
  return closed;
}

}  // namespace cuvette::interop::gl
