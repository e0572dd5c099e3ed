#include "clock/timebase.hpp"
