import json

from pyterrier_diversity.datasets import DiversityDatasetProvider
from pyterrier_diversity.measures import registered
from pyterrier_diversity.measures.groups import GROUPS
from pyterrier_diversity.meta.axioms import CONSTRAINTS
from shell import fail, run


def test_measures_lists_every_measure_on_a_line():
    lines = run("measures").splitlines()[1:]
    rows = json.loads(run("measures", "--format", "json"))

    assert [row["measure"] for row in rows] == [*(measure.NAME for measure in registered()), *GROUPS]
    assert [tuple(line.split(maxsplit=1)) for line in lines] == [(row["measure"], row["what"]) for row in rows]


def test_measures_describes_one_measure_or_group():
    assert run("measures", "ndeval").startswith("A group: ERR_IA@5, ERR_IA@10, ")
    assert run("measures", "RBU").startswith("RBU(cutoff, p=0.99,")
    assert "    e: effort of looking at a document" in run("measures", "RBU")


def test_an_unknown_measure_gets_a_suggestion():
    assert "'nRBU'. Did you mean RBU?" in fail("measures", "nRBU")
    assert "'NDEVL'. Did you mean NDEVAL?" in fail("measures", "NDEVL")
    assert "'I-rec@10'. Did you mean StRecall@10?" in fail("measures", "I-rec@10")
    assert "nDCG is a measure of ir_measures, which documents it; -m takes it, too. 'pyterrier" in fail(
        "measures", "nDCG"
    )
    assert "Unknown measure 'xyz'" in fail("measures", "xyz")


def test_axioms_tells_which_constraints_measures_meet():
    rows = json.loads(run("axioms", "RBU(p=0.99) IA(AP)", "--format", "json"))

    assert rows[0] == {"measure": "RBU", **dict.fromkeys(CONSTRAINTS, "yes")}
    assert (rows[1]["measure"], rows[1]["CloseTh"], rows[1]["Red"], rows[1]["Conf"]) == ("IA(AP)", "yes", "no", "no")


def test_axioms_of_a_measure_that_cannot_be_checked_give_one_sentence():
    assert "needs the column rarity" in fail("axioms", "P_Rareness@5")


def test_datasets_lists_all_datasets():
    rows = json.loads(run("datasets", "--format", "json"))

    assert [row["name"] for row in rows] == DiversityDatasetProvider().list_dataset_names()
    assert all(f"{row['name']} " in run("datasets") for row in rows)
