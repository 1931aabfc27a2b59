"""Identifiers, checksums, links and numbers that are no secrets and nobody's data: they must come through untouched."""

from __future__ import annotations

import pytest

from retentive.redaction import redact

IDENTIFIERS = r"""
password: $2b$12$Kq7Zx2Lm9Wc4Tn5Vb8Rd3uYf1Gs6Hj0Pk2Ea7Oi4Ub9Nc5Xv1Zl
the deploy key is ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHq3Zk1mW7p0c9sR4tXvB2nL8yQfJdGk5aEoUiMzNxWb ci@build
secret badge ![x](data:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADsKq7Zx2Lm9Wc4Tn5Vb8Rd3)
call 12345678-1234-4123-8123-123456789012 the phone record
cus_NffrFeUfNV2Hib is the Stripe customer
evt_1NG8Du2eZvKYlo2CUI79vXWy was the webhook event
pi_3MtwBwLkdIwHu7ix28a3tqPa failed twice
acct_1032D82eZvKYlo2C is our connected account
the GitHub commit is 9fceb02d0ae598e95dc970b74767f19372d61af8
see https://github.com/acme/repo/blob/9fceb02d0ae598e95dc970b74767f19372d61af8/src/token.py#L10
docker pull acme/api@sha256:9b2f1c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9
Slack channel C024BE91L and user U2147483697
Slack team T0G9PQBBK
Discord server id 81384788765712384
Telegram chat id -1001234567890
the Google Analytics id is UA-123456789-1 or G-ABCDEF1234
GTM-ABC1234 container
AWS account 123456789012, region us-east-1, instance i-0abcd1234efgh5678
arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-AbCdEf
vpc-0a1b2c3d4e5f67890 and subnet-0123456789abcdef0
ami-0c55b159cbfafe1f0
Twilio account SID AC0123456789abcdef0123456789abcdef is public
Zoom meeting 845 1234 5678
https://zoom.us/j/84512345678
https://meet.google.com/abc-defg-hij
https://www.figma.com/file/aBcD1234eFgH5678iJkL90/Design-System
https://docs.google.com/spreadsheets/d/1aBcD2eFgH3iJkL4mNoP5qRsT6uVwX7yZ8aBcD9eFgH0/edit#gid=0
https://trello.com/c/aBcD1234/12-fix-token-bug
https://www.notion.so/acme/Roadmap-2f1e0d9c8b7a69584736251403f2e1d0
https://linear.app/acme/issue/ENG-1234/rotate-api-keys
https://open.spotify.com/playlist/37i9dQZF1DXcBWIGoYBM5M
https://www.dropbox.com/s/a1b2c3d4e5f6g7h/photo.jpg
https://imgur.com/a/AbC12dE
https://gist.github.com/octocat/6cad326836d38bd3a7ae
https://www.npmjs.com/package/jsonwebtoken
https://example.com/?utm_source=newsletter&utm_campaign=spring_2024&gclid=EAIaIQobChMI7tiyh9vC_gIVjQCtBh0
https://www.facebook.com/photo?fbid=10160123456789012
https://twitter.com/x/status/1750123456789012345
asin B08N5WRWNW
doi 10.1038/s41586-020-2649-2
arXiv:2303.08774v3
PMID 31452104
CVE-2021-44228 affects log4j-core-2.14.1
SKU: WH-1000XM4-B
model number RT-AX88U
serial number C02XK0AXJGH5
IMEI 356938035643809
license plate 7ABC123
confirmation number X7K9QZ
flight AA1234 PNR QWERTY
FedEx tracking 7489 1234 5678
UPS tracking 1Z999AA10123456784
USPS 9400111899223197428490
DHL JD014600003828392735
invoice no. 2024-INV-00012345
case #00123456
ticket JIRA-12345
PO number 4500012345
ISBN 0-306-40615-2
ISSN 2049-3630
EAN 5901234123457
GTIN-14 10614141543219
account manager: Jane
routing number 021000021
SWIFT DEUTDEFF500
BIC BOFAUS3NXXX
VAT DE123456789
company number 01234567
git rev-parse HEAD -> 3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a
revision 3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a deployed, token cache cleared
md5 5d41402abc4b2a76b9719d911017c592
sha1 aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d
sha512-1b2m2Y8AsgTpgAmY7PhCfg1b2m2Y8AsgTpgAmY7PhCfgQQz1b2m2Y8AsgTpgAmY7PhCfgQQzQQz1b2m2Y8AsgTpg==
checksum: 7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069
fingerprint SHA256:uNiVztksCsDhcc0u9e8BxrJXVGDPZk5a8sJd4Qw2eXY
SSH host key fingerprint is SHA256:uNiVztksCsDhcc0u9e8BxrJXVGDPZk5a8sJd4Qw2eXY.
ed25519 fingerprint MD5:43:51:43:a1:b5:fc:8b:b7:0a:3a:a9:b1:0f:66:73:a8
ipfs QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPzvE
tx 0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060 confirmed
wallet address 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
send BTC to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa
bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq
solana 7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV
ENS vitalik.eth
-----BEGIN PGP PUBLIC KEY BLOCK-----
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7abc user@host
"""

NUMBERS = """
the year 2024-2025 was good
from 10:30 to 11:45 on 2024-03-15
2024/03/15 10:30:00
1,234,567 people
order 123-4567890-1234567
tracking number 9400 1000 0000 0000 0000 00
ISBN 978-3-16-148410-0
part 12345-67890
pages 100-120, 200-220
score 21-15 21-18
lat 48.8566 lon 2.3522
-33.8688 151.2093
12.345.678 inhabitants
$1,000,000 - $2,000,000
192.168.1.10 and 10.0.0.1
version 4.18.0.553
the hash a94a8fe5ccb19ba61c4c0873d391e987982fbbd3
1700000000 and 1700000000000
room 101-102
100 000 000 euros
1 000 000
3 500 000 dollars
2 to 3 weeks, 10 to 15 cm
section 1.2.3.4.5
ratio 16:9, 4:3
01:23:45:67
mac aa:bb:cc:dd:ee:ff
a::b in C++ std::vector<int>::iterator
12:34
team @alice @bob
foo@bar
user@localhost
git@github.com:a/b.git
npm i react@18.2.0
@app.route("/x")
item #1234567890
id 12345678901
SKU 4006381333931
EAN 4006381333931
GTIN 00012345600012
invoice 2024-000123
IMEI 490154203237518
bitcoin block 840000
zip 94103-1234
9-1-1
24/7/365
5G 3.5GHz 1920x1080 60Hz
RFC 2616, ISO 8601, CVE-2024-12345
08-15 1200 kcal, 30-40-30
1.5-2.5 kg
call me at 10 or 11
number 42 1337
Windows 10.0.19045.3803
DE is the code for Germany, FR75 is a region
AB123456 C
A1B2C3D4E5
temperature -10 to 25
since 1990 1995 2000 2005
phone model 6700 3310 8210
win 3-2, 4-1, 5-0
account ending 4242
Jan 15 2024 10 30 00
0123456789

"""


@pytest.mark.parametrize("text", [line for line in (IDENTIFIERS + NUMBERS).splitlines() if line])
def test_identifiers_and_numbers_come_through_untouched(text: str) -> None:
    assert redact(text).spans == ()
    assert redact(f"user: {text} ok?").text == f"user: {text} ok?"
