"""Forms, one module per noun. A form validates shapes; refusals of the called functions appear beside its fields."""
