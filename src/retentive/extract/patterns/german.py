"""German: the table the rule extractor reads."""

from __future__ import annotations

from typing import Final

from retentive.extract.patterns.model import Frame, Language

_ADV: Final = r"(?:(?:auch|immer|wirklich|sehr|gerade|gern|gerne|oft|meistens|normalerweise|nie|jetzt|nun|noch|schon|seit|eigentlich|endlich|mich|mir|uns|nicht|kein\w*|total|ganz|heute|gestern|am|vor|letzt\w+|\w+lich) ){0,3}"
_PEOPLE: Final = (
    r"(?:Frau|Mann|Partner(?:in)?|Freund(?:in|e|innen)?|Verlobte[rn]?|Mutter|Vater|Mama|Papa|Eltern|Bruder|Schwester|Geschwister|Sohn|Tochter|Kind(?:er)?|Baby|"
    r"Oma|Opa|Großmutter|Großvater|Onkel|Tante|Cousine?|Nichte|Neffe|Familie|Chef(?:in)?|Kolleg\w+|Nachbar\w*|Mitbewohner\w*|Lehrer\w*|Arzt|Ärztin|Therapeut\w*|Trainer\w*|Team|Hund|Katze|Kater|Haustier\w*|Pferd)"
)
_DID: Final = (
    r"(?:ge\w{2,14}(?:t|en)|\w{2,12}ge\w{2,14}(?:t|en)|(?:be|er|ver|ent|zer|miss)\w{3,14}(?:t|en)|\w{3,14}iert)"
)

FRAMES: Final = (
    Frame("preference", 0.7, r"\bich (?:esse|trinke|rauche|nutze|benutze|verwende|trage|spiele) (?:jetzt )?wieder\b .{2,60}"),
    Frame("identity", 0.85, r"\b(?:ich heiße|ich heisse|mein (?:voller )?name|nenn(?:t|en sie)? mich|mein geburtstag|ich bin (?:(?-i:[A-ZÄÖÜ])\w+, )?\d+(?: jahre)?|ich wurde \d+|ich bin .{2,30} geboren|ich wurde .{2,30} geboren|meine pronomen)\b", 0.9),
    Frame("identity", 0.85, rf"\b(?:ich|wir) {_ADV}(?:wohne|wohnen|lebe|leben|komme aus|kommen aus|arbeite|arbeiten|studiere|studieren|unterrichte|leite|stamme)\b|\b(?:wohne|lebe|arbeite|studiere|wohnen|leben|arbeiten) (?:ich|wir)\b|\b(?:umgezogen|gezogen|aufgewachsen)\b|\bmein (?:job|beruf|arbeitgeber|studium|wohnort)|\bmeine (?:firma|stelle|arbeit|muttersprache|heimat)", 0.85),
    Frame("identity", 0.75, rf"\b(?:ich bin|bin ich) {_ADV}(?:ein|eine|vegetarier\w*|veganer\w*|student\w*|lehrer\w*|ingenieur\w*|arzt|ärztin|krankenpfleger\w*|entwickler\w*|rentner\w*|\w+er(?:in)?\b(?= (?:bei|in|an|von|aus))|von beruf|allergisch|schwanger|vegan|vegetarisch|selbstständig|arbeitslos)", 0.8),
    Frame("identity", 0.8, r"\b(?:allergi\w*|unverträglich\w*|laktoseintoleran\w*|diabet\w*|asthma|migräne|operation|operiert|diagnose|diagnostiziert|medikament\w*|krankheit|depression\w*|rückenschmerzen)\b.*\b(?:ich|mein\w*|mir|mich)\b|\b(?:ich|mein\w*|mir|mich)\b.*\b(?:allergi\w*|unverträglich\w*|laktoseintoleran\w*|diabet\w*|asthma|migräne|operation|operiert|diagnose|diagnostiziert|medikament\w*|schwanger|vertrage)|\bich (?:esse|trinke) kein\w*", 0.8),
    Frame("relationship", 0.75, rf"\b(?:mein|meine|meinem|meinen|meiner|meines|unser|unsere|unseren|unserem) (?:\w+ )?{_PEOPLE}\b|\bich (?:bin|habe) (?:\w+ )?(?:verheiratet|geschieden|verlobt|single|geheiratet)|\bich habe (?:einen|eine|ein|zwei|drei|vier) (?:\w+ )?{_PEOPLE}\b", 0.75),
    Frame("preference", 0.75, rf"\b(?:ich|wir) {_ADV}(?:mag|mögen|liebe|lieben|hasse|bevorzuge|genieße|bewundere|verabscheue|vermeide|interessiere)\b|\b(?:mag|liebe|hasse|bevorzuge) ich\b|\bmein\w* lieblings\w+|\blieblings\w+|\b(?:ich|wir) \w+ (?:sehr |am liebsten |lieber |so |nicht )?(?:gern|gerne|lieber|am liebsten|ungern)\b|\bich bin (?:ein )?(?:\w+ )?fan\b|\bgefällt mir|\bmir (?:gefällt|schmeckt)|\bkann .{2,40} nicht (?:ausstehen|leiden)", 0.75),
    Frame("preference", 0.6, rf"\b(?:ich|wir) {_ADV}\w+e?n? .{{0,40}}\b(?:jeden|jede|jedes|immer|regelmäßig|oft|nie|normalerweise|meistens|täglich)\b|\b(?:jeden|jede|jedes|normalerweise|meistens) .{{2,40}}\b(?:ich|wir)\b", 0.7),
    Frame("decision", 0.75, r"\b(?:ich|wir) .{0,40}(?:entschieden|entschlossen|beschlossen|angemeldet|gewählt|gewechselt)\b|\b(?:ich|wir) (?:nehme|nehmen) (?:das|den|die)\b", 0.8),
    Frame("open_thread", 0.65, rf"\b(?:ich|wir) {_ADV}(?:will|wollen|möchte|plane|planen|habe vor|werde|werden|hoffe|überlege|muss|soll|ziehe|fahre|fliege|fahren|fliegen|ziehen|träume|suche)\b|\b(?:will|möchte|plane|werde|muss|ziehe|fahre|fliege|fahren|fliegen|werden) (?:ich|wir)\b|\bmein\w* (?:ziel|plan|traum)", 0.7),
    Frame("event", 0.65, rf"\b(?:ich|wir) (?:habe|haben|bin|sind|hatte|war|waren|hatten|wurde)\b.{{2,}}?\b{_DID}\b|\b(?:habe|haben|bin|sind|hatte|wurde) (?:ich|wir)\b.{{2,}}?\b{_DID}\b|\b(?:ich|wir) (?:war|waren|hatte|hatten|ging|kaufte|begann|bekam|fing)\b|\b(?:war|waren|hatte) (?:ich|wir)\b", 0.75),
    Frame("other", 0.55, rf"\b(?:ich|wir) {_ADV}(?:habe|haben|besitze|nutze|benutze|verwende|fahre|spiele|lerne|spreche|koche|lese|schreibe|trainiere|laufe|esse|trinke|brauche|kann|mache|trage|schlafe|übe|sammle|gehe|baue|verdiene)\b|\b(?:nutze|spiele|lerne|spreche|habe|fahre|esse|trinke|gehe) ich\b", 0.65),
)  # fmt: skip

_THIRD: Final = (
    ("bin", "ist"), ("habe", "hat"), ("werde", "wird"), ("kann", "kann"), ("muss", "muss"), ("will", "will"), ("mag", "mag"), ("darf", "darf"), ("soll", "soll"),
    ("möchte", "möchte"), ("weiß", "weiß"), ("fahre", "fährt"), ("esse", "isst"), ("lese", "liest"), ("nehme", "nimmt"), ("sehe", "sieht"), ("spreche", "spricht"),
    ("trage", "trägt"), ("schlafe", "schläft"), ("laufe", "läuft"), ("treffe", "trifft"), ("gebe", "gibt"), ("vergesse", "vergisst"), ("helfe", "hilft"),
    ("heiße", "heißt"), ("heisse", "heißt"), ("hasse", "hasst"), ("genieße", "genießt"), ("arbeite", "arbeitet"), ("finde", "findet"), ("sammle", "sammelt"), ("war", "war"), ("hatte", "hatte"), ("wurde", "wurde"),
    ("leite", "leitet"), ("unterrichte", "unterrichtet"), ("vermeide", "vermeidet"), ("ging", "ging"), ("bekam", "bekam"), ("begann", "begann"),
)  # fmt: skip

GERMAN: Final = Language(
    code="de",
    user="Der Nutzer",
    said="{S} sagt: {text}",
    about=r"\b(?:ich|mich|mir|mein\w{0,2}|wir|uns|unser\w{0,2})\b",
    lead_ins=r"(?:ja|nein|oh|ach|na ja|naja|also|und|aber|hallo|hi|hey|danke|vielen dank|ok|okay|übrigens|ehrlich gesagt|eigentlich|genau|stimmt|klar|natürlich|super|toll|cool|gut|tja|weißt du|ich glaube|ich denke|da|weil)(?: \w+)?[,.!;:]\s+",
    question_tail=r"[,;:.\-–]+\s*(?:und |aber |also )?(?:kannst|könntest|können|könnten|würdest|hast|hätten|was|wie|wo|wann|warum|wer|welche\w*|gibt|soll|sollte|ist|sind|oder|bitte)\b[^?]*\?+$",
    refused=(
        ("hypothetical", r"^(?:wenn|falls|angenommen|stell dir)\b|\b(?:wäre|hätte|würde) ich\b|\bich (?:wäre|würde|hätte)\b(?! gern)|\bich wünschte"),
        ("talk", r"^(?:lass|lasst|schau|sag|erzähl|zeig|gib|hilf|schick|viel (?:spaß|glück|erfolg)|bis (?:bald|später|morgen)|mach's gut|pass auf|du)\b|\bich (?:melde mich|sag dir|schick dir|helfe dir|schaue mal|probiere es)"),
        ("reaction", r"^ich (?:\w+ )?(?:stimme|verstehe|sehe das|weiß(?: nicht)?|hoffe,? (?:du|es|dass du)|glaube dir|freue mich für|gratuliere|drücke|finde (?:das|es|dich))\b|\bich bin (?:\w+ )?(?:froh|dankbar|stolz auf dich|sicher|gespannt|neugierig)\b|\btut mir leid|\bfreut mich"),
        ("request", r"^(?:kannst|könntest|können|würdest|hast|bist|ist|sind|gibt|was|wie|wo|wann|warum|wer|welche\w*|bitte (?!antworte|immer|nie|nenn))\b|\bich (?:brauche|möchte) (?:deine|ihre|hilfe|wissen|fragen)\b|\bich (?:frage mich|wollte fragen|suche (?:hilfe|tipps))\b"),
        ("quotes another", r"^(?:er|sie|man|jemand|die leute|der artikel) (?:sagt|sagte|meint|meinte|schrieb)\b|^(?:übersetze|schreibe? (?:einen|eine|ein|mir)|fasse|erkläre|erstelle)\b"),
        ("no referent", r"^(?:es|das|dies|er|sie|die) (?:ist|sind|war|waren|hat|haben|wird|hilft|macht|gibt|bedeutet|erinnert|kann|\w+te)\b"),
    ),
    frames=FRAMES,
    bonus=(
        (r"\b(?:gestern|heute|morgen|vorgestern|übermorgen|letzte\w?|nächste\w?|vor (?:\w+) (?:tagen|wochen|monaten|jahren)|seit|am (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|wochenende)|\d{4})\b", 0.12),
        (r"„[^“]{2,60}“|\"[^\"]{2,60}\"", 0.08), (r"\d", 0.05), (rf"\b{_PEOPLE}\b", 0.03),
        (r"\b(?:du|dir|dich|dein\w{0,2}|ihr|euch)\b", -0.15), (r"\bich (?:glaube|denke|finde|fühle)\b", -0.08), (r"^(?:\S+\s+){0,3}\S+$", -0.1), (r"\b(?:es|das)(?=[.!]|$)", -0.12),
    ),
    hedge=r"\b(?:vielleicht|wahrscheinlich|möglicherweise|eventuell|ich glaube|nicht sicher|könnte)\b",
    directive=r"^(?:jetzt )?(?:du darfst|sie dürfen|du kannst|sie können)(?: mir)? wieder \w+ .{2,60}(?:en|ern)[.!]*$|^(?:bitte )?(?:ab jetzt|von jetzt an|ab sofort|ab heute|in zukunft|künftig|merk dir|denk daran|immer|nie wieder|niemals)\b|^(?:bitte )?(?:nenn|nennt|nennen sie) mich\b|^(?:bitte )?(?:antworte|antworten sie|schreib|schreibe|sprich) (?:mir |bitte |immer |nur )*auf \w+|\b(?:nie wieder|nicht mehr|nicht noch einmal)[!.]?$(?<!ich)",
    correction=r"^(?:nein,|eigentlich|stimmt nicht|falsch|korrektur|ich meinte|sorry, ich meinte|entschuldigung, ich meinte)|\b(?:nicht mehr|kein\w* \w+ mehr|früher|statt(?:dessen)?|aufgehört|inzwischen|gewechselt|umgezogen)\b",
    rewrites=(
        *((rf"\b{one} ich\b", f"{he} {{S}}") for one, he in _THIRD), *((rf"\bich {one}\b", f"{{S}} {he}") for one, he in _THIRD),
        (r"\bich (\w+te)\b", r"{S} \1"), (r"\b(\w+te) ich\b", r"\1 {S}"), (r"\bich (\w+[^t\W])e\b", r"{S} \1t"), (r"\b(\w+[^t\W])e ich\b", r"\1t {S}"),
        *((rf"\b(und|aber|oder) {one}\b", rf"\1 {he}") for one, he in _THIRD), (r"\b(und|aber|oder) (\w+[^t\W])e(?= (?:in|bei|als|gern\w*|am|mit|für|an|auf|jeden|kein\w*|nur|auch|sehr)\b)", r"\1 \2t"),
    ),
)  # fmt: skip
