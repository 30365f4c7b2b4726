"""Parameters that several measures and functions share."""

from .parameter import POSITIVE, Parameter, Parameters

LEVEL = Parameter(float, interval="(0, 1)")

MEASURE: Parameters = {"measure": Parameter(str, desc="the inner measure: an object, or its name as a string")}
CUTOFF: Parameters = {"cutoff": Parameter(int, interval="[1, inf)", desc="last rank that counts")}
REL: Parameters = {
    "rel": Parameter(float, interval="(0, inf)", desc="smallest relevant label; every label above 0 if not given")
}
# ir_measures sets rel=1 for its own measures by default, as its labels are whole numbers.
REL_FROM_1: Parameters = {
    "rel": Parameter(
        float,
        interval="(0, inf)",
        none=1.0,
        desc="smallest relevant label; every label above 0 if it is 1 or not given",
    )
}
GAINS = ("exp", "linear", "binary")
GRADES: Parameters = {
    "gain": Parameter(str, "exp", choices=GAINS, table="(0, 1]", desc="how a label becomes a probability"),
    "max_rel": Parameter(
        float, interval="(0, inf)", desc="largest possible label; the intent's largest label if not given"
    ),
    **REL,
}
GAIN: Parameters = {
    "gain": Parameter(str, "exp", choices=GAINS, table=POSITIVE, desc="how a label becomes a value"),
    **REL,
}
ALPHA: Parameters = {
    "alpha": Parameter(
        float,
        0.5,
        interval="[0, 1]",
        desc="penalty for repetition: an intent's gain is multiplied by 1 - alpha each time it is covered again",
    )
}
TIME_LIMIT: Parameters = {
    "time_limit": Parameter(float, 60.0, interval="(0, inf)", desc="seconds allowed to prove the optimum of one query")
}
JUDGED_ONLY: Parameters = {
    "judged_only": Parameter(bool, False, desc="remove unjudged documents from the ranking first")
}
