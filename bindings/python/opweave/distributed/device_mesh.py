"""A mesh of processes: the world as an array, with a group along each of its dimensions.

mesh = init_device_mesh("cuda", (2, 4), mesh_dim_names=("dp", "tp"))
mesh["tp"].get_group()  # the four processes with which this one shares its place in "dp"
"""

import math

from opweave import _C
from opweave.distributed import _arguments, _groups
from opweave.distributed._options import BackendOptions
from opweave.distributed._subgroups import new_subgroups_by_enumeration


class DeviceMesh:
    """Ranks of the world in an array; making one is a call of every process.

    Args:
        device_type: of the tensors: "cuda".
        mesh: ranks of the world, a nested list or a tensor of integers, each of them once.
        mesh_dim_names: what its dimensions are called.
    """

    device_type = mesh = mesh_dim_names = None  # what it was made with

    def __init__(self, device_type, mesh=None, *, mesh_dim_names=None, _overrides=None):
        self._fill(device_type, mesh, mesh_dim_names)
        ranks = self.mesh.reshape(-1).tolist()
        size = _groups.get_world_size()
        if len(set(ranks)) != len(ranks) or not all(0 <= rank < size for rank in ranks):
            raise RuntimeError(
                f"DeviceMesh: expected different ranks of a world of {size}, got {self.mesh.tolist()}"
            )
        self._check_names()
        overrides = self._by_dim(_overrides or {})
        self._groups = [self._group_along(dim, *overrides[dim]) for dim in range(self.ndim)]

    def _fill(self, device_type, mesh, names):
        self.device_type = device_type
        self.mesh = _C.as_tensor(mesh, dtype=_C.int64)
        self.mesh_dim_names = None if names is None else tuple(names)
        self._rank = _groups.get_rank()

    @classmethod
    def _of(cls, device_type, mesh, names, groups):
        """One whose groups are there already."""
        made = object.__new__(cls)
        made._fill(device_type, mesh, names)
        made._groups = groups
        return made

    def _check_names(self):
        names = self.mesh_dim_names
        if names is None:
            return
        if len(names) != self.ndim:
            raise RuntimeError(
                "mesh_shape and mesh_dim_names should have same length! Found len(mesh_dim_names): "
                f"{len(names)} and len(mesh_shape):{self.ndim}."
            )
        if len(set(names)) != len(names):
            raise RuntimeError(
                f"Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names {names}"
            )

    def _by_dim(self, overrides):
        """The backend and its options along each dimension, given by its number or name."""
        found = [(None, None)] * self.ndim
        for dim, said in overrides.items():
            if isinstance(said, str):
                said = (said, None)
            elif isinstance(said, BackendOptions):
                said = (said.backend, said)
            at = self._dim(dim)
            if found[at] != (None, None):
                raise RuntimeError(f"backend_override: dimension {at} is given twice: {overrides}")
            found[at] = said
        return found

    def _group_along(self, dim, backend=None, options=None):
        """The group of this process along a dimension; that of the world where it is all of it."""
        rows = self.mesh.movedim(dim, -1).reshape(-1, self.mesh.size(dim)).tolist()
        everybody = _groups.get_process_group_ranks()
        if rows == [everybody] and backend is None:
            return _groups.group.WORLD
        name = self.mesh_dim_names[dim] if self.mesh_dim_names else str(dim)
        return new_subgroups_by_enumeration(
            rows, backend=backend, pg_options=options, group_desc=f"mesh_{name}"
        )[0]

    @property
    def ndim(self):
        """How many dimensions it has."""
        return self.mesh.dim()

    @property
    def shape(self):
        """Its sizes."""
        return tuple(self.mesh.size())

    def size(self, mesh_dim=None):
        """How many processes it has, or how many along a dimension."""
        return math.prod(self.shape) if mesh_dim is None else self.shape[self._dim(mesh_dim)]

    def get_rank(self):
        """The rank of this process in the world."""
        return self._rank

    def get_coordinate(self):
        """Where this process is in the mesh; None where it is not in it."""
        found = (self.mesh == self._rank).nonzero().tolist()
        return tuple(found[0]) if found else None

    def _dim(self, mesh_dim, more=()):
        if mesh_dim is None and self.ndim > 1:
            raise RuntimeError(
                f"Found the DeviceMesh have {self.ndim} dimensions",
                "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.",
                *more,
            )
        if isinstance(mesh_dim, str):
            if mesh_dim not in (self.mesh_dim_names or ()):
                raise KeyError(
                    f"Mesh dimension '{mesh_dim}' does not exist.",
                    f"Available mesh dimensions are: mesh_dim_names={self.mesh_dim_names}",
                )
            return self.mesh_dim_names.index(mesh_dim)
        dim = mesh_dim or 0
        if not -self.ndim <= dim < self.ndim:
            raise IndexError(f"DeviceMesh: dimension {dim} of a mesh of {self.ndim} dimensions")
        return dim

    def get_local_rank(self, mesh_dim=None):
        """The place of this process along a dimension, which is given by its name or number."""
        dim = self._dim(mesh_dim)
        at = self.get_coordinate()
        if at is None:
            raise RuntimeError(f"rank {self._rank} is not in the mesh {self.mesh.tolist()}")
        return at[dim]

    def get_group(self, mesh_dim=None):
        """The group of this process along a dimension, which is given by its name or number."""
        return self._groups[
            self._dim(
                mesh_dim,
                (
                    "If you want to get the list of all the ProcessGroups in the DeviceMesh,"
                    "please use `get_all_groups()` instead.",
                ),
            )
        ]

    def get_all_groups(self):
        """Those along each dimension."""
        return [self.get_group(dim) for dim in range(self.ndim)]

    def abort(self):
        """Fails what runs in its groups, on all ranks, and whatever is called there later."""
        for group in self._groups:
            if group is not None:
                group.abort("its mesh was aborted")

    def __getitem__(self, names):
        """The mesh along some dimensions through this process: `mesh["tp"]`, `mesh["dp", "tp"]`."""
        if not self.mesh_dim_names:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        names = (names,) if isinstance(names, str) else tuple(names)
        valid = list(self.mesh_dim_names)
        if not names or any(name not in valid for name in names):
            raise KeyError(
                f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are {valid}."
            )
        dims = [valid.index(name) for name in names]
        if dims != sorted(set(dims)):
            raise KeyError(
                f"Invalid mesh_dim_names {names} specified. Mesh dim indices should be in ascending order."
            )
        at = self.get_coordinate() or (0,) * self.ndim
        part = self.mesh
        for dim in reversed(range(self.ndim)):
            if dim not in dims:
                part = part.select(dim, at[dim])
        return self._of(self.device_type, part, names, [self._groups[dim] for dim in dims])

    @staticmethod
    def from_group(group, device_type, mesh=None, *, mesh_dim_names=None):
        """The mesh of a group's processes; of several groups, one along each dimension of `mesh`."""
        groups = [group] if isinstance(group, _groups.ProcessGroup) else list(group)
        if mesh is None and len(groups) > 1:
            raise ValueError("Must pass mesh if passing multiple ProcessGroups")
        if mesh is None:
            mesh = _groups.get_process_group_ranks(groups[0])
        made = DeviceMesh._of(device_type, mesh, mesh_dim_names, groups)
        if made.ndim != len(groups):
            raise ValueError(
                f"Expected mesh with ndim equal to number of ProcessGroups but got mesh {made.mesh.tolist()} "
                f"and {len(groups)} ProcessGroups"
            )
        made._check_names()
        return made

    def __eq__(self, other):
        if not isinstance(other, DeviceMesh):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self):
        return hash(self._identity())

    def _identity(self):
        ranks = tuple(self.mesh.reshape(-1).tolist())
        return (self.device_type, self.shape, ranks, self.mesh_dim_names)

    def __repr__(self):
        names = self.mesh_dim_names
        shape = (
            "(" + ", ".join(f"{n}={s}" for n, s in zip(names, self.shape, strict=True)) + ")"
            if names
            else str(self.shape)
        )
        return f"DeviceMesh({shape}, '{self.device_type}', stride={tuple(self.mesh.stride())})"


def init_device_mesh(device_type, mesh_shape, *, mesh_dim_names=None, backend_override=None):
    """The first ranks of the world, in the order of a mesh of these sizes; a call of every process.

    Args:
        device_type: of the tensors: "cuda".
        mesh_shape: its sizes.
        mesh_dim_names: what its dimensions are called; each name once.
        backend_override: by dimension (its number or name) a backend, its options, or a pair of the two.
    """
    where = "init_device_mesh()"
    _arguments.expect(device_type, str, where, "device_type", "a str")
    if ":" in device_type:
        raise RuntimeError(
            f"Device type with index is not supported but got {device_type}. ",
            "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'.",
        )
    mesh_shape = tuple(_arguments.sequence(mesh_shape, where, "mesh_shape", "a tuple of ints"))
    for size in mesh_shape:
        _arguments.rank(size, where, "mesh_shape")
    if mesh_dim_names is not None:
        _arguments.sequence(mesh_dim_names, where, "mesh_dim_names", "a tuple of names")
    _arguments.expect(backend_override, dict | None, where, "backend_override", "a dict")
    count, size = math.prod(mesh_shape), _groups.get_world_size()
    if count > size:
        raise RuntimeError(
            f"init_device_mesh(): a mesh of the shape {mesh_shape} has {count} ranks, and the world {size}"
        )
    mesh = _C.arange(count).view(mesh_shape)
    return DeviceMesh(device_type, mesh, mesh_dim_names=mesh_dim_names, _overrides=backend_override)
