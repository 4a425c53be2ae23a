//! Whether the words of a mail may ask its reader for something.

use super::mail_text::{MailText, Sentence};

/// Words without which nobody asks for anything without a question mark.
const REQUESTS: &str = "\
    please, let me know, let us know, tell me, tell us, send me, send us, give me, need you, need your, we need, i \
    need, still need, need from you, need to know, need them, need it, can you, could you, would you, will you, are \
    you, do you, did you, have you, may i, may we, can i, can we, could we, shall i, shall we, should i, should we, \
    you have to, you need to, you must, we ask, i ask, i want, we want, i would like, we would like, i d like, we d \
    like, would love to, i wonder, i was wondering, any news, any update, waiting for, wait for your, awaiting, your \
    answer, your reply, your response, your decision, your approval, your opinion, your feedback, your signature, \
    get back to me, get back to us, sign off, looking forward to your, we look forward to hearing, i look forward to \
    hearing, hear from you, we expect, i expect, asap, as soon as possible, would help us, would help me, we d \
    appreciate, would appreciate, by return, is missing, are missing, bitte, kannst du, könntest du, würdest du, \
    hast du, magst du, können sie, könnten sie, würden sie, haben sie, hätten sie, dürfen wir, darf ich, sollen wir, \
    soll ich, wir brauchen, ich brauche, benötigen wir, wir benötigen, ich benötige, brauchen wir, ich möchte, wir \
    möchten, ich hätte gern, wir hätten gern, wir erwarten, ich erwarte, rückmeldung, um antwort, ihre antwort, \
    deine antwort, bescheid, melde dich, melden sie sich, sag mir, schick mir, schicken sie, sie müssen, du musst, \
    fehlt noch, fehlen noch, freue mich auf ihre, freuen uns auf ihre";

/// How an order begins that a colleague gives.
const ORDERS: &str = "\
    send, call, check, review, look at, have a look, confirm, fix, sign, approve, reply, answer, tell, give, bring, \
    book, forward, prepare, remind, schick, ruf, sag, gib, prüf";

/// Words of courtesy: a request by its words only.
const COURTESY: &str = "\
    please find, please note, please be, please bring, please make sure, please keep in mind, please remember, \
    please use, please see, please do not hesitate, please don t hesitate, please feel free, please do not reply, \
    please don t reply, any questions, any question, further questions, have questions, if you need anything, would \
    like to inform, want to inform, would like to thank, want to thank, wanted to thank, would like to let you know, \
    wanted to let you know, want to let you know, you do not have to, you don t have to, no need to, you do not need \
    to, you don t need to, i would like to say thank, will get back to you, bitte beachten, bitte bringen, bitte \
    denken, bitte nutzen, bitte finden sie, bei fragen, bei rückfragen, haben sie fragen, falls sie fragen, möchten \
    wir sie informieren, möchten sie informieren, möchte mich bedanken, möchten uns bedanken, geben wir ihnen \
    bescheid, gebe dir bescheid, gebe ihnen bescheid";

/// What says that no answer is wanted.
const TOLD: &str = "\
    fyi, for your information, for your files, for your records, just so you know, no reply needed, no answer \
    needed, no need to reply, no need to answer, no action needed, no action required, no action is required, \
    nothing to do for you, zur info, zur information, zur kenntnis, für ihre unterlagen, für deine unterlagen, keine \
    antwort nötig";

/// Whether anything in it may ask.
pub(super) fn may_ask(said: &MailText) -> bool {
    let asks = |it: &Sentence| it.is_question && !it.has(COURTESY);
    if said.sentences.iter().any(asks) || !said.is_understood() {
        return true;
    }
    let requests =
        |it: &Sentence| (it.has(REQUESTS) || it.begins_with(ORDERS)) && !it.has(COURTESY);
    // The subject names a thing, and orders nothing.
    !said.has(TOLD) && said.sentences.iter().skip(1).any(requests)
}
