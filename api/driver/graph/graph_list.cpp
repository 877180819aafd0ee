// SPDX-License-Identifier: Apache-2.0
#include "api/driver/graph/graph_list.hpp"

#include <algorithm>

namespace cuvette::driver {

Result<> EdgeList::tell(CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data, size_t* count) {
  if (!from) {
    *count = edges_.size();
    return {};
  }
  if (*count == 0)  // measured, even if there are none
    return refuse(Error::invalid_value, "The array has room for 0 entries; there are %zu.",
                  edges_.size());
  const size_t returned = std::min(*count, edges_.size());
  if (!data && std::any_of(edges_.begin(), edges_.begin() + static_cast<ptrdiff_t>(returned),
                           [](const Edge& edge) { return !edge.kind.ordinary(); }))
    return refuse(Error::lossy_query, "An edge has edge data; pass an array for it.");
  for (size_t i = 0; i < *count; ++i) {
    const bool there = i < returned;
    from[i] = there ? TRY(give_handle(*edges_[i].from)) : nullptr;
    if (to) to[i] = there ? TRY(give_handle(*edges_[i].to)) : nullptr;
    if (data) data[i] = edge_data(there ? edges_[i].kind : device::EdgeKind{});
  }
  *count = returned;
  return {};
}

}  // namespace cuvette::driver
