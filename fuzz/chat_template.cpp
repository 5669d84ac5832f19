// Any bytes either throw CheckpointError or give a template that renders a conversation, or throws DataError or
// CheckpointError.
#include "portatune/chat/jinja/template.h"
#include "portatune/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace portatune::jinja;
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const Value message = make_dict({{"role", "user"}, {"content", "caf\u00e9 <b>"}});
  const Value variables = make_dict({{"messages", make_list({message, message})},
                                     {"add_generation_prompt", true},
                                     {"bos_token", "<s>"},
                                     {"tools", None{}}});
  try {
    Template(source, "fuzz").render(variables, std::tm{});
  } catch (const portatune::CheckpointError&) {
  } catch (const portatune::DataError&) {
  }
  return 0;
}
