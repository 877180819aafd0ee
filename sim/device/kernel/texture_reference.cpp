// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel/texture_reference.hpp"

#include "sim/device/machine/device.hpp"
#include "sim/device/stream/array.hpp"
#include "sim/device/stream/context.hpp"

namespace cuvette::device {

Result<Ref<Texture>> TextureReference::bound(const Context& context) {
  MutexLock lock(mutex_);
  if (texture_ || !state_.resource) return texture_;
  TextureResource resource = *state_.resource;
  using Kind = TextureResource::Kind;
  std::optional<TextureView> view;
  if (resource.kind == Kind::linear || resource.kind == Kind::rows) {
    if (resource.address == 0) return texture_;
    resource.format = state_.format;
    resource.channels = state_.channels;
  } else {
    const bool array = resource.kind == Kind::array;
    const ArrayDescriptor& d = array ? resource.array->descriptor() : resource.levels->descriptor();
    // The program has set another format since.
    if (d.format != state_.format || d.channels != state_.channels) {
      view.emplace();
      view->format = view_format_of(state_.format, state_.channels);
      view->width = d.width, view->height = d.height, view->depth = d.depth;
      if (!array) view->last_level = resource.levels->levels() - 1;
      if (d.has(array_flag::layered)) view->last_layer = static_cast<unsigned>(d.depth) - 1;
    }
  }
  texture_ = TRY(Texture::create(std::move(resource), state_.sampling, view,
                                 texture_limits(context.device().profile()), context.generation()));
  return texture_;
}

Result<Ref<Surface>> SurfaceReference::bound(const Context& context) const {
  const Ref<Array> bound = array();
  if (!bound) return Ref<Surface>();
  return Surface::create(bound, context.generation());
}

}  // namespace cuvette::device
