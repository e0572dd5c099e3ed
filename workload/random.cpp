#include "workload/random.hpp"
