"""Helpers for parameters and gradients."""

from opweave.nn.utils import rnn
from opweave.nn.utils.clip_grad import (
    clip_grad_norm_,
    clip_grad_value_,
    get_total_norm,
)
from opweave.nn.utils.convert import parameters_to_vector, vector_to_parameters
