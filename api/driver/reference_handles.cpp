// SPDX-License-Identifier: Apache-2.0
#include "api/driver/reference_handles.hpp"

#include "api/driver/handle_table.hpp"
#include "api/driver/kept_handles.hpp"

namespace cuvette::driver {
namespace {

constinit HandleTable<device::TextureReference> texture_reference_handles(30);
constinit HandleTable<device::SurfaceReference> surface_reference_handles(31);

}  // namespace

Result<Ref<device::TextureReference>> find(CUtexref handle) {
  return find_in(texture_reference_handles, handle, "texture reference");
}

Result<Ref<device::SurfaceReference>> find(CUsurfref handle) {
  return find_in(surface_reference_handles, handle, "surface reference");
}

Result<CUtexref> give_handle(device::TextureReference& reference) {
  return keep_handle<CUtexref>(texture_reference_handles, reference);
}

Result<CUsurfref> give_handle(device::SurfaceReference& reference) {
  return keep_handle<CUsurfref>(surface_reference_handles, reference);
}

void forget_handle_of(device::TextureReference& reference) {
  forget_handle(texture_reference_handles, reference);
}

void forget_reference_handles_of(const device::Module& module) {
  for (const auto& reference : module.texture_references())
    forget_handle(texture_reference_handles, *reference);
  for (const auto& reference : module.surface_references())
    forget_handle(surface_reference_handles, *reference);
}

}  // namespace cuvette::driver
