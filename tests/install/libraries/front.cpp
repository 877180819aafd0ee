// SPDX-License-Identifier: Apache-2.0
int behind();
int hidden();
int front() { return behind() + hidden(); }
