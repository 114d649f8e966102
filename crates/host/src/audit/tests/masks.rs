//! Text that looks like a secret is not logged.

use attache_text::secret::mask_words;

use super::*;

fn check(command: &[&str], expected: Expect) {
    let words: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
    expected.assert_eq(&mask_words(&words).join(" "));
}

#[test]
fn secrets_in_arguments_are_masked() {
    check(
        &["deploy", "--token", "abc", "prod"],
        expect!["deploy --token *** prod"],
    );
    check(
        &["deploy", "--api-key=abc", "-v"],
        expect!["deploy --api-key=*** -v"],
    );
    check(
        &["curl", "-u", "ann:pw", "-H", "X-Api-Key: abc", "x"],
        expect!["curl -u ann:*** -H X-Api-Key: *** x"],
    );
    check(
        &["curl", "-H", "authorization: bearer abc"],
        expect!["curl -H authorization: bearer ***"],
    );
    check(
        &["env", "PATH=/bin", "GITHUB_TOKEN=abc", "make"],
        expect!["env PATH=/bin GITHUB_TOKEN=*** make"],
    );
    // The symptom: `LD_PRELOAD=***` hid the subject of a decision.
    check(
        &[
            "LD_PRELOAD=./evil.so",
            "GIT_SSH_COMMAND=./evil",
            "GIT_ASKPASS=./evil",
            "RUST_LOG=debug",
            "DB_PASSWORD=abc",
            "URL=https://ann:pw@example.com/",
            "SETTING=ghp_0123456789abcdef",
            "make",
        ],
        expect![
            "LD_PRELOAD=./evil.so GIT_SSH_COMMAND=./evil GIT_ASKPASS=./evil RUST_LOG=debug DB_PASSWORD=*** URL=https://***@example.com/ SETTING=*** make"
        ],
    );
    check(
        &["git", "clone", "https://ann:pw@example.com/a.git"],
        expect!["git clone https://***@example.com/a.git"],
    );
    check(&["llm", "sk-ant-api03-abcdefgh"], expect!["llm ***"]);
    check(&["x", "ghp_0123456789abcdef"], expect!["x ***"]);
    check(&["x", "q7Rk2ZpX9wLmN4vB8sTd1FgH6jYc3KeA"], expect!["x ***"]);
    check(
        &[
            "bash",
            "-lc",
            "DB_PASSWORD='hunter2' ./run --password hunter3; echo \"token: abc\"",
        ],
        expect![[r#"bash -lc DB_PASSWORD='***' ./run --password ***; echo "token: ***""#]],
    );
}

#[test]
fn ordinary_words_are_not_masked() {
    check(
        &["git", "log", "--author=ann", "main"],
        expect!["git log --author=ann main"],
    );
    check(&["sort", "-u", "file"], expect!["sort -u file"]);
    check(
        &["git", "show", "0123456789abcdef0123456789abcdef01234567"],
        expect!["git show 0123456789abcdef0123456789abcdef01234567"],
    );
    check(
        &["cargo", "test", "-p", "attache-host", "a::b"],
        expect!["cargo test -p attache-host a::b"],
    );
}

#[test]
fn none_of_forty_secrets_is_logged() {
    let dir = Scratch::new();
    let log = Log::open(&dir).unwrap();
    for number in 0..40 {
        let canary = format!("canary{number}value");
        let forms = [
            format!("--token {canary}"),
            format!("--secret={canary}"),
            format!("API_KEY={canary} x"),
            format!("Bearer {canary}"),
            format!("https://u:{canary}@h/"),
            format!("password: {canary}"),
            format!("sk-{canary}"),
            format!("-u me:{canary}"),
        ];
        let text = &forms[number % forms.len()];
        let command = ["sh".to_owned(), "-c".to_owned(), text.clone()];
        log.append(&Event::Ran {
            agent: "claude",
            session: "s",
            command: &command,
            outcome: Err(text.clone()),
        });
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        log.append(&Event::Ran {
            agent: "claude",
            session: "s",
            command: &words,
            outcome: Ok("t"),
        });
    }
    let text = fs::read_to_string(dir.join("000001.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 80);
    assert!(!text.contains("canary"), "{text}");
}

#[test]
fn withheld_values_are_replaced_in_every_field() {
    let dir = tempfile::tempdir().unwrap();
    let logs = dir.path().join("audit");
    let value = "q7Zk29LmVb83XwTnR4";
    let variables = [("MY_API_KEY".into(), value.into())];
    let environment = crate::environment::ChildEnvironment::of(variables, &[]);
    for in_background in [false, true] {
        let mut log = Log::open(&logs)
            .unwrap()
            .without_values(environment.values().clone());
        if in_background {
            log = log.in_background().unwrap();
        }
        let command = ["curl", "-d", value, &format!("x{value}y")].map(str::to_owned);
        log.append(&Event::Ran {
            agent: "agent",
            session: "s",
            command: &command,
            outcome: Err(format!("no {value}")),
        });
        log.append(&Event::Started { agent: value });
        log.settle();
    }
    let mut lines = String::new();
    for entry in fs::read_dir(&logs).unwrap() {
        let path = entry.unwrap().path();
        lines += &String::from_utf8_lossy(&fs::read(path).unwrap());
    }
    assert!(!lines.contains(value), "{lines}");
    assert_eq!(lines.matches("[MY_API_KEY withheld]").count(), 8, "{lines}");
}
