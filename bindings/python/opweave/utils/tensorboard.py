"""torch.utils.tensorboard: there is no writer of event files here; importing it says so."""

raise ImportError(
    "opweave.utils.tensorboard: event files are not written; the package tensorboardX has a SummaryWriter "
    "that takes NumPy arrays and numbers and needs no PyTorch",
    name="opweave.utils.tensorboard",
)
