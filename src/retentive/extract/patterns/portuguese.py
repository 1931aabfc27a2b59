"""Portuguese: the table the rule extractor reads; a light one."""

from __future__ import annotations

from typing import Final

from retentive.extract.patterns.model import Frame, Language

_PEOPLE: Final = (
    r"(?:esposa|esposo|mulher|marido|companheir[ao]|namorad[ao]|noiv[ao]|mãe|pai|pais|irmã|irmão|irmãos|filh[ao]s?|bebê|avó|avô|ti[ao]|prim[ao]|família|amig[ao]s?|chefe|colegas?|vizinh[ao]|"
    r"professor[a]?|médic[ao]|cachorr[ao]|cão|gat[ao])"
)
_THIRD: Final = (
    ("moro", "mora"), ("vivo", "vive"), ("trabalho", "trabalha"), ("sou", "é"), ("estou", "está"), ("tenho", "tem"), ("estudo", "estuda"), ("prefiro", "prefere"), ("gosto", "gosta"), ("adoro", "adora"), ("amo", "ama"),
    ("odeio", "odeia"), ("vou", "vai"), ("quero", "quer"), ("preciso", "precisa"), ("uso", "usa"), ("jogo", "joga"), ("toco", "toca"), ("falo", "fala"), ("leio", "lê"), ("bebo", "bebe"), ("faço", "faz"), ("fui", "foi"), ("fiz", "fez"), ("tive", "teve"), ("ensino", "ensina"), ("pretendo", "pretende"), ("corro", "corre"),
)  # fmt: skip

PORTUGUESE: Final = Language(
    code="pt",
    user="O usuário",
    said="{S} diz: {text}",
    about=rf"\b(?:eu|me|meu|minha|meus|minhas|mim|nós|nosso|nossa|a gente|{'|'.join(one for one, _ in _THIRD)}|\w{{2,12}}ei|mudei|nasci)\b",
    lead_ins=r"(?:sim|não|ah|oh|bom|bem|então|e|mas|oi|olá|obrigad[oa]|ok|certo|aliás|sinceramente|exato|claro|na verdade|a propósito)(?: \w+)?[,.!;:]\s+",
    question_tail=r"[,;:.]+\s*(?:você pode|pode|poderia|podes|o que|como|onde|quando|por que|qual|tem|há)\b[^?]*\?+$",
    refused=(
        ("hypothetical", r"^(?:se|imagine|imagina)\b|\bse eu (?:fosse|tivesse|pudesse)\b"),
        ("talk", r"^(?:vamos|olha|me (?:diga|diz|conte|ajude|mostre|dê)|boa sorte|até|você|tu)\b"),
        ("reaction", r"^(?:eu )?(?:entendo|concordo|não sei|sei que|espero que|imagino|sinto muito|fico feliz (?:por|que))\b"),
        ("request", r"^(?:pode|poderia|o que|como|onde|quando|por que|qual|quem)\b|\b(?:preciso|quero) (?:de ajuda|da sua|saber|que você)\b|\bgostaria de saber\b"),
        ("no referent", r"^(?:isso|isto|aquilo|ele|ela|eles|elas) "),
    ),
    frames=(
        Frame("decision", 0.7, r"\b(?:mudamos|migramos|trocamos|passamos) .{2,40} d[eoa] .{2,40} (?:para|por) \w"),
        Frame("preference", 0.7, r"\b(?:voltei|volto) a (?:comer|beber|tomar|fumar|usar|tocar|jogar)\b|\b(?:como|bebo|tomo|fumo|uso|toco) .{2,40}(?:de novo|novamente|outra vez)\b"),
        Frame("identity", 0.85, r"\b(?:me chamo|chamo-me|meu nome|me chame|meu aniversário|nasci|tenho \d+ anos|moro|vivo em|trabalho|estudo|ensino|me mudei|mudei-me|sou de|meu trabalho|minha profissão)\b", 0.85),
        Frame("identity", 0.75, r"\bsou (?:um[a]? )?(?!muito|tão|grat)\w+|\b(?:alérgic[oa]|alergia|intolerante|vegan[oa]|vegetarian[oa]|celíac[oa]|diabétic[oa])\b|\bnão como\b", 0.75),
        Frame("relationship", 0.75, rf"\b(?:meu|minha|meus|minhas|noss[oa]) (?:\w+ )?{_PEOPLE}\b|\bsou (?:casad|divorciad|solteir)[ao]\b|\btenho (?:um[a]?|dois|duas|três) {_PEOPLE}\b", 0.75),
        Frame("preference", 0.75, r"\b(?:gosto|gostamos|adoro|amo|odeio|detesto|prefiro|evito)\b|\b(?:meu|minha|meus|minhas) .{0,20}(?:favorit|preferid)[oa]s?\b|\b(?:sempre|nunca|geralmente|todo dia|todos os dias|toda semana)\b", 0.7),
        Frame("decision", 0.75, r"\b(?:decidi|escolhi|optei|me inscrevi)\b", 0.8),
        Frame("open_thread", 0.65, r"\b(?:vou|vamos|quero|pretendo|planejo|penso em|preciso|estou (?:pensando|planejando|procurando|tentando)|meu objetivo|meu sonho)\b", 0.7),
        Frame("event", 0.65, r"\b(?:fui|fiz|tive|fomos|fizemos|comprei|comecei|\w{2,12}ei|conheci|perdi|ganhei|vi|li|escrevi)\b", 0.75),
        Frame("other", 0.55, r"\b(?:tenho|temos|uso|jogo|toco|falo|leio|como|bebo|faço|corro|sei)\b", 0.6),
    ),
    bonus=((r"\b(?:ontem|hoje|amanhã|passad[oa]|próxim[oa]|há|desde|\d{4})\b", 0.1), (r"\d", 0.05), (r"\b(?:você|te|seu|sua)\b", -0.15), (r"^(?:\S+\s+){0,2}\S+$", -0.1)),
    hedge=r"\b(?:talvez|provavelmente|acho que|não tenho certeza)\b",
    directive=r"^(?:agora )?(?:você )?(?:pode|podes) \w+ .{2,60}(?:de novo|novamente|outra vez)\W*$|^(?:por favor,? )?(?:a partir de agora|de agora em diante|no futuro|lembre(?:-se)? (?:de )?que|me chame de|responda(?:-me)? (?:sempre )?em)\b",
    correction=r"^(?:não,|na verdade|desculpa|corrigindo|me enganei|quis dizer)|\b(?:não \w+ mais|parei de|em vez de|me mudei)\b",
    rewrites=(
        (r"^(?:eu )?me chamo\b", "{S} se chama"), (r"^(?:eu )?me mudei\b", "{S} se mudou"),
        *((rf"^(?:eu )?((?:não|sempre|nunca|também|agora) )?{one}\b", rf"{{S}} \1{he}") for one, he in _THIRD), (r"^(?:eu )?(não |já )?(\w{2,12})ei\b", r"{S} \1\2ou"),
    ),
)  # fmt: skip
