//! What a fraud has in common with others of its trade: each sign alone is in honest mails too.

use super::mail_text::MailText;

const NAMELESS: &str = "\
    dear customer, dear user, dear friend, dear client, dear beneficiary, dear account holder, dear winner, dear sir \
    madam, dear member, greetings, sehr geehrter kunde, sehr geehrte kundin, lieber kunde, lieber nutzer, sehr \
    geehrter nutzer";

const THREATS: &str = "\
    within 12 hours, within 72 hours, 24 hours, 48 hours, immediately, urgent, urgently, right now, today or, \
    otherwise, will be closed, will be deleted, will be suspended, will be blocked, will be deactivated, will be \
    returned, will be terminated, is locked, is suspended, has been suspended, has been limited, has been locked, \
    expires today, last warning, final notice, legal action, 24 stunden, 48 stunden, sonst, andernfalls, dringend, \
    wird gesperrt, wurde gesperrt, wird gelöscht, wird zurückgeschickt, läuft heute ab";

const WAYS: &str = "\
    click, link, http, https, www, pay now, log in here, login here, confirm now, download, attached file, klicken, \
    jetzt bestätigen, jetzt bezahlen, hier anmelden";

const SECRETS: &str = "\
    your password, ihr passwort, your account, ihr konto, bank details, bank account, account number, card number, \
    credit card, bankdaten, kreditkarte, pin, tan, verify, verifizieren, confirm your, bestätigen sie ihre, update \
    your payment, wallet, seed phrase, passport, id card, your address";

const MONEY: &str = "\
    million, millions, usd, inheritance, lottery, prize, winner, you have won, bitcoin, btc, crypto, gift card, gift \
    cards, wire transfer, fee, donation, beneficiary, guaranteed return, guaranteed returns, erbschaft, gewonnen, \
    gewinn, gutscheinkarten, gebühr, zollgebühr";

/// What honest strangers do not ask for.
const NEVER: &str = "\
    gift cards, gutscheinkarten, seed phrase, pay in bitcoin, your webcam, inheritance fund";

/// How many signs of a fraud it has, of five; one that no honest mail has counts twice.
pub(super) fn signs(said: &MailText) -> usize {
    let groups = [NAMELESS, THREATS, WAYS, SECRETS, MONEY];
    let found = groups.into_iter().filter(|it| said.has(it)).count();
    found + usize::from(said.has(NEVER)) * 2
}
