#include "results/run.hpp"
