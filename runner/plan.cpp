#include "runner/observer.hpp"
