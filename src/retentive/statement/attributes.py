"""Attribute nouns of all languages, as one table: which noun names which attribute, and which hold a single value.

The keys are folded (no accents). A noun that is not here is of unknown kind; it is never guessed to be single-valued.
"""

from __future__ import annotations

import re
from typing import Final

_NOUNS: Final = """
name: name | full name | first name | nombre | nombre completo | nom | prenom | nome | vorname | 名字 | 姓名 | 名前
surname: surname | last name | family name | nachname | apellido | nom de famille | cognome | sobrenome | apelido | 姓
nickname: nickname | spitzname | apodo | surnom | soprannome | 昵称 | 绰号 | 外号 | ニックネーム | あだ名
age: age | alter | edad | eta | idade | 年龄 | 年齢
birthday: birthday | date of birth | birth date | birthdate | geburtstag | geburtsdatum | cumpleanos | fecha de nacimiento | anniversaire | date de naissance | compleanno | data di nascita | aniversario | data de nascimento | 生日 | 出生日期 | 誕生日
birthplace: birthplace | place of birth | geburtsort | lugar de nacimiento | lieu de naissance | 出生地
home: home | hometown city | city of residence | residence | home city | wohnort | residencia | lugar de residencia | ciudad | ville | ville de residence | lieu de residence | residenza | cidade | 住处 | 居住地 | 住所地
address: address | home address | adresse | anschrift | postadresse | direccion | indirizzo | endereco | morada | 地址 | 住址 | 家庭住址 | 住所
email: email | e-mail | email address | e-mail address | mail address | e-mail-adresse | emailadresse | mailadresse | mail | correo | correo electronico | adresse e-mail | adresse email | adresse mail | adresse electronique | courriel | indirizzo email | 邮箱 | 电子邮箱 | 邮件地址 | 邮箱地址 | メール | メールアドレス
phone number: phone | phone number | telephone number | mobile number | mobile | cell number | cell phone number | number | telefonnummer | handynummer | mobilnummer | telefon | rufnummer | nummer | telefono | numero de telefono | numero | movil | celular | telephone | numero de telephone | numero di telefono | telefone | numero de telefone | telemovel | 电话 | 电话号码 | 手机号 | 手机号码 | 手机 | 電話番号
employer: employer | company i work for | workplace | arbeitgeber | empleador | employeur | datore di lavoro | empregador | 雇主 | 单位 | 公司 | 工作单位 | 勤務先
job: job | job title | occupation | profession | position | role | beruf | position im unternehmen | trabajo | profesion | puesto | cargo | ocupacion | metier | profession | poste | emploi | lavoro | professione | ruolo | profissao | trabalho | 职业 | 职位 | 工作 | 职务 | 職業 | 仕事
salary: salary | income | gehalt | salario | sueldo | salaire | stipendio | 工资 | 薪水 | 年薪 | 月薪
timezone: timezone | time zone | zeitzone | zona horaria | huso horario | fuseau horaire | fuso orario | fuso horario | 时区 | タイムゾーン
language: language | preferred language | answer language | reply language | sprache | bevorzugte sprache | idioma | idioma preferido | langue | langue preferee | lingua | lingua preferita | 语言 | 首选语言 | 言語
native language: native language | mother tongue | first language | muttersprache | lengua materna | idioma materno | langue maternelle | lingua madre | lingua materna | 母语 | 母語
nationality: nationality | nationalitat | staatsangehorigkeit | nacionalidad | nationalite | nazionalita | nacionalidade | 国籍
pronouns: pronouns | pronomen | pronombres | pronoms
marital status: marital status | relationship status | familienstand | estado civil | situation familiale | stato civile | 婚姻状况 | 婚姻状态
diet: diet | ernahrung | ernahrungsweise | dieta | regime | regime alimentaire | 饮食
height: height | grosse | korpergrosse | estatura | altura | taille | altezza | 身高 | 身長
weight: weight | gewicht | peso | poids | 体重
blood type: blood type | blood group | blutgruppe | grupo sanguineo | tipo de sangre | groupe sanguin | gruppo sanguigno | tipo sanguineo | 血型 | 血液型
shoe size: shoe size | schuhgrosse | numero de zapato | talla de zapatos | pointure | numero di scarpe | 鞋码 | 鞋号
boss: boss | manager | supervisor | line manager | chef | chefin | vorgesetzter | jefe | jefa | patron | capo | 老板 | 上司 | 领导 | 经理
partner: wife | husband | spouse | partner | girlfriend | boyfriend | fiance | fiancee | frau | mann | ehefrau | ehemann | freund | freundin | esposa | esposo | marido | mujer | pareja | novia | novio | femme | mari | epouse | epoux | moglie | marito | esposo | 妻子 | 老婆 | 丈夫 | 老公 | 女朋友 | 男朋友 | 女友 | 男友 | 妻 | 夫 | 彼女 | 彼氏
password: password | passcode | pin | wifi password | passwort | contrasena | mot de passe | 密码
deadline: deadline | due date | frist | abgabetermin | abgabefrist | stichtag | fecha limite | plazo | date limite | echeance | scadenza | prazo | 截止日期 | 截止时间 | 期限 | 締め切り
budget: budget | presupuesto | bilancio | orcamento | 预算 | 予算
username: username | user name | login | handle | benutzername | nombre de usuario | nom d'utilisateur | 用户名
website: website | homepage | webseite | sitio web | site web | 网站
goal weight: goal weight | target weight
"""

_HEADS: Final = frozenset(
    "name number address email password deadline budget birthday version port url date age size id key branch theme "
    "timezone colour color salary limit quota codename price code combination lead owner captain headquarters host hostname username seat gate room locker plan provider carrier "
    "nummer adresse passwort frist version termin farbe grosse preis zimmer anbieter tarif "
    "号码 地址 密码 日期 版本 端口 价格 房间 颜色 番号 色".split()
)
"""Last words that make any attribute noun single-valued: 'API port', 'locker number', 'flight date'."""

_FAVOURITE_NOUNS: Final = """
colour: color | colour | farbe | couleur | colore | cor | 颜色 | 色
food: food | essen | comida | nourriture | cibo | 食物 | 食べ物
dish: dish | meal | gericht | plato | plat | piatto | prato | 菜 | 料理
player: player | spieler | spielerin | jugador | jugadora | joueur | joueuse | giocatore | jogador | 球员 | 选手 | 選手
team: team | mannschaft | equipo | equipe | squadra | time | 球队 | チーム
club: club | verein | klub | 俱乐部
film: film | movie | pelicula | filme | 电影 | 映画
book: book | buch | libro | livre | livro | 书 | 本
song: song | lied | cancion | chanson | canzone | musica | 歌 | 歌曲 | 曲
music: music | musik | musique | 音乐 | 音楽
band: band | banda | groupe | gruppo | 乐队 | バンド
singer: singer | sanger | sangerin | cantante | chanteur | chanteuse | 歌手
drink: drink | getrank | bebida | boisson | bevanda | 饮料 | 飲み物
sport: sport | sportart | deporte | esporte | 运动 | スポーツ
city: city | stadt | ciudad | ville | citta | cidade | 城市 | 街
animal: animal | tier | animale | 动物 | 動物
fruit: fruit | obst | frucht | fruta | frutta | 水果 | 果物
season: season | jahreszeit | estacion | saison | stagione | estacao | 季节 | 季節
restaurant: restaurant | restaurante | ristorante | 餐厅 | レストラン
game: game | spiel | juego | jeu | gioco | jogo | 游戏 | ゲーム
actor: actor | schauspieler | schauspielerin | acteur | actrice | attore | ator | 演员 | 俳優
author: author | writer | autor | schriftsteller | escritor | auteur | ecrivain | autore | 作家
"""

RELATIONS: Final = frozenset(
    "brother sister friend best friend colleague coworker son daughter child kid dog cat pet cousin neighbour neighbor mother "
    "mom mum father dad uncle aunt grandmother grandma grandfather grandpa nephew niece roommate flatmate teacher doctor "
    "dentist therapist coach bruder schwester freund kollege kollegin sohn tochter kind hund katze mutter vater onkel tante "
    "oma opa nachbar nachbarin mitbewohner hermano hermana amigo amiga hijo hija perro gato gata madre padre tio tia abuela "
    "abuelo vecino vecina frere soeur ami amie fils fille chien chat mere pere oncle tante grand-mere grand-pere voisin "
    "voisine collegue fratello sorella figlio figlia cane gatto irmao irma filho filha cao mae pai 哥哥 弟弟 姐姐 妹妹 朋友 同事 "
    "儿子 女儿 孩子 狗 猫 妈妈 爸爸 母亲 父亲 爷爷 奶奶 邻居 室友 老师 兄 姉 弟 妹 友達 犬 娘 息子".split()
)
"""People and animals one can have several of: two names are a doubt, not a change."""


_ONLY_ONE: Final = frozenset(
    "partner boss mother mom mum father dad mutter vater madre padre mere pere mae pai 妈妈 爸爸 母亲 父亲 母 父".split()
)


def only_one(subject: str) -> bool:
    """Whether a subject is a relation one has one of at a time, so that what they are by trade has one value.

    >>> only_one("partner"), only_one("brother")
    (True, False)
    """
    return subject in _ONLY_ONE


def _table(rows: str) -> dict[str, str]:
    out: dict[str, str] = {}
    for row in rows.strip().splitlines():
        key, _, nouns = row.partition(": ")
        for noun in nouns.split(" | "):
            out.setdefault(noun.strip(), key)
    return out


NOUNS: Final = _table(_NOUNS)
FAVOURITES: Final = _table(_FAVOURITE_NOUNS)
_RANKED: Final = re.compile(r"(?:preferred|default|main|primary|current|usual|regular)\s+(?=\S)")
_PERSONS: Final = frozenset({"partner", "boss"})


def canonical(noun: str) -> tuple[str, bool]:
    """The attribute a folded noun names, and whether it holds a single value.

    >>> canonical("geburtstag"), canonical("api port"), canonical("gym")
    (('birthday', True), ('api port', True), ('gym', False))
    """
    if noun in NOUNS:
        return NOUNS[noun], True
    if _RANKED.match(noun):
        inner, _ = canonical(_RANKED.sub("", noun, count=1))
        return (inner, True) if inner in NOUNS.values() else (noun, True)
    last = noun.rpartition(" ")[2]
    return noun, last in _HEADS or any(noun.endswith(h) for h in _HEADS if not h.isascii())


#: Attributes of a statement about the user that are fields of the profile.
FIELD_OF_ATTRIBUTE = {
    "name": "name",
    "name to use": "name",
    "pronouns": "pronouns",
    "job": "role",
    "employer": "company",
    "home": "location",
    "timezone": "timezone",
    "diet": "diet",
    "birthday": "birthday",
    "language": "language",
}


_ATTRIBUTE_OF_FIELD = {field: attribute for attribute, field in reversed(FIELD_OF_ATTRIBUTE.items())}


def attribute_of_field(field: str) -> str:
    """The attribute a profile field stands for.

    >>> attribute_of_field("timezone"), attribute_of_field("preferred_language")
    ('timezone', 'language')
    """
    if field in _ATTRIBUTE_OF_FIELD:
        return _ATTRIBUTE_OF_FIELD[field]
    return canonical(field.replace("_", " ").casefold())[0]


def favourite(noun: str) -> str:
    """The attribute key of a favourite: one key for all languages where the noun is known.

    >>> favourite("farbe"), favourite("stapler")
    ('favourite colour', 'favourite stapler')
    """
    return f"favourite {FAVOURITES.get(noun, noun)}"


def person(noun: str) -> str:
    """One word for a person however called: 'wife' and 'husband' are the partner.

    >>> person("wife"), person("sister")
    ('partner', 'sister')
    """
    return NOUNS[noun] if NOUNS.get(noun) in _PERSONS else noun


def is_person(noun: str) -> bool:
    """Whether a folded noun names a person or an animal, whose 'is' may be a name or a property.

    >>> is_person("wife"), is_person("gym")
    (True, False)
    """
    return noun in RELATIONS or NOUNS.get(noun) in _PERSONS
