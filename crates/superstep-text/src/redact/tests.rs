//! What is taken for a secret, and what is not.

use super::*;

fn clean(text: &str) -> String {
    Redactor::standard().text(text).into_owned()
}

#[test]
fn keys_of_well_known_services_are_taken_out() {
    for key in [
        "sk-abcdefghij0123456789",
        "sk-ant-api03-abcdefghij-0123456789_x",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "github_pat_11ABCDEFG0abcdefghijkl",
        "glpat-abcdefghij0123456789",
        "xoxb-1234567890-abcdef",
        "AKIAIOSFODNN7EXAMPLE",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "hf_abcdefghijklmnopqrstuvwxyz",
        "lsv2_pt_0123456789abcdef0123456789abcdef",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    ] {
        for text in [
            key.to_owned(),
            format!("with {key}, then"),
            format!("({key})\n"),
        ] {
            let wanted = text.replace(key, REDACTED);
            assert_eq!(clean(&text), wanted);
        }
    }
}

#[test]
fn what_only_looks_a_little_like_a_key_stays() {
    for text in [
        "a risk-adjusted-performance-measure of task-management-software",
        "sk-short",
        "AKIA is a prefix",
        "the bearer certificates of old",
        "basic understanding of eyJunk",
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
        "http://example.com/a:b@c",
        "a token: the smallest unit",
        "max_tokens=5, tokens: 7",
        "Schlüssel = Wert; 鍵=値",
    ] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn a_bearer_token_is_taken_out_and_its_scheme_stays() {
    assert_eq!(clean("bearer abc123def456"), "bearer [redacted]");
    assert_eq!(
        clean("curl -H 'Bearer  a1b2c3d4e5'"),
        "curl -H 'Bearer  [redacted]'"
    );
    for (text, wanted) in [
        ("Bearer abcdefghijklmnopqr", "Bearer [redacted]"),
        (
            "the bearer abcdefghijklmnopqr was",
            "the bearer [redacted] was",
        ),
        ("bearer a1b2c3 was", "bearer [redacted] was"),
        ("refused: Bearer x", "refused: Bearer [redacted]"),
        ("-H 'Bearer hunter' x", "-H 'Bearer [redacted]' x"),
        (
            "{\"a\": \"Bearer\\thunter\"}", "{\"a\": \"Bearer\\thunter\"}",
        ),
        ("Bearer\tabcdef12", "Bearer\t[redacted]"),
        ("Bearer\n abcdefghijkl1234 x", "Bearer\n [redacted] x"),
        ("Basic YTpi was", "Basic [redacted] was"),
        ("basic dXNlcjp4 was", "basic [redacted] was"),
    ] {
        assert_eq!(clean(text), wanted, "{text}");
    }
    for text in [
        "send it as a Bearer token.",
        "WWW-Authenticate: Bearer realm=\"x\"",
        "`Bearer` and Basic authentication",
        "Standard Bearer wins again",
        "the bearer of this",
        "Basic 101 of 2026",
        "basic\nunderstanding",
        "basic misconceptions",
    ] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn a_header_that_goes_on_below_is_taken_out_whole() {
    for (text, wanted) in [
        (
            "Cookie: a=b;\r\n c=d;\r\n\te=f\r\nHost: x",
            "Cookie: [redacted]\r\nHost: x",
        ),
        (
            "> Set-Cookie: a=b;\n      Path=/\n> Host: x",
            "> Set-Cookie: [redacted]\n> Host: x",
        ),
        (
            "- Cookie: a=b\n  Host: x\n",
            "- Cookie: [redacted]\n  Host: x\n",
        ),
        (
            "\"GET /\\r\\nCookie: a=b;\\r\\n c=d\\r\\nHost: x\"",
            "\"GET /\\r\\nCookie: [redacted]\\r\\nHost: x\"",
        ),
        ("Cookie: |\n  a=b\nx: y", "Cookie: [redacted]\nx: y"),
        ("Cookie: a=b\n  \nx", "Cookie: [redacted]\n  \nx"),
    ] {
        assert_eq!(clean(text), wanted, "{text}");
    }
    // Without a value of its own it is a title.
    let text = "Authorization:\n  description: how to log in\n";
    assert_eq!(clean(text), text);
}

#[test]
fn a_private_key_is_taken_out_with_its_block() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----";
    assert_eq!(clean(&format!("a {key} b")), "a [redacted] b");
    let torn = "a -----BEGIN PRIVATE KEY-----\nMIIE";
    assert_eq!(clean(torn), "a [redacted]");
}

#[test]
fn a_password_in_a_url_is_taken_out() {
    let text = "postgres://anna:hunter2@db:5432/app";
    assert_eq!(clean(text), "postgres://anna:[redacted]@db:5432/app");
}

#[test]
fn values_behind_their_name_are_taken_out_of_text() {
    for (text, wanted) in [
        (r#"{"password":"hunter2"}"#, r#"{"password":"[redacted]"}"#),
        (
            r#"{"api_key" : "a\"b", "x": "y"}"#,
            r#"{"api_key" : "[redacted]", "x": "y"}"#,
        ),
        (
            r#"{\"Token\": \"abc\", \"n\": 1}"#,
            r#"{\"Token\": \"[redacted]\", \"n\": 1}"#,
        ),
        ("GET /?api_key=abc&q=1", "GET /?api_key=[redacted]&q=1"),
        ("PASSWORD='a b' run", "PASSWORD='[redacted]' run"),
        ("X-Api-Key: abc\nHost: x", "X-Api-Key: [redacted]\nHost: x"),
        ("Cookie: a=b; c=d", "Cookie: [redacted]"),
    ] {
        assert_eq!(clean(text), wanted);
    }
}

#[test]
fn values_are_redacted_by_the_name_of_their_key() {
    for name in [
        "password", "PASSWORD", "api-key", "apiKey", "X-API-Key", "github_token", "Cookie",
    ] {
        let value = Value::map([(name, Value::from("x")), ("other", "y".into())]);
        let clean = Redactor::standard().value(&value);
        assert_eq!(
            clean.get(name).and_then(Value::as_str),
            Some(REDACTED),
            "{name}"
        );
        assert_eq!(clean.get("other").and_then(Value::as_str), Some("y"));
    }
    for name in ["input_tokens", "tokens", "keyboard", "author", "secretary"] {
        assert!(!Redactor::standard().hides(name), "{name}");
    }
    assert!(
        Redactor::default()
            .with_name("Account-Number")
            .hides("account_number")
    );
}

#[test]
fn secrets_are_found_deep_inside_and_in_typed_values() {
    #[derive(serde::Serialize)]
    struct Login {
        password: &'static str,
        notes: Vec<&'static str>,
    }
    let login = Login {
        password: "hunter2",
        notes: vec!["key sk-abcdefghij0123456789"],
    };
    let value = Value::list([Value::map([("login", Value::typed(login))])]);
    let text = Redactor::standard().value(&value).to_string();
    assert_eq!(
        text,
        r#"[{"login":{"notes":["key [redacted]"],"password":"[redacted]"}}]"#
    );
}

#[test]
fn a_known_value_is_found_wherever_it_stands() {
    let redactor = Redactor::default()
        .with_secret(&"correct horse".into())
        .and_then(|redactor| redactor.with_secret(&"correct horse battery".into()))
        .unwrap_or_default();
    let value = Value::map([("correct horse", Value::from("a correct horse battery b"))]);
    assert_eq!(
        redactor.value(&value).to_string(),
        r#"{"[redacted]":"a [redacted] b"}"#
    );
}

#[test]
fn a_short_secret_is_refused() {
    let refused = Redactor::default().with_secret(&"1234567".into());
    assert_eq!(refused.err(), Some(RedactError::TooShort { found: 7 }));
}

#[test]
fn a_secret_and_a_redactor_do_not_show_secrets() {
    let secret = Secret::new("correct horse");
    assert_eq!(format!("{secret:?}"), "[secret]");
    let redactor = Redactor::default().with_secret(&secret).unwrap_or_default();
    assert!(!format!("{redactor:?}").contains("horse"));
}

#[test]
fn without_capture_a_value_says_only_how_much_it_is() {
    let privacy = Privacy {
        capture: Capture::None,
        redactor: None,
    };
    let value = Value::list([Value::from("planted"), Value::Int(5)]);
    assert_eq!(
        privacy.value(&value).to_string(),
        r#"{"bytes":13,"count":2,"omitted":"list"}"#
    );
    assert_eq!(privacy.message("planted"), "[7 bytes]");
    assert_eq!(privacy.message("[7 bytes]"), "[7 bytes]");
    assert_eq!(privacy.value(&privacy.value(&value)), privacy.value(&value));
}

#[test]
fn overlapping_secrets_leave_one_mark() {
    let text = "Authorization: Bearer sk-abcdefghij0123456789";
    assert_eq!(clean(text), "Authorization: [redacted]");
}

#[test]
fn values_in_the_usual_forms_of_files_are_taken_out() {
    for (text, wanted) in [
        ("password = hunter", "password = [redacted]"),
        ("password= hunter", "password= [redacted]"),
        ("password =hunter", "password =[redacted]"),
        ("password\t=\thunter", "password\t=\t[redacted]"),
        ("api_key = \"a b\"", "api_key = \"[redacted]\""),
        (
            "aws_secret_access_key = a/b+c\nregion = eu",
            "aws_secret_access_key = [redacted]\nregion = eu",
        ),
        (
            "passphrase = correct horse # mine",
            "passphrase = [redacted] # mine",
        ),
        ("export TOKEN=abc", "export TOKEN=[redacted]"),
        ("pwd = X", "pwd = [redacted]"),
        ("'password' => 'x',", "'password' => '[redacted]',"),
        ("password := \"x\"", "password := \"[redacted]\""),
        (
            "connect(user=\"a\", password = x, n=1)",
            "connect(user=\"a\", password = [redacted], n=1)",
        ),
        ("password: hunter", "password: [redacted]"),
        ("Password: X", "Password: [redacted]"),
        (
            "db:\n  password: hunter\n  port: 1",
            "db:\n  password: [redacted]\n  port: 1",
        ),
        ("github_token: V", "github_token: [redacted]"),
        ("- token: V", "- token: [redacted]"),
        ("api_key: X # old", "api_key: [redacted] # old"),
        ("auth: X\r\n", "auth: [redacted]\r\n"),
        ("otp: 123", "otp: [redacted]"),
        (
            "user anna, password: hunter2, port 5",
            "user anna, password: [redacted], port 5",
        ),
        ("password:hunter2", "password:[redacted]"),
        ("{password: hunter, n: 1}", "{password: hunter, n: 1}"),
        ("{password: hunter2, n: 1}", "{password: [redacted], n: 1}"),
        (
            "password: |\n  line one\n\n  line two\nnext: 1",
            "password: |\n  [redacted]\nnext: 1",
        ),
        (
            "auth:\n  nested: X\n  more:\n    y: Z\nnext: 1",
            "auth:\n  [redacted]\nnext: 1",
        ),
        ("secrets:\n  - a\n  - b", "secrets:\n  [redacted]"),
        (
            "curl -u anna:hunter https://a",
            "curl -u anna:[redacted] https://a",
        ),
        (
            "curl -s --user 'anna:a b' https://a",
            "curl -s --user 'anna:[redacted]' https://a",
        ),
        ("curl -uanna:hunter x", "curl -uanna:[redacted] x"),
        (
            "gh login --token abc1 --user x",
            "gh login --token [redacted] --user x",
        ),
        ("mysql --password 'a b'", "mysql --password '[redacted]'"),
        ("x\\npassword=a\\nb=c", "x\\npassword=[redacted]\\nb=c"),
    ] {
        assert_eq!(clean(text), wanted, "{text}");
    }
}

#[test]
fn values_in_quotes_and_brackets_are_taken_out_whole() {
    for (text, wanted) in [
        (r#"password="a\"TAIL" x"#, r#"password="[redacted]" x"#),
        ("password: 'it''s TAIL' x", "password: '[redacted]' x"),
        (
            "password = \"\"\"a\"b\"\"\"\nx",
            "password = \"\"\"[redacted]\"\"\"\nx",
        ),
        (
            r#"{\"password\": \"a\\\"TAIL\", \"n\": 1}"#,
            r#"{\"password\": \"[redacted]\", \"n\": 1}"#,
        ),
        (
            r#"x {"auth": {"nested": "X"}} y"#,
            r#"x {"auth": [redacted]} y"#,
        ),
        (
            r#"x {"auth": {"n": "}", "m": ["\"]", "X"]}, "k": 1} y"#,
            r#"x {"auth": [redacted], "k": 1} y"#,
        ),
        (
            r#"x {\"auth\": {\"n\": \"}\", \"m\": \"X\"}, \"k\": 1} y"#,
            r#"x {\"auth\": [redacted], \"k\": 1} y"#,
        ),
        (
            r#"x {"otp": 123456, "n": 1}"#,
            r#"x {"otp": [redacted], "n": 1}"#,
        ),
        (
            r#"x {"token": null, "auth": true}"#,
            r#"x {"token": null, "auth": true}"#,
        ),
        ("secrets = [\"a\", \"b\"]", "secrets = [redacted]"),
        ("token=[abc]", "token=[redacted]"),
        (r#"x {"token": {"a": "torn"#, r#"x {"token": [redacted]"#),
        ("password=\"torn", "password=\"[redacted]"),
        (
            "Authorization: Digest username=\"a\", response=\"X\"\nHost: b",
            "Authorization: [redacted]\nHost: b",
        ),
        (
            "curl -H \"Authorization: Basic abc\" x",
            "curl -H \"Authorization: [redacted]\" x",
        ),
    ] {
        assert_eq!(clean(text), wanted, "{text}");
    }
}

#[test]
fn prose_about_secrets_stays() {
    for text in [
        "the password: is it strong?",
        "Password: is it strong?",
        "a token: the smallest unit",
        "Is that the password: yes or no?",
        "Which is the password: really?",
        "password: none",
        "token = None",
        "password=",
        "password: ",
        "Secret::new(auth::token)",
        "http://auth:8080/ and auth:8080",
        "auth://x",
        "sort -u a:b; docker run -u 1000:1000",
        "the option --password is old",
        "Password:\n\nsee below",
        "if token:\n    go on",
        "password != other",
        "if password and token: go on",
        "max_tokens = 5",
    ] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn redacting_twice_changes_nothing() {
    let pieces = [
        "password", "token", "auth", "Cookie", "=", " = ", ":", ": ", "\n", "\n  ", "- ", " ",
        "\t", "\"", "'", "\\\"", "\\", "\\n", "{", "}", "[", "]", ",", ";", "abc", "a1", REDACTED,
        "redacted", "|", "curl -u a:b", "--token ", "Bearer a1b2c3d4e5", "Bearer ", "Basic YTpi",
        "sk-abcdefghij0123456789", "://a:b@c", "#", "?", "null", "-----BEGIN PRIVATE KEY-----",
        "\u{200b}", "ü", "&", "${A}", "=>", "://", "export ", "%3D", "&quot;", "＝", "<token>",
        "</token>", "<a key=\"token\" value=\"", "->",
    ];
    let mut state = 1_u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..10 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let piece = (state >> 33) as usize % pieces.len();
            text.push_str(pieces[piece]);
        }
        let once = clean(&text);
        assert_eq!(clean(&once), once, "{text:?}");
    }
    assert_eq!(clean("password=[redacted]"), "password=[redacted]");
    assert_eq!(clean("token=[redacted]&a=b"), "token=[redacted]&a=b");
    assert_eq!(clean("token=[redacted]TAIL&a=b"), "token=[redacted]&a=b");
}

#[test]
fn values_in_markup_are_taken_out() {
    for (text, wanted) in [
        (
            "<password>hunter</password>",
            "<password>[redacted]</password>",
        ),
        (
            "<db><c:Password type='plain'>\n  a b\n</c:Password></db>",
            "<db><c:Password type='plain'>\n  [redacted]\n</c:Password></db>",
        ),
        (
            "<token><![CDATA[a<b]]></token>",
            "<token><![CDATA[[redacted]]]></token>",
        ),
        (
            "<user name=\"anna\" password=\"hunter\"/>",
            "<user name=\"anna\" password=\"[redacted]\"/>",
        ),
        (
            "<add key=\"ApiKey\" value=\"hunter\"/>",
            "<add key=\"ApiKey\" value=\"[redacted]\"/>",
        ),
        (
            "<add value='hunter' key='github_token' />",
            "<add value='[redacted]' key='github_token' />",
        ),
        (
            "<string name=\"api_key\">hunter</string>",
            "<string name=\"api_key\">[redacted]</string>",
        ),
        (
            "<secret token=\"one\">two</secret>",
            "<secret token=\"[redacted]\">[redacted]</secret>",
        ),
    ] {
        assert_eq!(clean(text), wanted, "{text}");
    }
    for text in [
        "curl -H <token> and <password> of yours",
        "<password></password><token/>",
        "<password>none</password>",
        "<p>the password</p><input name=\"password\" type=\"text\">",
        "a < b && token > c",
    ] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn another_way_to_write_a_character_keeps_no_secret() {
    for (text, wanted) in [
        (
            "password%3Dhunter2%26n%3D1",
            "password%3D[redacted]%26n%3D1",
        ),
        (
            "?q=api%5Fkey%3d%22a%20b%22",
            "?q=api%5Fkey%3d%22[redacted]%22",
        ),
        ("%73k-abcdefghij0123456789", "[redacted]"),
        ("key%3Dsk-abcdefghij0123456789", "key%3D[redacted]"),
        (
            "{&quot;password&quot;:&quot;hunter&quot;}",
            "{&quot;password&quot;:&quot;[redacted]&quot;}",
        ),
        ("pass&#119;ord&#x3D;hunter", "pass&#119;ord&#x3D;[redacted]"),
        (
            "ｐａｓｓｗｏｒｄ＝ｈｕｎｔｅｒ",
            "ｐａｓｓｗｏｒｄ＝[redacted]",
        ),
        ("ｐassword: hunter", "ｐassword: [redacted]"),
        ("ｓｋ-abcdefghij0123456789 b", "[redacted] b"),
        ("100% of a&b, 5%2", "100% of a&b, 5%2"),
    ] {
        assert_eq!(clean(text), wanted, "{text}");
    }
    assert!(Redactor::standard().hides("ｐａｓｓｗｏｒｄ"));
    let redactor = Redactor::default()
        .with_secret(&"correct horse".into())
        .unwrap_or_default();
    assert_eq!(redactor.text("a=correct%20horse&b"), "a=[redacted]&b");
}

#[test]
fn values_behind_delimiters_are_taken_out() {
    for (text, wanted) in [
        (
            "| user | anna |\n| password | hunter |",
            "| user | anna |\n| password | [redacted] |",
        ),
        ("password|hunter2|x", "password|[redacted]|x"),
        ("password -> hunter2", "password -> [redacted]"),
        ("api_key->'a b'", "api_key->'[redacted]'"),
        ("name\tpassword\thunter2\n", "name\tpassword\t[redacted]\n"),
    ] {
        assert_eq!(clean(text), wanted, "{text}");
    }
    for text in [
        "echo $token | base64",
        "cat password | grep -v x",
        "| token | the smallest unit |",
        "fn auth(token) -> Result",
    ] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn a_hidden_character_keeps_no_secret() {
    for (text, wanted) in [
        ("pass\u{200b}word=hunter", "pass\u{200b}word=[redacted]"),
        (
            "pass\u{ad}word: hun\u{2060}ter",
            "pass\u{ad}word: [redacted]",
        ),
        ("a sk-abcdefg\u{200b}hij0123456789 b", "a [redacted] b"),
        (
            "\u{feff}token\u{200b} = x\nü = y",
            "\u{feff}token\u{200b} = [redacted]\nü = y",
        ),
        ("plain \u{200b} text", "plain \u{200b} text"),
    ] {
        assert_eq!(clean(text), wanted, "{text:?}");
    }
    assert!(Redactor::standard().hides("pass\u{200b}word"));
    let redactor = Redactor::default()
        .with_secret(&"correct horse".into())
        .unwrap_or_default();
    assert_eq!(redactor.text("a correct\u{200b} horse b"), "a [redacted] b");
}

/// Beginnings of what is looked for, and what is around it.
const PIECES: [&str; 79] = [
    "discord.com/api/v1/webhooks/", "discord.com/api/v1", "-----BEGIN PRIVATE KEY-----", "eyJ-",
    "eyJabcdefghij.", "Cookie:", "Cookie:a\\n", "Cookie: a=\"", "token=", "token = ",
    "token: the ", "token: [", "token: {\n", "token:\n", "token: |\n", "token: |\n\n",
    "\"token\":\"\\", "\"token\": {\"", "token:token", "token: )", "- auth:\\n", "--token ",
    "--token a ", "curl -u ", "curl -u '", "curl -u a -u \"b ", "-u a:", "://a:b", "bearer ",
    "Bearer\n", "Basic YTpi", "Cookie: a\n ", "sk-", "'password':'", "password=''", "token=${",
    "token == ", " ", "-", ":", "=", "\\", "\u{200b}", "token\u{200b}:", "Cookie:\"",
    "Cookie: a=\"b\"'", "auth:1/", "auth:1", "curl\"-uA", "curl \"-u 'a", "export API_KEY=",
    "?token=a&", "\"authorization\": \"Bearer ", "-----BEGIN ", "-----", "- token ",
    "{\"token\":[", "\n  ", "#", ", ", "\"", "'", "`", "[redacted]", "<token>", "<token>a",
    "</token>", "<token><![CDATA[", "<a key='token' value='", "<a key=", "<", ">", "|", "token|",
    "token\t", "\t", "%3D", "&quot;", "ｐ",
];

#[test]
fn a_text_that_is_made_of_beginnings_is_read_in_one_go() {
    for piece in PIECES {
        let text = piece.repeat(400_000 / piece.len());
        assert!(!clean(&text).is_empty());
    }
}

/// Twice the text takes about twice the steps, whatever it is made of.
#[test]
fn the_work_grows_with_the_length_of_a_text_and_not_faster() {
    let steps = |piece: &str, length: usize| {
        let text = piece.repeat(length / piece.len());
        work::count(|| drop(Redactor::standard().text(&text)))
    };
    for one in PIECES {
        for other in PIECES {
            let piece = format!("{one}{other}");
            let (short, long) = (steps(&piece, 1_500), steps(&piece, 6_000));
            assert!(
                long <= short * 5 + 1_000,
                "{piece:?}: {short} steps, and {long} for four times the text"
            );
        }
    }
}

#[test]
fn the_work_on_a_document_grows_with_its_length_and_not_faster() {
    for member in [
        r#""password":"x\"y","n":1,"#,
        r#""a":"token: \"x\" Cookie:\"","#,
    ] {
        let steps = |count: usize| {
            let text = format!(r#"{{{}"end":0}}"#, member.repeat(count));
            work::count(|| drop(Redactor::standard().document(&text)))
        };
        let (short, long) = (steps(200), steps(800));
        assert!(long <= short * 5 + 1_000, "{member}: {short}, {long}");
    }
}

#[test]
fn a_document_is_searched_as_data() {
    let redactor = Redactor::default()
        .with_secret(&"pass\"word/with ü".into())
        .unwrap_or_default();
    let clean = |text: &str| redactor.document(text).into_owned();
    for (text, wanted) in [
        (
            r#"{"pin": 1, "token": 4711}"#,
            r#"{"pin":1,"token":"[redacted]"}"#,
        ),
        (
            r#"[{"secrets": ["a", "b"]}]"#,
            r#"[{"secrets":"[redacted]"}]"#,
        ),
        (r#"{"pass\u0077ord": "x"}"#, r#"{"password":"[redacted]"}"#),
        (
            r#"{"a": "is pass\"word\/with \u00fc here"}"#,
            r#"{"a":"is [redacted] here"}"#,
        ),
        (r#"{ "a" : 1 }"#, r#"{ "a" : 1 }"#),
        (r#"{"token": "x""#, r#"{"token": "[redacted]""#),
        ("plain", "plain"),
    ] {
        assert_eq!(clean(text), wanted, "{text}");
    }
}
