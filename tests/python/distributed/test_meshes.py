"""Meshes of processes, and the world cut into groups: what PyTorch 2.15 says of the same, and real ones."""

import opweave as ow
import pytest
from support.ranks import run


@pytest.fixture
def world():
    import opweave.distributed as dist

    dist.init_process_group("fake", store=dist.HashStore(), rank=5, world_size=8)
    yield dist
    dist.destroy_process_group()


@pytest.fixture
def mesh(world):
    return world.init_device_mesh("cpu", (2, 2, 2), mesh_dim_names=("pp", "dp", "tp"))


def test_what_a_mesh_tells(world, mesh):
    assert repr(mesh) == "DeviceMesh((pp=2, dp=2, tp=2), 'cpu', stride=(4, 2, 1))"
    assert (mesh.shape, mesh.ndim, mesh.size(), mesh.size(1)) == ((2, 2, 2), 3, 8, 2)
    assert (mesh.get_coordinate(), mesh.get_local_rank("tp"), mesh.get_rank()) == ((1, 0, 1), 1, 5)
    ranks = {n: world.get_process_group_ranks(mesh.get_group(n)) for n in mesh.mesh_dim_names}
    assert ranks == {"dp": [5, 7], "pp": [1, 5], "tp": [4, 5]}
    assert mesh.get_all_groups() == [mesh.get_group(i) for i in range(3)]
    plain = world.DeviceMesh("cpu", [[0, 1], [5, 3]])
    assert repr(plain) == "DeviceMesh((2, 2), 'cpu', stride=(2, 1))"
    assert plain.get_coordinate() == (1, 0)
    assert plain == world.DeviceMesh("cpu", [[0, 1], [5, 3]])
    assert world.DeviceMesh("cpu", [0, 1]).get_coordinate() is None


def test_parts_of_a_mesh(world, mesh):
    assert repr(mesh["dp"]) == "DeviceMesh((dp=2), 'cpu', stride=(2,))"
    assert repr(mesh["dp", "tp"]) == "DeviceMesh((dp=2, tp=2), 'cpu', stride=(2, 1))"
    assert mesh["dp"].get_local_rank() == 0
    assert mesh["dp"].get_group() is mesh.get_group("dp")
    assert mesh["dp", "tp"].mesh.tolist() == [[4, 5], [6, 7]]


def test_what_is_no_part_of_a_mesh(world, mesh):
    for call, kind, text in [
        (lambda: mesh.get_group(), RuntimeError, "Found the DeviceMesh have 3 dimensions"),
        (lambda: mesh.get_local_rank(), RuntimeError, "`mesh_dim` needs to be specified"),
        (lambda: mesh["xx"], KeyError, r"Valid mesh_dim_names are \['pp', 'dp', 'tp'\]"),
        (lambda: mesh["tp", "dp"], KeyError, "should be in ascending order"),
        (lambda: mesh.get_group("x"), KeyError, "Mesh dimension 'x' does not exist"),
        (lambda: mesh.get_group(3), IndexError, "dimension 3 of a mesh of 3 dimensions"),
        (lambda: world.DeviceMesh("cpu", [0, 1])["a"], RuntimeError, "without mesh_dim_names"),
        (lambda: world.DeviceMesh("cpu", [0, 0]), RuntimeError, "expected different ranks"),
        (lambda: world.DeviceMesh("cpu", [0, 8]), RuntimeError, "of a world of 8"),
    ]:
        with pytest.raises(kind, match=text):
            call()


def test_meshes_that_cannot_be(world):
    for shape, names, text in [
        ((4, 2), ("a",), r"len\(mesh_dim_names\): 1 and len\(mesh_shape\):2"),
        ((4, 2), ("a", "a"), "Each mesh_dim_name must be unique"),
        ((4, 3), None, "has 12 ranks, and the world 8"),
    ]:
        with pytest.raises(RuntimeError, match=text):
            world.init_device_mesh("cpu", shape, mesh_dim_names=names)
    with pytest.raises(RuntimeError, match="Device type with index is not supported"):
        world.init_device_mesh("cpu:0", (8,))


def test_subgroups(world):
    mine, groups = world.new_subgroups(4)
    assert world.get_process_group_ranks(mine) == [4, 5, 6, 7]
    assert len(groups) == 2
    assert groups[1] is mine
    for call, text in [
        (lambda: world.new_subgroups(3), r"\(8\) must be divisible by 'group_size=3'"),
        (lambda: world.new_subgroups(9), r"\(9\) must not exceed the world size \(8\)"),
        (lambda: world.new_subgroups(0), r"\(0\) must be positive"),
        (
            lambda: world.new_subgroups_by_enumeration([[0, 1], [1, 2]]),
            "Rank 1 has appeared in both",
        ),
        (lambda: world.new_subgroups_by_enumeration([]), "cannot be empty"),
        (lambda: world.split_group(None, []), "cannot be None or empty"),
        (lambda: world.split_group(None, [[0, 1], [1]]), "expected parts with different ranks"),
        (lambda: world.split_group(None, [[8]]), "of a group of 8"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()


def sums(dist, rank, size):
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    found = []
    for name in ("dp", "tp"):
        x = ow.tensor([float(rank)])
        dist.all_reduce(x, group=mesh[name].get_group())
        found.append(x.item())
    # Parts of a part, in an order of their own; the others take no part in it.
    half = dist.split_group(None, [[2, 0], [1, 3]])
    assert dist.get_process_group_ranks(half) == ([2, 0] if rank % 2 == 0 else [1, 3])
    if rank % 2 == 0:
        alone = dist.split_group(half, [[0]])
        assert (alone == dist.GroupMember.NON_GROUP_MEMBER) == (rank == 0)
    again = dist.split_group(half, [[1, 0]])
    x = ow.tensor([float(rank)])
    dist.broadcast(x, group=again, group_src=0)
    return [*found, x.item()]


def test_collectives_along_a_mesh(tmp_path):
    assert run(sums, 4, tmp_path) == [[2, 1, 0], [4, 1, 3], [2, 5, 0], [4, 5, 3]]
