#pragma once
#include <libmnl/libmnl.h>
