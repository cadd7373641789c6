"""How gdb prints tensors, sets of dispatch keys and boxed values; in gdb: `source tools/gdb/opweave.py`.

Everything is read from memory: nothing of the program is called, so core files are printed as well.
"""

from collections.abc import Iterator
from typing import Any

import gdb
import gdb.printing

# The device types that always exist; the others register themselves while a program runs.
DEVICES = ("cpu", "meta")


def _enumerators(name: str) -> dict[int, str]:
    """Numbers and names of an enumeration, as the program has them."""
    return {field.enumval: field.name.split("::")[-1] for field in gdb.lookup_type(name).fields()}


def _device_type(number: int) -> str:
    return DEVICES[number] if number < len(DEVICES) else f"device type {number}"


def _integers(numbers: Any, count: int) -> str:
    return "[" + ", ".join(str(int(numbers[i])) for i in range(count)) + "]"


class DevicePrinter:
    """`cpu`, `cuda:1`."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def to_string(self) -> str:
        index = int(self.value["index"])
        return _device_type(int(self.value["type"])) + (f":{index}" if index >= 0 else "")


class KeySetPrinter:
    """`{cpu, kADInplaceOrView, kAutograd}`, lowest first."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def to_string(self) -> str:
        names = _enumerators("opweave::DispatchKey")
        backends = next(number for number, name in names.items() if name == "kFirstLayout")
        names = {n: name for n, name in names.items() if not name.startswith("kFirst")}
        bits = int(self.value["bits_"])
        return (
            "{"
            + ", ".join(self._name(i, names, backends) for i in range(64) if bits >> i & 1)
            + "}"
        )

    @staticmethod
    def _name(bit: int, names: dict[int, str], backends: int) -> str:
        return _device_type(bit) if bit < backends else names.get(bit, f"functionality {bit}")


class ScalarPrinter:
    """`1.5`, `3`, `true`."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def to_string(self) -> str:
        kind = str(self.value["kind_"]).split("::")[-1]
        if kind == "kDouble":
            return repr(float(self.value["double_"]))
        number = int(self.value["int_"])
        return ("true" if number else "false") if kind == "kBool" else str(number)


class TensorPrinter:
    """Geometry, dtype, device and dispatch keys; the fields of the TensorImpl are below `impl`."""

    def __init__(self, value: Any) -> None:
        self.impl = value["impl_"]["object_"]

    def to_string(self) -> str:
        if int(self.impl) == 0:
            return "undefined tensor"
        impl = self.impl.dereference()
        sizes, strides = self._geometry(impl["geometry_"])
        dtype = str(impl["dtype_"]).split("::")[-1]
        parts = [
            f"tensor of sizes {sizes}",
            f"strides {strides}",
            dtype,
            impl["device_"].format_string(),
        ]
        if int(impl["storage_offset_"]):
            parts.append(f"offset {int(impl['storage_offset_'])}")
        if impl["requires_grad_"] or int(impl["grad_fn_"]["object_"]):
            parts.append("requires grad")
        return ", ".join([*parts, f"keys {impl['key_set_'].format_string()}"])

    @staticmethod
    def _geometry(geometry: Any) -> tuple[str, str]:
        ndim = int(geometry["ndim_"])
        inline = geometry["inline_"].type.range()[1] // 2 + 1
        in_object = ndim <= inline
        numbers = geometry["inline_"] if in_object else geometry["heap_"]
        strides = [numbers[i + (inline if in_object else ndim)] for i in range(ndim)]
        return _integers(numbers, ndim), _integers(strides, ndim)

    def children(self) -> Iterator[tuple[str, Any]]:
        if int(self.impl):
            yield "impl", self.impl


class IValuePrinter:
    """The kind of value and the value: `int 3`, `Tensor tensor of sizes …`."""

    # By the beginning of the C++ type, as schemas call them.
    KINDS = {
        "bool": "bool",
        "long": "int",
        "double": "float",
        "std::__cxx11::basic_string<": "str",
        "std::vector<opweave::Tensor,": "Tensor[]",
        "std::vector<long,": "int[]",
        "std::vector<double,": "float[]",
        "std::vector<bool,": "bool[]",
    }

    def __init__(self, value: Any) -> None:
        self.variant = value["value_"]

    def to_string(self) -> str:
        index = int(self.variant["_M_index"])
        held = self.variant.type.strip_typedefs().template_argument(index)
        name = str(held.strip_typedefs())
        if name == "std::monostate":
            return "None"
        if name == "opweave::Object":  # its type has the schema's name
            type_name = self._alternative(index, held)["type"]
            return str(type_name["_M_str"].string(length=int(type_name["_M_len"])))
        kinds = [kind for start, kind in self.KINDS.items() if name.startswith(start)]
        return f"{(kinds or [name.split('::')[-1]])[0]} {self._alternative(index, held).format_string()}"

    def _alternative(self, index: int, held: Any) -> Any:
        union = self.variant["_M_u"]
        for _ in range(index):
            union = union["_M_rest"]
        storage = union["_M_first"]["_M_storage"]
        # What has a destructor lies in a buffer of bytes.
        return storage.address.cast(held.pointer()).dereference()


def register() -> None:
    """Adds the printers to the program that gdb looks at."""
    printers = gdb.printing.RegexpCollectionPrettyPrinter("opweave")
    for name, printer in {
        "Tensor": TensorPrinter,
        "DispatchKeySet": KeySetPrinter,
        "IValue": IValuePrinter,
        "Scalar": ScalarPrinter,
        "Device": DevicePrinter,
    }.items():
        printers.add_printer(name, f"^opweave::{name}$", printer)
    gdb.printing.register_pretty_printer(gdb.current_objfile(), printers, replace=True)


register()
