#include "target/target.hpp"
