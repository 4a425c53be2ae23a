//! The reply of a decision: worded by a small model, checked against the mail and the decision.

use superstep::{
    model::{Message, Model, ModelError, SchemaError},
    tools::guided::{Sources, Worded, WordedBy, Wording},
};

use super::{called, finish::finished, first_name, greeting::greeting, short};
use crate::{parse::Mail, prompt::filled, services::Services};

/// How long a reply may be.
const LONGEST: usize = 900;

/// Words of courtesy, which nobody has to have said.
const COURTESY: &str = "\
    Hello Hi Dear Good Best Kind Warm Regards Wishes Thanks Thank Sincerely Cheers I \
    Hallo Guten Tag Liebe Lieber Viele Beste Freundliche Freundlichen Mit Gruß Grüße Grüßen Danke Dank Vielen Ich";

const EXAMPLES: [(&str, &str); 2] = [
    (
        "From: Petra <petra@customer.example.net>\nSubject: Invoice 3381\n\nHello, the invoice has the old address. Can you send us a \
         corrected one?\n\nPetra\n\nDecision: yes, corrected invoice by Wednesday, sorry for the mistake",
        "Hello Petra,\n\nyes, we will send you a corrected invoice by Wednesday. Sorry for the mistake.\n\nBest regards",
    ),
    (
        "From: Jonas <jonas@example.org>\nSubject: Talk at the meetup\n\nHi, would you give the talk on caching again, in December?\n\n\
         Jonas\n\nDecision: no, no time in December, ask Kim",
        "Hi Jonas,\n\nthank you for asking. No, I have no time in December. Please ask Kim.\n\nBest regards",
    ),
];

/// How a small model words the decisions of the owner.
pub(crate) fn wording(services: &Services, learned: &str) -> Result<Wording, SchemaError> {
    let (owner, first) = (called(services.mailbox.owner()), signature(services));
    let learned = match learned {
        "" => String::new(),
        lines => format!(" How {owner} wants replies: {}", lines.replace('\n', " ")),
    };
    let places = [
        ("owner", &*owner),
        ("first", &first),
        ("learned", &*learned),
    ];
    let system = filled(include_str!("../../prompts/small/word.md"), &places);
    Ok(Wording::new("reply", system, &EXAMPLES, LONGEST)?.max_tokens(services.settings.max_tokens))
}

/// A reply that says what was decided.
pub(crate) async fn worded(
    model: &dyn Model,
    wording: &Wording,
    mail: &Mail,
    decision: &str,
    services: &Services,
) -> Result<Worded, ModelError> {
    let read = short(mail, services.mailbox.owner(), None);
    let about = Message::untrusted(format!("{read}\n\nDecision: {decision}"));
    let known = Sources::of([&*read, COURTESY, &services.owner()]);
    let own = own_words(mail, decision, services);
    let mut worded = wording.word(model, about, decision, &known, &own).await?;
    if worded.by != WordedBy::Person {
        let reader = mail.from.as_ref().and_then(first_name);
        let owner = signature(services);
        worded.text = finished(&worded.text, &read, decision, reader.as_deref(), &owner);
    }
    Ok(worded)
}

/// The owner's own words as a reply.
fn own_words(mail: &Mail, decision: &str, services: &Services) -> String {
    let sender = mail.from.as_ref().and_then(first_name);
    let greeting = greeting(decision, &mail.text, sender.as_deref());
    let mut said: String = decision.trim().to_owned();
    if let Some(first) = said.chars().next() {
        said.replace_range(..first.len_utf8(), &first.to_uppercase().to_string());
    }
    if !said.ends_with(['.', '!', '?']) {
        said.push('.');
    }
    format!("{greeting}\n\n{said}\n\n{}", signature(services))
}

fn signature(services: &Services) -> String {
    let owner = services.mailbox.owner();
    let local = || owner.email.split('@').next().unwrap_or_default().to_owned();
    first_name(owner).unwrap_or_else(local)
}

/// What the owner is told about how a reply came about.
pub(crate) fn note(worded: &Worded, decision: &str) -> String {
    let from = format!("Your decision: {decision}");
    match worded.by {
        WordedBy::Model | WordedBy::Repaired => {
            format!(
                "{from}\nEvery word of it is in the reply; figures, days and names are those of the mail and of it."
            )
        }
        WordedBy::Person => format!(
            "{from}\nThe reply is your own words: what the model wrote did not keep to them ({}).",
            worded.problems.join("; ")
        ),
    }
}
