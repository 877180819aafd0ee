// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <optional>
#include <type_traits>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/texture/array_handles.hpp"
#include "sim/base/config.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/kernel/kernel_textures.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/stream/array.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/texture/texture.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::ArrayFormat;
using device::TextureResource;
using device::TextureSampling;
using device::TextureView;
using Kind = TextureResource::Kind;

namespace {

// Finds an array for a texture or surface. Measured: the array must belong to the same context.
Result<Ref<device::Array>> find_own(CUarray handle, const device::Context& context) {
  if (!handle) return refuse(Error::invalid_value, "The array of the resource is null.");
  Ref<device::Array> array = TRY(find_usable(handle));
  if (array->storage().memory()->owner != context.generation())
    return refuse(Error::peer_access_not_enabled, "The array belongs to another context.");
  return array;
}

// "must be set to a valid device pointer": the driver looks only when a kernel reads.
Result<> check_pointer(CUdeviceptr address) {
  if (address == 0 || follows_driver()) return {};
  if (!device::Machine::get().memory().find(address))
    return refuse(Error::invalid_value, "0x%llx is not inside memory that a device can reach.",
                  address);
  return {};
}

Result<TextureResource> resource_of(const CUDA_RESOURCE_DESC& d, const device::Context& context) {
  // "flags must be set to zero."
  if (d.flags != 0)
    return refuse(Error::invalid_value, "The flags 0x%x of the resource must be 0.", d.flags);
  TextureResource resource;
  switch (d.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      resource.kind = Kind::array;
      resource.array = TRY(find_own(d.res.array.hArray, context));
      return resource;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      if (!d.res.mipmap.hMipmappedArray)
        return refuse(Error::invalid_value, "The mip-mapped array of the resource is null.");
      resource.kind = Kind::levels;
      resource.levels = TRY(find_usable(d.res.mipmap.hMipmappedArray));
      return resource;
    case CU_RESOURCE_TYPE_LINEAR:
      resource.kind = Kind::linear;
      resource.address = d.res.linear.devPtr;
      resource.format = static_cast<ArrayFormat>(d.res.linear.format);
      resource.channels = d.res.linear.numChannels;
      resource.bytes = d.res.linear.sizeInBytes;
      break;
    case CU_RESOURCE_TYPE_PITCH2D:
      resource.kind = Kind::rows;
      resource.address = d.res.pitch2D.devPtr;
      resource.format = static_cast<ArrayFormat>(d.res.pitch2D.format);
      resource.channels = d.res.pitch2D.numChannels;
      resource.width = d.res.pitch2D.width;
      resource.height = d.res.pitch2D.height;
      resource.pitch = d.res.pitch2D.pitchInBytes;
      break;
    default:
      return refuse(Error::invalid_value, "%d is not a resource type.",
                    static_cast<int>(d.resType));
  }
  TRY(check_pointer(resource.address));
  resource.origin = device::aligned_from(resource.address);
  return resource;
}

// The handle is null for an array that is gone.
CUDA_RESOURCE_DESC description_of(const TextureResource& r) {
  CUDA_RESOURCE_DESC d{};
  switch (r.kind) {
    case Kind::array:
      d.resType = CU_RESOURCE_TYPE_ARRAY;
      d.res.array.hArray = handle_of(*r.array);
      break;
    case Kind::levels:
      d.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
      d.res.mipmap.hMipmappedArray = handle_of(*r.levels);
      break;
    case Kind::linear:
      d.resType = CU_RESOURCE_TYPE_LINEAR;
      d.res.linear = {r.address, static_cast<CUarray_format>(r.format), r.channels, r.bytes};
      break;
    case Kind::rows:
      d.resType = CU_RESOURCE_TYPE_PITCH2D;
      d.res.pitch2D = {
          r.address, static_cast<CUarray_format>(r.format), r.channels, r.width, r.height, r.pitch};
      break;
  }
  return d;
}

template <typename Description>
Result<> check_reserved(const Description& description) {
  if (std::any_of(std::begin(description.reserved), std::end(description.reserved),
                  [](auto value) { return value != 0; }))
    return refuse(Error::invalid_value, "The reserved fields of the description must be zero.");
  return {};
}

Result<TextureSampling> sampling_of(const CUDA_TEXTURE_DESC& d) {
  TRY(check_reserved(d));
  TextureSampling sampling;
  for (size_t along = 0; along < sampling.address.size(); ++along)
    sampling.address[along] = static_cast<device::AddressMode>(d.addressMode[along]);
  sampling.filter = static_cast<device::FilterMode>(d.filterMode);
  sampling.flags = d.flags;
  sampling.max_anisotropy = d.maxAnisotropy;
  sampling.level_filter = static_cast<device::FilterMode>(d.mipmapFilterMode);
  sampling.level_bias = d.mipmapLevelBias;
  sampling.least_level = d.minMipmapLevelClamp;
  sampling.most_level = d.maxMipmapLevelClamp;
  std::copy(std::begin(d.borderColor), std::end(d.borderColor), sampling.border.begin());
  return sampling;
}

CUDA_TEXTURE_DESC description_of(const TextureSampling& sampling) {
  CUDA_TEXTURE_DESC d{};
  for (size_t along = 0; along < sampling.address.size(); ++along)
    d.addressMode[along] = static_cast<CUaddress_mode>(sampling.address[along]);
  d.filterMode = static_cast<CUfilter_mode>(sampling.filter);
  d.flags = sampling.flags;
  d.maxAnisotropy = sampling.max_anisotropy;
  d.mipmapFilterMode = static_cast<CUfilter_mode>(sampling.level_filter);
  d.mipmapLevelBias = sampling.level_bias;
  d.minMipmapLevelClamp = sampling.least_level;
  d.maxMipmapLevelClamp = sampling.most_level;
  std::copy(sampling.border.begin(), sampling.border.end(), std::begin(d.borderColor));
  return d;
}

Result<std::optional<TextureView>> view_of(const CUDA_RESOURCE_VIEW_DESC* d) {
  if (!d) return std::optional<TextureView>{};
  TRY(check_reserved(*d));
  return std::optional(TextureView{static_cast<device::ViewFormat>(d->format), d->width, d->height,
                                   d->depth, d->firstMipmapLevel, d->lastMipmapLevel, d->firstLayer,
                                   d->lastLayer});
}

// Finds objects for kernels, which read through handles.
constexpr device::TextureFinder finder{
    [](uint64_t handle) { return find_live<device::Texture>(handle); },
    [](uint64_t handle) { return find_live<device::Surface>(handle); }};

// Measured: destroying null does nothing, and neither does destroying a dead object or another
// context's. But that is a mistake, about which only CUVETTE_CONTRACT=driver is silent.
template <typename Object>
Result<> destroy(HandleOf<Object> handle, const Result<Ref<Object>>& found,
                 device::Context& context) {
  TRY(device::Capture::refuse_unsafe_call());  // measured
  if (handle == 0) return {};
  if (!found.ok()) return follows_driver() ? Result<>() : found.error();
  // Kernels that name it find it among the ended objects.
  device::EndedObjects::Object ended;
  ended.under_way = context.under_way();
  if constexpr (std::is_same_v<Object, device::Texture>)
    ended.texture = found.value();
  else
    ended.surface = found.value();
  context.ended_objects().keep(handle, std::move(ended));
  if (!forget_handle<Object>(handle)) return Error::invalid_value;  // another thread was quicker
  return {};
}

}  // namespace

extern "C" {

CUresult cuTexObjectCreate(CUtexObject* pTexObject, const CUDA_RESOURCE_DESC* pResDesc,
                           const CUDA_TEXTURE_DESC* pTexDesc,
                           const CUDA_RESOURCE_VIEW_DESC* pResViewDesc) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    TRY(device::Capture::refuse_unsafe_call());
    if (!pTexObject || !pResDesc || !pTexDesc) return Error::invalid_value;
    auto texture = TRY(device::Texture::create(
        TRY(resource_of(*pResDesc, context)), TRY(sampling_of(*pTexDesc)),
        TRY(view_of(pResViewDesc)), device::texture_limits(context.device().profile()),
        context.generation()));
    device::set_texture_finder(finder);
    *pTexObject = TRY(give_handle(*texture));
    return {};
  });
}

CUresult cuTexObjectDestroy(CUtexObject texObject) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    return destroy<device::Texture>(texObject, find_texture(texObject, context), context);
  });
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* pResDesc, CUtexObject texObject) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!pResDesc) return Error::invalid_value;
    *pResDesc = description_of(TRY(find_texture(texObject, context))->resource());
    return {};
  });
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* pTexDesc, CUtexObject texObject) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!pTexDesc) return Error::invalid_value;
    *pTexDesc = description_of(TRY(find_texture(texObject, context))->sampling());
    return {};
  });
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* pResViewDesc,
                                        CUtexObject texObject) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!pResViewDesc) return Error::invalid_value;
    const auto texture = TRY(find_texture(texObject, context));
    // "If no resource view was set for texObject, the CUDA_ERROR_INVALID_VALUE is returned."
    if (!texture->view()) return refuse(Error::invalid_value, "The texture has no view.");
    const TextureView& view = *texture->view();
    *pResViewDesc = {};
    pResViewDesc->format = static_cast<CUresourceViewFormat>(view.format);
    pResViewDesc->width = view.width;
    pResViewDesc->height = view.height;
    pResViewDesc->depth = view.depth;
    pResViewDesc->firstMipmapLevel = view.first_level;
    pResViewDesc->lastMipmapLevel = view.last_level;
    pResViewDesc->firstLayer = view.first_layer;
    pResViewDesc->lastLayer = view.last_layer;
    return {};
  });
}

CUresult cuSurfObjectCreate(CUsurfObject* pSurfObject, const CUDA_RESOURCE_DESC* pResDesc) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    TRY(device::Capture::refuse_unsafe_call());
    if (!pSurfObject || !pResDesc) return Error::invalid_value;
    // "CUDA_RESOURCE_DESC::resType must be CU_RESOURCE_TYPE_ARRAY": CUDA_ARRAY3D_SURFACE_LDST is
    // not mentioned, and not required (measured).
    if (pResDesc->resType != CU_RESOURCE_TYPE_ARRAY)
      return refuse(Error::invalid_value,
                    "Surfaces need resource type CU_RESOURCE_TYPE_ARRAY, not %d.",
                    static_cast<int>(pResDesc->resType));
    auto surface = TRY(
        device::Surface::create(TRY(resource_of(*pResDesc, context)).array, context.generation()));
    device::set_texture_finder(finder);
    *pSurfObject = TRY(give_handle(*surface));
    return {};
  });
}

CUresult cuSurfObjectDestroy(CUsurfObject surfObject) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    return destroy<device::Surface>(surfObject, find_surface(surfObject, context), context);
  });
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* pResDesc, CUsurfObject surfObject) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!pResDesc) return Error::invalid_value;
    TextureResource resource;
    resource.array = TRY(find_surface(surfObject, context))->array();
    *pResDesc = description_of(resource);
    return {};
  });
}

}  // extern "C"
