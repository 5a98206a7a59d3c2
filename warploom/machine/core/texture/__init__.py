"""The texture unit: sampler, addresses, formats."""
