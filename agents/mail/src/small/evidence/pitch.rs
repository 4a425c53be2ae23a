//! Whether a stranger offers something: a product, a job, a partnership.
//!
//! They write as a person to one person and ask for a call, so that a small model takes them for somebody who asks. What
//! gives them away is that they say why they write at all, promise a gain, and refer to nothing that both know.

use super::mail_text::MailText;

/// What makes a pitch: a strong sign weighs two, a weak one weighs one.
const ENOUGH: usize = 4;

/// What makes one without a strong sign.
const ENOUGH_WEAK: usize = 5;

/// How many signs of one list count.
const MOST: usize = 2;

/// How somebody begins who was not asked.
const APPROACHES: &str = "\
    came across, stumbled upon, stumbled across, caught my eye, caught my attention, your profile, your linkedin, \
    your online presence, bumping this, floating this, introduce our, decision maker, dear hiring manager, dear \
    business owner, dear researcher, dear author, i know you are busy, i know you re busy, unsubscribe, opt out, not \
    hear from me, ihr profil, dein profil, auf sie aufmerksam, auf dich aufmerksam, gestoßen, der richtige \
    ansprechpartner, are you the right person, the right person to, companies your size, companies of your, \
    businesses your size, your github, your open roles, your job postings, greetings of the day, teams of your size, \
    dein github, ihre offenen stellen, firmen ihrer, unternehmen ihrer, dear manager, dear founder, dear ceo, \
    recruiter, recruiterin, headhunter, personalberater, personalberaterin, talent partner, point me to, firms of \
    your size, unternehmen in ihrer, still paying, you have been nominated, i d love to show you, would love to show \
    you, love to explore, how we can support, how we can help, how we could help, klingt das spannend, ihr partner \
    für, als experte für, teams like yours, companies like yours, businesses like yours, firms like yours, \
    unternehmen wie ihres, unternehmen wie ihrem, unternehmen wie ihre, firmen wie ihre, firmen wie ihrer, \
    unternehmen ihrer größe, firmen ihrer größe";

/// How others begin too.
const WEAK_APPROACHES: &str = "\
    reaching out, reach out, your background, your experience, your company, your business, your team, your website, \
    your site, your blog, finds you well, my last message, my last email, my last mail, my previous, my earlier, \
    introduce myself, companies in your, your industry, your sector, who handles, who is responsible for, dear sir, \
    hi there, i noticed, we noticed, we found, are you looking for, do you need, ihre website, ihre webseite, ihr \
    unternehmen, ihrer branche, meine letzte nachricht, meine letzte mail, meine letzte e mail, kurz vorstellen, \
    sehr geehrte damen und herren, suchen sie, werdegang, saw you, saw that you, saw your, noticed you, noticed \
    that, for your company, for your business, for your team, for companies, for teams, to companies, companies, i \
    represent, hope all is well, kindly, we are a, we are an, für ihr unternehmen, für ihr team, für unternehmen, \
    wir sind ein, wir sind eine, ich bin von, circling back, following up on my, did not hear back, didn t hear \
    back, have not heard back, haven t heard back, not heard back from you, keine antwort von ihnen erhalten, come \
    across, did you know that, wussten sie, teams, firms, businesses, startups, founders, clients, enterprises, \
    leaders, teams at, i m working with, i am working with, i work with, working with a, unternehmen, firmen, \
    betriebe, congratulations, ich bin bei, in ihrer region, in der region, your needs, your next project, your \
    growth, in charge of, tried to reach you";

/// What only a stranger promises or has to offer.
const OFFERS: &str = "\
    we helped, helps companies, helps teams, helps businesses, we specialize, we specialise, we are a leading, \
    increase your, grow your, scale your, cut your, reduce your, save you, save up to, save time, more demos, more \
    leads, more customers, more traffic, more revenue, backlink, backlinks, guest post, sponsored post, rank higher, \
    free report, free trial, free audit, free demo, free consultation, free analysis, no obligation, book a demo, \
    special offer, competitive rates, competitive prices, best price, best prices, win win, dedicated developers, \
    investment opportunity, growth capital, limited time, exciting role, exciting opportunity, exciting position, \
    lead role, job opportunity, hiring for, looking for a senior, looking for a head, looking for a lead, unser \
    tarif, unserem tarif, einsparen, mehr umsatz, mehr kunden, neukunden, neue kunden, unverbindlich, \
    unverbindliches, unverbindliche, erstgespräch, spannende position, spannende stelle, spannende aufgabe, \
    spannende rolle, neue herausforderung, double your, double their, triple your, triple their, all in one \
    platform, all in one solution, career opportunity, career move, next career, more signups, help companies, help \
    teams, help businesses, helped companies, first page of google, no upfront cost, no upfront costs, free sample, \
    free quote, sponsor package, sponsor packages, sponsorship package, sponsorship packages, development company, \
    web design, app development, open roles, we ve placed, we placed, % more, % less, % off, % cheaper, % faster, at \
    no cost, risk free, money back guarantee, passive income, acquire software, acquire companies, acquire \
    businesses, sell your company, selling your company, buy your company, potential buyers, fördermittel, stelle \
    bei einem, position bei einem, rolle bei einem, my client needs, contract role, manufacturer of, business \
    relations, business cooperation, long term cooperation, kostenlose bewertung, kostenlose analyse, kostenlose \
    beratung, opportunity at a, minute demo, short demo, quick demo, for a demo, a demo next, a demo this, product \
    demo, live demo, months free, month free, day rates, on the bench, attendee list, software house, staff \
    augmentation, series a, series b, make you an offer, make you a proposal, machen wir ihnen ein angebot, ihnen \
    ein angebot machen, unser konzept, unsere dienstleistungen, nomination fee, business loan, credit line";

/// What others may speak of too.
const WEAK_OFFERS: &str = "\
    we help, i help, roi, seo, unsere lösung, unserer lösung, unsere plattform, unserer plattform, we offer, we \
    provide, our platform, our solution, our product, our tool, our software, our services, our experts, our \
    developers, our engineers, boost, boosts, saves, leads, conversion, conversions, ranking, rankings, discount, \
    voucher, partnership, collaboration, offshore, outsourcing, candidates, investors, funding, loans, guaranteed, \
    great fit, perfect fit, great match, new role, this role, head of, my client, our client, a client of, is \
    hiring, are hiring, hiring a, salary, webinar, case study, wir helfen, wir unterstützen, wir bieten, unsere \
    experten, senken, steigern, sparen, mandanten, mandant, meinen kunden, gehalt, kandidaten, fachkräfte, \
    kooperation, partnerschaft, rabatt, günstiger, kostenlos, kostenfrei, sponsor, sponsors, sponsorship, packages, \
    web development, mobile apps, pricing, per seat, per user, per month, upfront, samples, branded, acquire, \
    acquiring, acquisition, buyers, starting at, up to, we make, we build, we connect, scale up, protects, helps, \
    developers, engineers, engineering team, role, position, roles, % of companies, competitive, förderung, \
    zuschüsse, bis zu, besetze, gesucht, stelle, einsparung, schützt, pro monat, dienstleister, remote, our \
    training, unser training, unsere schulung, sales training, summit, unsere agentur, entwickler, contacts, \
    kostenlose, kostenloses, kostenfreie, reduces, reduce, cuts, cut, increases, increase, improves, improve, \
    support your, costs by, by half, by a third, hours a month, hours a week, days a month, staff engineer, tech \
    lead, team lead, strong match, good match, good fit, opportunity, listeners, subscribers, award, nominated, at \
    fair prices, fair prices, low price, low prices, ai agents, revenue, growth, altersvorsorge, versicherung, \
    leasing, reinigung, büroreinigung, eur, senior engineer, senior engineers, senior developer, senior developers, \
    senior backend, day rate, is for sale, your revenue, role at a, position at a, white paper, our agency";

/// How somebody asks who wants to give something rather than to get it.
const LURES: &str = "\
    would you be interested, are you interested, you be interested in, interested in a, be open to, open to a, can i \
    show you, could i show you, can i send you, may i send you, shall i send you, shall i hold, want me to, worth a, \
    reply yes, quick intro, min intro, minute intro, intro call, confidential chat, confidential conversation, any \
    requirement, any requirements, learn more, haben sie interesse, wären sie offen, sind sie offen, bist du offen, \
    unverbindlichen austausch, unverbindliches gespräch, vertrauliches gespräch, may i make you, may we make you, i \
    ll send you, i will send you, does that sound, sounds interesting, klingt das, dürfen wir nächste, could you \
    point me, open for a, be open for, let me know and i";

/// What they want first.
const CALLS: &str = "\
    call, calls, chat, talk, speak, minutes, min, demo, meeting, interested, would you like, open to, show you, send \
    you, schedule, your calendar, calendly, connect, good time, telefonat, telefonieren, anrufen, anruf, gespräch, \
    minuten, termin, interesse, austausch, kennenlernen, offen für, vorstellen, interest, requirement, requirements, \
    discuss, intro, your number, in touch, conversation, are you in, register, lust auf, besprechen, rückruf, walk \
    you through, are you available, want to see, wollen wir, wann können wir, sprechen, vorbeikommen, forward to \
    your reply, explore, when are you free";

/// What somebody refers to whom the reader knows or did business with.
const SHARED: &str = "\
    my order, our order, the order, order number, invoice, our contract, your contract, the contract, ticket, \
    renewal, renew, delivery, lease, appointment, your offer, your quote, your quotation, your proposal, your \
    invoice, your vacancy, your job ad, your advert, your application, we met, met at, met in, nice to meet, good to \
    meet, as discussed, as agreed, as promised, our call, our meeting, our conversation, you sent, you asked, you \
    wrote, you mentioned, you promised, you told, your mail, your email, your message, your question, your request, \
    your answer, your order, your talk, thank you for your, thanks for your, thanks for the, thank you for the, as a \
    customer, we are customers, your customer, customer of yours, we use your, i use your, i bought, we bought, i \
    ordered, we ordered, recommended you, recommended me, gave me your, told me that you, bestellung, rechnung, \
    vertrag, auftrag, lieferung, ihr angebot, ihre anzeige, ihre stelle, ihre stellenanzeige, ihre ausschreibung, \
    wie besprochen, wie vereinbart, wie versprochen, unser gespräch, unser telefonat, unserem gespräch, unserem \
    telefonat, unserem treffen, ihre mail, ihre nachricht, ihre anfrage, deine mail, vielen dank für, danke für, \
    kennengelernt, als kunde, bei ihnen gekauft, bei ihnen bestellt, empfohlen, we pay you, we pay for, reservation, \
    booking, booked, reservierung, gebucht, gebuchte, your results, wie im letzten jahr, like last year, as last \
    year, again this year, since your, our house, your house, your flat, your child, ihr kind, your workshop, your \
    course";

/// What somebody says who wants to buy, to apply, to report or to write about the reader: the other side of an offer.
const INQUIRIES: &str = "\
    your product, your products, your software, your service, your services, your platform, your prices, your \
    pricing, your tool, your app, your api, like yours for, does it cost, would it cost, your price list, a price list, a quote, a \
    quotation, interested in your, we are looking for a tool, do you offer, do you also, do you sell, do you \
    deliver, my cv, my resume, to apply, i apply, applying, my application, journalist, an article, an interview, \
    interview you, for a study, my thesis, our students, ihre software, ihr produkt, ihre produkte, ihre leistungen, \
    ihre preise, ihre dienstleistung, ein angebot für, uns ein angebot, mir ein angebot, interessieren uns für, \
    interessiere mich für, was kostet, bieten sie, bewerbung, bewerbe, lebenslauf, für eine studie, einen artikel, \
    send us an offer, send me an offer, make us an offer, see a demo, get a demo, give us a demo, lower price, hire \
    you, to book a demo";

/// Whether there is any offer in it.
pub(super) fn may_sell(said: &MailText) -> bool {
    const GENERAL: &str = "\
        offer, offers, sale, free, deal, deals, buy, order now, save, only today, price, prices, usd, subscribe, \
        discover, join, seat, register, tickets, job, angebot, angebote, jetzt, gratis, preis, preise, euro, nur \
        heute, entdecken";
    !said.is_understood()
        || [GENERAL, OFFERS, WEAK_OFFERS]
            .into_iter()
            .any(|it| said.has(it))
}

/// Whether somebody wants what the reader has.
pub(super) fn inquires(said: &MailText) -> bool {
    said.has(INQUIRIES)
}

/// Whether it is about something that its reader knows.
pub(super) fn refers(said: &MailText) -> bool {
    said.has(SHARED)
}

/// Whether a stranger offers something, by all that is looked for here. What is in honest mails too is never enough.
pub(super) fn pitches(said: &MailText) -> bool {
    let found = [
        OFFERS, WEAK_OFFERS, APPROACHES, WEAK_APPROACHES, CALLS, LURES,
    ]
    .map(|list| said.found(list));
    let all = found.concat();
    let signs = found.map(|list| {
        let own = list.iter().filter(|phrase| !is_part(phrase, &all));
        own.count().min(MOST)
    });
    let [
        strong_offers,
        weak_offers,
        strong_approaches,
        weak_approaches,
        calls,
        lures,
    ] = signs;
    let offers = strong_offers * 2 + weak_offers;
    let approaches = strong_approaches * 2 + weak_approaches;
    let calls = calls.min(1) + lures.min(1);
    let is_whole = offers > 0 && approaches + calls > 0;
    let enough = match strong_offers + strong_approaches {
        0 => ENOUGH_WEAK,
        _ => ENOUGH,
    };
    let is_offer = is_whole && offers + approaches + calls >= enough;
    is_offer && !refers(said) && !inquires(said)
}

/// Whether a phrase is a part of a longer one that was found: both are one sign.
fn is_part(phrase: &str, found: &[&str]) -> bool {
    let words = format!(" {phrase} ");
    let mut longer = found.iter().filter(|other| other.len() > phrase.len());
    longer.any(|other| format!(" {other} ").contains(&words))
}
