#include "engines/registry.hpp"
