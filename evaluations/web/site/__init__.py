"""The whole site: middleware, workers, health, the manual, the command palette, themes and server errors."""
