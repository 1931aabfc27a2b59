"""German: the tables `parse.py` reads."""

from __future__ import annotations

from typing import Final

from retentive.statement.model import Frame, Grammar

_X: Final = r"(?P<x>(?:(?:bin|ist|sind|war|waren|habe|hat|haben|hatte|hatten|wirklich|sehr|meistens|immer|oft|nur|total|gar|uberhaupt|offiziell|endlich) ){0,4})"
_MY: Final = r"(?P<my>meine?|unsere?|der|die|das) "
_BE: Final = r"(?P<x>(?:bin|ist|sind|war|waren|wurde) )"
_STATUS: Final = r"(?P<v>ledig|single|verheiratet|geschieden|verlobt|verwitwet|getrennt|in einer beziehung|vergeben)(?: (?:mit|im|seit) .{1,40})?"
_DIET: Final = r"(?P<v>vegan|vegetarisch|pescetarisch|veganer(?:in)?|vegetarier(?:in)?|pescetarier(?:in)?|koscher|halal|glutenfrei)"
_COPULA: Final = r"(?P<x>ist|sind|lautet|betragt|liegt bei|heißt|heisst|war|waren|wurde zu|(?:hat|haben) sich geandert (?:in|zu|auf))"

FRAMES: Final = (
    Frame("fix", "", r"(?P<it>(?:es|das) ist )?(?:am |um |in |bei )?{v}"),
    Frame("one", "name to use", r"nenne? mich (?:einfach )?{v}"),
    Frame("language", "reply", r"(?:antworte|antworten sie|schreibe?|sprich|rede|kommuniziere)(?: mir| mit mir)?(?: immer| nur)* (?:auf|in) {v}"),
    Frame("language", "reply", r"{s}(?:bevorzugt|bevorzuge|mochte|will|wunscht) antworten (?:auf|in) {v}"),
    Frame("noun", "", rf"{_MY}(?P<a>[^,:;]{{1,40}}?) (?:von|des|der|fur) (?P<s>[^,:;]{{1,40}}?) {_COPULA} {{v}}"),
    Frame("noun", "", rf"{_MY}(?P<a>[^,:;]{{1,50}}?) {_COPULA} {{v}}"),
    Frame("noun", "", rf"(?!das |des |es |was |alles |etwas |nichts )(?P<s>(?-i:[A-Z])[\w-]{{1,30}}?)(?:s|') (?P<a>(?-i:[A-Z])[^,:;]{{1,40}}?) {_COPULA} {{v}}"),
    Frame("noun", "", r"(?P<a>[A-Za-z][\w -]{1,30}) ?(?P<x>:|ist) {v}"),
    Frame("one", "home", r"{s}{x}(?:wohne|wohnt|wohnen|lebe|lebt|leben) (?:in|bei|auf|am|im) {v}"),
    Frame("one", "home", r"{s}{x}(?:wohnte|wohnten|lebte|lebten) (?:in|bei|auf) {v}", "past"),
    Frame("one", "home", r"{s}{x}(?:in|bei|auf) {v} (?:gewohnt|gelebt)", "past"),
    Frame("move", "home", r"{s}{x}(?:von (?P<old>.{1,60}?) )?(?:nach|in) {v} (?:um|zuruck)?gezogen", change=True),
    Frame("move", "home", r"{s}{x}umgezogen (?:von (?P<old>.{1,60}?) )?nach {v}", change=True),
    Frame("one", "home", r"{s}{x}aus {v} (?:weg|aus)gezogen", "ended", -1),
    Frame("one", "employer", r"{s}{x}(?:arbeite|arbeitet|arbeiten) (?:in teilzeit |in vollzeit )?(?:bei|fur) {v}"),
    Frame("one", "employer", r"{s}{x}(?:bei|fur) {v} (?:angestellt|beschaftigt|tatig)"),
    Frame("one", "employer", r"{s}{x}(?:arbeitete|arbeiteten) (?:bei|fur) {v}", "past"),
    Frame("one", "employer", r"{s}{x}(?:bei|fur) {v} gearbeitet", "past"),
    Frame("one", "employer", r"{s}{x}(?:(?:einen|eine) (?:neuen? )?(?:job|stelle) )?(?:bei|zu) {v} (?:angefangen|begonnen|gewechselt|bekommen|angenommen)", change=True),
    Frame("one", "employer", r"{s}{x}(?:meinen job )?bei {v} (?:gekundigt|aufgehort)", "ended", -1),
    Frame("one", "employer", r"{s}{x}(?P<v>arbeitslos|im ruhestand|in rente|selbststandig)", change=True),
    Frame("one", "job", r"{s}{x}(?:arbeite|arbeitet|arbeiten) als (?:ein |eine )?{v}"),
    Frame("one", "job", r"{s}{x}als (?:ein |eine )?{v} gearbeitet", "past"),
    Frame("one", "job", r"{s}{x}zu[mr]? {v} befordert(?: worden)?", change=True),
    Frame("one", "name", r"(?P<s>ich|der nutzer|die nutzerin|user|nutzer) (?:heiße|heisse|heißt|heisst) {v}"),
    Frame("one", "name", r"{s}(?:heißt|heisst) {v}"),
    Frame("one", "age", r"{s}(?P<x>(?:bin|ist|sind|war|wurde) )(?P<v>\d{1,3})(?: jahre(?: alt)?)?(?: geworden)?"),
    Frame("one", "birthday", r"{s}(?:bin|ist|wurde) (?:am|im) (?P<v>.{0,40}\d.{0,20}) geboren"),
    Frame("one", "birthplace", r"{s}(?:bin|ist|wurde) in {v} geboren"),
    Frame("one", "birthplace", r"{s}{x}geboren in {v}"),
    Frame("one", "origin", r"{s}(?:komme|kommt|stamme|stammt|bin) (?:ursprunglich )?aus {v}"),
    Frame("one", "marital status", rf"{{s}}{{x}}{_STATUS}", change=True),
    Frame("one", "diet", rf"{{s}}{{x}}(?:(?:ernahre|ernahrt|esse|isst|lebe|lebt) (?:mich |sich )?)?(?:ein |eine )?{_DIET}(?: geworden)?"),
    Frame("many", "allergic", r"{s}{x}allergisch (?:gegen|auf) {v}"),
    Frame("prefer", "prefers", r"{s}{x}(?:bevorzuge|bevorzugt|bevorzugen|favorisiere|favorisiert) {v} (?:gegenuber|vor|statt) (?P<old>.{1,60})"),
    Frame("prefer", "prefers", r"{s}{x}(?:bevorzuge|bevorzugt|bevorzugen|favorisiere|favorisiert) {v}"),
    Frame("prefer", "prefers", r"{s}{x}(?:mag|trinke|trinkt|esse|isst|nutze|nutzt|hatte|fahre|fahrt) (?:lieber {v}|(?P<w>.{1,60}?) lieber) als (?P<old>.{1,60})"),
    Frame("prefer", "prefers", r"{s}{x}(?:mag|trinke|trinkt|esse|isst|nutze|nutzt|hatte|habe|fahre|fahrt) lieber {v}"),
    Frame("many", "likes", r"{s}{x}(?:hasse|hasst|hassen|verabscheue|verabscheut) {v}", "now", -1),
    Frame("many", "likes", r"{s}kann {v} (?:leiden|ausstehen)"),
    Frame("many", "likes", r"{s}{x}(?:mag|mogen|liebe|liebt|lieben) {v}"),
    Frame("many", "likes", r"{s}{x}(?:[a-z]{3,15}) (?:sehr |besonders )?gerne? {v}"),
    Frame("many", "likes", r"{s}{x}(?:ein )?(?:großer |grosser )?fan von {v}"),
    Frame("many", "likes", r"{s}{x}(?:mochte|mochten|liebte|liebten) {v}", "past"),
    Frame("swap", "use", r"(?:(?:ich|wir|sie|der nutzer|die nutzerin) )?{x}(?P<s>(?!von )[^,:;]{1,50}?) von (?P<old>[^,;]{1,40}?) (?:auf|zu|nach) {v} (?:umgestellt|migriert|gewechselt|umgezogen|gebracht|portiert)", change=True),
    Frame("swap", "use", r"(?:ich|wir|sie|der nutzer|die nutzerin) (?:wechselten?|migrierten?) (?P<s>[^,:;]{1,50}?) von (?P<old>[^,;]{1,40}?) (?:auf|zu|nach) {v}", change=True),
    Frame("many", "given up", r"{s}{x}(?:das |die |den |dem |mit (?:dem |der )?)?{v} (?:aufgegeben|aufgehort)"),
    Frame("many", "given up", r"{s}verzichte[tn]? auf {v}"),
    Frame("use", "use", r"{s}{x}(?:von (?P<old>.{1,60}?) )?(?:auf|zu) {v} (?:umgestiegen|gewechselt|migriert|umgestellt)", change=True),
    Frame("use", "use", r"{s}{x}(?P<old>.{1,60}?) durch {v} ersetzt", change=True),
    Frame("use", "use", r"{s}{x}(?:nutze|nutzt|nutzen|verwende|verwendet|verwenden|benutze|benutzt|benutzen|setze auf|setzt auf|lauft auf|lauft mit) {v}"),
    Frame("when", "when", r"{name}(?:(?:ist|sind|(?P<moved>wurde|wird)|findet|war) )?(?:von (?P<old>.{1,30}?) )?(?:auf|am|um)? ?{moment}(?: statt| verschoben| verlegt| geplant)?(?: worden)?"),
    Frame("when", "", r"{name}(?P<verb>beginnt|startet|endet|offnet|schließt|schliesst|fahrt|fliegt|geht)(?: (?:am|um))? {moment}(?: ab)?"),
    Frame("count", "", r"{s}(?:habe?|hat|haben|besitze|besitzt) {x}(?P<n>\d{1,3}|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn) (?P<a>[A-Z][\w -]{1,30})"),
    Frame("is", "is", rf"{{s}}{_BE}(?:ein |eine )?{{v}}"),
    Frame("many", "have", r"{s}(?:habe|hat|haben|besitze|besitzt) {v}"),
    Frame("verb", "", r"(?P<s>ich|wir|er|sie|der nutzer|die nutzerin|nutzer|user) {x}(?P<verb>[a-zß]{2,20})(?: {v})?"),
    Frame("verb", "", r"{name}(?P<verb>(?-i:[a-zß]{2,18}t))(?: {v})?"),
    Frame("verb", "", r"(?P<verb>verwende|benutze|nutze|vermeide|schreibe?|schicke?|sende?|gib|zeige?|mache?|erklare?|frage?|erinnere) {v}"),
)  # fmt: skip

GERMAN: Final = Grammar(
    code="de",
    words=frozenset(
        "ich mein meine ist bin und nicht kein keine keinen der die das in bei auf mit von zu mehr auch jetzt wohne wohnt arbeite arbeitet mag "
        "heiße liebe hasse bitte lautet nutzt den dem ein eine nach er sie wir habe hat du sie wieder darfst durfen kannst esse trinke spiele".split()
    ),
    user=frozenset({"ich", "wir", "mich", "nutzer", "der nutzer", "die nutzerin", "nutzerin", "user", "der user", "benutzer", "der benutzer"}),
    pronouns=frozenset({"er", "sie", "es", "das", "jemand"}),
    determiners=r"(?:der|die|das|den|dem|des|ein|eine|einen|einem|einer|mein|meine|meinen|meiner|meinem|unser|unsere|unseren)",
    rewrites=((r"^(?:(?:du|sie) )?(?:darfst|durfen|kannst|konnen)(?: (?:du|sie))?(?: mir)? (?=.{0,60}\bwieder\b)", ""), (r"\b(?:habe|hat) (wieder) angefangen,? (?:(.{1,30}) )?zu (\w{2,20})en$", r"\3e \1 \2"), (r"^(?!.{0,60}\b(?:mag|esse|trinke) )(in|bei|auf) (.{1,40}?) (wohne|lebe|arbeite) (ich|wir)\b", r"\4 \3 \1 \2"), (r"\b(?:habe|hat) geheiratet\b", "bin verheiratet"), (r"\bhat(?:te)? gern\b", "mag"), (r", (?:weil|da|damit|denn) .{1,300}$", ""), (r"\bich hab\b", "ich habe"), (r"\bich wohn\b", "ich wohne")),
    lead_ins=(
        (r"(?:nein|nee|doch|sorry|entschuldigung|korrektur|eigentlich|tatsachlich|in wirklichkeit|quatsch|moment|halt|stimmt nicht|das stimmt nicht|das ist falsch|ich meinte|ich meine|ich habe mich vertan|berichtigung)\b", "correction"),
        (r"(?:ab jetzt|ab sofort|ab heute|von nun an|von jetzt an|kunftig|in zukunft|zukunftig)\b", "correction"),
        (r"(?:ubrigens|bitte|merk dir|merke dir|also|und|aber|ja|ok|hallo|hey|ich glaube|ich denke|dass|nur zur info|der nutzer sagt|nutzer sagt)\b", ""),
        (r"(?:vielleicht|wahrscheinlich|moglicherweise|eventuell)\b", "hedge"),
        (r"(?:jetzt|nun|inzwischen|mittlerweile|derzeit|aktuell|momentan|zurzeit|heute|neuerdings|seit (?:kurzem|neuestem|(?:letzte[mnrs]? |diese[mnr]? |dem )?\w{2,12}))\b", "change"),
        (r"(?:fruher|damals|ehemals|vorher|als kind|bis \d{4}|in der vergangenheit)\b", "past"),
        (r"(?:außerdem|ausserdem|zusatzlich|auch)\b", "additive"),
    ),
    markers=(
        (r"\b(?:mochte|will|werde|wird|wurde gern|wurde gerne|plane|plant|uberlege|uberlegt|konnte|hoffe|hofft|sollte|habe vor|hat vor)\b(?! geandert)|^(?:wenn|falls) ", "plan", ""),
        (r"\b(?:fruher|damals|ehemals|vormals|als kind)\b", "past", " "),
        (r"\b(?:(?:schon|jetzt|endlich) )?wieder\b", "again", " "),
        (r"\bnicht(?: langer| mehr)\b|\bnicht (?=(?:\S{1,20} ){0,3}mehr\b)", "ended", " "),
        (r"\bkein(?:e|en|em|er|es)? (.{1,40}?) mehr\b", "ended", r"\1"),
        (r"\b(?:habe|hat|haben) aufgehort,? (?:(.{1,30}) )?zu (\w{2,20})en$", "ended", r"\2e \1"),
        (r"\b(?:ab jetzt|ab sofort|ab heute|von nun an|kunftig|eigentlich|tatsachlich|doch)\b", "correction", " "),
        (r"\b(?:auch|zusatzlich|außerdem|ebenfalls|noch ein(?=e|en| ))\b", "additive", " "),
        (r"\b(?:jetzt|nun|inzwischen|mittlerweile|derzeit|aktuell|momentan|zurzeit|neuerdings)\b", "change", " "),
        (r"\bseit (?:kurzem|langem|neuestem|gestern|heute|(?:(?:letzte[mnrs]?|diese[mnr]?|dem|zwei|drei|vier|funf|zehn|\d{1,2}|ein paar|vielen|mehreren|einigen) ){0,2}\w{2,12})\b", "", " "),
        (r"\b(?:letzte[nrsm]?|vorige[nrsm]?|diese[nrsm]?) (?:woche|monat|jahr|sommer|winter|fruhling|herbst)\b|\b(?:gerade|kurzlich|neulich|gestern|bitte|immer noch|noch immer|schon|bereits)\b", "", " "),
        (r"\bvor (?:\w+ )?\w+ (?:tagen|wochen|monaten|jahren)\b|\bvor (?:einem|einer) (?:monat|jahr|woche)\b|\b(?:zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|\d{1,2}|viele) jahre lang\b", "", " "),
        (r"\bnicht (?!nur)(?=\S)|\bnicht$|\bnie(?:mals)?\b|^vermeide (?=\w)", "negative", " "),
        (r"\bkein(?:e|en|em|er|es)?\b", "negative", " "),
        (r"\b(?:vielleicht|wahrscheinlich|moglicherweise)\b", "hedge", " "),
    ),
    reorders=(
        (r"^([\wß]{2,20}) (ich|wir|er|der nutzer) (?=\S)", r"\2 \1 "),
        (r"^(?!ich |wir |er |sie |der |die )([^,:;]{2,40}) (verwend|benutz|nutz|schreib|schick|send|zeig|mach)en$", r"\2e \1"),
        (r"^(wohnt|lebt|arbeitet|heißt|mag|liebt|hasst|nutzt|verwendet|ist|hat) ((?-i:[A-Z])\w{1,30}) (?=\S)", r"\2 \1 "),
    ),
    contrasts=(
        r", ?(?:und |aber )?nicht (?:mehr )?(?:am |um |in |bei |auf |der |die |das |den |ein |eine )?(?P<old>[^,;]{1,60}?)$",
        r" (?:statt|anstatt|anstelle von) (?:am |um |in |bei |der |die |das |den )?(?P<old>[^,;]{1,60}?)$",
        r"\bnicht (?:mehr )?(?:am |um |in |bei |der |die |das )?(?P<old>[^,;]{1,60}?), (?:sondern |es ist |jetzt ist es )(?=\S)",
    ),
    contexts=(
        r"(?:^|(?<= ))(?P<c>bei der arbeit|zu hause|zuhause|im buro|im urlaub|am wochenende|unter der woche|im (?:sommer|winter|fruhling|herbst)|morgens|mittags|abends|nachts|am (?:morgen|abend|handy|laptop|rechner)|zum (?:fruhstuck|mittagessen|abendessen))(?=$|,? )",
        r"(?<= )(?P<c>(?:wenn|wahrend|beim) [^,;]{1,60})$",
    ),
    tails=(
        r",? (?:seit|ab|bis) .{1,30}$",
        r",? im (?:januar|februar|marz|april|mai|juni|juli|august|september|oktober|november|dezember)(?: \d{4})?$",
        r",? (?:danke|sehr|total|gar|uberhaupt|wirklich|um|bitte|heute|gestern)$",
    ),
    breaks=r"(?<=(?-i:[a-z0-9)]{2}))[.!;]+\s+(?=\S)|;\s+|,? aber (?=(?:jetzt |nun )?(?:ich|mein|meine|wohne|arbeite)\b)|,? und (?=(?:ich|meine?|arbeite|arbeitet|wohne|wohnt|mag|liebe|hasse|spreche|nutze)\b)",
    purpose=r" (?P<c>(?:fur|im|beim|als|mit) [^,;]{1,60})$",
    openers=r"(?:wenn|wahrend|bei|falls|nachdem|seit)\b",
    new=r"^(?:neuer?s?|aktuelle[rs]?) ",
    favourite=r"lieblings-?(.{1,40})",
    unplaces=r"\b(?:team|abteilung|stelle|position|gruppe|projekt|version|plan)\b",
    was=frozenset({"war", "waren", "hatte", "hatten"}),
    became=frozenset({"geandert", "wurde"}),
    not_verbs=frozenset("bin ist sind war habe hat haben dass und nicht glaube denke weiß mochte will werde".split()),
    frames=FRAMES,
    endings=r"(?:en|est|st|et|t|e)$",
    past_verbs=r"te$",
    fillers=_X,
    capitals=False,
)  # fmt: skip
