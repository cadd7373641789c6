"""Parameters as one vector, and back."""

import opweave


def parameters_to_vector(parameters):
    """All elements of the parameters, one after another. ValueError where there is none."""
    parts = [p.view(-1) for p in parameters]
    if not parts:
        raise ValueError("parameters_to_vector(): expected at least one parameter, got none")
    return opweave.cat(parts)


def vector_to_parameters(vec, parameters):
    """Gives the parameters consecutive slices of `vec` as their data."""
    position = 0
    for parameter in parameters:
        n = parameter.numel()
        parameter.data = vec[position : position + n].view_as(parameter).data
        position += n
