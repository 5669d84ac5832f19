#include "portatune/io/plugin/arrow_plugin.h"

#include "portatune/io/plugin/own_plugin.h"

namespace portatune::io {

const PortatuneArrowApi& arrow_plugin(const std::string& needed_for) {
  constexpr OwnPlugin kPlugin{.file = "libportatune_arrow.so",
                              .variable = "PORTATUNE_ARROW_PLUGIN",
                              .function = "portatune_arrow_api",
                              .version = kPortatuneArrowVersion,
                              .needed_for = "Apache Arrow reads this kind of file",
                              .fix = "pip install 'portatune[arrow]'"};
  return own_plugin<PortatuneArrowApi>(kPlugin, needed_for);
}

}  // namespace portatune::io
