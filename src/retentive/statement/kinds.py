"""Kinds of value: two values of one specific kind about one thing can contradict each other, others need not.

'The meeting is on Monday' and 'the meeting is boring' are both true; Monday and Tuesday are not.
"""

from __future__ import annotations

import re
from typing import Final

from retentive.statement.folding import fold

_DAYS: Final = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|lunes|martes|miercoles|"
    r"jueves|viernes|sabado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunedi|martedi|mercoledi|giovedi|venerdi|"
    r"domenica|segunda(?:-feira)?|terca(?:-feira)?|quarta(?:-feira)?|quinta(?:-feira)?|sexta(?:-feira)?|"
    r"(?:星期|周|礼拜)[一二三四五六日天]|[月火水木金土日]曜日?"
)
_MONTHS: Final = (
    r"january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|"
    r"januar|februar|marz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|"
    r"noviembre|diciembre|janvier|fevrier|mars|avril|juin|juillet|aout|septembre|octobre|novembre|decembre|gennaio|febbraio|"
    r"aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|janeiro|fevereiro|marco|maio|junho|julho|setembro|outubro|novembro|dezembro"
)
_PREP: Final = r"(?:on|at|in|by|am|um|el|a las|a la|le|a|il|alle|na|no|as)? ?(?:the )?"
_TIME_TEXT: Final = (
    rf"{_PREP}(?:\d{{1,2}}[:.h]\d{{2}}|\d{{1,2}} ?(?:am|pm|uhr|h|o'clock|heures)|noon|midnight|.{{0,3}}[\d一二三四五六七八九十]{{1,3}}[点點時]半?)"
    r"(?: ?(?:am|pm|uhr|h))?"
)
_DAY_TEXT: Final = rf"{_PREP}(?:next )?(?:{_DAYS})(?:(?: at| um| a las| a)? [\d:.h]{{1,5}} ?(?:am|pm|uhr)?)?"
_DATE_TEXT: Final = (
    rf"{_PREP}(?:(?:{_MONTHS})\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|\d{{1,2}}(?:st|nd|rd|th|\.|er)?(?: de| of)? (?:{_MONTHS})(?:,?(?: de)? \d{{4}})?|"
    rf"(?:{_MONTHS})(?: \d{{4}})?|\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}[./]\d{{1,2}}(?:[./]\d{{2,4}})?\.?|\d{{1,2}}月(?:\d{{1,2}}[日号])?|tomorrow|today)"
)
DAY_OR_DATE: Final = rf"(?:{_DAY_TEXT}|{_TIME_TEXT}|{_DATE_TEXT})"
"""A pattern for a point in time, for use inside sentence frames."""

_NUMBER: Final = re.compile(r"(?:about |around )?[$€£¥]? ?\d[\d.,]{0,15} ?(?:%|[a-z€$£°/]{1,6}|元|公斤|厘米|岁)?")
_EMAIL: Final = re.compile(r"\S{1,80}@\S{1,80}")
_ADDRESS: Final = re.compile(r"https?://\S{1,200}|\S{1,80}\.(?:com|org|net|io|dev)(?:/\S{0,100})?")
_VERSION: Final = re.compile(r"v?\d{1,4}(?:\.\d{1,4}){1,3}\S{0,12}")
_NAME: Final = re.compile(
    r"(?:Dr\. |Mr\. |Mrs\. |Ms\. |Prof\. )?[A-Z][\w'&.-]{0,30}(?: (?:[A-Z0-9][\w'&.-]{0,30}|de|van|von|der|la|of|the|and)){0,4}"
)

_TOOLS: Final = {
    "database": "postgres postgresql mysql mariadb sqlite mongodb mongo oracle cockroachdb dynamodb mssql",
    "editor": "vim neovim nvim emacs helix nano vscode zed sublime pycharm intellij",
    "browser": "chrome firefox safari edge brave opera vivaldi",
    "system": "windows linux macos ubuntu debian fedora arch",
    "cloud": "aws azure gcp hetzner digitalocean",
    "package manager": "npm yarn pnpm bun pip poetry uv conda",
    "build server": "jenkins buildkite circleci travis teamcity",
    "frontend framework": "react vue angular svelte solid ember",
    "web framework": "django flask fastapi rails laravel spring",
    "issue tracker": "jira linear trello asana",
    "phone system": "android ios",
}
TOOLS: Final = {name: kind for kind, names in _TOOLS.items() for name in names.split()}

PLACES: Final = frozenset(
    "berlin|hamburg|munchen|munich|koln|frankfurt|stuttgart|leipzig|wien|vienna|zurich|bern|madrid|barcelona|sevilla|valencia|bilbao|lima|bogota|"
    "mexico|ciudad de mexico|buenos aires|santiago|paris|lyon|marseille|toulouse|nantes|lille|bordeaux|bruxelles|geneve|roma|milano|torino|"
    "napoli|genova|bologna|firenze|lisboa|porto|sao paulo|rio de janeiro|recife|salvador|brasilia|london|londres|dublin|new york|tokyo|"
    "deutschland|espana|france|italia|portugal|brasil|alemania|allemagne|espagne|italie|francia|germania|"
    "北京|上海|广州|深圳|杭州|成都|重庆|西安|南京|武汉|天津|苏州|长沙|青岛|厦门|香港|台北|中国|美国|日本|英国|德国|法国|"
    "東京|大阪|京都|名古屋|札幌|福岡|横浜|神戸".split("|")
)
"""Well-known places, only to tell 'trabajo en Madrid' from 'trabajo en Iberia'."""

_ALTERNATIVES: Final = (
    "dark light bright hell hellen helle heller dunkel dunklen dunkle dunkler claro oscuro clair sombre chiaro scuro escuro 深色 浅色 暗色 亮色",
    "short long brief detailed concise verbose lengthy kurz kurze kurzen lang lange langen knapp ausfuhrlich ausfuhrliche cortas largas cortos largos breves detalladas courtes longues courts longs brevi lunghe curtas longas 简短 详细 短 长",
    "formal informal casual formelle informelle formelles informelles formales informales 正式 随意",
    "window aisle middle fenster gang",
    "morning afternoon evening night early late",
    "hot cold warm iced",
    "metric imperial",
    "british american",
    "small big large little tiny huge",
    "cheap expensive budget luxury",
    "spicy mild",
    "paper digital printed",
    "manual automatic automated",
    "sweet savoury savory salty",
    "quiet loud silent",
    "still sparkling",
    "remote onsite hybrid",
    "red green blue yellow purple orange pink black white",
)
ALTERNATIVES: Final = {word: i for i, row in enumerate(_ALTERNATIVES) for word in row.split()}

PROFESSION: Final = r"(?:(?:senior|junior|lead|chief|head|staff|principal|freelance|software|data|product|project|civil|mechanical|high school|primary) ){0,2}(?:nurse|teacher|doctor|engineer|developer|programmer|designer|lawyer|student|manager|architect|accountant|chef|journalist|writer|editor|analyst|scientist|researcher|consultant|pilot|dentist|plumber|electrician|carpenter|photographer|professor|librarian|pharmacist|veterinarian|translator|barista|cto|ceo|cfo|coo|vp|president|director|intern)(?: (?:of|at|for|in) .{1,60})?|(?:head|director|vp|chief|chair|president|manager) of .{1,60}|(?:engineering|product|project|sales|marketing|team|tech) (?:manager|lead)"
"""Trades and posts one may hold several of; 'now' or 'became' makes a new one replace the old."""
_SPECIFIC: Final = (
    ("email", _EMAIL), ("address", _ADDRESS), ("time", re.compile(_TIME_TEXT)), ("day", re.compile(_DAY_TEXT)), ("date", re.compile(_DATE_TEXT)), ("version", _VERSION), ("number", _NUMBER),
)  # fmt: skip


def kind(raw: str, *, names: bool = True) -> str:
    """The specific kind of a value as written ('day', 'number', 'name' ...), or ''.

    `names` says whether capitals mark names in this language (they do not in German).

    >>> kind("Tuesday"), kind("8080"), kind("FlexHouse"), kind("boring")
    ('day', 'number', 'name', '')
    """
    text = fold(raw)
    for label, pattern in _SPECIFIC:
        if pattern.fullmatch(text):
            return label
    if text in TOOLS:
        return TOOLS[text]
    return "name" if names and _NAME.fullmatch(raw.strip()) else ""


def is_moment(label: str) -> bool:
    """Whether a kind names a point in time.

    >>> is_moment("day"), is_moment("number")
    (True, False)
    """
    return label in {"time", "day", "date"}
