"""Secrets that words, names, headers, commands and URLs announce, in the languages people chat in."""

from __future__ import annotations

import pytest

from retentive.redaction import redact

ANNOUNCED = [
    ("my password is: Sunflower!42", "Sunflower!42"),
    ("My new password is now Kz8#mQ2p", "Kz8#mQ2p"),
    ("password → Qw3rty!zx", "Qw3rty!zx"),
    ("the admin password: `Tr0ub4dor&3`", "Tr0ub4dor&3"),
    ("Passwort: Sommer2024!", "Sommer2024!"),
    ("Das WLAN-Passwort ist Gartenzwerg77", "Gartenzwerg77"),
    ("Mein Kennwort heißt blauerHimmel9", "blauerHimmel9"),
    ("das Passwort für den Server lautet Xk29!lam", "Xk29!lam"),
    ("mi contraseña es Girasol2024", "Girasol2024"),
    ("La contraseña del wifi es Tortuga#88", "Tortuga#88"),
    ("contraseña: Lobo_Azul9", "Lobo_Azul9"),
    ("la clave del correo es Perro123x", "Perro123x"),
    ("mon mot de passe est Soleil!2023", "Soleil!2023"),
    ("le mot de passe du wifi c'est Baguette75", "Baguette75"),
    ("Mot de passe : Chat-Noir-99", "Chat-Noir-99"),
    ("le mdp est Fromage88!", "Fromage88!"),
    ("minha senha é Girafa@2024", "Girafa@2024"),
    ("a senha do banco: Tatu$4455", "Tatu$4455"),
    ("senha = abacaxi99X", "abacaxi99X"),
    ("la mia password è Gatto2023!", "Gatto2023!"),
    ("la password del router è Pizza$99", "Pizza$99"),
    ("parola d'ordine: Colosseo7!", "Colosseo7!"),
    ("mijn wachtwoord is Tulp1234!", "Tulp1234!"),
    ("het wachtwoord van de wifi is Fiets#2022", "Fiets#2022"),
    ("moje hasło to Zamek2024!", "Zamek2024!"),
    ("hasło do wifi: Kotek#11", "Kotek#11"),
    ("мой пароль Berezka2024", "Berezka2024"),
    ("мой пароль: Берёза2024!", "Берёза2024!"),
    ("пароль от почты — Zima#2023", "Zima#2023"),
    ("我的密码是 Panda2024!", "Panda2024!"),
    ("密码：Xiong_Mao88", "Xiong_Mao88"),
    ("wifi密码为Dragon#99，记住", "Dragon#99"),
    ("登录密码改成了Abc!2345", "Abc!2345"),
    ("パスワードは Sakura#2024 です", "Sakura#2024"),
    ("パスワード：Fuji_San9!", "Fuji_San9!"),
    ("비밀번호는 Kimchi2024! 입니다", "Kimchi2024!"),
    ("비밀번호: Seoul#88", "Seoul#88"),
    ("şifrem Istanbul1453!", "Istanbul1453!"),
    ("şifre: Kebap#42", "Kebap#42"),
    ("كلمة المرور هي Nile2024!", "Nile2024!"),
    ("كلمة السر: Cairo#99x", "Cairo#99x"),
    ("मेरा पासवर्ड Lotus2024! है", "Lotus2024!"),
    ("mật khẩu của tôi là PhoBo2024!", "PhoBo2024!"),
    ("kata sandi saya adalah Rendang99!", "Rendang99!"),
    ("mitt lösenord är Köttbulle7!", "Köttbulle7!"),
    ("min adgangskode er Hygge#2024", "Hygge#2024"),
    ("salasanani on Sauna2024!", "Sauna2024!"),
    ("heslo je Pivo2024!", "Pivo2024!"),
    ("ο κωδικός μου είναι Athina2004!", "Athina2004!"),
    ("log in with admin / Str0ngP@ss", "Str0ngP@ss"),
    ("user: bob, pass: Gh7$kkL2", "Gh7$kkL2"),
    ("username admin password Winter2023!", "Winter2023!"),
    ("creds are root:Kx9!vv3z", "Kx9!vv3z"),
    ("login: dana@corp.example / Zebra!9921", "Zebra!9921"),
    ("Kx9!vv3zT is my password", "Kx9!vv3zT"),
    ("use Kx9!vv3zT as the password", "Kx9!vv3zT"),
    ("pw: hX9_kfj2", "hX9_kfj2"),
    ("p/w is hX9_kfj2", "hX9_kfj2"),
    ("passwd=hX9_kfj2", "hX9_kfj2"),
    ("pwd hX9_kfj2", "hX9_kfj2"),
    ("password is correct-horse-battery-staple", "correct-horse-battery-staple"),
    ('the passphrase is "correct horse battery staple"', "correct horse battery staple"),
    ("my passcode is 837261", "837261"),
    ("my pin is 4821", "4821"),
    ("spring.datasource.password=Gh7$kkL2", "Gh7$kkL2"),
    ("<password>Gh7$kkL2</password>", "Gh7$kkL2"),
    ('<add key="Password" value="Gh7$kkL2" />', "Gh7$kkL2"),
    ("DB_PASS='Gh7$kkL2'", "Gh7$kkL2"),
    ("password = 'Gh7$kkL2'", "Gh7$kkL2"),
    ('"db_password" : "Gh7$kkL2"', "Gh7$kkL2"),
    ("export PGPASSWORD=Gh7kkL2zz", "Gh7kkL2zz"),
    ("ALTER USER app WITH PASSWORD 'Gh7kkL2zz';", "Gh7kkL2zz"),
    ("CREATE USER 'x'@'%' IDENTIFIED BY 'Gh7kkL2zz';", "Gh7kkL2zz"),
    ("psql 'host=db user=app password=Gh7kkL2zz'", "Gh7kkL2zz"),
    ("Authorization: Basic ZGFuYTpTdXBlclNlY3JldDEyMw==", "ZGFuYTpTdXBlclNlY3JldDEyMw=="),
    ("-H 'X-Api-Key: 7f3a9c2e5b8d1f4a6c9e2b5d8f1a4c7e'", "7f3a9c2e5b8d1f4a6c9e2b5d8f1a4c7e"),
    ("Authorization: Token 7f3a9c2e5b8d1f4a6c9e2b5d8f1a4c7e99aabbcc", "7f3a9c2e5b8d1f4a6c9e2b5d8f1a4c7e99aabbcc"),
    (
        "Authorization: ApiKey VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybHAyYXhUTm1zeWFrdzl0dk5udw==",
        "VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybHAyYXhUTm1zeWFrdzl0dk5udw==",
    ),
    (
        'Authorization: Digest username="Mufasa", response="6629fae49393a05397450978507c4ef1"',
        "6629fae49393a05397450978507c4ef1",
    ),
    ("proxy-authorization: basic dXNlcjpwYXNzd29yZDEyMw==", "dXNlcjpwYXNzd29yZDEyMw=="),
    (
        (
            "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=s6xLHxt6tVBW9xdJpHZEQE5sl1T+e8kT"
            "FwHGl93EzucWpKeqTN9UGZTBw60VhpEDpuyKPxJ7rQF3vUH7JoUOiS==;EndpointSuffix=core.windows.net"
        ),
        "s6xLHxt6tVBW9xdJpHZEQE5sl1T+e8kTFwHGl93EzucWpKeqTN9UGZTBw60VhpEDpuyKPxJ7rQF3vUH7JoUOiS==",
    ),
    (
        (
            "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=Zk4Qef12GH"
            "ij34KLmn56OPqr78STuv90WXyz12ABcd3="
        ),
        "Zk4Qef12GHij34KLmn56OPqr78STuv90WXyz12ABcd3=",
    ),
    ("mongodb+srv://app:p%40ssW0rd9@cluster0.abc.mongodb.net/x", "p%40ssW0rd9"),
    ("amqp://guest2:Rabbit99x@mq:5672/", "Rabbit99x"),
    ("smtp://mailer:Sm7pPass!x@smtp.example.com:587", "Sm7pPass!x"),
    ("mssql://sa:Yolo@123x@sql:1433/db", "Yolo@123x"),
    ("jdbc:oracle:thin:scott/Tiger99x@//db:1521/orcl", "Tiger99x"),
    ("jdbc:mysql://db/x?user=root&password=Zq9zz81k", "Zq9zz81k"),
    ("Data Source=x;User Id=sa;Pwd=Zq9zz81k;", "Zq9zz81k"),
    ("ldap://cn=admin:Zq9zz81k@ldap.example", "Zq9zz81k"),
    ("snowflake://u:Zq9zz81k@acct/db", "Zq9zz81k"),
    ("https://hooks.slack.com/services/T01ABCD2EFG/B02HIJK3LMN/aBcDeFgHiJkLmNoPqRsTuVwX", "aBcDeFgHiJkLmNoPqRsTuVwX"),
    (
        (
            "https://discord.com/api/webhooks/912345678901234567/abcDEF123_ghiJKL456-mnoPQR789stuVWX012y"
            "zABCD345efGH678ijKL90mnOP"
        ),
        "abcDEF123_ghiJKL456-mnoPQR789stuVWX012yzABCD345efGH678ijKL90mnOP",
    ),
    (
        (
            "https://acme.webhook.office.com/webhookb2/11111111-2222-3333-4444-555555555555@66666666-777"
            "7-8888-9999-000000000000/IncomingWebhook/abcdef0123456789abcdef0123456789/aaaaaaaa-bbbb-ccc"
            "c-dddd-eeeeeeeeeeee"
        ),
        "abcdef0123456789abcdef0123456789",
    ),
    (
        (
            "https://myacct.blob.core.windows.net/c/f.txt?sv=2022-11-02&sr=b&sig=Z3hKd8sPq2LmN9vB7xCwErT"
            "5yU1iO0pAsDfGhJkL%2BM%3D&se=2026-01-01"
        ),
        "Z3hKd8sPq2LmN9vB7xCwErT5yU1iO0pAsDfGhJkL%2BM%3D",
    ),
    (
        (
            "https://b.s3.amazonaws.com/k?X-Amz-Credential=x&X-Amz-Signature=5d672d79c15b13162d9279b0855"
            "cfba6789a8edb4c82c400e06b5924a6f2b5d7"
        ),
        "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
    ),
    ("https://app.example.com/reset-password/3f8a7c1e9b2d4f6a8c0e2b4d6f8a1c3e", "3f8a7c1e9b2d4f6a8c0e2b4d6f8a1c3e"),
    ("https://example.com/magic-link?token=aB3dE5fG7hJ9kL1mN3pQ", "aB3dE5fG7hJ9kL1mN3pQ"),
    (
        "Cookie: session=eyJ1c2VyIjoxfQ.ZkX9aA.3fK2lmNopQrStUvWxYz0123456",
        "eyJ1c2VyIjoxfQ.ZkX9aA.3fK2lmNopQrStUvWxYz0123456",
    ),
    ("Set-Cookie: JSESSIONID=1A2B3C4D5E6F7A8B9C0D1E2F3A4B5C6D; Path=/", "1A2B3C4D5E6F7A8B9C0D1E2F3A4B5C6D"),
    ("cookies = {'sid': 'k9Xz71mQp04LrT2vBn8sYw'}", "k9Xz71mQp04LrT2vBn8sYw"),
    ("Cookie: ASP.NET_SessionId=qk3h5zqv2tmyzl45a0xwbn55", "qk3h5zqv2tmyzl45a0xwbn55"),
    (
        "wallet seed: witch collapse practice feed shame open despair creek road again ice least",
        "witch collapse practice feed shame open despair creek road again ice least",
    ),
    (
        "legal winner thank year wave sausage worth useful legal winner thank yellow",
        "legal winner thank year wave sausage worth useful legal winner thank yellow",
    ),
    (
        (
            "my 12 words are: 1. witch 2. collapse 3. practice 4. feed 5. shame 6. open 7. despair 8. cr"
            "eek 9. road 10. again 11. ice 12. least, metamask"
        ),
        "witch 2. collapse",
    ),
    ("2FA secret: JBSW Y3DP EHPK 3PXP JBSW Y3DP", "JBSW Y3DP EHPK 3PXP JBSW Y3DP"),
    ("my totp key is JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"),
    ("backup codes: 8f3k-29dk, 1kd9-44ls, 77ab-0d9f", "8f3k-29dk"),
    ("The Cohere one is I4wDHVyMSD1RIGyFQW87yBie01ZCkKtg185c2f06", "I4wDHVyMSD1RIGyFQW87yBie01ZCkKtg185c2f06"),
    ("MISTRAL_API_KEY=9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT9u", "9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT9u"),
    ("HEROKU_API_KEY=12345678-abcd-4ef0-9876-0123456789ab", "12345678-abcd-4ef0-9876-0123456789ab"),
    ("twilio auth token 8f14e45fceea167a5a36dedd4bea2543", "8f14e45fceea167a5a36dedd4bea2543"),
    ("algolia admin key f4b2a9c8d7e6f5a4b3c2d1e0f9a8b7c6", "f4b2a9c8d7e6f5a4b3c2d1e0f9a8b7c6"),
    (
        "set the datadog app key to 75d46df1f99b35c0a88a6815d46ce35e61d79350 pls",
        "75d46df1f99b35c0a88a6815d46ce35e61d79350",
    ),
    ("wandb login 8f14e45fceea167a5a36dedd4bea25438f14e45f", "8f14e45fceea167a5a36dedd4bea25438f14e45f"),
    ("client_secret: 'x8Q~kJ3.fD2_mN5vB7xCwErT5yU1iO0pAsDfGhJkL'", "x8Q~kJ3.fD2_mN5vB7xCwErT5yU1iO0pAsDfGhJkL"),
    ("JWT_SECRET=my0wnS3cretSigningK3y!!", "my0wnS3cretSigningK3y!!"),
    ("app.secret_key = 'f3cfe9ed8fae309f02079dbf'", "f3cfe9ed8fae309f02079dbf"),
    ("RAILS_MASTER_KEY=0a1b2c3d4e5f60718293a4b5c6d7e8f9", "0a1b2c3d4e5f60718293a4b5c6d7e8f9"),
    (
        (
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\nlQOYBF0abcABCADf1234567890abcde"
            "fghijklmnopqrstuvwxyz\n=AbCd\n-----END PGP PRIVATE KEY BLOCK-----"
        ),
        "lQOYBF0abcABCADf1234567890abcdefghijklmnopqrstuvwxyz",
    ),
    (
        (
            '{"private_key": "-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEA'
            'AoIBAQC7\\nabc123ABC456\\n-----END PRIVATE KEY-----\\n"}'
        ),
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\\nabc123ABC456",
    ),
    (
        "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIGlRHQKm1Kq9mYvQeJ2abcABCDEF123",
        "MHcCAQEEIIGlRHQKm1Kq9mYvQeJ2abcABCDEF123",
    ),
    ("sshpass -p S3cr3tPw! ssh root@h", "S3cr3tPw!"),
    ("curl -u admin:S3cr3tPw! https://x", "S3cr3tPw!"),
    ("docker login -u bob -p S3cr3tPw! reg.example", "S3cr3tPw!"),
    ("redis-cli -h x -a S3cr3tPw99 ping", "S3cr3tPw99"),
    ("mysqldump -uroot -pS3cr3tPw99 db", "S3cr3tPw99"),
    ("PGPASSWORD=S3cr3tPw99 psql -h x", "S3cr3tPw99"),
    ("echo 'S3cr3tPw99' | sudo -S apt update", "S3cr3tPw99"),
    ("openssl enc -pass pass:S3cr3tPw99", "S3cr3tPw99"),
    ("az login -u x -p S3cr3tPw99", "S3cr3tPw99"),
    ("net use Z: \\\\srv\\share /user:dom\\bob S3cr3tPw99", "S3cr3tPw99"),
    ("wget --user=bob --password=S3cr3tPw99 http://x", "S3cr3tPw99"),
    ("mongosh -u root -p S3cr3tPw99 --host x", "S3cr3tPw99"),
    ("passw0rd: Kx9!vv3zT", "Kx9!vv3zT"),
    ("p a s s w o r d is Kx9!vv3zT", "Kx9!vv3zT"),
    ("my p4ssw0rd is Kx9!vv3zT", "Kx9!vv3zT"),
    ("ＰＡＳＳＷＯＲＤ＝Kx9vv3zTq", "Kx9vv3zTq"),
    ("key part 1: ghp_Zk4Qef12GHij34KL part 2: mn56OPqr78STuv90WXyz", "mn56OPqr78STuv90WXyz"),
    ("token starts with ghp_aztCrv8M5Ag7Mrz5 and ends with etdKpRRFo1dHullexk1w", "etdKpRRFo1dHullexk1w"),
    ("ghp[_]x0etFltzXyMT3ysLtljUWegZldkNW4gWNea4", "x0etFltzXyMT3ysLtljUWegZldkNW4gWNea4"),
    ("X-Vault-Token: s.Zk4Qef12GHij34KLmn56OPqr", "s.Zk4Qef12GHij34KLmn56OPqr"),
    ("kubectl config set-credentials x --token=Zk4Qef12GHij34KLmn56", "Zk4Qef12GHij34KLmn56"),
    ('terraform: access_key = "ASIAY34FZKBOKMUTVV7A"', "ASIAY34FZKBOKMUTVV7A"),
    ("aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCYzEKeyAbCd012", "wJalrXUtnFEMIK7MDENGbPxRfiCYzEKeyAbCd012"),
    (
        "wallet private key 5Kb8kLf9zgWQnogidDA76MzPL6TsZZY36hWXMssSzNydYXYB9KF",
        "5Kb8kLf9zgWQnogidDA76MzPL6TsZZY36hWXMssSzNydYXYB9KF",
    ),
    (
        (
            "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3T"
            "GtRBeJgk33yuGBxrMPHi"
        ),
        (
            "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3T"
            "GtRBeJgk33yuGBxrMPHi"
        ),
    ),
    (
        "eth key 0x32ba636629960a6979213587132cfff6e27eab4901ec5e278f7dfb1658ce18fb don't share",
        "32ba636629960a6979213587132cfff6e27eab4901ec5e278f7dfb1658ce18fb",
    ),
    # the many ways to say it
    ("netflix pw → Mango#2291x", "Mango#2291x"),
    ("root password on the NAS is still Pa55-Nas-77", "Pa55-Nas-77"),
    ("ssh root@10.0.0.5 password Kiwi8812!", "Kiwi8812!"),
    ("pass: Kiwi8812!", "Kiwi8812!"),
    ("Pass = Kiwi8812!", "Kiwi8812!"),
    ("PW:Kiwi8812!", "Kiwi8812!"),
    ("Login admin Passwort Kiwi8812!", "Kiwi8812!"),
    ("Username: admin\nPassword: Kiwi8812!", "Kiwi8812!"),
    ("username/password is admin/Kiwi8812!", "Kiwi8812!"),
    ("admin:Kiwi8812! are the creds", "Kiwi8812!"),
    ("use Kiwi8812! to log in", "Kiwi8812!"),
    ("the secret word is Kiwi8812!", "Kiwi8812!"),
    ("my master password (Bitwarden) is Kiwi8812! keep it safe", "Kiwi8812!"),
    ("Remember: the guest wifi is called CafeNet and the password is Espresso2024", "Espresso2024"),
    ("wifi: CafeNet / Espresso2024", "Espresso2024"),
    ("WPA2 key: Espresso2024", "Espresso2024"),
    ("the passcode for my phone is 593821", "593821"),
    ("my bank PIN's 0847", "0847"),
    ("my card pin: 0847", "0847"),
    ("PIN: 0847", "0847"),
    ("PIN code 0847 for the visa", "0847"),
    ("mi PIN es 0847", "0847"),
    ("meine PIN ist 0847", "0847"),
    ("密码是0847xx99", "0847xx99"),
    ("el pin de mi tarjeta es 0847", "0847"),
    ("CVV 123", "123"),
    ("the CVC is 456", "456"),
    ("4111 1111 1111 1111 exp 12/27 cvv 123", "123"),
    ("I changed my password from Apple1234x to Pear5678y", "Pear5678y"),
    ("I changed my password from Apple1234x to Pear5678y", "Apple1234x"),
    ("old password Apple1234x, new password Pear5678y", "Pear5678y"),
    ("Password is Pear5678y.", "Pear5678y"),
    ("Password is 'Pear5678y'.", "Pear5678y"),
    ("Password is **Pear5678y**", "Pear5678y"),
    ("user,password\nbob,Pear5678y", "Pear5678y"),
    ("password\nPear5678y", "Pear5678y"),
    ("Password:\n  Pear5678y", "Pear5678y"),
    ("password - Pear5678y", "Pear5678y"),
    ("passwords: Pear5678y, Plum9999z", "Plum9999z"),
    ("his password? Pear5678y", "Pear5678y"),
    ("password?? Pear5678y lol", "Pear5678y"),
    ("Q: password A: Pear5678y", "Pear5678y"),
    ("the password being Pear5678y", "Pear5678y"),
    ("password equals Pear5678y", "Pear5678y"),
    ("password would be Pear5678y", "Pear5678y"),
    ("password, which is Pear5678y,", "Pear5678y"),
    ("password is (case sensitive) Pear5678y", "Pear5678y"),
    ('password is: "Pear5678y"', "Pear5678y"),
    ("Her pwd: Pear5678y;", "Pear5678y"),
    ("passwort=Pear5678y", "Pear5678y"),
    ("zip password Pear5678y", "Pear5678y"),
    ("unlock with Pear5678y", "Pear5678y"),
    ("$env:API_KEY = 'q9Zk4Lm2Xw8Tn5Vb7Rc3'", "q9Zk4Lm2Xw8Tn5Vb7Rc3"),
    ("set API_KEY=q9Zk4Lm2Xw8Tn5Vb7Rc3", "q9Zk4Lm2Xw8Tn5Vb7Rc3"),
    ("setx TOKEN q9Zk4Lm2Xw8Tn5Vb7Rc3", "q9Zk4Lm2Xw8Tn5Vb7Rc3"),
    ("ARG NPM_TOKEN=q9Zk4Lm2Xw8Tn5Vb7Rc3", "q9Zk4Lm2Xw8Tn5Vb7Rc3"),
    ("-e API_TOKEN=q9Zk4Lm2Xw8Tn5Vb7Rc3 image", "q9Zk4Lm2Xw8Tn5Vb7Rc3"),
    ("--set auth.token=q9Zk4Lm2Xw8Tn5Vb7Rc3", "q9Zk4Lm2Xw8Tn5Vb7Rc3"),
    ("api-key: q9Zk4Lm2", "q9Zk4Lm2"),
    ("apikey=q9Zk4Lm2Xw", "q9Zk4Lm2Xw"),
    ("X-Auth-Token: q9Zk4Lm2Xw8Tn5Vb7Rc3", "q9Zk4Lm2Xw8Tn5Vb7Rc3"),
    ("headers={'x-api-key': 'q9Zk4Lm2Xw8Tn5Vb7Rc3'}", "q9Zk4Lm2Xw8Tn5Vb7Rc3"),
    (
        "secret_key_base: 8f14e45fceea167a5a36dedd4bea25438f14e45fceea167a5a36dedd4bea2543",
        "8f14e45fceea167a5a36dedd4bea25438f14e45fceea167a5a36dedd4bea2543",
    ),
    (
        "access key id AKIAQ4Z7LMWX5TNVBRC3 secret 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",
        "q9Zk4Lm2Xw8Tn5Vb7Rc3Yd1Fs6Hg0Jp+KuEi/OaQ",
    ),
    ("HMAC secret: 'kJ8#mQ2p!xZ9'", "kJ8#mQ2p!xZ9"),
    ("signing key = 0f1e2d3c4b5a69788796a5b4c3d2e1f0", "0f1e2d3c4b5a69788796a5b4c3d2e1f0"),
    ("the encryption passphrase: orbit-lamp-violin-stone", "orbit-lamp-violin-stone"),
    ("client secret q9Zk4Lm2Xw8Tn5Vb7Rc3", "q9Zk4Lm2Xw8Tn5Vb7Rc3"),
    ("refresh_token=1//0gq9Zk4Lm2Xw8Tn5Vb7Rc3Yd1Fs6Hg0Jp", "1//0gq9Zk4Lm2Xw8Tn5Vb7Rc3Yd1Fs6Hg0Jp"),
    ("session token: q9Zk4Lm2Xw8Tn5Vb7Rc3Yd1F", "q9Zk4Lm2Xw8Tn5Vb7Rc3Yd1F"),
    ("OAuth code=4/0AX4XfWq9Zk4Lm2Xw8Tn5Vb7Rc3Yd1Fs6Hg0Jp", "4/0AX4XfWq9Zk4Lm2Xw8Tn5Vb7Rc3Yd1Fs6Hg0Jp"),
    ("https://x.example/share?sig=q9Zk4Lm2Xw8Tn5Vb7Rc3Yd1F", "q9Zk4Lm2Xw8Tn5Vb7Rc3Yd1F"),
    (
        "https://x.example/dl?X-Goog-Signature=0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
        "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
    ),
    (
        (
            "tls.key: |\n  -----BEGIN EC PRIVATE KEY-----\n  MHcCAQEEIGq9Zk4Lm2Xw8Tn5Vb7Rc3Yd1Fs6Hg0JpKu"
            "EiOaQ\n  oAoGCCqGSM49AwEHoUQDQgAEq9Zk4Lm2Xw8Tn5Vb7Rc3Yd1Fs6Hg0JpKuEiOaQ==\n  -----END EC PR"
            "IVATE KEY-----"
        ),
        "oAoGCCqGSM49AwEHoUQDQgAEq9Zk4Lm2Xw8Tn5Vb7Rc3Yd1Fs6Hg0JpKuEiOaQ==",
    ),
    (
        "-----BEGIN ENCRYPTED PRIVATE KEY-----MIIFHDBOBgkqhkiG9w0BBQ0wQTApBgkq-----END ENCRYPTED PRIVATE KEY-----",
        "MIIFHDBOBgkqhkiG9w0BBQ0wQTApBgkq",
    ),
    (
        "nostr nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5",
        "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5",
    ),
    (
        "stellar secret SBZVMB74Z76QZ3ZOY7UTDFYKMEGKW5XFJEB6PFKBF4UYSSWHG4EDH7PY",
        "SBZVMB74Z76QZ3ZOY7UTDFYKMEGKW5XFJEB6PFKBF4UYSSWHG4EDH7PY",
    ),
    ("รหัสผ่านของฉันคือ Dokmai4821!", "Dokmai4821!"),
    ("mot_de_passe=Lavande4821", "Lavande4821"),
]


@pytest.mark.parametrize(("text", "secret"), ANNOUNCED)
def test_announced_secrets_do_not_come_through(text: str, secret: str) -> None:
    result = redact(text)
    start = text.index(secret)
    covered = {i for span in result.spans for i in range(span.start, span.end)}
    assert all(i in covered or text[i].isspace() for i in range(start, start + len(secret))), result


def test_the_rest_of_the_sentence_stays() -> None:
    assert redact("mein Passwort lautet Gartenzwerg77, bitte merken").text == (
        "mein Passwort lautet [REDACTED:password], bitte merken"
    )
    assert redact("postgres://app:Zq9zz81k@db.internal:5432/shop").text == (
        "postgres://app:[REDACTED:url_credential]@db.internal:5432/shop"
    )


def test_a_value_that_was_announced_once_is_taken_out_everywhere() -> None:
    result = redact("password: Gartenzwerg77\n\nlater: did Gartenzwerg77 work?")
    assert "Gartenzwerg77" not in result.text
    assert len(result.spans) == 2


def test_a_cookie_of_any_name_loses_its_random_value() -> None:
    assert redact("Cookie: theme=dark; xs=q9Zk4Lm2Xw8Tn5Vb7Rc3; tz=UTC").text == (
        "Cookie: theme=dark; xs=[REDACTED:cookie]; tz=UTC"
    )


def test_a_key_block_without_its_end_is_taken_out() -> None:
    body = "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEA" for _ in range(20))
    assert redact(f"key:\n-----BEGIN PRIVATE KEY-----\n{body}\n").text == "key:\n[REDACTED:private_key]\n"


def test_both_halves_of_a_key_are_taken_out() -> None:
    text = "the first half of the key is q8Zk4Lm2Xw9 and the second half is Tn5Vb7Rc3Yd1, ok"
    assert redact(text).text == (
        "the first half of the key is [REDACTED:split_secret] and the second half is [REDACTED:split_secret], ok"
    )
