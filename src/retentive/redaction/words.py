"""The words that announce a secret, in the languages people chat in: data for `context`.

Every pattern reads folded, lower-cased text. ROOTS are plain strings looked for with `str.find` before any pattern runs,
so that text without them costs almost nothing.
"""

from __future__ import annotations

import re
from typing import Final

from retentive.redaction.patterns import any_of

# -- passwords: what follows may be any word ------------------------------------------------------------------------
PASSWORD_ROOTS: Final = (
    *(
        "pass",
        "p@ss",
        "p4ss",
        "pa55",
        "pwd",
        "pw",
        "psw",
        "mdp",
        "p/w",
        "psk",
        "wpa",
        "identified",
        "kennwort",
        "contrase",
        "clave",
        "senha",
        "parola",
        "wachtwoord",
    ),
    *(
        "hasło",
        "haslo",
        "şifre",
        "sifre",
        "parol",
        "парол",
        "密码",
        "密碼",
        "口令",
        "パスワード",
        "暗証",
        "비밀번호",
        "비번",
        "암호",
    ),
    *(
        "المرور",
        "كلمة السر",
        "الرقم السري",
        "पासवर्ड",
        "mật khẩu",
        "mat khau",
        "sandi",
        "lösenord",
        "losenord",
        "kodeord",
    ),
    *("adgangskode", "salasana", "heslo", "jelsz", "κωδικ", "รหัสผ่าน", "סיסמ", "лозинк", "lozink", "zaporka", "گذرواژه"),
)
PASSWORD_NAME: Final = re.compile(
    r"""(?: p[a@4][s5$]{2}[-_ ]?(?:w[o0]rd|wd|wort|phrase|code|ord|key)(?:s|et|es|er|ı|ım)?(?![a-z]{4})
      | secret\ (?:word|phrase)|wpa[23]?[- ]?(?:psk|key|pass) | pass(?=[\s:=\"'`’)\]_-]|$) | (?<=de[ _-])passe(?![a-z]) | (?<![a-z])(?:pw|psw|pswd|pwd)s?(?![a-z]) | (?<![a-z])(?:mdp|p/w|psk)(?![a-z]) | identified\ by | pwd(?![a-z]{3})
      | pw(?=[:=]) | kennwort | contrase(?:ñ|n)as? | clave(?![a-z]) | senhas? | parola(?:m|n|sı|\ d'ordine)?(?![a-z]) | parol[a-z]{0,3}
      | wachtwoord(?:en)? | has(?:ł|l)[oaem](?:\ to(?=[ ]))? | (?:ş|s)ifre(?:m|n|si|niz|miz|yi)? | парол[а-яіь]{0,3} | 密[码碼] | 口令
      | パスワード | 暗証番号 | 비밀번호 | 비번 | 암호 | المرور | كلمة\ السر | الرقم\ السري | पासवर्ड | m(?:ật|at)\ kh(?:ẩ|a)u | sandi(?![a-z])
      | l(?:ö|o)senord(?:et)? | kodeord(?:et)? | adgangskode[nr]? | salasana(?:ni|si)?(?:\ on(?=[ ]))? | hesl[oaeu] | jelsz[oóa][a-zóí]{0,5}
      | κωδικ(?:ος|ός|ο|ό)(?:\ προσβασης|\ πρόσβασης)? | รหัสผ่าน | סיסמ(?:ה|ת)[א-ת]{0,3} | лозинк[аеу] | lozink[aeu] | zaporka | گذرواژه
      )""",
    re.VERBOSE,
)
# After these the word is about passwords, not followed by one, unless a sign of assignment comes at once.
NOT_A_PASSWORD: Final = re.compile(
    r"[-_ ]?(?:polic|length|manager|fields?\b|strength|require|rules?\b|protect|generat|prompt|hints?\b|lists?\b|less|box"
    r"|hash|salt|encoder|input|confirm|valid|recover|min|max|mismatch|error|expir|rotat|crack|leak|breach|security|hygiene"
    r"|tip|format|complex|store|storage|vault|page|form\b|reset[-_ ](?:link|page|flow|email)|attempts?)"
)


# -- keys and tokens: what follows must look machine-made -----------------------------------------------------------
KEY_ROOTS: Final = (
    *(
        "key",
        "token",
        "secret",
        "credential",
        "creds",
        "auth",
        "bearer",
        "signature",
        "sig=",
        "sess",
        "sid",
        "jwt",
    ),
    *(
        "salt",
        "licen",
        "cookie",
        "令牌",
        "密钥",
        "秘钥",
        "密鑰",
        "schlüssel",
        "schluessel",
        "clé",
        "cle ",
        "ключ",
        "токен",
        "トークン",
    ),
    *(
        "キー",
        "토큰",
        "키",
        "chave",
        "chiave",
        "sleutel",
        "klucz",
        "anahtar",
        "llave",
        "nyckel",
        "avain",
        "المفتاح",
        "مفتاح",
    ),
    *("otp", "2fa", "totp", "conn"),
)
KEY_NAME: Final = re.compile(
    r"""(?: keys?|tokens?|secrets?|credentials?|creds|auth(?:orization|entication|[-_ ]?header)?|bearer|signature|sig
      | sess(?:ion)?(?:[-_ ]?id|[-_ ]?key)?|sid|jwt|salt|license|licence|cookies?|令牌|密[钥鑰]|秘钥|schl(?:ü|ue)ssel|cl[ée]s?|ключ[а-я]{0,2}
      | токен[а-я]{0,2}|トークン|キー|토큰|키|chaves?|chiave|sleutel|klucz|anahtar[ıi]?|llave|nyckel|avain|المفتاح|مفتاح|otp|totp|2fa
      | connection[-_ ]?string|conn(?:str)? )(?![a-z]{3})""",
    re.VERBOSE,
)
ROOTS: Final = re.compile(any_of(map(re.escape, (*PASSWORD_ROOTS, *KEY_ROOTS))))
ASCII_ROOTS: Final = re.compile(any_of(re.escape(root) for root in (*PASSWORD_ROOTS, *KEY_ROOTS) if root.isascii()))
STRONG_LEFT: Final = re.compile(
    any_of(
        r"""api secret access private encrypt(?:ion)? auth service account storage sign(?:ing)? master shared
        licen[sc]e client app application consumer webhook ssh deploy admin subscription hmac jwt session bot
        refresh id csrf personal bearer security sas ingest server live prod root aws gcp azure production
        staging backup recovery""".split()
    )
    + r"[-_ .]?$"
)
SECRET_LEFT: Final = re.compile(
    any_of(
        r"""api secret access private auth service master licen[sc]e instrumentation admin deploy signing webhook
        bot personal""".split()
    )
    + r"[-_ .]?$"
)
# Right before a key word: this one is public, or a name for a thing in a program or a lock.
NOT_A_SECRET: Final = re.compile(
    any_of(
        r"""public pub primary foreign partition sort cache object idempotency dedup\w{0,8} hot short\x20?cut natural
        composite surrogate candidate unique index routing s3 row range hash lookup registry json dict map group
        event translation i18n react publishable site house car door piano arrow host known""".split()
    )
    + r"[-_ ]?$"
)
# Near a machine-made word: it is a checksum, an address or an id.
IDENTIFIER_CONTEXT: Final = re.compile(
    any_of(
        r"""commit sha-?\d \bsha\b md5 checksum digest \betag integrity fingerprint \bmerge\b \bbranch\b \bblob\b revision \brev\b
        \btrace(?![a-z]) \btraceparent request[-_\s]?id correlation \bimage\b \btxid \btx\b transaction[-_\s]?id \bcontract\b \baddress\b uuid ulid guid
        public[-_\s]?key publishable[-_\s]?key site[-_\s]?key pub[-_]key ipfs \bdocker\b \blayer\b \bcache\b torrent magnet youtu
        /document spreadsheet tracking \border[-_\s]?(?:number|no|ref|#) invoice booking \bpart\b serial(?![a-z]) \bsku\b message-id \bpid\b hash\b git\b \bisbn class\b \bcss\b""".split()
        + [
            rf"{thing}[-_\s]ids?\b"
            for thing in "price customer user product object file request message event job run thread project organization"
            " organisation org tenant client device page video channel database item record resource deployment instance node"
            " payment workspace team group model chat plan account".split()
        ]
    )
)
NEAR_WORD: Final = re.compile(
    any_of(
        r"""k(?<!monk)(?<!turk)(?<!donk)(?<!hock)eys?(?![a-z]{2}) token secret passw passp pwd credential \bcreds\b auth bearer \bapi
        \blogin private cookie session webhook \bsig\b hmac 令牌 密[钥鑰码碼] 秘钥 schl(?:ü|ue)ssel \bcl[ée]s?\b chave chiave ключ токен
        парол sleutel klucz anahtar llave nyckel キー トークン 토큰 키 비밀 senha contrase passe\b \bpat\b \b401\b \b403\b""".split()
    )
)
_PROVIDERS: Final = r"""
    openai anthropic claude cohere mistral groq replicate stability deepgram assemblyai elevenlabs pinecone
    weaviate qdrant aws amazon azure gcp google_cloud firebase digitalocean heroku cloudflare vercel netlify
    linode hetzner vultr fastly akamai datadog new_relic newrelic sentry splunk sumo_logic sumologic dynatrace
    grafana pagerduty opsgenie rollbar bugsnag loggly logz github gitlab bitbucket travis circleci jenkins
    codecov coveralls snyk sonar sonarqube sonarcloud artifactory jfrog npm pypi nuget docker slack discord
    telegram twilio sendgrid mailgun mailchimp postmark mandrill sparkpost vonage nexmo plivo messagebird
    intercom zendesk freshdesk hubspot salesforce pipedrive zoho stripe paypal square braintree adyen plaid
    razorpay coinbase binance kraken kucoin bittrex etherscan infura alchemy mapbox openweather openweathermap
    algolia elastic elasticsearch contentful airtable notion asana trello jira atlassian confluence linear
    clickup monday dropbox box spotify twitch twitter facebook instagram linkedin reddit yelp zoom okta auth0
    jumpcloud duo lastpass shodan virustotal censys hunter clearbit fullcontact segment mixpanel amplitude
    launchdarkly rapidapi rapid_api finnhub alphavantage alpha_vantage polygon iex nasa unsplash giphy tmdb
    steam riot supabase planetscale snowflake databricks redis kafka confluent mongo mongodb postgres etsy
    shopify squarespace wix shippo easypost lob fedex ups doppler vault tailscale zapier ifttt figma canva miro
    yandex aliyun alibaba tencent baidu huawei wechat dingtalk feishu lark kakao naver alpaca ibm together\.ai
    ai21 fireworks deepseek moonshot kimi zhipu qwen dashscope minimax perplexity cerebras voyageai jina
    hugging_face huggingface gemini bedrock sanity storyblok wordpress webflow retool n8n pusher ably agora
    livekit vimeo cloudinary backblaze wasabi oracle scaleway upstash neon turso hasura appwrite clerk stytch
    workos onelogin bitwarden 1password infisical chargebee recurly lemonsqueezy paddle gumroad klarna mollie
    gocardless klaviyo braze iterable customerio sendinblue brevo mailjet resend onesignal pushover zulip
    mattermost webex typeform calendly eventbrite strava fitbit openrouter helicone langfuse langsmith wandb
    kaggle paperspace runpod anyscale fivetran airbyte rudderstack fullstory hotjar posthog statsig optimizely
    flagsmith raygun honeybadger airbrake honeycomb uptimerobot pingdom rubygems packagist sourcegraph buildkite
    appveyor bitrise terraform pulumi ansible rancher openshift zerotier ngrok tiingo quandl coinmarketcap
    coingecko opensea moralis quicknode newsapi serpapi scraperapi brightdata apify tavily exa deepl heygen
    midjourney runway nylas merge\.dev bandwidth telnyx sinch infobip
"""
# Their hexadecimal strings are commits and digests, not keys.
_REPOSITORIES: Final = frozenset("github gitlab bitbucket npm pypi nuget docker artifactory jfrog etherscan".split())
KEYED_PROVIDER: Final = re.compile(
    rf"\b{any_of(name.replace('_', ' ') for name in _PROVIDERS.split() if name not in _REPOSITORIES)}\b"
)
# Services whose keys have the form of a UUID.
UUID_KEYED: Final = re.compile(
    rf"\b{any_of('heroku snyk postmark pinecone opsgenie codecov railway exa splunk launchdarkly mailersend scaleway packagist'.split())}\b"
)
# Said right before a UUID, it is one too.
UUID_ANNOUNCED: Final = re.compile(
    r"(?:api|secret|access|auth|license|licence|private)[-_ ]?(?:key|token|secret)\W{1,4}(?:(?:is|was|to|as)\W{1,3})?\Z"
    r"|[-_](?:key|token|secret)[\"']?\s{1,24}value[\"']?:[ \t]{0,2}[\"']?\Z"
)
PROVIDER: Final = re.compile(rf"\b{any_of(name.replace('_', ' ') for name in _PROVIDERS.split())}\b")

# -- what joins the word to the value -------------------------------------------------------------------------------
_LINK_WORDS: Final = (
    r"is|are|was|be|being|equals|c'est|lautet|ist|war|hei(?:ß|ss)t|es|era|ser[áa]|est|[ée]|è|[ée]tait|sera|luidt|jest|brzmi|to jest|är|er|je"
    r"|adalah|ialah|là|это|есть|теперь|είναι|ειναι|هي|هو|है|आहे|היא|הוא|este|e"
)
_CHANGED: Final = (
    r"(?:(?:changed|set|reset|updated|switched|rotated|equal)[ \t]+(?:it[ \t]+)?to|ge[äa]ndert[ \t]+(?:in|auf|zu)|auf"
    r"|cambiad[ao][ \t]+(?:a|por)|chang[ée]e?[ \t]+(?:en|pour)|alterad[ao][ \t]+para|gewijzigd[ \t]+(?:in|naar)|zmienione[ \t]+na"
    r"|изменен[а-я]{0,2}[ \t]+на)"
)
_ADVERBS: Final = (
    r"(?:now|still|just|actually|simply|currently|probably|something like|jetzt|nun|ahora|agora|maintenant|теперь|like)"
)
LINK: Final = (
    r"(?:(?::=|=>|->|==?|:|→|—|–|\||>(?=[^\s<>])|[ \t]value[ \t]?=|\?{1,3}[ \t])[ \t]{0,4}"
    r"|,[ \t](?:which[ \t]is|it'?s|namely)[ \t]|[ \t]?\r?\n[ \t]{0,8}(?=[^\s\x00]{6,64}[ \t]{0,4}(?:\r?\n|\Z))"
    r"|(?:'s|[ \t](?:"
    + _LINK_WORDS
    + r"))(?:[ \t]{1,3}"
    + _ADVERBS
    + r"|[ \t]{1,3}"
    + _CHANGED
    + r"){0,2}[ \t]{0,2}:?[ \t]{1,3}"
    r"|[ \t]" + _CHANGED + r"[ \t]{0,2}:?[ \t]{1,3}"
    r"|[ \t]{0,2}(?:就是|是|为|為|(?:改|换|換|设|設|变)(?:成|为|為)了?|は|が|を|는|은|가|이|입니다|คือ)[ \t]{0,2}[:「『“]?[ \t]{0,2}"
    r"|[ \t]{0,2}-[ \t]{1,3})"
)
