#include "compare/compare.hpp"
