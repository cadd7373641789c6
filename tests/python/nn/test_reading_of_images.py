"""grid_sample: gradients of what chooses elements."""

import opweave as ow
import pytest

F = ow.nn.functional


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("dtype", [ow.float32, ow.float64, ow.bfloat16])
def test_the_nearest_element_gives_the_grid_zeros(padding, dtype):
    grid = (ow.rand(1, 2, 2, 2, dtype=dtype) * 2 - 1).requires_grad_()
    images = ow.full((1, 3, 3, 3), -0.0, dtype=dtype)
    found = F.grid_sample(images, grid, "nearest", padding, align_corners=False)
    assert found.signbit().all()  # as they are
    found.sum().backward()
    assert grid.grad.dtype is dtype
    assert grid.grad.tolist() == ow.zeros(1, 2, 2, 2).tolist()


def test_nothing_is_recorded_that_nobody_asks_for():
    grid = ow.zeros(1, 1, 1, 2, requires_grad=True)
    with ow.no_grad():
        assert not F.grid_sample(
            ow.ones(1, 1, 2, 2), grid, "nearest", align_corners=False
        ).requires_grad
    images = ow.ones(1, 1, 2, 2, requires_grad=True)
    F.grid_sample(images, grid.detach(), "nearest", align_corners=False).sum().backward()
    assert images.grad.sum() == 1
