#include "stats/histogram.hpp"
