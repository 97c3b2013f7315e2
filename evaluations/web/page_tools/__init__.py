"""What pages of all nouns need: the frame, pages of lists, values of addresses, texts, downloads, API calls."""
