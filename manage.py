#!/usr/bin/env python
from evalsite.__main__ import main

if __name__ == "__main__":
    main()
