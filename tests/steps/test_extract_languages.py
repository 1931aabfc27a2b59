"""The same kinds of statement in other languages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from retentive.contracts import Candidate
from retentive.extract import RuleExtractor
from retentive.types import Episode

AT_US = 1_787_028_300_000_000


def facts(text: str) -> Sequence[Candidate]:
    return RuleExtractor().extract([Episode("e", text, AT_US, AT_US, zone_min=480)]).candidates


@pytest.mark.parametrize(
    ("language", "text", "fact"),
    [
        ("de", "Ich wohne in Bremen.", "Der Nutzer wohnt in Bremen."),
        ("de", "Seit 2020 arbeite ich bei Zeiss.", "Seit 2020 arbeitet der Nutzer bei Zeiss."),
        ("de", "Ich bin allergisch gegen Hausstaub.", "Der Nutzer ist allergisch gegen Hausstaub."),
        ("de", "Meine Tochter spielt Cello.", "Der Nutzer sagt: Meine Tochter spielt Cello."),
        ("de", "Ich habe mir ein Kajak gekauft.", None),
        ("es", "Vivo en Granada.", "El usuario vive en Granada."),
        ("es", "Me encanta la cerámica.", "Al usuario le encanta la cerámica."),
        ("es", "Soy alérgica al polen.", "El usuario es alérgica al polen."),
        ("es", "Mi hermano trabaja en un barco.", None),
        ("fr", "J'habite à Nantes.", "L'utilisateur habite à Nantes."),
        ("fr", "Je suis végétarienne depuis dix ans.", "L'utilisateur est végétarienne depuis dix ans."),
        ("fr", "Ma fille apprend le violon.", None),
        ("zh", "我住在成都。", "用户住在成都。"),
        ("zh", "我对海鲜过敏。", "用户对海鲜过敏。"),
        ("zh", "我女儿今年上小学。", None),
        ("it", "Abito a Bologna.", "L'utente abita a Bologna."),
        ("it", "Sono allergico al glutine.", "L'utente è allergico al glutine."),
        ("pt", "Eu moro em Recife.", "O usuário mora em Recife."),
        ("pt", "Minha irmã é enfermeira.", None),
        ("ja", "私は札幌に住んでいます。", "ユーザーは札幌に住んでいます。"),
        ("ja", "私は猫アレルギーです。", "ユーザーは猫アレルギーです。"),
    ],
)
def test_a_durable_statement_is_kept(language: str, text: str, fact: str | None) -> None:
    (found,) = facts(text)
    assert found.language == language
    assert found.quote == text
    if fact is not None:
        assert found.text == fact


@pytest.mark.parametrize(
    "text",
    [
        "Hallo, wie geht es dir?",
        "Vielen Dank, das hilft mir sehr!",
        "Kannst du mir bitte helfen?",
        "Ich verstehe, danke.",
        "Wenn ich reich wäre, würde ich reisen.",
        "¡Muchas gracias!",
        "¿Puedes ayudarme con mi correo?",
        "Entiendo, gracias.",
        "Merci beaucoup !",
        "Peux-tu m'aider ?",
        "Je suis d'accord avec toi.",
        "谢谢你的帮助！",
        "你能帮我订票吗？",
        "我明白了。",
        "Grazie mille!",
        "Puoi aiutarmi?",
        "Obrigado!",
        "ありがとうございます。",
        "教えてください。",
    ],
)
def test_talk_is_no_fact(text: str) -> None:
    assert [c.text for c in facts(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "Ab jetzt antworte bitte auf Englisch.",
        "A partir de ahora, respóndeme en inglés.",
        "Désormais, réponds en anglais.",
        "以后请用英文回答。",
        "D'ora in poi rispondi in inglese.",
        "A partir de agora, responda em inglês.",
        "これからは英語で答えてください。",
        "From now on, answer in English.",
    ],
)
def test_a_standing_order_is_a_constraint(text: str) -> None:
    (found,) = facts(text)
    assert (found.category, found.evergreen) == ("constraint", True)
    assert text in found.text


def test_a_first_person_that_cannot_be_rewritten_whole_is_quoted_not_guessed() -> None:
    found = facts("Vivo en Granada y trabajo en una escuela.")
    quoted = ["El usuario dice: Vivo en Granada.", "El usuario dice: Trabajo en una escuela."]
    assert [one.text for one in found] == quoted
