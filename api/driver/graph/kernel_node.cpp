// SPDX-License-Identifier: Apache-2.0
#include "api/driver/graph/kernel_node.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "api/driver/call.hpp"
#include "api/driver/graph/graph_handles.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/launch/launch_arguments.hpp"
#include "api/driver/module/module_handles.hpp"
#include "sim/device/graph/graph_exec.hpp"
#include "sim/device/kernel/kernel_launch.hpp"

namespace cuvette::driver {
namespace {

using device::KernelCall;
using device::KernelWork;
using device::LaunchShape;
using device::NodeType;
using device::Work;

// The parameters that the program has set, kept for queries.
struct KernelDescription final : Counted {
  KernelDescription() = default;
  KernelDescription(const KernelDescription& other)
      : attributes(other.attributes), values(other.values) {}

  std::map<int, CUlaunchAttributeValue> attributes;
  std::vector<void*> values;  // the parameters' addresses
};

Ref<KernelDescription> description_of(const KernelWork& work) {
  return Ref<KernelDescription>(static_cast<KernelDescription*>(work.attributes.get()));
}

Result<Ref<device::Function>> function_of(const CUDA_KERNEL_NODE_PARAMS& p) {
  if (p.func) return find(p.func);
  if (!p.kern) return refuse(Error::invalid_handle, "The node names neither function nor kernel.");
  const auto kernel = TRY(find(p.kern));
  if (p.ctx) return kernel->function(*TRY(find(p.ctx)), call_site());
  return kernel->function(*TRY(usable_context()), call_site());
}

}  // namespace

Result<Work> kernel_work_of(const CUDA_KERNEL_NODE_PARAMS* parameters, const KernelWork* before) {
  if (!parameters) return refuse(Error::invalid_value, "The node's parameters are null.");
  const CUDA_KERNEL_NODE_PARAMS& p = *parameters;
  auto function = TRY(function_of(p));
  LaunchShape shape{{p.gridDimX, p.gridDimY, p.gridDimZ},
                    {p.blockDimX, p.blockDimY, p.blockDimZ},
                    p.sharedMemBytes};
  if (before) {
    std::copy_n(before->call->shape().cluster, 3, shape.cluster);
    shape.cooperative = before->call->shape().cooperative;
  }
  const device::ParameterValues values = TRY(parameter_values(p.kernelParams, p.extra));
  KernelWork work{TRY(KernelCall::make(std::move(function), shape, values)), nullptr};
  if (before) work.attributes = before->attributes;
  return Work(std::move(work));
}

Result<CUDA_KERNEL_NODE_PARAMS> parameters_of(KernelWork& work) {
  const KernelCall& call = *work.call;
  auto description = work.attributes ? make_ref<KernelDescription>(*description_of(work))
                                     : make_ref<KernelDescription>();
  description->values.clear();
  // The values belong to the call and do not change; the node keeps both.
  for (const auto& one : call.function()->parameters().parameters)
    description->values.push_back(const_cast<std::byte*>(call.parameters().data() + one.offset));
  const LaunchShape& shape = call.shape();
  CUDA_KERNEL_NODE_PARAMS p{};
  p.func = TRY(give_handle(*call.function()));
  p.gridDimX = shape.grid[0];
  p.gridDimY = shape.grid[1];
  p.gridDimZ = shape.grid[2];
  p.blockDimX = shape.block[0];
  p.blockDimY = shape.block[1];
  p.blockDimZ = shape.block[2];
  p.sharedMemBytes = shape.dynamic_shared;
  p.kernelParams = description->values.empty() ? nullptr : description->values.data();
  p.ctx = handle_of(*call.function()->context());
  work.attributes = std::move(description);
  return p;
}

namespace {

// Checks that nodes have the attribute; they have some of the launch attributes. An H100 lets
// programs set one more than it lets them get.
Result<> check_attribute(CUkernelNodeAttrID id, bool to_set) {
  switch (static_cast<int>(id)) {
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
      if (to_set) return {};
      break;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return {};
    default:
      break;
  }
  return refuse(Error::invalid_value, "%d is not an attribute of a kernel node.",
                static_cast<int>(id));
}

// Applies an attribute as cuLaunchKernelEx does, and keeps it.
Result<> set_attribute(KernelWork& work, CUkernelNodeAttrID id,
                       const CUlaunchAttributeValue& value) {
  TRY(check_attribute(id, true));
  LaunchShape shape = work.call->shape();
  const bool updatable = id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;
  if (!updatable || value.deviceUpdatableKernelNode.deviceUpdatable)
    TRY(apply_attribute(id, value, shape));
  const auto parameters = work.call->parameters();
  static const std::byte nothing{};
  device::ParameterValues values;
  values.block = parameters.empty() ? &nothing : parameters.data();
  values.block_bytes = parameters.size();
  work.call = TRY(KernelCall::make(work.call->function(), shape, values));
  auto description = work.attributes ? make_ref<KernelDescription>(*description_of(work))
                                     : make_ref<KernelDescription>();
  description->attributes[id] = value;
  work.attributes = std::move(description);
  return {};
}

Result<> tell_attribute(const KernelWork& work, CUkernelNodeAttrID id,
                        CUlaunchAttributeValue& value) {
  TRY(check_attribute(id, false));
  memset(&value, 0, sizeof value);
  const LaunchShape& shape = work.call->shape();
  if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
    value.cooperative = shape.cooperative;
  } else if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
    value.clusterDim.x = shape.cluster[0];
    value.clusterDim.y = shape.cluster[1];
    value.clusterDim.z = shape.cluster[2];
  } else if (work.attributes) {
    const auto description = description_of(work);
    const auto found = description->attributes.find(id);
    if (found != description->attributes.end()) value = found->second;
  }
  return {};
}

Result<Ref<device::GraphNode>> find_kernel_node(CUgraphNode hNode) {
  auto node = TRY(find(hNode));
  if (node->type() != NodeType::kernel)
    return refuse(Error::invalid_value, "The node is a %s node, not a KERNEL node.",
                  name(node->type()));
  return node;
}

[[gnu::always_inline]] inline CUresult add(CUgraphNode* phGraphNode, CUgraph hGraph,
                                           const CUgraphNode* dependencies, size_t numDependencies,
                                           const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return call<CUresult>([&]() -> Result<> {
    if (!phGraphNode) return refuse(Error::invalid_value, "The output pointer is null.");
    const auto graph = TRY(find(hGraph));
    const auto after = TRY(dependencies_of(dependencies, nullptr, numDependencies));
    Work work = TRY(kernel_work_of(nodeParams, nullptr));
    MutexLock lock(device::graph_mutex);
    const auto node = TRY(graph->add(NodeType::kernel, std::move(work), after));
    *phGraphNode = TRY(give_handle(*node));
    return {};
  });
}

[[gnu::always_inline]] inline CUresult tell(CUgraphNode hNode,
                                            CUDA_KERNEL_NODE_PARAMS& parameters) {
  return call<CUresult>([&]() -> Result<> {
    const auto node = TRY(find_kernel_node(hNode));
    MutexLock lock(device::graph_mutex);
    parameters = TRY(parameters_of(node->work<KernelWork>()));
    return {};
  });
}

[[gnu::always_inline]] inline CUresult set(CUgraphNode hNode,
                                           const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return call<CUresult>([&]() -> Result<> {
    const auto node = TRY(find_kernel_node(hNode));
    KernelWork before;
    {
      MutexLock lock(device::graph_mutex);
      before = node->work<KernelWork>();
    }
    Work work = TRY(kernel_work_of(nodeParams, &before));
    MutexLock lock(device::graph_mutex);
    node->set_work(std::move(work));
    return {};
  });
}

[[gnu::always_inline]] inline CUresult set_in_exec(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                   const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return call<CUresult>([&]() -> Result<> {
    const auto exec = TRY(find(hGraphExec));
    const auto node = TRY(find_kernel_node(hNode));
    KernelWork before;
    {
      MutexLock lock(device::graph_mutex);
      before = node->work<KernelWork>();
    }
    Work work = TRY(kernel_work_of(nodeParams, &before));
    MutexLock lock(device::graph_mutex);
    return exec->set_work(*node, std::move(work));
  });
}

// Converts the parameters from before CUDA 12, which have no CUkernel.
CUDA_KERNEL_NODE_PARAMS newer(const CUDA_KERNEL_NODE_PARAMS_v1& p) {
  CUDA_KERNEL_NODE_PARAMS result{};
  memcpy(&result, &p, sizeof p);
  return result;
}

}  // namespace
}  // namespace cuvette::driver

using namespace cuvette;
using namespace cuvette::driver;

extern "C" {

CUresult cuGraphAddKernelNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph,
                                 const CUgraphNode* dependencies, size_t numDependencies,
                                 const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return add(phGraphNode, hGraph, dependencies, numDependencies, nodeParams);
}
CUresult cuGraphAddKernelNode(CUgraphNode* phGraphNode, CUgraph hGraph,
                              const CUgraphNode* dependencies, size_t numDependencies,
                              const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  const CUDA_KERNEL_NODE_PARAMS parameters =
      nodeParams ? newer(*nodeParams) : CUDA_KERNEL_NODE_PARAMS{};
  return add(phGraphNode, hGraph, dependencies, numDependencies,
             nodeParams ? &parameters : nullptr);
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
  return tell(hNode, *nodeParams);
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  if (!nodeParams) return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS parameters{};
  const CUresult result = tell(hNode, parameters);
  if (result == CUDA_SUCCESS) memcpy(nodeParams, &parameters, sizeof *nodeParams);
  return result;
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode,
                                       const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return set(hNode, nodeParams);
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode,
                                    const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  const CUDA_KERNEL_NODE_PARAMS parameters =
      nodeParams ? newer(*nodeParams) : CUDA_KERNEL_NODE_PARAMS{};
  return set(hNode, nodeParams ? &parameters : nullptr);
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return set_in_exec(hGraphExec, hNode, nodeParams);
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  const CUDA_KERNEL_NODE_PARAMS parameters =
      nodeParams ? newer(*nodeParams) : CUDA_KERNEL_NODE_PARAMS{};
  return set_in_exec(hGraphExec, hNode, nodeParams ? &parameters : nullptr);
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                       CUkernelNodeAttrValue* value_out) {
  return call<CUresult>([&]() -> Result<> {
    const auto node = TRY(find_kernel_node(hNode));
    if (!value_out) return refuse(Error::invalid_value, "The output pointer is null.");
    MutexLock lock(device::graph_mutex);
    return tell_attribute(node->work<device::KernelWork>(), attr, *value_out);
  });
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                       const CUkernelNodeAttrValue* value) {
  return call<CUresult>([&]() -> Result<> {
    const auto node = TRY(find_kernel_node(hNode));
    if (!value) return refuse(Error::invalid_value, "The attribute's value is null.");
    MutexLock lock(device::graph_mutex);
    return set_attribute(node->work<device::KernelWork>(), attr, *value);
  });
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src) {
  return call<CUresult>([&]() -> Result<> {
    const auto to = TRY(find_kernel_node(dst)), from = TRY(find_kernel_node(src));
    MutexLock lock(device::graph_mutex);
    // Keeps the attributes alive while the target's change; both may be the same node.
    const Ref<KernelDescription> said = description_of(from->work<device::KernelWork>());
    if (!said || to == from) return {};
    KernelWork changed = to->work<device::KernelWork>();
    for (const auto& [id, value] : said->attributes)
      TRY(set_attribute(changed, static_cast<CUkernelNodeAttrID>(id), value));
    to->set_work(Work(std::move(changed)));
    return {};
  });
}

}  // extern "C"
