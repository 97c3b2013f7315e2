"""`python -m evalsite.probe http://web:8000/readyz`: exit code 0 if the page answers 200."""

import sys
import urllib.request


def main(address: str) -> int:
    # a host name that is always allowed
    request = urllib.request.Request(address, headers={"Host": "localhost"})
    try:
        with urllib.request.urlopen(request, timeout=5):
            return 0
    except OSError as problem:
        sys.stderr.write(f"{address}: {problem}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
