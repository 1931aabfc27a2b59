"""What looks like a secret or personal data and is none: it must come through untouched."""

from __future__ import annotations

import pytest

from retentive.redact import redact

NO_SECRETS = """
my account number is on the statement
the token expired yesterday
password reset link sent to your inbox
Please enter your password to continue
The password field is required.
password: string;
password: str = Field(min_length=8)
const { password, email } = req.body;
if (user.password === hash) return true
password_hash = bcrypt.hashpw(password.encode(), bcrypt.gensalt())
SECRET_KEY = os.getenv('SECRET_KEY', 'changeme')
api_key: ${{ secrets.API_KEY }}
token: {{ token }}
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Bearer token authentication is used by OAuth 2.0
Basic authentication is insecure
I use key-value stores like Redis
the keynote is at 10:30 in room B2-104
My keyboard model is Keychron K8-Pro-2024
session 12 of the course is about tokens
secret ingredient: 2 tbsp of sugar
my favourite song is Secret by Maroon5
the secretary is Anna-Lena2
Key takeaways: 1) plan, 2) execute
key: value
SELECT * FROM tokens WHERE id = 42
kubectl get secret my-secret -o yaml
docker pull nginx:1.25.3-alpine
commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad fixed the auth token bug
ETag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
https://github.com/acme/repo/commit/3b18e512dba79e4c8300dd08aeb37f8e728b8dad
https://www.youtube.com/watch?v=dQw4w9WgXcQ
https://www.amazon.com/dp/B08N5WRWNW?ref=ppx_yo_dt_b_asin_title_o00_s00
https://open.spotify.com/track/4uLU6hMCjMI75M1A2tKUQC?si=abc123
https://drive.google.com/file/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/view
arn:aws:iam::123456789012:role/MyRole
projects/my-project/secrets/my-secret/versions/1
my user id is 4f7e2a91-1c3d-4e5f-8a9b-0c1d2e3f4a5b
The order id is 2349-8812-AB and arrives Monday
flight LH1234 confirmation ABC123
call me at 5pm
I was born in 1987-06-05
version 1.2.3.4 is out
the meeting id is 845 1234 5678
pi = 3.141592653589793
phone battery 4000 mAh, model SM-G991B/DS
Room 1204, floor 12, seat 14C
The price is $1,299.99 or 1.199,00 EUR
ISBN-13: 978-3-16-148410-0
sum of 4242424242424241
the file IMG_20240315_123456.jpg
VIN 1HGBH41JXMN109186
MAC 00:1A:2B:3C:4D:5E
time 10:23:45.678 and 2024-03-15T10:23:45Z
color #ff00aa
tel aviv is nice
call function foo(123456789)
My bank is N26 and I pay with Visa
password strength: 80%
forgot password? click here
pass the salt
boarding pass B12345 for gate 7
I'll pass on COVID-19 stuff
the code is in src/auth/token_service.py
import { getToken } from '@auth/token-service-v2'
class TokenBucketRateLimiterV2
AccessTokenProviderFactoryBean
tokenizer = AutoTokenizer.from_pretrained("sentence-transformers/all-MiniLM-L6-v2")
max_new_tokens=512, temperature=0.7
the API returns 401 when the key is missing
x-request-id: 7f3a9c2e5b8d1f4a6c9e2b5d8f1a4c7e
"id_token_signed_response_alg": "RS256"
publicKey: 'BEl62iUYgUivxIkv69yViEuiBIa-Ib9-SkvMeAtA3LFgDzkrxZJjSgSnfckjBJuBkr3qBUYIHBQFLXYp5Nksh8U'
pk_live_51H8xYz2eZvKYlo2CAbcDefGhi
reCAPTCHA site key 6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI
my password manager is Bitwarden
Passwort vergessen? Hier klicken
das Passwort muss mindestens 12 Zeichen haben
la contraseña debe tener 8 caracteres
le mot de passe doit contenir 12 caractères
密码必须至少包含8个字符
パスワードは8文字以上です
пароль должен быть не короче 12 символов
hasło musi mieć 8 znaków
a senha deve ter 8 caracteres
wachtwoord vergeten?
my password is the same as before
password is case-sensitive
The password was changed last week
his password is really weak
token ring networks from 1985
MSFT is at $425.22, up 2.3%
see section 4.2.1.3 of the doc
my license plate is ABC-1234
The gate code is posted on the door
sha256sum: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
"version": "7.1.0", "resolved": "https://registry.npmjs.org/x/-/x-7.1.0.tgz"
Message-ID: <CAJ1xYz+abc123DEF456ghi789@mail.gmail.com>
kubernetes pod api-7d9f8b6c5d-x2x4z restarted
s3://my-bucket/path/key-2024-03-15.parquet
The secret is to use 2-3 cups of flour
key=lambda x: x[1]
for key, value in items.items():
cache_key = f"user:{user_id}:profile"
sort_key = 'created_at_desc_v2_2024'
base64 of hello: aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3Q=
my tokens: 5, your tokens: 7
Let's talk about API keys and how to rotate them
How do I generate an SSH key with ssh-keygen -t ed25519?
I set a reminder for 06 12 2024 at 10 30
Lottery numbers 06 12 24 31 40 45
2024-2025 season, 10-15 people, 100-200 euros
12 34 56 78 90
-----BEGIN CERTIFICATE----- TUlJQ29qQ0NBWXFnQXdJQkFnSUJBREFOQmdrcWhraUc5dzBCQVFzRkFEQmFNUXN3 -----END CERTIFICATE-----
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHq3Zk1mW7p0c9sR4tXvB2nL8yQfJdGk5aEoUiMzNxWb kim@desk
<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk">
"integrity": "sha512-oghVf4r+aukSgr6HGOzFH9218ShU/pbQYWR8MhJSuJ/kypsVPW8QQYq9ZMacpQvPJM7gv1/mY7OBgicIINuVN6=="
export GH_TOKEN=ghp_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX
mysql://root:password@127.0.0.1/test
aws_access_key_id = AKIAIOSFODNN7EXAMPLE
"""

NO_PERSONAL_DATA = """
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


@pytest.mark.parametrize("text", [line for line in (NO_SECRETS + NO_PERSONAL_DATA).splitlines() if line])
def test_ordinary_text_comes_through_untouched(text: str) -> None:
    assert redact(text).spans == ()
    assert redact(f"user: {text} ok?").text == f"user: {text} ok?"
