"""Terminal commands of the site itself."""
