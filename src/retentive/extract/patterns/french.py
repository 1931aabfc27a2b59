"""French: the table the rule extractor reads."""

from __future__ import annotations

from typing import Final

from retentive.extract.patterns.model import Frame, Language

_JE: Final = r"\b(?:je |j'|nous |on )(?:ne |n'|me |m'|y |en |nous )?"
_PEOPLE: Final = (
    r"(?:femme|mari|conjointe?|partenaire|copine|copain|fiancée?|mère|père|maman|papa|parents|frères?|sœurs?|soeurs?|fils|filles?|enfants?|bébé|grand-mère|grand-père|"
    r"oncle|tante|cousine?s?|nièce|neveu|famille|ami(?:e|s|es)?|meilleure? amie?|chef|patronn?e?|collègues?|voisine?s?|prof(?:esseur)?e?|médecin|psy|coach|équipe|chien(?:ne)?|chat(?:te)?|cheval)"
)

FRAMES: Final = (
    Frame("identity", 0.85, r"\b(?:je m'appelle|mon (?:nom|prénom)|appelle[sz]?-moi|mon anniversaire|je suis née?|j'ai \d+ ans|mes pronoms)\b", 0.9),
    Frame("identity", 0.85, rf"{_JE}(?:habit\w+|vis|vivons|vivais|travaill\w+|étudi\w+|enseign\w+|dirig\w+|viens de|(?:ai|suis|avons) (?:déménagé|grandi|emménagé))\b|\b(?:mon|ma) (?:travail|métier|emploi|boulot|entreprise|poste|profession|ville natale|langue maternelle)\b", 0.85),
    Frame("identity", 0.75, rf"{_JE}(?:suis|sommes) (?:une? )?(?!(?:très|si|tellement|vraiment|sûre?|désolée?|contente?|heureu\w+|ravie?|d'accord|fière?|allée?|venue?|partie?)\b)\w+", 0.75),
    Frame("identity", 0.8, rf"{_JE}(?:suis|ai) (?:une? )?(?:allerg\w+|intoléran\w+|diabét\w+|végan\w*|végétarien\w*|asthm\w+|enceinte|migraines?|cœliaque|opérée?)|{_JE}ne (?:mange|bois) (?:pas|plus|jamais)|\b(?:mon|ma) (?:allergie|médecin|santé|régime|maladie)\b|\bje (?:ne )?mange pas de\b", 0.8),
    Frame("relationship", 0.75, rf"\b(?:mon|ma|mes|notre|nos) (?:\w+ )?{_PEOPLE}\b|{_JE}suis (?:mariée?|divorcée?|célibataire|fiancée?|veu\w+)\b|{_JE}ai (?:une?|deux|trois|quatre|\d) (?:\w+ )?{_PEOPLE}\b", 0.75),
    Frame("preference", 0.75, rf"{_JE}(?:aim\w+|ador\w+|préfèr\w+|détest\w+|déteste|hais|évite|apprécie|passionn\w+|intéress\w+|supporte pas)\b|\b(?:mon|ma|mes) .{{0,25}}(?:préférée?s?|favorite?s?)\b|{_JE}suis (?:une? )?(?:grande? )?(?:fan|passionnée?|amateur)|\bme (?:plaît|passionne|fascine)\b", 0.75),
    Frame("preference", 0.6, r"\b(?:toujours|jamais|d'habitude|chaque (?:jour|matin|soir|semaine|mois|année|lundi|dimanche)|tous les (?:jours|matins|soirs|\w+)|toutes les semaines|souvent|en général)\b", 0.65),
    Frame("decision", 0.75, rf"{_JE}(?:ai|avons|a|me suis|suis|suis) (?:finalement )?(?:décidée?|choisi|optée?|inscrite?|changé|opté)\b", 0.8),
    Frame("open_thread", 0.65, rf"{_JE}(?:vais|allons|veux|voulons|voudrais|compte|prévois|pense|envisage|espère|dois|cherche|rêve|aimerais|projette)\b|{_JE}(?:suis|sommes) en train de\b|\b(?:mon|ma|mes) (?:objectif|but|projet|rêve|plan)s?\b|{_JE}ai (?:un|une) (?:rendez-vous|réunion|examen|entretien|vol|voyage)", 0.7),
    Frame("event", 0.65, rf"{_JE}(?:ai|avons|a|suis|sommes|avais|étais|est) (?:\w+ )?(?:\w+é(?:e|s|es)?|\w+i(?:e|s|t)?|\w+u(?:e|s)?|fait|pris|mis|écrit|ouvert|eu|été)\b", 0.75),
    Frame("other", 0.55, rf"{_JE}(?:ai|avons|utilise|conduis|joue|parle|cuisine|lis|écris|cours|mange|bois|peux|collectionne|dors|apprends|gagne|fais|possède|porte)\b", 0.65),
)  # fmt: skip

_THIRD: Final = (
    ("suis", "est"), ("vais", "va"), ("fais", "fait"), ("veux", "veut"), ("peux", "peut"), ("vis", "vit"), ("viens", "vient"), ("prends", "prend"), ("dois", "doit"), ("sais", "sait"), ("crois", "croit"),
    ("pars", "part"), ("sors", "sort"), ("lis", "lit"), ("écris", "écrit"), ("cours", "court"), ("bois", "boit"), ("dors", "dort"), ("apprends", "apprend"), ("conduis", "conduit"), ("hais", "hait"), ("prévois", "prévoit"), ("finis", "finit"), ("choisis", "choisit"), ("tiens", "tient"), ("comprends", "comprend"),
)  # fmt: skip

FRENCH: Final = Language(
    code="fr",
    user="L'utilisateur",
    said="{S} dit : {text}",
    about=r"\b(?:je|j'|moi|me|m'|mon|ma|mes|nous|notre|nos)(?=\b|\w)",
    lead_ins=r"(?:oui|non|ah|oh|eh bien|bon|ben|et|mais|alors|donc|salut|bonjour|coucou|merci|merci beaucoup|d'accord|ok|au fait|franchement|honnêtement|exactement|bien sûr|super|génial|en fait|comme|puisque)(?: \w+)?[,.!;:]\s+",
    question_tail=r"[,;:.]+\s*(?:et |mais |alors )?(?:peux|pouvez|pourrais|pourriez|tu|vous|qu'|que|quoi|quel\w*|comment|où|quand|pourquoi|est-ce|y a-t|as-tu|avez)\b[^?]*\?+$",
    refused=(
        ("hypothetical", r"^(?:si|imagine|imaginons|supposons)\b|\bsi j'(?:étais|avais|pouvais)\b|\bj'aurais\b"),
        ("talk", r"^(?:allons|regarde|dis-moi|dites-moi|raconte|aide-moi|montre|donne|bonne (?:chance|journée)|à (?:bientôt|plus|demain)|prends soin|tu|vous)\b|\bje te (?:dis|tiens|raconte|rappelle)\b"),
        ("reaction", r"^(?:je |j')(?:comprends|suis d'accord|sais (?:pas|que)|ne sais pas|imagine|espère que (?:tu|vous|ça)|suppose|te (?:crois|félicite|comprends))\b|\bje suis (?:\w+ )?(?:contente?|heureu\w+|ravie?|désolée?|fière?|sûre?)\b(?= (?:pour toi|de t'|que tu|pour vous|!|\.))|\bça me fait plaisir\b|\bmerci (?:pour|de)\b"),
        ("request", r"^(?:peux|pouvez|pourrais|pourriez|qu'|quel\w*|comment|où|quand|pourquoi|est-ce)|\bj'(?:ai besoin (?:de ton|d'aide|de votre)|aimerais (?:savoir|que tu))\b|\bje (?:voudrais|veux) (?:savoir|que tu|que vous)\b|^s'il (?:te|vous) plaît (?!réponds)"),
        ("quotes another", r"^(?:il|elle|ils|on|les gens|quelqu'un|l'article) (?:dit|disent|a dit|m'a dit)\b|^(?:traduis|écris|résume|explique|génère|rédige)\b"),
        ("no referent", r"^(?:c'est|c'était|ce|ça|cela|il|elle|ils|elles) "),
    ),
    frames=FRAMES,
    bonus=(
        (r"\b(?:hier|aujourd'hui|demain|derni(?:er|ère)|prochaine?|il y a|depuis|\d{4}|ce (?:matin|soir|week-end)|(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche))\b", 0.12),
        (r"(?<=[a-zéèêàç,] )(?-i:[A-ZÉÈÀ])[a-zéèêàç]{2,}", 0.06), (r"\d", 0.05), (r"«[^»]{2,60}»|\"[^\"]{2,60}\"", 0.08),
        (r"\b(?:tu|te|toi|ton|ta|tes|vous|votre|vos)\b", -0.15), (r"\b(?:crois|pense que|trouve)\b", -0.06), (r"^(?:\S+\s+){0,2}\S+$", -0.1),
    ),
    hedge=r"\b(?:peut-être|probablement|sans doute|je crois|je pense que|pas sûre?)\b",
    directive=r"^(?:tu peux|vous pouvez) (?:de nouveau|à nouveau) \w+ .{2,60}$|^(?:s'il (?:te|vous) plaît,? )?(?:à partir de maintenant|désormais|dorénavant|à l'avenir|souviens-toi|rappelle-toi|note que|retiens|ne .{2,40} plus jamais)\b|^(?:s'il (?:te|vous) plaît,? )?(?:appelle-moi|appelez-moi|réponds(?:-moi)?(?: toujours)? en|répondez(?:-moi)?(?: toujours)? en|écris(?:-moi)? en|parle(?:-moi)? en)\b|^(?:réponds|utilise|écris|évite) toujours\b",
    correction=r"^(?:non,|en fait|en réalité|pardon|correction|je me suis trompée?|je voulais dire)|\b(?:ne \w+ plus|n'\w+ plus|j'ai arrêté|au lieu de|déménagé|j'ai changé)\b",
    rewrites=(
        (r"\bje m'appelle\b", "{S} s'appelle"), (r"\bje me suis\b", "{S} s'est"), (r"\bje n'ai\b", "{S} n'a"), (r"\bje ne suis\b", "{S} n'est"), (r"\bj'ai\b", "{S} a"), (r"\bj'avais\b", "{S} avait"), (r"\bj'étais\b", "{S} était"),
        *((rf"\bje (ne )?{one}\b", rf"{{S}} \1{he}") for one, he in _THIRD), *((rf"\bj'{one}\b", f"{{S}} {he}") for one, he in _THIRD if one[0] in "aeéio"),
        (r"\bje (ne )?(\w+)ais\b", r"{S} \1\2ait"), (r"\bj'(\w+)ais\b", r"{S} \1ait"), (r"\bje (ne )?(\w+r)ai\b", r"{S} \1\2a"), (r"\bj'(\w+r)ai\b", r"{S} \1a"), (r"\bje (ne )?(\w+e)\b", r"{S} \1\2"), (r"\bj'(\w+e)\b", r"{S} \1"), (r"\bje n'(\w+e)\b", r"{S} n'\1"),
        (r"(?<=\w )mon\b", "son"), (r"(?<=\w )ma\b", "sa"), (r"(?<=\w )mes\b", "ses"),
    ),
)  # fmt: skip
