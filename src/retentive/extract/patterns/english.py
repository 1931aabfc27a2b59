"""English: the table the rule extractor reads."""

from __future__ import annotations

from typing import Final

from retentive.extract.patterns.model import Frame, Language, Persons

_ADV: Final = (
    r"(?:(?:no longer|also|always|really|absolutely|still|just|recently|finally|even|actually|usually|often|sometimes|mostly|mainly|currently|"
    r"never|definitely|totally|kinda|kind of|sort of|pretty much|already|only|now|normally|generally|typically|rarely|truly|"
    r"especially|particularly|personally|honestly|simply|probably|so|lately|officially|first|once|both|all|did|do|\w{3,12}ly) ){0,3}"
)
_I: Final = rf"\b(?:I|we) {_ADV}"
_IM: Final = rf"\b(?:I'm|I am|we're|we are) {_ADV}"
_IVE: Final = rf"\b(?:I've|I have|we've|we have|I'd|I had) (?:been )?{_ADV}"
_IRREGULAR: Final = (
    "went got had made took saw found came gave told left kept began brought bought built caught chose did drew drove ate fell flew "
    "forgot grew heard held knew led lost met paid ran sang sat slept spoke spent stood swam taught thought threw wore won wrote "
    "broke rode woke drank became felt sold sent hung hurt hit beat cut put set read quit shot stuck swore tore fought dealt dug slid "
    "bit bent bid crept fed fled hid knit laid let lit meant overcame rang rose sought shook shone sank spun spread stole struck swept swung undertook wound"
)
_PAST: Final = (
    rf"(?:(?!need\b|feed\b|speed\b|bleed\b|indeed\b|(?:pro|suc|ex)ceed\b)\w{{2,14}}ed|{_IRREGULAR.replace(' ', '|')})"
)
_PEOPLE: Final = (
    r"(?:wife|husband|partner|spouse|fianc[eé]e?|girlfriend|boyfriend|mother|father|mom|mum|mama|dad|daddy|parents?|brothers?|sisters?|siblings?|"
    r"sons?|daughters?|kids?|child(?:ren)?|baby|twins|toddler|grand(?:ma|pa|mother|father|parents|mom|dad|son|daughter|kids)|granny|"
    r"aunt|uncle|cousins?|nieces?|nephews?|family|in-laws|step(?:mom|dad|mother|father|son|daughter|brother|sister)|ex(?:-\w+)?|friends?|bestie|buddy|"
    r"roommates?|flatmates?|neighbou?rs?|boss|manager|colleagues?|coworkers?|co-workers?|mentor|coach|teacher|therapist|doctor|team|teammates?|students?|"
    r"clients?|dogs?|cats?|pup(?:py|pies)?|kitten|pets?|turtles?|horse|fur babies|guinea pigs?|hamster|rabbit|parrot)"
)
_THING: Final = (
    r"(?:car|house|home|apartment|flat|place|garden|bike|phone|laptop|job|company|business|startup|studio|store|shop|book|novel|script|screenplay|"
    r"thesis|paper|project|app|website|blog|channel|band|degree|career|major|hometown|home country|birthday|wedding|anniversary|"
    r"vacation|trip|favou?rite|hobby|hobbies|passion|goal|goals|dream|plan|plans|diet|budget|deadline|exam|appointment|interview|surgery|health|"
    r"background|roots|culture|religion|faith|allergy|allergies|routine|schedule|collection)"
)
_TIME: Final = (
    r"(?:yesterday|today|tonight|tomorrow|last (?:night|week\w*|month|year|summer|winter|spring|fall|\w+day)|next (?:week\w*|month|year|summer|\w+day)|"
    r"this (?:morning|afternoon|evening|week\w*|month|year|summer|\w+day)|\w+ (?:days?|weeks?|months?|years?) ago|\d+ (?:days?|weeks?|months?|years?)|since|"
    r"(?:in|on|by|until) (?:january|february|march|april|may|june|july|august|september|october|november|december|\d{4}|\w+day)|years?|weekends?|recently|lately)"
)

FRAMES: Final = (
    Frame("decision", 0.7, r"\b(?:I|we)(?:'ve| have)? (?:just |recently |finally )?(?:switched|migrated|moved|ported|converted) (?!to\b|from\b|back\b|in\b|out\b|on\b)[\w' -]{2,40} from .{2,40} to \w"),
    Frame("preference", 0.7, r"\b(?:I|I'm|I am|we|we're) (?:now |also |finally )?(?:eat|eating|drink|drinking|smoke|smoking|having|use|using|wear|wearing|play|playing)\b .{2,60}\bagain\b"),
    # what ended: "I'm not vegan anymore" takes a fact's place, so it may not be missed
    Frame("correction", 0.7, r"\b(?:I|we|I'm|we're)\b[^.!?]{0,60}(?:n't|\bnot)\b[^.!?]{1,60}\b(?:any ?more|any longer)\b", 0.85),
    Frame("correction", 0.7, r"\b(?:I|we|I've|we've) (?:have )?(?:stopped|quit|given up|gave up) \w+", 0.85),
    Frame("identity", 0.85, r"\bmy (?:full |first |last )?name(?:'s| is)|\bcall me (?-i:[A-Z])|\bI(?:'m| am) (?:called|named)|\bI go by|\bmy pronouns|\bmy birthday|\bI was born|\bI(?:'m| am) (?:(?-i:[A-Z])\w+, )?\d{1,2}(?: years|\b(?! (?:minutes|hours|days|weeks|percent)))|\bI(?:'ll| will|'ve| have)?(?: just)? turn(?:ed|ing)? \d{2}\b", 0.9),
    Frame("identity", 0.8, rf"(?<!where )(?<!when ){_I}(?:live|lived|grew up|moved|relocated|reside|settled|come from|emigrated|immigrated)\b(?! on\b)|{_IM}(?:from|living in|based in|moving to|originally|relocating)\b|\bmy (?:hometown|home country|home town|roots|heritage|native)\b|{_IVE}(?:lived|moved)\b", 0.85),
    Frame("identity", 0.8, rf"(?<!where )(?<!when )(?<!what ){_I}(?:work|study|teach|volunteer|major|majored|run|manage|own|founded|co-founded|freelance|coach|serve)\b(?! out| hard| together| well| for (?:it|that))|{_IM}(?:working (?:as|at|for|in)|studying|teaching|volunteering|employed|retired|unemployed|self-employed|enrolled)|\bmy (?:job|profession|occupation|career|employer|company|role|business|startup|position|workplace|pronouns|salary|degree|major|nationality|religion|faith)\b", 0.8),
    Frame("identity", 0.7, rf"{_IM}(?:a|an|the) (?!(?:bit|little|lot|few|huge|big|total|complete)\b)(?:\w+[ -]){{0,3}}\w+|\bas an? (?!(?:result|matter|side|bonus|treat|reminder|way|gift)\b)\w+,? I\b|{_I}identify as|\b(?:I've|I have|I'd) been {_ADV}(?:an?|the) \w+", 0.7),
    Frame("identity", 0.8, rf"{_I}(?:have|got|suffer|struggle|was diagnosed|were diagnosed|take|broke|injured|hurt|tore|sprained|had)\b.{{0,40}}\b(?:allerg\w+|asthma|diabetes|adhd|autism|anxiety|depression|migraines?|surgery|arthritis|celiac|medication|insulin|injur\w+|ankle|knee|arm|leg|wrist|back|disorder|disease|condition|syndrome|cancer|gastritis)|\ballergic\b|\bintolerant\b|{_IM}(?:a )?(?:vegan|vegetarian|pescatarian|pregnant|diabetic|sober|deaf|blind|colou?rblind|left-handed|dyslexic|kosher|halal|gluten)|\bdiagnosed with\b|\b(?:don't|can't|cannot|not) (?:eat|drink|tolerate)\b|\bmy (?:health|allerg\w+|condition|diet|doctor|therapist|blood|injury|recovery)\b", 0.8),
    Frame("relationship", 0.7, rf"\b(?:my|our) (?:\w+ ){{0,2}}{_PEOPLE}\b(?! (?:and I |or I )?(?:agree|too)\b)|\bI(?:'m| am) (?:married|engaged|divorced|single|dating|seeing|widowed|separated|expecting|a (?:single )?(?:mom|mum|dad|mother|father|parent))|{_I}(?:got|was|were|getting) (?:married|engaged|divorced)|{_I}(?:broke up|married|adopted|met)\b|{_I}(?:have|had|got) (?:a|an|one|two|three|four|five|\d) (?:\w+ ){{0,2}}{_PEOPLE}\b", 0.7),
    Frame("preference", 0.7, rf"\bmy (?:\w+[ -]){{0,2}}(?:favou?rite|fave|go-to|preferred)|{_I}(?:love|like|enjoy|adore|hate|dislike|prefer|loathe|detest|despise|crave|favor|favour|avoid)(?:d)?\b(?! (?:you|your|how you|that you|it when you|to (?:hear|see|know|chat|help you))\b)|{_I}(?:can't|cannot|couldn't) stand\b|{_IM}(?:into|fond of|keen on|crazy about|obsessed with|passionate about|interested in|hooked on|a (?:\w+ )?(?:fan|lover|enthusiast|sucker|fanatic|buff)|not (?:a fan|into|keen|fond)|more of|partial to|drawn to|averse to|picky|sensitive to|tired of|sick of)|\bI'd (?:rather|prefer)\b|\bI would (?:rather|prefer)\b|\b(?:is|are) (?:my|our) (?:\w+ )?(?:favou?rites?|thing|hobb\w+|picks?|choice|passion|go-to|jam|happy place|escape|therapy)|{_IVE}(?:loved|enjoyed|liked|preferred|hated|fascinated|into|a fan|a huge fan|passionate|interested)\b|\bI (?:have|had|feel|developed) (?:a |an |no )?(?:\w+ ){{0,2}}(?:aversion|preference|passion|fear|love|interest|dislike|phobia|weakness|soft spot|sweet tooth)\b|{_I}(?:find|found) .{{3,60}} (?:boring|annoying|relaxing|calming|stressful|distracting|unpleasant|overwhelming|uncomfortable)|\bI (?:need|want) (?:my )?.{{2,40}} to be\b", 0.75),
    Frame("preference", 0.6, r"\bI (?:usually|always|often|never|typically|generally|rarely|normally|regularly|tend to|try to|make sure to|like to|love to|prefer to|only)\b (?!been\b|had\b|thought\b|knew\b|imagined\b)|\b(?:every|each) (?:day|morning|night|evening|week|weekend|month|year|summer|winter|\w+day)\b.{0,60}\b(?:I|we)\b|\b(?:I|we)\b.{0,80}\b(?:every|each) (?:day|morning|night|evening|week|weekend|month|year|summer|winter|\w+day)\b|\bonce or twice a\b|\b(?:once|twice|\w+ times) (?:a|per) (?:day|week|month|year)\b", 0.7),
    Frame("decision", 0.75, rf"{_I}(?:decided|chose|opted|settled on|picked|switched|agreed to|signed up|enrolled|committed|applied)\b|{_IVE}(?:decided|chosen|opted|settled on|picked|switched|signed up|enrolled|applied)\b|\b(?:I|we) made (?:up my mind|a decision|the decision)|\bmy decision\b|{_IM}going with\b|\b(?:I'll|we'll|let's) go with\b", 0.8),
    Frame("event", 0.7, rf"{_I}(?:worked|studied|taught|volunteered|managed|served|coached|graduated|won|lost|quit|got (?:promoted|hired|fired|accepted|married|engaged|divorced|injured|hurt|lost|sick|into))\b", 0.75),
    Frame("event", 0.55, rf"{_I}{_PAST}\b(?! (?:to )?(?:hear|you|what you|your)\b| (?:it|that|this)(?:[.,!]|$))", 0.75),
    Frame("event", 0.55, rf"\bmy (?:\w+ ){{1,2}}(?:just |finally |recently )?{_PAST}\b|^(?:just |finally |recently |also )?(?:got|went|had|took|made|saw|found|started|finished|met|bought|tried|visited|joined|spent)\b (?!you\b|it\b)", 0.7),
    Frame("event", 0.55, rf"{_IVE}(?:\w{{2,14}}ed|been|gone|got|gotten|made|taken|seen|found|given|left|kept|begun|brought|bought|built|done|drawn|grown|had|learnt|lost|met|read|run|set|spent|started|taught|won|written|\w{{3,14}}ing)\b(?! (?:there|thinking about (?:it|that|you))\b)", 0.7),
    Frame("event", 0.55, r"\b(?:I|we) was \w+ing\b|\bI was (?:able|a|an|in|at|on|the|offered|accepted|invited|promoted|fired|laid|hired|asked|chosen|given|selected)\b|\bI(?:'ve| have)? (?:had|got) (?:a|an|some|my|the|to)\b", 0.7),
    Frame("open_thread", 0.6, rf"{_IM}(?:going to|gonna|planning|thinking (?:of|about)|hoping|looking (?:to|into|at)|considering|trying to|preparing|getting ready|about to|applying|saving (?:up )?|scheduled|supposed to|aiming|due|set to|off to|heading|headed)\b(?! (?:forward|let|tell|miss|you)\b)|^gonna\b|{_I}(?:plan|hope|intend|want|aim|need|wanna|have) to\b(?! (?:hear|know|see|say|ask|tell|thank|chat|admit|agree|check it|you)\b)|\b(?:I'd|I would) (?:love|like) to (?!hear|know|see|chat|ask|help|say|check|join you|come)|{_IVE}(?:a|an|my) .{{0,40}}\b(?:coming up|appointment|interview|exam|meeting|trip|flight|deadline|event|show|performance|competition|tournament|gig)\b|\b(?:my|our) (?:next|upcoming) \w+|\bmy (?:goal|dream|plan|hope|ambition|aim|resolution)s?\b|\bI(?:'ll| will) be \w+ing\b|{_IVE}(?:always )?(?:dreamed|dreamt|wanted)\b|{_I}(?:dream|dreamed) of\b|\bI can't wait (?:to|for) (?!hear|see (?:it|you|how|what)|that|you|it)|\bI'm (?:so |really |super |very )?(?:excited|nervous|anxious|worried|stressed) (?:to|about|for) (?!hear|see you|you|that|it|this|what)", 0.7),
    Frame("event", 0.6, rf"{_IM}(?!going|hoping|looking|thinking|trying|wondering|kidding|saying|asking|talking|being|feeling|loving|getting (?:there|it|you)|doing (?:well|good|great|okay|fine|alright|ok)\b)\w{{3,14}}ing\b", 0.7),
    Frame("other", 0.5, rf"{_I}(?:have|own|use|drive|play|speak|cook|bake|paint|draw|write|read|run|hike|swim|dance|garden|travel|collect|practice|practise|train|go|do|make|watch|listen|eat|drink|wear|keep|start|learn|know how|want|need|ride|fish|knit|sing|perform|meditate|exercise|commute|sleep|wake|pay|spend|earn)s?\b(?! (?:what|how|that|it|you|so|to (?:say|admit|agree|know|ask))\b)|\bI've got\b|\bI(?:'m| am) (?:good|bad|great|terrible) (?:at|with)\b|\bI (?:can|can't|cannot|could never) (?!wait|believe|imagine|see why|relate|help you|tell|say|agree|stop|do (?:it|that|this))\w+", 0.65),
    Frame("other", 0.45, r"\b(?:my|our) (?:\w+ ){0,2}" + _THING + r"\b", 0.65),
    Frame("other", 0.55, rf"{_I}(?!(?:think|thought|guess|hope|know|knew|mean|see|feel|felt|wish|bet|agree|understand|get|appreciate|believe|look|wonder|can|could|will|would|should|might|must|may|am|are|was|were|do|did|don't|have|had|need|want|say|said|told|tell|just|love)\b)[a-z]{{3,12}} (?:a|an|the|my|our|no|in|at|on|for|with|from|as|\d+|two|three)\b", 0.65),
    Frame("other", 0.5, r"\b(?:my|our) (?:[\w-]+ ){1,3}(?:is|are|was|were|has|have|had|will|died|passed|moved|loves?|hates?|works?|lives?)\b(?! (?:so|very|really|full|with you)\b)", 0.65),
    Frame("other", 0.4, r"\b(?:makes?|made|making|helps?|helped|gives?|gave|keeps?|kept|inspires?|inspired|reminds?|reminded|taught|teaches|lets?|showed|shows|motivates?|drives?|allowed|means?|meant)\b (?:\w+ ){0,3}(?:me|us)\b", 0.65),
)  # fmt: skip

REFUSED: Final = (
    ("no referent", r"^(?:it|they|he|she|them|him|her|those|these|that|this)(?:'s|'re|'ll|'d|'ve)? (?:is|was|are|were|has|have|had|will|would|can|could|do|does|did|really|also|just|all|still|always|never|even|not|one|ones|kind|sort|so|totally|definitely|actually|\w+ed|\w+ly|\w+s|made|gave|kept|got|brought|took|felt|meant|taught|helped|been|some|my|a|an|the|like|about|in|for|only|how|why|what|when|where)\b|^(?:it|they|he|she)(?:'\w+)? "),
    ("hypothetical", r"^(?:if|imagine|suppose|what if|unless|should|wish) |\bif I (?:were|was|had|could|ever)\b|\bI wish\b|\bI would have\b|\bI'd have\b|\bwould be (?:nice|great|cool|amazing|awesome)|\bif you (?:could|can|would|want|need|like)\b"),
    ("talk", r"^(?:let's|let us|let me|how about|what about|why don't|feel free|keep|take care|have (?:a|fun)|good luck|enjoy|check|look at|look|guess what|tell me|show me|give me|help me|send me|remind me|you )\b|\btalk (?:to you )?(?:soon|later)\b|\bsee (?:you|ya)\b|\bcatch (?:you|ya|up)\b|\bI(?:'ll| will) (?:definitely |certainly |totally |surely |keep |also )*(?:let you|keep (?:you|that|it|going|pushing|up|on)|check|do (?:that|it|my best)|try(?:\b(?! to))|tell you|send|show|be (?:there|here|sure|back|rooting|cheering)|remember|consider|take (?:that|it|you|your)|think about|look (?:into|forward)|help|support|see you|message|text|call you|make sure|never forget|give it|get back)\b"),
    ("reaction", r"\b(?:won't|will never|not gonna|never gonna|not going to|refuse to) (?:ever )?(?:give up|quit|stop|back down|let (?:it|this|that|them|anything|anyone))\b|\b(?:gonna|going to|will|'ll|to) keep (?:on )?(?:going|pushing|believing|trying|fighting|striving|chasing|working hard|at it)\b|^(?:a lot|lots|so much|much|things?)(?:'s| has| have)? (?:happened|changed|been)|^(?:I )?(?:totally |completely |really |definitely |fully |couldn't |can't |can |do |just |also |still |truly |so )*(?:agree|understand|get it|get that|see (?:what|why|how|your|that|it)|hear you|feel you|believe (?:in )?(?:you|it|that)|bet|hope (?:you|it|that|so|things|your|we|they|everything|all)|guess|wonder|mean it|know (?:what|right|how you|you|that feeling|exactly|it's|it|how (?:hard|tough|that))|imagine|wait to (?:see|hear)|admire|relate|swear|promise|don't know|have no idea|doubt|recommend|suggest|think (?:you|that's|it's|it|so|that|they|the)|love (?:that|it|this|your|how|the)|like (?:that|your|how)|appreciate (?:it|that|you|your|the|all|how|hearing|this)|owe you|got you|am here for you)\b|\bI(?:'ve| have) (?:no (?:idea|doubt)|been (?:\w+ )?(?:doing )?(?:great|good|well|fine|ok|okay|alright|busy)(?: lately| recently| too)?[.!]*$)|\bI(?:'m| am) (?:\w+ly |so |really |very |super |always |also |just |truly |definitely |here |right )*(?:glad|happy (?:for|to (?:hear|help|see|share|have you)|that|you)|sorry|sure\b|proud of (?:you|your)|excited (?:for you|to (?:hear|see)|that)|thankful|grateful|stoked (?:for|that)|thrilled (?:for|that|to hear)|here (?:for|to)|jealous|curious|impressed|amazed|inspired by|with you|on it|rooting|cheering|touched|honou?red|lucky|blessed|all ears|always (?:here|up|open|happy)|glad|confident (?:you|that)|not surprised|blown away|with ya|down(?:$|!))|\bmeans (?:a lot|the world|so much) to me\b$|\bmade my day\b|^(?:it|that|this)(?:'s| is| was|'ll be)? (?:means|great|good|nice|awesome|cool|amazing|so|really|sounds|looks)\b"),
    ("request", r"^(?:can|could|would|will|do|does|did|are|is|was|were|ha(?:ve|d) (?:you|we|i)|has|should|shall|may|might|who|what|where|when|why|how|which|whose|any|anything) (?!I've\b)|^(?:please|pls|kindly)\b|\bI(?:'d| would) (?:like|love|appreciate) (?:it if|some (?:help|advice|tips|suggestions|recommendations)|your|you|to (?:hear|know|see|get|ask))|\bI (?:need|want|would like) (?:you|your|help|some help|a hand|advice|assistance)\b|\b(?:I'm|I am) (?:just )?(?:wondering|curious|asking|looking for (?:help|advice|suggestions|recommendations|tips|some))\b|\blet me know\b"),
    ("quotes another", r"^(?:he|she|they|someone|people|everyone|who|the (?:man|woman|guy|lady|article|page|email|quote|teacher|story|author|book|text)) (?:said|says|told|asked|wrote|claims?|thinks?|goes|was like|is like)\b(?!.{0,20}\bme\b)|^(?:according to|quote|fwd|translate|rewrite|summari[sz]e|write|generate|create|explain|describe|draft|act as|pretend)\b"),
)  # fmt: skip

ENGLISH: Final = Language(
    code="en",
    user="The user",
    said="{S} said: {text}",
    about=r"\b(?:I|I'm|I've|I'd|I'll|my|mine|me|myself|we|we're|we've|we'll|we'd|our|ours|us)\b|^(?:gonna|been|(?:(?:just|finally|recently|also) )?(?:got|went|had|took|made|saw|found|started|finished|met|bought|tried|visited|joined|spent|switched|migrated))\b",
    lead_ins=r"(?:yeah|yep|yes|yup|ya|nope|no|nah|oh|ohh|ah|aw+|wow|woah|whoa|haha|hah|hehe|lol|well|so|and|but|also|plus|anyway|anyways|btw|by the way|hey|hi|hello|hiya|yo|hmm+|um|uh|ok|okay|ooh|thanks|thank you|thx|cheers|sure|sure thing|absolutely|definitely|totally|exactly|right|true|of course|great|good|nice|cool|awesome|amazing|congrats|congratulations|sorry|sounds (?:good|great|fun)|no (?:worries|prob|problem|doubt|way)|you know|you see|i mean|i guess|i think|i believe|i must say|i have to say|i gotta say|i'd say|to be honest|honestly|tbh|in fact|as i said|like i said|guess what|speaking of which|for real|fyi|omg|man|dude|god|gosh|for sure|you bet|you're (?:right|welcome)|my pleasure|likewise|same here|just so you know|don't worry|no need to worry|for me|for my part|personally|unfortunately|luckily|fortunately|thankfully|for context|for the record|thanks (?:so|very) much|thanks a (?:lot|bunch|ton|million)|thanks for (?:asking|the \w+)|then|it's just|long story short|on (?:another|a different|the other) (?:note|topic|hand)|on top of that)(?=[\s,.!;:\-])(?: (?-i:[A-Z])[a-z]+(?=[,!.]))?[\s,.!;:\-–—]+|(?:a lot|lots|so much|much)(?:'s| has| have)? happened(?: since [^-–—,.]{0,40})?\s*[-–—,:]+\s*|since we [^,]{3,30},\s*|(?:can|could|would|will|please|find|show|direct|guide|look|let's)\b[^.!?]{5,160}?\s(?:because |since |as )?(?=(?:I'm not|I don't|I prefer|I always|I never|I like|I hate|I love|I usually|I can't stand|I'm allergic|I'm (?:a )?(?:vegan|vegetarian))\b)|(?:since|because|as|given that|now that) (?=(?:I|I'm|I've|my|we|we're|our)\b[^,]*$)|(?-i:[A-Z])[a-z]+, (?=(?:I|I'm|I've|we|they|they're|it|it's|that's|he|she)\b)",
    question_tail=r",? (?:so |and |but )?(?:can|could|would|will) (?:you|we|u) .*$|,? (?:do|should) (?:you|i|we) .*$|[,;:.\-–—]+\s*(?:and |but |so |or )?(?:can|could|would|will|do|did|does|are|is|was|have|has|what|how|where|when|why|which|who|any|should|got|right|don't|isn't|aren't|didn't|please|please help|help me|know|ever)\b[^,;]*(?:[,;][^?]*)?\?+$|\b(?:,? ?(?:so |and |but )(?:can|could|would|will|do|what|how|where|when|why|which|who|should|is there|are there)\b.*\?+)$",
    refused=REFUSED,
    frames=FRAMES,
    bonus=(
        (rf"\b{_TIME}\b", 0.12),
        (r"(?<=[a-z,'\d] )(?!(?:I|I'm|I've|I'd|I'll)\b)(?-i:[A-Z])[a-z]{2,}", 0.08),
        (r"\"[^\"]{3,80}\"", 0.1),
        (r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|first|second|third)\b", 0.05),
        (rf"\b(?:my|our|with|and|a) (?:\w+ ){{0,2}}{_PEOPLE}\b", 0.05),
        (rf"\b(?:{_THING})\b", 0.05),
        (r"\b(?:started|signed up|joined|bought|adopted|won|lost|finished|visited|attended|graduated|published|opened|launched|moved|quit|got (?:a|an|my|the|into|married|engaged|promoted|hired)|made|took|went|read|watched|learned|met|found|received|volunteered|planning|training|painted|baked|built)\b", 0.08),
        (r"\b(?:to|in|at|from|near|with|for|about|of|called|named) (?:the |a |an |my |our |some )?(?:\w+ )?\w{4,}", 0.04),
        (r"\b(?:you|your|you're|you've|yours|y'all|u)\b", -0.2),
        (r"^(?:\w+ ){0,3}(?:I|we|I'm|I've|we're|we've|I'd|gonna)\b (?:\w+ ){1,5}(?:(?:it|them|him|ones)\b|(?:this|those|that|her)(?=\s*[,.!;-]|\s*$| (?:and|so|but|to|in|on|at|for|with)\b))(?! (?:hard|difficult|easier|easy|is|was|to|that|\w+ (?:that|of|with|about|from|in))\b)", -0.2),
        (r"\ba (?:\w+ )?fan\W*$|\b(?:something|stuff|things)\s*[-–—,.!]", -0.2),
        (r"\b(?:check|try|checking|trying) (?:it|this|that|them|those) out\b", -0.2),
        (r"\b(?:I|we) (?:just |really |only |also )?need (?:to )?(?:see|get|find|know|keep|check|show|the|clear|actual|those|these|more|this)\b|\bI'm off to\b", -0.15),
        (r"\b(?:I|we) \w+ (?:it|that|this|them|there|those|things|stuff|something)(?=[.!,;]|$)", -0.12),
        (r"\b(?:with|of|on|in|about|like|for|to|at|from|into) (?:it|that|this|them|those|these|one)(?=\s*[-.,!;]|$| (?:and|but|so|because)\b)", -0.12),
        (r"\b(?:won't|will never|never|not gonna|not going to) (?:give up|quit|stop|let)|\bkeep(?:ing)? (?:on |it |things )?(?:going|pushing|believing|trying|fighting|striving|moving|working hard|pursuing|chasing|dreaming|at it)|\b(?:believ\w+ in|proud of) (?:myself|ourselves)|\bstay(?:ing)? (?:strong|positive|hopeful|focused|determined)|\b(?:make|making) a (?:\w+ )?(?:difference|impact)|\bkeep it up|\bbest (?:I|we) can|\bsince we (?:last )?(?:talked|chatted|spoke|caught up|met|last)", -0.22),
        (r"^(?!(?:[^,]{0,45}, )?(?:(?:last|this|next|yesterday|today|tonight|just|on|in|after|since|at|recently|lately|once|for|during|when|while|as|here's|every|\w+ \w+ ago)\b[^,]{0,40},? )?(?:I|I'm|I've|I'd|I'll|we|we're|we've|we'd|we'll|my|our|me|gonna|just|been|had|went|got|\w+,? my)\b)", -0.1),
        (r"\b(?:that|this|it|them|those|one|ones|more|the same|something|stuff|things)(?: too| as well| more| now| someday| soon| yet| again| a lot| so much)?\W*$", -0.1),
        (r"\b(?:I|we|I've|we've|I'm|to) (?:\w+ ){0,2}(?:had|have|got|love|like|do|did|done|made|make|wrote|take|took|need|want|try|tried|see|saw|use|read|submitted|seen) (?:it|them|that|this|those|one|some|a few)\b(?! (?:of the|of my|\w+ (?:that|with|about|of|in|for|at)))", -0.1),
        (r"\b(?:so much|good stuff|something good|like that|this feeling|that feeling|each other|one another|same way|hard work|worth it|in life|the little things|small things)\b", -0.1),
        (r"\boption \d|\bgo with (?:that|it|this|the (?:first|second|third|last) one)", -0.3),
        (r"^\W*(?:seeing|being able|having|knowing|hearing|thinking)\b", -0.1),
        (r"^(?:there|which|what|who|that way|(?:it )?(?:seems|sounds|looks|feels) like)\b|\bwhat (?:I|we) (?:need\w*|want\w*|meant?)\b|\blike (?:I|we) (?:said|discussed|talked)", -0.2),
        (r"\b(?:think|feel|felt|believe|hope|hoping|guess|glad|happy|excited|proud|grateful|thankful|appreciate|amazing|awesome)\b", -0.08),
        (r"\b(?:support|encourag\w+|motivat\w+|inspir\w+|positive|growth|journey|dreams?)\b", -0.05),
        (r"^(?:\S+\s+){0,2}\S+$", -0.1),
        (r"^(?:\S+\s+){0,4}\S+$", -0.04),
        (r"^(?:\S+\s+){10,}", 0.04),
    ),
    hedge=r"\b(?:maybe|perhaps|probably|might|not sure|i think|i guess|possibly|could be|kind of|sort of)\b",
    directive=r"^(?:now |ok(?:ay)?,? )?(?:you (?:can|may|could)|feel free to|it(?:'s| is) (?:ok(?:ay)?|fine) to) (?!see\b|go\b|try\b|get\b|start\b|do it\b|come\b|be\b)\w+ .{2,60}\bagain\W*$|^(?:(?:oh|no|oops|wait|sorry|actually|um)[,.!]* )*(?:I meant(?! to\b| it\b| that\b)|correction:)|^(?:please )?(?:from now on|going forward|from today on|in (?:the )?future|henceforth)\b,? (?!(?:I|we|he|she|they|it|what|how)\b)|\b(?:from now on|going forward|in (?:the )?future),? (?:please|always|never|don't|do not|use|answer|reply|call|keep|avoid|write|speak)\b|^(?!(?:what|how|why|who|i|we|he|she|they|it)\b).{4,80}\b(?:from now on|going forward)\W*$|^(?:please )?(?:always|never|do not ever|don't ever) (?!mind\b|good\b|great\b|nice\b|happy\b|fun\b|love\b|so\b|here\b|there\b|felt\b|wanted\b|loved\b|been\b|give up\b|had\b|thought\b|heard\b|seen\b|knew\b|a\b|the\b|too\b)\w+|^(?:please )?(?:never|do not|don't|stop) .{1,80}\b(?:again|any ?more)\b|^(?:please )?(?:remember|keep in mind|note|make sure)(?: that|:) (?=.*\b(?:i|i'm|my|we|our|me)\b)|^(?:please )?make sure (?:to|you) (?:always|never)\b|^(?:please )?(?:call|address) me (?!if|when|later|back|at|on|tomorrow)|^(?:please )?(?:answer|reply|respond|write|speak)(?: to me| back| only)* (?:in|only) (?:plain |simple |formal )?(?:english|german|french|spanish|italian|portuguese|dutch|chinese|japanese|korean|russian|polish|turkish|arabic|hindi|swedish|danish|bullet points|short|full sentences)\b",
    correction=r"^(?:no[,.]? (?:wait|actually|sorry|I meant|I said|it's|that's|not|the|my)|actually|correction|scratch that|sorry, i meant|i meant|i misspoke|that's (?:wrong|not right|incorrect)|you (?:got|have) (?:that|it) wrong)\b|\b(?:I|we|I'm|my)\b[^,;]{0,40}\b(?:no longer|not any ?more|anymore|any longer)\b",
    listener=(
        (r"\b(to|for|with|from|like|tell|told|show|showed|than|about|of|by|see|saw|met|meet|invite|invited|send|sent|help|join|given?|gave|between|and) you\b(?!'| (?:are|were|have|had|do|did|can|will|could|would|should|\w+ed)\b)", r"\1 {L}"),
        (r"\byour\b", "{L}'s"),
    ),
    addressed=r"\b(?:you|your|yours|yourself|you're|you've|y'all|u)\b",
    rewrites=(
        (r"^((?:just|finally|recently|also) )?(got|went|had|took|made|saw|found|started|finished|met|bought|tried|visited|joined|spent|switched|migrated) (?!a (?:great|good|lovely|nice) (?:day|one|time)[.!]?$)", r"I \1\2 "),
        (r"^been ", "I've been "),
        (r"^(gonna|planning|thinking|trying|working|hoping) ", r"I'm \1 "),
    ),
    persons=Persons(
        subjects=r"I(?:'m|'ve|'d|'ll)?",
        plural=r"we(?:'re|'ve|'d|'ll)?",
        contracted={"'m": "is", "'ve": "has", "'ll": "will", "'d": "would", "'re": "are", "'ve_plural": "have"},
        verbs={"am": "is", "have": "has", "do": "does", "don't": "doesn't", "haven't": "hasn't", "go": "goes", "ain't": "isn't", "wanna": "wants to", "gotta": "has to", "gonna": "is going to"},
        endings=((r"(?:s|sh|ch|x|z|o)$", r"\g<0>es"), (r"(?<=[^aeiou])y$", "ies"), (r"$", "s")),
        unchanged=frozenset(
            (
                _IRREGULAR.replace("let ", "")
                + " was were wasn't weren't can can't cannot could couldn't will won't would wouldn't should shouldn't may might must shall "
                "did didn't had hadn't said been being and or but who which that to in at on of for the a an as is are than if when too myself "
                "personally both not"
            ).split()
        ),
        between=frozenset(
            "also always really absolutely still just even usually often sometimes mostly mainly never kinda already only now rarely truly "
            "so first once both all ever soon almost not no longer".split()
        ),
        words={
            "my": ("{S}'s", "their"),
            "mine": ("{S}'s", "theirs"),
            "me": ("{S}", "them"),
            "myself": ("{S}", "themselves"),
            "our": ("{S}'s", "their"),
            "ours": ("{S}'s", "theirs"),
            "us": ("{S} and others", "them"),
            "ourselves": ("{S} and others", "themselves"),
        },
        bases=frozenset("am have do go like love hate prefer enjoy live feel want need use eat drink read write swim hike train teach cook bake sing dance speak try help know think see find take make get give keep tend listen watch practise practice run don't haven't struggle avoid worry".split()),
        compound=r"^\W*(?:(?:my|our|the|me)\b(?: (?!(?:is|are|was|were|has|have|had|will|would|can|does|did|just|also)\b)[\w'-]+){1,2}|(?-i:(?!I\b|I')[A-Z])[\w'-]+(?:,? (?:and )?(?-i:(?!I\b|I')[A-Z])[\w'-]+){0,3}),? and $",
    ),
)  # fmt: skip
