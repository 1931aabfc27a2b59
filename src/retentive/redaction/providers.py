"""Token formats that providers document: a prefix, then an alphabet and a length.

One line a format: kind, prefixes, body. Prefixes and lengths are facts of the providers' own documentation; the patterns
are ours. In a body `W` is a letter or digit, `H` a hexadecimal digit, `B` base64url, `U` an upper-case letter or digit
and `UUID` the 8-4-4-4-12 form; lengths are lower bounds where providers vary them, and always bounded above. A kind
ending in `!` wants its prefix in exactly this case (it is short, or a word). Publishable keys (Stripe `pk_live_`,
Supabase `sb_publishable_`) are meant to be seen and are left out.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from retentive.redaction.patterns import any_of

_FORMATS: Final = """
# models and their tools
retentive_key      rtv_                                 H{12}_W{49}
anthropic_key      sk-ant-                              B{32,220}
openrouter_key     sk-or-v1- sk-or-                     W{32,80}
langfuse_key       sk-lf-                               UUID
openai_key         sk-proj- sk-svcacct- sk-admin- sk-none- sk-service-   B{32,220}
helicone_key       sk-helicone-                         B{16,80}
letta_key          sk-let-                              W{40,200}
api_key            sk-                                  W{20,24}T3BlbkFJW{20,24}|W{30,128}
google_api_key!    AIza                                 B{30,44}
google_oauth_secret  gocspx-                            B{24,40}
google_oauth_token!  ya29.                              [\\w.-]{20,1024}
google_refresh_token!  1//0                             B{30,256}
huggingface_token  hf_ api_org_                         W{30,48}
groq_key           gsk_                                 W{40,64}
perplexity_key     pplx-                                W{40,64}
xai_key            xai-                                 W{40,100}
cerebras_key       csk-                                 W{32,64}
nvidia_key         nvapi-                               B{40,90}
replicate_token!   r8_                                  W{32,48}
langsmith_key      lsv2_pt_ lsv2_sk_                    H{32}_H{8,16}
langsmith_key!     ls__                                 H{32}
fireworks_key!     fw_                                  W{20,32}
together_key       tgp_v1_                              B{36,64}
voyage_key!        pa-                                  B{40,56}
jina_key           jina_                                B{40,80}
tavily_key         tvly- tvly-dev- tvly-prod-           B{24,64}
pinecone_key       pcsk_                                W{4,10}_W{40,80}
elevenlabs_key!    sk_                                  H{40,64}|W{26,64}
firecrawl_key!     fc-                                  H{32}
brave_key!         BSA                                  B{24,32}
e2b_key            e2b_                                 H{40}
modal_token!       ak- as-                              W{22}
runpod_key         rpa_                                 W{32,64}
mem0_key!          m0-                                  W{32,64}
friendli_token     flp_                                 W{32,64}
anyscale_key       esecret_                             W{20,64}
wallet_key!        xprv yprv zprv tprv                  [1-9A-HJ-NP-Za-km-z]{90,120}
nostr_key          nsec1                                [a-z0-9]{58}
kaggle_key         kgat_                                H{32}
wandb_key          wandb_v1_                            B{40,120}
# clouds and hosting
aws_access_key     AKIA ASIA ABIA ACCA                  [A-Z0-9]{16}
aws_bedrock_key!   ABSK                                 [A-Za-z0-9+/]{80,200}={0,2}
amazon_mws_token   amzn.mws.                            UUID
alibaba_access_key  LTAI                                W{12,26}
tencent_secret_id!  AKID                                W{28,40}
volcengine_key!    AKLT                                 W{32,60}
baidu_key          bce-v3/altak-                        W{16,40}/H{32,64}
yandex_key!        AQVN                                 B{32,44}
yandex_token       y0_ y1_ y2_ y3_                      B{50,100}
digitalocean_token  dop_v1_ doo_v1_ dor_v1_             H{64}
heroku_key         hrku-                                UUID|B{50,70}
cloudflare_key     v1.0-                                H{24}-H{100,160}
cloudflare_token   cfut_ cfat_ cfk_                     B{32,64}
vercel_token       vcp_ vck_ vci_ vca_ vcr_             W{24,64}
netlify_token      nfp_ nfc_ nfb_ nfu_ nfo_             W{32,48}
render_key         rnd_                                 W{24,40}
fly_token          fo1_ fm1a_ fm1r_ fm2_                [\\w+/-]{40,600}={0,3}
scaleway_key!      SCW                                  U{17}
supabase_token     sbp_ sbp_v0_                         H{40}
supabase_secret    sb_secret_                           B{24,64}
neon_key           napi_                                W{40,80}
planetscale_token  pscale_tkn_ pscale_pw_ pscale_oauth_ pscale_pass_ pscale_api_   B{32,64}
mongodb_atlas_key  mdb_sa_sk_                           B{40,56}
cockroach_key      ccdb1_                               W{22}_W{40}
databricks_token   dapi dkea dose dsapi                 H{32}(?:-\\d)?
confluent_key      cflt                                 [\\w+/]{56,64}
deno_token         ddp_ ddo_ ddw_                       W{32,40}
appwrite_key       standard_                            H{128,256}
pulumi_token       pul-                                 H{40}
terraform_token    tfe_                                 W{32,64}
vault_token        hvs. hvb. hvr.                       B{20,300}
vault_token!       s.                                   W{24}
doppler_token      dp.pt. dp.ct. dp.sa. dp.scim. dp.audit. dp.said.   W{40,44}
doppler_token      dp.st.                               (?:[a-z0-9_-]{1,35}\\.)?W{40,44}
infisical_token!   st.                                  H{24}\\.H{32}\\.H{32}
onepassword_token!  ops_eyJ                             [\\w+/-]{60,1200}={0,2}
onepassword_key!   A3-                                  U{6}-(?:U{11}|U{6}-U{5})(?:-U{5}){3}
age_key            age-secret-key-1                     [A-Za-z0-9]{50,64}
tailscale_key      tskey- tskey-auth- tskey-api- tskey-client- tskey-scim- tskey-webhook-   W{8,32}-W{16,48}|B{24,80}
# code, packages, CI
github_token       ghp_ gho_ ghu_ ghs_ ghr_             W{30,255}
github_token       github_pat_                          \\w{36,255}
gitlab_token       glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glwt-   [\\w.-]{20,300}
gitlab_token       gr1348941                            B{20}
bitbucket_token!   ATBB ATCTT3xFfGN0                    [\\w=-]{28,240}
atlassian_token!   ATATT3                               [\\w=-]{60,260}
trello_token!      ATTA                                 H{64,76}
npm_token          npm_                                 W{30,40}
pypi_token         pypi-                                B{50,300}
testpypi_token     testpypi-                            B{50,300}
rubygems_key       rubygems_                            H{48}
cargo_token!       cio                                  W{32}
nuget_key          oy2                                  [a-z0-9]{43}
docker_token       dckr_pat_ dckr_oat_                  B{24,40}
clojars_token      clojars_                             H{60}
artifactory_key!   AKCp                                 W{60,80}
artifactory_token!  cmVmdGtu                            W{50,80}
sonar_token        sqp_ squ_ sqa_                       H{40}
snyk_token         snyk_uat. snyk_sat.                  [\\w.-]{40,200}
circleci_token     ccipat_ cciprj_                      W{16,32}_H{32,48}
buildkite_token    bkua_ bkaj_ bkat_ bkct_              W{36,64}
readme_key         rdme_                                [a-z0-9]{70}
postman_key        pmak- pmat-                          H{24}-H{34}|W{26}
figma_token        figd_ figu_ figo_ figoh_             B{32,64}
linear_key         lin_api_ lin_oauth_ lin_wh_          W{32,72}
sourcegraph_token  sgp_ sgs_ sgd_                       (?:H{16}_|local_)?H{40,64}|W{64}
sourcegraph_token  slk_                                 H{64}
harness_token!     pat. sat.                            B{22}\\.H{24}\\.W{20}
prefect_key        pnu_ pnb_                            W{36}
dbt_token          dbtc_ dbtu_ dbts_                    B{32,60}
wakatime_key       waka_                                UUID
launchdarkly_key   sdk- api- mob-                       UUID
flagsmith_key      ser.                                 W{20,24}
inngest_key        signkey-prod- signkey-test- signkey-branch-   H{32,64}
trigger_key        tr_dev_ tr_prod_ tr_stg_ tr_preview_   W{16,40}
ngrok_key          ngrok_api_ nr_                       B{32,64}
lichess_token      lip_ lio_                            W{16,24}
n8n_key            n8n_api_                             [\\w.-]{32,400}
# work, content, data
notion_token       ntn_                                 W{40,56}
notion_token       secret_                              W{43}
airtable_token!    pat                                  W{14}\\.H{64}
asana_token!       0/ 1/ 2/                             (?:\\d{12,20}/)?(?:\\d{12,20}:)?H{32}
clickup_token      pk_                                  \\d{6,10}_U{32}
typeform_token     tfp_                                 [\\w.=-]{40,80}
contentful_token   cfpat-                               B{40,48}
mapbox_token!      sk.eyJ tk.eyJ                        [\\w-]{20,200}\\.[\\w-]{16,40}
tinybird_token!    p.eyJ                                [\\w-]{20,400}\\.[\\w-]{16,64}
hubspot_token      pat-na1- pat-na2- pat-eu1- pat-ap1-  UUID
newrelic_key       nrak- nrra- nrii- nriq- nral- nrjs- nrbr- nrsp- nraa- nrap-   B{19,48}
grafana_token      glsa_                                W{32}_H{8}
grafana_token      glc_                                 [\\w+/-]{32,400}={0,2}
sentry_token       sntrys_                              [\\w+/=-]{40,600}
sentry_token       sntryu_ sntrya_                      H{64}
honeycomb_key      hcaik_ hcbik_ hcaic_ hcalk_          [a-z0-9]{50,64}
logfire_token      pylf_v1_                             W{2,6}_W{32,56}
posthog_key        phx_ phs_ phr_                       W{36,56}
segment_token      sgp_                                 W{64}
axiom_token        xaat- xapt-                          UUID
dynatrace_token    dt0c01. dt0s01. dt0s02. dt0s06. dt0s08. dt0s16.   U{8,24}\\.U{60,64}
statsig_key        secret-                              W{32,64}
stytch_key         secret-live- secret-test-            [\\w=-]{32,64}
# messages
slack_token        xoxb- xoxp- xoxa- xoxr-             (?:\\d-)?\\d{9,14}-\\d{9,14}-(?:\\d{9,14}-)?W{20,64}
slack_token        xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe-   [\\w%+/.-]{20,400}
slack_token        xoxe.xoxp- xoxe.xoxb-                [\\w-]{40,400}
slack_token        xapp-                                \\d-[A-Za-z0-9]{8,14}-\\d{8,16}-W{40,80}
sendgrid_key       sg.                                  B{16,32}\\.B{32,64}
mailgun_key        key-                                 H{32}
mailgun_key!       pubkey-                              H{32}
brevo_key          xkeysib- xsmtpsib-                   H{64}-W{12,20}
resend_key         re_                                  W{6,12}_W{16,32}
mandrill_key!      md-                                  B{22}
courier_key        pk_prod_                             U{28}
onesignal_key      os_v2_app_ os_v2_org_                [a-z0-9]{80,120}
intercom_token!    dG9rO                                [\\w+/=-]{50,70}
beamer_key!        b_                                   B{44}
line_token!        U4af                                 W{28,40}
twitch_token       oauth:                               [a-z0-9]{30}
# money and shops
stripe_key         sk_live_ rk_live_ sk_test_ rk_test_ sk_org_live_ sk_org_test_ sk_prod_   W{16,255}
webhook_secret     whsec_                               [\\w+/-]{24,100}={0,2}
stripe_key         rk_ sk_sbox_                         W{24,255}
square_token       sq0atp- sq0csp- sq0csb-              B{22,64}
square_token!      EAAAE EAAAl                          B{58,64}
paypal_token       access_token$production$ access_token$sandbox$   W{16}\\$H{32}
adyen_key!         AQE                                  [\\w+/=-]{60,200}
razorpay_key       rzp_live_ rzp_test_                  W{14,20}
flutterwave_key    flwseck- flwseck_test-               W{12,40}(?:-X)?
mollie_key         live_ test_                          W{30,40}
gocardless_token   live_ sandbox_                       B{40,44}
plaid_token        access-sandbox- access-production- access-development-   UUID
shippo_token       shippo_live_ shippo_test_            H{40}
easypost_key!      EZAK EZTK                            W{54}
lob_key!           live_ test_                          H{35}
duffel_token       duffel_test_ duffel_live_            B{40,48}
paddle_key         pdl_live_ pdl_sdbx_ pdl_ntfset_      [\\w+/]{32,100}
woocommerce_key!   ck_ cs_                              H{40}
shopify_token      shpat_ shpca_ shppa_ shpss_ shprt_ shpua_   W{32,64}
alchemy_key        alcht_                               W{30}
# social
facebook_token!    EAA                                  W{80,300}
instagram_token!   IGQV IGAA                            B{80,300}
twitter_bearer!    AAAAAAAAAAAAAAAAAAAA                 [\\w%]{60,140}
dropbox_token      sl. sl.u. sl.b.                      B{60,1400}
vk_token           vk1.a.                               B{60,300}
pinterest_token    pina_                                W{40,100}
tiktok_token       act. clt. rft.                       W{32,80}(?:![a-z0-9.]{2,12})?
frameio_token      fio-u-                               B{64}
adobe_secret       p8e- p8-                             B{32}
"""

_CLASSES: Final = {
    "UUID": r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}",
    "W": "[A-Za-z0-9]",
    "H": "[0-9a-fA-F]",
    "B": r"[A-Za-z0-9_-]",
    "U": "[A-Z0-9]",
}
_CLASS: Final = re.compile(r"UUID|(?<![A-Za-z\[\\])[WHBU](?=\{)")


class Format(NamedTuple):
    """One documented token format. `prefix` is as documented; `body` is a pattern for what follows it."""

    kind: str
    prefix: str
    body: str
    exact_case: bool


def _parse() -> list[Format]:
    """Rows of the table above, one format a prefix."""
    formats: list[Format] = []
    for line in _FORMATS.strip().splitlines():
        if line.startswith("#"):
            continue
        kind, *prefixes, body = line.split()
        pattern = _CLASS.sub(lambda m: _CLASSES[m.group()], body)
        formats.extend(Format(kind.rstrip("!"), prefix, pattern, kind.endswith("!")) for prefix in prefixes)
    return formats


@cache
def formats_by_prefix() -> dict[str, list[Format]]:
    """Lower-case prefix -> the formats to try at it, longest prefix first (`sk-ant-`, then `sk-`).

    >>> [f.kind for f in formats_by_prefix()["sk-ant-"]]
    ['anthropic_key', 'api_key']
    """
    formats = sorted(_parse(), key=lambda f: -len(f.prefix))
    return {
        prefix: [f for f in formats if prefix.startswith(f.prefix.lower())]
        for prefix in {f.prefix.lower() for f in formats}
    }


@cache
def prefix_pattern() -> re.Pattern[str]:
    """Finds any prefix at the start of a word of a lower-cased text."""
    return re.compile(rf"(?<![a-z0-9]){any_of(map(re.escape, formats_by_prefix()))}")


#: Prefixes of one part that are no end of a word; those of two ("sk_live_", "github_pat_") are none either.
_COINED: Final = frozenset(
    "ghp_ gho_ ghu_ ghs_ ghr_ glpat- npm_ pypi- xoxb- xoxp- xoxa- xoxr- xoxs- xapp- whsec_ shpat_ shpca_ shppa_ shpss_ "
    "pplx- tvly- figd_ glsa_ sntrys_ xkeysib- xsmtpsib- pcsk_ nvapi- akia asia hrku- sbp_ gsk_ jina_ dckr_pat_".split()
)
_TWO_PARTS: Final = re.compile(r"[a-z0-9]{2,12}[_-][a-z0-9]{2,12}[_-](?:[a-z0-9]{2,12}[_-])?")


@cache
def glued_prefix_pattern() -> re.Pattern[str]:
    """Finds the prefixes that are known for what they are with a letter before them, in a lower-cased text."""
    known = [prefix for prefix in formats_by_prefix() if prefix in _COINED or _TWO_PARTS.fullmatch(prefix)]
    return re.compile(rf"(?<=[a-z0-9]){any_of(map(re.escape, known))}")


@cache
def body_pattern(body: str, *, any_case: bool) -> re.Pattern[str]:
    """`body` with the rest of the word: a token longer than documented is taken whole."""
    return re.compile(rf"(?:{body})[A-Za-z0-9]{{0,600}}", re.IGNORECASE if any_case else 0)
