"""protocol.schema: the schemas that are checked in."""

import json

import jsonschema
import pytest

from protocol.schema import FOLDER, schemas
from support.conversation import conversation


def test_the_schemas_are_current() -> None:
    """`make schemas` writes what the types say; nobody forgot to."""
    assert schemas() == {path.name: path.read_text() for path in FOLDER.glob("*.json")}


def test_a_whole_deal_fits_the_schemas() -> None:
    """Every line of a deal, both ways, is valid by its schema."""
    validators = {
        name.removesuffix(".json"): jsonschema.Draft202012Validator(json.loads(text))
        for name, text in schemas().items()
    }
    for way, line in conversation():
        message = json.loads(line)
        name = message.get("type", "answer")
        assert (way == "from") == (name in ("answer", "ready"))
        validators[name].validate(message)


def test_the_schemas_refuse_what_the_parser_refuses() -> None:
    """An answer without its id, or with an action that is no text, is invalid by schema too."""
    validator = jsonschema.Draft202012Validator(json.loads(schemas()["answer.json"]))
    for wrong in ({"action": "7D"}, {"id": "a", "action": 7}):
        with pytest.raises(jsonschema.ValidationError):
            validator.validate(wrong)
