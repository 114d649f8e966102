//! Tests that the result does not depend on how a provider splits its answer into frames.

use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn pieces_add_up(text in "\\PC{0,40}", input in "\\PC{0,40}", cut in 1_usize..8) {
        let mut frames = Vec::new();
        for piece in pieces(&text, cut) {
            frames.push(json!({ "choices": [{ "delta": { "content": piece } }] }));
        }
        for (place, piece) in pieces(&input, cut).into_iter().enumerate() {
            let mut call = json!({ "index": 0, "function": { "arguments": piece } });
            if place == 0 {
                call["id"] = json!("call");
                call["function"]["name"] = json!("tool");
            }
            frames.push(json!({ "choices": [{ "delta": { "tool_calls": [call] } }] }));
        }
        let mut reader = ResponseReader::new(WireFormat::Chat, "m", &Request::default());
        let mut out = VecDeque::new();
        for frame in frames {
            prop_assert_eq!(reader.read(&frame.to_string(), &mut out), Ok(()));
        }
        prop_assert_eq!(reader.read("[DONE]", &mut out), Ok(()));
        let said: String = out.iter().filter_map(|event| match event {
            Event::Text(text) => Some(text.as_str()),
            _ => None,
        }).collect();
        prop_assert_eq!(said, text);
        let called = out.iter().find_map(|event| match event {
            Event::Call(call) => Some(call.input.clone()),
            _ => None,
        });
        prop_assert_eq!(called, (!input.is_empty()).then_some(input));
    }

    #[test]
    fn nothing_that_is_read_makes_it_panic(frames in prop::collection::vec(frame(), 0..12)) {
        for wire in [WireFormat::Messages, WireFormat::Chat, WireFormat::Responses] {
            let mut reader = ResponseReader::new(wire, "m", &Request::default());
            let mut out = VecDeque::new();
            for frame in &frames {
                if reader.read(frame, &mut out).is_err() || matches!(out.back(), Some(Event::End(_))) {
                    break;
                }
            }
        }
    }
}

fn pieces(text: &str, length: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters
        .chunks(length)
        .map(|piece| piece.iter().collect())
        .collect()
}

/// Frames with the keywords of the wire formats in wrong places.
fn frame() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(json!(null)),
        Just(json!(0)),
        Just(json!(u64::MAX)),
        Just(json!([])),
        prop::sample::select(vec![
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop",
            "error",
            "text_delta",
            "thinking",
            "tool_use",
            "input_json_delta",
            "stop",
            "x",
            "response.output_item.added",
            "response.output_item.done",
            "response.completed",
            "function_call",
        ])
        .prop_map(|word| json!(word)),
    ];
    let names = prop::sample::select(vec![
        "type",
        "index",
        "delta",
        "content_block",
        "usage",
        "message",
        "choices",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "id",
        "content",
        "error",
        "prompt_tokens",
        "prompt_tokens_details",
        "cached_tokens",
        "cache_write_tokens",
        "input_tokens",
        "stop_reason",
        "finish_reason",
        "reasoning",
        "item",
        "response",
        "output_index",
    ]);
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|items| json!(items)),
            prop::collection::vec((names.clone(), inner), 0..6).prop_map(|members| {
                let members = members
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value));
                serde_json::Value::Object(members.collect())
            }),
        ]
    })
    .prop_map(|value| value.to_string())
}
