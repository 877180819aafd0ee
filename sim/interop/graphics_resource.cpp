// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/graphics_resource.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/config.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/misuse.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/interop/gl/gl_share_group.hpp"
#include "sim/interop/gl/watch/gl_watch_library.hpp"

namespace cuvette::interop {

constinit Mutex graphics_mutex;

namespace {

constinit uint64_t calls GUARDED_BY(graphics_mutex) = 0;  // how many lists were looked at

Error twice(const GraphicsResource& resource) {
  return refuse(Error::invalid_handle, "%s is listed twice.", resource.lender().describe().c_str());
}

Error not_mapped(const GraphicsResource& resource) {
  return refuse(Error::not_mapped, "%s is not mapped.", resource.lender().describe().c_str());
}

// What the cost of the call depends on.
void note_call(size_t resources) {
  record::note_count(resources);
  record::note(record_format::CallClass::opengl);
}

}  // namespace

GraphicsResource::GraphicsResource(Ref<gl::ShareGroup> group, MapFlags flags, uint64_t owner)
    : group_(std::move(group)), owner_(owner), flags_(flags) {}

GraphicsResource::~GraphicsResource() = default;

std::vector<GraphicsResource*>& GraphicsResource::living() {
  static auto* const resources = new std::vector<GraphicsResource*>;
  return *resources;
}

Result<> check_gl_context() { return gl::ShareGroup::check_current(); }

// --- Registration ---

Result<Ref<GraphicsResource>> GraphicsResource::enrol(const Make& make) {
  GraphicsLock lock;
  const Ref<gl::ShareGroup> group = TRY(gl::ShareGroup::of_current());
  group->add_object();
  gl::listen_to_ends({withdraw, withdraw});
  auto made = make(group);
  if (made.ok()) {
    GraphicsResource& resource = *made.value();
    living().push_back(&resource);
    const memory::Lender& lender = resource.lender();
    resource.recorded_.begin(record_format::ResourceKind::graphics, lender.describe(),
                             lender.registered_at);
    if (const auto object = resource.object())
      resource.watched_ = gl::Watched::begin(group, *object, resource.lender());
  } else {
    group->remove_object();
  }
  return made;
}

Result<> GraphicsResource::unregister() {
  {
    GraphicsLock lock;
    // Measured: this is checked before the OpenGL context is.
    if (mapped_)
      return refuse(Error::already_mapped, "%s is mapped: unmap it before it is unregistered.",
                    lender().describe().c_str());
    TRY(group_->enter());
  }
  // Measured: in any stream, the work ends first.
  if (const auto context = device::Context::of_generation(owner_)) context->wait_for_submitted();
  GraphicsLock lock;
  if (!registered_) return Error::invalid_handle;  // another thread was quicker
  if (mapped_) return Error::already_mapped;
  const auto entered = TRY(group_->enter());
  if (is_late()) {
    gl::Entrance entrance;
    end_late({owner_, 0, nullptr}, entrance);
  }
  end();
  group_->remove_object();
  return {};
}

void GraphicsResource::notify(LoanNews news, const device::Stream& stream,
                              const memory::Requester& requester) const {
  if (const memory::Allocation* const used = last_use())
    device::observers().notify(news, stream, *used, requester.call_site);
}

void GraphicsResource::set_mapped(bool mapped) {
  mapped_ = mapped;
  if (mapped)
    recorded_.map();
  else
    recorded_.unmap();
  if (watched_) watched_->set_mapped(mapped);
}

void GraphicsResource::end() {
  if (!others_are_registered()) forget_late();
  retire();
  registered_ = false;
  recorded_.end();
  watched_ = nullptr;
  std::erase(living(), this);
}

void GraphicsResource::abandon(uint64_t owner, const memory::Requester& requester) {
  for (const Ref<GraphicsResource>& resource : registered(owner)) {
    resource->notify_left(requester.call_site);
    GraphicsLock lock;
    if (!resource->registered_) continue;
    const auto entered = resource->group_->enter();
    // Without its OpenGL context nothing can be given back; the copy ends with the registration.
    if (entered.ok() && resource->mapped_) static_cast<void>(resource->give_back(requester));
    resource->set_mapped(false);
    if (entered.ok()) {
      resource->end();
      resource->group_->remove_object();
    } else {
      resource->hide();
      resource->drop_now();
      resource->registered_ = false;
      resource->recorded_.end();
      std::erase(living(), resource.get());
      resource->group_->forget_object();
    }
  }
}

void GraphicsResource::notify_left(const void* place) const {
  device::notify_misuse(device::misuse::LeftOver{mapped()}, lender(), place);
}

bool GraphicsResource::ended() const {
  GraphicsLock lock;
  return !registered_;
}

bool GraphicsResource::of_current_gl() const {
  GraphicsLock lock;
  return group_->is_current();
}

std::vector<Ref<GraphicsResource>> GraphicsResource::registered(uint64_t owner) {
  GraphicsLock lock;
  std::vector<Ref<GraphicsResource>> found;
  for (GraphicsResource* resource : living())
    if (owner == 0 || resource->owner_ == owner) found.emplace_back(resource);
  return found;
}

// --- What it is while it is mapped ---

bool GraphicsResource::mapped() const {
  GraphicsLock lock;
  return mapped_;
}

Result<GraphicsResource::MappedPointer> GraphicsResource::pointer() const {
  GraphicsLock lock;
  if (!mapped_ && !needs_no_mapping()) return not_mapped(*this);
  return mapped_pointer();
}

Result<Ref<device::MipmappedArray>> GraphicsResource::mipmapped_array() const {
  GraphicsLock lock;
  if (!mapped_ && !needs_no_mapping()) return not_mapped(*this);
  return mapped_arrays();
}

Result<Ref<device::Array>> GraphicsResource::array(unsigned index, unsigned level) const {
  const auto arrays = TRY(mipmapped_array());
  if (arrays->descriptor().layered()) return arrays->layer(level, index);
  if (index != 0)
    return refuse(Error::invalid_value,
                  "Array index %u of %s: it has only one array in each level.", index,
                  lender().describe().c_str());
  return arrays->level(level);
}

Result<GraphicsResource::MappedPointer> GraphicsResource::mapped_pointer() const {
  return refuse(Error::not_mapped_as_pointer,
                "%s is an image: it is mapped as an array, not as a pointer.",
                lender().describe().c_str());
}

Result<Ref<device::MipmappedArray>> GraphicsResource::mapped_arrays() const {
  return refuse(Error::not_mapped_as_array, "%s is mapped as a pointer, not as an array.",
                lender().describe().c_str());
}

Result<> GraphicsResource::set_map_flags(MapFlags flags) {
  GraphicsLock lock;
  if (mapped_)
    return refuse(Error::already_mapped, "%s is mapped: set its flags before it is mapped.",
                  lender().describe().c_str());
  flags_ = flags;
  return {};
}

// --- Mapping ---

// "If resources includes any duplicate entries then CUDA_ERROR_INVALID_HANDLE is returned. If any
// of resources are presently mapped for access by CUDA then CUDA_ERROR_ALREADY_MAPPED is returned."
Result<> GraphicsResource::check_map(Resources resources) {
  const uint64_t call = ++calls;
  for (const auto& resource : resources) {
    if (resource->seen_ == call && !follows_driver()) return twice(*resource);
    if (resource->dropped_) return resource->group_->ended_error();
    if (resource->mapped_ || resource->seen_ == call)
      return refuse(Error::already_mapped, "%s is already mapped.",
                    resource->lender().describe().c_str());
    if (!resource->registered_) return Error::invalid_handle;
    resource->seen_ = call;
  }
  return {};
}

// "If any of resources are not presently mapped for access by CUDA then CUDA_ERROR_NOT_MAPPED is
// returned."
Result<> GraphicsResource::check_unmap(Resources resources) {
  const uint64_t call = ++calls;
  for (const auto& resource : resources) {
    if (resource->seen_ == call && !follows_driver()) return twice(*resource);
    if (resource->dropped_) return resource->group_->ended_error();
    if (!resource->mapped_) return not_mapped(*resource);
    resource->seen_ = call;
  }
  return {};
}

Result<> GraphicsResource::map(Resources resources, const device::Stream* stream,
                               const memory::Requester& requester) {
  note_call(resources.size());
  wait_for_late_uses(resources);
  GraphicsLock lock;
  TRY(check_map(resources));
  gl::Entrance entrance;
  const auto take = [&](GraphicsResource& resource) REQUIRES(graphics_mutex) -> Result<> {
    // "All graphics calls issued before" complete here.
    if (TRY(entrance.enter(*resource.group_))) {
      resource.group_->gl().Finish();
      // To ask for the context costs half as much as to map, so it is asked at the resource's first
      // mapping and then now and then.
      if (calls % 64 == 0 || !resource.lender().mapped_at.load(std::memory_order_relaxed))
        resource.group_->note_current();
    }
    if (resource.is_late()) resource.end_late(requester, entrance);
    return resource.take(requester, resource.flags_);
  };
  for (size_t taken = 0; taken < resources.size(); ++taken) {
    const Result<> result = take(*resources[taken]);
    if (result.ok()) continue;
    // All or nothing. A group that was entered a moment ago can be entered again.
    while (taken-- > 0)
      if (entrance.enter(*resources[taken]->group_).ok())
        static_cast<void>(resources[taken]->give_back(requester));
    return result;
  }
  for (const auto& resource : resources) {
    resource->set_mapped(true);
    if (stream) resource->notify(&device::Observer::lent, *stream, requester);
  }
  return {};
}

Result<> GraphicsResource::unmap(Resources resources, device::Stream& stream,
                                 const memory::Requester& requester) {
  note_call(resources.size());
  {
    GraphicsLock lock;
    TRY(check_unmap(resources));
  }
  // "All CUDA work issued in stream before cuGraphicsUnmapResources() will complete before any
  // subsequently issued graphics work begins."
  device::Context& context = stream.context();
  context.wait_for(stream, context.submit_for_helper(
                               stream, device::EdgeWait(requester.call_site,
                                                        device::OperationKind::graphics_unmap)));
  while (true) {
    Ref<const memory::Allocation> busy;
    {
      GraphicsLock lock;
      TRY(check_unmap(resources));
      busy = busy_memory(resources);
      if (!busy) {
        for (const auto& resource : resources)
          resource->notify(&device::Observer::given_back, stream, requester);
        TRY(give_back(resources, requester));
        break;
      }
    }
    device::notify_misuse(device::misuse::UnmappedInUse{}, *busy->lender, requester.call_site);
    device::Context::wait_for_users(*busy);
  }
  if (const auto error = context.tell_error()) return *error;
  return {};
}

Ref<const memory::Allocation> GraphicsResource::busy_memory(Resources resources) {
  for (const auto& resource : resources)
    if (const memory::Allocation* used = resource->last_use();
        used && used->users.load(std::memory_order_acquire) > 0)
      return Ref<const memory::Allocation>(used);
  return nullptr;
}

Result<> GraphicsResource::give_back(Resources resources, const memory::Requester& requester) {
  gl::Entrance entrance;
  Result<> result;
  for (const auto& resource : resources) {
    // If a resource is named twice, it is no longer mapped the second time, as on the driver.
    if (!resource->mapped_) return not_mapped(*resource);
    TRY(entrance.enter(*resource->group_));
    resource->set_mapped(false);
    // A resource that OpenGL has taken away counts as unmapped, too.
    if (const Result<> given = resource->give_back(requester); !given.ok()) result = given;
  }
  return result;
}

}  // namespace cuvette::interop
