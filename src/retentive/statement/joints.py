"""Where a sentence of two statements may be taken apart, a table a language.

Patterns run on text without Latin accents, ignoring case, as those of the grammars do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_LATER: Final = r"(?:\w+ly|\w+mente|\w+ment)"


@dataclass(frozen=True, slots=True)
class Joints:
    """How one language joins statements.

    `between` is what stands between two. `subject` is who a sentence begins with: the user (`s`), the speaker (`i`,
    `first_person` in a part that leaves it out) or a name (`n`); `unsaid`: the verb may say it alone. A later part names
    its subject with `own` words, with something of theirs (`whose`), where `theirs` stands for 'the user's', or begins with
    its verb: what begins with `loose` words does not, and English verbs are told by `bases`. `predicate` words need the
    verb of the first part (`copula`). `refers` points at what another part says. `apart` is put between subject and verb.
    `closing` ends a part as a sentence ends: (pattern, replacement).

    Whose words and deeds a part tells must be sure. A sentence about what somebody has (`possessed`) lends no subject, and
    one in the first person none to a verb that is not (`other`). `inside` opens a clause that what follows may be in too;
    `reports` and what it stands beside may be said, thought, hoped or made up.

    `is_` begins an apposition ('I am Alice, 34, a vet from Graz'), `years` may follow a number in it, `from_` stands before
    where one is from, and `age` says how old one is where that takes another verb, of `{s}` and of oneself.
    """

    between: str
    subject: str
    own: str
    whose: str
    loose: str
    refers: str
    is_: str
    years: str
    from_: str
    inside: str
    reports: str
    other: str = r"(?!)"
    possessed: str = r"(?!)"
    first_person: str = ""
    theirs: str = r"(?!)"
    copula: str = r"(?!)"
    predicate: str = r"(?!)"
    age: tuple[str, str] = ("", "")
    unsaid: bool = False
    apart: str = " "
    closing: tuple[tuple[str, str], ...] = ()
    bases: frozenset[str] = frozenset()


_NAMED: Final = r"(?-i:[A-Z])[\w'-]{1,30}(?: (?-i:[A-Z])[\w'-]{1,30})?"

JOINTS: Final[dict[str, Joints]] = {
    "en": Joints(
        between=r",? (?:and|but) |; |, |[.!] ",
        subject=rf"(?:(?P<s>the user)(?: |'s )|(?P<i>(?:i|we)\b|my\b|i'm\b|i've\b)|(?P<n>{_NAMED})(?: |'s ))",
        own=r"(?:now |then |also )?(?:i|i'm|i've|we|the user)(?!'s)\b",
        whose=r"(?:my|our|the user's)\b",
        theirs=r"their (?=[\w' -]{1,40} (?:is|are|was|has|lives?|works?|plays?)\b)",
        loose=rf"(?:not|no|never|born|raised|brought|to|in|on|at|for|from|with|without|by|of|as|or|nor|so|if|when|while|because|since|than|then|just|like|the|an?|our|their|this|that|some|any|all|both|each|\w+ing|often|sometimes|maybe|partly|mostly|other|others|more|most|very|{_LATER})\b",
        refers=r"\b(?:it|its|them|they|there|this|that|these|those|he|she|him|his|her|hers|one|ones|so|same|both|each other|ours|us)\b",
        inside=r"\b(?:that|rather|who|whom|whose|which|where|how|whether|if|unless)\b",
        reports=r"\b(?:sa(?:y|ys|id)|tell|tells|told|th(?:ink|inks|ought)|guess\w*|believ\w+|claim\w*|assum\w+|suppos\w+|imagin\w+|pretend\w*|wish\w*|hop(?:e|es|ed|ing)|dream\w*|doubt\w*|den(?:y|ies|ied)|lied|lying|jok\w+|wonder\w*|according|what|wrote|writes|would)\b|\b\w+'d\b",
        other=r"(?!was\b)\w*[^\Ws]s\b",
        possessed=rf"(?:my|our)\b|(?:the user|{_NAMED})'s ",
        first_person="I",
        is_=rf"(?:(?P<s>the user|{_NAMED}) is|i am|i'm) ",
        copula=rf"(?:(?:the user|{_NAMED}) is|i am|i'm) ",
        predicate=r"(?:allergic|intolerant|married|single|divorced|engaged|widowed|retired|unemployed|vegan|vegetarian|based|fond|keen|into|originally|self-employed|(?:liv|work|study|train)ing)\b",
        bases=frozenset(
            "live work like love hate prefer use own speak play have enjoy want study teach drive eat drink repair build collect run write make cook sing paint train manage lead report sell grow keep".split()
        ),
        years=r"(?: years? old| yo)?",
        from_=r"from",
    ),
    "de": Joints(
        between=r",? (?:und|aber) |; |, |[.!] ",
        subject=rf"(?:(?P<s>der nutzer|die nutzerin|der benutzer) |(?P<i>(?:ich|wir)\b|meine?\b)|(?P<n>{_NAMED}) )",
        own=r"(?:ich|wir|der nutzer|die nutzerin)\b",
        whose=r"meine?\b",
        loose=r"(?:nicht|nie|kein\w*|in|im|am|an|auf|bei|mit|ohne|fur|von|vom|aus|zu|zum|zur|als|oder|wenn|weil|dass|da|wie|der|die|das|den|dem|des|ein\w*|mein\w*|sein\w*|ihr\w*|auch|oft|manchmal|vielleicht|sehr|dann|dort|andere\w*|\w+lich)\b",
        refers=r"\b(?:es|das|dies\w*|er|sie|ihm|ihn|ihr|ihnen|dort|da|dar\w+|davon|damit|dabei|daran|beide\w*)\b",
        inside=r"\b(?:dass|ob|wenn|falls|wo|wer|was|wie)\b|, (?:der|die|das|dem|den|deren|dessen|denen)\b",
        reports=r"\b(?:sag\w+|erzahl\w+|schr(?:eib|ieb)\w*|denk\w*|dacht\w+|glaub\w*|mein(?:t|st|en|te|ten)|behaupt\w+|vermut\w+|hoff\w*|wunsch\w*|traum\w*|bezweifl\w+|gelogen|lug\w+|laut|angeblich|wurde\w*|ware\w*|hatte gern)\b",
        other=r"\w+t\b",
        possessed=r"(?:meine?|unsere?)\b",
        first_person="Ich",
        is_=rf"(?:(?P<s>der nutzer|die nutzerin|{_NAMED}) ist|ich bin) ",
        copula=rf"(?:(?:der nutzer|die nutzerin|{_NAMED}) ist|ich bin) ",
        predicate=r"(?:allergisch|verheiratet|ledig|geschieden|verlobt|verwitwet|arbeitslos|vegan|vegetarisch)\b",
        years=r"(?: jahre?(?: alt)?)?",
        from_=r"aus",
    ),
    "es": Joints(
        between=r",? (?:y|e|pero) |; |, |[.!] ",
        subject=rf"(?:(?P<s>el usuario|la usuaria) |(?P<i>yo\b|mis?\b|me\b|soy\b)|(?P<n>{_NAMED}) )",
        own=r"(?:yo|el usuario|la usuaria)\b",
        whose=r"mis?\b",
        loose=r"(?:no|nunca|en|a|al|de|del|con|sin|por|para|desde|como|o|si|cuando|porque|que|el|la|los|las|una?|unos|unas|mi|mis|su|sus|tambien|a veces|quizas?|muy|alli|ahi|otr[oa]s?|\w+mente)\b",
        refers=r"\b(?:lo|la(?= \w+[oae]\b$)|eso|esto|esta|ese|esa|el$|ella|ellos|alli|ahi|ambos|le|les|su|sus)\b",
        inside=r"\b(?:que|quien(?:es)?|donde|si)\b",
        reports=r"\b(?:di(?:ce|cen|jo|go|jeron)|cuenta|escrib\w+|pienso|piensa\w*|cre(?:o|e|en)|afirm\w+|supon\w+|esper[oa]\w*|sone|suen[oa]\w*|dud[oa]\w*|finj\w+|ojala|segun)\b",
        other=r"(?!(?:\w*(?:[oyéí]|uve|ice)|he|yo|fui|puse|vine|me|nos|mis?)\b)\w+",
        is_=rf"(?:(?P<s>el usuario|la usuaria|{_NAMED}) es|(?:yo )?soy) ",
        copula=rf"(?:(?:el usuario|la usuaria|{_NAMED}) es|(?:yo )?soy) ",
        predicate=r"(?:alergic[ao]|intolerante|casad[ao]|solter[ao]|divorciad[ao]|vegan[ao]|vegetarian[ao]|jubilad[ao])\b",
        years=r"(?: anos)?",
        from_=r"de",
        age=("{s} tiene {v} años", "Tengo {v} años"),
        unsaid=True,
    ),
    "fr": Joints(
        between=r",? (?:et|mais) |; |, |[.!] ",
        subject=rf"(?:(?P<s>l' ?utilisateur|l' ?utilisatrice) |(?P<i>je\b|j'|nous\b|mon\b|ma\b|mes\b)|(?P<n>{_NAMED}) )",
        own=r"(?:je\b|j'|nous\b|l' ?utilisateur\b|l' ?utilisatrice\b)",
        whose=r"(?:mon|ma|mes)\b",
        loose=r"(?:ne|n'|pas|jamais|en|a|au|aux|de|du|des|d'|avec|sans|pour|par|chez|depuis|comme|ou|si|quand|parce|que|qui|le|la|les|l'|une?|mon|ma|mes|son|sa|ses|aussi|parfois|souvent|tres|autres?|\w+ment)(?=\W|$)",
        refers=r"\b(?:le(?= \w+e\b$)|y|en|ca|cela|ceci|il|elle|ils|elles|lui|leur|celui|celle|tous|les deux)\b",
        inside=r"\b(?:que|qui|dont|ou|si)\b|\bqu'",
        reports=r"\b(?:di[st]|disent|raconte\w*|ecri\w+|pense\w*|cro(?:is|it|ient)|affirme\w*|suppose\w*|espere\w*|reve\w*|doute\w*|selon|parait)\b",
        possessed=r"(?:mon|ma|mes|notre|nos)\b",
        first_person="Je",
        is_=rf"(?:(?P<s>l' ?utilisateur|l' ?utilisatrice|{_NAMED}) est|je suis) ",
        copula=rf"(?:(?:l' ?utilisateur|l' ?utilisatrice|{_NAMED}) est|je suis) ",
        predicate=r"(?:allergique|intolerante?|mariee?|celibataire|divorcee?|vegane?|vegetarien(?:ne)?|retraitee?)\b",
        years=r"(?: ans)?",
        from_=r"de",
        age=("{s} a {v} ans", "J'ai {v} ans"),
    ),
    "it": Joints(
        between=r",? (?:e|ed|ma) |; |, |[.!] ",
        subject=rf"(?:(?P<s>l' ?utente) |(?P<i>io\b|mi\b|il mio\b|la mia\b|sono\b)|(?P<n>{_NAMED}) )",
        own=r"(?:io|l' ?utente)\b",
        whose=r"(?:(?:il|la) )?mi[oa]\b",
        loose=r"(?:non|mai|in|a|ad|al|alla|allo|di|del|della|da|dal|dalla|con|senza|per|su|come|o|se|quando|perche|che|il|lo|la|i|gli|le|l'|una?|uno|mio|mia|suo|sua|anche|spesso|forse|molto|altr[ioe]|\w+mente)(?=\W|$)",
        refers=r"\b(?:lo(?= \w+$)|ci|ne|questo|questa|quello|quella|lui|lei|loro|li|entrambi|suo|sua)\b",
        inside=r"\b(?:che|chi|cui|dove|se)\b",
        reports=r"\b(?:di(?:co|ce|cono|sse)|racconta\w*|scriv\w+|penso|pensa\w*|cred(?:o|e|ono)|afferma\w*|suppon\w+|sper[oa]\w*|sogn\w+|dubit\w+|fing\w+|secondo)\b",
        other=r"(?!(?:\w*(?:o|ai|ei|ii)|mi|ci|mia|il|la)\b)\w+",
        is_=rf"(?:(?P<s>l' ?utente|{_NAMED}) e|(?:io )?sono) ",
        copula=rf"(?:(?:l' ?utente|{_NAMED}) e|(?:io )?sono) ",
        predicate=r"(?:allergic[ao]|intollerante|sposat[ao]|single|divorziat[ao]|vegan[ao]|vegetarian[ao]|pensionat[ao])\b",
        years=r"(?: anni)?",
        from_=r"di",
        age=("{s} ha {v} anni", "Ho {v} anni"),
        unsaid=True,
    ),
    "pt": Joints(
        between=r",? (?:e|mas) |; |, |[.!] ",
        subject=rf"(?:(?P<s>o usuario|a usuaria|o utilizador|a utilizadora) |(?P<i>eu\b|meu\b|minha\b|me\b|sou\b)|(?P<n>{_NAMED}) )",
        own=r"(?:eu|o usuario|a usuaria|o utilizador)\b",
        whose=r"(?:(?:o|a) )?(?:meu|minha)\b",
        loose=r"(?:nao|nunca|em|no|na|nos|nas|a|ao|de|do|da|dos|das|com|sem|por|para|desde|como|ou|se|quando|porque|que|o|os|as|uma?|meu|minha|seu|sua|tambem|talvez|muito|outr[oa]s?|\w+mente)\b",
        refers=r"\b(?:isso|isto|aquilo|ele|ela|eles|elas|la$|ali|ambos|seu|sua)\b",
        inside=r"\b(?:que|quem|onde|cuj[oa]|se)\b",
        reports=r"\b(?:di(?:go|z|zem|sse)|conta|escrev\w+|penso|pensa\w*|ach[oa]\w*|acredit\w+|afirma\w*|suponh\w+|esper[oa]\w*|sonh\w+|duvid\w+|finj\w+|segundo)\b",
        other=r"(?!(?:\w*(?:o|ei|i)|sou|estou|vou|dou|eu|meus?|minhas?|me)\b)\w+",
        is_=rf"(?:(?P<s>o usuario|a usuaria|{_NAMED}) e|(?:eu )?sou) (?:[ao] (?=(?-i:[A-Z])))?",
        copula=rf"(?:(?:o usuario|a usuaria|{_NAMED}) e|(?:eu )?sou) ",
        predicate=r"(?:alergic[ao]|intolerante|casad[ao]|solteir[ao]|divorciad[ao]|vegan[ao]|vegetarian[ao]|aposentad[ao])\b",
        years=r"(?: anos)?",
        from_=r"de",
        age=("{s} tem {v} anos", "Tenho {v} anos"),
        unsaid=True,
    ),
    "zh": Joints(
        between=r"[，,；;。！](?:而且|并且|同时|但是?|不过|也)?",
        subject=r"(?P<s>用户)(?!等)|(?P<i>我(?!们))|(?P<n>(?!))",
        own=r"(?:现在|目前)?(?:我|用户)(?!的)",
        whose=r"(?:我|用户)的",
        loose=r"(?:因为|由于|所以|如果|比如|和|跟|以及|还有|或|不是|而是|一|两|三)",
        refers=r"[它他她这那]",
        inside=r"(?!)",
        reports=r"[说想]$|说谎|撒谎|骗|开玩笑|认为|觉得|以为|希望|想象|假装|梦见|相信|据说",
        first_person="我",
        is_=r"(?:(?P<s>用户)|我)是",
        years=r"岁",
        from_=r"(?!)",
        age=("{s}{v}岁", "我{v}岁"),
        unsaid=True,
        apart="",
    ),
    "ja": Joints(
        between=r"(?<=[でて])、(?:そして|また)?|。",
        subject=r"(?P<s>ユーザー)(?:は|の)|(?P<i>私|僕|俺)(?:は|の)|(?P<n>(?!))",
        own=r"(?:私|僕|俺|ユーザー)は",
        whose=r"(?:私|僕|俺|ユーザー)の",
        loose=r"(?:そこ|それ|これ|あれ)",
        refers=r"それ|これ|そこ|彼|彼女",
        inside=r"(?!)",
        reports=r"と(?:言|思|聞|書|いう|いって)|夢|もし",
        first_person="私",
        is_=r"(?!)",
        years="",
        from_=r"(?!)",
        unsaid=True,
        apart="は",
        closing=(
            (r"(住んで|働いて|勤めて|飼って|使って|持って|して)いて$", r"\1います"),
            (r"(?<![いてん])で$", "です"),
        ),
    ),
}
