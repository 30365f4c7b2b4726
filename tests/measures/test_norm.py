"""User models over the value of each intent's perfect ranking."""

import re

import pytest

import by_hand
from pyterrier_diversity import DAG, RAP, RBAP, RBTR, RRAP
from pyterrier_diversity.ideal import ByWorth
from pyterrier_diversity.measures import Normalised
from pyterrier_diversity.parameters import CUTOFF


def by_name(measures):
    return pytest.mark.parametrize("measure", measures, ids=repr)


@by_name([RBAP, DAG, RAP])
@pytest.mark.parametrize("ranking", ["a", "a b", "a b u", "b a u v w x y z"])
@pytest.mark.parametrize("cutoff", [None, 2, 5])
def test_a_perfect_ranking_scores_1_however_long_it_is(measure, ranking, cutoff):
    qrels = by_hand.qrels("q x a 1", "q x b 1")
    measure = measure(norm=True) if cutoff is None else measure(norm=True) @ cutoff

    value = by_hand.value(measure, qrels, by_hand.run(q=ranking))

    complete = len(ranking.split()) >= (cutoff or 2)
    assert value == pytest.approx(1, abs=1e-12) if complete else value < 1


def test_average_precision_of_an_early_and_a_late_document_worked_by_hand():
    # (1/2 + 1/2 1/6 + 2/3 1/12) over (1/2 + 1/6 + 2/3 1/12), P(i) = 1/(i (i+1)).
    qrels = by_hand.qrels("q x a 1", "q x b 1")

    value = by_hand.value(RAP(norm=True), qrels, by_hand.run(q="a u b"))

    assert value == pytest.approx((1 / 2 + 1 / 12 + 1 / 18) / (1 / 2 + 1 / 6 + 1 / 18), abs=1e-15)


@by_name([RBAP, DAG, RAP])
def test_cached_values_do_not_depend_on_the_length_of_a_run(measure):
    qrels = by_hand.qrels("q x a 1", "q x b 2", "q y c 1")
    measures = [measure(norm=True), measure(norm=True) @ 4]
    runs = [by_hand.run(q=ranking) for ranking in ("u a", "u a " + " ".join(f"v{i}" for i in range(40)), "b")]
    evaluator = by_hand.evaluator(*measures, of=qrels)

    one_after_the_other = [[metric.value for metric in evaluator.iter_calc(run)] for run in runs]

    alone = [[metric.value for metric in by_hand.evaluator(*measures, of=qrels).iter_calc(run)] for run in runs]
    assert one_after_the_other == alone


@pytest.mark.parametrize("cutoff", [10**5, 10**9, 2**63, 2**80])
def test_the_perfect_ranking_of_a_geometric_distribution_may_be_of_any_length(cutoff):
    qrels, run = by_hand.qrels("q x a 1", "q x b 1"), by_hand.run(q="u a b")

    values = by_hand.values([RBAP(norm=True) @ cutoff, RBAP(norm=True) @ 2000], qrels, run)

    assert len({tuple(value) for value in values.values()}) == 1


@by_name([DAG, RAP, RBAP(theta=1e-8)])
@pytest.mark.parametrize("cutoff", [10**7 + 1, 2**63])
def test_a_series_of_too_many_terms_is_refused(measure, cutoff):
    measure = measure(norm=True) @ cutoff
    sentence = f"{measure}: the cutoff must not exceed 10000000 with these parameters."

    with pytest.raises(ValueError, match="^" + re.escape(sentence) + "$"):
        by_hand.value(measure, by_hand.qrels("q x a 1"), by_hand.run(q="a"))


@by_name([RBTR(norm=True) @ 2**63, RRAP(norm=True) @ 2**63])
def test_others_are_not_read_where_they_add_nothing(measure):
    assert by_hand.value(measure, by_hand.qrels("q x a 1"), by_hand.run(q="a")) == 1


def test_a_normalised_measure_that_is_defined_again_has_its_own_ideal_value():
    def label(relevant):
        return relevant.label

    def measure(power):
        class Again(Normalised):
            SUPPORTED_PARAMS = {**CUTOFF}
            normaliser = ByWorth(label)

            def gained(self, ranked):
                return ranked.total(ranked.label**power)

        return Again()

    qrels = by_hand.qrels("q x a 1", "q x b 2")

    values = [by_hand.value(measure(power), qrels, by_hand.run(q="a c")) for power in (1, 2)]

    assert values == pytest.approx([1 / 3, 1 / 5])
