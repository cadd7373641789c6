"""Training in lower precision: operators that compute in it, and gradients that are scaled."""

from opweave.amp._settings import is_autocast_available
from opweave.amp.autocast_mode import autocast, custom_bwd, custom_fwd
from opweave.amp.grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
