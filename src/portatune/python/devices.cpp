#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "portatune/device.h"
#include "portatune/python/arguments.h"
#include "portatune/python/bindings.h"
#include "portatune/python/calling_thread.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

nb::typed<nb::dict, nb::str, nb::any> devices(const Words& words) {
  DeviceFacts facts;
  CallingThread caller;
  caller.run([&] {
    DeviceOptions options = arguments_of<cli::DevicesArguments>(words).device;
    options.see_all = true;
    facts = Device(options).facts();
  });
  nb::dict result;
  result["platform"] = facts.platform;
  result["plugin"] = facts.plugin.string();
  result["version"] = facts.version;
  result["devices"] = facts.devices;
  result["kernels_version"] = facts.kernels_version;
  return result;
}

}  // namespace

void bind_devices(nb::module_& module) {
  module.def("devices", devices, nb::arg("words"),
             "The facts about the devices of a plugin, as `portatune devices` shows them.");
}

}  // namespace portatune::python
