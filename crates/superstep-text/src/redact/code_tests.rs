//! What is taken for a secret in program text, and what is not.

use super::*;

fn clean(text: &str) -> String {
    Redactor::standard().text(text).into_owned()
}

#[test]
fn a_secret_behind_a_type_is_taken_out_and_its_type_stays() {
    for (text, wanted) in [
        (
            "pub const SECRET_KEY: &str = \"hunter2\";",
            "pub const SECRET_KEY: &str = \"[redacted]\";",
        ),
        (
            "static PASSWORD: &'static str = \"hunter\";",
            "static PASSWORD: &'static str = \"[redacted]\";",
        ),
        (
            "let password: String = \"hunter\".into();",
            "let password: String = \"[redacted]\".into();",
        ),
        (
            "let password: String = String::from(\"a b\");",
            "let password: String = String::from(\"[redacted]\");",
        ),
        (
            "const KEY_TOKEN: [u8; 6] = *b\"hunter\"; let api_key: Vec<u8> = b\"hunter\".to_vec();",
            "const KEY_TOKEN: [u8; 6] = *b\"hunter\"; let api_key: Vec<u8> = b\"[redacted]\".to_vec();",
        ),
        (
            "const apiKey: string = \"hunter\";",
            "const apiKey: string = \"[redacted]\";",
        ),
        (
            "export const password: string | null = `hunter`",
            "export const password: string | null = `[redacted]`",
        ),
        (
            "private token?: string = 'hunter'",
            "private token?: string = '[redacted]'",
        ),
        ("API_KEY: str = \"hunter\"", "API_KEY: str = \"[redacted]\""),
        (
            "def f(user: str, password: str = \"hunter\", n: int = 1):",
            "def f(user: str, password: str = \"[redacted]\", n: int = 1):",
        ),
        (
            "def f(password:str='hunter'): pass",
            "def f(password:str='[redacted]'): pass",
        ),
        (
            "password: Final[str] = \"hunter\"",
            "password: Final[str] = \"[redacted]\"",
        ),
        (
            "const apiKey string = \"hunter\"",
            "const apiKey string = \"[redacted]\"",
        ),
        (
            "var (\n\tpassword string = `a b`\n)",
            "var (\n\tpassword string = `[redacted]`\n)",
        ),
        (
            "private val password: String = \"hunter\"",
            "private val password: String = \"[redacted]\"",
        ),
        (
            "static const char password[] = \"hunter\";",
            "static const char password[] = \"[redacted]\";",
        ),
        (
            "char api_key[32] = \"hunter\";",
            "char api_key[32] = \"[redacted]\";",
        ),
    ] {
        assert_eq!(clean(text), wanted, "{text}");
    }
}

#[test]
fn secrets_in_other_forms_of_programs_are_taken_out() {
    for (text, wanted) in [
        (
            "#define API_KEY \"hunter\"\n",
            "#define API_KEY \"[redacted]\"\n",
        ),
        (
            "os.environ[\"X_TOKEN\"] = \"hunter\"",
            "os.environ[\"X_TOKEN\"] = \"[redacted]\"",
        ),
        (
            "process.env['API_TOKEN'] = 'hunter'",
            "process.env['API_TOKEN'] = '[redacted]'",
        ),
        (
            "os.getenv(\"API_TOKEN\", \"hunter\")",
            "os.getenv(\"API_TOKEN\", \"[redacted]\")",
        ),
        (
            "os.Setenv(\"API_TOKEN\",\"hunter\")",
            "os.Setenv(\"API_TOKEN\",\"[redacted]\")",
        ),
        (
            "define('DB_PASSWORD', 'hunter');",
            "define('DB_PASSWORD', '[redacted]');",
        ),
        (
            "map.insert(\"password\", \"hunter\");",
            "map.insert(\"password\", \"[redacted]\");",
        ),
        (
            "x = process.env.TOKEN || \"hunter\";",
            "x = process.env.TOKEN || \"[redacted]\";",
        ),
        (
            "config.setPassword(\"hunter\");",
            "config.setPassword(\"[redacted]\");",
        ),
        (
            "Client::new().password(\"hunter\")",
            "Client::new().password(\"[redacted]\")",
        ),
        (
            "std::string password{\"hunter\"};",
            "std::string password{\"[redacted]\"};",
        ),
        (
            "let password = \"one\" + \"two\";",
            "let password = \"[redacted]\" + \"[redacted]\";",
        ),
        (
            "password = (\n    \"hunter\"\n)",
            "password = (\n    \"[redacted]\"\n)",
        ),
        (
            "FROM x\nENV API_TOKEN hunter\nENV X_TOKEN=hunter A=b\n",
            "FROM x\nENV API_TOKEN [redacted]\nENV X_TOKEN=[redacted] A=b\n",
        ),
        (
            "CREATE USER bob WITH PASSWORD 'hunter';",
            "CREATE USER bob WITH PASSWORD '[redacted]';",
        ),
        (
            "machine h login bob password hunter\n",
            "machine h login bob password [redacted]\n",
        ),
        ("export PGPASSWORD=hunter", "export PGPASSWORD=[redacted]"),
        (
            "AccountName=a;AccountKey=aHVudGVy==;EndpointSuffix=b",
            "AccountName=a;AccountKey=[redacted];EndpointSuffix=b",
        ),
        (
            "https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnop",
            "https://hooks.slack.com/services/[redacted]",
        ),
        ("xapp-1-A1B2C3-0123456789", "[redacted]"),
    ] {
        assert_eq!(clean(text), wanted, "{text}");
    }
}

#[test]
fn the_address_of_a_web_hook_is_a_secret() {
    let token = "aB3-dE6_gH9jK2mN5pQ8";
    for before in [
        "https://hooks.slack.com/workflows/",
        "https://hooks.slack.com/triggers/",
        "https://discord.com/api/webhooks/",
        "https://discord.com/api/v10/webhooks/",
        "https://canary.discord.com/api/webhooks/",
        "https://discordapp.com/api/webhooks/",
        "https://contoso.webhook.office.com/webhookb2/",
        "https://outlook.office.com/webhook/",
    ] {
        for secret in [
            format!("112233445566778899/{token}"),
            format!("0a1b2c3d-0a1b-4c5d@1b2c3d4e-0a1b/IncomingWebhook/{token}/0a1b"),
        ] {
            let text = format!("post(\"{before}{secret}\", words)");
            let wanted = format!("post(\"{before}[redacted]\", words)");
            assert_eq!(clean(&text), wanted);
        }
    }
    for text in [
        "see https://discord.com/api/webhooks/ for more",
        "https://discord.com/developers/docs/resources/webhook",
    ] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn program_text_without_secrets_stays() {
    for text in [
        "struct Login {\n    password: String,\n    token: Option<String>,\n    key: Vec<u8>,\n}",
        "interface Login { password: string; token?: string }",
        "def login(user: str, password: str) -> bool:",
        "func login(user string, password string) error {",
        "let password: String = env::var(\"DB_PASSWORD\")?;",
        "const NAMES: [&str; 2] = [\"password\", \"token\"];",
        "for name in [\"password\", \"token\", \"secret\"] {}",
        "expect(token(\"=>\"), Token(\"if\"))",
        "os.getenv(\"API_TOKEN\")",
        "os.environ.get(\"API_TOKEN\", None)",
        "validate_password(\"abc\")",
        "raise ValueError(\"the password is missing\")",
        "let name = user.name || \"nobody\";",
        "setTitle(\"Password\")",
        "#define TOKEN_MAX 5",
        "#define TOKEN (1 << 3)",
        "ENV PATH /usr/bin",
        "fn token(&self) -> &str { \"x\" }",
    ] {
        assert_eq!(clean(text), text);
    }
}
