// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel/texture_reference.hpp"
#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/texture/array_handles.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/stream/array.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::ArrayFormat;
using device::TextureReference;
using device::TextureResource;
using Kind = TextureResource::Kind;
using State = TextureReference::State;

namespace {

// Runs `body` with a reference: all of these functions need a context and a live reference.
template <typename Body>
CUresult with(CUtexref reference, const Body& body) {
  return call_in_context<CUresult>(
      [&](device::Context& context) -> Result<> { return body(*TRY(find(reference)), context); });
}

template <typename T, typename Read>
CUresult get(T* answer, CUtexref reference, const Read& read) {
  return with(reference, [&](TextureReference& found, device::Context&) -> Result<> {
    if (!answer) return Error::invalid_value;
    *answer = read(found.state());
    return {};
  });
}

template <typename Change>
CUresult change(CUtexref reference, const Change& change) {
  return with(reference, [&](TextureReference& found, device::Context&) -> Result<> {
    found.change(change);
    return {};
  });
}

// Returns what is bound. Errors: invalid_value if something else is bound, or nothing.
Result<TextureResource> bound(const TextureReference& reference, Kind kind) {
  const State state = reference.state();
  if (!state.resource || state.resource->kind != kind)
    return refuse(Error::invalid_value, "Nothing of this kind is bound to the reference.");
  return *state.resource;
}

void bind(TextureReference& reference, TextureResource resource,
          const device::ArrayDescriptor& element) {
  reference.change([&](State& state) {
    state.resource = std::move(resource);
    state.format = element.format;
    state.channels = element.channels;
  });
}

// "Flags must be set to CU_TRSA_OVERRIDE_FORMAT"; the driver accepts 0, too.
Result<> check_reference_flags(unsigned flags) {
  if (flags & ~static_cast<unsigned>(CU_TRSA_OVERRIDE_FORMAT))
    return refuse(Error::invalid_value, "Flags 0x%x have bits beyond CU_TRSA_OVERRIDE_FORMAT.",
                  flags);
  return {};
}

constexpr unsigned known_flags = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                                 CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;

bool is_axis(int dim) { return dim >= 0 && dim < 3; }

}  // namespace

extern "C" {

CUresult cuTexRefCreate(CUtexref* pTexRef) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    if (!pTexRef) return Error::invalid_value;
    const auto reference = make_ref<TextureReference>();
    *pTexRef = TRY(give_handle(*reference));
    return {};
  });
}

CUresult cuTexRefDestroy(CUtexref hTexRef) {
  return with(hTexRef, [&](TextureReference& reference, device::Context&) -> Result<> {
    forget_handle_of(reference);
    return {};
  });
}

// --- What is bound ---

CUresult cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags) {
  return with(hTexRef, [&](TextureReference& reference, device::Context&) -> Result<> {
    TextureResource resource;
    resource.kind = Kind::array;
    resource.array = TRY(find_usable(hArray));
    TRY(check_reference_flags(Flags));
    const device::ArrayDescriptor element = resource.array->descriptor();
    bind(reference, std::move(resource), element);
    return {};
  });
}

CUresult cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray,
                                   unsigned int Flags) {
  return with(hTexRef, [&](TextureReference& reference, device::Context&) -> Result<> {
    TextureResource resource;
    resource.kind = Kind::levels;
    resource.levels = TRY(find_usable(hMipmappedArray));
    TRY(check_reference_flags(Flags));
    const device::ArrayDescriptor element = resource.levels->descriptor();
    bind(reference, std::move(resource), element);
    return {};
  });
}

CUresult cuTexRefSetAddress_v2(size_t* ByteOffset, CUtexref hTexRef, CUdeviceptr dptr,
                               size_t bytes) {
  return with(hTexRef, [&](TextureReference& reference, device::Context& context) -> Result<> {
    const size_t alignment = device::texture_limits(context.device().profile()).alignment;
    const memory::DevicePtr origin = device::aligned_from(dptr);
    const size_t offset = (dptr - origin) % alignment;
    // "If the device memory pointer was returned from cuMemAlloc(), the offset is guaranteed to be
    // 0 and NULL may be passed as the ByteOffset parameter."
    if (offset != 0 && !ByteOffset)
      return refuse(Error::invalid_value,
                    "0x%llx is not a multiple of %zu, and ByteOffset is null.", dptr, alignment);
    const State state = reference.state();
    const size_t most = TRY(device::most_linear_elements(state.format, state.channels));
    const size_t element = device::facts(state.format)->element_bytes(state.channels);
    if (bytes / element > most)
      return refuse(Error::invalid_value, "%zu elements are more than a texture can have (%zu).",
                    bytes / element, most);
    if (ByteOffset) *ByteOffset = offset;
    reference.change([&](State& changed) {
      TextureResource resource;
      resource.kind = Kind::linear;
      resource.address = dptr - offset;
      resource.origin = origin;
      resource.bytes = bytes == 0 ? 0 : bytes + offset;
      changed.resource = std::move(resource);
    });
    return {};
  });
}

CUresult cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR* desc,
                                 CUdeviceptr dptr, size_t Pitch) {
  return with(hTexRef, [&](TextureReference& reference, device::Context& context) -> Result<> {
    if (!desc) return Error::invalid_value;
    TextureResource resource;
    resource.kind = Kind::rows;
    resource.address = dptr;
    resource.origin = device::aligned_from(dptr);
    resource.format = static_cast<ArrayFormat>(desc->Format);
    resource.channels = desc->NumChannels;
    resource.width = desc->Width;
    resource.height = desc->Height;
    resource.pitch = Pitch;
    const device::ArrayDescriptor element{0, 0, 0, resource.format, resource.channels, 0};
    // A null pointer binds nothing (measured).
    if (dptr != 0)
      TRY(device::Texture::create(resource, reference.state().sampling, {},
                                  device::texture_limits(context.device().profile()),
                                  context.generation()));
    bind(reference, std::move(resource), element);
    return {};
  });
}

CUresult cuTexRefGetArray(CUarray* phArray, CUtexref hTexRef) {
  return with(hTexRef, [&](TextureReference& reference, device::Context&) -> Result<> {
    if (!phArray) return Error::invalid_value;
    const CUarray handle = handle_of(*TRY(bound(reference, Kind::array)).array);
    if (!handle) return refuse(Error::invalid_value, "The array was destroyed.");
    *phArray = handle;
    return {};
  });
}

CUresult cuTexRefGetMipmappedArray(CUmipmappedArray* phMipmappedArray, CUtexref hTexRef) {
  return with(hTexRef, [&](TextureReference& reference, device::Context&) -> Result<> {
    if (!phMipmappedArray) return Error::invalid_value;
    const CUmipmappedArray handle = handle_of(*TRY(bound(reference, Kind::levels)).levels);
    if (!handle) return refuse(Error::invalid_value, "The array was destroyed.");
    *phMipmappedArray = handle;
    return {};
  });
}

CUresult cuTexRefGetAddress_v2(CUdeviceptr* pdptr, CUtexref hTexRef) {
  return with(hTexRef, [&](TextureReference& reference, device::Context&) -> Result<> {
    if (!pdptr) return Error::invalid_value;
    const State state = reference.state();
    if (!state.resource ||
        (state.resource->kind != Kind::linear && state.resource->kind != Kind::rows))
      return refuse(Error::invalid_value, "No memory is bound to the reference.");
    *pdptr = state.resource->address;
    return {};
  });
}

// --- How it is read ---

CUresult cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents) {
  return with(hTexRef, [&](TextureReference& reference, device::Context&) -> Result<> {
    if (NumPackedComponents != 1 && NumPackedComponents != 2 && NumPackedComponents != 4)
      return refuse(Error::invalid_value, "An element can have 1, 2 or 4 channels, not %d.",
                    NumPackedComponents);
    reference.change([&](State& state) {
      state.format = static_cast<ArrayFormat>(fmt);
      state.channels = static_cast<unsigned>(NumPackedComponents);
    });
    return {};
  });
}

CUresult cuTexRefGetFormat(CUarray_format* pFormat, int* pNumChannels, CUtexref hTexRef) {
  return with(hTexRef, [&](TextureReference& reference, device::Context&) -> Result<> {
    const State state = reference.state();
    if (pFormat) *pFormat = static_cast<CUarray_format>(state.format);
    if (pNumChannels) *pNumChannels = static_cast<int>(state.channels);
    return {};
  });
}

CUresult cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am) {
  return with(hTexRef, [&](TextureReference& reference, device::Context&) -> Result<> {
    if (!is_axis(dim)) return refuse(Error::invalid_value, "%d is not a dimension.", dim);
    // Other modes are accepted, and clamp (measured).
    const bool known = am >= CU_TR_ADDRESS_MODE_WRAP && am <= CU_TR_ADDRESS_MODE_BORDER;
    reference.change([&](State& state) {
      state.sampling.address[static_cast<size_t>(dim)] =
          known ? static_cast<device::AddressMode>(am) : device::AddressMode::clamp;
    });
    return {};
  });
}

CUresult cuTexRefGetAddressMode(CUaddress_mode* pam, CUtexref hTexRef, int dim) {
  return with(hTexRef, [&](TextureReference& reference, device::Context&) -> Result<> {
    if (!pam) return Error::invalid_value;
    if (!is_axis(dim)) return refuse(Error::invalid_value, "%d is not a dimension.", dim);
    *pam =
        static_cast<CUaddress_mode>(reference.state().sampling.address[static_cast<size_t>(dim)]);
    return {};
  });
}

CUresult cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
  return change(hTexRef, [&](State& state) {
    // Other modes are accepted (measured).
    state.sampling.filter =
        fm == CU_TR_FILTER_MODE_LINEAR ? device::FilterMode::linear : device::FilterMode::point;
  });
}

CUresult cuTexRefGetFilterMode(CUfilter_mode* pfm, CUtexref hTexRef) {
  return get(pfm, hTexRef,
             [](const State& state) { return static_cast<CUfilter_mode>(state.sampling.filter); });
}

CUresult cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags) {
  return with(hTexRef, [&](TextureReference& reference, device::Context&) -> Result<> {
    if (Flags & ~known_flags)
      return refuse(Error::invalid_value, "Flags 0x%x have bits that are not allowed here.", Flags);
    reference.change([&](State& state) { state.sampling.flags = Flags; });
    return {};
  });
}

CUresult cuTexRefGetFlags(unsigned int* pFlags, CUtexref hTexRef) {
  return get(pFlags, hTexRef, [](const State& state) { return state.sampling.flags; });
}

CUresult cuTexRefSetMaxAnisotropy(CUtexref hTexRef, unsigned int maxAniso) {
  return change(hTexRef, [&](State& state) { state.sampling.max_anisotropy = maxAniso; });
}

CUresult cuTexRefGetMaxAnisotropy(int* pmaxAniso, CUtexref hTexRef) {
  return get(pmaxAniso, hTexRef,
             [](const State& state) { return static_cast<int>(state.sampling.max_anisotropy); });
}

CUresult cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
  return with(hTexRef, [&](TextureReference& reference, device::Context&) -> Result<> {
    if (fm != CU_TR_FILTER_MODE_POINT && fm != CU_TR_FILTER_MODE_LINEAR)
      return refuse(Error::invalid_value, "%d is not a filter mode.", static_cast<int>(fm));
    reference.change(
        [&](State& state) { state.sampling.level_filter = static_cast<device::FilterMode>(fm); });
    return {};
  });
}

CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode* pfm, CUtexref hTexRef) {
  return get(pfm, hTexRef, [](const State& state) {
    return static_cast<CUfilter_mode>(state.sampling.level_filter);
  });
}

CUresult cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias) {
  return change(hTexRef, [&](State& state) { state.sampling.level_bias = bias; });
}

CUresult cuTexRefGetMipmapLevelBias(float* pbias, CUtexref hTexRef) {
  return get(pbias, hTexRef, [](const State& state) { return state.sampling.level_bias; });
}

CUresult cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp,
                                     float maxMipmapLevelClamp) {
  return change(hTexRef, [&](State& state) {
    state.sampling.least_level = minMipmapLevelClamp;
    state.sampling.most_level = maxMipmapLevelClamp;
  });
}

CUresult cuTexRefGetMipmapLevelClamp(float* pminMipmapLevelClamp, float* pmaxMipmapLevelClamp,
                                     CUtexref hTexRef) {
  return with(hTexRef, [&](TextureReference& reference, device::Context&) -> Result<> {
    if (!pminMipmapLevelClamp || !pmaxMipmapLevelClamp) return Error::invalid_value;
    const State state = reference.state();
    *pminMipmapLevelClamp = state.sampling.least_level;
    *pmaxMipmapLevelClamp = state.sampling.most_level;
    return {};
  });
}

CUresult cuTexRefSetBorderColor(CUtexref hTexRef, float* pBorderColor) {
  return with(hTexRef, [&](TextureReference& reference, device::Context&) -> Result<> {
    if (!pBorderColor) return Error::invalid_value;
    reference.change([&](State& state) {
      std::copy(pBorderColor, pBorderColor + 4, state.sampling.border.begin());
    });
    return {};
  });
}

CUresult cuTexRefGetBorderColor(float* pBorderColor, CUtexref hTexRef) {
  return with(hTexRef, [&](TextureReference& reference, device::Context&) -> Result<> {
    if (!pBorderColor) return Error::invalid_value;
    const State state = reference.state();
    std::copy(state.sampling.border.begin(), state.sampling.border.end(), pBorderColor);
    return {};
  });
}

// --- Surfaces ---

CUresult cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    const auto reference = TRY(find(hSurfRef));
    Ref<device::Array> array = TRY(find_usable(hArray));
    // "Flags must be set to 0."
    if (Flags != 0) return refuse(Error::invalid_value, "Flags 0x%x must be 0.", Flags);
    if (!array->descriptor().has(device::array_flag::surface_ldst))
      return refuse(Error::invalid_value,
                    "The array was created without CUDA_ARRAY3D_SURFACE_LDST.");
    reference->set(std::move(array));
    return {};
  });
}

CUresult cuSurfRefGetArray(CUarray* phArray, CUsurfref hSurfRef) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    const auto reference = TRY(find(hSurfRef));
    if (!phArray) return Error::invalid_value;
    const Ref<device::Array> array = reference->array();
    const CUarray handle = array ? handle_of(*array) : nullptr;
    if (!handle) return refuse(Error::invalid_value, "No array is bound to the reference.");
    *phArray = handle;
    return {};
  });
}

}  // extern "C"
