"""How each language speaks of time: data."""

from __future__ import annotations

from typing import Final

from retentive.times.table import TimeTable, names

_ENGLISH: Final = TimeTable(
    "en",
    relative=(
        (r"(?:the )?day before yesterday", "day:-2"),
        (r"the day after tomorrow", "day:2"),
        (r"{n} {unit} ago", "ago"),
        (r"in {n} {unit}(?:' time)?", "ahead"),
        (r"{n} {unit} from (?:now|today)", "ahead"),
        (r"just now|a moment ago", "now"),
        (r"yesterday(?: morning| afternoon| evening| night)?|last night", "day:-1"),
        (r"today|tonight|this (?:morning|afternoon|evening)", "day:0"),
        (r"tomorrow(?: morning| afternoon| evening| night)?", "day:1"),
        (r"(?:last|past) weekend|over the weekend", "weekend:-1"),
        (r"this (?:coming )?weekend", "weekend:0"),
        (r"next weekend", "weekend:1"),
        (r"(?:last|this past|past) {weekday}", "weekday:-1"),
        (r"(?:next|this coming|this) {weekday}", "weekday:1"),
        (r"(?:last|past) week", "week:-1"),
        (r"this week", "week:0"),
        (r"next week", "week:1"),
        (r"last month", "month:-1"),
        (r"this month", "month:0"),
        (r"next month", "month:1"),
        (r"last year", "year:-1"),
        (r"this year", "year:0"),
        (r"next year", "year:1"),
    ),
    weekdays=("mon monday", "tue tues tuesday", "wed wednesday", "thu thurs thursday", "fri friday", "sat saturday", "sun sunday"),
    units={"minute": "min mins minute minutes", "hour": "hour hours", "day": "day days", "week": "week weeks", "weekend": "weekend weekends", "month": "month months", "year": "year years"},
    numbers=("a an one", "two couple_of a_couple_of", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    months=("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sept sep", "october oct", "november nov", "december dec"),
    seasons=("spring", "summer", "autumn|fall", "winter"),
    in_season=r"(?:in|this|the)\s+",
    last_season=r"last\s+",
)  # fmt: skip

_GERMAN: Final = TimeTable(
    "de",
    relative=(
        (r"vorgestern", "day:-2"), (r"übermorgen", "day:2"), (r"gestern(?: abend| morgen| früh)?", "day:-1"), (r"heute(?: abend| morgen| früh)?", "day:0"),
        (r"(?<!jeden )(?<!am )(?<!guten )(?<!diesen )(?<!nächsten )(?<!gestern )(?<!heute )morgen(?: früh| abend)?(?= )", "day:1"),
        (r"vor {n} {unit}", "ago"), (r"in {n} {unit}", "ahead"), (r"(?:letzte[ns]?|vorige[ns]?) {weekday}", "weekday:-1"), (r"nächste[ns]? {weekday}", "weekday:1"),
        (r"(?:letzte[ns]?|vorige[ns]?|vergangene[ns]?) wochenende", "weekend:-1"), (r"nächste[ns]? wochenende", "weekend:1"),
        (r"(?:letzte[rn]?|vorige[rn]?|vergangene[rn]?) woche", "week:-1"), (r"diese[rn]? woche", "week:0"), (r"nächste[rn]? woche", "week:1"),
        (r"(?:letzten|vorigen|vergangenen) monat", "month:-1"), (r"diesen monat", "month:0"), (r"nächsten monat", "month:1"),
        (r"(?:letztes|voriges|vergangenes) jahr", "year:-1"), (r"dieses jahr", "year:0"), (r"nächstes jahr", "year:1"), (r"gerade eben", "now"),
    ),
    weekdays=("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag samtag sonnabend", "sonntag"),
    units={"minute": "minute minuten", "hour": "stunde stunden", "day": "tag tage tagen", "week": "woche wochen", "month": "monat monate monaten", "year": "jahr jahre jahren"},
    numbers=("ein einem einer eine", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn"),
    months=("januar", "februar", "märz maerz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november", "dezember"),
    seasons=("frühling|frühjahr", "sommer", "herbst", "winter"),
    in_season=r"(?:im|diesen|dieses)\s+",
    last_season=r"(?:letzte[ns]|vorige[ns])\s+",
)  # fmt: skip

_FRENCH: Final = TimeTable(
    "fr",
    relative=(
        (r"avant-hier", "day:-2"), (r"après-demain", "day:2"), (r"hier(?: soir| matin)?", "day:-1"), (r"aujourd'hui|ce (?:matin|soir)|cet après-midi", "day:0"), (r"demain(?: soir| matin)?", "day:1"),
        (r"il y a {n} {unit}", "ago"), (r"dans {n} {unit}", "ahead"), (r"{weekday} dernier", "weekday:-1"), (r"{weekday} prochain", "weekday:1"), (r"le week-end dernier", "weekend:-1"),
        (r"la semaine dernière", "week:-1"), (r"cette semaine", "week:0"), (r"la semaine prochaine", "week:1"), (r"le mois dernier", "month:-1"), (r"ce mois-ci", "month:0"), (r"le mois prochain", "month:1"),
        (r"l'année dernière|l'an dernier", "year:-1"), (r"cette année", "year:0"), (r"l'année prochaine|l'an prochain", "year:1"), (r"à l'instant", "now"),
    ),
    weekdays=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    units={"minute": "minute minutes", "hour": "heure heures", "day": "jour jours", "week": "semaine semaines", "month": "mois", "year": "an ans année années"},
    numbers=("un une", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"),
    months=("janvier", "février fevrier", "mars", "avril", "mai", "juin", "juillet", "août aout", "septembre", "octobre", "novembre", "décembre decembre"),
    seasons=("printemps", "été", "automne", "hiver"),
    in_season=r"(?:au|en)\s+",
)  # fmt: skip

_SPANISH: Final = TimeTable(
    "es",
    relative=(
        (r"anteayer|antes de ayer", "day:-2"), (r"pasado mañana", "day:2"), (r"ayer|anoche", "day:-1"), (r"hoy|esta (?:mañana|tarde|noche)", "day:0"), (r"(?<!la )(?<!esta )(?<!cada )(?<!una )mañana", "day:1"),
        (r"hace {n} {unit}", "ago"), (r"{n} {unit} atr[áa]s", "ago"), (r"(?:dentro de|en) {n} {unit}", "ahead"), (r"el {weekday} pasado", "weekday:-1"), (r"el próximo {weekday}", "weekday:1"),
        (r"el fin de semana pasado", "weekend:-1"), (r"la semana pasada", "week:-1"), (r"esta semana", "week:0"), (r"la (?:próxima semana|semana que viene)", "week:1"),
        (r"el mes pasado", "month:-1"), (r"este mes", "month:0"), (r"el (?:próximo mes|mes que viene)", "month:1"),
        (r"el año pasado", "year:-1"), (r"este año", "year:0"), (r"el (?:próximo año|año que viene)", "year:1"), (r"ahora mismo", "now"),
    ),
    weekdays=("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    units={"minute": "minuto minutos", "hour": "hora horas", "day": "día días dia dias", "week": "semana semanas", "month": "mes meses", "year": "año años"},
    numbers=("un una", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"),
    months=("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"),
    seasons=("primavera", "verano", "otoño", "invierno"),
    in_season=r"(?:en|la|el)\s+",
)  # fmt: skip

_ITALIAN: Final = TimeTable(
    "it",
    relative=(
        (r"l'altro ieri", "day:-2"), (r"dopodomani", "day:2"), (r"ieri(?: sera)?", "day:-1"), (r"oggi|stamattina|stasera", "day:0"), (r"domani", "day:1"), (r"{n} {unit} fa", "ago"), (r"tra {n} {unit}", "ahead"),
        (r"{weekday} scors[oa]", "weekday:-1"), (r"{weekday} prossim[oa]", "weekday:1"), (r"la settimana scorsa|la scorsa settimana", "week:-1"), (r"questa settimana", "week:0"),
        (r"la (?:settimana prossima|prossima settimana)", "week:1"), (r"il mese scorso", "month:-1"), (r"questo mese", "month:0"), (r"il mese prossimo", "month:1"),
        (r"l'anno scorso", "year:-1"), (r"quest'anno", "year:0"), (r"l'anno prossimo", "year:1"),
    ),
    weekdays=("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"),
    units={"minute": "minuto minuti", "hour": "ora ore", "day": "giorno giorni", "week": "settimana settimane", "month": "mese mesi", "year": "anno anni"},
    numbers=("un una uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci"),
    months=("gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre"),
    seasons=("primavera", "estate", "autunno", "inverno"),
    in_season=r"(?:in|la)\s+",
)  # fmt: skip

_PORTUGUESE: Final = TimeTable(
    "pt",
    relative=(
        (r"anteontem", "day:-2"), (r"depois de amanhã", "day:2"), (r"ontem(?: à noite)?", "day:-1"), (r"hoje", "day:0"), (r"amanhã", "day:1"), (r"há {n} {unit}", "ago"), (r"{n} {unit} atrás", "ago"), (r"daqui a {n} {unit}", "ahead"),
        (r"{weekday} passad[oa]", "weekday:-1"), (r"próxim[oa] {weekday}", "weekday:1"), (r"semana passada", "week:-1"), (r"esta semana", "week:0"), (r"semana que vem|próxima semana", "week:1"),
        (r"mês passado", "month:-1"), (r"este mês", "month:0"), (r"mês que vem|próximo mês", "month:1"), (r"ano passado", "year:-1"), (r"este ano", "year:0"), (r"ano que vem|próximo ano", "year:1"),
    ),
    weekdays=("segunda segunda-feira", "terça terça-feira", "quarta quarta-feira", "quinta quinta-feira", "sexta sexta-feira", "sábado", "domingo"),
    units={"minute": "minuto minutos", "hour": "hora horas", "day": "dia dias", "week": "semana semanas", "month": "mês mes meses", "year": "ano anos"},
    numbers=("um uma", "dois duas", "três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez"),
    months=("janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro", "dezembro"),
    seasons=("primavera", "verão", "outono", "inverno"),
    in_season=r"(?:em|na|no)\s+",
)  # fmt: skip

_DUTCH: Final = TimeTable(
    "nl",
    relative=(
        (r"eergisteren", "day:-2"), (r"gister(?:en|avond|ochtend)", "day:-1"), (r"vandaag|vanavond|vanmorgen", "day:0"), (r"{n} {unit} geleden", "ago"),
        (r"(?:vorige|afgelopen) week", "week:-1"), (r"deze week", "week:0"), (r"(?:vorige|afgelopen) maand", "month:-1"), (r"deze maand", "month:0"), (r"vorig jaar", "year:-1"), (r"dit jaar", "year:0"),
    ),
    units={"minute": "minuut minuten", "hour": "uur", "day": "dag dagen", "week": "week weken", "month": "maand maanden", "year": "jaar jaren"},
    numbers=("een één", "twee", "drie", "vier", "vijf", "zes", "zeven", "acht", "negen", "tien"),
    months=("januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november", "december"),
)  # fmt: skip

_CHINESE: Final = TimeTable(
    "zh",
    relative=(
        (r"前天", "day:-2"), (r"昨[天晚日夜]", "day:-1"), (r"今[天晚早日]", "day:0"), (r"明[天晚早日]", "day:1"), (r"[后後]天", "day:2"),
        (r"上[个個]?(?:周|週|星期|礼拜){weekday}", "dayweek:-1"), (r"下[个個]?(?:周|週|星期|礼拜){weekday}", "dayweek:1"),
        (r"上[个個]?[周週]末", "weekend:-1"), (r"这(?:个)?周末", "weekend:0"), (r"下[个個]?[周週]末", "weekend:1"),
        (r"上[个個]?(?:周|週|星期|礼拜)(?![一二三四五六日天末])", "week:-1"), (r"(?:[这這本][个個]?(?:周|週)|[这這][个個]?(?:星期|礼拜))(?![一二三四五六日天末])", "week:0"), (r"下[个個]?(?:周|週|星期|礼拜)(?![一二三四五六日天末])", "week:1"),
        (r"上[个個]?月", "month:-1"), (r"[这這][个個]月|本月", "month:0"), (r"下[个個]?月", "month:1"), (r"去年", "year:-1"), (r"今年", "year:0"), (r"明年", "year:1"),
        (r"{n}\s*[个個]?{unit}(?:之?前|以前)", "ago"), (r"{n}\s*[个個]?{unit}(?:之?[后後]|以[后後])", "ahead"), (r"刚刚|刚才", "now"),
    ),
    weekdays=("一", "二", "三", "四", "五", "六", "日 天"),
    units={"minute": "分钟", "hour": "小时", "day": "天", "week": "周 週 星期 礼拜", "month": "月", "year": "年"},
    numbers=("一", "两 二", "三", "四", "五", "六", "七", "八", "九", "十"),
    seasons=("春天", "夏天", "秋天", "冬天"),
    in_season="",
    last_season="去年",
    spaced=False,
)  # fmt: skip

_JAPANESE: Final = TimeTable(
    "ja",
    relative=(
        (r"一昨日|おととい", "day:-2"), (r"明後日|あさって", "day:2"), (r"昨日|昨夜|昨晩", "day:-1"), (r"今日|本日|今朝|今夜|今晩", "day:0"), (r"明日", "day:1"), (r"先週末", "weekend:-1"), (r"先週(?!の?[月火水木金土日]曜)", "week:-1"),
        (r"今週(?!の?[月火水木金土日]曜)", "week:0"), (r"来週(?!の?[月火水木金土日]曜)", "week:1"), (r"先月", "month:-1"), (r"今月", "month:0"), (r"来月", "month:1"), (r"去年|昨年", "year:-1"), (r"今年", "year:0"), (r"来年", "year:1"),
        (r"{n}{unit}前", "ago"), (r"{n}{unit}後", "ahead"), (r"たった今", "now"),
    ),
    weekdays=("月", "火", "水", "木", "金", "土", "日"),
    units={"minute": "分", "hour": "時間", "day": "日", "week": "週間", "month": "か月 ヶ月 カ月", "year": "年"},
    numbers=("一", "二", "三", "四", "五", "六", "七", "八", "九", "十"),
    spaced=False,
)  # fmt: skip

_ARABIC: Final = TimeTable(
    "ar",
    relative=(
        (r"اليوم", "day:0"), (r"أمس", "day:-1"), (r"الأسبوع الماضي", "week:-1"), (r"الشهر الماضي", "month:-1"), (r"العام الماضي|السنة الماضية", "year:-1"), (r"(?:قبل|منذ) {n} {unit}", "ago"),
    ),
    units={"day": "يوم أيام", "week": "أسبوع", "month": "شهر أشهر", "year": "سنة سنوات عام أعوام"},
    numbers=("واحد", "اثنان", "ثلاثة"),
    months=("يناير", "فبراير", "مارس", "أبريل ابريل", "مايو", "يونيو", "يوليو", "أغسطس اغسطس", "سبتمبر", "أكتوبر اكتوبر", "نوفمبر", "ديسمبر"),
)  # fmt: skip

#: By ISO 639-1 code.
TABLES: Final[dict[str, TimeTable]] = {
    table.code: table
    for table in (
        *(_ENGLISH, _GERMAN, _SPANISH, _FRENCH, _ITALIAN, _PORTUGUESE),
        *(_DUTCH, _CHINESE, _JAPANESE, _ARABIC),
    )
}
#: Folded name of a month in any of the languages -> its number.
MONTHS: Final[dict[str, int]] = {
    name: number + 1 for table in TABLES.values() for name, number in names(table.months).items()
}
#: English names of weekdays.
WEEKDAYS: Final = frozenset(names(_ENGLISH.weekdays))
