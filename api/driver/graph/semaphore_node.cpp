// SPDX-License-Identifier: Apache-2.0
// The parameters of nodes that signal external semaphores or wait for them.
#include <type_traits>
#include <utility>

#include "api/driver/interop/semaphore_operations.hpp"

namespace cuvette::driver {
namespace {

// The program's parameters, kept for queries.
template <typename Parameters>
struct SemaphoreDescription final : Counted {
  std::vector<CUexternalSemaphore> semaphores;
  std::vector<Parameters> parameters;
};

template <typename NodeParameters>
using ParametersOf =
    std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<NodeParameters>().paramsArray)>>;

}  // namespace

template <typename NodeParameters>
Result<device::Work> semaphore_work_of(const NodeParameters* parameters) {
  if (!parameters) return refuse(Error::invalid_value, "The node's parameters are null.");
  const NodeParameters& p = *parameters;
  device::SemaphoreWork work;
  work.operations = TRY(semaphore_operations(p.extSemArray, p.paramsArray, p.numExtSems));
  auto description = make_ref<SemaphoreDescription<ParametersOf<NodeParameters>>>();
  if (p.numExtSems > 0) {
    description->semaphores.assign(p.extSemArray, p.extSemArray + p.numExtSems);
    description->parameters.assign(p.paramsArray, p.paramsArray + p.numExtSems);
  }
  work.description = std::move(description);
  return device::Work(std::move(work));
}

template <typename NodeParameters>
NodeParameters semaphore_parameters_of(device::SemaphoreWork& work) {
  using Description = SemaphoreDescription<ParametersOf<NodeParameters>>;
  if (!work.description) {
    auto description = make_ref<Description>();
    for (const device::SemaphoreOperation& operation : work.operations) {
      description->semaphores.push_back(reinterpret_cast<CUexternalSemaphore>(operation.api_name));
      ParametersOf<NodeParameters> said{};
      said.params.fence.value = operation.value;
      description->parameters.push_back(said);
    }
    work.description = std::move(description);
  }
  auto& description = static_cast<Description&>(*work.description);
  return {description.semaphores.data(), description.parameters.data(),
          static_cast<unsigned>(description.semaphores.size())};
}

template Result<device::Work> semaphore_work_of(const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS*);
template Result<device::Work> semaphore_work_of(const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2*);
template Result<device::Work> semaphore_work_of(const CUDA_EXT_SEM_WAIT_NODE_PARAMS*);
template Result<device::Work> semaphore_work_of(const CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2*);
template CUDA_EXT_SEM_SIGNAL_NODE_PARAMS semaphore_parameters_of(device::SemaphoreWork&);
template CUDA_EXT_SEM_WAIT_NODE_PARAMS semaphore_parameters_of(device::SemaphoreWork&);

}  // namespace cuvette::driver
