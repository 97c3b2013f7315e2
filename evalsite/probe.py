"""`python -m evalsite.probe http://web:8000/readyz`: exit code 0 when the page says yes."""

import sys
import urllib.request


def main(address: str) -> int:
    request = urllib.request.Request(address, headers={"Host": "localhost"})  # A name that is always allowed.
    try:
        with urllib.request.urlopen(request, timeout=5):
            return 0
    except OSError as problem:
        sys.stderr.write(f"{address}: {problem}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
