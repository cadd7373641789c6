"""What programs ask for and Opweave lacks: the error that says so, and the record of it."""

import difflib
import dis
import functools
import importlib
import pathlib
import sys

# Whose names the file beside this one lists (tests/reference/record_names.py writes it).
PYTORCH = "2.15.0"
_IMPORT_FROM = dis.opmap["IMPORT_FROM"]
_asked = {}
_followed = set()
# Gives what stands in the place of a name that can only be imported (_named.py sets it).
named_only = None
# Says whether there is a module of a name (_finder.py sets it).
has_module = None
# Has a class that a module gives when it is asked say that it is PyTorch's (_classes.py sets it).
named = None


def pytorch_names():
    """The public names of PyTorch's modules and of Tensor, by the module."""
    return _listed("pytorch_names.txt")


@functools.cache
def _listed(file):
    text = (pathlib.Path(__file__).parent / file).read_text()
    lines = (line.partition(":") for line in text.splitlines())
    return {module: frozenset(names.split()) for module, _, names in lines}


@functools.cache
def aliases():
    """{module: {name: where else PyTorch has the same object}}"""
    text = (pathlib.Path(__file__).parent / "pytorch_aliases.txt").read_text()
    found = {}
    for line in text.splitlines():
        module, _, homes = line.partition(":")
        pairs = (home.partition("=") for home in homes.split())
        found[module] = {name: home for home, _, names in pairs for name in names.split(",")}
    return found


@functools.cache
def names_elsewhere():
    """{module: {name: the full name of our object}} of what libraries import, although most is private."""
    text = (pathlib.Path(__file__).parent / "names_elsewhere.txt").read_text()
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, home = line.partition("=")
            module, _, last = name.strip().rpartition(".")
            found.setdefault(module, {})[last] = home.strip()
    return found


@functools.cache
def modules_elsewhere():
    """The modules of those names, and the ones above them."""
    return frozenset(name for module in names_elsewhere() for name in with_those_above(module))


def with_those_above(module):
    """A module and those that it lies in, the nearest first."""
    while module:
        yield module
        module = module.rpartition(".")[0]


def _elsewhere(module, name):
    """The object that names_elsewhere.txt has for a name of PyTorch's; None where it has none."""
    home = names_elsewhere().get(module, {}).get(name)
    if home is None:
        return None
    owner, _, last = home.rpartition(".")
    found = getattr(importlib.import_module(owner), last, None)
    return importlib.import_module(home) if found is None else found


def same_elsewhere(module, name):
    """The object that a name of one of PyTorch's modules is, from where Opweave has it; None where it has
    none."""
    if (found := _elsewhere(module, name)) is not None:
        return found
    home = aliases().get(module, {}).get(name)
    if home is None or (module, name) in _followed:
        return None
    _followed.add((module, name))  # two places that lack it may each be the other's
    try:
        owner = importlib.import_module("opweave" + home.removeprefix("torch"))
        return getattr(owner, name)
    except (AttributeError, ImportError):
        return None
    finally:
        _followed.discard((module, name))


def is_module_of(module, name):
    """Whether PyTorch has a module below another as soon as that is imported."""
    names = pytorch_names()
    public = name in names.get(module, ()) and f"{module}.{name}" in names
    return public or f"{module}.{name}" in modules_elsewhere()


def _in_pytorch(module, name):
    names = pytorch_names()
    known = name in names.get(module, ()) or f"{module}.{name}" in names
    # Numbers, aliases of types and what modules only import: asked for seldom, and no part of any count.
    return known or name in _listed("pytorch_values.txt").get(module, ())


def _nearest(name, there):
    """Words about the name that is nearest to another, or none."""
    by_folded = {n.lower(): n for n in there if not n.startswith("_")}
    found = difflib.get_close_matches(name.lower(), by_folded, n=1, cutoff=0.6)
    return f"; the nearest name is '{by_folded[found[0]]}'" if found else ""


def _place():
    """The line outside Opweave and the import system that asks."""
    frame = sys._getframe(2)
    while frame is not None:
        module = str(frame.f_globals.get("__name__", "")).split(".")[0]
        if module not in ("opweave", "importlib") and "importlib" not in frame.f_code.co_filename:
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return "unknown"


def ask(module, name):
    """Notes that a name was asked for that is not there; says whether PyTorch has it."""
    known = _in_pytorch(module, name)
    if known:
        place, times = _asked.get(f"{module}.{name}", (_place(), 0))
        _asked[f"{module}.{name}"] = (place, times + 1)
    return known


def text_about(what, module, name, there):
    """Why there is no such name: PyTorch has it and Opweave does not, or neither does."""
    if ask(module, name):
        why = "PyTorch has it, Opweave lacks it"
    elif any(part.startswith("_") for part in f"{module}.{name}".split(".")):
        why = "a private name; Opweave lacks it"
    elif module not in pytorch_names():
        why = "Opweave lacks it"  # packages whose names are not listed
    else:
        why = f"nor has PyTorch {PYTORCH}"
    return f"{what} has no attribute '{name}' ({why}){_nearest(name, there)}"


def _is_from_import(frame):
    """Whether a frame executes `from module import name`, which replaces the words of an AttributeError."""
    code = frame.f_code.co_code
    return 0 <= frame.f_lasti < len(code) and code[frame.f_lasti] == _IMPORT_FROM


def hook(module, name):
    """Gives a module the __getattr__ that reports what it lacks; `name` is how programs call it."""
    before = vars(module).get("__getattr__")
    if getattr(before, "_of_as_torch", False):
        return

    def __getattr__(attribute):  # noqa: N807 - a module's hook
        if before is not None:
            try:
                found = before(attribute)
            except AttributeError:
                pass
            else:
                return named(found, name) if isinstance(found, type) else found
        if (found := same_elsewhere(name, attribute)) is not None:
            setattr(module, attribute, found)
            return found
        if is_module_of(name, attribute) and has_module(f"{name}.{attribute}"):
            return importlib.import_module(f"{name}.{attribute}")
        imported = _is_from_import(sys._getframe(1))
        if (found := named_only(module, name, attribute, imported)) is not None:
            return found
        refuse(module, name, attribute)

    __getattr__._of_as_torch = True
    __getattr__._before = before
    module.__getattr__ = __getattr__
    if not hasattr(module, "__path__"):
        module.__path__ = []  # what is imported below it is looked for, and its absence told in these words


def own(module, name):
    """An attribute that a module of Opweave has by itself; None where it has none."""
    if name in vars(module):
        return vars(module)[name]
    before = getattr(vars(module).get("__getattr__"), "_before", None)
    if before is None:
        return None
    try:
        return before(name)
    except AttributeError:
        return None


def refuse(module, name, attribute):
    """Called by a module's __getattr__: raises what says that it lacks an attribute."""
    frame = sys._getframe(2)
    if attribute.startswith("__"):
        raise AttributeError(f"module '{name}' has no attribute '{attribute}'")
    text = text_about(f"module '{name}'", name, attribute, dir(module))
    # A module that is being imported is found there by the statement itself.
    if _is_from_import(frame) and f"{module.__name__}.{attribute}" not in sys.modules:
        raise ImportError(text, name=name, path=getattr(module, "__file__", None))
    raise AttributeError(text, name=attribute, obj=module)


class _Lacking:
    """In the place of an attribute that PyTorch's class has: asking for it raises."""

    def __init__(self, owner, name):
        self.owner = owner
        self.name = name

    def __get__(self, instance, cls=None):
        there = [n for n in dir(cls) if not isinstance(_raw(cls, n), _Lacking)]
        kind = f"'{self.owner.rpartition('.')[2]}' object"
        text = text_about(kind, self.owner, self.name, there)
        raise AttributeError(text, name=self.name, obj=instance)


def _raw(cls, name):
    return next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)


def mark_class(cls, name):
    """Gives a class an attribute for each that PyTorch's has and it lacks; attributes that are there stay as
    fast as they were, which a __getattr__ would not leave them."""
    for attribute in pytorch_names()[name]:
        if not hasattr(cls, attribute):
            setattr(cls, attribute, _Lacking(name, attribute))


def found():
    """What was asked for and is still lacking: where first, and how often, by name."""
    return {name: entry for name, entry in sorted(_asked.items()) if not _is_there(name)}


def _is_there(name):
    """Asked again without a record: `from package import module` asks before it imports."""
    before = dict(_asked)
    owner, _, attribute = name.rpartition(".")
    try:
        value = importlib.import_module("torch")
        for part in owner.split(".")[1:]:
            value = getattr(value, part)
        return not getattr(getattr(value, attribute), "_is_name_only", False)
    except (AttributeError, ImportError):
        return False
    finally:
        _asked.clear()
        _asked.update(before)


def report():
    """The lines of `--report`; none where nothing is lacking."""
    rows = found()
    if not rows:
        return ""
    lines = [f"  {name}: {times}x, first at {place}\n" for name, (place, times) in rows.items()]
    return f"opweave.as_torch: asked for and lacking ({len(rows)})\n" + "".join(lines)
