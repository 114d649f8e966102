//! Denied options under other names, joined, abbreviated, and with their value in the same word.

use super::super::pattern::{CommandMatch, CommandPattern};

fn is_caught(pattern: &str, line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    let pattern = CommandPattern::parse(pattern).unwrap();
    pattern.catches(&words) == CommandMatch::Yes
}

#[test]
fn attack_no_spelling_hides_an_option_with_its_value() {
    for (pattern, lines) in [
        (
            "curl -X POST **",
            &[
                "curl -X POST u",
                "curl -XPOST u",
                "curl -sXPOST u",
                "curl -sX POST u",
                "curl u -X POST",
                "curl -o f u -XPOST",
                "curl --request POST u",
                "curl u --request=POST",
                "curl --reques=POST u",
            ][..],
        ),
        (
            "curl --request POST **",
            &["curl -XPOST u", "curl -X POST u", "curl u --request=POST"],
        ),
        (
            "curl -XPOST **",
            &["curl -X POST u", "curl u -sXPOST", "curl --request=POST u"],
        ),
        (
            "curl --request=POST **",
            &["curl -X POST u", "curl -XPOST u"],
        ),
        (
            "tool -X POST **",
            &["tool -XPOST", "tool a -X=POST", "tool -vXPOST"],
        ),
        (
            "tool --mode wild **",
            &["tool --mode=wild", "tool a --mode wild"],
        ),
        (
            "python3 -m http.server **",
            &[
                "python3 -mhttp.server",
                "python3 -Im http.server",
                "python3 -Imhttp.server 80",
            ],
        ),
        ("make -j 4 **", &["make -j4 all", "make all -j4"]),
        (
            "git push -o ci.skip **",
            &["git push origin -oci.skip", "git -C d push -o ci.skip"],
        ),
    ] {
        for line in lines {
            assert!(is_caught(pattern, line), "{pattern} / {line}");
        }
    }
}

#[test]
fn attack_no_other_name_hides_an_option() {
    for (pattern, line) in [
        ("git commit --no-verify **", "git commit -n -m x"),
        ("git commit --no-verify **", "git commit -anm x"),
        ("git commit -n **", "git commit --no-verify"),
        ("npm install -g **", "npm install --global x"),
        ("npm install -g **", "npm i --location=global x"),
        ("npm install --global **", "npm i -g x"),
        ("curl -o **", "curl --output file u"),
        ("curl --output **", "curl -so file u"),
        ("curl -d **", "curl --data-raw x u"),
        ("sed -i **", "sed --in-place s/a/b/ f"),
        ("sed -i **", "sed --in-place=.b s/a/b/ f"),
        ("sed --in-place **", "sed -ni.bak s/a/b/ f"),
        ("tar -x **", "tar xf a"),
        ("tar -x **", "tar --extract -f a"),
        ("tar --extract **", "tar xvf a"),
        ("tar xf **", "tar -xf a"),
        ("tar xf **", "tar --get --file=a"),
        ("tar -xf secret.tar **", "tar xf secret.tar"),
    ] {
        assert!(is_caught(pattern, line), "{pattern} / {line}");
    }
}

#[test]
fn other_options_and_values_are_not_caught() {
    for (pattern, line) in [
        ("curl -X POST **", "curl -X GET u"),
        ("curl -X POST **", "curl -XGET u"),
        ("curl -X POST", "curl -XPOST u"),
        ("rm -rf **", "rm -r f"),
        ("rm -rf /srv", "rm -rf /tmp"),
        ("tar -x **", "tar cf a x"),
        ("npm install -g **", "npm install --location=project x"),
        ("python3 -m http.server **", "python3 -m http"),
        ("git push --force **", "git push --force-with-lease"),
        ("git commit --no-verify **", "git commit -m x"),
        ("make -j 4 **", "make -j5"),
    ] {
        assert!(!is_caught(pattern, line), "{pattern} / {line}");
    }
}

#[test]
fn rules_that_allow_need_the_words_as_they_are() {
    for (pattern, words) in [
        ("curl -X POST **", ["curl", "-XPOST", "u"]),
        ("npm install -g **", ["npm", "install", "--global"]),
    ] {
        let pattern = CommandPattern::parse(pattern).unwrap();
        assert!(!pattern.allows_words(&words));
    }
}
