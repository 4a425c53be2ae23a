//! Names that secrets have.

use super::visible::{folded, is_left_out};

/// What has one of these names, or a name that ends with one as in `github_token`, is a secret.
const NAMES: [&str; 62] = [
    "access_key", "accesskey", "account_key", "accountkey", "admin_pass", "api_key", "apikey",
    "auth", "auth_pass", "authorization", "bearer", "become_pass", "client_secret",
    "connection_string", "cookie", "credential", "credentials", "db_pass", "dbpass", "email_pass",
    "ftp_pass", "jwt", "key_pass", "keypass", "keystore_pass", "ldap_pass", "login_pass",
    "mail_pass", "mongo_pass", "mysql_pass", "otp", "passcode", "passphrase", "passwd", "password",
    "pg_pass", "pgpassword", "postgres_pass", "private_key", "privatekey", "pwd", "redis_pass",
    "root_pass", "secret", "secret_key", "secretkey", "secrets", "set_cookie", "shared_access_key",
    "sharedaccesskey", "signing_key", "smtp_pass", "ssh_pass", "sshpass", "store_pass",
    "storepass", "sudo_pass", "token", "user_pass", "userpass", "vault_pass", "x_api_key",
];

/// A name in the form it is compared in: words of small letters with `_` between them.
pub(super) fn plain(name: &str) -> String {
    let mut plain = String::with_capacity(name.len() + 4);
    let mut small = false;
    let letters = name.trim().chars().filter(|letter| !is_left_out(*letter));
    for letter in letters.map(folded) {
        if matches!(letter, '-' | '_' | ' ' | '.') {
            plain.push('_');
            small = false;
            continue;
        }
        // `apiKey` has two words.
        if letter.is_uppercase() && small {
            plain.push('_');
        }
        small = letter.is_lowercase() || letter.is_ascii_digit();
        plain.extend(letter.to_lowercase());
    }
    plain
}

/// Whether a plain name is one that secrets have.
pub(super) fn is_known(plain: &str) -> bool {
    matches(plain, NAMES.into_iter())
}

/// Whether a plain name is one of these, or ends with one.
pub(super) fn matches<'a>(plain: &str, mut names: impl Iterator<Item = &'a str>) -> bool {
    names.any(|name| {
        plain
            .strip_suffix(name)
            .is_some_and(|head| head.is_empty() || head.ends_with('_'))
    })
}
