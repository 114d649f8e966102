//! Everything that an attacker with write access can do to a log.

use proptest::prelude::*;

use super::*;

/// Twelve lines in three files, edited as the lines of one text.
fn check(change: impl Fn(&mut Vec<String>), expected: Expect) {
    let dir = log_of_twelve();
    let path = dir.join("000002.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 5);
    change(&mut lines);
    fs::write(
        &path,
        lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    )
    .unwrap();
    check_verified(&dir, expected);
}

fn log_of_twelve() -> Scratch {
    let dir = Scratch::new();
    let log = Log::limited(&dir, 1000, 1000).unwrap();
    for number in 10..22 {
        started(&log, &number.to_string());
    }
    dir
}

#[test]
fn a_changed_line_is_detected() {
    check(
        |lines| lines[1] = lines[1].replace("started", "stopped"),
        expect!["6 lines in 3 files, LOG/000002.jsonl:2: this line was changed"],
    );
}

#[test]
fn a_changed_line_with_a_matching_digest_is_detected() {
    let forged = |line: &str| {
        let line = line.replace("started", "stopped");
        let (body, _) = line.rsplit_once(",\"hash\"").unwrap();
        format!(
            "{body},\"hash\":\"{}\"}}",
            blake3::hash(body.as_bytes()).to_hex()
        )
    };
    check(
        |lines| lines[1] = forged(&lines[1]),
        expect!["7 lines in 3 files, LOG/000002.jsonl:3: this line was changed"],
    );
}

#[test]
fn a_removed_line_is_detected() {
    check(
        |lines| drop(lines.remove(2)),
        expect!["7 lines in 3 files, LOG/000002.jsonl:3: lines before this one were removed"],
    );
}

#[test]
fn a_removed_first_or_last_line_of_a_file_is_detected() {
    check(
        |lines| drop(lines.remove(0)),
        expect!["5 lines in 3 files, LOG/000002.jsonl:1: lines before this one were removed"],
    );
    check(
        |lines| drop(lines.pop()),
        expect!["9 lines in 3 files, LOG/000003.jsonl:1: lines before this one were removed"],
    );
}

#[test]
fn an_inserted_line_is_detected() {
    check(
        |lines| lines.insert(2, "{\"seq\":8}".to_owned()),
        expect!["7 lines in 3 files, LOG/000002.jsonl:3: this line was changed"],
    );
    check(
        |lines| lines.insert(2, lines[1].clone()),
        expect![
            "7 lines in 3 files, LOG/000002.jsonl:3: this line, or the earlier line with the same number, was inserted"
        ],
    );
}

#[test]
fn an_inserted_line_that_continues_the_chain_is_detected() {
    check(
        |lines| {
            let before = chain::LogLine::read(lines[1].as_bytes()).unwrap();
            let (line, _) = before.position.next("2026-01-01T00:00:00Z", "started", &[]);
            lines.insert(2, line.trim_end().to_owned());
        },
        expect![
            "8 lines in 3 files, LOG/000002.jsonl:4: this line, or the earlier line with the same number, was inserted"
        ],
    );
}

#[test]
fn lines_in_another_order_are_detected() {
    check(
        |lines| lines.swap(1, 3),
        expect!["6 lines in 3 files, LOG/000002.jsonl:2: this line was moved"],
    );
}

#[test]
fn a_removed_file_is_detected() {
    let dir = log_of_twelve();
    fs::remove_file(dir.join("000001.jsonl")).unwrap();
    check_verified(
        &dir,
        expect!["0 lines in 2 files, LOG/000002.jsonl:1: lines before this one were removed"],
    );
    let dir = log_of_twelve();
    fs::remove_file(dir.join("000003.jsonl")).unwrap();
    check_verified(
        &dir,
        expect!["10 lines in 2 files, LOG/000002.jsonl:5: the lines after this one were removed"],
    );
}

#[test]
fn a_log_that_was_cut_off_at_its_end_is_detected() {
    let dir = log_of_twelve();
    let path = dir.join("000003.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let first = text.lines().next().unwrap();
    fs::write(&path, format!("{first}\n")).unwrap();
    check_verified(
        &dir,
        expect!["11 lines in 3 files, LOG/000003.jsonl:1: the lines after this one were removed"],
    );
    started(&Log::limited(&dir, 1000, 1000).unwrap(), "later");
    check_verified(
        &dir,
        expect!["11 lines in 3 files, LOG/000003.jsonl:2: lines before this one were removed"],
    );
}

#[test]
fn a_log_that_was_cut_off_together_with_its_head_is_detected() {
    let dir = log_of_twelve();
    fs::remove_file(dir.join("000003.jsonl")).unwrap();
    fs::remove_file(dir.join("head")).unwrap();
    let lost =
        "the head file is missing or was changed; lines may have been removed after this one";
    let report = verify(&dir).unwrap();
    assert!(report.broken.unwrap().to_string().ends_with(lost));
    started(&Log::limited(&dir, 1000, 1000).unwrap(), "later");
    let report = verify(&dir).unwrap();
    assert!(report.broken.unwrap().to_string().ends_with(lost));
}

#[test]
fn a_head_that_was_forged_for_a_log_that_was_cut_off_is_detected() {
    let dir = log_of_twelve();
    fs::remove_file(dir.join("000003.jsonl")).unwrap();
    let text = fs::read_to_string(dir.join("000002.jsonl")).unwrap();
    let last = chain::LogLine::read(text.lines().last().unwrap().as_bytes()).unwrap();
    let size = u64::try_from(text.len()).unwrap();
    let head = chain::ChainHead {
        position: last.position,
        file: 2,
        size,
    };
    head.write(&fs::File::create(dir.join("head")).unwrap(), &[7; 32])
        .unwrap();
    check_verified(
        &dir,
        expect![
            "10 lines in 2 files, LOG/000002.jsonl:5: the head file is missing or was changed; lines may have been removed after this one"
        ],
    );
}

#[test]
fn lines_added_by_somebody_without_the_key_are_detected() {
    let dir = log_of_twelve();
    let path = dir.join("000003.jsonl");
    let mut text = fs::read_to_string(&path).unwrap();
    let mut position = chain::LogLine::read(text.lines().last().unwrap().as_bytes())
        .unwrap()
        .position;
    for _ in 0..2 {
        let (line, next) = position.next("2026-01-01T00:00:00Z", "started", &[]);
        text.push_str(&line);
        position = next;
    }
    fs::write(&path, text).unwrap();
    check_verified(
        &dir,
        expect![
            "14 lines in 3 files, LOG/000003.jsonl:4: this line, or the earlier line with the same number, was inserted"
        ],
    );
}

#[test]
fn every_changed_byte_is_noticed() {
    let dir = Scratch::new();
    let log = Log::open(&dir).unwrap();
    for number in 0..3 {
        started(&log, &number.to_string());
    }
    let path = dir.join("000001.jsonl");
    let bytes = fs::read(&path).unwrap();
    for index in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[index] ^= 1;
        fs::write(&path, &changed).unwrap();
        assert!(verify(&dir).unwrap().broken.is_some(), "byte {index}");
    }
}

#[test]
fn every_replaced_part_is_noticed() {
    let dir = Scratch::new();
    let log = Log::open(&dir).unwrap();
    for number in 0..3 {
        started(&log, &number.to_string());
    }
    let path = dir.join("000001.jsonl");
    let whole = fs::read(&path).unwrap();
    let part = (0..whole.len(), 0..whole.len());
    proptest!(|((start, end) in part, new in prop::collection::vec(any::<u8>(), 0..40))| {
        let mut changed = whole.clone();
        changed.splice(start.min(end)..start.max(end), new);
        fs::write(&path, &changed).unwrap();
        let report = verify(&dir).unwrap();
        prop_assert!(changed == whole || report.broken.is_some() || !report.notes.is_empty());
    });
}
