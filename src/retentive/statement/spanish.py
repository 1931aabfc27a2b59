"""Spanish: the tables `parse.py` reads."""

from __future__ import annotations

from typing import Final

from retentive.statement.model import Frame, Grammar

_X: Final = r"(?P<x>(?:(?:me|se|he|ha|hemos|han|soy|es|somos|son|estoy|esta|estamos|era|estaba|fui|fue|muy|mucho|siempre|solo|bastante|realmente|oficialmente) ){0,4})"
_MY: Final = r"(?P<my>mis?|nuestr[oa]s?|el|la|los|las) "
_COPULA: Final = r"(?P<x>es|son|era|eran|fue|cambio a|ha cambiado a|se llama)"
_STATUS: Final = r"(?P<v>solter[oa]|casad[oa]|divorciad[oa]|comprometid[oa]|viud[oa]|separad[oa]|en una relacion)(?: (?:con|en|desde) .{1,40})?"
_DIET: Final = r"(?P<v>vegetarian[oa]|vegan[oa]|pescetarian[oa]|celiac[oa]|omnivor[oa])"

FRAMES: Final = (
    Frame("fix", "", r"(?P<it>(?:eso )?(?:es|era|son) )?(?:en |a )?{v}"),
    Frame("one", "name to use", r"(?:llamame|puedes llamarme|dime) {v}"),
    Frame("language", "reply", r"(?:responde|respondeme|contesta|contestame|escribe|escribeme|habla|hablame)(?: siempre| solo)? en {v}"),
    Frame("language", "reply", r"{s}(?:prefiero|prefiere|quiero|quiere) (?:las )?respuestas en {v}"),
    Frame("noun", "", rf"{_MY}(?P<a>[^,:;]{{1,40}}?) (?:de la|de los|del|de) (?P<s>[^,:;]{{1,40}}?) {_COPULA} {{v}}"),
    Frame("noun", "", rf"{_MY}(?P<a>[^,:;]{{1,50}}?) {_COPULA} {{v}}"),
    Frame("noun", "", r"(?P<a>[A-Za-z][\w -]{1,30}) ?(?P<x>:|es) {v}"),
    Frame("one", "home", r"{s}{x}(?:vivo|vive|vivimos|viven|vivir|viviendo|resido|reside) en {v}"),
    Frame("one", "home", r"{s}{x}(?:vivia|viviamos|vivian|vivi|vivio|residia) en {v}", "past"),
    Frame("move", "home", r"{s}(?:me mude|se mudo|nos mudamos|me traslade|se traslado|(?:me he|se ha|nos hemos) (?:mudado|trasladado))(?: (?:de|desde) (?P<old>.{1,60}?))? a {v}", change=True),
    Frame("one", "home", r"{s}(?:me mude|se mudo) de {v}", "ended", -1),
    Frame("work", "employer", r"(?P<s>(?!yo )[^,:;]{1,40}?) trabajo (?:en|para) {v}", "past"),
    Frame("one", "employer", r"{s}{x}(?:trabajo|trabaja|trabajamos|trabajan|trabajar|trabajando) para {v}"),
    Frame("work", "employer", r"{s}{x}(?:trabajo|trabaja|trabajamos|trabajan|trabajar|trabajando) en (?!el proyecto|la app|casa\b){v}"),
    Frame("work", "employer", r"{s}{x}(?:trabajaba|trabajaban|trabaje|trabajado) (?:en|para) {v}", "past"),
    Frame("one", "employer", r"{s}{x}(?:empece|empezo|empezado|comence|comenzo)(?: a trabajar| un nuevo trabajo)? en {v}", change=True),
    Frame("one", "employer", r"{s}{x}(?:entre|entro|uni|unio|incorpore|incorporo) (?:a|en) {v}", change=True),
    Frame("one", "employer", r"{s}{x}(?:deje|dejo|renuncie|renuncio)(?: (?:a|mi trabajo|su trabajo))?(?: (?:en|a))? {v}", "ended", -1),
    Frame("one", "employer", r"{s}{x}(?P<v>desemplead[oa]|jubilad[oa]|en paro|autonom[oa])", change=True),
    Frame("one", "job", r"{s}{x}(?:trabajo|trabaja|trabajando|trabajar) (?:como|de) (?:un |una )?{v}"),
    Frame("one", "job", r"{s}{x}(?:trabajaba|trabaje) (?:como|de) (?:un |una )?{v}", "past"),
    Frame("one", "job", r"{s}{x}(?:ascendid[oa]|ascendieron) a {v}", change=True),
    Frame("one", "name", r"{s}(?:me llamo|se llama) {v}"),
    Frame("one", "age", r"{s}(?:tengo|tiene|cumpli|cumplio) (?P<v>\d{1,3}) anos"),
    Frame("one", "birthday", r"{s}(?:naci|nacio) (?:el|en) (?P<v>.{0,40}\d.{0,20})"),
    Frame("one", "birthplace", r"{s}(?:naci|nacio) en {v}"),
    Frame("one", "origin", r"{s}(?:soy|es|vengo|viene) de {v}"),
    Frame("one", "marital status", rf"{{s}}{{x}}{_STATUS}", change=True),
    Frame("one", "diet", rf"{{s}}{{x}}(?:volvi |volvio |hice |hizo )?(?:un |una )?{_DIET}"),
    Frame("many", "allergic", r"{s}{x}alergic[oa] (?:a|al) {v}"),
    Frame("prefer", "prefers", r"{s}(?:prefiero|prefiere|preferimos) {v} (?:antes que|en vez de|en lugar de|al|a) (?:el |la |los |las )?(?P<old>.{1,60})"),
    Frame("prefer", "prefers", r"{s}(?:prefiero|prefiere|preferimos) {v}"),
    Frame("prefer", "prefers", r"(?:(?:a |al )(?P<s>[^,:;]{1,40}?) )??(?:me|le) gustan? mas {v} que (?P<old>.{1,60})"),
    Frame("many", "likes", r"{s}(?:odio|odia|odiamos|detesto|detesta|aborrezco|aborrece) {v}", "now", -1),
    Frame("many", "likes", r"(?:(?:a |al )(?P<s>[^,:;]{1,40}?) )??(?:me|le|nos) (?:disgustan?|dan? asco) {v}", "now", -1),
    Frame("many", "likes", r"{s}(?:soporto|soporta|aguanto|aguanta) {v}"),
    Frame("many", "likes", r"(?:(?:a |al )(?P<s>[^,:;]{1,40}?) )??(?:me|le|nos) (?:gustan?|encantan?|fascinan?)(?: mucho)? {v}"),
    Frame("many", "likes", r"(?:(?:a |al )(?P<s>[^,:;]{1,40}?) )??(?:me|le|nos) (?:gustaban?|encantaban?) {v}", "past"),
    Frame("many", "likes", r"{s}(?:amo|ama|adoro|adora|disfruto|disfruta)(?: de)? {v}"),
    Frame("swap", "use", r"(?:(?:yo|nosotros|el usuario|usuario) )?{x}(?:cambie|cambio|cambiamos|cambiado|pase|paso|pasamos|pasado|migre|migro|migramos|migrado|movi|movio|movimos|movido) (?!de |desde |a )(?P<s>[^,:;]{1,50}?) (?:de|desde) (?P<old>[^,;]{1,40}?) a {v}", change=True),
    Frame("many", "given up", r"{s}{x}(?:abandone|abandono|abandonado|renuncie a|renuncio a|renunciado a|dejado) (?:el |la |los |las )?(?!de ){v}"),
    Frame("use", "use", r"{s}{x}(?:cambie|cambio|cambiamos|cambiado|pase|paso|pasamos|pasado|migre|migro|migramos|migrado)(?: (?:de|desde) (?P<old>.{1,60}?))? a {v}", change=True),
    Frame("use", "use", r"{s}{x}(?:uso|usa|usas|uses|use|usamos|usan|usar|utilizo|utiliza|utilizamos) {v}"),
    Frame("when", "when", r"{name}(?:(?:es|sera|(?P<moved>se (?:movio|paso|cambio|traslado|aplazo|pospuso))|fue) )?(?:del? (?P<old>.{1,30}?) )?(?:al|a|el|para el)? ?{moment}"),
    Frame("when", "", r"{name}(?P<verb>empieza|comienza|sale|llega|termina|abre|cierra)(?: (?:el|a))? {moment}"),
    Frame("count", "", r"{s}(?:tengo|tiene|tenemos) (?P<n>\d{1,3}|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez) (?P<a>[a-z][\w -]{1,30})"),
    Frame("is", "is", r"{s}(?P<x>(?:soy|es|somos|son|estoy|esta|era|estaba|fui|fue) )(?:un |una |el |la )?{v}"),
    Frame("many", "have", r"{s}(?:tengo|tiene|tenemos) {v}"),
    Frame("verb", "", r"(?:(?P<s>yo|nosotros|el usuario|la usuaria|usuario) )?(?:me |se )?(?P<verb>[a-z]{2,18}(?:o|oy|amos|emos|imos|ar|er|ir))(?: {v})?"),
    Frame("verb", "", r"{name}(?:me |se )?(?P<verb>[a-z]{2,18}(?:a|e|aba|ia))(?: {v})?"),
    Frame("verb", "", r"(?P<verb>usa|escribe|evita|manten|incluye|muestra|explica|pregunta|recuerdame) {v}"),
)  # fmt: skip

SPANISH: Final = Grammar(
    code="es",
    words=frozenset(
        "mi mis yo es soy el la los las en de del que y no me gusta gustan vivo vive trabajo trabaja prefiero odio usa uso con para por un una llamo "
        "tengo ya ahora al a como antes estoy su vuelvo vuelve otra vez nuevo puedes come".split()
    ),
    user=frozenset({"yo", "mi", "usuario", "el usuario", "la usuaria", "usuaria", "nosotros", "user"}),
    pronouns=frozenset({"ella", "ellos", "eso", "esto", "alguien"}),
    determiners=r"(?:el|la|los|las|un|una|unos|unas|mi|mis|nuestro|nuestra|del|al)",
    rewrites=((r"^(?:ya )?(?:puedes|puede|podeis|pueden)(?: ahora)? (?=.{0,80}\b(?:otra vez|de nuevo|nuevamente)\b|volver a )", ""), (r",? (?:porque|ya que|puesto que) .{1,300}$", ""), (r"\bme case\b", "estoy casado"), (r"\bse caso\b", "esta casado"), (r"\bme divorcie\b", "estoy divorciado"), (r"\bsoy fan de\b", "me gusta"), (r"\b(?:he|ha) dejado de\b", "deje de")),
    lead_ins=(
        (r"(?:no(?=[,.;:!]|$)|perdon|perdona|correccion|en realidad|de hecho|me equivoque|quise decir|quiero decir|eso no es correcto|disculpa|lo siento|mejor dicho|resulta que)\b", "correction"),
        (r"(?:a partir de ahora|de ahora en adelante|desde ahora|desde hoy|a partir de hoy|en adelante)\b", "correction"),
        (r"(?:por cierto|recuerda que|ten en cuenta que|creo que|pienso que|bueno|y|pero|oye|hola|por favor|si(?=,)|el usuario dice que|que)\b", ""),
        (r"(?:quiza|quizas|tal vez|probablemente|posiblemente|a lo mejor)\b", "hedge"),
        (r"(?:ahora|actualmente|hoy en dia|hoy|ultimamente|desde (?:hace poco|\w{3,10}))\b", "change"),
        (r"(?:antes|antiguamente|en el pasado|de nin[oa]|cuando era nin[oa]|hasta \d{4})\b", "past"),
        (r"(?:tambien|ademas)\b", "additive"),
    ),
    markers=(
        (r"\b(?:quiero|quiere|quisiera|me gustaria|le gustaria|voy a|va a|vamos a|planeo|planea|pienso|podria|espero|espera|tengo pensado)\b|^si ", "plan", ""),
        (r"\b(?:solia|soliamos|solian)\b|\bantes\b(?! (?:que|de))|\bantiguamente\b", "past", " "),
        (r"\b(?:otra vez|de nuevo|nuevamente)\b|\b(?:vuelvo|vuelve|volvi|volvio|volver|he vuelto|ha vuelto) a (?=\w)", "again", " "),
        (r"\bya no\b|\bno (?=.{1,60} mas$)", "ended", " "),
        (r"(?<=\S) mas$", "", " "),
        (r"\b(?:deje|dejo|dejamos) de (?=\w)", "ended", " "),
        (r"\b(?:empece|empezo|comence|comenzo) a (?=[a-z])", "change", " "),
        (r"\b(?:en realidad|de hecho|a partir de ahora|de ahora en adelante)\b", "correction", " "),
        (r"\b(?:tambien|ademas)\b", "additive", " "),
        (r"\b(?:ahora|actualmente|hoy en dia|ultimamente|ahora mismo)\b", "change", " "),
        (r"\b(?:el mes pasado|la semana pasada|el ano pasado|este (?:mes|ano|verano)|hace (?:poco|\w+ (?:dias|semanas|meses|anos))|recientemente|ayer|por favor|todavia|aun|ya|acabo de)\b", "", " "),
        (r"\b(?:nunca|jamas|tampoco)\b|\bno (?!solo)(?=\S)|^evita (?=\w)", "negative", " "),
        (r"\b(?:quiza|quizas|tal vez|probablemente)\b", "hedge", " "),
    ),
    reorders=(),
    contrasts=(
        r"(?:, ?(?:y |pero )?| y )no (?:el |la |en |a |los |las )?(?P<old>[^,;]{1,60}?)$",
        r" (?:en vez de|en lugar de) (?:el |la |en )?(?P<old>[^,;]{1,60}?)$",
        r"\b(?:ya )?no (?:en |el |la )?(?P<old>[^,;]{1,60}?),? sino (?:en |el |la )?(?=\S)",
        r"\b(?:ya )?no es (?:el |la )?(?P<old>[^,;]{1,60}?), (?:ahora )?(?=es )",
    ),
    contexts=(
        r"(?:^|(?<= ))(?P<c>en (?:el trabajo|casa|la oficina|verano|invierno|primavera|otono|el movil)|por la (?:manana|tarde|noche)|los fines de semana|entre semana|de vacaciones|para (?:desayunar|cenar|comer))(?=$|,? )",
        r"(?<= )(?P<c>(?:cuando|mientras|durante) [^,;]{1,60})$",
    ),
    tails=(
        r",? (?:desde|hasta) .{1,30}$",
        r",? en (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|(?:19|20)\d\d)$",
        r",? (?:durante|por) \w{1,10} (?:dias|semanas|meses|anos)$",
        r",? (?:mucho|gracias|por favor|hoy|ayer|nada)$",
    ),
    breaks=r"(?<=(?-i:[a-z0-9)]{2}))[.!;]+\s+(?=\S)|;\s+|,? pero (?=(?:ahora )?(?:yo|mi|vivo|trabajo|me)\b)|,? y (?=(?:yo|mi|me|vivo|vive|trabajo|trabaja|odio|prefiero|uso)\b)",
    purpose=r" (?P<c>(?:para|en|cuando|como|con) [^,;]{1,60})$",
    openers=r"(?:cuando|mientras|si|en|desde)\b",
    new=r"^nuev[oa]s? | (?:nuev[oa]|actual)$",
    favourite=r"(.{1,40}?) (?:favorit[oa]s?|preferid[oa]s?)",
    unplaces=r"\b(?:equipo|departamento|puesto|grupo|proyecto|version|plan|informe|tesis)\b",
    was=frozenset({"era", "eran", "estaba", "fui", "fue"}),
    became=frozenset({"cambio", "cambiado"}),
    not_verbs=frozenset("es soy son no como en la el de que se me y estoy esta era fue este esa una".split()) - {"como"},
    frames=FRAMES,
    endings=r"(?:amos|emos|imos|aba|ia|ar|er|ir|oy|o|a|e)$",
    past_verbs=r"(?:aba|[^aeiou]ia)$",
    fillers=_X,
    head="first",
)  # fmt: skip
