"""Forms, one file per noun. A form checks the shape; what a use case refuses stands beside its fields."""
