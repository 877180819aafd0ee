// SPDX-License-Identifier: Apache-2.0
int NUMBER() { return 7; }
