"""People label answers: label sets, tasks with their items, raters, and the columns that their labels become."""
