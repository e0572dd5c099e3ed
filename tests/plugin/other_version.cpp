// other_version.cpp: a plugin that says it was built for engine API PLUGIN_MAJOR.PLUGIN_MINOR, and
// makes no object.
#include "engines/engine.hpp"

extern "C" {
extern const chronio::EngineInfo chronio_engine [[gnu::visibility("default")]];
const chronio::EngineInfo chronio_engine = {.size = sizeof(chronio::EngineInfo),
                                            .api_major = PLUGIN_MAJOR,
                                            .api_minor = PLUGIN_MINOR,
                                            .io_size = sizeof(chronio::Io),
                                            .flags = 0,
                                            .name = "other_version",
                                            .help = "can't be used",
                                            .options = nullptr,
                                            .option_count = 0,
                                            .option_size = sizeof(chronio::OptionDecl),
                                            .create = []() -> chronio::Engine* { return nullptr; },
                                            .destroy = [](chronio::Engine*) {}};
}
