// SPDX-License-Identifier: BSL-1.0
// One round of the crate bpe-openai, as engines.py does of others: ENCODING FILE

fn seconds() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

fn main() {
    let given: Vec<String> = std::env::args().collect();
    let tokenizer = if given[1] == "cl100k_base" { bpe_openai::cl100k_base() } else { bpe_openai::o200k_base() };
    let text = std::fs::read_to_string(&given[2]).unwrap();
    let begin = seconds();
    let tokens = tokenizer.count(&text);
    let cold = seconds() - begin;
    let (mut warm, mut spent) = (f64::MAX, 0.0);
    for _ in 0..3 {
        if spent > 2.0 {
            break;
        }
        let begin = seconds();
        assert_eq!(tokenizer.count(&text), tokens);
        let taken = seconds() - begin;
        warm = taken.min(warm);
        spent += taken;
    }
    println!("{tokens} {cold} {warm}");
}
