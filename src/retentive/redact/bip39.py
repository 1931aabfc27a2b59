"""The English word list of BIP-39 (Bitcoin Improvement Proposal 39), by the first four letters of each word.

The list is made so that four letters tell its 2,048 words apart, so they are all that is kept: in groups of a common
beginning of two letters, then two letters a word, a dot where the word has three letters.
"""

from __future__ import annotations

from functools import cache
from typing import Final

_GROUPS: Final = """
abanilleouovsesostsuus accecicocuhiidouqurot.titotrtu adapd.didrjumiulvavi aero affafora agaie.enre ahea
aim.r.rpsl alarbucoeriel.lelomoonphresotewa amatazonouus analchcigeglgrimklnonuotswtetixiy. aparolpeplprri
archcteaengum.memomyourarerirot.tetitw ask.pesasesisuth athlomtatetitr auctdiguntthtotu averocoi awakarayesfukw
axis babychcodgg.lalcllmbnannr.rergrrsesisktt beacanaucacoeffogihahililoltncnesttrtttwyo bicyd.kendolrdrttt
blacadamanaseaesinooosouueurus boaratdyilmbnenuokosrdrirrssttunx.y. bracaianasaveaeeicidieiginisocokonoootowus
bubbdddgffillblkllndnkrdrgrss.sisyttyezz
cabbbiblctgekelllmmempn.nancndnnnonvnypapiptr.rbrdrgrprrrtseshsistsut.tatctettugusutve ceillemensntrert
chaialamanaoaparasateaeceeeferesicieilimoiooroucunur cigannrctityvi
claiaparawayeaerevicieifiminipocogosotouowubumusut
coacascodeffilinlllolumbmemfmimmmpncndnfngnnnsntnvokolpppyrarernrrstttucunupurusveyo
cracadafamanasatawazeaedeeewicimisitoposouowucueuiumunusy.ys cubeltp.pbrirrrtrvshstte cycl
dad.mampncngrishugwny. dealbabrcaceciclcocrerfefifygrlalimaminintnypapepoptpuriscsesiskspsttatevevivo
diagalamarceesetffgignlennnorertsascseshsmsospstvevivozz doctcug.lllpmananknoorseubve
drafagamasaweaesifilinipivopumy. duckmbneristtcty dwar dyna eageglrlrnrtsistsy echoolon edgeituc effo egg.
eighth elbodeecegemepevitse embabobrerotplpopt enabacd.dldoemerfogagihajoliourirosutetitrve epis equaui
era.asodosroup escasaseta eterhi evidilokol exacamcechciclcuecerhahiilisitotpapepiplpoprtetr eye.eb
fabrcecudeinitlllsmemimon.ncntrmsht.tathtiulvo featbrdee.edelmancsttcvew.
fibectelgulelmltnandnengnirermrsscsht.tnx. flagamasataveeigipoaocooowuiusy.
foamcug.illdllodotrcrergrkrtrurwssstunx. fragameqesieinogonosowozui fueln.nnrnrytu
gadginlallmep.rarbrdrlrms.sptethugze geneninrntnust ghos gianftggngrarlve gladanarasidimobooorovowue
goatddldodosrispssvewn grabacaianapasaveaeeidieitocouowun guaresidilitn. gym. habiirlfmmmsndpprbrdrsrvt.vewkza
headalaravdgiglllmlpn.ro hiddghllntp.rest hobbckldlelillmeneodpernrrrsspstteurve hub.gemambmondngntrdrrrtsb hybr
ice.on ideaenle igno ill.leln imagitmemupapoprpu
inchclcocrdedidodufaflfohaheitjejumanenopuqusasesispsttatetovevivo iron islaolsu item ivor jackgur.zz jealanllwe
job.inkeury. judgicmpngninkst kang keeneptcy. kickd.dnndngsst.tctettwi kneeifocow
lab.bebodddykempngptrgtetiugunvaw.wnwsyezy leadafaravctftg.gageismondngnsopssttve
liarbebrcefeftghkembminkonqustttveza loadanbscackginengopttudunveya luckggmbnancxu lyri
machd.gignidilinjokemmn.nandngnsnuplrbrcrgrirkrrsksssttctethtrttxize
meadanasatchdadiloltmbmontnurcrgrirrshsstath midddnlkllmindninonurarrsessstx.xext
mobidedim.meninknsntonrarernsqthtitounusvevi muchffleltscseshsisttu mysestth naivmepkrrsttitu
nearckedgaglitphrvstt.twutvewsxt nicegh noblismiodrmrtsetatethtivew. nuclmbrst. oak. obeyjeliscsetavi occueato
odor off.fefite oil. okay old.ivym omit oncee.iolily openerinpoti oranbichdedigaieigph ostr othe outdtetpts
ovalener own.ne oxyg oyst ozon pactddgeirlalmndnenintperarerkrrrtsstcthtitrttusveym
peacanaraslin.nancoppprfrmrst. phonotrays piancnctecg.gelllonkonpesttczz placanasatayeaeducugun
poemetinlalelindnyolpurtsisssttattvewdwe pracaiedefepesetevicidiminioisivizobocodofogojomoooposotouov
publddlllplsmpncpipprcrirprssht.zz pyra qualanaresicitizot rabbccceckdadiilinisllmpncndngpiretethvew.zo
readalasbebucacecicocyduflfofugigrgujelalelilymamemimondnentoppapeplpoquscsesisospsutitrtuunveviwa rhyt
rib.bbcechdedgflghgingotppsktuvave roadasbobuckmaofokomsetaugunutya rubbdeg.len.nwra
sad.dddnfeillalmloltlumempndtitoucusvey. scalanaratenhehoieisorourareriru
sea.arasatcocrctcuedekgmlellmininsntrirvsstttuve shadafalaredelerieifinipivocoeoooporouovriruufy.
siblckdeegghgnlelklllvmimpncngresttux.ze skateti.ilinirul slabameeenicidigimogotowus smalarilokoo snacakapifow
soapcccickdaftlaldlilulvmengonrrrtulunupurut spacarataweaeceeelenheicidikinirlioionooorotrareriy. squaueui
stabadafagaiamanaratayeaeeemepericilinocomonooorovrareriroruudufumyl
subjbmbwccchddffgaggitmmn.nnnspeppprrerfrgrprrrvspst swalamapareaeeifiminitor symbmprust
tablckg.illelknkpergskstttxi teacamlln.nannntrmstxt thanatemeneoereyinisoureriroumun tickdegeltmbmenyp.resstl
toasbadadde.geilkemamonengniolotp.pipprcrnrtsstaurwawewny.
tracadafagaianapasavayeaeeeniaibicigimipopouucueulumusuty. tubeitmbnannrkrnrt tweleniciniso. typepi ugly umbr
unabawclcodedofafohaifiqitivknlotiusve updagrhoonpese urbage usage.edefelua util vacacugulilllvn.niporistul
vehilvndntnurbrirsrysste viabbrcictdeewllntolrtrusasisutavi vocaicidlcluteya wagegoitlklllnntrfrmrrshspsttevey.
wealaparasatb.ddekirlcstt. whalateaeeeneripis widedtfeldlln.ndnengnknnntresdseshtn wolfmandodolrdrkrlrrrt
wrapecesisiton yard yearll you.unut zebrro zoneo.
"""


@cache
def beginnings() -> frozenset[str]:
    """The first four letters (three of a word of three) of every word of the list.

    >>> len(beginnings()), "aban" in beginnings(), "zoo" in beginnings()
    (2048, True, True)
    """
    return frozenset(
        group[:2] + group[i : i + 2].rstrip(".") for group in _GROUPS.split() for i in range(2, len(group), 2)
    )


def is_listed(word: str) -> bool:
    """True when a lower-case word of three to eight letters begins like one of the list."""
    return 3 <= len(word) <= 8 and word[:4] in beginnings()
