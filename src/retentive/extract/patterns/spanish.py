"""Spanish: the table the rule extractor reads. The subject is mostly in the verb."""

from __future__ import annotations

from typing import Final

from retentive.extract.patterns.model import Frame, Language

_PEOPLE: Final = (
    r"(?:esposa|esposo|mujer|marido|pareja|novi[ao]|prometid[ao]|madre|padre|mam[áa]|pap[áa]|padres|herman[ao]s?|hij[ao]s?|beb[ée]|abuel[ao]s?|t[íi][ao]s?|prim[ao]s?|"
    r"sobrin[ao]s?|familia|suegr[ao]s?|amig[ao]s?|jef[ae]|compañer[ao]s?|colegas?|vecin[ao]s?|profesor[a]?|médic[ao]|terapeuta|entrenador[a]?|equipo|perr[ao]s?|gat[ao]s?|mascotas?|caballo)"
)
_PAST: Final = r"(?:(?!qué\b|sé\b|café\b|así\b|aquí\b|ahí\b|allí\b|sí\b|porqué\b|bebé\b|también\b)\w{2,14}(?:é|í)|fui|fuimos|hice|hicimos|tuve|tuvimos|estuve|estuvimos|pude|puse|vine|traje|dije|vi|vimos|\w{2,12}(?:amos|imos))"

FRAMES: Final = (
    Frame("preference", 0.7, r"\b(?:vuelvo|volví|he vuelto) a (?:comer|beber|tomar|fumar|usar|tocar|jugar)\b|\b(?:como|bebo|tomo|fumo|uso|toco) .{2,40}(?:otra vez|de nuevo)\b"),
    Frame("identity", 0.85, r"\b(?:me llamo|mi nombre|ll[áa]m[ae]me|mi cumpleaños|nac[íi]|tengo \d+ años|cumpl[íi] \d+|mis pronombres)\b", 0.9),
    Frame("identity", 0.85, r"\b(?:vivo|vivimos|resido|trabajo|trabajamos|estudio|estudiamos|enseño|dirijo|vengo de|crec[íi]|me mud[ée]|nos mudamos|me traslad[ée])\b|\bmi (?:trabajo|profesión|empresa|puesto|carrera|ciudad natal|lengua materna|oficio)\b|\bsoy de\b", 0.85),
    Frame("identity", 0.75, r"\b(?:soy|somos) (?!tan\b|muy\b|consciente|capaz)(?:un[ao]? )?\w+", 0.75),
    Frame("identity", 0.8, r"\b(?:soy (?:alérgic|intolerant|diabétic|celíac|vegan|vegetarian|asmátic)\w*|tengo (?:alergia|diabetes|asma|migrañas?|ansiedad|depresión|hipertensión)|me (?:diagnosticaron|operaron|romp[íi])|estoy embarazada|mi (?:alergia|médic[oa]|salud|dieta|enfermedad)|no (?:como|bebo|tomo|puedo comer))\b", 0.8),
    Frame("relationship", 0.75, rf"\b(?:mi|mis|nuestr[ao]s?) (?:\w+ )?{_PEOPLE}\b|\b(?:estoy|soy) (?:casad|divorciad|solter|comprometid|viud)[ao]\b|\bme cas[ée]\b|\btengo (?:un[ao]?|dos|tres|cuatro|\d) (?:\w+ )?{_PEOPLE}\b", 0.75),
    Frame("preference", 0.75, r"\b(?:me|nos) (?:gusta|gustan|gustaba|encanta|encantan|encantaba|fascina|apasiona|interesa|interesan|molesta|disgusta|da miedo|chifla)\b|\b(?:prefiero|preferimos|odio|detesto|adoro|amo|disfruto|evito|no soporto|no aguanto|suelo|solemos)\b|\bmis? .{0,20}(?:favorit|preferid)[ao]s?\b|\b(?:soy|era) (?:muy )?(?:fan|aficionad[oa]|amante)\b", 0.75),
    Frame("preference", 0.6, r"\b(?:siempre|nunca|normalmente|cada (?:día|mañana|noche|semana|mes|año|lunes|martes|domingo)|todos los (?:días|\w+)|todas las (?:mañanas|noches|semanas)|a menudo|a diario)\b", 0.65),
    Frame("decision", 0.75, r"\b(?:decid[íi]|decidimos|he decidido|eleg[íi]|elegimos|opt[ée]|opt[ée] por|me apunt[ée]|me inscrib[íi]|cambi[ée] (?:a|de)|me quedo con)\b", 0.8),
    Frame("open_thread", 0.65, r"\b(?:voy a|vamos a|quiero|queremos|quisiera|planeo|pienso|espero|tengo que|necesito|estoy (?:planeando|pensando|buscando|intentando|preparando)|mi (?:meta|objetivo|plan|sueño)|sueño con|me voy a|tengo (?:una?|el|la) (?:cita|reunión|examen|entrevista|viaje|vuelo))\b", 0.7),
    Frame("event", 0.65, rf"\b(?:ayer|anoche|anteayer|la semana pasada|el (?:mes|año|lunes|martes|miércoles|jueves|viernes|sábado|domingo|fin de semana) pasado|hace \w+ \w+)\b.*\b{_PAST}\b|^(?:yo )?(?:me |nos |ya |no )?{_PAST}\b|\b(?:he|hemos|había) (?:\w+ado|\w+ido|hecho|visto|escrito|puesto|vuelto|dicho|roto)\b|\b(?:me|nos) {_PAST}\b", 0.75),
    Frame("event", 0.6, r"\b(?:estoy|estamos|llevo|llevamos) .{0,30}\w+(?:ando|iendo|yendo)\b", 0.7),
    Frame("other", 0.55, r"\b(?:tengo|tenemos|uso|usamos|utilizo|conduzco|juego|toco|hablo|cocino|leo|escribo|entreno|corro|como|bebo|puedo|colecciono|duermo|gano|ahorro|aprendo|pinto)\b", 0.65),
)  # fmt: skip

_THIRD: Final = (
    ("vivo", "vive"), ("trabajo", "trabaja"), ("soy", "es"), ("estoy", "está"), ("tengo", "tiene"), ("estudio", "estudia"), ("resido", "reside"), ("enseño", "enseña"), ("dirijo", "dirige"),
    ("vengo", "viene"), ("prefiero", "prefiere"), ("odio", "odia"), ("detesto", "detesta"), ("adoro", "adora"), ("amo", "ama"), ("disfruto", "disfruta"), ("evito", "evita"), ("suelo", "suele"),
    ("voy", "va"), ("quiero", "quiere"), ("planeo", "planea"), ("pienso", "piensa"), ("espero", "espera"), ("necesito", "necesita"), ("uso", "usa"), ("utilizo", "utiliza"), ("conduzco", "conduce"),
    ("juego", "juega"), ("toco", "toca"), ("hablo", "habla"), ("cocino", "cocina"), ("leo", "lee"), ("escribo", "escribe"), ("entreno", "entrena"), ("corro", "corre"), ("bebo", "bebe"),
    ("puedo", "puede"), ("colecciono", "colecciona"), ("duermo", "duerme"), ("aprendo", "aprende"), ("he", "ha"), ("había", "había"), ("fui", "fue"), ("hice", "hizo"), ("tuve", "tuvo"), ("estuve", "estuvo"), ("llevo", "lleva"),
)  # fmt: skip

SPANISH: Final = Language(
    code="es",
    user="El usuario",
    said="{S} dice: {text}",
    about=rf"\b(?:yo|me|mi|mis|mí|conmigo|nosotr[oa]s|nos|nuestr[oa]s?|{'|'.join(one for one, _ in _THIRD)}|crec[íi]|nac[íi]|sueño|aguanto|soporto|{_PAST})\b",
    lead_ins=r"(?:sí|no|ah|oh|bueno|pues|y|pero|hola|gracias|muchas gracias|vale|ok|por cierto|la verdad|sinceramente|exacto|claro|genial|creo que|además|es que|como|ya que|porque)(?: \w+)?[,.!;:]\s+",
    question_tail=r"[,;:.]?\s*¿[^?]*\?+$|[,;]\s*(?:me )?(?:puedes|podrías|puede|podría|qué|cómo|dónde|cuándo|hay)\b[^?]*\?+$",
    refused=(
        ("hypothetical", r"^(?:si|imagina|supongamos|ojalá)\b|\bsi (?:yo )?(?:fuera|tuviera|pudiera)\b"),
        ("talk", r"^(?:vamos|mira|dime|cuéntame|ayúdame|muéstrame|dame|suerte|nos vemos|hasta|cuídate|que te|tú|te)\b|\bte (?:aviso|cuento|llamo|ayudo)\b"),
        ("reaction", r"^(?:yo )?(?:\w+mente )?(?:entiendo|comprendo|estoy de acuerdo|me alegro|lo siento|no sé|sé que|te felicito|te entiendo|espero que|supongo|me imagino|creo que sí)\b|\bme alegra\b|\bgracias por\b"),
        ("request", r"^(?:¿|puedes|podrías|qué|cómo|dónde|cuándo|por qué|quién|cuál)|\b(?:necesito|quiero) (?:que|tu ayuda|ayuda|saber)\b|\bquisiera saber\b|^por favor (?!siempre|nunca|responde|llámame)"),
        ("quotes another", r"^(?:él|ella|ellos|la gente|alguien|el artículo) (?:dice|dijo|dicen)\b|^(?:traduce|escribe (?:un|una|me)|resume|genera|explica)\b"),
        ("no referent", r"^(?:eso|esto|ello|él|ella|ellos|ellas) "),
    ),
    frames=FRAMES,
    bonus=(
        (r"\b(?:ayer|hoy|mañana|anoche|pasad[oa]|próxim[oa]|hace (?:\w+) (?:días|semanas|meses|años)|desde|\d{4}|el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo))\b", 0.12),
        (r"(?<=[a-záéíóúñ,] )(?-i:[A-ZÁÉÍÓÚ])[a-záéíóúñ]{2,}", 0.06), (r"\d", 0.05), (r"«[^»]{2,60}»|\"[^\"]{2,60}\"", 0.08),
        (r"\b(?:tú|te|ti|tu|tus|usted|contigo)\b", -0.15), (r"\b(?:creo|siento|supongo)\b", -0.06), (r"^(?:\S+\s+){0,2}\S+$", -0.1),
    ),
    hedge=r"\b(?:quizás?|tal vez|probablemente|a lo mejor|puede que|no estoy segur[oa]|creo que)\b",
    directive=r"^(?:ya |ahora )?(?:puedes|puede)(?: volver a)? \w+ .{2,60}(?:otra vez|de nuevo|nuevamente)\W*$|^(?:por favor,? )?(?:a partir de ahora|desde ahora|de ahora en adelante|en el futuro|recuerda que|ten en cuenta|siempre|nunca|jamás) ?,? ?(?!he\b|me\b|había|voy|soy|fui)\w+|^(?:por favor,? )?(?:llámame|responde(?:me)?(?: siempre)? en|escríbeme en|háblame en)\b|\bno vuelvas a\b",
    correction=r"^(?:no,|en realidad|perdón|corrección|me equivoqué|quise decir|mejor dicho)|\b(?:ya no|dejé de|antes \w+|en vez de|me mudé|cambié (?:a|de))\b",
    rewrites=(
        (r"^(?:yo )?me llamo\b", "{S} se llama"), (r"^(no )?me (gustan?|encantan?|fascinan?|interesan?|molestan?|apasionan?)\b", r"A {S} \1le \2"),
        (r"^(?:yo )?(no )?me mudé\b", r"{S} \1se mudó"), (r"^(?:yo )?(no )?me (\w+)é\b", r"{S} \1se \2ó"),
        *((rf"^(?:yo )?((?:no|ya no|siempre|nunca|también|ahora) )?{one}\b", rf"{{S}} \1{he}") for one, he in _THIRD),
        (r"^(?:yo )?(no |ya )?(\w{2,12})é\b(?! )", r"{S} \1\2ó"), (r"^(?:yo )?(no |ya )?(\w{2,12})é (?=\w)", r"{S} \1\2ó "), (r"^(?:yo )?(no |ya )?(\w{2,12})í (?=\w)", r"{S} \1\2ió "),
        (r"^A El usuario\b", "Al usuario"), (r"(?<=\w )mi\b(?= \w)", "su"), (r"(?<=\w )mis\b", "sus"),
    ),
)  # fmt: skip
