// For sources that include it by itself.
#pragma once
#include "paddle/fluid/framework/tensor.h"
