//! Ordinary one-liners that name no protected file. They run without a question where everything is approved.

use std::fs;

use super::*;
use crate::scratch::Scratch;

/// A directory with two files.
fn almost_empty() -> Scratch {
    let root = Scratch::new();
    fs::write(root.join("ok.txt"), "okay").unwrap();
    fs::write(root.join("p.json"), r#"{"a":"abcdef"}"#).unwrap();
    root
}

/// A git project with instructions for agents.
fn git_project() -> Scratch {
    let root = almost_empty();
    for directory in [".git/hooks", ".git/objects", ".git/refs", "src", "out"] {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    for file in [
        "AGENTS.md",
        ".git/config",
        ".git/HEAD",
        "src/a.rs",
        "a",
        "b",
        "x",
    ] {
        fs::write(root.join(file), file).unwrap();
    }
    root
}

#[test]
fn ordinary_one_liners_run_without_a_question() {
    assert!(LINES.len() > 100);
    let permissions = Permissions::preset(Preset::ApproveAll);
    let mut wrong = Vec::new();
    for (name, root) in [("almost empty", almost_empty()), ("git", git_project())] {
        for line in LINES {
            let line_in_json = serde_json::Value::from(*line);
            let action = action_in(
                &root,
                &format!(r#"{{"kind":"execute","rawInput":{{"command":{line_in_json}}}}}"#),
            );
            let verdict = permissions.judge(&action);
            if !matches!(verdict, Verdict::Allow(_)) {
                wrong.push(format!("{name}: {line}: {}", shown(&verdict)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_directory_that_cannot_be_followed_is_named_as_the_reason() {
    let root = almost_empty();
    let permissions = Permissions::preset(Preset::ApproveAll);
    for directory in ["/dev/fd", "/proc/self/cwd"] {
        let action = action_in(
            &root,
            &format!(r#"{{"kind":"execute","rawInput":{{"command":"true","cwd":"{directory}"}}}}"#),
        );
        let verdict = shown(&permissions.judge(&action));
        assert_eq!(
            verdict,
            "deny: it names a path that can't be followed, such as one in `/proc` or `/dev/fd`"
        );
    }
}

const LINES: &[&str] = &[
    r#"python3 -c '[1,2]'"#,
    r#"python3 -c 'x[1:]'"#,
    r#"python3 -c 'n[-1:]'"#,
    r#"python3 -c '"a"[2:]'"#,
    r#"python3 -c '"a"[2]'"#,
    r#"python3 -c '[a,b]'"#,
    r#"python3 -c '[1, 2]'"#,
    r#"python3 -c 'x="abcdefghijk"; print(x[:5])'"#,
    r#"python3 -c 'print("abcdef"[::-1])'"#,
    r#"python3 -c 'import sys; print(sys.argv[1:])' a b"#,
    r#"python3 -c 'a=[1,2]; print(a[0])'"#,
    r#"python3 -c 'w=lambda b:b; print(w("x"[:3].encode()))'"#,
    r#"python3 -c "import json; d=json.load(open('p.json')); print(d['a'][:3])""#,
    r#"python3 -c "import json,sys; json.dump({'a': [1, 2]}, sys.stdout, indent=2)""#,
    r#"python3 -c "print(open('ok.txt').read()[:100])""#,
    r#"python3 -c "import re; print(re.findall(r'[a-z]+', 'abc d'))""#,
    r#"python3 -c "import re; print(re.sub('.*', '', 'x'))""#,
    r#"python3 -c "import re; print(re.split(r'[,:;]', 'a,b'))""#,
    r#"python3 -c "print('.'*10)""#,
    r#"python3 -c "print('*'*10)""#,
    r#"python3 -c "print('-'*40)""#,
    r#"python3 -c "print(*range(3))""#,
    r#"python3 -c "print(2**10)""#,
    r#"python3 -c "print(7/2, 7//2, 7%2)""#,
    r#"python3 -c "[print(i) for i in range(3)]""#,
    r#"python3 -c "import glob; print(glob.glob('*.txt'))""#,
    r#"python3 -c "import glob; print(glob.glob('src/**/*.rs', recursive=True))""#,
    r#"python3 -c "import os; print(os.listdir('.'))""#,
    r#"python3 -c "import os; print(os.getcwd(), os.path.exists('..'))""#,
    r#"python3 -c "import os; print(os.environ.get('HOME', '/'))""#,
    r#"python3 -c "import os; os.makedirs('out/x', exist_ok=True)""#,
    r#"python3 -c "import pathlib; print(list(pathlib.Path('.').iterdir())[:2])""#,
    r#"python3 -c "from pathlib import Path; Path('out.txt').write_text('[1,2]')""#,
    r#"python3 -c "x='a/b'; print(x.split('/')[:1])""#,
    r#"python3 -c "x={'a':[1,2]}; print(x['a'][:1])""#,
    r#"python3 -c "print([x for x in 'abc'][:2])""#,
    r#"python3 -c "print({k: v for k, v in zip('ab', [1, 2])})""#,
    r#"python3 -c "print('a'[:1].upper())""#,
    r#"python3 -c "print(b'abc'[:2].hex())""#,
    r#"python3 -c "s='x'; print(s[:1]+s[1:])""#,
    r#"python3 -c "n=[3,1]; n.sort(); print(n[-1:])""#,
    r#"python3 -c "n=[[1,2],[3,4]]; print(n[0][1:], n[:, 0])""#,
    r#"python3 -c "print(f'{1+1:>5}')""#,
    r#"python3 -c "print('{:,}'.format(12345))""#,
    r#"python3 -c "print('%s: %d' % ('a', 1))""#,
    r#"python3 -c "import sys; print(sys.version_info[:2])""#,
    r#"python3 -c "import platform; print(platform.machine())""#,
    r#"python3 -c "import time; print(time.strftime('%Y-%m-%d'))""#,
    r#"python3 -c "import datetime as d; print(d.datetime.now().isoformat()[:10])""#,
    r#"python3 -c "import hashlib; print(hashlib.sha256(b'x').hexdigest()[:8])""#,
    r#"python3 -c "import base64; print(base64.b64encode(b'abc')[:4])""#,
    r#"python3 -c "import urllib.parse as u; print(u.quote('a b?c=[1]'))""#,
    r#"python3 -c "import csv,sys; [print(r[0]) for r in csv.reader(open('ok.txt'))]""#,
    r#"python3 -c "import collections; print(collections.Counter('abca').most_common(2)[0])""#,
    r#"python3 -c "import random; print(random.choice([1,2,3]))""#,
    r#"python3 -c "import ast; print(ast.literal_eval('[1, {2: 3}]'))""#,
    r#"python3 -c "import sqlite3; print(sqlite3.sqlite_version)""#,
    r#"python3 -c "import sys; sys.stdout.write(sys.stdin.read().replace('a', 'b'))""#,
    r#"python3 -c "print(max(len(l) for l in open('ok.txt')))""#,
    r#"python3 -c "import textwrap; print(textwrap.fill('a b c', 2))""#,
    r#"python3 -c "print(type(x := [1, 2][0]).__name__)""#,
    r#"python3 -c "print(any(c in '*?[' for c in 'abc'))""#,
    r#"python3 -m json.tool p.json"#,
    r#"python3 - <<'X'
print("abc"[:2], [1,2])
X"#,
    r#"node -e '[1,2]'"#,
    r#"node -e '{a,b}'"#,
    r#"node -e 'f([c])'"#,
    r#"node -e 'x?1:2'"#,
    r#"node -e 'a*b'"#,
    r#"node -e 'a?.b'"#,
    r#"node -e 'a??b'"#,
    r#"node -e 'x=a?"b":"c"'"#,
    r#"node -e 'console.log("*".repeat(3))'"#,
    r#"node -e 'console.log([1,2,3].slice(0,2).map(x=>x*2))'"#,
    r#"node -e 'console.log(process.argv.slice(1))' a b"#,
    r#"node -e 'const {a, b} = {a: 1, b: 2}; console.log(a + b)'"#,
    r#"node -e 'console.log(JSON.stringify({a: [1, 2]}, null, 2))'"#,
    r#"node -p 'process.version'"#,
    r#"node -p 'process.versions.v8.split(".")[0]'"#,
    r#"node -p '[..."abc"].reverse().join("")'"#,
    r#"node -p 'require("./p.json").a.slice(0, 2)'"#,
    r#"node -p '`${1 + 1} [x]`'"#,
    r#"node -p '"a-b".replace(/[a-z]/g, "*")'"#,
    r#"node -p 'Object.keys({a: 1})[0]'"#,
    r#"node -p 'f(x).rules'"#,
    r#"node -p 'new Date().toISOString().slice(0, 10)'"#,
    r#"node -e 'for (let i = 0; i < 3; i++) console.log(i)'"#,
    r#"node -e 'require("fs").writeFileSync("out.json", "[1,2]")'"#,
    r#"perl -e '$x[1:2]'"#,
    r#"perl -e 'print @a[1,2]'"#,
    r#"perl -e 'print "@ARGV[0..1]\n"' a b"#,
    r#"perl -ne 'print if /a.*b/' ok.txt"#,
    r#"perl -pe 's/[a-c]/x/' ok.txt"#,
    r#"perl -pe 's/\s+$//' ok.txt"#,
    r#"perl -lane 'print $F[0]' ok.txt"#,
    r#"perl -F: -lane 'print $F[-1]' ok.txt"#,
    r#"perl -0777 -ne 'print scalar(@{[/x/g]})' ok.txt"#,
    r#"perl -MList::Util=sum -e 'print sum(1, 2)'"#,
    r#"perl -i -pe 's/[a-z]*,/x/' ok.txt"#,
    r#"perl -e 'my %h = (a => [1, 2]); print $h{a}[0]'"#,
    r#"perl -e 'print join(",", map { $_ * 2 } 1..3)'"#,
    r#"ruby -e 'puts 1'"#,
    r#"ruby -e 'puts [1, 2, 3].map { |x| x * 2 }.inspect'"#,
    r#"ruby -e 'puts "abc"[0..1]'"#,
    r#"ruby -rjson -e 'puts JSON.parse(File.read("p.json"))["a"]'"#,
    r#"ruby -ne 'puts $_ if /a.*b/' ok.txt"#,
    r#"ruby -e 'h = {a: 1}; puts h[:a]'"#,
    r#"awk '{print $1}' ok.txt"#,
    r#"awk -F: '{print $1, $NF}' ok.txt"#,
    r#"awk '{s+=$1} END {print s/NR}' ok.txt"#,
    r#"awk '$1 > 5 {print $2}' ok.txt"#,
    r#"awk 'NR>1 && /[a-z]*/ {print > "out.txt"}' ok.txt"#,
    r#"awk 'BEGIN{printf "%.2f\n", 10/3}'"#,
    r#"awk '{a[$1]++} END {for (k in a) print k, a[k] | "sort"}' ok.txt"#,
    r#"awk -v OFS=, '{print $1,$2}' ok.txt"#,
    r#"sed -n 's/[a-z]*/x/p' ok.txt"#,
    r#"sed 's/[,:]/ /g' ok.txt"#,
    r#"sed -n '2,5p' ok.txt"#,
    r#"sed -i 's/[a-z]*/x/' ok.txt"#,
    r#"sed -i 's,[a,b],x,' ok.txt"#,
    r#"sed -i.bak -e 's/a*/b/' -e '1d' ok.txt"#,
    r#"sed -E 's/(a|b)+/x/g' ok.txt"#,
    r#"sed -i '/^#/d' ok.txt"#,
    r#"jq '.[0:2] | .[]' p.json"#,
    r#"jq '.a[1:]' p.json"#,
    r#"jq -r '.a | "\(.)"' p.json"#,
    r#"jq '{a, b: .c[0]}' p.json"#,
    r#"jq 'map(select(.x > 1))' p.json"#,
    r#"jq --arg v 1 '.a = $v' p.json"#,
    r#"jq -c '.[] | {name, size: (.b * 2)}' p.json"#,
    r#"grep -E '^[^#]*=' ok.txt"#,
    r#"printf '%s' "[:5]""#,
    r#"php -r 'echo implode(",", [1, 2]);'"#,
    r#"lua -e 'print(#{1, 2})'"#,
];
