"""What automatic evaluators are worth beside people's labels, and what people say, helped by them."""
