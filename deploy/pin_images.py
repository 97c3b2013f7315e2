"""Write the digests of base images beside their tags: `python deploy/pin_images.py [FILE …]`.

Docker asks the registry of each image, so it needs a network. An image that has a digest gets the newest one of its
tag. A failing question changes no file.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = ("Dockerfile", "docker-compose.yml", "deploy/kubernetes/evalsite.yaml")
# The images of others; our own has no tag, or is at an address that everybody replaces.
IMAGE = re.compile(
    r"^(\s*(?:FROM|image:)\s+)((?!registry\.example\.com)[\w./-]+:[\w.-]+)(?:@sha256:[0-9a-f]{64})?",
    re.MULTILINE,
)
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def digest(image: str) -> str:
    """The digest of the tag's manifest for all platforms, as the registry says now."""
    question = ["docker", "buildx", "imagetools", "inspect", image, "--format", "{{.Manifest.Digest}}"]
    answer = subprocess.run(question, check=True, capture_output=True, text=True).stdout.strip()
    if not DIGEST.fullmatch(answer):
        raise SystemExit(f"The registry gave no digest for {image}: {answer[:200]}")
    return answer


def main(names: list[str]) -> None:
    files = [Path(name) for name in names] or [ROOT / name for name in FILES]
    texts = {file: file.read_text() for file in files}
    found = {match[2] for text in texts.values() for match in IMAGE.finditer(text)}
    digests = {image: digest(image) for image in sorted(found)}
    for file, text in texts.items():
        file.write_text(IMAGE.sub(lambda match: f"{match[1]}{match[2]}@{digests[match[2]]}", text))
    sys.stdout.writelines(f"{image}@{pinned}\n" for image, pinned in digests.items())


if __name__ == "__main__":
    main(sys.argv[1:])
