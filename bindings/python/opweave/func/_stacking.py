"""Several modules as one: their parameters and buffers, stacked for vmap."""

from opweave import _C
from opweave._grad_mode import no_grad


def stack_module_state(models):
    """(parameters, buffers): for each name the tensors of all modules, stacked; parameters are leaves.

    Args:
        models: modules of one class, all in training or none.

    Raises:
        RuntimeError: none, or modules that are not alike.
    """
    models = list(models)
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError(
            "stack_module_state: Expected all models to have the same training/eval mode."
        )
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = _stacked([dict(m.named_parameters()) for m in models])
    return parameters, _stacked([dict(m.named_buffers()) for m in models])


def _stacked(states):
    return {name: _leaf(name, [s[name] for s in states]) for name in states[0]}


def _leaf(name, tensors):
    if len({t.requires_grad for t in tensors}) > 1:
        wanted = [t.requires_grad for t in tensors]
        raise RuntimeError(
            f"Expected {name} from each model to have the same .requires_grad, but got {wanted}"
        )
    with no_grad():
        return _C.stack([t.detach() for t in tensors]).requires_grad_(tensors[0].requires_grad)


def replace_all_batch_norm_modules_(root):
    """Has all batch normalisations of a module keep no running statistics, in place; vmap refuses those.

    Returns:
        Module: `root`.
    """
    from opweave.nn.modules.batchnorm import _BatchNorm

    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
