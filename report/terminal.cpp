#include "report/terminal.hpp"
