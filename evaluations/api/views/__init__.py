"""Views, one module per noun; `base` has their base classes."""
