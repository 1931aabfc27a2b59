"""Portuguese (Brazilian and European): a small table."""

from __future__ import annotations

from typing import Final

from retentive.statement.model import Frame, Grammar

_X: Final = r"(?P<x>(?:(?:me|se|eu me|sou|e|estou|esta|tenho|tem|era|estava|muito|sempre|realmente) ){0,3})"
_MY: Final = r"(?P<my>(?:o |a |os |as )?(?:meus?|minhas?|noss[oa])|o|a|os|as) "
_COPULA: Final = r"(?P<x>e|sao|era|mudou para|passou a ser)"

FRAMES: Final = (
    Frame("fix", "", r"(?P<it>(?:e|era) )?(?:na |no |em )?{v}"),
    Frame("one", "name to use", r"(?:me chame de|chame-me|chama-me|pode me chamar de) {v}"),
    Frame("language", "reply", r"(?:responda|responde|escreva|escreve|fale|fala)(?:-me)?(?: sempre)? em {v}"),
    Frame("noun", "", rf"{_MY}(?P<a>[^,:;]{{1,40}}?) (?:de|do|da|dos|das) (?P<s>[^,:;]{{1,40}}?) {_COPULA} {{v}}"),
    Frame("noun", "", rf"{_MY}(?P<a>[^,:;]{{1,50}}?) {_COPULA} {{v}}"),
    Frame("one", "home", r"{s}{x}(?:moro|mora|moramos|vivo|vive|resido|reside|morar|viver) (?:em|no|na) {v}"),
    Frame("one", "home", r"{s}{x}(?:morava|vivia|morei|vivi|morou) (?:em|no|na) {v}", "past"),
    Frame("move", "home", r"{s}{x}(?:mudei|mudou)(?:-me|-se)?(?: de (?P<old>.{1,60}?))? (?:para|pra) (?:o |a )?{v}", change=True),
    Frame("work", "employer", r"{s}{x}(?:trabalho|trabalha|trabalhamos|trabalhar) (?:para|em|no|na) {v}"),
    Frame("work", "employer", r"{s}{x}(?:trabalhava|trabalhei) (?:para|em|no|na) {v}", "past"),
    Frame("one", "employer", r"{s}{x}(?:comecei|comecou|entrei|entrou)(?: a trabalhar| um novo emprego)? (?:em|no|na) {v}", change=True),
    Frame("one", "employer", r"{s}{x}(?:sai|saiu|pedi demissao|demiti-me) (?:do|da|de) {v}", "ended", -1),
    Frame("one", "job", r"{s}{x}(?:trabalho|trabalha) como {v}"),
    Frame("one", "name", r"{s}(?:me chamo|chamo-me|se chama|chama-se) {v}"),
    Frame("one", "age", r"{s}(?:tenho|tem|fiz|fez) (?P<v>\d{1,3}) anos"),
    Frame("one", "birthplace", r"{s}(?:nasci|nasceu) (?:em|no|na) {v}"),
    Frame("one", "marital status", r"{s}{x}(?P<v>solteir[oa]|casad[oa]|divorciad[oa]|noiv[oa]|viuv[oa])(?: com .{1,40})?", change=True),
    Frame("one", "diet", r"{s}{x}(?:tornei-me |virei |virou )?(?P<v>vegetarian[oa]|vegan[oa]|celiac[oa])"),
    Frame("many", "allergic", r"{s}{x}alergic[oa] (?:a|ao) {v}"),
    Frame("prefer", "prefers", r"{s}(?:prefiro|prefere) {v} (?:a|ao|em vez de|do que) (?P<old>.{1,60})"),
    Frame("prefer", "prefers", r"{s}(?:prefiro|prefere) {v}"),
    Frame("many", "likes", r"{s}(?:odeio|odeia|detesto|detesta) {v}", "now", -1),
    Frame("many", "likes", r"{s}(?:suporto|suporta|aguento) {v}"),
    Frame("many", "likes", r"{s}(?:gosto|gosta|gostamos)(?: muito)? (?:de|do|da|dos|das) {v}"),
    Frame("many", "likes", r"{s}(?:gostava) (?:de|do|da|dos|das) {v}", "past"),
    Frame("many", "likes", r"{s}(?:amo|ama|adoro|adora) {v}"),
    Frame("use", "use", r"{s}{x}(?:mudei|mudamos|mudou|migrei|migrou|troquei|trocamos|passamos)(?: de (?P<old>.{1,60}?))? (?:para|por) {v}", change=True),
    Frame("use", "use", r"{s}{x}(?:uso|usa|usamos|utilizo|utiliza) {v}"),
    Frame("when", "when", r"{name}(?:(?:e|sera|(?P<moved>foi (?:adiad|movid|remarcad)[oa]|mudou)) )?(?:de (?P<old>.{1,30}?) )?(?:para|na|no|as)? ?{moment}"),
    Frame("count", "", r"{s}(?:tenho|tem|temos) (?P<n>\d{1,3}|dois|duas|tres|quatro|cinco|seis|sete|oito|nove|dez) (?P<a>[a-z][\w -]{1,30})"),
    Frame("is", "is", r"{s}(?P<x>(?:sou|e|sao|estou|esta|era|estava) )(?:um |uma |o |a )?{v}"),
    Frame("many", "have", r"{s}(?:tenho|tem|temos) {v}"),
    Frame("verb", "", r"(?:(?P<s>eu|nos|o usuario|o utilizador|usuario) )?(?P<verb>[a-z]{2,18}(?:o|amos|emos|imos|ar|er|ir))(?: {v})?"),
    Frame("verb", "", r"{name}(?P<verb>[a-z]{2,18}(?:a|e))(?: {v})?"),
)  # fmt: skip

PORTUGUESE: Final = Grammar(
    code="pt",
    words=frozenset("eu meu minha sou o a os as de do da dos das que e nao gosto moro mora trabalho também tambem agora mais prefiro odeio uso em no na para um uma tenho com como".split()),
    user=frozenset({"eu", "nos", "usuario", "o usuario", "utilizador", "o utilizador", "user"}),
    pronouns=frozenset({"ele", "ela", "eles", "isso"}),
    determiners=r"(?:o|a|os|as|um|uma|meu|minha|meus|minhas|do|da)",
    rewrites=((r"\bme casei\b|\bcasei-me\b", "sou casado"),),
    lead_ins=(
        (r"(?:nao(?=[,.;:!]|$)|na verdade|desculpa|desculpe|correcao|quis dizer|me enganei|enganei-me|a partir de agora|de agora em diante|doravante)\b", "correction"),
        (r"(?:lembre-se que|por favor|acho que|mas|e)\b(?= \w{3})", ""),
        (r"(?:talvez|provavelmente)\b", "hedge"),
        (r"(?:agora|atualmente|hoje em dia|hoje)\b", "change"),
        (r"(?:antes|antigamente|no passado)\b", "past"),
        (r"(?:tambem|alem disso)\b", "additive"),
    ),
    markers=(
        (r"\b(?:quero|quer|queria|gostaria|vou|vai|pretendo|penso em|poderia|espero)\b|^se ", "plan", ""),
        (r"\bcostumava\b|\bantigamente\b|(?<=\S) antes$", "past", " "),
        (r"\bja nao\b", "ended", " "),
        (r"\bnao (\S{1,20}) mais\b", "ended", r"\1"),
        (r"\bnao (?=.{1,60} mais$)", "ended", " "),
        (r"(?<=\S) mais$", "", " "),
        (r"\b(?:parei|parou|deixei|deixou) de\b", "ended", " "),
        (r"\b(?:na verdade|a partir de agora)\b", "correction", " "),
        (r"\b(?:tambem|alem disso)\b", "additive", " "),
        (r"\b(?:agora|atualmente)\b", "change", " "),
        (r"\b(?:no mes passado|no ano passado|na semana passada|mes passado|ano passado|recentemente|ontem|ainda|ja|por favor)\b", "", " "),
        (r"\b(?:nao (?!so)|nunca\b)", "negative", " "),
        (r"\b(?:talvez|provavelmente)\b", "hedge", " "),
    ),
    reorders=(),
    contrasts=(r"(?:, ?(?:e |mas )?| e )nao (?:o |a |na |no )?(?P<old>[^,;]{1,60}?)$", r" em vez d[eoa] (?P<old>[^,;]{1,60}?)$", r"\bnao (?:e )?(?:o |a |na |no )?(?P<old>[^,;]{1,60}?),? mas sim (?=\S)"),
    contexts=(r"(?:^|(?<= ))(?P<c>no (?:trabalho|escritorio|verao|inverno)|em casa|de (?:manha|noite|tarde)|nos fins de semana|nas ferias)(?=$|,? )", r"(?<= )(?P<c>(?:quando|durante) [^,;]{1,60})$"),
    tails=(r",? (?:desde|ate) .{1,30}$", r",? (?:muito|obrigad[oa]|ontem|hoje)$"),
    breaks=r"(?<=(?-i:[a-z0-9)]{2}))[.!;]+\s+(?=\S)|;\s+|,? mas (?=(?:agora )?(?:eu|moro|trabalho)\b)|,? e (?=(?:eu|moro|mora|trabalho|trabalha|odeio|uso|gosto)\b)",
    purpose=r" (?P<c>(?:para|em|quando|como|com) [^,;]{1,60})$",
    openers=r"(?:quando|se|durante|desde)\b",
    new=r"^nov[oa] | (?:nov[oa]|atual)$",
    favourite=r"(.{1,40}?) (?:favorit[oa]s?|preferid[oa]s?)",
    unplaces=r"\b(?:equipe|equipa|departamento|grupo|projeto|versao|plano)\b",
    was=frozenset({"era", "estava"}),
    became=frozenset({"mudou", "passou"}),
    not_verbs=frozenset("sou e nao tenho que o a os as de em no na esta estou uma como".split()) - {"como"},
    frames=FRAMES,
    endings=r"(?:amos|emos|imos|ava|ia|ar|er|ir|o|a|e)$",
    past_verbs=r"(?:ava|[^aeiou]ia)$",
    fillers=_X,
    head="first",
)  # fmt: skip
