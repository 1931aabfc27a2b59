"""Japanese: a small table; the predicate comes last, the topic is marked by は."""

from __future__ import annotations

from typing import Final

from retentive.statement.model import Frame, Grammar

_END: Final = r"(?:です|だ|である|でした|なんです)?(?:よ|ね)?"

FRAMES: Final = (
    Frame("fix", "", r"(?P<it>それは)?{v}(?:です|だ)?"),
    Frame("one", "name to use", r"(?:私を|私のことは)?{v}(?:と|って)呼んで(?:ください|ほしい)?"),
    Frame("language", "reply", r"{v}で(?:答えて|返事して|返信して|話して|書いて)(?:ください)?"),
    Frame("noun", "", r"(?:(?P<s>[^、。\s]{1,10}?)の)?(?P<a>(?:一番|いちばん)?好きな[^、。はが]{1,12}?)(?:は|が){v}" + _END),
    Frame("noun", "", r"(?P<s>[^、。\s]{1,10}?)の(?P<a>[^、。はが]{1,14}?)は{v}" + _END),
    Frame("noun", "", r"(?P<a>名前|年齢|誕生日|住所|電話番号|メールアドレス|仕事|職業|出身)は{v}" + _END),
    Frame("one", "home", r"{s}{v}(?:に|で)(?:住んで(?:います|いる|る)|暮らして(?:います|いる|る)|住む)"),
    Frame("move", "home", r"{s}(?:(?P<old>[^、。は]{1,12}?)から)?{v}(?:に|へ)(?:引っ越し(?:ました|た|をしました)|移り(?:ました)|移住し(?:ました|た))", change=True),
    Frame("one", "employer", r"{s}{v}(?:で|に)(?:働いて(?:います|いる|る)|勤めて(?:います|いる|る)|勤務して(?:います|いる))"),
    Frame("one", "employer", r"{s}{v}(?:に)(?:転職し(?:ました|た)|入社し(?:ました|た))", change=True),
    Frame("one", "employer", r"{s}{v}を(?:辞め(?:ました|た)|退職し(?:ました|た))", "ended", -1),
    Frame("one", "name", r"{s}{v}(?:と|って)(?:いいます|申します|言います)"),
    Frame("one", "age", r"{s}(?P<v>\d{1,3})[歳才](?:になりました|になった)?" + _END),
    Frame("one", "origin", r"{s}{v}(?:出身)" + _END),
    Frame("many", "allergic", r"{s}{v}アレルギー(?:があります|がある)?" + _END),
    Frame("prefer", "prefers", r"{s}(?P<old>[^、。はが]{1,14}?)より{v}(?:のほうが|の方が|が)好き" + _END),
    Frame("many", "likes", r"{s}{v}(?:が|は)?(?:大嫌い|嫌い|苦手)" + _END, "now", -1),
    Frame("many", "likes", r"{s}{v}(?:が|は)?(?:大好き|好き)" + _END),
    Frame("use", "use", r"{s}{v}を(?:使って(?:います|いる|る)|使う|使います|使用して(?:います|いる))"),
    Frame("use", "use", r"{s}(?:(?P<old>[^、。は]{1,14}?)から)?{v}に(?:乗り換え(?:ました|た)|移行し(?:ました|た)|切り替え(?:ました|た))", change=True),
    Frame("when", "when", r"{s}{moment}(?:に変更になりました|になりました)?" + _END),
    Frame("verb", "", r"{s}{v}を(?P<verb>食べ|飲み|飲ん|話し|弾き|飼って|し|読み)(?:ます|る|う|でいます|います)"),
    Frame("is", "is", r"(?P<s>[^、。\s]{1,14}?)は{v}(?:です|だ|である)"),
)  # fmt: skip

JAPANESE: Final = Grammar(
    code="ja",
    words=frozenset(),
    user=frozenset({"私", "僕", "俺", "わたし", "ぼく", "自分", "ユーザー", "私達", "私たち"}),
    pronouns=frozenset({"彼", "彼ら", "それ", "これ"}),
    determiners=r"(?:この|その|あの)",
    rewrites=(),
    lead_ins=(
        (r"(?:いいえ|いや|実は|訂正|すみません|間違えました|正しくは|やっぱり|やはり|本当は|これからは|今後は)", "correction"),
        (r"(?:ちなみに|ところで|でも|そして|覚えておいて(?:ください)?|どうか)", ""),
        (r"(?:たぶん|多分|おそらく)", "hedge"),
        (r"(?:今は|現在は?|最近は?|今)", "change"),
        (r"(?:以前は?|昔は?|前は|かつて)", "past"),
        (r"(?:また|さらに)", "additive"),
    ),
    markers=(
        (r"(?:たい(?:です|と思)|つもり|予定|かもしれ)", "plan", ""),
        (r"(?<=は)(?:以前は?|昔は?|かつて)", "past", ""),
        (r"もう(?=.{1,30}(?:ません|ない))", "ended", ""),
        (r"好きでは(?:ありません|ない)(?:です)?|好きじゃ(?:ありません|ない)(?:です)?", "negative", "好き"),
        (r"(?<=食べ|飲み|使い|話し)ません$", "negative", "ます"),
        (r"住んでい(?:ました|た)", "past", "住んでいます"),
        (r"働いてい(?:ました|た)", "past", "働いています"),
        (r"(?<=は)(?:実は|やっぱり)", "correction", ""),
        (r"(?<=は)(?:今|現在|最近)(?:は|、)?", "change", ""),
        (r"(?<=[^、。\s])も(?=(?:大好き|好き|嫌い|使って|話し|飼って))", "additive", "が"),
        (r"(?:先月|去年|昨年|今年|昨日|ずっと|まだ)", "", ""),
    ),
    reorders=((r"を(?=好き)", "が"),),
    contrasts=(r"[、,](?P<old>[^、。]{1,20}?)(?:では|じゃ)(?:ありません|ない|なく)(?:です)?$", r"(?P<old>[^、。は]{1,20}?)(?:では|じゃ)なく(?:て)?、?(?=.)"),
    contexts=(r"(?P<c>仕事では|家では|週末は|朝は|夜は|夏は|冬は)、?",),
    tails=(r"(?:です|だ)$",),
    breaks=r"[。！!]\s*|、(?:でも|しかし|そして)?(?=(?:今は|私は))",
    purpose=r"(?P<c>(?!))",
    openers=r"(?!)",
    new=r"^(?:新しい|今の)",
    favourite=r"(?:一番|いちばん)?好きな(.{1,12})",
    unplaces=r"(?:チーム|部署|プロジェクト)",
    was=frozenset(),
    became=frozenset(),
    not_verbs=frozenset(),
    frames=FRAMES,
    endings=r"(?!)",
    past_verbs=r"(?!)",
    fillers="",
    head="none",
    subject=r"(?:(?P<s>[^、。\sはも]{1,14})[はも]、?)?",
    spaced=False,
    capitals=False,
)  # fmt: skip
