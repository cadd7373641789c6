"""Trees of containers, against what torch.utils._pytree of PyTorch 2.15 says."""

from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass

import opweave as ow
import pytest
from opweave.utils import _pytree as pytree

Pair = namedtuple("Pair", "a b")
TREE = {
    "x": [1, (2, None)],
    "y": Pair(3, 4),
    "z": OrderedDict(b=1, a=2),
    "d": defaultdict(list, {"k": 5}),
    "q": deque([1, 2], maxlen=3),
}


def test_trees_are_taken_apart_and_put_together():
    leaves, spec = pytree.tree_flatten(TREE)
    assert leaves == [1, 2, None, 3, 4, 1, 2, 5, 1, 2]
    again = pytree.tree_unflatten(leaves, spec)
    assert again == TREE
    assert (type(again["y"]), again["q"].maxlen, again["d"].default_factory) == (Pair, 3, list)
    assert (spec.num_leaves, spec.num_nodes, spec.num_children, spec.type) == (10, 17, 5, dict)
    assert spec == pytree.tree_structure(TREE) != pytree.tree_structure([1])
    assert hash(spec) == hash(pytree.tree_structure(TREE))


def test_structures_print_as_pytorchs():
    assert repr(pytree.tree_structure(())) == "TreeSpec(tuple, None, [])"
    assert repr(pytree.tree_structure(1)) == repr(pytree.LeafSpec()) == "*"
    expected = "TreeSpec(list, None, [*,\n  TreeSpec(tuple, None, [*])])"
    assert repr(pytree.tree_structure([1, (2,)])) == expected


def test_functions_are_applied_to_leaves():
    assert pytree.tree_map(lambda a, b: a + b, [1, {"a": 2}], [3, {"a": 4}]) == [4, {"a": 6}]
    assert pytree.tree_map_only(int, lambda v: -v, [1, "a", 2.0]) == [-1, "a", 2.0]
    assert pytree.tree_map_only((int, str), lambda v: 0, [1, "a", 2.0]) == [0, 0, 2.0]
    assert pytree.tree_map_only(lambda v: v == 1, lambda v: 0, [1, 2]) == [0, 2]
    assert pytree.tree_leaves([1, [2]], is_leaf=lambda v: v == [2]) == [1, [2]]
    assert (pytree.tree_all(bool, [1, 0]), pytree.tree_any(bool, [1, 0])) == (False, True)
    assert pytree.tree_map(str, ow.Size([1, 2])) == ("1", "2")
    seen = []
    tree = [1, (2,)]
    assert pytree.tree_map_(seen.append, tree) is tree
    assert seen == [1, 2]


def test_results_of_operators_are_nodes():
    found = pytree.tree_map(lambda t: t * 2, ow.max(ow.ones(2, 2), 0))
    assert type(found).__name__ == "max"
    assert found.values.tolist() == [2.0, 2.0]


def test_classes_can_be_registered_once():
    class Box:
        def __init__(self, content):
            self.content = content

    pytree.register_pytree_node(Box, lambda b: ([b.content], None), lambda c, _: Box(*c))
    assert pytree.tree_map(lambda v: v + 1, Box(1)).content == 2
    with pytest.raises(ValueError, match="already registered"):
        pytree.register_pytree_node(Box, None, None)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: pytree.tree_map(max, [1, 2], [1]), ValueError, "expected 2, but got 1"),
        (lambda: pytree.tree_map(max, [1, 2], (1, 2)), ValueError, "Node type mismatch; expected"),
        (
            lambda: pytree.tree_map(max, {"a": 1}, {"b": 1}),
            ValueError,
            "expected ['a'], but got ['b']",
        ),
        (lambda: pytree.tree_unflatten([1], pytree.tree_structure([])), ValueError, "expected 0"),
        (
            lambda: pytree.tree_unflatten([1], [1]),
            TypeError,
            "expected `treespec` to be a TreeSpec",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, error, text):
    with pytest.raises(error) as raised:
        call()
    assert text in str(raised.value)


def test_leaves_have_paths():
    found, spec = pytree.tree_flatten_with_path(TREE)
    assert spec == pytree.tree_structure(TREE)
    assert [(pytree.keystr(path), leaf) for path, leaf in found] == [
        ("['x'][0]", 1),
        ("['x'][1][0]", 2),
        ("['x'][1][1]", None),
        ("['y'].a", 3),
        ("['y'].b", 4),
        ("['z']['b']", 1),
        ("['z']['a']", 2),
        ("['d']['k']", 5),
        ("['q'][0]", 1),
        ("['q'][1]", 2),
    ]
    assert all(pytree.key_get(TREE, path) is leaf for path, leaf in found)
    assert repr(found[3][0]) == "(MappingKey(key='y'), GetAttrKey(name='a'))"
    assert pytree.tree_leaves_with_path(3) == [((), 3)]
    whole = pytree.tree_leaves_with_path([1, [2]], is_leaf=lambda node: node == [2])
    assert whole[1] == ((pytree.SequenceKey(1),), [2])
    values = pytree.tree_leaves_with_path(ow.max(ow.ones(2), 0))
    assert [path for path, _ in values] == [(pytree.SequenceKey(0),), (pytree.SequenceKey(1),)]


def test_functions_are_told_paths():
    got = pytree.tree_map_with_path(
        lambda k, a, b: (pytree.keystr(k), a + b), {"a": [1]}, {"a": [2]}
    )
    assert got == {"a": [("['a'][0]", 3)]}
    with pytest.raises(ValueError, match="Node keys mismatch"):
        pytree.tree_map_with_path(lambda k, a, b: a, {"a": 1}, {"b": 1})


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


def test_registered_classes_say_their_keys():
    class Silent:
        pass

    pytree.register_pytree_node(Silent, lambda s: ([1], None), lambda children, c: Silent())
    text = "^Did not find a flatten_with_keys_fn for type: .*Silent'>. Please pass a flatten_with_keys_fn"
    with pytest.raises(ValueError, match=text):
        pytree.tree_leaves_with_path(Silent())
    pytree.register_pytree_node(
        Point,
        lambda p: ([p.x, p.y], None),
        lambda children, c: Point(*children),
        flatten_with_keys_fn=lambda p: (
            [(pytree.GetAttrKey("x"), p.x), (pytree.GetAttrKey("y"), p.y)],
            None,
        ),
    )
    found = pytree.tree_leaves_with_path([Point(1, 2)])
    assert [pytree.keystr(path) for path, _ in found] == ["[0].x", "[0].y"]


@dataclass
class Row:
    a: object
    b: object = None
    c: object = 7


def test_dataclasses_are_nodes():
    pytree.register_dataclass(Row, drop_field_names=["c"])
    assert pytree.tree_map(lambda v: v + 1, Row(1, None, 9)) == Row(2, None, 7)
    assert [pytree.keystr(k) for k, _ in pytree.tree_leaves_with_path(Row(1, [2]))] == [
        ".a",
        ".b[0]",
    ]
    pytree.register_dataclass(Row)
    assert pytree.tree_map(lambda v: v + 1, Row(1, 2, 3)) == Row(2, 3, 4)
    with pytest.raises(ValueError, match="expected a dataclass, or `field_names`"):
        pytree.register_dataclass(int)
    with pytest.raises(ValueError, match=r"has no fields \['d'\]; it has \['a', 'b', 'c'\]$"):
        pytree.register_dataclass(Row, drop_field_names=["d"])


def test_smaller_trees_are_spread():
    spread = pytree._broadcast_to_and_flatten
    spec = pytree.tree_structure([1, [2, 5]])
    assert spread(3, spec) == [3, 3, 3]
    assert spread([3, 4], spec) == [3, 4, 4]
    assert spread([3], spec) is spread({"a": 1}, spec) is spread([[1], 2], spec) is None
    assert pytree.arg_tree_leaves(1, [2], a=3) == [1, 2, 3]
    text = "{'a': [*, (*, *)], 'b': *}"
    assert pytree.treespec_pprint(pytree.tree_structure({"a": [1, (2, 3)], "b": 4})) == text


def test_parts_with_keys_have_pytorchs_private_names():
    key, place = pytree.MappingKey, pytree.SequenceKey
    assert pytree._dict_flatten_with_keys({"a": 1}) == ([(key("a"), 1)], ["a"])
    assert pytree._ordereddict_flatten_with_keys(OrderedDict(a=1)) == ([(key("a"), 1)], ["a"])
    counted = defaultdict(int, a=1)
    assert pytree._defaultdict_flatten_with_keys(counted) == ([(key("a"), 1)], [int, ["a"]])
    assert pytree._list_flatten_with_keys([4]) == ([(place(0), 4)], None)
    assert pytree._tuple_flatten_with_keys((4,)) == ([(place(0), 4)], None)
    assert pytree._deque_flatten_with_keys(deque([4], 2)) == ([(place(0), 4)], 2)
    names = [(pytree.GetAttrKey("a"), 1), (pytree.GetAttrKey("b"), 2)]
    assert pytree._namedtuple_flatten_with_keys(Pair(1, 2)) == (names, Pair)
