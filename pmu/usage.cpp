#include "pmu/usage.hpp"
