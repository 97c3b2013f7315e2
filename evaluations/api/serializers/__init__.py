"""Serializers, one module per noun: the JSON shapes of bodies, queries and answers."""
