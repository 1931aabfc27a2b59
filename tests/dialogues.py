"""Twenty short dialogues, made up: who speaks, and what is said. `>` marks the assistant, all else is the user."""

from __future__ import annotations

DIALOGUES: tuple[tuple[str, ...], ...] = (
    ("Hi, my name is Nora and I work as a nurse in Turin.", "> Nice to meet you, Nora!", "Please keep answers short."),
    ("I moved to Ghent last week.", "> How do you like it?", "It is quiet. My sister Lena lives two streets away."),
    ("Can you convert this invoice to CSV?", "> Sure.", "I always want invoices as CSV, never as PDF."),
    ("I am allergic to walnuts.", "> Noted.", "Also I do not eat meat any more.", "> Since when?", "Since March."),
    ("We decided to ship the beta on Friday.", "> Anything open?", "The price page. I still have to write it."),
    ("No, I said Thursday, not Tuesday.", "> Sorry.", "My chess club meets every Thursday at seven."),
    ("My dog is called Bruno.", "> What breed?", "A beagle. He is four and hates thunder."),
    ("Good morning!", "> Good morning, how can I help?", "Just checking that you are there. Thanks!"),
    ("I prefer tabs to spaces.", "> In all languages?", "In Go and Make. In Python I use four spaces."),
    ("My daughter Ida starts school in September.", "> Exciting!", "She wants to be a diver, like her aunt Vera."),
    ("I used to play tennis.", "> And now?", "Now I row, twice a week, on the lake behind the mill."),
    ("Please call me Sam, not Samuel.", "> Of course, Sam.", "And my pronouns are they and them."),
    ("The build fails with error E1207 on runner 14.", "> Have you cleared the cache?", "Yes. It fails on ARM only."),
    ("I have two projects: Heron, in Rust, and Osprey, in Kotlin.", "> Which one first?", "Osprey, until the spring."),
    ("My flight to Oslo is on 12 March at 6 in the morning.", "> Shall I remind you?", "Yes, the evening before."),
    ("Ich heiße Jonas und wohne seit Mai in Bremen.", "> Schön!", "Antworte mir bitte immer auf Deutsch."),
    ("Je suis professeur de chimie à Lyon.", "> Très bien.", "Je déteste les réunions avant dix heures."),
    ("Vivo en Sevilla y trabajo de noche.", "> Entendido.", "No me llames por la mañana, por favor."),
    ("我叫小林，住在成都。", "> 你好，小林！", "我不吃辣，请记住。"),
    ("I broke my wrist in June.", "> I am sorry.", "The doctor says I may lift things again from October on."),
)


def messages(dialogue: tuple[str, ...]) -> list[dict[str, str]]:
    """The dialogue as `record` takes it."""
    return [
        {"role": "assistant", "content": line[2:]} if line.startswith("> ") else {"role": "user", "content": line}
        for line in dialogue
    ]
