#pragma once
#include <cap-ng.h>
