# Types of opweave.amp.
from opweave.amp.grad_scaler import GradScaler as GradScaler
