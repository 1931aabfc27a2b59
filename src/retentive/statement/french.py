"""French: the tables `parse.py` reads. An apostrophe is followed by a space before the frames run ('j' habite')."""

from __future__ import annotations

from typing import Final

from retentive.statement.model import Frame, Grammar

_X: Final = r"(?P<x>(?:(?:me|m'|se|s'|ai|a|avons|ont|suis|est|sommes|sont|etais|etait|avais|avait|tres|beaucoup|toujours|vraiment|surtout|bien|officiellement|enfin) ){0,4})"
_MY: Final = r"(?P<my>mon|ma|mes|notre|nos|le|la|les|l') "
_COPULA: Final = r"(?P<x>est|sont|etait|etaient|est devenue?|est passee? a|a change pour|c' est)"
_STATUS: Final = r"(?P<v>celibataire|mariee?|divorcee?|fiancee?|veuf|veuve|pacsee?|separee?|en couple)(?: (?:avec|a|en|depuis) .{1,40})?"
_DIET: Final = r"(?P<v>vegetarien(?:ne)?|vegane?|vegetalien(?:ne)?|pescetarien(?:ne)?|flexitarien(?:ne)?)"

FRAMES: Final = (
    Frame("fix", "", r"(?P<it>(?:c' est|c' etait|il s' agit de) )?(?:a |en |le )?{v}"),
    Frame("one", "name to use", r"(?:appelle|appelez)[- ]moi {v}"),
    Frame("language", "reply", r"(?:reponds|repondez|ecris|parle)(?:[- ]moi)?(?: toujours| uniquement)? en {v}"),
    Frame("language", "reply", r"{s}(?:prefere|veux|veut|souhaite) (?:des |les )?reponses en {v}"),
    Frame("noun", "", rf"{_MY}(?P<a>[^,:;]{{1,40}}?) (?:de la|de l'|du|des|de|d') (?P<s>[^,:;]{{1,40}}?) {_COPULA} {{v}}"),
    Frame("noun", "", rf"{_MY}(?P<a>[^,:;]{{1,50}}?) {_COPULA} {{v}}"),
    Frame("noun", "", r"(?P<a>[A-Za-z][\w' -]{1,30}) ?(?P<x>:|est) {v}"),
    Frame("one", "home", r"{s}(?:ai|a|as|avons|ont) (?:habite|vecu|reside) (?:a|au|aux|en|dans) {v}", "past"),
    Frame("one", "employer", r"{s}(?:ai|a|as|avons|ont) (?:travaille|bosse) (?:chez|pour|a|au) {v}", "past"),
    Frame("one", "home", r"{s}{x}(?:habite|habites|habitent|habitons|vis|vit|vivent|vivons|reside|demeure|installee?) (?:a|au|aux|en|dans|pres de) {v}"),
    Frame("one", "home", r"{s}{x}(?:habitais|habitait|vivais|vivait|residais) (?:a|au|aux|en|dans) {v}", "past"),
    Frame("move", "home", r"{s}(?:ai|a|as|avons|ont|suis|est|sommes) (?:demenage|parti vivre|partie vivre|emmenage)(?: (?:de|d') (?P<old>.{1,60}?))? (?:a|au|aux|en|pour) {v}", change=True),
    Frame("one", "employer", r"{s}{x}(?:travaille|travailles|travaillent|bosse|employee?|embauchee?) (?:chez|pour|par) {v}"),
    Frame("work", "employer", r"{s}{x}(?:travaille|bosse) (?:a|au) {v}"),
    Frame("one", "employer", r"{s}{x}(?:travaillais|travaillait|bossais) (?:chez|pour|a|au) {v}", "past"),
    Frame("one", "employer", r"{s}{x}(?:commence|rejoint|integre)(?: a travailler| un nouveau poste| un nouveau travail)?(?: chez)? {v}", change=True),
    Frame("one", "employer", r"{s}{x}(?:quitte|demissionne)(?: mon travail| mon poste)?(?: (?:chez|de))? {v}", "ended", -1),
    Frame("one", "employer", r"{s}{x}(?P<v>au chomage|retraitee?|a la retraite|sans emploi)", change=True),
    Frame("one", "job", r"{s}{x}(?:travaille|travailles) (?:comme|en tant que) (?:un |une )?{v}"),
    Frame("one", "job", r"{s}{x}(?:promue?|nommee?) {v}", change=True),
    Frame("one", "name", r"{s}(?:m' appelle|s' appelle|me nomme|se nomme) {v}"),
    Frame("one", "age", r"{s}(?:ai|a|viens d' avoir|vient d' avoir) (?P<v>\d{1,3}) ans"),
    Frame("one", "birthday", r"{s}{x}nee? (?:le|en) (?P<v>.{0,40}\d.{0,20})"),
    Frame("one", "birthplace", r"{s}{x}nee? (?:a|au|en) {v}"),
    Frame("one", "origin", r"{s}(?:viens|vient|suis originaire|est originaire) (?:de|du|des|d') {v}"),
    Frame("one", "marital status", rf"{{s}}{{x}}{_STATUS}", change=True),
    Frame("one", "diet", rf"{{s}}{{x}}(?:devenue? )?{_DIET}"),
    Frame("many", "allergic", r"{s}{x}allergique (?:a|au|aux) {v}"),
    Frame("prefer", "prefers", r"{s}(?:prefere|preferes|preferons) {v} (?:plutot que|a|au|aux) (?:le |la |l' |les )?(?P<old>.{1,60})"),
    Frame("prefer", "prefers", r"{s}(?:prefere|preferes|preferons) {v}"),
    Frame("prefer", "prefers", r"{s}aime (?:mieux|plus) {v} que (?P<old>.{1,60})"),
    Frame("many", "likes", r"{s}(?:deteste|detestes|detestons|hais|hait|ai horreur de|a horreur de) {v}", "now", -1),
    Frame("many", "likes", r"{s}(?:aime|aimes|aimons|adore|adores|adorons|apprecie|supporte|raffole de|suis fan de|est fan de)(?: bien| beaucoup)? {v}"),
    Frame("many", "likes", r"{s}(?:aimais|aimait|adorais|adorait) {v}", "past"),
    Frame("many", "likes", r"{s}(?:detestais|detestait) {v}", "past", -1),
    Frame("swap", "use", r"(?:(?:j'|je|nous|on|l' utilisateur|utilisateur) )?{x}(?:passe|migre|change|bascule|deplace|transfere) (?!de |d' |a |vers |pour |sur )(?P<s>[^,:;]{1,50}?) (?:de|d') (?P<old>[^,;]{1,40}?) (?:a|vers|sur) {v}", change=True),
    Frame("many", "given up", r"{s}{x}(?:arrete|abandonne|laisse tomber|renonce a) (?!d' |de ){v}"),
    Frame("use", "use", r"{s}{x}(?:passee?s?|migre|change|bascule)(?: (?:de|d') (?P<old>.{1,60}?))? (?:a|vers|pour|sur) {v}", change=True),
    Frame("use", "use", r"{s}{x}remplace (?P<old>.{1,60}?) par {v}", change=True),
    Frame("use", "use", r"{s}{x}(?:utilise|utilises|utilisent|utilisons|utiliser|utilisez|tourne sur) {v}"),
    Frame("when", "when", r"{name}(?:(?:est|sera|a lieu|aura lieu|a ete|etait) )?(?:(?P<moved>deplacee?|reportee?|decalee?) |prevue? |fixee? )?(?:de (?P<old>.{1,30}?) )?(?:au|a|le)? ?{moment}"),
    Frame("when", "", r"{name}(?P<verb>commence|part|arrive|finit|ouvre|ferme)(?: (?:le|a))? {moment}"),
    Frame("count", "", r"{s}(?:ai|a|avons) (?P<n>\d{1,3}|deux|trois|quatre|cinq|six|sept|huit|neuf|dix) (?P<a>[a-z][\w -]{1,30})"),
    Frame("is", "is", r"{s}(?P<x>(?:suis|est|sommes|sont|etais|etait) )(?:un |une |le |la |l' )?{v}"),
    Frame("many", "have", r"{s}(?:ai|a|avons) {v}"),
    Frame("verb", "", r"(?P<s>je|j'|nous|on|l' utilisateur|utilisateur) {x}(?P<verb>[a-z]{2,20})(?: {v})?"),
    Frame("verb", "", r"{name}(?P<verb>[a-z]{2,18}(?:e|t|ent))(?: {v})?"),
    Frame("verb", "", r"(?P<verb>utilise|ecris|evite|mets|ajoute|montre|explique|garde|rappelle-moi) {v}"),
)  # fmt: skip

FRENCH: Final = Grammar(
    code="fr",
    words=frozenset(
        "je j' mon ma mes le la les l' est suis ai n' ne pas plus de du des d' un une et a au chez aime habite travaille prefere deteste utilise en "
        "m' appelle maintenant c' qu' que pour avec dans mais".split()
    ),
    user=frozenset({"je", "j'", "j", "moi", "nous", "on", "utilisateur", "l' utilisateur", "utilisatrice", "l' utilisatrice", "user"}),
    pronouns=frozenset({"il", "elle", "ils", "elles", "cela", "ca", "c'"}),
    determiners=r"(?:de la|de l'|l'|le|la|les|un|une|des|du|de|d'|mon|ma|mes|notre|nos)",
    rewrites=(
        (r",? (?:parce que|parce qu'|car|puisque) .{1,300}$", ""),
        (r"\b([ldjnmtsc]|qu)'(?=\w)", r"\1' "),
        (r"\b(?:n' |ne )?(supporte) (?:pas|plus)\b", "deteste"),
        (r"^(?:tu peux|vous pouvez)(?: maintenant)? (?=.{0,80}\b(?:de nouveau|a nouveau|encore une fois)\b)", ""),
        (r"^(?:tu peux|vous pouvez) (?:re|reu)(?=tiliser)", "encore une fois u"),
        (r"\bme suis mariee?\b", "suis marie"),
        (r"\bs' il (?:te|vous) plait\b|\bstp\b|\bsvp\b", " "),
    ),
    lead_ins=(
        (r"(?:non(?=[,.;:!]|$)|en fait|en realite|correction|pardon|desolee?|je voulais dire|je me suis trompee?|c' est faux|erreur|plutot|finalement)\b", "correction"),
        (r"(?:a partir de maintenant|desormais|dorenavant|a partir d' aujourd'hui|a l' avenir)\b", "correction"),
        (r"(?:au fait|rappelle-toi que|note que|je crois que|je pense que|bon|et|mais|oui|salut|l' utilisateur dit que|que|qu')(?= |$)", ""),
        (r"(?:peut-etre|probablement|sans doute)(?: que)?\b", "hedge"),
        (r"(?:maintenant|aujourd'hui|actuellement|a present|ces jours-ci|depuis (?:peu|\w{3,10}))\b", "change"),
        (r"(?:avant|autrefois|jadis|dans le passe|quand j' etais (?:petite?|enfant|jeune)|enfant|jusqu' en \d{4})\b(?! de)", "past"),
        (r"(?:aussi|egalement|en plus|de plus)\b", "additive"),
    ),
    markers=(
        (r"\b(?:veux|veut|voudrais|voudrait|aimerais|aimerait|vais|va|allons|compte|prevois|prevoit|pense a|pourrais|pourrait|espere|envisage)(?= )|^si ", "plan", ""),
        (r"\b(?:autrefois|jadis|dans le passe)\b|(?<=[a-z]), avant$", "past", " "),
        (r"\b(?:de nouveau|a nouveau|encore une fois)\b|\b(?:recommence|recommences|ai recommence|a recommence|me remets|se remet|me suis remise?|s' est remise?) a (?=\w)", "again", " "),
        (r"\bn(?:e|') ((?:\S+ ){0,2}\S+) plus\b", "ended", r"\1"),
        (r"\bn(?:e|') ((?:\S+ ){0,2}\S+) (?:pas|jamais|point|guere|aucune?)\b", "negative", r"\1"),
        (r"\b(?:ai |a |avons |ont )?(?:arrete|cesse) d(?:e|') (?=\w)", "ended", " "),
        (r"\b(?:en fait|en realite|desormais|dorenavant|a partir de maintenant|finalement)\b", "correction", " "),
        (r"\b(?:aussi|egalement|en plus)\b", "additive", " "),
        (r"\b(?:maintenant|actuellement|aujourd'hui|a present|ces jours-ci)\b", "change", " "),
        (r"\b(?:le mois dernier|la semaine derniere|l' annee derniere|recemment|hier|encore|deja|il y a \w+ \w+|depuis \w+(?: \w+)?$)\b", "", " "),
        (r"\b(?:pas|jamais)\b(?! seulement)|^evite (?=\w)", "negative", " "),
        (r"\b(?:peut-etre|probablement)\b", "hedge", " "),
    ),
    reorders=(),
    contrasts=(
        r"(?:, ?(?:et |mais )?| et )(?:non )?pas (?:le |la |l' |les |a |en |au )?(?P<old>[^,;]{1,60}?)$",
        r" (?:au lieu de|a la place de|plutot que) (?:le |la |l' )?(?P<old>[^,;]{1,60}?)$",
        r"\bn(?:e|') est (?:pas|plus) (?:le |la )?(?P<old>[^,;]{1,60}?),? (?:mais |(?:maintenant )?c' )(?=\S)",
    ),
    contexts=(
        r"(?:^|(?<= ))(?P<c>au (?:travail|bureau|petit-dejeuner|printemps)|a la maison|en (?:ete|hiver|automne|vacances)|le (?:matin|soir|week-end)|la nuit|l' apres-midi|en semaine)(?=$|,? )",
        r"(?<= )(?P<c>(?:quand|lorsque|pendant) [^,;]{1,60})$",
    ),
    tails=(
        r",? (?:depuis|jusqu') .{1,30}$",
        r",? en (?:janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre|(?:19|20)\d\d)$",
        r",? pendant \w{1,10} (?:jours|semaines|mois|ans)$",
        r",? (?:beaucoup|merci|hier|du tout)$",
    ),
    breaks=r"(?<=(?-i:[a-z0-9)]{2}))[.!;]+\s+(?=\S)|;\s+|,? mais (?=(?:maintenant )?(?:je|j'|mon|ma)(?:\b| ))|,? et (?=(?:je|j'|mon|ma)(?:\b| )|(?:travaille|habite|deteste|aime|utilise) )",
    purpose=r" (?P<c>(?:pour|en|quand|comme|avec|dans) [^,;]{1,60})$",
    openers=r"(?:quand|lorsque|si|pendant|depuis)\b",
    new=r"^(?:nouveau|nouvelle|nouvel|actuelle?) | actuelle?$",
    favourite=r"(.{1,40}?) (?:prefere(?:e?s?)?|favorite?s?)",
    unplaces=r"\b(?:equipe|departement|poste|groupe|projet|version|plan)\b",
    was=frozenset({"etais", "etait", "etaient", "avais", "avait"}),
    became=frozenset({"devenu", "devenue", "passe", "passee", "change"}),
    not_verbs=frozenset("est suis et ai a pas que c' sont etait pense crois le la les de une ete".split()),
    frames=FRAMES,
    endings=r"(?:ais|ait|ons|ez|ent|es|er|e|s|t)$",
    past_verbs=r"(?:ais|ait)$",
    fillers=_X,
    head="first",
)  # fmt: skip
