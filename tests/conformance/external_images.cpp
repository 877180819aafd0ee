// SPDX-License-Identifier: Apache-2.0
// Arrays mapped over Vulkan images: which can be mapped, what they are, and that both sides see the
// same elements.
#include "external_images.hpp"

namespace {

struct Known {
  const char* name;
  ImageShape shape;
  CUarray_format format;
  unsigned channels;
};

const Known images[] = {
    {"rgba8 100 x 37", {VK_FORMAT_R8G8B8A8_UNORM, 4, 100, 37}, CU_AD_FORMAT_UNSIGNED_INT8, 4},
    {"rgba8 100 x 37, 7 levels",
     {VK_FORMAT_R8G8B8A8_UNORM, 4, 100, 37, 1, 7},
     CU_AD_FORMAT_UNSIGNED_INT8,
     4},
    {"r8 17 x 5, 3 levels", {VK_FORMAT_R8_UNORM, 1, 17, 5, 1, 3}, CU_AD_FORMAT_UNSIGNED_INT8, 1},
    {"rg16 21 x 13, 4 levels",
     {VK_FORMAT_R16G16_UINT, 4, 21, 13, 1, 4},
     CU_AD_FORMAT_UNSIGNED_INT16,
     2},
    {"r32f 33 x 17, 2 levels", {VK_FORMAT_R32_SFLOAT, 4, 33, 17, 1, 2}, CU_AD_FORMAT_FLOAT, 1},
    {"rgba32f 5 x 3", {VK_FORMAT_R32G32B32A32_SFLOAT, 16, 5, 3}, CU_AD_FORMAT_FLOAT, 4},
    {"rgba8 20 x 12, 3 layers",
     {VK_FORMAT_R8G8B8A8_UNORM, 4, 20, 12, 1, 1, 3},
     CU_AD_FORMAT_UNSIGNED_INT8,
     4},
    {"r16f 20 x 12, 3 layers, 3 levels",
     {VK_FORMAT_R16_SFLOAT, 2, 20, 12, 1, 3, 3},
     CU_AD_FORMAT_HALF,
     1},
    {"r32f 33 x 17 x 9",
     {VK_FORMAT_R32_SFLOAT, 4, 33, 17, 9, 1, 1, VK_IMAGE_TYPE_3D},
     CU_AD_FORMAT_FLOAT,
     1},
    {"rgba8 16 x 12 x 5, 3 levels",
     {VK_FORMAT_R8G8B8A8_UINT, 4, 16, 12, 5, 3, 1, VK_IMAGE_TYPE_3D},
     CU_AD_FORMAT_UNSIGNED_INT8,
     4},
    {"rgba8 cube 16, 2 levels",
     {VK_FORMAT_R8G8B8A8_UNORM, 4, 16, 16, 1, 2, 6, VK_IMAGE_TYPE_2D, true},
     CU_AD_FORMAT_UNSIGNED_INT8,
     4},
    {"r8 line 77",
     {VK_FORMAT_R8_UNORM, 1, 77, 1, 1, 1, 1, VK_IMAGE_TYPE_1D},
     CU_AD_FORMAT_UNSIGNED_INT8,
     1},
    {"rgba32f line 30, 3 levels",
     {VK_FORMAT_R32G32B32A32_SFLOAT, 16, 30, 1, 1, 3, 1, VK_IMAGE_TYPE_1D},
     CU_AD_FORMAT_FLOAT,
     4},
};

CUexternalMemory import(const SharedImage& image, unsigned flags = CUDA_EXTERNAL_MEMORY_DEDICATED) {
  return ::import(export_fd(image.memory), image.size, nullptr, flags);
}

// Copies a whole level between the array and the host.
CUresult copy(CUmipmappedArray arrays, const ImageShape& shape, unsigned level,
              std::vector<unsigned char>& bytes, bool to_host) {
  CUarray array = nullptr;
  if (const CUresult result = cuMipmappedArrayGetLevel(&array, arrays, level)) return result;
  bytes.resize(shape.bytes(level));
  CUDA_MEMCPY3D box;
  memset(&box, 0, sizeof box);
  box.WidthInBytes = shape.element * std::max(1u, shape.width >> level);
  box.Height = std::max(1u, shape.height >> level);
  box.Depth = std::max(1u, shape.depth >> level) * shape.layers;
  box.srcMemoryType = to_host ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
  box.dstMemoryType = to_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
  box.srcArray = box.dstArray = array;
  box.srcHost = box.dstHost = bytes.data();
  box.srcPitch = box.dstPitch = box.WidthInBytes;
  box.srcHeight = box.dstHeight = box.Height;
  return cuMemcpy3D(&box);
}

// One small image, and its description.
struct Small {
  ImageShape shape{VK_FORMAT_R8G8B8A8_UNORM, 4, 64, 64, 1, 3};
  SharedImage image = shared_image(shape);
  CUexternalMemory memory = import(image);
  CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC description =
      describe(shape, CU_AD_FORMAT_UNSIGNED_INT8, 4);

  CUresult map(CUmipmappedArray* arrays) const {
    return cuExternalMemoryGetMappedMipmappedArray(arrays, memory, &description);
  }
  // Maps it and gives it back; answers what mapping has returned.
  void ask(const char* question) const {
    CUmipmappedArray arrays = nullptr;
    const CUresult result = map(&arrays);
    conformance::answer(question, result);
    if (result == CUDA_SUCCESS) cuMipmappedArrayDestroy(arrays);
  }
};

}  // namespace

CASE(images_share_elements) {
  vk_scene();
  for (const Known& known : images) {
    const SharedImage image = shared_image(known.shape);
    Staging staging(image);
    staging.write(1);
    const CUexternalMemory memory = import(image);
    const auto description = describe(known.shape, known.format, known.channels);
    CUmipmappedArray arrays = nullptr;
    conformance::answer(known.name,
                        cuExternalMemoryGetMappedMipmappedArray(&arrays, memory, &description));
    if (!arrays) continue;
    unsigned wrong = 0;
    std::vector<unsigned char> bytes;
    CUresult copied = CUDA_SUCCESS;
    for (unsigned level = 0; level < known.shape.levels; ++level) {
      copied = std::max(copied, copy(arrays, known.shape, level, bytes, true));
      for (unsigned at = 0; at < bytes.size(); ++at) wrong += bytes[at] != byte_of(level, at, 1);
    }
    ASK(copied);
    ASK(wrong);
    for (unsigned level = 0; level < known.shape.levels; ++level) {
      bytes.resize(known.shape.bytes(level));
      for (unsigned at = 0; at < bytes.size(); ++at) bytes[at] = byte_of(level, at, 50);
      copied = std::max(copied, copy(arrays, known.shape, level, bytes, false));
    }
    ASK(copied);
    PREPARE(cuCtxSynchronize());
    ASK(staging.wrong(50));
    ASK(cuMipmappedArrayDestroy(arrays));
    ASK(cuDestroyExternalMemory(memory));
  }
}

CASE(images_levels) {
  vk_scene();
  Small small;
  for (const unsigned levels : {1u, 2u, 3u, 4u, 7u}) {
    small.description.numLevels = levels;
    small.ask((std::to_string(levels) + " levels").c_str());
  }
  small.description.numLevels = 2;
  CUmipmappedArray arrays = nullptr;
  ASK(small.map(&arrays));
  CUarray level = nullptr;
  ASK(cuMipmappedArrayGetLevel(&level, arrays, 1));
  ASK(cuMipmappedArrayGetLevel(&level, arrays, 2));
  ASK(cuMipmappedArrayGetLevel(nullptr, arrays, 0));
}

CASE(images_a_level_too_many) {
  vk_scene();
  Small small;
  small.description.numLevels = 8;
  small.ask("8 levels");
}
CASE(images_many_levels) {
  vk_scene();
  Small small;
  small.description.numLevels = 16;
  small.ask("16 levels");
}

CASE(images_shapes) {
  vk_scene();
  const Small small;
  const auto ask = [&](const char* question, size_t width, size_t height, size_t depth,
                       unsigned levels, unsigned flags) {
    Small other = small;
    other.description.arrayDesc.Width = width;
    other.description.arrayDesc.Height = height;
    other.description.arrayDesc.Depth = depth;
    other.description.arrayDesc.Flags = flags;
    other.description.numLevels = levels;
    other.ask(question);
  };
  ask("smaller", 32, 32, 0, 1, 0);
  ask("no width", 0, 64, 0, 1, 0);
  ask("no height", 64, 0, 0, 1, 0);
  ask("depth 1", 64, 64, 1, 1, 0);
  ask("one layer", 64, 64, 1, 1, CUDA_ARRAY3D_LAYERED);
  ask("layered without layers", 64, 64, 0, 1, CUDA_ARRAY3D_LAYERED);
  ask("two layers of a smaller image", 32, 32, 2, 1, CUDA_ARRAY3D_LAYERED);
  ask("a cube of other edges", 16, 8, 6, 1, CUDA_ARRAY3D_CUBEMAP);
  ask("too wide", 1 << 20, 64, 0, 1, 0);
  ask("larger than the memory", 64, 640, 0, 1, 0);
  ask("surfaces", 64, 64, 0, 3, CUDA_ARRAY3D_SURFACE_LDST);
  ask("colour attachment", 64, 64, 0, 3, CUDA_ARRAY3D_COLOR_ATTACHMENT);
  ask("colour attachment for surfaces", 64, 64, 0, 3,
      CUDA_ARRAY3D_COLOR_ATTACHMENT | CUDA_ARRAY3D_SURFACE_LDST);
  ask("depth texture", 64, 64, 0, 1, CUDA_ARRAY3D_DEPTH_TEXTURE);
  ask("texture gather", 64, 64, 0, 1, CUDA_ARRAY3D_TEXTURE_GATHER);
  ask("sparse", 64, 64, 0, 1, CUDA_ARRAY3D_SPARSE);
  ask("deferred mapping", 64, 64, 0, 1, CUDA_ARRAY3D_DEFERRED_MAPPING);
  ask("a flag that means nothing", 64, 64, 0, 1, 0x400);
}

CASE(images_formats) {
  vk_scene();
  const Small small;
  const auto ask = [&](const char* question, unsigned format, unsigned channels) {
    Small other = small;
    other.description.arrayDesc.Format = static_cast<CUarray_format>(format);
    other.description.arrayDesc.NumChannels = channels;
    other.description.numLevels = 1;
    other.ask(question);
  };
  ask("no format", 0, 4);
  ask("no channels", CU_AD_FORMAT_UNSIGNED_INT8, 0);
  ask("3 channels", CU_AD_FORMAT_UNSIGNED_INT8, 3);
  ask("1 channel of an image with 4", CU_AD_FORMAT_UNSIGNED_INT8, 1);
  ask("as 32 bits", CU_AD_FORMAT_UNSIGNED_INT32, 1);
  ask("as signed", CU_AD_FORMAT_SIGNED_INT8, 4);
  ask("normalised", CU_AD_FORMAT_UNORM_INT8X4, 4);
  ask("blocks", CU_AD_FORMAT_BC7_UNORM, 4);
  ask("NV12", CU_AD_FORMAT_NV12, 3);
}

CASE(images_arguments) {
  vk_scene();
  Small small;
  small.description.reserved[7] = 1;
  small.ask("reserved");
  small.description.reserved[7] = 0;
  CUmipmappedArray arrays = nullptr;
  const CUexternalMemory plain = import(small.image, 0);
  ASK(cuExternalMemoryGetMappedMipmappedArray(&arrays, plain, &small.description));
  ASK(cuDestroyExternalMemory(plain));
}

CASE(images_offsets) {
  vk_scene();
  Small small;
  const SharedImage image = shared_image(small.shape, 1 << 20);
  const CUexternalMemory memory = import(image, 0);
  for (const unsigned offset : {0u, 1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 64u, 256u, 512u, 1024u, 4096u,
                                65536u, 1u << 20, (1u << 20) + 65536, 2u << 20}) {
    small.description.offset = offset;
    CUmipmappedArray arrays = nullptr;
    const CUresult result =
        cuExternalMemoryGetMappedMipmappedArray(&arrays, memory, &small.description);
    conformance::answer(("at byte " + std::to_string(offset)).c_str(), result);
    if (result == CUDA_SUCCESS) PREPARE(cuMipmappedArrayDestroy(arrays));
  }
}

// The same for memory that belongs to an image, with much or nothing behind it.
CASE(images_offsets_tight) {
  vk_scene();
  Small small;
  for (const VkDeviceSize more : {VkDeviceSize{0}, VkDeviceSize{1} << 20}) {
    const SharedImage image = shared_image(small.shape, more);
    for (const unsigned flags : {0u, unsigned{CUDA_EXTERNAL_MEMORY_DEDICATED}}) {
      const CUexternalMemory memory = import(image, flags);
      for (const unsigned levels : {1u, small.description.numLevels})
        for (const unsigned offset : {0u, 1u, 16u, 512u, 4096u, 65536u}) {
          CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC description = small.description;
          description.offset = offset;
          description.numLevels = levels;
          CUmipmappedArray arrays = nullptr;
          const CUresult result =
              cuExternalMemoryGetMappedMipmappedArray(&arrays, memory, &description);
          conformance::answer(
              (std::to_string(levels) + " levels at byte " + std::to_string(offset) +
               (flags ? ", dedicated" : "") + (more ? ", much behind it" : ""))
                  .c_str(),
              result);
          if (result == CUDA_SUCCESS) PREPARE(cuMipmappedArrayDestroy(arrays));
        }
      for (const unsigned offset : {0u, 1u, 512u, 4096u}) {
        CUDA_EXTERNAL_MEMORY_BUFFER_DESC description = {};
        description.offset = offset;
        description.size = 256;
        CUdeviceptr buffer = 0;
        conformance::answer(("a buffer at byte " + std::to_string(offset) +
                             (flags ? ", dedicated" : "") + (more ? ", much behind it" : ""))
                                .c_str(),
                            cuExternalMemoryGetMappedBuffer(&buffer, memory, &description));
      }
      PREPARE(cuDestroyExternalMemory(memory));
    }
  }
}

CASE(images_are_arrays) {
  vk_scene();
  Small small;
  small.description.arrayDesc.Flags = CUDA_ARRAY3D_COLOR_ATTACHMENT;
  CUmipmappedArray arrays = nullptr;
  PREPARE(small.map(&arrays));
  CUarray level = nullptr, again = nullptr;
  PREPARE(cuMipmappedArrayGetLevel(&level, arrays, 1));
  PREPARE(cuMipmappedArrayGetLevel(&again, arrays, 1));
  ASK(level == again);
  CUDA_ARRAY3D_DESCRIPTOR shape;
  ASK(cuArray3DGetDescriptor(&shape, level));
  ASK(shape.Width);
  ASK(shape.Height);
  ASK(shape.Depth);
  ASK(shape.Flags);
  CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
  ASK(cuMipmappedArrayGetMemoryRequirements(&needs, arrays, 0));
  ASK(cuArrayGetMemoryRequirements(&needs, level, 0));
  CUDA_ARRAY_SPARSE_PROPERTIES sparse;
  ASK(cuMipmappedArrayGetSparseProperties(&sparse, arrays));
  CUarray plane = nullptr;
  ASK(cuArrayGetPlane(&plane, level, 0));
  CUDA_RESOURCE_DESC resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = level;
  CUsurfObject surface = 0;
  ASK(cuSurfObjectCreate(&surface, &resource));
  CUDA_TEXTURE_DESC texture;
  memset(&texture, 0, sizeof texture);
  CUtexObject object = 0;
  ASK(cuTexObjectCreate(&object, &resource, &texture, nullptr));
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource.res.mipmap.hMipmappedArray = arrays;
  ASK(cuTexObjectCreate(&object, &resource, &texture, nullptr));
  texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
  ASK(cuTexObjectCreate(&object, &resource, &texture, nullptr));
}

CASE(images_end) {
  vk_scene();
  const Small small;
  CUmipmappedArray arrays = nullptr, others = nullptr;
  PREPARE(small.map(&arrays));
  ASK(small.map(&others));
  ASK(arrays == others);
  CUarray level = nullptr;
  PREPARE(cuMipmappedArrayGetLevel(&level, arrays, 0));
  ASK(cuArrayDestroy(level));
  std::vector<unsigned char> bytes;
  ASK(copy(arrays, small.shape, 0, bytes, true));
  ASK(cuMipmappedArrayDestroy(others));
  ASK(copy(arrays, small.shape, 0, bytes, true));
  // The documentation: such arrays "must no longer be used and must be explicitly freed".
  ASK(cuDestroyExternalMemory(small.memory));
  ASK(cuMipmappedArrayDestroy(arrays));
}

CASE(images_outlive_vulkan) {
  vk_scene();
  const Small small;
  CUmipmappedArray arrays = nullptr;
  PREPARE(small.map(&arrays));
  vkDestroyImage(vk.dev, small.image.image, nullptr);
  vkFreeMemory(vk.dev, small.image.memory, nullptr);
  std::vector<unsigned char> bytes(small.shape.bytes(0), 77);
  ASK(copy(arrays, small.shape, 0, bytes, false));
  std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
  ASK(copy(arrays, small.shape, 0, bytes, true));
  ASK(bytes[0]);
  ASK(bytes.back());
  ASK(cuMipmappedArrayDestroy(arrays));
}

int main(int count, char** names) {
  if (vulkan_is_here()) return conformance::run(count, names);
  fprintf(stderr, "skipped: there is no Vulkan device\n");
  return 77;
}
