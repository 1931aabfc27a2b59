"""Italian: a small table."""

from __future__ import annotations

from typing import Final

from retentive.statement.model import Frame, Grammar

_X: Final = r"(?P<x>(?:(?:mi|si|ho|ha|sono|e'|e|siamo|era|ero|molto|sempre|davvero) ){0,3})"
_MY: Final = r"(?P<my>(?:il |la |i |le |l' )?(?:mio|mia|miei|mie|nostro|nostra)|il|la|lo|l'|i|le) "
_COPULA: Final = r"(?P<x>e|sono|era|e'|e diventato)"

FRAMES: Final = (
    Frame("fix", "", r"(?P<it>(?:e'|e|era) )?(?:a |di )?{v}"),
    Frame("one", "name to use", r"chiamami {v}"),
    Frame("language", "reply", r"(?:rispondi|rispondimi|scrivi|parla)(?: sempre)? in {v}"),
    Frame("noun", "", rf"{_MY}(?P<a>[^,:;]{{1,40}}?) (?:di|del|della|dello|dell') (?P<s>[^,:;]{{1,40}}?) {_COPULA} {{v}}"),
    Frame("noun", "", rf"{_MY}(?P<a>[^,:;]{{1,50}}?) {_COPULA} {{v}}"),
    Frame("one", "home", r"{s}{x}(?:vivo|vive|viviamo|abito|abita|vivere|abitare) (?:a|in|ad) {v}"),
    Frame("one", "home", r"{s}{x}(?:vivevo|viveva|abitavo|abitava|vissuto) (?:a|in|ad) {v}", "past"),
    Frame("move", "home", r"{s}{x}(?:trasferit[oa]|traslocato)(?: da (?P<old>.{1,60}?))? (?:a|in|ad) {v}", change=True),
    Frame("work", "employer", r"{s}{x}(?:lavoro|lavora|lavoriamo) (?:per|presso|in|alla|da|a) {v}"),
    Frame("work", "employer", r"{s}{x}(?:lavoravo|lavorava) (?:per|presso|in|alla|da|a) {v}", "past"),
    Frame("one", "employer", r"{s}{x}(?:iniziato a lavorare|cominciato) (?:per|presso|in|alla|da|a) {v}", change=True),
    Frame("one", "employer", r"{s}{x}(?:lasciato|licenziat[oa] da) (?:il lavoro (?:in|alla|a|da) )?{v}", "ended", -1),
    Frame("one", "job", r"{s}{x}(?:lavoro|lavora) come {v}"),
    Frame("one", "name", r"{s}(?:mi chiamo|si chiama) {v}"),
    Frame("one", "age", r"{s}(?:ho|ha|ho compiuto|ha compiuto) (?P<v>\d{1,3}) anni"),
    Frame("one", "birthplace", r"{s}{x}nat[oa] (?:a|in) {v}"),
    Frame("one", "marital status", r"{s}{x}(?P<v>single|celibe|nubile|sposat[oa]|divorziat[oa]|fidanzat[oa]|vedov[oa])(?: con .{1,40})?", change=True),
    Frame("one", "diet", r"{s}{x}(?:diventat[oa] )?(?P<v>vegetarian[oa]|vegan[oa]|celiac[oa])"),
    Frame("many", "allergic", r"{s}{x}allergic[oa] (?:a|al|alla|alle|ai|agli|all') {v}"),
    Frame("prefer", "prefers", r"{s}(?:preferisco|preferisce) {v} (?:a|al|alla|all'|invece di|piuttosto che) (?P<old>.{1,60})"),
    Frame("prefer", "prefers", r"{s}(?:preferisco|preferisce) {v}"),
    Frame("many", "likes", r"{s}(?:odio|odia|detesto|detesta) {v}", "now", -1),
    Frame("many", "likes", r"{s}(?:sopporto|sopporta) {v}"),
    Frame("many", "likes", r"(?:a (?P<s>[^,:;]{1,40}?) )??(?:mi|gli|le|ci) (?:piace|piacciono)(?: molto)? {v}"),
    Frame("many", "likes", r"(?:a (?P<s>[^,:;]{1,40}?) )(?:piace|piacciono)(?: molto)? {v}"),
    Frame("many", "likes", r"{s}(?:amo|ama|adoro|adora) {v}"),
    Frame("swap", "use", r"(?:(?:io|noi|l' utente|utente) )?(?:ho |ha |abbiamo |hanno )?(?:spostato|migrato|cambiato|passato|portato|trasferito) (?!da |a )(?P<s>[^,:;]{1,50}?) da (?P<old>[^,;]{1,40}?) a {v}", change=True),
    Frame("many", "given up", r"{s}(?:ho |ha )(?:abbandonato|smesso con|rinunciato a|mollato|lasciato perdere) (?:il |la |lo |l' |i |le )?{v}"),
    Frame("use", "use", r"{s}{x}(?:passat[oaie]|migrato|cambiato)(?: da (?P<old>.{1,60}?))? a {v}", change=True),
    Frame("use", "use", r"{s}{x}(?:uso|usa|usiamo|usare|usate|utilizzo|utilizza|utilizzare) {v}"),
    Frame("when", "when", r"{name}(?:(?:e|e'|sara|(?P<moved>e stat[oa] (?:spostat|rinviat|anticipat)[oa])) )?(?:da (?P<old>.{1,30}?) )?(?:a|alle)? ?{moment}"),
    Frame("count", "", r"{s}(?:ho|ha|abbiamo) (?P<n>\d{1,3}|due|tre|quattro|cinque|sei|sette|otto|nove|dieci) (?P<a>[a-z][\w -]{1,30})"),
    Frame("is", "is", r"{s}(?P<x>(?:sono|e|e'|ero|era) )(?:un |una |il |la )?{v}"),
    Frame("many", "have", r"{s}(?:ho|ha|abbiamo) {v}"),
    Frame("verb", "", r"(?:(?P<s>io|noi|l' utente|utente) )?(?P<verb>[a-z]{2,18}(?:o|iamo|are|ere|ire))(?: {v})?"),
    Frame("verb", "", r"(?P<s>l' utente|utente) (?P<verb>[a-z]{2,18}(?:a|e))(?: {v})?"),
    Frame("verb", "", r"{name}(?P<verb>[a-z]{2,18}(?:a|e))(?: {v})?"),
)  # fmt: skip

ITALIAN: Final = Grammar(
    code="it",
    words=frozenset("utente l' abbiamo nuovo puoi mangio mangia bevo beve abita lavora suono suona io mio mia sono il lo la i gli le di del della che e non mi piace piacciono vivo abito lavoro anche più ora adesso chiamo preferisco odio amo ho un una per con".split()),
    user=frozenset({"io", "noi", "utente", "l' utente", "l'utente", "user"}),
    pronouns=frozenset({"lui", "lei", "loro", "questo"}),
    determiners=r"(?:il|lo|la|l'|i|gli|le|un|uno|una|mio|mia|miei|mie|della|del|dei)",
    rewrites=((r"\b([ldcmst]|un|all|dell|nell)'(?=\w)", r"\1' "), (r"\bmi sono sposat[oa]\b", "sono sposato"), (r"^(?:puoi|potete|puo)(?: ora| adesso)? (?=.{0,80}\b(?:di nuovo|ancora|nuovamente)\b)", ""), (r"^(?:puoi|potete) (?:ri|tornare a |ricominciare a )(?=\w)", "di nuovo ")),
    lead_ins=(
        (r"(?:no(?=[,.;:!]|$)|in realta|scusa|scusami|correzione|volevo dire|mi sono sbagliat[oa]|d'ora in poi|d' ora in poi|da adesso in poi|da ora in poi)(?: |,|$)", "correction"),
        (r"(?:ricorda che|per favore|penso che|credo che|ma|pero)\b", ""),
        (r"(?:forse|probabilmente)\b", "hedge"),
        (r"(?:ora|adesso|attualmente|oggi|da poco)\b", "change"),
        (r"(?:prima|una volta|in passato|da bambin[oa])\b", "past"),
        (r"(?:anche|inoltre)\b", "additive"),
    ),
    markers=(
        (r"\b(?:voglio|vuole|vorrei|vorrebbe|penso di|potrei|spero|ho intenzione)\b|^se ", "plan", ""),
        (r"\bun tempo\b|\bin passato\b", "past", " "),
        (r"\b(?:di nuovo|nuovamente)\b|\b(?:ho |ha )(?:ripreso|ricominciato) a (?=\w)|\b(?:sono|e) tornat[oa] a (?=\w)|\b(?:torno|torna) a (?=\w)", "again", " "),
        (r"\bnon (.{1,25}?) piu\b", "ended", r"\1"),
        (r"\bho smesso di\b|\bha smesso di\b", "ended", " "),
        (r"\b(?:in realta|d' ora in poi)\b", "correction", " "),
        (r"\b(?:anche|inoltre)\b", "additive", " "),
        (r"\b(?:ora|adesso|attualmente)\b", "change", " "),
        (r"\b(?:il mese scorso|l' anno scorso|la settimana scorsa|di recente|recentemente|ieri|ancora|gia|appena|per favore)\b", "", " "),
        (r"\bnon (?!solo)|\bmai\b", "negative", " "),
        (r"\b(?:forse|probabilmente)\b", "hedge", " "),
    ),
    reorders=(),
    contrasts=(r"(?:, ?(?:e |ma )?| e )non (?:il |la |a |di )?(?P<old>[^,;]{1,60}?)$", r" invece (?:di|del|della) (?P<old>[^,;]{1,60}?)$", r"\bnon (?:e )?(?:il |la )?(?P<old>[^,;]{1,60}?),? ma (?:e )?(?=\S)"),
    contexts=(r"(?:^|(?<= ))(?P<c>al lavoro|a casa|in (?:ufficio|estate|inverno|vacanza)|di (?:mattina|sera|notte)|nel fine settimana)(?=$|,? )", r"(?<= )(?P<c>(?:quando|durante) [^,;]{1,60})$"),
    tails=(r",? (?:da|dal|fino) (?:\d{4}|\w+ (?:anni|mesi|settimane|anno|mese))$", r",? (?:molto|grazie|ieri|oggi)$"),
    breaks=r"(?<=(?-i:[a-z0-9)]{2}))[.!;]+\s+(?=\S)|;\s+|,? ma (?=(?:ora |adesso )?(?:io|vivo|abito|lavoro|mi)\b)|,? e (?=(?:io|mi|vivo|abito|lavoro|lavora|odio|uso)\b)",
    purpose=r" (?P<c>(?:per|in|quando|come|con) [^,;]{1,60})$",
    openers=r"(?:quando|se|durante|da)\b",
    new=r"^nuov[oa] | (?:nuov[oa]|attuale)$",
    favourite=r"(.{1,40}?) (?:preferit[oaie]|favorit[oaie])",
    unplaces=r"\b(?:team|squadra|reparto|gruppo|progetto|versione|piano)\b",
    was=frozenset({"ero", "era"}),
    became=frozenset({"diventato"}),
    not_verbs=frozenset("sono e non ho mi che la il lo le come di una questo questa".split()),
    frames=FRAMES,
    endings=r"(?:iamo|avo|ava|(?<!^b)(?<!^d)evo|eva|are|ere|ire|o|a|e)$",
    past_verbs=r"(?:avo|ava|(?<!^b)(?<!^d)evo|eva)$",
    fillers=_X,
    head="first",
)  # fmt: skip
