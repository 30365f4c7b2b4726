"""Lines of words as in files, a few of them odd."""

from hypothesis import strategies as st

from fuzz.hostile import RARELY

SOUND = {"w": ["q1", "q2", "a", "d1", "d2", "\u00e9", "-"], "n": ["0", "1", "-2", "2.5", "1e3"], "i": ["0", "1", "12"]}
ODD = ["x", "nan", "inf", "-1", "1_0", "0x1", "\u0661", "\ufeff", "1e400", "\x00", "\ud7ff", "", "1 1"]
SPACES = [" ", "\t", "  ", "\u00a0", "\x0b", "\x1c"]
ENDS = ["\n", "\n", "\n", "\r\n", "\r", "\n\n", " \n", "\x85\n"]


@st.composite
def lines(draw: st.DrawFn, kinds: str, separator: str | None = None) -> str:
    """Draw lines of words, numbers and integers: the kinds of the columns, with a few odd ones among them."""
    between = separator or draw(st.sampled_from(SPACES))
    text = ""
    for _ in range(draw(st.integers(0, 4))):
        words = [draw(st.sampled_from(SOUND[kind])) for kind in kinds]
        if draw(RARELY):
            words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(ODD) | st.text(max_size=3))
        if draw(RARELY):
            words = [*words, "0"] if draw(st.booleans()) else words[1:]
        text += between.join(words) + draw(st.sampled_from(ENDS))
    return text
