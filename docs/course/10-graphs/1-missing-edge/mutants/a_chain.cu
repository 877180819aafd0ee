// SPDX-License-Identifier: Apache-2.0
// Right, but a chain: tripling b has no reason to wait for a.
void build(cudaGraph_t graph, int* a, int* b, int* sums, int* rest) {
  const Step doubled = add_step(graph, {}, double_all, a);
  const Step tripled = add_step(graph, {doubled}, triple_all, b);
  const Step cleared = add_step(graph, {}, clear, rest);
  const Step added = add_step(graph, {tripled}, add, sums, a, b);
  add_step(graph, {added, cleared}, negate, sums, rest);
  (void)doubled, (void)tripled, (void)cleared, (void)added;
}
