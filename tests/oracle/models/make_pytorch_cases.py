"""Makes tests/data/pytorch: state dicts in the file formats of PyTorch, and what torch.load(weights_only=True) reads.

Run by hand from the root of the repository, with torch 2.15.0 and safetensors 0.8.0:
    python tests/oracle/models/make_pytorch_cases.py
NAME.bin is a state dict, NAME.safetensors its tensors, without strides and shared memory.
"""

import collections
import io
import pathlib
import pickle
import struct
import types

import safetensors.torch
import torch

TARGET = pathlib.Path("tests/data/pytorch")
FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
INTEGERS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]


def write(name, file):
    (TARGET / f"{name}.bin").write_bytes(file)
    tensors = torch.load(io.BytesIO(file), weights_only=True)
    copies = {key: tensor.detach().clone(memory_format=torch.contiguous_format) for key, tensor in tensors.items()}
    safetensors.torch.save_file(copies, TARGET / f"{name}.safetensors")


def saved(state, **options):
    file = io.BytesIO()
    torch.save(state, file, **options)
    return file.getvalue()


def write_both(name, state):
    write(f"{name}_zip", saved(state))
    write(f"{name}_old", saved(state, _use_new_zipfile_serialization=False))


def dtypes():
    tensors = {str(dtype)[6:]: torch.tensor([1.5, -2.25, 3e-5]).to(dtype) for dtype in FLOATS}
    tensors |= {str(dtype)[6:]: torch.tensor([[1, 2], [3, 127]]).to(dtype) for dtype in INTEGERS}
    return tensors | {"bool": torch.tensor([True, False, True])}


def views():
    matrix, cube = torch.arange(12.0).reshape(3, 4), torch.arange(24, dtype=torch.int64).reshape(2, 3, 4)
    return {
        "matrix": matrix,
        "transposed": matrix.T,
        "tied": matrix,
        "row": matrix[1],
        "column": matrix[:, 1],
        "steps": matrix[:, ::2],
        "diagonal": matrix.diagonal(),
        "scalar": matrix[2, 3],
        "none": matrix[:0],
        "no_columns": torch.zeros(3, 0),
        "no_integers": torch.zeros(0, dtype=torch.int64),
        "expanded": torch.tensor([[1.0], [2.0]]).expand(2, 3),
        "axis_of_one": cube[:, :1, :].transpose(0, 1),
        "permuted": cube.permute(2, 0, 1),
        "windows": torch.arange(6.0).unfold(0, 3, 1),
    }


def parameters():
    layer = torch.nn.Linear(3, 2)
    with_attribute = torch.nn.Parameter(torch.tensor([4.0]))
    with_attribute.tag = "kept"
    state = layer.state_dict(keep_vars=True)  # with the attribute _metadata
    state["with_attribute"] = with_attribute
    state["frozen"] = torch.nn.Parameter(torch.tensor([5.0]), requires_grad=False)
    return state


class Python2Pickler(pickle._Pickler):
    """Writes an OrderedDict and ASCII texts as Python 2 does."""

    dispatch = dict(pickle._Pickler.dispatch)

    def save_text(self, text):
        self.write(pickle.SHORT_BINSTRING + bytes([len(text)]) + text.encode())
        self.memoize(text)

    def save_ordered_dict(self, items):
        self.save_reduce(collections.OrderedDict, ([list(item) for item in items.items()],), obj=items)

    dispatch[str] = save_text
    dispatch[collections.OrderedDict] = save_ordered_dict


def python2_file():
    module = types.SimpleNamespace(__name__="pickle", Pickler=Python2Pickler)
    module.dump = lambda value, file, protocol: Python2Pickler(file, protocol).dump(value)
    state = collections.OrderedDict(weight=torch.tensor([[1.0, 2.0]]), bias=torch.tensor([3.0]))
    return saved(state, pickle_module=module, _use_new_zipfile_serialization=False)


class ViewPickler(pickle.Pickler):
    """Writes a storage as a view of the storage "root", as the first versions of PyTorch do."""

    def persistent_id(self, value):
        if not isinstance(value, torch.storage.TypedStorage):
            return None
        return ("storage", torch.FloatStorage, "root", "cpu", 6, ("view", 2, 4))


def storage_view_file():
    file = io.BytesIO()
    for value in (torch.serialization.MAGIC_NUMBER, torch.serialization.PROTOCOL_VERSION, {"little_endian": True}):
        pickle.dump(value, file, 2)
    ViewPickler(file, 2).dump({"part": torch.tensor([0.0, 0.0, 0.0, 0.0])[1:]})
    pickle.dump(["root"], file, 2)
    return file.getvalue() + struct.pack("<q6f", 6, *range(6))


def main():
    torch.manual_seed(0)
    TARGET.mkdir(exist_ok=True)
    write_both("dtypes", dtypes())
    write_both("views", views())
    write_both("parameters", parameters())
    write("python2_old", python2_file())
    write("storage_view_old", storage_view_file())
    vector = saved({"weight": torch.tensor([1.0, 2.0])}, _use_new_zipfile_serialization=False)
    write("gpu_old", vector.replace(b"ctorch\nFloatStorage\n", b"ctorch.cuda\nFloatStorage\n"))
    # The first constructor has no requires_grad and no hooks.
    first = vector.replace(b"_rebuild_tensor_v2\n", b"_rebuild_tensor\n")
    write("first_constructor_old", first.replace(b"\x89ccollections\nOrderedDict\nq\n)Rq\x0b", b""))
    opt = safetensors.torch.load_file("tests/data/models/opt_350m/model.safetensors")
    (TARGET / "opt_350m.bin").write_bytes(saved(opt))


main()
