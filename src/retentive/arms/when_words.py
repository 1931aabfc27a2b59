"""Words for times in the languages served: months, numbers, units and what lies before now. Data of `when`."""

_MONTH_LINES = """
january jan januar janvier enero gennaio janeiro januari يناير
february feb februar février fevrier febrero febbraio fevereiro februari فبراير
march mar märz maerz mars marzo março maart مارس
april apr avril abril aprile أبريل ابريل
may mai mayo maggio maio mei مايو
june jun juni juin junio giugno junho يونيو
july jul juli juillet julio luglio julho يوليو
august aug août aout agosto augustus أغسطس اغسطس
september sept sep septembre septiembre settembre setembro سبتمبر
october oct oktober octobre octubre ottobre outubro أكتوبر اكتوبر
november nov novembre noviembre novembro نوفمبر
december dec dezember décembre decembre diciembre dicembre dezembro ديسمبر
"""
#: Folded name of a month -> its number.
MONTHS: dict[str, int] = {
    name: number for number, line in enumerate(_MONTH_LINES.strip().splitlines(), 1) for name in line.split()
}

NUMBERS: dict[str, int] = {
    name: number
    for number, line in enumerate(
        """a an one ein einem einer eine un une una um uma uno 一 ا
        two zwei deux dos due dois duas 两 二 couple
        three drei trois tres tre três 三
        four vier quatre cuatro quattro quatro 四
        five fünf cinq cinco cinque 五
        six sechs seis sei 六
        seven sieben sept siete sette sete 七
        eight acht huit ocho otto oito 八
        nine neun neuf nueve nove 九
        ten zehn dix diez dieci dez 十""".splitlines(),
        1,
    )
    for name in line.split()
}

UNITS: dict[str, str] = {
    name: unit
    for unit, names in {
        "day": "day days tag tage tagen jour jours día días dia dias giorno giorni 天 日 يوم أيام",
        "week": "week weeks woche wochen semaine semaines semana semanas settimana settimane 周 週 星期 週間 أسبوع",
        "month": "month months monat monate monaten mois mes meses mese mesi mês 个月 個月 ヶ月 か月 شهر أشهر",
        "year": "year years jahr jahre jahren an ans année années año años anno anni ano anos 年 سنة سنوات عام أعوام",
    }.items()
    for name in names.split()
}

#: "N units ago", N and U standing for the number and the unit.
AGO: tuple[str, ...] = (
    r"(?<!\w)N\s+U\s+(?:ago|atrás|atras|fa)(?!\w)",
    r"(?<!\w)(?:vor|hace|há|il y a|قبل|منذ)\s+N\s+U(?!\w)",
    r"N\s*U(?:之?前|以前)",
    r"(?<!\w)a N of U ago(?!\w)",
)

#: (pattern, unit, how many of them back)
RELATIVE: tuple[tuple[str, str, int], ...] = (
    (r"\b(?:today|this morning|tonight|heute|aujourd'hui|hoy|oggi|hoje)\b|今天|今日|本日|اليوم", "day", 0),
    (
        r"\b(?:(?<!day before )yesterday|last night|(?<!vor)gestern|(?<!avant-)hier|ayer|ieri|(?<!ante)ontem)\b",
        "day",
        1,
    ),
    (r"昨天|昨日|昨晚|昨夜|أمس", "day", 1),
    (r"\b(?:day before yesterday|vorgestern|avant-hier|anteayer|l'altro ieri|anteontem)\b", "day", 2),
    (r"前天|一昨日|おととい", "day", 2),
    (r"\b(?:this week|diese woche|cette semaine|esta semana|questa settimana)\b|这周|本周|这个星期|今週", "week", 0),
    (
        r"\b(?:(?:last|past) week(?:end)?|(?:letzte|vorige|vergangene)s? woche(?:nende)?|la semaine dernière)\b",
        "week",
        1,
    ),
    (r"\b(?:la semana pasada|la settimana scorsa|semana passada)\b", "week", 1),
    (r"上周|上週|上个星期|上星期|先週|الأسبوع الماضي", "week", 1),
    (r"\b(?:this month|diesen monat|ce mois-ci|este mes|questo mese|este mês)\b|这个月|本月|今月", "month", 0),
    (
        r"\b(?:last month|(?:letzten|vorigen) monat|le mois dernier|el mes pasado|il mese scorso|mês passado)\b",
        "month",
        1,
    ),
    (r"上个月|上個月|先月|الشهر الماضي", "month", 1),
    (
        r"\b(?:last year|(?:letztes|voriges) jahr|l'année dernière|l'an dernier|el año pasado|l'anno scorso)\b",
        "year",
        1,
    ),
    (r"\bano passado\b|去年|昨年|العام الماضي|السنة الماضية", "year", 1),
)

_THE = r"(?<!\w)(?:last|in|this|the|letzten|im|au|en|la|el)\s+"
#: (pattern, first month of the season in the northern half)
SEASONS: tuple[tuple[str, int], ...] = (
    (rf"{_THE}(?:spring|frühling|frühjahr|printemps|primavera)(?!\w)|(?:去年)?春天", 3),
    (rf"{_THE}(?:summer|sommer|été|verano|estate)(?!\w)|(?:去年)?夏天", 6),
    (rf"{_THE}(?:autumn|fall|herbst|automne|otoño|autunno)(?!\w)|(?:去年)?秋天", 9),
    (rf"{_THE}(?:winter|hiver|invierno|inverno)(?!\w)|(?:去年)?冬天", 12),
)

WEEKDAYS: tuple[str, ...] = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
