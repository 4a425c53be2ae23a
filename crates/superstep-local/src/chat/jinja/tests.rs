//! What templates give, and what hostile ones are stopped at.

use serde_json::json;

use super::*;

const LIMITS: Limits = Limits {
    steps: 4 << 20,
    output: 1 << 20,
};

fn render(source: &str) -> Result<String, Fault> {
    let messages = json!([
        {"role": "system", "content": " be brief "},
        {"role": "user", "content": "hi 'you'"},
        {"role": "assistant", "content": "", "tool_calls": [{"function": {
            "name": "look",
            "arguments": {"b": 1, "a": [true, null, 1.5, "ü<&>"]},
        }}]},
    ]);
    let variables = [
        ("messages", &messages),
        ("tools", &json!(null)),
        ("n", &json!(3)),
        ("words", &json!(["b", "A", "c"])),
    ];
    let template = Template::parse(source).map_err(Fault::Refused)?;
    template.render(&variables, LIMITS)
}

/// Templates, and what Jinja2 3.1 makes of them.
const AS_JINJA2: [(&str, &str); 34] = [
    (
        "{% for m in messages %}{{ loop.index }}/{{ loop.length }} {{ m.role }}{% if not loop.last %}, {% endif %}{% endfor %}",
        "1/3 system, 2/3 user, 3/3 assistant",
    ),
    ("a\n  {% if n %}\n    b\n  {% endif %}\nc\n", "a\n    b\nc"),
    ("a  {%- if n -%}  b  {%- endif -%}  c", "abc"),
    ("  {{ n }}  \n{# gone #}\nd {# here #} e", "  3  \nd  e"),
    ("{%+ if n %} x{% endif +%}\ny", " x\ny"),
    (
        "{% if n == 1 %}one{% elif n > 2 and n != 4 %}many{% else %}none{% endif %}",
        "many",
    ),
    (
        "{% set ns = namespace(found=false, k=0) %}{% for m in messages if m.role != 'system' %}{% set ns.found = true %}{% set ns.k = ns.k + loop.index0 %}{% endfor %}{{ ns.found }} {{ ns.k }}",
        "True 1",
    ),
    (
        "{{ messages[0]['content'] | trim }}|{{ messages[-1].tool_calls[0].function | tojson }}|{{ messages[1:]|length }}|{{ messages[::-1][0].role }}",
        "be brief|{\"name\": \"look\", \"arguments\": {\"b\": 1, \"a\": [true, null, 1.5, \"ü<&>\"]}}|2|assistant",
    ),
    (
        "{{ messages[2].tool_calls[0].function.arguments | tojson(indent=2) }}",
        "{\n  \"b\": 1,\n  \"a\": [\n    true,\n    null,\n    1.5,\n    \"ü<&>\"\n  ]\n}",
    ),
    (
        "{{ messages[2].tool_calls[0].function.arguments }}",
        "{'b': 1, 'a': [True, None, 1.5, 'ü<&>']}",
    ),
    (
        "{{ 'a' ~ 1 ~ none ~ true }}{{ 'x' + 'y' * 3 }}{{ 7 // 2 }}{{ -7 // 2 }}{{ -7 % 3 }}{{ 7 / 2 }}{{ 2 ** 10 }}{{ 1.5 + 1 }}",
        "a1NoneTruexyyy3-423.510242.5",
    ),
    (
        "{{ 'yes' if tools else 'no' }}{{ 'x' if false }}{{ missing }}{{ missing is defined }}{{ tools is none }}{{ messages is iterable and messages is not mapping }}",
        "noFalseTrueTrue",
    ),
    (
        "{{ not n == 3 }}{{ not not n }}{{ 'a' in 'cat' }}{{ 'z' not in words }}{{ 1 < 2 < 3 }}{{ n is divisibleby 3 }}{{ n is odd }}{{ 'role' in messages[0] }}",
        "FalseTrueTrueTrueTrueTrueTrueTrue",
    ),
    (
        "{{ words | join(', ') }} {{ words | first }} {{ words | last }} {{ words | sort | join }} {{ words | reverse | list }} {{ words | map('upper') | join }}",
        "b, A, c b c Abc ['c', 'A', 'b'] BAC",
    ),
    (
        "{{ messages | selectattr('role', 'equalto', 'user') | list | length }}{{ messages | rejectattr('tool_calls', 'defined') | map(attribute='role') | join('+') }}{{ [1,0,2] | select | list }}",
        "1system+user[1, 2]",
    ),
    (
        "{{ 'abcabc' | replace('b', 'XX') }} {{ 'abcabc'.replace('b', 'X', 1) }} {{ 'a,b,c'.split(',')[-1] }} {{ ' a  b '.split() }} {{ ' x '.strip() }}{{ '<t>x'.startswith('<t>') }}{{ 'xxaxx'.strip('x') }}",
        "aXXcaXXc aXcabc c ['a', 'b'] xTruea",
    ),
    (
        "{{ 'hello world' | upper }} {{ 'Hello' | lower }} {{ 'hello world' | title }} {{ 'hELLO' | capitalize }} {{ 'abc' | length }}",
        "HELLO WORLD hello Hello World Hello 3",
    ),
    (
        "{{ missing | default('d') }} {{ '' | default('d', true) }} {{ '' | d('x') }} {{ none | default('y', boolean=true) }}",
        "d d  y",
    ),
    (
        "{% for k, v in {'a': 1, 'b': [2]}.items() %}{{ k }}={{ v }};{% endfor %}{% for k, v in {'z': 1, 'y': 2} | items %}{{ k }}{{ v }}{% endfor %}{% for k, v in {'z': 1, 'y': 2} | dictsort %}{{ k }}{% endfor %}",
        "a=1;b=[2];z1y2yz",
    ),
    (
        "{% for x in [] %}x{% else %}empty{% endfor %}{% for x in missing %}x{% endfor %}",
        "empty",
    ),
    (
        "{% set x %}a{{ n }}b{% endset %}{{ x }}{{ x | length }}{% set a, b = 1, 2 %}{{ a + b }}",
        "a3b33",
    ),
    (
        "{% set x = 1 %}{% for i in range(3) %}{% set x = i %}{% endfor %}{{ x }}{% if true %}{% set x = 5 %}{% endif %}{{ x }}",
        "15",
    ),
    (
        "{{ {'a': {'b': 1}}['a']['b'] }}{{ {'a': 1}.get('b', 'none') }}{{ {'a': 1}.get('b') }}{{ (1, 2)[1] }}{{ [1, 2] + [3] }}{{ 'it\\'s \\n' }}",
        "1noneNone2[1, 2, 3]it's \n",
    ),
    (
        "{{ 'abcdef'[1:4] }}{{ 'abcdef'[-2:] }}{{ 'abcdef'[::-2] }}{{ 'abc'[0] }}{{ [1,2,3,4][1::2] }}{{ [1,2][5:] }}",
        "bcdeffdba[2, 4][]",
    ),
    (
        "{{ range(2, 8, 2) | list }}{{ range(3, 0, -1) | list }}{{ '12' | int + 1 }}{{ 3.7 | int }}{{ -3 | abs }}{{ '3' | float }}",
        "[2, 4, 6][3, 2, 1]13333.0",
    ),
    (
        "{{ [1, '1', none, true, 'a\"b', \"it's\"] }}{{ [1, 1, 2] | unique | list }}{{ 'a\nb' | indent(2) }}",
        "[1, '1', None, True, 'a\"b', \"it's\"][1, 2]a\n  b",
    ),
    (
        "{{ messages[0].role == 'system' and messages[1].content or 'x' }}{{ (n > 2) | string }}{{ n is string }}{{ 'a' 'b' }}{{ 'x' is in words }}{{ n is number }}",
        "hi 'you'TrueFalseabFalseTrue",
    ),
    (
        "{{ messages[5] is defined }}{{ messages[0].nothing is defined }}{{ none.x is defined }}{{ loop is defined }}",
        "FalseFalseFalseFalse",
    ),
    (
        "{% for m in messages %}{% if loop.first %}{{ loop.nextitem.role }}{% elif loop.last %}{{ loop.previtem.role }}{% endif %}{{ loop.revindex }}{% endfor %}",
        "user32user1",
    ),
    (
        "{%- for m in messages -%}\n    {%- if m.content -%}\n        {{- m.content -}}\n    {%- endif -%}\n{%- endfor -%}\n\n  end",
        " be brief hi 'you'end",
    ),
    (
        "{{ '%}' }}{{ '}}' }}{% set d = {'a': {'b': '}}'}} %}{{ d.a.b }}{{ {'x': {'y': 2}}}}",
        "%}}}}}{'x': {'y': 2}}",
    ),
    ("{% if n %}\r\nx{% endif %}", "x"),
    (
        "{{ 1 if n > 5 else 2 if n > 2 else 3 }}{{ n - 1 }}{{ -n }}{{ +n }}{{ n * -1 }}{{ messages[n - 2].role }}",
        "22-33-3user",
    ),
    (
        "{{ 'ab' ~ 'c' | upper }}{{ ('ab' ~ 'c') | upper }}{{ 'a' + 'b' | upper ~ 'c' }}{{ 'a,b' | replace(',', '\\n') | length }}",
        "abCABCaBc3",
    ),
];

#[test]
fn templates_give_what_they_give_in_python() {
    for (source, wanted) in AS_JINJA2 {
        assert_eq!(render(source).as_deref(), Ok(wanted), "{source}");
    }
}

fn is_stopped(source: &str) {
    let ended = render(source);
    assert!(
        matches!(ended, Err(Fault::Stopped(_))),
        "{source:.80}: {ended:.200?}"
    );
}

fn is_refused(source: &str, why: &str) {
    let ended = render(source);
    assert!(
        matches!(&ended, Err(Fault::Refused(said)) if said.contains(why)),
        "{source:.80}: {ended:.200?}"
    );
}

/// Repeats an assignment to `a.s` and `b.s`, and then does something with them.
fn grown(by: &str, times: usize, then: &str) -> String {
    format!(
        "{{% set a = namespace(s=[1], t='0123456789abcdef') %}}\
         {{% set b = namespace(s=[1], t='0123456789abcdef') %}}\
         {{% for i in range({times}) %}}{by}{{% endfor %}}{then}"
    )
}

#[test]
fn shared_values_that_are_huge_when_walked_through_are_stopped() {
    let doubled = "{% set a.s = [a.s, a.s] %}{% set b.s = [b.s, b.s] %}";
    for then in [
        "{{ a.s == b.s }}",
        "{{ a.s != b.s }}",
        "{{ a.s in [b.s] }}",
        "{{ a.s | tojson | length }}",
        "{{ a.s | tojson(indent=4) | length }}",
        "{{ a.s | string | length }}",
        "{{ a.s ~ '' }}",
        "{{ a.s }}",
        "{{ [a.s, b.s] | unique }}",
        "{{ [a.s] | join }}",
        "{{ [a.s] | map('string') | list | length }}",
        "{{ {'x': a.s} == {'x': b.s} }}",
        "{{ a.s is eq(b.s) }}",
        "{{ [a.s] | select('equalto', b.s) | list }}",
        "{{ raise_exception(a.s) }}",
    ] {
        is_stopped(&grown(doubled, 60, then));
    }
}

#[test]
fn texts_and_lists_that_grow_are_stopped() {
    for by in [
        "{% set a.t = a.t ~ a.t %}",
        "{% set a.t = a.t + a.t %}",
        "{% set a.t = [a.t, a.t] | join %}",
        "{% set a.t = a.t * 10 %}",
        "{% set a.t = a.t | replace('a', 'aaaaaaaaaaaaaaaaaaaa') %}",
        "{% set a.t = a.t | replace('', 'aa') %}",
        "{% set a.t = a.t | indent(100000, true) %}",
        "{% set a.t = a.t | tojson | tojson %}",
        "{% set a.s = a.s + a.s %}",
        "{% set a.s = a.s * 10 %}",
        "{% set x %}{{ a.t }}{{ a.t }}{% endset %}{% set a.t = x %}",
    ] {
        is_stopped(&grown(by, 100, "{{ a.t | length }}"));
    }
    for source in [
        "{{ 'a' * 3000000000 }}",
        "{{ [1] * 9000000000000000000 }}",
        "{{ 'a\nb' | indent(2000000000) | length }}",
        "{{ [1] | tojson(indent=9000000000000000000) }}",
        "{{ range(9000000000000000000) | length }}",
        "{{ range(90000) | map('string') | join('xxxxxxxxxx') | replace('x', 'yyyyyyyyyyyyyyyyyyyy') }}",
    ] {
        is_stopped(source);
    }
}

#[test]
fn work_within_one_step_is_counted() {
    let long =
        "{% set x = range(20000) | list %}{% set s = 'ab ' * 100000 %}{% for i in range(20000) %}";
    for by in [
        "{% set y = -1 in x %}",
        "{% set y = x | sort %}",
        "{% set y = x[1:] %}",
        "{% set y = x | reverse %}",
        "{% set y = s.split() %}",
        "{% set y = s.split('b') %}",
        "{% set y = (s ~ 'b') == s %}",
        "{% set y = 'q' in s %}",
        "{% set y = s | upper %}",
        "{% set y = s | trim('xyz') %}",
        "{% set y = s[1] %}",
        "{% set y = s | length %}",
        "{% set y = messages[s] %}",
        "{% set y = namespace(a=1)[s] %}",
        "{% set y = {s: 1} == {s: 1} %}",
        "{% set y = x | selectattr('a', 'defined') %}",
    ] {
        is_stopped(&format!("{long}{by}{{% endfor %}}"));
    }
}

#[test]
fn values_that_are_too_deep_are_stopped() {
    for by in [
        "{% set a.s = [a.s] %}",
        "{% set a.s = {'x': a.s} %}",
        "{% set a.s = dict(x=a.s) %}",
        "{% for x in [a.s] %}{% set a.s = [loop] %}{% endfor %}",
    ] {
        is_stopped(&grown(by, 20_000, "{{ a.s | string | length }}"));
    }
    let mut deep = json!(1);
    for _ in 0..500 {
        deep = Json::Array(vec![deep]);
    }
    let template = Template::parse("{{ deep }}").unwrap_or(Template(Vec::new()));
    let ended = template.render(&[("deep", &deep)], LIMITS);
    assert!(matches!(ended, Err(Fault::Stopped(_))), "{ended:?}");
}

#[test]
fn a_namespace_in_itself_is_no_circle() {
    let circle = "{% set a.s = a %}{% set b.s = [b, a.s] %}";
    assert_eq!(
        render(&grown(circle, 3, "{{ a.s == a }}")).as_deref(),
        Ok("True")
    );
    is_refused(&grown(circle, 3, "{{ b.s | tojson }}"), "is no JSON");
    is_refused(&grown(circle, 3, "{{ b.s }}"), "cannot be written");
}

#[test]
fn a_template_that_is_nested_too_deep_is_not_read() {
    let repeated = |open: &str, close: &str| {
        let count = 40_000 / (open.len() + close.len()) * 3;
        format!("{{{{ {}1{} }}}}", open.repeat(count), close.repeat(count))
    };
    for source in [
        repeated("not ", ""),
        repeated("-", ""),
        repeated("+", ""),
        repeated("(", ")"),
        repeated("[", "]"),
        repeated("{'a':", "}"),
        repeated("1 if 1 else ", ""),
        repeated("x[", "]"),
        repeated("x(", ")"),
        repeated("x|f(", ")"),
        repeated("x.f(", ")"),
        repeated("x is in [", "]"),
        repeated("", " is in x")
            .replace(" }}", " is in [ [[[[[[")
            .repeat(10),
        "{% if 1 %}".repeat(5_000) + &"{% endif %}".repeat(5_000),
        "{% for i in x %}".repeat(4_000) + &"{% endfor %}".repeat(4_000),
        "{% set x %}".repeat(5_000) + &"{% endset %}".repeat(5_000),
    ] {
        let ended = render(&source);
        assert!(
            matches!(&ended, Err(Fault::Refused(_))),
            "{source:.40}: {ended:.200?}"
        );
    }
    is_refused(&"x".repeat(MAX_SOURCE + 1), "bytes");
    is_refused(&format!("{{{{ {} }}}}", "x".repeat(1_000)), "too long");
}

#[test]
fn the_deepest_template_that_is_read_is_rendered() {
    // Each level has all ranks of operators.
    let level = "0 or 1 and not 0 == 1 + 1 * -(";
    let mut depth = 60;
    let deepest = loop {
        let source = format!(
            "{{{{ {}1{} }}}}",
            level.repeat(depth),
            ")|abs".repeat(depth)
        );
        match Template::parse(&source) {
            Ok(_) => break source,
            Err(why) if depth > 1 => assert!(why.contains("nested"), "{why}"),
            Err(why) => panic!("{why}"),
        }
        depth -= 1;
    };
    assert!(depth > 10, "{depth}");
    assert!(render(&deepest).is_ok_and(|text| !text.is_empty()));
}

#[test]
fn long_runs_are_not_deep() {
    for (part, count) in [
        ("1 + ", 5_000),
        ("'a' ~ ", 200),
        ("1 == ", 5_000),
        ("1 and ", 5_000),
    ] {
        let source = format!("{{{{ {}1 }}}}", part.repeat(count));
        assert!(render(&source).is_ok(), "{part}");
    }
    let source = format!("{{{{ messages{} }}}}", "|list".repeat(5_000));
    assert!(render(&source).is_ok());
    let elif = "{% elif n == 1 %}x".repeat(3_000);
    assert_eq!(
        render(&format!(
            "{{% if n == 1 %}}{elif}{{% else %}}y{{% endif %}}"
        ))
        .as_deref(),
        Ok("y")
    );
}

#[test]
fn what_is_not_known_is_refused_and_named() {
    is_refused("{{ 1 | center(2000000000) }}", "no filter `center`");
    is_refused("{{ x() }}", "no function `x`");
    is_refused("{{ 'a'.x() }}", "no method `x`");
    is_refused("{{ 1 is x }}", "no test `x`");
    is_refused("{% macro x() %}{% endmacro %}", "no statement `macro`");
    is_refused("{{ missing.x }}", "not defined");
    is_refused("a\n{{ 'b' }}\n\n{% if %}", "line 4");
    is_refused("{{ 'a", "does not end");
    is_refused("{# a", "does not end");
    is_refused("{% if n %}", "no `endif`");
    is_refused("{{ 10 ** 100000000 }}", "too large");
    is_refused("{{ 1 // 0 }}", "divided by nothing");
}
