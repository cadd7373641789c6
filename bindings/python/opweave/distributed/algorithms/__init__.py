"""What programs of several processes do with gradients."""
