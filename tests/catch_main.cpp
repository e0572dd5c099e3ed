// catch_main.cpp: the main function of every unit test, compiled once.
#define CATCH_CONFIG_MAIN
#include "tests/catch.hpp"
