// SPDX-License-Identifier: Apache-2.0
#include "api/driver/graph/graph_work.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "api/driver/call.hpp"
#include "api/driver/graph/graph_handles.hpp"
#include "api/driver/graph/kernel_node.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/interop/semaphore_operations.hpp"
#include "api/driver/memory/copy_box.hpp"
#include "api/driver/requester.hpp"
#include "api/driver/stream/value_operations.hpp"
#include "sim/device/graph/node_checks.hpp"
#include "sim/device/stream/thread.hpp"

namespace cuvette::driver {
namespace {

using device::Work;

// The program's parameters, kept for queries.
struct CopyDescription final : Counted {
  CUDA_MEMCPY3D parameters;
};
struct AllocationDescription final : Counted {
  CUDA_MEM_ALLOC_NODE_PARAMS parameters;
  std::vector<CUmemAccessDesc> access;
};
struct BatchDescription final : Counted {
  std::vector<CUstreamBatchMemOpParams> operations;
};
struct BodyHandles final : Counted {
  std::vector<CUgraph> graphs;
};

Result<Ref<device::Context>> context_of(CUcontext ctx) {
  if (ctx) return find(ctx);
  return Ref<device::Context>(device::Thread::current().context());
}

template <typename Parameters>
Result<> check_given(const Parameters* parameters) {
  if (!parameters) return refuse(Error::invalid_value, "The node's parameters are null.");
  return {};
}

}  // namespace

Result<Work> work_of(const CUDA_MEMCPY3D* parameters, CUcontext ctx) {
  TRY(check_given(parameters));
  const CopyBox box = TRY(copy_box_of(parameters));
  auto context = TRY(context_of(ctx));
  device::CopyWork work{box.to, box.from, nullptr, std::move(context)};
  if (!box.to.region.empty())
    TRY(device::make_copy(work.context.get(), box.to, box.from, call_site()));
  auto description = make_ref<CopyDescription>();
  description->parameters = *parameters;
  work.description = std::move(description);
  return Work(std::move(work));
}

Result<Work> work_of(const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext ctx) {
  TRY(check_given(parameters));
  const CUDA_MEMSET_NODE_PARAMS& p = *parameters;
  device::FillWork work{p.dst, p.pitch, p.width, p.height, p.value, p.elementSize, {}};
  TRY(device::check_fill_shape(work));
  work.context = TRY(context_of(ctx));
  TRY(device::check_fill_memory(work, call_site()));
  return Work(std::move(work));
}

Result<Work> work_of(const CUDA_HOST_NODE_PARAMS* parameters) {
  TRY(check_given(parameters));
  if (!parameters->fn) return refuse(Error::invalid_value, "The host function is null.");
  return Work(device::HostWork{parameters->fn, parameters->userData});
}

Result<Work> work_of(CUevent event) { return Work(device::EventWork{TRY(find(event))}); }

Result<Work> work_of(CUgraph child, CUgraphChildGraphNodeOwnership ownership,
                     const device::Graph* parent) {
  auto graph = TRY(find(child));
  if (graph->captured) return refuse(Error::invalid_value, "A capture is writing the child graph.");
  switch (ownership) {
    case CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE:
      return Work(device::ChildWork{TRY(graph->clone())});
    case CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE:
      TRY(device::check_child(*graph, parent));
      return Work(device::ChildWork{std::move(graph)});
  }
  return refuse(Error::invalid_value, "%d is not an ownership.", static_cast<int>(ownership));
}

Result<Work> work_of(CUDA_MEM_ALLOC_NODE_PARAMS& p) {
  p.dptr = 0;
  if (p.bytesize == 0)
    return refuse(Error::invalid_value, "An allocation of 0 bytes has no address.");
  const bool managed = p.poolProps.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED;
  if (!managed && p.poolProps.allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
    return refuse(Error::invalid_value, "Graphs do not support allocation type %d.",
                  static_cast<int>(p.poolProps.allocType));
  // "IPC is not supported."
  if (p.poolProps.handleTypes != CU_MEM_HANDLE_TYPE_NONE)
    return refuse(Error::invalid_value,
                  "The memory of a graph cannot be shared with other processes.");
  if (p.poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
    // Measured: some of these are invalid, others not supported.
    const bool host = p.poolProps.location.type == CU_MEM_LOCATION_TYPE_HOST ||
                      p.poolProps.location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
    return refuse(managed || host ? Error::not_supported : Error::invalid_value,
                  "A graph can only allocate on a device, not at a location of type %d.",
                  static_cast<int>(p.poolProps.location.type));
  }
  const auto found = find_device(p.poolProps.location.id);
  if (!found.ok())
    return refuse(Error::invalid_value, "Device %d does not exist.", p.poolProps.location.id);
  const device::Device* const device = found.value();
  if (p.accessDescCount > 0 && !p.accessDescs)
    return refuse(Error::invalid_value,
                  "The number of access descriptions is %zu, but the array is null.",
                  p.accessDescCount);
  for (size_t i = 0; i < p.accessDescCount; ++i) {
    if (p.accessDescs[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
      return refuse(Error::invalid_value, "Only devices can be given access.");
    TRY(find_device(p.accessDescs[i].location.id));
  }
  const device::Context* context = device::Thread::current().context();
  const uint64_t owner = context && context->alive() && &context->device() == device
                             ? context->generation()
                             : 0;  // no context: it ends with the graph
  device::AllocateWork work;
  work.memory = TRY(device::GraphMemory::create(
      p.bytesize, managed, {owner, static_cast<uint8_t>(device->ordinal()), call_site()}));
  p.dptr = work.memory->address();
  auto description = make_ref<AllocationDescription>();
  description->parameters = p;
  if (p.accessDescCount > 0)
    description->access.assign(p.accessDescs, p.accessDescs + p.accessDescCount);
  description->parameters.accessDescs = description->access.data();
  work.description = std::move(description);
  return Work(std::move(work));
}

Result<Work> work_of(const CUDA_BATCH_MEM_OP_NODE_PARAMS* parameters) {
  TRY(check_given(parameters));
  const CUDA_BATCH_MEM_OP_NODE_PARAMS& p = *parameters;
  if (!p.ctx) return refuse(Error::invalid_value, "The context of the batch is null.");
  device::BatchWork work;
  work.context = TRY(find(p.ctx));
  work.operations = TRY(operations_of(p.paramArray, p.count, p.flags));
  TRY(device::make_batch(*work.context, work.operations, call_site()));
  auto description = make_ref<BatchDescription>();
  description->operations.assign(p.paramArray, p.paramArray + p.count);
  work.description = std::move(description);
  return Work(std::move(work));
}

Result<Work> work_of_free(CUdeviceptr address, const device::Graph& graph) {
  TRY(device::check_freed(graph, address));
  return Work(device::FreeWork{address});
}

Result<Work> work_of(const CUDA_CONDITIONAL_NODE_PARAMS& p, device::Graph& graph) {
  device::ConditionalWork work;
  switch (p.type) {
    case CU_GRAPH_COND_TYPE_IF:
    case CU_GRAPH_COND_TYPE_WHILE:
    case CU_GRAPH_COND_TYPE_SWITCH:
      work.kind = static_cast<device::ConditionKind>(p.type);
      break;
    default:
      return refuse(Error::invalid_value, "%d is not a type of conditional node.",
                    static_cast<int>(p.type));
  }
  TRY(device::check_bodies(work.kind, p.size));
  work.condition = TRY(device::find_condition(graph, p.handle));
  for (unsigned i = 0; i < p.size; ++i) work.bodies.push_back(make_ref<device::Graph>());
  return Work(std::move(work));
}

Result<> tell_bodies(device::GraphNode& node, CUDA_CONDITIONAL_NODE_PARAMS& parameters) {
  auto& work = node.work<device::ConditionalWork>();
  work.condition->used = true;
  auto handles = make_ref<BodyHandles>();
  for (const Ref<device::Graph>& body : work.bodies)
    handles->graphs.push_back(TRY(give_handle(*body)));
  parameters.phGraph_out = handles->graphs.data();
  work.handles = std::move(handles);
  return {};
}

Result<TypedWork> work_of(CUgraphNodeParams* parameters, device::Graph& graph, bool existing) {
  using device::NodeType;
  TRY(check_given(parameters));
  CUgraphNodeParams& p = *parameters;
  // "Reserved. Must be zero."
  if (p.reserved2 != 0 || std::any_of(std::begin(p.reserved0), std::end(p.reserved0),
                                      [](int reserved) { return reserved != 0; }))
    return refuse(Error::invalid_value, "The reserved fields of the parameters must be 0.");
  const auto type = static_cast<NodeType>(p.type);
  switch (p.type) {
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      // "Must be zero"
      if (p.memcpy.flags != 0)
        return refuse(Error::invalid_value, "The flags 0x%x of a copy must be 0.", p.memcpy.flags);
      return TypedWork{type, TRY(work_of(&p.memcpy.copyParams, p.memcpy.copyCtx))};
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      const CUDA_MEMSET_NODE_PARAMS memset{p.memset.dst,         p.memset.pitch, p.memset.value,
                                           p.memset.elementSize, p.memset.width, p.memset.height};
      return TypedWork{type, TRY(work_of(&memset, p.memset.ctx))};
    }
    case CU_GRAPH_NODE_TYPE_HOST: {
      const CUDA_HOST_NODE_PARAMS host{p.host.fn, p.host.userData};
      return TypedWork{type, TRY(work_of(&host))};
    }
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return TypedWork{type, Work()};
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return TypedWork{type, TRY(work_of(p.graph.graph, p.graph.ownership, &graph))};
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return TypedWork{type, TRY(work_of(p.eventWait.event))};
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return TypedWork{type, TRY(work_of(p.eventRecord.event))};
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
      if (existing) break;
      CUDA_MEM_ALLOC_NODE_PARAMS alloc{p.alloc.poolProps, p.alloc.accessDescs,
                                       p.alloc.accessDescCount, p.alloc.bytesize, 0};
      TypedWork made{type, TRY(work_of(alloc))};
      p.alloc.dptr = alloc.dptr;
      return made;
    }
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      if (existing) break;
      return TypedWork{type, TRY(work_of_free(p.free.dptr, graph))};
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      if (existing) break;
      return TypedWork{type, TRY(work_of(p.conditional, graph))};
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      CUDA_KERNEL_NODE_PARAMS kernel;
      static_assert(sizeof kernel == sizeof p.kernel);
      memcpy(&kernel, &p.kernel, sizeof kernel);
      return TypedWork{type, TRY(kernel_work_of(&kernel, nullptr))};
    }
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
      return TypedWork{type, TRY(semaphore_work_of(&p.extSemSignal))};
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
      return TypedWork{type, TRY(semaphore_work_of(&p.extSemWait))};
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: {
      const CUDA_BATCH_MEM_OP_NODE_PARAMS batch{p.memOp.ctx, p.memOp.count, p.memOp.paramArray,
                                                p.memOp.flags};
      return TypedWork{type, TRY(work_of(&batch))};
    }
  }
  if (existing && type <= NodeType::conditional)
    return refuse(Error::invalid_value, "The parameters of a %s node cannot be changed.",
                  name(type));
  return refuse(Error::invalid_value, "%d is not a node type.", static_cast<int>(p.type));
}

CUDA_MEMCPY3D parameters_of(const device::CopyWork& work) {
  if (work.description) return static_cast<const CopyDescription&>(*work.description).parameters;
  // The node was captured, so any equivalent description of the copy will do.
  CUDA_MEMCPY3D p{};
  const auto say = [](const device::CopyOperand& place, auto end) {
    const memory::Region& region = place.region;
    if (place.array) {
      const size_t offset = region.address - place.array->address();
      end.type = CU_MEMORYTYPE_ARRAY;
      end.array = handle_of(*place.array);
      end.x = region.pitch ? offset % region.pitch : offset;
      end.y = region.pitch && region.slice ? offset % region.slice / region.pitch : 0;
      end.z = region.slice ? offset / region.slice : 0;
      return;
    }
    if (place.type == device::MemoryType::host) {
      end.type = CU_MEMORYTYPE_HOST;
      end.host = memory::host_pointer(region.address);
    } else {
      end.type =
          place.type == device::MemoryType::device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_UNIFIED;
      end.device = region.address;
    }
    end.pitch = region.pitch;
    end.height = region.pitch ? region.slice / region.pitch : 0;
  };
  struct Target {
    CUmemorytype& type;
    void*& host;
    CUdeviceptr& device;
    CUarray& array;
    size_t &pitch, &height, &x, &y, &z;
  };
  struct Source {
    CUmemorytype& type;
    const void*& host;
    CUdeviceptr& device;
    CUarray& array;
    size_t &pitch, &height, &x, &y, &z;
  };
  say(work.to, Target{p.dstMemoryType, p.dstHost, p.dstDevice, p.dstArray, p.dstPitch, p.dstHeight,
                      p.dstXInBytes, p.dstY, p.dstZ});
  say(work.from, Source{p.srcMemoryType, p.srcHost, p.srcDevice, p.srcArray, p.srcPitch,
                        p.srcHeight, p.srcXInBytes, p.srcY, p.srcZ});
  p.WidthInBytes = work.to.region.width;
  p.Height = work.to.region.height;
  p.Depth = work.to.region.depth;
  return p;
}

CUDA_MEMSET_NODE_PARAMS parameters_of(const device::FillWork& work) {
  return {work.address, work.pitch, work.value, work.element, work.width, work.height};
}

CUDA_MEM_ALLOC_NODE_PARAMS parameters_of(const device::AllocateWork& work) {
  return static_cast<const AllocationDescription&>(*work.description).parameters;
}

CUDA_BATCH_MEM_OP_NODE_PARAMS parameters_of(device::BatchWork& work) {
  if (!work.description) {
    auto description = make_ref<BatchDescription>();
    for (const device::ValueOperation& operation : work.operations)
      description->operations.push_back(parameters_of(operation));
    work.description = std::move(description);
  }
  auto& description = static_cast<BatchDescription&>(*work.description);
  return {handle_of(*work.context), static_cast<unsigned>(description.operations.size()),
          description.operations.data(), 0};
}

}  // namespace cuvette::driver
