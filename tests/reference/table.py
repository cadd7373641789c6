"""The table of reference cases: what is called, on which samples, in which dtypes."""

import importlib
from dataclasses import dataclass, replace

from reference.samples import F64, REAL, Sample

TABLES = (
    *("creation", "views", "indexing", "pointwise", "reductions", "linalg"),
    *("nn", "modules", "optim", "schedulers", "scheduler_errors", "averages", "printing", "dtypes"),
    "complex",
    *("recurrent", "transformers", "flex_attention", "layers", "composites", "corners", "exchange"),
    "extremes",
    *("optimizer_states", "optimizer_forms", "nn_utils", "names_nn", "names_top", "names_modules"),
    *("errors_arguments", "errors_indices", "errors_shapes", "errors_state"),
)


@dataclass(frozen=True)
class Case:
    """Python code that sees `ow` (the module), `F` (ow.nn.functional), `dt` (a dtype) and inputs.

    The value of its last expression is the answer. An error is one only where `raises` says so.
    """

    op: str
    code: str
    inputs: dict
    dtypes: tuple = F64
    grad: bool = True  # check gradients in float64 (where the answer has any)
    view: bool = False  # record strides, offset and aliasing of the answer
    values: bool = True  # False: random or uninitialised, only dtype and shape are recorded
    raises: bool = False
    says: str = ""  # words that the error's text must contain
    tol: float = 1.0  # multiplies the tolerance
    name: str = ""

    @property
    def runs_anywhere(self):
        """Whether the case computes on its inputs alone, so that it runs on the device they are on.

        A kernel of an accelerator cannot report that it divides a whole number by zero.
        """
        if self.raises and self.says == "zero":
            return False
        makes = (
            "ow.empty(",
            "ow.zeros(",
            "ow.ones(",
            "ow.tensor(",
            "ow.arange(",
            "ow.full(",
            "np.",
        )
        return bool(self.inputs) and not any(word in self.code for word in makes)

    @property
    def id(self):
        what = self.name or "; ".join(
            map(str.strip, self.code.replace("ow.", "").strip().splitlines())
        )
        samples = " ".join(f"{k}={v.label()}" for k, v in self.inputs.items())
        return f"{self.op}: {what}" + (f" | {samples}" if samples else "")


class Table:
    """Cases by id; `defaults` hold for every case that does not say otherwise."""

    def __init__(self, **defaults):
        self.cases = {}
        self.defaults = defaults

    def case(self, op, code, **options):
        """Adds a case, or dtypes to a known one; options that are samples are its inputs."""
        options = {**self.defaults, **options}
        inputs = {k: options.pop(k) for k in list(options) if isinstance(options[k], Sample)}
        added = Case(op, code, inputs, **options)
        known = self.cases.get(added.id)
        if known:
            dtypes = (*known.dtypes, *(d for d in added.dtypes if d not in known.dtypes))
            if replace(known, dtypes=dtypes) != replace(added, dtypes=dtypes):
                raise ValueError(f"two different cases with the id {added.id!r}")
            added = replace(added, dtypes=dtypes)
        self.cases[added.id] = added

    def many(self, op, codes, **options):
        """One case per line of `codes`."""
        for code in filter(None, map(str.strip, codes.splitlines())):
            self.case(op, code, **options)

    def forms(self, op, arguments="", *, inplace=True, out=True, **options):
        """The method, in-place and out= forms of `op(a, arguments)`."""
        options = {"dtypes": REAL, **options}
        self.case(op, f"a.{op}({arguments})", **options)
        if inplace:
            self.case(op, f"c = a.clone(); r = c.{op}_({arguments}); (r is c, r)", **options)
        if out:
            self._out_forms(op, f"ow.{op}(a, {arguments}" if arguments else f"ow.{op}(a", options)

    def _out_forms(self, op, call, options):
        """Into an empty tensor, which is resized, and into one with a stride of two."""
        options = {**options, "grad": False}
        fresh = f"o = ow.empty(0, dtype={call}).dtype); r = {call}, out=o); (r is o, o)"
        self.case(op, fresh, **options)
        strided = (
            f"v = {call}); o = ow.zeros(v.shape + (2,), dtype=v.dtype)[..., 0]; "
            f"{call}, out=o); (o.stride(), o)"
        )
        self.case(op, strided, **{**options, "dtypes": options["dtypes"][-1:]})


def error_cases(table, topic, lines, before="", **inputs):
    """One error per line, `code  # words of its text`, each run after `before`."""
    for line in filter(None, map(str.strip, lines.splitlines())):
        code, _, says = line.partition("  # ")
        whole = f"{before}; {code}" if before else code
        table.case(topic, whole, says=says, name=code.strip().replace("ow.", ""), **inputs)


def load(name):
    """The cases of one table, by id."""
    return importlib.import_module(f"reference.cases.{name}").table.cases
