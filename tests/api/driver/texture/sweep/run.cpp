// SPDX-License-Identifier: Apache-2.0
// Runs one case: its texture or surface, its kernel, and the output.
#include <algorithm>

#include "tests/api/driver/texture/sweep/cases.hpp"

namespace textures {
namespace {

class Runner {
 public:
  explicit Runner(const Case& one) : case_(one) {}
  ~Runner() {
    if (object_) case_.surface ? cuSurfObjectDestroy(object_) : cuTexObjectDestroy(object_);
    if (array_) cuArrayDestroy(array_);
    if (levels_) cuMipmappedArrayDestroy(levels_);
    for (const CUdeviceptr one : {in_, out_, memory_})
      if (one) cuMemFree(one);
    if (module_) cuModuleUnload(module_);
  }

  Answer run() {
    make_resource();
    const std::string text = module_of(case_);
    must(cuModuleLoadData(&module_, text.c_str()));
    CUfunction function = nullptr;
    if (good()) must(cuModuleGetFunction(&function, module_, "kernel"));
    const std::vector<Operands> operands = operands_of(case_);
    const size_t lanes = operands.size();
    must(cuMemAlloc(&in_, lanes * sizeof(Operands)));
    must(cuMemAlloc(&out_, lanes * 16));
    if (!good()) return answer_;
    must(cuMemcpyHtoD(in_, operands.data(), lanes * sizeof(Operands)));
    must(cuMemsetD32(out_, 0xdeadbeef, lanes * 4));
    void* parameters[] = {&out_, &in_, &object_};
    must(cuLaunchKernel(function, static_cast<unsigned>(lanes / 32), 1, 1, 32, 1, 1, 0, nullptr,
                        parameters, nullptr));
    must(cuCtxSynchronize());
    answer_.words.resize(lanes * 4);
    must(cuMemcpyDtoH(answer_.words.data(), out_, lanes * 16));
    if (case_.surface) add_content();
    return answer_;
  }

 private:
  bool good() const { return answer_.status == 0; }
  void must(CUresult status) {
    if (good()) answer_.status = status;
  }

  CUDA_MEMCPY3D copy(CUarray array, const CUDA_ARRAY3D_DESCRIPTOR& shape, void* bytes, bool up) {
    CUDA_MEMCPY3D c{};
    c.srcMemoryType = up ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
    c.dstMemoryType = up ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
    c.srcHost = c.dstHost = bytes;
    c.srcArray = c.dstArray = array;
    c.WidthInBytes = shape.Width * bytes_of(case_.format) * case_.channels;
    c.Height = std::max<size_t>(shape.Height, 1);
    c.Depth = std::max<size_t>(shape.Depth, 1);
    c.srcPitch = c.dstPitch = c.WidthInBytes;
    c.srcHeight = c.dstHeight = c.Height;
    return c;
  }
  static size_t count_of(const CUDA_ARRAY3D_DESCRIPTOR& shape) {
    return shape.Width * std::max<size_t>(shape.Height, 1) * std::max<size_t>(shape.Depth, 1);
  }
  void fill(CUarray array, unsigned level) {
    CUDA_ARRAY3D_DESCRIPTOR shape{};
    must(cuArray3DGetDescriptor(&shape, array));
    std::vector<uint8_t> bytes = bytes_for(case_, count_of(shape), level);
    const CUDA_MEMCPY3D c = copy(array, shape, bytes.data(), true);
    must(cuMemcpy3D(&c));
  }
  void add_content() {
    CUDA_ARRAY3D_DESCRIPTOR shape{};
    must(cuArray3DGetDescriptor(&shape, array_));
    std::vector<uint32_t> content((count_of(shape) * bytes_of(case_.format) * case_.channels + 3) /
                                  4);
    const CUDA_MEMCPY3D c = copy(array_, shape, content.data(), false);
    must(cuMemcpy3D(&c));
    answer_.words.insert(answer_.words.end(), content.begin(), content.end());
  }

  void make_resource() {
    CUDA_RESOURCE_DESC resource{};
    const size_t element = bytes_of(case_.format) * case_.channels;
    CUDA_ARRAY3D_DESCRIPTOR shape{case_.width,  case_.height,   case_.depth,
                                  case_.format, case_.channels, case_.flags};
    switch (case_.resource) {
      case Resource::array:
        must(cuArray3DCreate(&array_, &shape));
        if (!good()) return;
        fill(array_, 0);
        resource.resType = CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = array_;
        break;
      case Resource::levels:
        must(cuMipmappedArrayCreate(&levels_, &shape, case_.levels));
        for (unsigned level = 0; good() && level < case_.levels; ++level) {
          CUarray part = nullptr;
          must(cuMipmappedArrayGetLevel(&part, levels_, level));
          fill(part, level);
        }
        resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
        resource.res.mipmap.hMipmappedArray = levels_;
        break;
      case Resource::linear:
      case Resource::rows: {
        const size_t rows = std::max<size_t>(case_.height, 1);
        const size_t pitch = case_.resource == Resource::linear ? case_.width * element : 512;
        must(cuMemAlloc(&memory_, pitch * rows));
        if (!good()) return;
        const std::vector<uint8_t> bytes = bytes_for(case_, case_.width * rows, 0);
        for (size_t row = 0; row < rows; ++row)
          must(cuMemcpyHtoD(memory_ + row * pitch, &bytes[row * case_.width * element],
                            case_.width * element));
        if (case_.resource == Resource::linear) {
          resource.resType = CU_RESOURCE_TYPE_LINEAR;
          resource.res.linear = {memory_, case_.format, case_.channels, case_.width * element};
        } else {
          resource.resType = CU_RESOURCE_TYPE_PITCH2D;
          resource.res.pitch2D = {memory_,     case_.format, case_.channels,
                                  case_.width, case_.height, pitch};
        }
        break;
      }
    }
    if (!good()) return;
    if (case_.surface) return must(cuSurfObjectCreate(&object_, &resource));
    CUDA_RESOURCE_VIEW_DESC view{};
    view.format = case_.view;
    view.width = case_.width, view.height = case_.height, view.depth = case_.depth;
    view.lastMipmapLevel = case_.levels - 1;
    if (case_.flags & CUDA_ARRAY3D_LAYERED) view.lastLayer = static_cast<unsigned>(case_.depth) - 1;
    must(cuTexObjectCreate(&object_, &resource, &case_.way,
                           case_.view == CU_RES_VIEW_FORMAT_NONE ? nullptr : &view));
  }

  const Case& case_;
  Answer answer_;
  CUmodule module_ = nullptr;
  CUdeviceptr in_ = 0, out_ = 0, memory_ = 0;
  CUarray array_ = nullptr;
  CUmipmappedArray levels_ = nullptr;
  unsigned long long object_ = 0;
};

}  // namespace

Answer answer_of(const Case& one) { return Runner(one).run(); }

}  // namespace textures
