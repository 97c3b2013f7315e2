"""Models that judge: what they are asked, how their answers are read, stored and paid, and what is known of them."""
