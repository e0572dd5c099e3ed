#include "jobs/units.hpp"
