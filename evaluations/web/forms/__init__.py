"""Forms, one file per noun. A form checks the shape of values; refusals of a use case appear beside its fields."""
