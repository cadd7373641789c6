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


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("padding", ["zeros", "border"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_places_as_far_as_floats_go(mode, padding, align_corners):
    """What a coordinate of float32 becomes in elements may have no place where it is doubled first."""
    image = ow.arange(12.0).reshape(1, 1, 3, 4)
    grid = ow.tensor([[[[1.5e38, 0.0], [-1.5e38, 0.0], [0.0, 1.5e38]]]])
    found = F.grid_sample(image, grid, mode, padding, align_corners)
    wanted = F.grid_sample(image.double(), grid.double(), mode, padding, align_corners)
    assert ow.allclose(found.double(), wanted, 1e-6, 1e-6)


@pytest.mark.parametrize("padding", ["border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_the_last_element_of_a_long_row_is_inside(mode, padding):
    """Beyond 2^24 elements not every place has a float32; the last one may be rounded past the end."""
    row = ow.zeros(1, 1, 1, 2**24 + 5)
    row[..., -9:] = 1
    grid = ow.tensor([1.0, 0.0]).reshape(1, 1, 1, 2)
    found = F.grid_sample(row, grid, mode, padding, align_corners=True)
    assert found.item() == 1


def test_one_element_gives_the_grid_zeros():
    grid = ow.full((1, 1, 2, 2), 0.3).requires_grad_()
    found = F.grid_sample(ow.ones(1, 1, 1, 1), grid, padding_mode="reflection", align_corners=True)
    found.sum().backward()
    assert grid.grad.tolist() == ow.zeros(1, 1, 2, 2).tolist()
