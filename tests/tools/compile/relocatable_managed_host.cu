// SPDX-License-Identifier: Apache-2.0
// Uses a variable of relocatable_managed.cu on the host alone.
#include "relocatable_managed.hpp"

int counter_of_host() { return counter; }
