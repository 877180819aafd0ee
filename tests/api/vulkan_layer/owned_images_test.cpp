// SPDX-License-Identifier: Apache-2.0
// Images that Vulkan owns while CUDA uses them as arrays, memory of CUDA's that Vulkan has
// imported, and what Khronos's validation layer says to all that. Runs with CUVETTE_CHECK=aliases.
#include "both.hpp"
#include "shared_buffer.hpp"
#include "validation.hpp"

namespace {

// An image with layers of 64 x 64 pixels in memory of its own, and its layers in CUDA.
class SharedImage {
 public:
  static constexpr uint32_t width = 64;

  SharedImage(Vulkan& vulkan, uint32_t layers) : vulkan_(vulkan) {
    const VkExternalMemoryImageCreateInfo external{
        VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, nullptr,
        VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkImageCreateInfo create{};
    create.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    create.pNext = &external;
    create.imageType = VK_IMAGE_TYPE_2D;
    create.format = VK_FORMAT_R8G8B8A8_UNORM;
    create.extent = {width, width, 1};
    create.mipLevels = 1;
    create.arrayLayers = layers;
    create.samples = VK_SAMPLE_COUNT_1_BIT;
    create.tiling = VK_IMAGE_TILING_OPTIMAL;
    create.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    VK_EXPECT(vkCreateImage(vulkan.device, &create, nullptr, &image_));
    VkMemoryRequirements needed;
    vkGetImageMemoryRequirements(vulkan.device, image_, &needed);
    memory_ = memory_for(vulkan, needed, true);
    const VkBindImageMemoryInfo bind{VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, nullptr, image_,
                                     memory_, 0};
    VK_EXPECT(vkBindImageMemory2(vulkan.device, 1, &bind));
    imported_ = import(fd_of(vulkan, memory_), needed.size);
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC description{};
    description.arrayDesc.Width = description.arrayDesc.Height = width;
    description.arrayDesc.Depth = layers > 1 ? layers : 0;
    description.arrayDesc.Flags = layers > 1 ? CUDA_ARRAY3D_LAYERED : 0;
    description.arrayDesc.Format = CU_AD_FORMAT_UNSIGNED_INT8;
    description.arrayDesc.NumChannels = 4;
    description.numLevels = 1;
    EXPECT_EQ(cuExternalMemoryGetMappedMipmappedArray(&arrays_, imported_, &description),
              CUDA_SUCCESS);
    EXPECT_EQ(cuMipmappedArrayGetLevel(&array, arrays_, 0), CUDA_SUCCESS);
  }
  ~SharedImage() {
    EXPECT_EQ(cuMipmappedArrayDestroy(arrays_), CUDA_SUCCESS);
    EXPECT_EQ(cuDestroyExternalMemory(imported_), CUDA_SUCCESS);
    vkDeviceWaitIdle(vulkan_.device);
    vkDestroyImage(vulkan_.device, image_, nullptr);
    vkFreeMemory(vulkan_.device, memory_, nullptr);
  }
  SharedImage(const SharedImage&) = delete;
  SharedImage& operator=(const SharedImage&) = delete;

  // Commands by which Vulkan acquires layers of it, or releases them.
  VkCommandBuffer hand_over(Way way, uint32_t layers) const {
    const bool acquire = way == Way::acquire;
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.oldLayout = acquire ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_GENERAL;
    barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    barrier.srcQueueFamilyIndex = acquire ? VK_QUEUE_FAMILY_EXTERNAL : 0;
    barrier.dstQueueFamilyIndex = acquire ? 0 : VK_QUEUE_FAMILY_EXTERNAL;
    barrier.image = image_;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, layers};
    const VkCommandBuffer commands = vulkan_.record();
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1,
                         &barrier);
    return ended(commands);
  }

  CUarray array = nullptr;

 private:
  Vulkan& vulkan_;
  VkImage image_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  CUexternalMemory imported_ = nullptr;
  CUmipmappedArray arrays_ = nullptr;
};

TEST(vkCmdPipelineBarrier, TransfersImages) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan(exporting());
  SharedImage image(vulkan, 1);
  uint32_t pixels[SharedImage::width];
  Listener listener;
  run(vulkan, image.hand_over(Way::acquire, 1));
  OK(cuMemcpyAtoH(pixels, image.array, 0, sizeof pixels));
  run(vulkan, image.hand_over(Way::release, VK_REMAINING_ARRAY_LAYERS));
  OK(cuMemcpyAtoH(pixels, image.array, 0, sizeof pixels));
  EXPECT_EQ(listener.reports(), 1) << listener.text();
}

// Where a single layer lies is the driver's business, so nothing is said from then on.
TEST(vkCmdPipelineBarrier, SaysNothingAboutPartsOfImages) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan(exporting());
  SharedImage image(vulkan, 2);
  uint32_t pixels[SharedImage::width];
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = image.array;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = pixels;
  copy.WidthInBytes = sizeof pixels;
  copy.Height = copy.Depth = 1;
  Listener listener;
  run(vulkan, image.hand_over(Way::acquire, 2));
  OK(cuMemcpy3D(&copy));
  run(vulkan, image.hand_over(Way::release, 1));
  OK(cuMemcpy3D(&copy));
  EXPECT_EQ(listener.reports(), 1) << listener.text();
}

TEST(cuMemExportToShareableHandle, MemoryIsVulkansOnceItIsAcquired) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan(exporting());
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  size_t size = 0;
  OK(cuMemGetAllocationGranularity(&size, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUmemGenericAllocationHandle handle = 0;
  OK(cuMemCreate(&handle, size, &properties, 0));
  CUdeviceptr address = 0;
  OK(cuMemAddressReserve(&address, size, 0, 0, 0));
  OK(cuMemMap(address, size, 0, handle, 0));
  const CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  OK(cuMemSetAccess(address, size, &access, 1));
  int fd = -1;
  OK(cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));

  const VkExternalMemoryBufferCreateInfo external{
      VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr,
      VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkBufferCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  create.pNext = &external;
  create.size = 4096;
  create.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  VK_OK(vkCreateBuffer(vulkan.device, &create, nullptr, &buffer));
  const VkImportMemoryFdInfoKHR import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, nullptr,
                                       VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, fd};
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import, size,
                                      vulkan.host_visible_type(~0u)};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VK_OK(vkAllocateMemory(vulkan.device, &allocate, nullptr, &memory));
  const VkBindBufferMemoryInfo bind{VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, nullptr, buffer,
                                    memory, 8192};
  VK_OK(vkBindBufferMemory2(vulkan.device, 1, &bind));

  Listener listener;
  run(vulkan, recorded(vulkan, Way::acquire, buffer));
  OK(cuMemsetD8(address, 1, 8192));
  OK(cuMemsetD8(address + 12288, 1, 4096));
  OK(cuMemsetD8(address + 8000, 1, 200));
  OK(cuCtxSynchronize());
  EXPECT_EQ(listener.reports(), 1) << listener.text();
  vkDestroyBuffer(vulkan.device, buffer, nullptr);
  vkFreeMemory(vulkan.device, memory, nullptr);
  OK(cuMemUnmap(address, size));
  OK(cuMemAddressFree(address, size));
  OK(cuMemRelease(handle));
}

// It sees the batches that the layer above it makes of the program's.
TEST(OrderedBatches, AreValid) {
  NEED_DRIVER(lavapipe);
  if (!Complaints::can_be_heard()) GTEST_SKIP() << Complaints::layer << " is missing";
  Complaints complaints;
  Options options = exporting();
  complaints.hear(options, Complaints::layer);
  {
    Scene scene;
    Vulkan vulkan(options);
    VK_OK(vulkan.device_result);
    complaints.listen(vulkan);
    const CUstream stream = new_stream();
    SharedBuffer shared(vulkan);
    for (const bool timeline : {false, true})
      for (const bool newer : {false, true}) {
        Both there(vulkan, timeline), back(vulkan, timeline);
        for (uint32_t round = 1; round <= 5; ++round) {
          const uint64_t value = timeline ? round : 0;
          OK(signal(there.cuda, value, stream));
          const VkCommandBuffer commands = turn(vulkan, shared.vk(), round);
          VK_OK(newer ? vulkan.submit_2({{there.vk, value}}, {{back.vk, value}}, commands)
                      : vulkan.submit({{there.vk, value}}, {{back.vk, value}}, commands));
          OK(wait(back.cuda, value, stream));
          OK(cuMemsetD8Async(shared.address, 1, 16, stream));
        }
        OK(cuStreamSynchronize(stream));
        VK_OK(vkQueueWaitIdle(vulkan.queue));
      }
    OK(cuStreamDestroy(stream));
    complaints.stop(vulkan);
  }
  EXPECT_EQ(complaints.text(), "");
}

}  // namespace
