// SPDX-License-Identifier: Apache-2.0
// Registers that the machine sets.
#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {

Value WarpBuilder::read_special(Special special) {
  const auto known = specials_.find(special);
  if (known != specials_.end()) return known->second;
  const auto field = [&](size_t offset) { return uniform(context_field(offset, getInt32Ty())); };
  const auto from_helper = [&](size_t helper, unsigned shift) {
    V* const value = call_helper(helper, getInt64Ty(), context());
    return uniform(shift ? CreateLShr(value, i64(shift)) : value);
  };
#define FIELD(name) offsetof(BlockContext, name)
  const auto cluster_id = [&](int d) {
    return uniform(CreateUDiv(d == 0 ? read_special(Special::ctaid_x).scalar[0]
                                     : context_field(FIELD(ctaid) + 4 * d, getInt32Ty()),
                              context_field(FIELD(cluster_nctaid) + 4 * d, getInt32Ty())));
  };
  const auto clusters = [&](int d) {
    return uniform(CreateUDiv(context_field(FIELD(nctaid) + 4 * d, getInt32Ty()),
                              context_field(FIELD(cluster_nctaid) + 4 * d, getInt32Ty())));
  };
  const auto rank = [&](bool count) {
    V* size[3];
    V* at[3];
    for (int d = 0; d < 3; ++d) {
      size[d] = context_field(FIELD(cluster_nctaid) + 4 * d, getInt32Ty());
      at[d] = context_field(FIELD(cluster_ctaid) + 4 * d, getInt32Ty());
    }
    if (count) return uniform(CreateMul(size[0], CreateMul(size[1], size[2])));
    V* const plane = CreateAdd(at[1], CreateMul(size[1], at[2]));
    return uniform(CreateAdd(at[0], CreateMul(size[0], plane)));
  };
  llvm::Type* const word = getInt32Ty();
  switch (special) {
    case Special::kernel_number:
      return uniform(function_->getArg(3));
    case Special::ntid_x:
      return field(FIELD(ntid));
    case Special::ntid_y:
      return field(FIELD(ntid) + 4);
    case Special::ntid_z:
      return field(FIELD(ntid) + 8);
    case Special::ctaid_x:
      // Not constant in a function: its caller goes on to the next block.
      return uniform(context_field(FIELD(ctaid), getInt32Ty(), input_.function.is_entry));
    case Special::ctaid_y:
      return field(FIELD(ctaid) + 4);
    case Special::ctaid_z:
      return field(FIELD(ctaid) + 8);
    case Special::nctaid_x:
      return field(FIELD(nctaid));
    case Special::nctaid_y:
      return field(FIELD(nctaid) + 4);
    case Special::nctaid_z:
      return field(FIELD(nctaid) + 8);
    case Special::laneid: {
      Value value = uniform(i32(0));
      value.shape.stride = 1;
      return value;
    }
    case Special::warpid:
      return uniform(warp_);
    case Special::nwarpid:
      return field(FIELD(warps));
    case Special::warp_size:
      return uniform(i32(warp_size));
    case Special::smid:
      return uniform(context_field(FIELD(smid), getInt32Ty(), needs_frames_));
    case Special::nsmid:
      return field(FIELD(nsmid));
    case Special::gridid:
      return uniform(context_field(FIELD(grid_id), getInt64Ty()));
    case Special::lanemask_eq:
    case Special::lanemask_le:
    case Special::lanemask_lt:
    case Special::lanemask_ge:
    case Special::lanemask_gt: {
      std::vector<llvm::Constant*> masks;
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        const uint32_t one = 1u << lane, below = one - 1;
        masks.push_back(getInt32(special == Special::lanemask_eq   ? one
                                 : special == Special::lanemask_le ? below | one
                                 : special == Special::lanemask_lt ? below
                                 : special == Special::lanemask_ge ? ~below
                                                                   : ~(below | one)));
      }
      return varying(llvm::ConstantVector::get(masks));
    }
    case Special::clock:
    case Special::clock64:
      return from_helper(offsetof(Helpers, clock), 0);
    case Special::clock_hi:
      return from_helper(offsetof(Helpers, clock), 32);
    case Special::globaltimer:
    case Special::globaltimer_lo:
      return from_helper(offsetof(Helpers, global_timer), 0);
    case Special::globaltimer_hi:
      return from_helper(offsetof(Helpers, global_timer), 32);
    case Special::envreg1:
      return field(FIELD(envreg) + 4);
    case Special::envreg2:
      return field(FIELD(envreg) + 8);
    case Special::total_smem_size:
    case Special::aggr_smem_size: {
      // In units, without what is reserved and with it.
      V* const all = CreateTrunc(context_field(FIELD(shared_bytes), getInt64Ty()), word);
      V* const user = CreateSub(all, i32(input_.layout.shared_reserved));
      V* const given = CreateAnd(CreateAdd(user, i32(127)), i32(~127u));
      return uniform(special == Special::total_smem_size
                         ? given
                         : CreateAdd(given, i32(reserved_shared_bytes)));
    }
    case Special::reserved_begin:
    case Special::reserved_0:
      return uniform(i32(0));
    case Special::reserved_1:
      return uniform(i32(reserved_shared_bytes / 2));
    case Special::reserved_end:
    case Special::reserved_cap:
      return uniform(i32(reserved_shared_bytes));
    case Special::dynamic_smem_size:
      return field(FIELD(dynamic_shared_bytes));
    case Special::is_explicit_cluster:
      return uniform(CreateICmpNE(field(FIELD(explicit_cluster)).scalar[0], i32(0)));
    case Special::clusterid_x:
      return cluster_id(0);
    case Special::clusterid_y:
      return cluster_id(1);
    case Special::clusterid_z:
      return cluster_id(2);
    case Special::nclusterid_x:
      return clusters(0);
    case Special::nclusterid_y:
      return clusters(1);
    case Special::nclusterid_z:
      return clusters(2);
    case Special::cluster_ctaid_x:
      return field(FIELD(cluster_ctaid));
    case Special::cluster_ctaid_y:
      return field(FIELD(cluster_ctaid) + 4);
    case Special::cluster_ctaid_z:
      return field(FIELD(cluster_ctaid) + 8);
    case Special::cluster_nctaid_x:
      return field(FIELD(cluster_nctaid));
    case Special::cluster_nctaid_y:
      return field(FIELD(cluster_nctaid) + 4);
    case Special::cluster_nctaid_z:
      return field(FIELD(cluster_nctaid) + 8);
    case Special::cluster_ctarank:
      return rank(false);
    case Special::cluster_nctarank:
      return rank(true);
    // There are no performance counters, and no graph is launched from the device.
    case Special::envreg:
    case Special::performance_counter:
      return uniform(i32(0));
    case Special::performance_counter_wide:
    case Special::current_graph_exec:
      return uniform(i64(0));
    case Special::tid_x:
    case Special::tid_y:
    case Special::tid_z:
      break;  // known since the warp began
  }
#undef FIELD
  return uniform(i32(0));
}

}  // namespace cuvette::ptx
