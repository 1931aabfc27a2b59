"""Trades and posts in the languages served: a person's words about what someone is by profession.

One word each, folded, in the forms for men and women. English has a pattern of its own (`kinds.PROFESSION`), as its trades
often have two words.
"""

from __future__ import annotations

import re
from typing import Final

from retentive.statement.kinds import PROFESSION

_WORDS: Final = """
de: krankenschwester krankenpfleger pfleger pflegerin arzt arztin zahnarzt zahnarztin lehrer lehrerin ingenieur ingenieurin entwickler entwicklerin
 programmierer programmiererin anwalt anwaltin rechtsanwalt rechtsanwaltin architekt architektin koch kochin tischler tischlerin schreiner
 schreinerin elektriker elektrikerin klempner klempnerin journalist journalistin polizist polizistin feuerwehrmann verkaufer verkauferin
 buchhalter buchhalterin designer designerin professor professorin apotheker apothekerin tierarzt tierarztin ubersetzer ubersetzerin
 pilot pilotin fahrer fahrerin backer backerin friseur friseurin gartner gartnerin richter richterin student studentin forscher forscherin
 hebamme erzieher erzieherin berater beraterin mechaniker mechanikerin maler malerin musiker musikerin schauspieler schauspielerin
 psychologe psychologin therapeut therapeutin landwirt landwirtin bibliothekar bibliothekarin geschaftsfuhrer geschaftsfuhrerin
es: enfermera enfermero medica medico doctora doctor dentista maestra maestro profesora profesor ingeniera ingeniero programadora programador
 desarrolladora desarrollador abogada abogado arquitecta arquitecto cocinera cocinero carpintera carpintero electricista fontanera fontanero
 plomera plomero periodista policia bombera bombero vendedora vendedor contadora contador contable disenadora disenador farmaceutica
 farmaceutico veterinaria veterinario traductora traductor piloto conductora conductor panadera panadero peluquera peluquero jardinera
 jardinero jueza juez estudiante investigadora investigador cientifica cientifico consultora consultor mecanica mecanico pintora pintor
 musica musico actriz actor psicologa psicologo agricultora agricultor bibliotecaria bibliotecario directora director gerente escritora escritor
fr: infirmiere infirmier medecin docteure docteur dentiste professeure professeur enseignante enseignant institutrice instituteur ingenieure
 ingenieur developpeuse developpeur programmeuse programmeur avocate avocat architecte cuisiniere cuisinier menuisiere menuisier
 electricienne electricien plombiere plombier journaliste policiere policier pompier vendeuse vendeur comptable graphiste pharmacienne
 pharmacien veterinaire traductrice traducteur pilote conductrice conducteur boulangere boulanger coiffeuse coiffeur jardiniere jardinier
 juge etudiante etudiant chercheuse chercheur scientifique consultante consultant mecanicienne mecanicien peintre musicienne musicien
 actrice acteur psychologue agricultrice agriculteur bibliothecaire directrice directeur ecrivaine ecrivain sage-femme
it: infermiera infermiere dottoressa dottore medica medico dentista insegnante maestra maestro professoressa professore ingegnera ingegnere
 programmatrice programmatore sviluppatrice sviluppatore avvocata avvocatessa avvocato architetta architetto cuoca cuoco falegname
 elettricista idraulica idraulico giornalista poliziotta poliziotto pompiere commessa commesso contabile grafica grafico farmacista
 veterinaria veterinario traduttrice traduttore pilota autista panettiera panettiere parrucchiera parrucchiere giardiniera giardiniere
 giudice studentessa studente ricercatrice ricercatore scienziata scienziato consulente meccanica meccanico pittrice pittore musicista
 attrice attore psicologa psicologo agricoltrice agricoltore bibliotecaria bibliotecario direttrice direttore scrittrice scrittore
pt: enfermeira enfermeiro medica medico doutora doutor dentista professora professor engenheira engenheiro programadora programador
 desenvolvedora desenvolvedor advogada advogado arquiteta arquiteto cozinheira cozinheiro carpinteira carpinteiro eletricista encanadora
 encanador canalizador jornalista policial bombeira bombeiro vendedora vendedor contadora contador contabilista farmaceutica farmaceutico
 veterinaria veterinario tradutora tradutor piloto motorista padeira padeiro cabeleireira cabeleireiro jardineira jardineiro juiza juiz
 estudante pesquisadora pesquisador cientista consultora consultor mecanica mecanico pintora pintor musica musico atriz ator psicologa
 psicologo agricultora agricultor bibliotecaria bibliotecario diretora diretor gerente escritora escritor
zh: 护士 医生 大夫 牙医 老师 教师 教授 工程师 程序员 开发者 律师 建筑师 设计师 厨师 木匠 电工 水管工 记者 警察 消防员 会计 会计师 药剂师 兽医 翻译 飞行员
 司机 面包师 理发师 园丁 法官 学生 研究员 科学家 顾问 机械师 画家 音乐家 演员 心理学家 心理医生 农民 图书管理员 经理 作家 公务员 销售 售货员 军人
ja: 看護師 医者 医師 歯科医 歯医者 教師 先生 教授 エンジニア プログラマー 技術者 電気技師 開発者 弁護士 建築家 デザイナー 料理人 シェフ 大工 電気工事士 配管工 記者
 警察官 消防士 会計士 薬剤師 獣医 翻訳者 通訳 パイロット 運転手 パン職人 美容師 庭師 裁判官 学生 研究者 科学者 コンサルタント 整備士 画家 音楽家 俳優 心理士
 農家 司書 公務員 会社員 作家 主婦 保育士
"""
PROFESSIONS: Final = frozenset(_WORDS.split()) - {"de:", "es:", "fr:", "it:", "pt:", "zh:", "ja:"}
_ENGLISH: Final = re.compile(PROFESSION)
_MOST_WORDS: Final = 4


def is_profession(value: str) -> bool:
    """Whether a folded value names a trade or a post.

    >>> is_profession("head of sales"), is_profession("krankenschwester"), is_profession("tall")
    (True, True, False)
    """
    words = value.split()
    named = 0 < len(words) <= _MOST_WORDS and words[0] in PROFESSIONS
    return named or _ENGLISH.fullmatch(value) is not None
