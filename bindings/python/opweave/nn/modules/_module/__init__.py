"""What nn.Module is made of: hooks of a module and of all, states, conversion."""
