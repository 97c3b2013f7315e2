"""YAML of other tools: what YAML 1.1 says about merged mappings, and what is refused."""

import pytest
import yaml

from evaluations.other_tools.yaml_document import parsed

MERGED = {
    # The examples of https://yaml.org/type/merge.html
    "one mapping": "- &LEFT { x: 0, y: 2 }\n- { <<: *LEFT, r: 10 }",
    "several, of which the first wins": "- &BIG { r: 10 }\n- &SMALL { r: 1, x: 3 }\n- { <<: [*BIG, *SMALL], y: 2 }",
    "members of its own win": "- &BIG { r: 10, x: 1 }\n- { x: 1, <<: *BIG, r: 3 }",
}


@pytest.mark.parametrize("document", MERGED.values(), ids=MERGED)
def test_merged_mappings_are_those_of_pyyaml(document):
    assert parsed(document.encode(), 1_000) == yaml.safe_load(document)


@pytest.mark.parametrize("document", ["? [a, b]\n: 1", "? {a: 1}\n: 1"])
def test_a_list_or_a_mapping_as_a_name_is_refused(document):
    with pytest.raises(yaml.YAMLError, match="key of a mapping"):
        parsed(document.encode(), 1_000)


@pytest.mark.parametrize("document", ["<<: 1", "<<: [1]", "<<: text"])
def test_only_mappings_are_merged(document):
    with pytest.raises(yaml.YAMLError, match="not a mapping"):
        parsed(document.encode(), 1_000)
