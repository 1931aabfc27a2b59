"""Ordinary talk, code and templates that only look like secrets: they must come through untouched."""

from __future__ import annotations

import pytest

from retentive.redaction import redact

ORDINARY = r"""
pk_test_TYooMQauvdEDq54NiTphI7jx
sb_publishable_abc123DEF456ghi789
firebase projectId: my-app-12345
"publishableKey": "pk_live_51HxYz2eZvKYlo2CAbCdEf"
API key: <API_KEY>
API_KEY=xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx
api_key = "INSERT_YOUR_KEY_HERE"
token = "<paste token>"
SECRET=changeme
password: hunter2
password: "********"
PASSWORD=$(cat /run/secrets/db)
password=$DB_PASSWORD
DB_PASSWORD: {{ .Values.db.password }}
DB_PASSWORD=%DB_PASSWORD%
password: !vault |
password: ENC[AES256_GCM,data:xxx]
Authorization: Bearer YOUR_ACCESS_TOKEN
Authorization: Bearer {access_token}
Authorization: Bearer ...
curl -H "Authorization: Bearer $OPENAI_API_KEY" https://api.openai.com/v1/models
curl -u "$USER:$PASS" https://x
curl -u username:password https://x
mysql -u root -p
mysql -u root -p$MYSQL_PWD
sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
sk-... is how OpenAI keys start
your key looks like sk-ant-api03-...
tokens start with ghp_ and are 40 characters long
AKIA followed by 16 uppercase characters
it has the form xoxb-<team>-<bot>-<secret>
eyJhbGciOiJIUzI1NiJ9 is the header of a JWT
-----BEGIN RSA PRIVATE KEY----- is the first line of such a file
regex: ^ghp_[A-Za-z0-9]{36}$
/sk_live_[0-9a-zA-Z]{24}/
the env var is called STRIPE_SECRET_KEY
set OPENAI_API_KEY in your shell
os.environ.get("DB_PASSWORD")
process.env.JWT_SECRET
config["api_key"]
config.get('secret_key', None)
System.getenv("API_TOKEN")
ENV['SECRET_KEY_BASE']
secrets.token_urlsafe(32)
token = jwt.encode(payload, key, algorithm="HS256")
hash_password(password, rounds=12)
if token.startswith("sk-"): ...
assert verify_password("x", hashed)
def get_secret(name: str) -> str:
password = input("Password: ")
password = prompt_for_password2(user)
pwd = os.getcwd()
cd $(pwd)/build-2024
key = (row.id, row.version2)
key = f"{user_id}:{item_id}"
secret = Secret(name="db-creds-v2")
token = tokens[i + 1]
tokens = text.split()
const token = localStorage.getItem('token')
const { data: session } = useSession()
session = requests.Session()
csrf_token() }}
<input type="password" name="password" placeholder="Enter password" id="pw1">
<label for="pass2">Password</label>
type: 'password', label: 'Password2'
passwordless login with WebAuthn2
the password policy requires 12 chars, 1 upper and 2 digits
passwords are hashed with bcrypt-2b, cost 12
password rotation every 90days
The password is stored in 1Password
use a password like "correct horse"
never share your password or PIN with anyone
what is the PIN code for 560001
pin 13 on the Arduino Uno R3
the pin is loose
my secret recipe uses 2kg of flour
secret level 4-2 in Mario
Top Secret clearance TS/SCI
Victoria's Secret PINK2024 sale
The Secret Life of Walter Mitty (2013)
key to success: 10,000 hours
F# minor key, 120bpm
press Ctrl+Shift+K key
keycode KEY_F12
the API key rotation runs every 30days
token count: 128k context
BPE tokens: Ġhello
ERC20 token USDC6 decimals
token economics (tokenomics) v2.1
bearer of bad news2024
auth0 and OAuth2.0 and OpenID-Connect1.0
auth flow: PKCE-S256
2FA is enabled, TOTP via Authenticator
my otp app is Authy24
session 3: Introduction to Python3.12
cookie recipe: 200g sugar, 2 eggs
Cookie: theme=dark; lang=en-US; tz=Europe/Berlin
Set-Cookie: locale=en; Path=/; Max-Age=31536000
basic auth is YWJj-like
Basic plan costs $12/month
we hooked up webhooks/v2 endpoints
connection string format: Server=...;Database=...;
jdbc:postgresql://localhost:5432/mydb
redis://localhost:6379/0
mongodb://localhost:27017
https://user@example.com@evil.test
postgresql://localhost/test?user=postgres
amqp://guest:guest@localhost:5672/
ftp://anonymous:anonymous@ftp.example.org
http://proxy.example:8080
git clone git@github.com:org/repo-2024.git
ssh -i ~/.ssh/id_ed25519 ubuntu@ec2-1-2-3-4.compute.amazonaws.com
aGVsbG8gd29ybGQsIHRoaXMgaXMganVzdCBhIHRlc3Q= decodes to a greeting
SGVsbG8sIFdvcmxkISBUaGlzIGlzIGJhc2U2NA==
data:text/plain;base64,SGVsbG8sIFdvcmxkIQ==
48656c6c6f20776f726c6421204869207468657265
UUIDv4 f47ac10b-58cc-4372-a567-0e02b2c3d479
client_id=f47ac10b-58cc-4372-a567-0e02b2c3d479
tenant_id: 72f988bf-86f1-41af-91ab-2d7cd011db47
trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7
X-Amzn-Trace-Id: Root=1-67891233-abcdef012345678912345678
correlation-id 7c9e6679-7425-40de-944b-e07fc1f90ae7
nanoid V1StGXR8_Z5jdHi6B-myT
cuid cjld2cjxh0000qzrmn831i7rn
ksuid 0ujtsYcgvSTl8PAuAdqWYSMnLOv
object id 507f1f77bcf86cd799439011
snowflake 175928847299117063
build 20240315.1234-a1b2c3d
webpack chunk main.3f2a1b0c9d8e.js
style.a1b2c3d4e5f6.css
css-1q2w3e4r5t6y
sc-bdvvtL kYxZbA
id="ember1234"
jsonwebtoken@9.0.2 bcrypt@5.1.1
node_modules/.pnpm/@babel+core@7.23.9/node_modules
python-3.12.1-amd64.exe
ubuntu-22.04.3-live-server-amd64.iso
Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/120.0.6099.130 Safari/537.36
gpt-4-turbo-2024-04-09 vs claude-3-5-sonnet-20241022
meta-llama/Llama-3.1-70B-Instruct
Qwen2.5-Coder-32B-Instruct-GGUF-Q4_K_M
stable-diffusion-xl-base-1.0
ATGCGTACGTTAGCATCGATCGATCGGCTAGCTAGCATCG
MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHF
CC(=O)OC1=CC=CC=C1C(=O)O
1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Ba4 Nf6
r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3
GPS 52.520008,13.404954
40.7128° N, 74.0060° W
what3words ///filled.count.soap
plus code 8FVC9G8F+6X
UTM 33U 391776 5820073
MGRS 33UUU9177620073
$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47
0xDEADBEEF 0xCAFEBABE
E = mc^2, 6.02214076e23
1.41421356237309504880168872420969807
1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377
lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor
the quick brown fox jumps over the lazy dog again and again
apple banana cherry grape lemon mango orange peach plum melon kiwi pear
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
========================================
abcdefghijklmnopqrstuvwxyz0123456789
ABCDEFGHIJKLMNOPQRSTUVWXYZ234567
0123456789abcdef0123456789abcdef
qwertyuiopasdfghjklzxcvbnm
my username is dana_k1988
login: dana1988
user dana1988 logged in from the app
my nickname is xX_Sniper99_Xx
gamer tag NinjaWolf2024
hashtag #SummerVibes2024
wifi network name is FRITZ!Box 7590 AB
SSID: Linksys_5G_EXT
hostname db-prod-01.internal
printer HP-LaserJet-M404dn
my car is a VW ID.4 2023
I live at number 12
order a size 42-44
password123 is the most common password
"qwerty123" is a terrible password
is P@ssw0rd a bad password?
the default password is admin
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
Authorization: Bearer $MY_TOKEN
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


@pytest.mark.parametrize("text", [line for line in ORDINARY.splitlines() if line])
def test_talk_and_code_come_through_untouched(text: str) -> None:
    assert redact(text).spans == ()
    assert redact(f"user: {text} ok?").text == f"user: {text} ok?"
