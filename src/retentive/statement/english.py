"""English: the tables `parse.py` reads."""

from __future__ import annotations

from typing import Final

from retentive.statement.model import Frame, Grammar

_X: Final = (
    r"(?P<x>(?:(?:am|is|are|was|were|be|been|being|have|has|had|do|does|just|recently|only|really|very|much|always|usually|often|mostly|"
    r"mainly|generally|quite|absolutely|totally|officially|finally|got) ){0,4})"
)
_MY: Final = r"(?P<my>my|our|the user's|user's|the) "
_JOBLESS: Final = r"(?P<v>unemployed|retired|between jobs|self-employed)"
_DIET: Final = r"(?P<v>(?:strict |mostly )?(?:vegetarian|vegan|pescatarian|omnivore|carnivore|flexitarian|keto|halal|kosher|gluten-free))"
_STATUS: Final = r"(?P<v>single|married|divorced|engaged|widowed|separated|in a relationship)(?: (?:to|with|from) .{1,60})?"
_LANGUAGE: Final = r"(?:answer|reply|respond|write|talk|communicate|speak)s?(?: to me| with me| back)?(?: only)? in"

FRAMES: Final = (
    Frame("fix", "", r"(?P<it>(?:it|that|this) (?:is|was|are|should be|should have been) )?(?:on |at |in )?{v}"),
    Frame("one", "name to use", r"(?:you (?:can|should|may) )?(?:call|address) me (?:as )?(?!at |on |in |tomorrow|later|back|when|if|after){v}"),
    Frame("one", "name to use", r"{s}{x}(?:wants?|prefers?|likes?|goes|go) (?:to be called|being called|by) (?:the name )?{v}"),
    Frame("language", "reply", rf"{_LANGUAGE} {{v}}"),
    Frame("language", "reply", r"{s}(?:prefers?|wants?|likes?|expects?) (?:answers|replies|responses|communication|to be answered) in {v}"),
    Frame("language", "reply", r"speak {v}(?: to me| with me)"),
    Frame("one", "email", r"use {v} as (?:my|the) (?:main |new )?e-?mail(?: address)?"),
    Frame("one", "phone number", r"(?:reach|call|text) me (?:at|on) (?P<v>\+?[\d ()-]{5,20})"),
    Frame("one", "email", r"(?:reach|e-?mail|contact) me (?:at|on) (?P<v>\S{1,80}@\S{1,80})"),
    Frame("noun", "", rf"(?:{_MY}|(?P<s>[^,:;]{{1,50}}?)'s? )(?P<a>[^,:;]{{1,50}}?) (?P<x>(?:has |have )?(?:been )?(?:changed|changes) to|is|are|was|were|has become|became) {{v}}"),
    Frame("noun", "", r"the (?P<a>[^,:;]{1,50}?) (?:of|for) (?P<s>[^,:;]{1,50}?) (?P<x>is|are|was|were|became|(?:has )?changed to) {v}"),
    Frame("noun", "", r"(?P<a>[A-Za-z][A-Za-z -]{1,30}) ?(?P<x>:|is) {v}"),
    Frame("one", "home", r"{s}{x}(?:live|lives|living|reside|resides|residing|based|settled|settling) (?:in|at|near) {v}"),
    Frame("one", "home", r"{s}{x}(?:lived|resided) (?:in|at|near) {v}", "past"),
    Frame("move", "home", r"{s}{x}(?:moved?|moves|relocated?|relocates|moving) (?:back |over |away |house )?(?:from (?P<old>.{1,60}?) )?to {v}", change=True),
    Frame("one", "home", r"{s}{x}(?:moved out of|moved away from) {v}", "ended", -1),
    Frame("one", "employer", r"{s}{x}(?:quit|left|resigned from|retired from|laid off (?:from|by)|fired (?:from|by)) (?:(?:my|his|her|their|the) )?(?:job |position |role )?(?:at |with |from )?(?P<v>[A-Z].{0,80})", "ended", -1),
    Frame("one", "employer", r"{s}{x}(?:working|works?) (?:part-time |full-time |freelance |remotely )?(?:at|for) {v}"),
    Frame("one", "employer", r"{s}{x}worked (?:part-time |full-time )?(?:at|for) {v}", "past"),
    Frame("one", "employer", r"{s}{x}(?:employed|hired) (?:at|by) {v}"),
    Frame("one", "employer", r"{s}{x}(?:started|starts?|starting|began|begins?|got|took|accepted|landed|found|switched|changed)(?: (?:working|work|out|jobs?|jobs to|a job|a new job|my new job|a position|a new position|a role|a new role))? (?:at|with|to) (?P<v>[A-Z].{0,80})", change=True),
    Frame("one", "employer", r"{s}{x}(?:joined|joins|joining) (?P<v>[A-Z].{0,80})", change=True),
    Frame("one", "employer", rf"{{s}}{{x}}(?:now )?{_JOBLESS}", change=True),
    Frame("one", "job", r"{s}{x}(?:works?|working|employed) as (?:an? |the )?{v}"),
    Frame("one", "job", r"{s}{x}worked as (?:an? |the )?{v}", "past"),
    Frame("one", "job", r"{s}{x}(?:promoted to|appointed(?: as| to)?) (?:an? |the )?{v}", change=True),
    Frame("one", "name", r"{s}(?P<x>(?:am|is) )(?:called|named) {v}"),
    Frame("one", "age", r"{s}{x}(?:turned |turning )?(?P<v>\d{1,3})(?: years? old| yo|-years?-old| years of age)?"),
    Frame("one", "birthday", r"{s}{x}born (?:on |in )?(?P<v>.{0,40}\d.{0,20})"),
    Frame("one", "birthplace", r"{s}{x}born (?:and raised )?in {v}"),
    Frame("one", "marital status", rf"{{s}}{{x}}{_STATUS}", change=True),
    Frame("one", "diet", rf"{{s}}{{x}}(?:became |become |becoming |turned |went |going |gone |eats? |eating |on )?(?:an? )?{_DIET}(?: diet| food)?"),
    Frame("one", "timezone", r"{s}{x}in (?:the )?(?P<v>(?:[A-Z]{2,5}|[A-Z][a-z]+|GMT|UTC)[+-]?\d{0,2})(?: time ?zone)"),
    Frame("one", "timezone", r"{s}{x}in (?P<v>(?:GMT|UTC)(?:[+-]\d{1,2})?)"),
    Frame("one", "origin", r"{s}(?:(?:am|is|are) (?:originally )?|comes? )from (?P<v>[A-Z].{1,60})"),
    Frame("many", "allergic", r"{s}{x}(?:allergic|intolerant) to {v}"),
    Frame("prefer", "prefers", r"{s}{x}(?:prefers?|preferred|would rather have) {v}"),
    Frame("prefer", "prefers", r"{s}{x}(?:likes?|loves?|enjoys?) {v} (?:better|more) than (?P<old>.{1,60})"),
    Frame("many", "likes", r"{s}{x}(?:hates?|hating|dislikes?|disliking|detests?|loathes?|despises?|sick of|tired of) {v}", "now", -1),
    Frame("many", "likes", r"{s}{x}(?:likes?|liking|loves?|loving|enjoys?|enjoying|adores?|into|fond of|keen on|(?:an? )?(?:big |huge |great )?fan of|started liking|started to like|started to enjoy) {v}"),
    Frame("many", "likes", r"{s}{x}(?:liked|loved|enjoyed|adored) {v}", "past"),
    Frame("many", "likes", r"{s}{x}(?:hated|disliked|detested) {v}", "past", -1),
    Frame("use", "use", r"{s}{x}(?:switch(?:ed|es)?|switching|migrat(?:ed|es?)|migrating|moved|moves|moving|changed|changes)(?: over)? (?:from (?P<old>.{1,60}?) )?to (?:using )?{v}", change=True),
    Frame("use", "use", r"{s}{x}(?:replaced?|replaces|replacing|swapped) (?P<old>.{1,60}?) (?:with|by|for) {v}", change=True),
    Frame("use", "use", r"{s}{x}(?:uses?|using|runs? on|running on|relies on|built (?:with|on)|written in) {v}"),
    Frame("use", "use", r"{s}{x}used {v}", "past"),
    Frame("unsure", "job", r"{s}(?P<x>(?:am|is|are|was|has become|have become|became) )(?:the |an? )?(?P<v>{profession})"),
    Frame("when", "when", r"{s}(?:(?:is|are|has been|have been|was|gets?|got) )?(?:moved|rescheduled|postponed|pushed|shifted|scheduled|set|planned)?(?: back)?(?:from (?P<old>.{1,30}?) )? ?(?:to|for|on|at|until)? {moment}"),
    Frame("when", "", r"{s}(?P<verb>starts?|begins?|leaves?|departs?|arrives?|ends?|opens?|closes?|happens?|takes place) (?:on|at|in)? ?{moment}"),
    Frame("count", "", r"{s}{x}(?:have|has|own|owns|got) (?P<n>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten) (?P<a>[a-z][a-z -]{1,30})"),
    Frame("is", "is", r"{s}(?P<x>(?:am|is|are|was|were|has become|have become|became|become) )(?:an? |the )?{v}"),
    Frame("verb", "", r"(?P<s>i|we|the user|user|he|she|they|it) {x}(?P<verb>[a-z]{2,20})(?: {v})?"),
    Frame("verb", "", r"{name}{x}(?P<verb>(?-i:[A-Za-z][a-z]{1,19}s))(?: {v})?"),
    Frame("verb", "wants", r"(?P<verb>use|write|keep|add|include|avoid|show|give|send|put|run|start|end|make|explain|format|sign|mention|ask|remind|check|commit|push|deploy|test) {v}"),
)  # fmt: skip

ENGLISH: Final = Grammar(
    code="en",
    words=frozenset(
        "i my the is am are was user's user in at to and not no for of do does don't it's i'm with as like likes love hate prefers prefer "
        "lives works moved use uses from now please call answer".split()
    ),
    user=frozenset({"i", "me", "we", "us", "user", "the user", "you", "our team", "my team"}),
    pronouns=frozenset({"he", "she", "they", "it", "that", "this", "someone"}),
    determiners=r"(?:the user's|user's|my|our|the|an|a|this|that|some|any)",
    rewrites=(
        (r"\bi'm\b", "I am"),
        (r"\b(i|we|you|they)'ve\b", r"\1 have"),
        (r"\b(i|we|you|they|he|she|it)'ll\b", r"\1 will"),
        (r"\b(i|we|you|they|he|she)'d\b", r"\1 would"),
        (r"\b(we|you|they)'re\b", r"\1 are"),
        (r"\bwon't\b", "will not"),
        (r"\b(?:can't|cannot)\b", "can not"),
        (r"\b(\w{2,8})n't\b", r"\1 not"),
        (r"\b(?:can|could) not (?:stand|bear)\b", "hate"),
        (r"\b(it|that|he|she|here|there)'s\b", r"\1 is"),
        (r"^((?:my|our) \w{1,20})'s (?!.{1,60} (?:is|are|was|were|has) )(?=\S)", r"\1 is "),
        (r"^([A-Z]\w{1,20})'s (?=(?:an?|the|now|not|no longer|in|at|\w{2,15}ing) )", r"\1 is "),
        (r"\bwould (?:rather|prefer)\b(?! to)", "prefer"),
        (r"\b(?:i|the user|user) (?:would like|wants?|needs?|would prefer|prefers?) you to\b", "please"),
        (r"\bno longer (?:am|is|are)\b", "am no longer"),
        (r"\bwould like to be called\b", "wants to be called"),
    ),
    lead_ins=(
        (r"(?:no(?=[,.;:!])|nope|sorry|oops|wait|actually|correction|scratch that|in fact|my mistake|my bad|i meant(?: to say)?|i mean|to clarify|update|"
         r"that is (?:wrong|not right|not correct|incorrect|outdated)|you (?:got|have) (?:that|it) wrong|(?:it )?turns out(?: that)?|as it turns out|"
         r"i was wrong|i misspoke|let me correct (?:that|myself))\b", "correction"),
        (r"(?:from now on|from today(?: on)?|starting (?:today|now)|going forward|as of (?:today|now|\w{3,9})|effective immediately)\b", "correction"),
        (r"(?:by the way|btw|fyi|just so you know|for the record|(?:please )?(?:remember|note|keep in mind)(?: that)?|i think|i believe|i guess|well|oh|ok|okay|hey|"
         r"hi|so|and|but|just|please|yes|yeah|thanks|(?:the )?user (?:said|says|mentioned|stated|told me|noted|reports?)(?: that)?|as i said|honestly|"
         r"always|make sure (?:to|you)|that|then|you should|you can)\b", ""),
        (r"(?:maybe|perhaps|probably|possibly|not sure,? but)\b", "hedge"),
        (r"(?:now|nowadays|currently|these days|today|at the moment|since (?:last )?\w{3,12}(?: \d{4})?|as of \w{3,9}(?: \d{4})?|(?:last|this) (?:week|month|year|summer|winter|spring|fall|autumn))\b", "change"),
        (r"(?:in the past|back then|back in (?:the day|\d{4})|previously|formerly|years ago|when i was (?:a |an )?(?:kid|child|young|younger|little|student|teenager|at \w+)|as a (?:kid|child|student|teenager)|(?:in|until|till|before) \d{4})\b", "past"),
        (r"(?:also|additionally|besides|in addition|on top of that|plus)\b", "additive"),
    ),
    markers=(
        (r"\b(?:am|is|are|was|were) (?:also )?going to (?=[a-z])|\b(?:want|wants|wanted|plan|plans|planned|planning|hope|hopes|hoping|would like|would love|intend|intends|need|needs) to (?!be called)|\b(?:might|may|could|will|would|should)(?! 20)(?! not)(?= )|\b(?:am |is |are )?(?:thinking (?:of|about)|considering|consider|considers)\b|^if ", "plan", ""),
        (r"(?<!am )(?<!is )(?<!are )(?<!get )\bused to be\b", "past", "is"),
        (r"(?<!am )(?<!is )(?<!are )(?<!get )(?:\bdid not use to|\bnever used to)\b", "past", "not"),
        (r"(?<!am )(?<!is )(?<!are )(?<!get )\bused to (?=[a-z])", "past", " "),
        (r"\b(?:formerly|previously|once upon a time|in the past|back then|as a (?:kid|child|student)|when i was (?:a |an )?(?:kid|child|young|younger|little|student|teenager))\b", "past", " "),
        (r"\b(?:any ?more|any longer|no longer|no more)\b", "ended", " "),
        (r"\b(?:stopped|quit|gave up|given up|have given up|has given up) (?=[a-z]{2,20}ing\b)", "ended", " "),
        (r"\b(?:from now on|from today(?: on)?|starting (?:today|now)|going forward|actually|(?:it )?turns out(?: that)?|instead$)\b", "correction", " "),
        (r"\b(?:also|additionally|too$|as well$|too(?=[.,])|in addition)\b", "additive", " "),
        (r"\b(?:another|a second)\b", "additive", "a"),
        (r"\b(?:now|nowadays|currently|these days|at the moment|at present|as of today|recently|just)\b", "change", " "),
        (r"\b(?:still|already|please)\b", "", " "),
        (r"\b(?:do|does|did) not\b|\bdo never\b", "negative", " "),
        (r"\b(?:can|could) not (?=\w)", "negative", "can "),
        (r"\bnot (?!only\b)(?=\S)|\bnever\b|^avoid (?=\w)|^stop (?=\w+ing)", "negative", " "),
        (r"\b(have|has|eat|eats|drink|drinks|own|owns|want|wants|like|likes|use|uses) (?:no|zero)\b", "negative", r"\1"),
        (r"\b(?:maybe|perhaps|probably|possibly)\b", "hedge", " "),
    ),
    reorders=(),
    contrasts=(
        r"(?:, ?(?:and |but )?| and | but )not (?:on |in |at |the |an? )?(?P<old>[^,;]{1,60}?)(?: any ?more)?$",
        r",? (?:instead of|rather than|as opposed to|in place of) (?:on |in |at |the |an? )?(?P<old>[^,;]{1,60}?)$",
        r"\bnot (?:on |in |at |the |an? )?(?P<old>[^,;]{1,60}?),? but (?:rather )?(?=\S)",
        r"(?<= )over (?P<old>[^,;]{1,60}?)$",
    ),
    contexts=(
        r"(?:^|(?<= ))(?P<c>(?:at|for) (?:work|home|the office|school|night|breakfast|lunch|dinner|uni|university|personal (?:use|projects))|on (?:weekends|weekdays|workdays|vacation|holidays|my (?:phone|laptop|desktop|tablet|mac|pc))|"
        r"in (?:summer|winter|spring|autumn|fall|the (?:morning|evening|afternoon|mornings|evenings|summer|winter|office|car|editor|terminal)|emails?|meetings|chats?|code|documentation))(?=$|,? )",
        r"(?<= )(?P<c>(?:when|while|whenever|during|unless) [^,;]{1,60})$",
        r"^(?P<c>(?:when|while|whenever|during|in|for|on) [^,;]{1,40}), ",
    ),
    tails=(
        r",? (?:since|starting|as of|until) .{1,30}$",
        r",? (?:last|this|next) (?:week|month|year|summer|winter|spring|autumn|fall|night|time)$",
        r",? (?:for|over) (?:the (?:last|past) )?(?:about |over |nearly |almost )?(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|many|several|some|(?:a )?few|a couple of) (?:days?|weeks?|months?|years?)(?: now)?$",
        r",? (?:in|back in) (?:january|february|march|april|may|june|july|august|september|october|november|december|(?:19|20)\d\d)(?: (?:19|20)\d\d)?$",
        r",? (?:\w{1,10} )?(?:days?|weeks?|months?|years?) ago$",
        r",? (?:yesterday|today|recently|a lot|very much|so much|at all|these days|of course|thanks|thank you|again|please|with my \w{2,15}|though)$",
    ),
    breaks=r"(?<=(?-i:[a-z0-9)]{2}))(?<!prof)(?<!mrs)(?<!etc)[.!;]+\s+(?=\S)|;\s+|,? but (?=(?:now |then )?(?:i|my|he|she|we|it)\b)|,? and (?=(?:i|my|he|she|we)\b|(?:(?:now|also|have|has) )?(?:works?|lives?|moved|joined|started|likes?|loves?|hates?|prefers?|uses?|owns?|speaks?|plays?) )",
    purpose=r" (?P<c>(?:for|in|on|as|when|with) (?!over\b)[^,;]{1,60})$",
    new=r"^(?:brand )?(?:new|current) ",
    favourite=r"(?:all-time |absolute )?(?:favou?rite|fave) (.{1,40})",
    unplaces=r"\b(?:team|department|role|position|group|project|squad|diet|plan|version|schedule|mode|bed|using)\b",
    was=frozenset({"was", "were", "had"}),
    became=frozenset({"became", "become", "changed", "changes"}),
    not_verbs=frozenset("am is are was were be been has does this its always yes us think know mean said says thanks can let going".split()),
    frames=FRAMES,
    endings="",
    past_verbs=r"(?<!^ne)ed$",
    fillers=_X,
    head="last",
)  # fmt: skip
