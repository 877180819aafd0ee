// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects that are destroyed at the end of their scope.
#pragma once

#include "corpus.hpp"

class Texture {
 public:
  Texture(const cudaResourceDesc& resource, const cudaTextureDesc& description) {
    corpus::doing = "cudaCreateTextureObject";
    corpus::check(cudaCreateTextureObject(&object_, &resource, &description, nullptr));
  }
  Texture(const cudaResourceDesc& resource, cudaTextureAddressMode mode,
          cudaTextureFilterMode filter, cudaTextureReadMode read, bool normalised)
      : Texture(resource, description(mode, filter, read, normalised)) {}
  Texture(cudaArray_t array, cudaTextureAddressMode mode, cudaTextureFilterMode filter,
          cudaTextureReadMode read, bool normalised)
      : Texture(resource(array), mode, filter, read, normalised) {}
  Texture(const Texture&) = delete;
  ~Texture() { cudaDestroyTextureObject(object_); }
  operator cudaTextureObject_t() const { return object_; }

  static cudaResourceDesc resource(cudaArray_t array) {
    cudaResourceDesc result{};
    result.resType = cudaResourceTypeArray;
    result.res.array.array = array;
    return result;
  }

 private:
  static cudaTextureDesc description(cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                                     cudaTextureReadMode read, bool normalised) {
    cudaTextureDesc result{};
    for (auto& one : result.addressMode) one = mode;
    result.filterMode = filter, result.readMode = read, result.normalizedCoords = normalised;
    return result;
  }
  cudaTextureObject_t object_ = 0;
};

class Surface {
 public:
  explicit Surface(cudaArray_t array) {
    const cudaResourceDesc resource = Texture::resource(array);
    corpus::doing = "cudaCreateSurfaceObject";
    corpus::check(cudaCreateSurfaceObject(&object_, &resource));
  }
  Surface(const Surface&) = delete;
  ~Surface() { cudaDestroySurfaceObject(object_); }
  operator cudaSurfaceObject_t() const { return object_; }

 private:
  cudaSurfaceObject_t object_ = 0;
};
