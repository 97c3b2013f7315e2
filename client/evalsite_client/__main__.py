"""`python -m evalsite_client` is the command `evalsite`."""

from .main import main

if __name__ == "__main__":
    main()
