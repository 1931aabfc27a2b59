"""Italian: the table the rule extractor reads; a light one."""

from __future__ import annotations

from typing import Final

from retentive.extract.patterns.model import Frame, Language

_PEOPLE: Final = (
    r"(?:moglie|marito|compagn[ao]|ragazz[ao]|fidanzat[ao]|madre|padre|mamma|papà|genitori|fratell[oi]|sorell[ae]|figli[aoe]?|bambin[aoi]|nonn[ao]|zi[ao]|cugin[ao]|famiglia|amic[aoi]|"
    r"capo|collega|vicin[ao]|insegnante|medico|cane|gatt[ao])"
)
_THIRD: Final = (
    ("vivo", "vive"), ("abito", "abita"), ("lavoro", "lavora"), ("sono", "è"), ("ho", "ha"), ("studio", "studia"), ("preferisco", "preferisce"), ("amo", "ama"), ("odio", "odia"), ("adoro", "adora"),
    ("vado", "va"), ("voglio", "vuole"), ("devo", "deve"), ("uso", "usa"), ("gioco", "gioca"), ("suono", "suona"), ("parlo", "parla"), ("leggo", "legge"), ("mangio", "mangia"), ("bevo", "beve"), ("faccio", "fa"), ("insegno", "insegna"), ("posso", "può"), ("corro", "corre"), ("scrivo", "scrive"), ("penso", "pensa"),
)  # fmt: skip

ITALIAN: Final = Language(
    code="it",
    user="L'utente",
    said="{S} dice: {text}",
    about=rf"\b(?:io|mi|mio|mia|miei|mie|me|noi|ci|nostr[oaie]|{'|'.join(one for one, _ in _THIRD)}|abbiamo|siamo|andrò|farò)\b",
    lead_ins=r"(?:sì|no|ah|oh|beh|allora|e|ma|ciao|grazie|ok|va bene|comunque|sinceramente|esatto|certo|in realtà|a proposito)(?: \w+)?[,.!;:]\s+",
    question_tail=r"[,;:.]+\s*(?:puoi|potresti|può|cosa|come|dove|quando|perché|quale|c'è|mi puoi)\b[^?]*\?+$",
    refused=(
        ("hypothetical", r"^(?:se|immagina)\b|\bse (?:io )?(?:fossi|avessi|potessi)\b"),
        ("talk", r"^(?:andiamo|guarda|dimmi|aiutami|mostrami|dammi|buona fortuna|ci vediamo|a presto|tu|ti)\b"),
        ("reaction", r"^(?:io )?(?:capisco|sono d'accordo|non so|so che|spero che|immagino|mi dispiace|sono (?:\w+ )?(?:content[oa]|felice) (?:per|che))\b|\bmi fa piacere\b"),
        ("request", r"^(?:puoi|potresti|cosa|come|dove|quando|perché|quale|chi)\b|\b(?:ho bisogno|vorrei) (?:di aiuto|del tuo|sapere|che tu)\b"),
        ("no referent", r"^(?:questo|quello|ciò|lui|lei|loro|esso) "),
    ),
    frames=(
        Frame("decision", 0.7, r"\babbiamo (?:spostato|migrato|passato|portato) .{2,40} da .{2,40} a \w"),
        Frame("identity", 0.85, r"\b(?:mi chiamo|il mio nome|chiamami|il mio compleanno|sono nat[oa]|ho \d+ anni|vivo|abito|lavoro|studio|insegno|mi sono trasferit[oa]|vengo da|il mio lavoro|sono di)\b", 0.85),
        Frame("identity", 0.75, r"\bsono (?:un[a']? ?)?(?!molto|così|sicur|content|felice|d'accordo)\w+|\b(?:allergi[ac]\w*|intollerante|vegan[oa]|vegetarian[oa]|celiac[oa]|diabetic[oa])\b|\bnon mangio\b", 0.75),
        Frame("relationship", 0.75, rf"\b(?:mio|mia|miei|mie|nostr[oaie]) (?:\w+ )?{_PEOPLE}\b|\bsono (?:sposat|divorziat|fidanzat)[ao]\b|\bho (?:un[ao]?|due|tre) {_PEOPLE}\b", 0.75),
        Frame("preference", 0.75, r"\bmi (?:piace|piacciono|interessa|appassiona)\b|\b(?:preferisco|amo|odio|adoro|detesto|evito)\b|\b(?:mio|mia|miei|mie) .{0,20}preferit[oaie]\b|\b(?:sempre|mai|di solito|ogni (?:giorno|mattina|sera|settimana))\b", 0.7),
        Frame("decision", 0.75, r"\bho (?:deciso|scelto)\b|\bmi sono iscritt[oa]\b", 0.8),
        Frame("open_thread", 0.65, r"\b(?:vorrei|voglio|penso di|sto (?:pensando|cercando|pianificando)|devo|andrò|farò|ho intenzione|spero di|il mio obiettivo)\b", 0.7),
        Frame("event", 0.65, r"\b(?:ho|abbiamo|sono|siamo|avevo) (?:\w+ )?(?:\w+at[oaie]|\w+it[oaie]|\w+ut[oaie]|fatto|preso|visto|letto|scritto|perso|vinto|messo)\b", 0.75),
        Frame("other", 0.55, r"\b(?:ho|abbiamo|uso|gioco|suono|parlo|leggo|mangio|bevo|faccio|corro|scrivo|posso)\b", 0.6),
    ),
    bonus=((r"\b(?:ieri|oggi|domani|scors[oa]|prossim[oa]|fa|dal|\d{4})\b", 0.1), (r"\d", 0.05), (r"\b(?:tu|ti|te|tuo|tua)\b", -0.15), (r"^(?:\S+\s+){0,2}\S+$", -0.1)),
    hedge=r"\b(?:forse|probabilmente|magari|credo che|non sono sicur[oa])\b",
    directive=r"^(?:puoi|potete) \w+ di nuovo .{2,60}$|^(?:puoi|potete) di nuovo \w+ .{2,60}$|^(?:per favore,? )?(?:d'ora in poi|da ora in poi|in futuro|ricorda(?:ti)? che|chiamami|rispondi(?:mi)? (?:sempre )?in)\b",
    correction=r"^(?:no,|in realtà|scusa|mi sono sbagliat[oa]|volevo dire)|\b(?:non \w+ più|ho smesso|invece di|trasferit[oa])\b",
    rewrites=(
        (r"^(?:io )?mi chiamo\b", "{S} si chiama"), (r"^(non )?mi (piace|piacciono|interessa)\b", r"A {S} \1\2"), (r"^(?:io )?mi sono\b", "{S} si è"),
        *((rf"^(?:io )?((?:non|sempre|anche|ora) )?{one}\b", rf"{{S}} \1{he}") for one, he in _THIRD), (r"^A L'utente\b", "All'utente"),
    ),
)  # fmt: skip
