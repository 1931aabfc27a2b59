"""What someone avoids or gave up, in any words, and what says that they take to it again. Pure tables.

"I eat meat again" ends "I don't eat meat", "I avoid meat", "I gave up meat" and "I am a vegetarian": the verb may be
another, the thing is the same.
"""

from __future__ import annotations

from typing import Final

from retentive.statement.model import Statement

#: The attribute of what was given up, whatever was done with it.
GIVEN_UP: Final = "given up"
#: Stems of verbs that say one does without, as `Statement.attribute` begins with them.
_AVOIDING: Final = frozenset("avoid skip vermeid meid evit evito evite 避免 避け".split()) | {GIVEN_UP}

_MEAT: Final = frozenset(
    "meat beef pork chicken lamb steak bacon ham fleisch rindfleisch schweinefleisch huhn hahnchen speck schinken carne pollo cerdo "
    "jamon ternera viande boeuf porc poulet agneau jambon manzo maiale prosciutto frango porco presunto 肉 牛肉 猪肉 鸡肉 羊肉 豚肉 鶏肉".split()
)
_FISH: Final = frozenset(
    "fish seafood tuna salmon fisch lachs pescado salmon poisson saumon pesce peixe 鱼 海鲜 魚".split()
)
_DAIRY: Final = frozenset(
    "dairy milk cheese eggs egg butter milch kase eier leche queso huevos lait fromage oeufs latte formaggio uova leite queijo ovos "
    "牛奶 奶酪 鸡蛋 牛乳 チーズ 卵".split()
)
_WITHOUT: Final = (
    ("vegan", _MEAT | _FISH | _DAIRY),
    ("veget", _MEAT | _FISH),
    ("pesc", _MEAT),
    ("素", _MEAT | _FISH),
)


def takes_up_again(new: Statement, old: Statement) -> bool:
    """Whether `new` says that one is back at what `old` says one does without."""
    if not new.again or new.polarity < 0 or new.tense != "now" or not new.value:
        return False
    if old.attribute == "diet" and old.polarity > 0 and old.tense == "now":
        return any(diet in old.value and new.value in foods for diet, foods in _WITHOUT)
    without = old.polarity < 0 or _relation(old) in _AVOIDING
    return without and new.value == old.value


def gives_up(new: Statement, old: Statement) -> bool:
    """Whether `new` says, without naming what was done with it, that one gave up the thing of `old`."""
    named = _relation(new) == GIVEN_UP and old.polarity > 0 and old.tense == "now" and _relation(old) not in _AVOIDING
    return named and ":" in old.attribute and new.value == old.value


def may_end_anything(statement: Statement) -> bool:
    """Whether a statement may end one with another verb, and so of another attribute."""
    return statement.again or _relation(statement) == GIVEN_UP


def _relation(statement: Statement) -> str:
    return statement.attribute.partition(":")[0]
