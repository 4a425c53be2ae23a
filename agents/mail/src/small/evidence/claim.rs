//! Whether a mail complains or claims something: who does so waits for an answer, however it reads.

use super::mail_text::MailText;

/// What went wrong, or is due.
const CLAIMS: &str = "\
    complaint, complain, infringement, infringes, trademark, our copyright, my copyright, liable, lawsuit, in court, \
    legal action, refund, refunded, my money back, our money back, replacement, compensation, credit note, damaged, \
    broken, defective, faulty, does not work, doesn t work, not working, stopped working, charged twice, charged me, \
    charged us, never arrived, has not arrived, hasn t arrived, not been delivered, still waiting, nobody answers, \
    no one answers, unacceptable, disappointed, overdue, still open, not been paid, unpaid, in a row, beschwerde, \
    abmahnung, rechtsanwalt, schadensersatz, reklamation, beschädigt, kaputt, defekt, defekte, geld zurück, \
    erstattung, erstatten, rückerstattung, gutschrift, mangelhaft, funktioniert nicht, nicht angekommen, nicht \
    geliefert, nicht erhalten, enttäuscht, überfällig, doppelt abgebucht";

/// Who speaks for themselves when they claim it.
const DEMANDS: &str = "\
    i want, we want, i expect, we expect, i demand, we demand, i would like, we would like, my money, our money, \
    what will you, when will, refund me, refund us, ich möchte, wir möchten, ich erwarte, wir erwarten, ich \
    verlange, wir fordern, mein geld, unser geld";

pub(super) fn claims(said: &MailText) -> bool {
    said.has(CLAIMS)
}

pub(super) fn demands(said: &MailText) -> bool {
    claims(said) && said.has(DEMANDS)
}
