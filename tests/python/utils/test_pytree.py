"""Trees of containers, against what torch.utils._pytree of PyTorch 2.15 says."""

from collections import OrderedDict, defaultdict, deque, namedtuple

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
