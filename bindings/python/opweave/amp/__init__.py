"""Training in lower precision: gradients that are scaled so that they do not vanish."""

from opweave.amp.grad_scaler import GradScaler

__all__ = ["GradScaler"]
