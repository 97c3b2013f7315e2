"""Pages: views, contexts of large pages, forms and middleware. They choose what to do; they compute nothing."""
