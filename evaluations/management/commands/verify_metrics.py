"""`manage.py verify_metrics`: compares every kind with a slow reference and with results worked out by hand."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluations import kinds
from evaluations.proof import verification


class Command(BaseCommand):
    help = (
        "Compare the scores of every kind with golden vectors worked out by hand, and with a slow, "
        "independent implementation on generated pairs. Exits 1 if a score differs."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kinds", nargs="*", metavar="kind", help="keys of evaluator kinds (default: all)")
        parser.add_argument(
            "--pairs", type=int, default=200, help="generated pairs for each kind (default: 200)"
        )
        parser.add_argument("--seed", type=int, default=1, help="seed of the generated pairs (default: 1)")

    def handle(self, *, pairs: int, seed: int, **options: Any) -> None:
        try:
            chosen = [kinds.get(key) for key in options["kinds"] or kinds.CATALOGUE]
        except kinds.UnknownKind as error:
            raise CommandError(error) from error
        self.stdout.write(f"{'kind':<24}{'version':>8}{'golden':>8}{'pairs':>8}{'apart':>10}")
        wrong = sum([self.verify(kind, pairs, seed) for kind in chosen])
        if wrong:
            raise CommandError(f"{wrong} of the numbers differ.")
        self.stdout.write("Every number agrees.")

    def verify(self, kind: kinds.Kind, pairs: int, seed: int) -> int:
        """Print a line for the kind and one for each pair that differs; returns the number of these pairs."""
        findings = list(verification.findings(kind, pairs, seed))
        wrong = [finding for finding in findings if not finding.agrees]
        largest = max(finding.difference for finding in findings)
        golden = len(kind.contract.golden)
        self.stdout.write(f"{kind.key:<24}{kind.version:>8}{golden:>8}{pairs:>8}{largest:>10.1e}")
        for finding in wrong:
            self.stdout.write(self.style.ERROR(described(finding)))
        return len(wrong)


def described(finding: verification.Finding) -> str:
    vector = finding.vector
    pair = f"  {vector.actual!r} / {vector.expected!r} {vector.config or ''}"
    stated = f", by hand {finding.stated}" if finding.stated else ""
    return f"{pair}\n    product {finding.product}, reference {finding.reference}{stated}"
