//! Properties of characters, as Unicode 17.0 has them. A test compares the tables with the Unicode
//! Consortium's own data over every code point.

/// Whether a character is not drawn when it is alone: controls other than the line feed and the
/// tab, format characters (category Cf), default-ignorable code points, separators of lines and
/// paragraphs, noncharacters, and three symbols that are drawn as nothing.
pub(super) fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' | ' '..='~' => false,
        c if c.is_control() => true,
        c => is_format(c) || is_ignorable(c) || is_blank(c) || is_noncharacter(c),
    }
}

/// Category Cf, without what is default-ignorable too.
fn is_format(c: char) -> bool {
    matches!(c,
        '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}'
        | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}')
}

/// The property Default_Ignorable_Code_Point.
fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Line and paragraph separators, the empty braille pattern, the empty note head and the filler of the
/// Khitan small script.
fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\u{2028}' | '\u{2029}' | '\u{2800}' | '\u{16fe4}' | '\u{1d159}'
    )
}

fn is_noncharacter(c: char) -> bool {
    matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xfffe == 0xfffe
}

/// Emoji that take a variation selector and that a zero-width joiner joins: Emoji and
/// Extended_Pictographic.
pub(super) fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2194}'..='\u{2199}' | '\u{21a9}'..='\u{21aa}' | '\u{231a}'..='\u{231b}'
        | '\u{2328}' | '\u{23cf}' | '\u{23e9}'..='\u{23f3}' | '\u{23f8}'..='\u{23fa}'
        | '\u{24c2}' | '\u{25aa}'..='\u{25ab}' | '\u{25b6}' | '\u{25c0}'
        | '\u{25fb}'..='\u{25fe}' | '\u{2600}'..='\u{2604}' | '\u{260e}' | '\u{2611}'
        | '\u{2614}'..='\u{2615}' | '\u{2618}' | '\u{261d}' | '\u{2620}'
        | '\u{2622}'..='\u{2623}' | '\u{2626}' | '\u{262a}' | '\u{262e}'..='\u{262f}'
        | '\u{2638}'..='\u{263a}' | '\u{2640}' | '\u{2642}' | '\u{2648}'..='\u{2653}'
        | '\u{265f}'..='\u{2660}' | '\u{2663}' | '\u{2665}'..='\u{2666}' | '\u{2668}'
        | '\u{267b}' | '\u{267e}'..='\u{267f}' | '\u{2692}'..='\u{2697}' | '\u{2699}'
        | '\u{269b}'..='\u{269c}' | '\u{26a0}'..='\u{26a1}' | '\u{26a7}'
        | '\u{26aa}'..='\u{26ab}' | '\u{26b0}'..='\u{26b1}' | '\u{26bd}'..='\u{26be}'
        | '\u{26c4}'..='\u{26c5}' | '\u{26c8}' | '\u{26ce}'..='\u{26cf}' | '\u{26d1}'
        | '\u{26d3}'..='\u{26d4}' | '\u{26e9}'..='\u{26ea}' | '\u{26f0}'..='\u{26f5}'
        | '\u{26f7}'..='\u{26fa}' | '\u{26fd}' | '\u{2702}' | '\u{2705}'
        | '\u{2708}'..='\u{270d}' | '\u{270f}' | '\u{2712}' | '\u{2714}' | '\u{2716}'
        | '\u{271d}' | '\u{2721}' | '\u{2728}' | '\u{2733}'..='\u{2734}' | '\u{2744}'
        | '\u{2747}' | '\u{274c}' | '\u{274e}' | '\u{2753}'..='\u{2755}' | '\u{2757}'
        | '\u{2763}'..='\u{2764}' | '\u{2795}'..='\u{2797}' | '\u{27a1}' | '\u{27b0}'
        | '\u{27bf}' | '\u{2934}'..='\u{2935}' | '\u{2b05}'..='\u{2b07}'
        | '\u{2b1b}'..='\u{2b1c}' | '\u{2b50}' | '\u{2b55}' | '\u{3030}' | '\u{303d}'
        | '\u{3297}' | '\u{3299}' | '\u{1f004}' | '\u{1f0cf}' | '\u{1f170}'..='\u{1f171}'
        | '\u{1f17e}'..='\u{1f17f}' | '\u{1f18e}' | '\u{1f191}'..='\u{1f19a}'
        | '\u{1f201}'..='\u{1f202}' | '\u{1f21a}' | '\u{1f22f}' | '\u{1f232}'..='\u{1f23a}'
        | '\u{1f250}'..='\u{1f251}' | '\u{1f300}'..='\u{1f321}' | '\u{1f324}'..='\u{1f393}'
        | '\u{1f396}'..='\u{1f397}' | '\u{1f399}'..='\u{1f39b}' | '\u{1f39e}'..='\u{1f3f0}'
        | '\u{1f3f3}'..='\u{1f3f5}' | '\u{1f3f7}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1f4fd}'
        | '\u{1f4ff}'..='\u{1f53d}' | '\u{1f549}'..='\u{1f54e}' | '\u{1f550}'..='\u{1f567}'
        | '\u{1f56f}'..='\u{1f570}' | '\u{1f573}'..='\u{1f57a}' | '\u{1f587}'
        | '\u{1f58a}'..='\u{1f58d}' | '\u{1f590}' | '\u{1f595}'..='\u{1f596}'
        | '\u{1f5a4}'..='\u{1f5a5}' | '\u{1f5a8}' | '\u{1f5b1}'..='\u{1f5b2}' | '\u{1f5bc}'
        | '\u{1f5c2}'..='\u{1f5c4}' | '\u{1f5d1}'..='\u{1f5d3}' | '\u{1f5dc}'..='\u{1f5de}'
        | '\u{1f5e1}' | '\u{1f5e3}' | '\u{1f5e8}' | '\u{1f5ef}' | '\u{1f5f3}'
        | '\u{1f5fa}'..='\u{1f64f}' | '\u{1f680}'..='\u{1f6c5}' | '\u{1f6cb}'..='\u{1f6d2}'
        | '\u{1f6d5}'..='\u{1f6d9}' | '\u{1f6dc}'..='\u{1f6e5}' | '\u{1f6e9}'
        | '\u{1f6eb}'..='\u{1f6ec}' | '\u{1f6f0}' | '\u{1f6f3}'..='\u{1f6fc}'
        | '\u{1f7e0}'..='\u{1f7eb}' | '\u{1f7f0}' | '\u{1f90c}'..='\u{1f93a}'
        | '\u{1f93c}'..='\u{1f945}' | '\u{1f947}'..='\u{1f9ff}' | '\u{1fa70}'..='\u{1fa7c}'
        | '\u{1fa80}'..='\u{1fac6}' | '\u{1fac8}' | '\u{1facc}'..='\u{1fadd}'
        | '\u{1fadf}'..='\u{1faeb}' | '\u{1faef}'..='\u{1fafa}')
}

/// Skin tones: they follow the emoji that they color.
pub(super) fn is_skin_tone(c: char) -> bool {
    matches!(c, '\u{1f3fb}'..='\u{1f3ff}')
}

/// Blocks whose scripts join letters, where ZWJ and ZWNJ say whether they do: Arabic to Sinhala,
/// Tibetan, Myanmar, Khmer, Mongolian, and the presentation forms of Arabic.
pub(super) fn joins(c: char) -> bool {
    matches!(c,
        '\u{620}'..='\u{dff}' | '\u{f40}'..='\u{fbc}' | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17d3}' | '\u{fb50}'..='\u{fdcf}' | '\u{fe70}'..='\u{fefc}')
        || is_mongolian(c)
}

/// Signs that a letter of an Indic script has no vowel; a joiner may follow one at the end of a word.
pub(super) fn is_virama(c: char) -> bool {
    matches!(
        c,
        '\u{94d}'
            | '\u{9cd}'
            | '\u{a4d}'
            | '\u{acd}'
            | '\u{b4d}'
            | '\u{bcd}'
            | '\u{c4d}'
            | '\u{ccd}'
            | '\u{d4d}'
            | '\u{dca}'
            | '\u{1039}'
            | '\u{103a}'
            | '\u{17d2}'
    )
}

/// Mongolian letters, which take selectors of their own.
pub(super) fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{1878}' | '\u{1880}'..='\u{18aa}')
}
