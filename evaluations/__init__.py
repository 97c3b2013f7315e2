"""The application: one package per room, explained in docs/architecture.md."""
