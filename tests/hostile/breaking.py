"""Breaks the arguments of a call: lengths, sizes, dtypes, layouts, aliases, and objects that do harm."""

import copy
import dataclasses
import math

from values import Array, Items, Same, Text

DTYPES = (
    *(
        "float32",
        "float64",
        "float16",
        "bfloat16",
        "int64",
        "int32",
        "int16",
        "int8",
        "uint8",
        "bool",
    ),
    *("uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2"),
)
INTS = (
    *(
        "0",
        "1",
        "-1",
        "2",
        "-2",
        "3",
        "5",
        "7",
        "-7",
        "100",
        "2**31 - 1",
        "2**31",
        "-2**31",
        "2**32",
        "2**40",
    ),
    *("2**61", "2**62", "2**63 - 1", "-2**63", "2**63", "2**64", "-2**65", "10**30"),
)
FLOATS = (
    *("0.0", "-0.0", "1.0", "-1.5", "0.5", "1e-300", "1e300", "float('inf')", "-float('inf')"),
    *("float('nan')", "2.0**63", "-2.0**63", "1e-45"),
)
TEXTS = (
    "''",
    "'mean'",
    "'sum'",
    "'none'",
    "'x' * 100000",
    "'\\0'",
    "'\\ud800'",
    "'ij,jk->ik'",
    "'->'",
    "'...'",
    "b'x'",
)
OTHERS = (
    *(
        "None",
        "True",
        "object()",
        "lambda *a: None",
        "1j",
        "...",
        "slice(None)",
        "{}",
        "{1: 2}",
        "range(3)",
    ),
    *(
        "np.ones(2)",
        "np.float32(1)",
        "np.int64(3)",
        "np.array([[1, 2]])",
        "iter([1, 2])",
        "ow",
        "ow.Tensor",
    ),
    *(
        "ow.float32",
        "ow.contiguous_format",
        "ow.channels_last",
        "ow.channels_last_3d",
        "ow.strided",
        "ow.int64",
    ),
    *(
        "ow.device('cpu')",
        "'cpu'",
        "'meta'",
        "'cuda'",
        "'cpu:7'",
        "ow.Generator()",
        "ow.Size([2, 3])",
    ),
    *("Evil(1, fail)", "Evil(2, lambda: None)", "evil_list([1, 2, 3], 0)", "evil_list([2, 3], 1)"),
    *(
        "evil_list([1, 1], 1, 'pop')",
        "[Evil(1, fail)]",
        "(1, Evil(2**62, lambda: None))",
        "ow.ones(2)",
    ),
    *(
        "ow.tensor(3)",
        "ow.tensor(True)",
        "[ow.ones(2), None]",
        "[[]]",
        "[[1], [2, 3]]",
        "[1] * 70",
        "()",
        "[]",
    ),
)
SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 16, 33, 64, 65)
LAYOUTS = ("strided", "transposed", "expanded", "shifted")


def some_int(g):
    return Text(g.choice(INTS))


def other(g):
    return Text(g.choice(g.choice((OTHERS, INTS, FLOATS, TEXTS))))


def some_array(g):
    shape = smaller(g.choice(SIZES) for _ in range(g.choice((0, 1, 1, 2, 2, 3, 4, 5, 6))))
    return Array(shape, g.choice(DTYPES), layout=g.choice(("", *LAYOUTS)), grad=g.random() < 0.2)


def smaller(shape):
    """Few enough elements that no call takes long for them."""
    shape = list(shape)
    while math.prod(shape) > 10**5:
        shape[shape.index(max(shape))] = 2
    return tuple(shape)


def changed_shape(g, shape):
    shape = list(shape)
    kind = g.randrange(6)
    if kind == 0:
        shape.insert(g.randint(0, len(shape)), g.choice(SIZES))
    elif not shape:
        shape = [g.choice(SIZES)]
    elif kind == 1:
        del shape[g.randrange(len(shape))]
    elif kind == 2:
        shape[g.randrange(len(shape))] = 0
    elif kind == 3:
        g.shuffle(shape)
    else:
        shape[g.randrange(len(shape))] = g.choice(SIZES)
    return smaller(shape)


def broken_array(g, array):
    a = copy.copy(array)
    kind = g.randrange(10)
    if kind <= 3:
        a.shape, a.elements = changed_shape(g, a.shape), None
        if not a.dtype.startswith(("float", "bf")) and g.random() < 0.3:
            n = math.prod(a.shape)
            a.elements = (
                [g.choice((0, 1, 2)) for _ in range(n)] if n < 100 and a.dtype != "bool" else None
            )
    elif kind == 4:
        a.dtype, a.elements = g.choice(DTYPES), None
    elif kind == 5:
        a.layout = g.choice(LAYOUTS)
    elif kind == 6:
        a.grad = True
    elif kind == 7 and a.elements:
        edge = INTS[:15] if "int" in a.dtype else FLOATS
        if a.dtype != "bool":
            a.elements = [g.choice((e, Edge(g.choice(edge)))) for e in a.elements]
    elif kind == 8:
        a.device, a.grad = "meta", False
    else:
        return some_array(g)
    return a


class Edge:
    """An element that is printed as an expression."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def broken_items(g, value):
    v = Items(list(value.items), value.brackets)
    kind = g.randrange(9)
    if kind == 0:
        v.items = []
    elif kind == 1:
        v.items = v.items[:-1]
    elif kind == 2:
        v.items = v.items + v.items
    elif kind == 3 and v.items:
        v.items = v.items[:1] * g.choice((1, 3, 70))
    elif kind == 4:
        v.brackets = "()" if v.brackets == "[]" else "[]"
    elif kind == 5 and v.items:
        return Text(f"evil_list({v}, {g.randint(0, len(v.items))}, '{g.choice(('clear', 'pop'))}')")
    elif v.items:
        i = g.randrange(len(v.items))
        v.items[i] = broken(g, v.items[i])
    else:
        v.items = [some_int(g)]
    return v


def broken_text(g, value):
    text = value.text
    if g.random() < 0.15:
        return other(g)
    if text in ("True", "False"):
        return Text("False" if text == "True" else "True")
    if text[:1] in "'\"":
        return Text(g.choice(TEXTS))
    if text.lstrip("-").isdigit():
        if g.random() < 0.2:
            return Items([some_int(g) for _ in range(g.randrange(4))])
        return some_int(g)
    if text.startswith("ow.") and text[3:] in DTYPES:
        return Text("ow." + g.choice(DTYPES))
    if text == "None":
        return g.choice((other, some_int, some_array))(g)
    return Text(g.choice(FLOATS))


def broken(g, value):
    """One value made different."""
    if isinstance(value, Array):
        return broken_array(g, value) if g.random() < 0.93 else other(g)
    if isinstance(value, Items):
        return broken_items(g, value) if g.random() < 0.93 else other(g)
    return broken_text(g, value) if isinstance(value, Text) else other(g)


def recorded(value):
    """The same with a history in autograd, by which some operators compute otherwise."""
    if isinstance(value, Items):
        return Items([recorded(v) for v in value.items], value.brackets)
    if isinstance(value, Array) and value.dtype in DTYPES[:4]:
        return dataclasses.replace(value, grad=True)
    return value


def break_call(g, call):
    """The call with one to four arguments broken, left out, or the same as another."""
    call = copy.copy(call)
    call.positional, call.keywords = list(call.positional), dict(call.keywords)
    if g.random() < 0.2:
        call.positional = [recorded(v) for v in call.positional]
    for _ in range(g.choice((1, 1, 1, 2, 2, 3, 4))):
        places = [*range(len(call.positional)), *call.keywords]
        if not places:
            break
        at = g.choice(places)
        where = call.positional if isinstance(at, int) else call.keywords
        kind = g.random()
        if kind < 0.05 and at == len(call.positional) - 1 and not call.method:
            call.positional.pop()
        elif kind < 0.05 and not isinstance(at, int):
            del call.keywords[at]
        elif kind < 0.12 and call.positional and at != 0:
            last = at if isinstance(at, int) else len(call.positional)
            where[at] = Same(f"a{g.randrange(last)}")
        elif not isinstance(where[at], Same):
            value = broken(g, where[at])
            # The method of something else would be that something's.
            if not (call.method and at == 0) or isinstance(value, Array):
                where[at] = value
    drop_lost_names(call)
    return call


def drop_lost_names(call):
    """Keywords that are the same as a positional argument, which was left out later, go too."""
    names = {f"a{i}" for i in range(len(call.positional))}
    call.keywords = {
        k: v for k, v in call.keywords.items() if not isinstance(v, Same) or v.name in names
    }
