"""The output merger (ROP): depth, stencil, blending, and what of it reaches the picture."""
