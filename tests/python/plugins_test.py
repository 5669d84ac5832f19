"""The plugins of the wheel's extras are found among the packages, without `portatune plugin install`."""

import os
import unittest.mock

import toy
from portatune import _command


class Plugins(toy.InFolder):
    def plugin(self, place):
        path = self.folder / place
        path.parent.mkdir(parents=True)
        path.touch()
        return str(path)

    def test_those_of_all_devices_are_found(self):
        wanted = {
            "PORTATUNE_CPU_PLUGIN": self.plugin("xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"),
            "PORTATUNE_CUDA_PLUGIN": self.plugin("jax_plugins/xla_cuda13/xla_cuda_plugin.so"),
            "PORTATUNE_TPU_PLUGIN": self.plugin("libtpu/libtpu.so"),
        }
        with unittest.mock.patch.dict(os.environ, {name: "" for name in wanted}):
            self.assertEqual(_command._plugins(["/nowhere", str(self.folder)]), wanted)

    def test_the_first_folder_and_the_newer_cuda_come_first(self):
        older = self.plugin("a/jax_plugins/xla_cuda12/xla_cuda_plugin.so")
        other = self.plugin("b/jax_plugins/xla_cuda13/xla_cuda_plugin.so")
        a, b = str(self.folder / "a"), str(self.folder / "b")
        with unittest.mock.patch.dict(os.environ, {"PORTATUNE_CUDA_PLUGIN": ""}):
            self.assertEqual(_command._plugins([a, b]), {"PORTATUNE_CUDA_PLUGIN": older})
            self.assertEqual(_command._plugins([b, a]), {"PORTATUNE_CUDA_PLUGIN": other})
            newer = self.plugin("a/jax_plugins/xla_cuda13/xla_cuda_plugin.so")
            self.assertEqual(_command._plugins([a, b]), {"PORTATUNE_CUDA_PLUGIN": newer})

    def test_one_that_the_user_names_stays(self):
        self.plugin("libtpu/libtpu.so")
        with unittest.mock.patch.dict(os.environ, {"PORTATUNE_TPU_PLUGIN": "/own.so"}):
            self.assertEqual(_command._plugins([str(self.folder)]), {})


if __name__ == "__main__":
    toy.main()
