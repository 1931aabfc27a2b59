"""Function words and endings: they give a language away and say little else. Written for Retentive."""

FUNCTION_WORDS: dict[str, str] = {
    "english": """a an and any are as at be been being but by can cannot could did do does doing done for from had
        has have having he her here hers him his how i if in into is it its just me my myself no nor not of off on
        or our ours out over own shall she should so some such than that the their theirs them then there these they
        this those to too under until up us very was we were what when where which while who whom whose why will
        with would you your yours about after again all also am because before between both during each few more
        most only other same through dont doesnt didnt isnt arent wasnt werent wont wouldnt cant couldnt shouldnt
        havent hasnt hadnt im ive id ill youre youve youll hes shes theyre weve lets thats whats""",
    "german": """aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da dann das
        dass dein deine dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch du ein eine
        einem einen einer eines er es euch euer für gegen hab habe haben hast hat hatte ich ihm ihn ihnen ihr ihre
        im in ins ist ja jede jeder jetzt kann kein keine können man mein meine meinem meinen meiner mich mir mit
        muss nach nicht nichts noch nun nur ob oder ohne sehr sein seine sich sie sind so soll über um und uns unser
        unsere unter vom von vor wann war waren warum was weil welche welcher wenn wer werde werden wie wieder will
        wir wird wo wurde zu zum zur zwischen""",
    "french": """à ai aller alors au aussi autre aux avant avec avez avoir avons bien c ça ce ceci cela ces cet
        cette chez comme comment d dans de des donc du elle elles en est et était été être eu fait il ils j je l la
        là le les leur leurs lui m ma mais me même mes moi mon n ne nos notre nous on ont ou où par parce pas peu
        peut plus pour pourquoi qu quand que quel quelle quels qui quoi s sa sans se ses si son sont suis sur t ta
        te tes toi ton tous tout toute très tu un une vos votre vous y""",
    "spanish": """a al algo ante antes aquí así aún aunque bien cada como cómo con cual cuál cuando cuándo de del
        desde donde dónde dos el él ella ellas ellos en entre era eres es esa ese eso esta está están estar estas
        este esto estos estoy fue ha había hace han hasta hay he la las le les lo los más me mi mí mis mucho muy
        nada ni no nos nosotros nuestra nuestro o os otra otro para pero por porque puede qué que quién quien se sea
        ser si sí sin sobre son su sus también tan te tengo ti tiene todo todos tu tú tus un una uno unos usted y ya
        yo""",
    "italian": """a ad ai al alla alle allo anche ancora avere c che chi ci come con cosa così cui da dagli dai dal
        dalla dei del della delle dello di dove e è ed era erano essere fa fra gli ha hai hanno ho i il in io l la
        le lei li lo loro lui ma me mi mia mie miei mio molto ne nei nel nella nelle noi non nostra nostro o ogni
        per perché però più poi qual quale quando quanto quella quello questa queste questi questo qui se sei senza
        si sia siamo sono sta sto su sua sue sul sulla suo te ti tra tu tua tuo tutti tutto un una uno vi voi""",
    "portuguese": """a à ainda ao aos aquela aquele aqui as às até com como da das de dela dele deles depois do dos
        e é ela elas ele eles em entre era essa esse esta está estão estava este estou eu foi foram há isso isto já
        lhe mais mas me mesmo meu meus minha minhas muito na não nas nem no nos nós nossa nosso num numa o onde os
        ou para pela pelo por porque pra qual quando que quem são se sem ser seu seus só sobre sua suas também te
        tem tenho teu tinha tua tudo um uma umas uns vai você vocês""",
    "dutch": """aan al alle als altijd bij ben bent dan dat de deze die dit doen door dus een en er ge geen haar had
        hebben hebt heb heeft hem het hier hij hoe hun ik in is ja je jij jou jouw jullie kan kunnen maar me meer
        met mij mijn moet naar niet niets nog nu of om omdat onder ons ook op over te tegen toch toen tot u uit uw
        van veel voor waar waarom wanneer waren was wat we wel welke werd wie wij wil worden wordt zal ze zelf zich
        zij zijn zo zonder""",
    "russian": """а без более бы был была были было быть в вам вас весь во вот все всего вы где да даже для до его
        ее если есть еще же за здесь и из или им их к как какой когда который кто ли либо мне мой моя меня мы на над
        надо нам нас не него нее нет ни них но ну о об однако он она они оно от очень по под при про с сам себя
        сейчас со так также такой там те тебе тебя то того тоже только том ты у уже хотя чего чей чем что чтобы чье
        эта эти это этот я""",
    "swedish": """alla att av blev bli blir då de den denna deras dess det detta dig din ditt du där efter eller en
        ett för från ha hade han hans har henne hennes hon honom hur här i icke inte jag ju kan kunde man med mellan
        men mig min mina mitt mot mycket nu när någon något och om oss på sedan sig sin sitt ska skulle som till
        under upp ut vad var vara varför vi vid vilken är över""",
    "danish": """af alle anden at blev blive de dem den denne der deres det dette dig din disse dog du efter eller
        en er et for fra ham han hans har havde have hende hendes her hos hun hvad hvis hvor hvorfor i ikke ind jeg
        jer jo kan kunne man mange med meget men mig min mine mod når ned nogen noget nu og også om op os over på
        sådan se selv sig sin skal skulle som til ud under var være vi vil ville vores""",
    "norwegian": """alle at av bare ble bli da de deg dem den denne der dere deres det dette din du eller en er et
        etter for fordi fra før ha hadde han hans har hennes her hun hva hvem hver hvis hvor hvordan hvorfor i ikke
        inn ja jeg kan kunne man med meg mellom men mer min mitt mot mye nå når noe noen og også om opp oss over på
        samme seg selv si sin sitt skal skulle som til ut uten vår være var ved vi vil ville""",
    "finnish": """ei eivät en ehkä että hän he ja jo joka joku jos joten kaikki kanssa kuin kuinka kun me mikä
        mikään milloin minä minua minulla minun missä mitä mutta myös ne niin nyt olen oli olla on ovat se sen
        siellä siinä sinä sinun sitten tai tämä tämän te tuo vain vielä voi""",
    "polish": """aby ale bardzo bez być był była było co czy dla do gdy gdzie go i ich ja jak jako je jego jej jest
        jestem już kiedy kto która które który lub ma mam mi mnie może mój moja moje na nad nie nim o od po pod
        ponieważ przed przez przy są się tak także tam te tego ten to tu twój ty tylko tym w we wszystko z za ze
        że""",
    "czech": """aby aj ale ani až bez bude by byl byla bylo být co což další do ho i já jak jako je jeho její jejich
        jen ještě již jsem jsi jsou k kde kdo kdy která které který má mám mě mi můj moje na nad ne nebo nejsou není
        o od on po pod podle pro proč proto před při s se si tak také tam ten to tohle tu už v ve však z za že""",
    "turkish": """acaba ama ancak bana bazı belki ben benim bir biz bu çok çünkü da daha de değil diye en gibi hem
        hep her hiç için ile ise kadar ki kim mi mı mu mü nasıl ne neden nerede o olan olarak oldu onlar onu sana
        sen şey şu var ve veya ya yok""",
    "hungarian": """a az azt azonban be csak de egy el én ez ezt és hanem hogy hogyan hol igen is itt ki kell lesz
        meg mert mi mikor milyen mint most nagyon nem nekem ő ők ott össze pedig s sem szerint te tud után vagy van
        volt vannak""",
    "romanian": """a acest această aceasta ai al ale am ar are as așa au avea ca că cand când care ce cea cei cel
        cine cu cum da dar de deci din doar după ea ei el este eu fi foarte fost iar îl îmi în la le lui mai mea meu
        mi nu o pe pentru prin sa să sau se si și sunt te tu un una unde unei va vă""",
    "indonesian": """ada adalah akan aku anda apa atau bagaimana bahwa banyak bisa dalam dan dari dengan di dia
        harus ingin ini itu jika juga kamu kami kapan karena ke kenapa kita mereka mengapa nya oleh orang pada saat
        saja sangat saya sebagai sebuah sudah telah tentang tidak untuk yang""",
}

# Words of everyday chat that show the language without being function words: they vote, but keep their weight. The
# English ones hold those that are function words elsewhere (war, die, son), so that neither side wins by them alone.
CHAT_WORDS: dict[str, str] = {
    "english": """yes yeah hi hey hello thanks thank please sorry sure okay great good nice really wow cool awesome
        amazing love loved know think want need like going get got make made new last next today tomorrow yesterday
        tonight week year day time work home family friend friends way lot been did well see look looking feel
        feeling hope much many war hat man die son con era come sin los pour mes sur pan sale real red rock kind bad
        not van pas sort since still even never always ever back one two first""",
    "german": """hallo danke bitte gut heute morgen gestern gern gerne schön jahr woche tag zeit mag möchte heißt
        guten""",
    "french": """bonjour merci oui non salut aujourd'hui demain hier bon bonne année semaine jour aime veux
        voudrais""",
    "spanish": """hola gracias hoy mañana ayer bueno buena buenos año semana día gusta quiero cuánto favor""",
    "italian": """ciao grazie sì oggi domani ieri buono buona buongiorno anno settimana giorno piace voglio vorrei""",
    "portuguese": """olá obrigado obrigada sim hoje amanhã ontem bom boa ano semana dia gosto quero""",
    "dutch": """hallo dank bedankt alstublieft goed vandaag morgen gisteren graag mooi jaar week dag tijd""",
}

# Endings of content words that few other languages have; they vote when a text has no function words.
ENDINGS: dict[str, str] = {
    "german": "ungen ung keit keiten heit schaft lich isch chen",
    "french": "eaux eux euse ités ité iques ique aire ées",
    "spanish": "ción ciones dad dades miento mientos illo illa ando iendo ito ita",
    "italian": "zione zioni mento menti tà aggio eria ezza",
    "portuguese": "ção ções dade dades mento agem ões inho inha",
    "dutch": "heid heden ijk ijke tje tjes ingen",
    "english": "ing ings tion tions ness ful ly ship ted ed ght",
}

# Letters that give a language away on sight.
LETTERS: dict[str, str] = {
    "german": "ßäöü", "french": "çœêèëùûîïâ", "spanish": "ñ¿¡", "portuguese": "ãõ", "italian": "ìòù", "swedish": "åäö",
    "danish": "øæå", "norwegian": "øæå", "finnish": "äö", "polish": "łąęśźżćń", "czech": "řůěčšž", "turkish": "ığşç",
    "hungarian": "őű", "romanian": "ățșţş",
}  # fmt: skip

# English forms that stemming does not bring to their base, one base a line of its forms.
ENGLISH_IRREGULAR = """
bear bore born, beat beaten, become became, begin began begun, bend bent, bind bound, bite bit bitten, bleed bled,
blow blew blown, break broke broken, bring brought, build built, burn burnt, buy bought, catch caught,
choose chose chosen, come came, creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt, drink drank drunk,
drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought, find found, flee fled,
fly flew flown, forget forgot forgotten, forgive forgave forgiven, freeze froze frozen, get got gotten,
give gave given, go went gone goes, grow grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept,
know knew known, lay laid, lead led, leap leapt, learn learnt, lend lent, lose lost, make made, mean meant, meet met,
mistake mistook mistaken, pay paid, prove proven, ride rode ridden, ring rang rung, rise rose risen, run ran,
say said, see saw seen, seek sought, sell sold, send sent, shake shook shaken, shine shone, shoot shot,
show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep slept, slide slid,
speak spoke spoken, spend spent, spin spun, stand stood, steal stole stolen, stick stuck, strike struck,
swear swore sworn, sweep swept, swim swam swum, swing swung, take took taken, teach taught, tear tore torn,
tell told, think thought, throw threw thrown, understand understood, wake woke woken, wear wore worn,
weave wove woven, weep wept, win won, write wrote written, child children, man men, woman women, person people,
foot feet, tooth teeth, mouse mice, goose geese, wife wives, life lives, knife knives, leaf leaves, half halves,
shelf shelves, wolf wolves, thief thieves, good better best, bad worse worst
"""

# Characters that carry grammar rather than meaning in Chinese and Japanese.
CJK_FUNCTION = frozenset(
    "的了是在有和就都而及与着我你您他她它们这那哪吗呢吧啊呀么什怎"
    "个不很也上为把被给跟对从到会要说去过得地之以"
    "はがをにでとのもへやかねよなしてたますいるだっこそあう"
)
