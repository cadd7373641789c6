"""What typed programs import from the modules below the well-known ones; test_types_of_scripts.py runs it."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import opweave as torch
import opweave.nn.functional as F
from opweave import Tensor, nn
from opweave.cuda.amp import GradScaler, autocast
from opweave.library import Library, custom_op
from opweave.linalg import svdvals, vector_norm
from opweave.multiprocessing.spawn import ProcessRaisedException
from opweave.nn.common_types import _size_2_t
from opweave.nn.grad import conv2d_weight
from opweave.nn.modules.batchnorm import _BatchNorm
from opweave.nn.modules.conv import _ConvNd
from opweave.nn.modules.lazy import LazyModuleMixin
from opweave.nn.modules.module import Module, register_module_forward_hook
from opweave.nn.modules.utils import consume_prefix_in_state_dict_if_present
from opweave.nn.parallel import DistributedDataParallel
from opweave.nn.parallel.scatter_gather import scatter_kwargs
from opweave.nn.utils import clip_grad_value_, parameters_to_vector, prune
from opweave.nn.utils.fusion import fuse_conv_bn_eval
from opweave.nn.utils.parametrizations import weight_norm
from opweave.nn.utils.parametrize import is_parametrized, register_parametrization
from opweave.nn.utils.rnn import PackedSequence, pack_sequence, unpack_sequence
from opweave.utils.data.dataloader import DataLoader, default_collate
from opweave.utils.data.dataset import Dataset, Subset
from opweave.utils.data.distributed import DistributedSampler
from opweave.utils.data.sampler import BatchSampler, SequentialSampler
from opweave.utils.hooks import RemovableHandle
from opweave.utils.module_tracker import ModuleTracker
from opweave.utils.safetensors import load, save
from opweave.utils.weak import WeakIdKeyDictionary


class Squares(Dataset[Tensor]):
    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Tensor:
        return torch.tensor([float(index**2)])


class Doubled(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return 2 * x


class Cnn(nn.Module):
    def __init__(self, kernel: _size_2_t = 3) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 2, kernel), nn.BatchNorm2d(2), nn.ReLU(inplace=True)
        )
        self.parts = nn.ModuleDict({"head": nn.LazyLinear(3)})

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.parts["head"](self.features(x).flatten(1))
        return y


def fused(model: Cnn) -> nn.Module:
    convolution, norm = model.features[0], model.features[1]
    assert isinstance(convolution, _ConvNd)
    assert isinstance(norm, _BatchNorm)
    assert norm.running_mean is not None
    print(convolution.stride, norm.running_mean.shape)
    return fuse_conv_bn_eval(convolution.eval(), norm.eval())


def hooks(model: Module) -> list[str]:
    seen: list[str] = []

    def note(module: Module, args: tuple[Any, ...], output: Any) -> None:
        seen.append(type(module).__name__)

    handles: list[RemovableHandle] = [
        register_module_forward_hook(note),
        model.register_forward_hook(note),
    ]
    with ModuleTracker():
        model(torch.ones(1, 1, 5, 5))
    for handle in handles:
        handle.remove()
    return seen


@custom_op("typed::twice", mutates_args=())
def twice(x: Tensor) -> Tensor:
    return x * 2


def loaders() -> list[int]:
    data = Squares()
    part = Subset(data, [0, 2])
    sampler = BatchSampler(SequentialSampler(data), batch_size=2, drop_last=False)
    loader: DataLoader[Tensor] = DataLoader(data, batch_sampler=sampler, collate_fn=default_collate)
    halves = DistributedSampler(data, num_replicas=2, rank=0, shuffle=False)
    return [len(loader), len(part), len(list(halves))]


def parameters(model: Cnn) -> None:
    linear = weight_norm(nn.Linear(2, 2))
    register_parametrization(linear, "bias", Doubled())
    print(is_parametrized(linear), linear.in_features)
    prune.l1_unstructured(model.features[0], name="weight", amount=0.5)
    prune.remove(model.features[0], "weight")
    clip_grad_value_(model.parameters(), 1.0)
    print(parameters_to_vector(model.parameters()).numel() > 0)
    state: OrderedDict[str, Tensor] = OrderedDict({"module.w": torch.ones(1)})
    consume_prefix_in_state_dict_if_present(state, "module.")
    missing = nn.Linear(1, 1).load_state_dict(state, strict=False).missing_keys
    print(list(state), missing, load(save({"w": torch.ones(2)}))["w"].tolist())


def sequences() -> list[Tensor]:
    packed: PackedSequence = pack_sequence([torch.ones(2, 3), torch.ones(1, 3)])
    hidden: Tensor | None = packed.sorted_indices
    print(hidden is None, packed.batch_sizes.tolist())
    return unpack_sequence(packed)


def named() -> tuple[Tensor, ...]:
    x = torch.ones(3, 2)
    best: torch.return_types.topk = torch.topk(x, 1)
    values, indices = x.max(dim=0)
    lowest, highest = x.aminmax().min, torch.aminmax(x).max
    spread = torch.linalg.svd(x).S, torch.svd(x).U, torch.histogram(x, 3).bin_edges
    found = x.sort(dim=0).values, x.median(0).indices, x.cummax(0).values, torch.frexp(x).mantissa
    return (best.values, best.indices, values, indices, lowest, highest, *spread, *found)


def resized(x: Tensor) -> Tensor:
    up: Tensor = F.interpolate(x, scale_factor=2.0, mode="nearest")
    up = F.adaptive_avg_pool2d(up, (None, 4))
    loss = F.l1_loss(up, up, weight=torch.ones(1, 1, 4, 4))
    return loss + F.dropout2d(F.pixel_unshuffle(up, 2), p=0.1, training=False)


def in_older_words(x: Tensor) -> float:
    with autocast(enabled=False):
        scale: float = GradScaler(init_scale=4.0, enabled=False).get_scale()
    return scale * float(x.sum())


def settings() -> list[bool]:
    torch.set_default_device("cpu")
    torch.use_deterministic_algorithms(False)
    products: Tensor = torch.einsum("ij,jk->ik", torch.ones(1, 2), torch.ones(2, 1))
    chosen: Tensor = torch.where(products > 1, products, 0.0)
    (places,) = torch.where(chosen.flatten() > 0)
    floats: Tensor = torch.FloatTensor([1.0])
    known = [
        torch.is_floating_point(floats),
        torch.cuda.is_available() or torch.cuda.device_count() == 0,
    ]
    known.append(places.tolist() == [0])
    return [*known, torch.are_deterministic_algorithms_enabled(), torch.numel(floats) == 1]


def main() -> None:
    model = Cnn()
    print(
        hooks(model), isinstance(model.parts["head"], LazyModuleMixin), type(fused(model)).__name__
    )
    print(loaders(), [len(sequence) for sequence in sequences()])
    parameters(model)
    print(in_older_words(torch.ones(2)))
    print(len(named()), resized(torch.ones(1, 1, 2, 2)).shape, settings())
    gradient: Tensor = conv2d_weight(torch.ones(1, 1, 4, 4), [1, 1, 3, 3], torch.ones(1, 1, 2, 2))
    print(gradient.shape, float(svdvals(torch.eye(2)).sum()), float(vector_norm(torch.ones(4))))
    inputs, options = scatter_kwargs((torch.ones(2),), None, [torch.device("cpu")])
    held = WeakIdKeyDictionary()
    held[model] = 1
    print(
        len(inputs),
        options,
        len(held),
        twice(torch.ones(1)).item(),
        issubclass(DistributedDataParallel, Module),
    )
    library = Library("typed", "FRAGMENT")
    print(library.define("once(Tensor x) -> Tensor"), ProcessRaisedException.__name__)


if __name__ == "__main__":
    main()
