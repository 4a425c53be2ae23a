//! Signs of fraud that the program finds in a mail, whatever a model makes of it.

use crate::{
    Address, Judgement, Warning,
    input::EmailInput,
    parse::{Mail, is_email, one_line},
    prompt::person,
    services::Services,
};

/// The shortest name of a domain that is compared by its letters: short ones differ by one letter for no reason.
const SHORTEST: usize = 5;

/// The signs of fraud in a mail: those that triage saw, and those that the program finds.
pub(crate) fn dangers(
    input: &EmailInput,
    judged: Option<&Judgement>,
    services: &Services,
) -> Vec<Warning> {
    let found = signs(input, services.mailbox.owner());
    let judged = judged.into_iter().flat_map(judged_fraud);
    judged
        .chain(found.into_iter().map(Warning::danger))
        .collect()
}

/// The sign of fraud that triage saw.
pub(crate) fn judged_fraud(judged: &Judgement) -> Option<Warning> {
    let said = Warning::danger("the assistant takes this mail for a fraud.");
    judged.is_suspicious.then_some(said)
}

/// Where answers go that leave the domain of the sender.
fn elsewhere(mail: &Mail) -> Vec<&Address> {
    let Some(from) = &mail.from else {
        return Vec::new();
    };
    let own = base(domain(&from.email));
    // A list sends what its members write, and wants the answers.
    let others = mail.reply_to.iter().filter(|_| !mail.sending.through_list);
    others
        .filter(|other| base(domain(&other.email)) != own)
        .collect()
}

/// Whether signs of fraud say where answers go.
pub(crate) fn answers_leave_domain(mail: &Mail) -> bool {
    !mail.reply_to.is_empty() && elsewhere(mail).len() == mail.reply_to.len()
}

/// The signs of fraud of a mail, a sentence each.
pub(crate) fn signs(input: &EmailInput, owner: &Address) -> Vec<String> {
    let mail = &input.mail;
    let mut signs = Vec::new();
    if let Some(from) = &mail.from {
        signs.extend(elsewhere(mail).into_iter().map(|other| {
            format!(
                "Answers go to another domain than the sender's: {}",
                person(other)
            )
        }));
        signs.extend(named_as_another(from));
        let known = input.participants.iter().chain([owner]);
        let known: Vec<&str> = known.map(|one| domain(&one.email)).collect();
        let mut posing = [from].into_iter().chain(&mail.reply_to);
        let posing = posing.find_map(|one| {
            let its = domain(&one.email);
            let like = known.iter().find(|known| is_look_alike(its, known))?;
            Some(format!(
                "The domain {its} looks like {like}, and is another."
            ))
        });
        signs.extend(posing);
    }
    signs.extend(mail.disguised_links.iter().take(3).map(|link| {
        let (shown, target) = (one_line(&link.shown, 100), one_line(&link.target, 100));
        format!("A link shows {shown} and leads to {target}.")
    }));
    signs
}

/// A sender whose name is the address of somebody else.
fn named_as_another(from: &Address) -> Option<String> {
    let name = from.name.as_deref()?;
    let words = name.split(|c: char| c.is_whitespace() || "<>()[]\"',;:".contains(c));
    let mut addresses = words.filter(|word| is_email(word) && word.contains('.'));
    let other = addresses.find(|it| base(domain(it)) != base(domain(&from.email)))?;
    Some(format!(
        "The sender calls itself {other} and writes from {}.",
        from.email
    ))
}

fn domain(email: &str) -> &str {
    email.rsplit_once('@').map_or("", |(_, domain)| domain)
}

/// The last two labels of a domain, in lower case: roughly what somebody registers.
fn base(domain: &str) -> String {
    let labels: Vec<&str> = domain.rsplit('.').take(2).collect();
    let labels: Vec<&str> = labels.into_iter().rev().collect();
    labels.join(".").to_ascii_lowercase()
}

/// Whether a domain can be taken for another one: that stands in front of it, with letters that look the same, with one
/// letter more, less or other, or with something added by a hyphen.
fn is_look_alike(one: &str, known: &str) -> bool {
    let (one, known) = (one.to_ascii_lowercase(), known.to_ascii_lowercase());
    let (own, its) = (base(&one), base(&known));
    if own == its || known.is_empty() {
        return false;
    }
    if one
        .strip_prefix(&its)
        .is_some_and(|rest| rest.starts_with('.'))
    {
        return true;
    }
    let label = |base: &str| base.split('.').next().unwrap_or_default().to_owned();
    let (own, its) = (label(&own), label(&its));
    if its.len() < SHORTEST || own == its {
        return false;
    }
    let is_added = |own: &str| {
        let added = own
            .strip_prefix(its.as_str())
            .map(|rest| rest.starts_with('-'));
        added == Some(true)
            || own
                .strip_suffix(its.as_str())
                .is_some_and(|rest| rest.ends_with('-'))
    };
    is_added(&own) || skeleton(&own) == skeleton(&its) || differs_by_one(&own, &its)
}

/// A name in which letters that look the same are the same.
fn skeleton(name: &str) -> String {
    name.replace("rn", "m")
        .replace("vv", "w")
        .replace('0', "o")
        .replace(['1', 'i'], "l")
        .replace('5', "s")
        .replace('-', "")
}

fn differs_by_one(one: &str, other: &str) -> bool {
    let (short, long) = match one.len() <= other.len() {
        true => (one.as_bytes(), other.as_bytes()),
        false => (other.as_bytes(), one.as_bytes()),
    };
    if long.len() - short.len() > 1 {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let skipped = usize::from(short.len() == long.len());
    short.get(same + skipped..).unwrap_or_default() == long.get(same + 1..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MailId, ThreadKey, parse::parse};

    fn found(mail: &str) -> Vec<String> {
        let mail = parse(mail.as_bytes()).unwrap();
        let input = EmailInput {
            id: MailId("1".into()),
            thread: ThreadKey("1".into()),
            participants: mail.from.iter().cloned().collect(),
            mail,
        };
        signs(&input, &Address::new("me@northwind.example"))
    }

    #[test]
    fn what_a_fraud_shows_of_itself_is_found() {
        for (mail, sign) in [
            (
                "From: IT <it@northwind.example>\r\nReply-To: help@mail.evil.example\r\n\r\nx",
                "Answers go to another domain than the sender's: help@mail.evil.example",
            ),
            (
                "From: \"boss@northwind.example\" <x@evil.example>\r\n\r\nx",
                "The sender calls itself boss@northwind.example and writes from x@evil.example.",
            ),
            (
                "From: it@n0rthwind.example\r\n\r\nx",
                "looks like northwind.example",
            ),
            (
                "From: it@nortwind.example\r\n\r\nx",
                "looks like northwind.example",
            ),
            (
                "From: it@northwind-support.example\r\n\r\nx",
                "looks like northwind.example",
            ),
            (
                "From: it@northwind.example.evil.test\r\n\r\nx",
                "looks like northwind.example",
            ),
            (
                "From: a@evil.example\r\nContent-Type: text/html\r\n\r\n<a href=\"https://evil.example\">https://bank.example</a>",
                "A link shows bank.example and leads to evil.example.",
            ),
        ] {
            let found = found(mail);
            assert_eq!(found.len(), 1, "{mail}: {found:?}");
            assert!(found[0].contains(sign), "{found:?}");
        }
    }

    #[test]
    fn ordinary_mail_shows_none() {
        for mail in [
            "From: Ann <ann@northwind.example>\r\nReply-To: team@northwind.example\r\n\r\nx",
            "From: Ann <ann@mail.northwind.example>\r\n\r\nx",
            "From: ann@southwind.example\r\n\r\nx",
            "From: dev@lists.example.org\r\nList-Id: <dev.lists.example.org>\r\nReply-To: ann@example.net\r\n\r\nx",
            "From: \"ann@northwind.example\" <ann@northwind.example>\r\n\r\nx",
        ] {
            assert_eq!(found(mail), Vec::<String>::new(), "{mail}");
        }
    }
}
