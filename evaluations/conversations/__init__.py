"""Lists of messages, as chat APIs spell them, parsed for display and compared message by message."""
