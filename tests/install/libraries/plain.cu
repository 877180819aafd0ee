// SPDX-License-Identifier: Apache-2.0
int plain();
int main() { return plain() != 7; }
