#include "portatune/generation.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "portatune/cli/terminal/terminal_events.h"
#include "portatune/python/arguments.h"
#include "portatune/python/bindings.h"
#include "portatune/python/calling_thread.h"
#include "portatune/python/freed_memory.h"
#include "portatune/run/generation/completions.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

// Hands texts to a function of Python while they grow.
class TextCalls final : public GenerationCallback {
 public:
  TextCalls(const nb::object& on_text, CallingThread& caller) : on_text_(on_text), caller_(caller) {}

  bool streams() const override { return !on_text_.is_none(); }
  void on_text(size_t prompt, std::string_view text) override {
    if (streams()) caller_.call([&] { on_text_(prompt, nb::str(text.data(), text.size())); });
  }
  void on_pause() override { stop_if_requested(); }

 private:
  const nb::object& on_text_;
  CallingThread& caller_;
};

std::vector<Completion> generate(const Words& words, const nb::object& on_text) {
  std::vector<Completion> completions;
  const KeptMemory memory;
  CallingThread caller;
  caller.run([&] {
    const auto a = arguments_of<cli::GenerateArguments>(words);
    cli::TerminalEvents events(a.reporting);
    const Device device(run::with_warnings(a.device, events));
    TextCalls calls(on_text, caller);
    for (const run::UsedModel& model : run::used_models(a.model, a.adapters)) {
      const std::vector<run::Prompt> prompts = run::read_prompts(a, model.folder);
      Generator generator(device, model.folder, {.dtype = a.dtype, .batch_size = a.batch_size});
      const GenerationOptions options = run::generation_options(generator, model.folder, a.generation, events);
      for (Completion& completion : run::complete(generator, prompts, options, a.chat, calls)) {
        completions.push_back(std::move(completion));
      }
    }
  });
  return completions;
}

}  // namespace

void bind_generation(nb::module_& module) {
  nb::class_<Completion>(module, "Completion", "The continuation of a prompt.")
      .def_ro("text", &Completion::text, "the continuation without the prompt and without special tokens")
      .def_ro("ids", &Completion::ids, "all new tokens, the one that ended the text included")
      .def_prop_ro(
          "finish_reason", [](const Completion& c) { return c.stopped ? "stop" : "length"; },
          "'stop' if a token or a stop string ended the text, 'length' after max_new_tokens")
      .def("__str__", [](const Completion& c) { return c.text; })
      .def("__repr__", [](const Completion& c) {
        return nb::str("Completion(text={!r}, finish_reason={!r})").format(c.text, c.stopped ? "stop" : "length");
      });
  module.def("generate", generate, nb::arg("words"), nb::arg("on_text").none(),
             "Continues prompts. `on_text(prompt, text)` receives more of a continuation while it grows.");
}

}  // namespace portatune::python
