"""The search for rankings on which a measure breaks a constraint.

Rankings have up to 9 documents, so that a cutoff of 9 or more has no effect. DeepTh and CloseTh compare longer
rankings of equal length, padded with documents that are not relevant, as in the paper's proof. The paper only says that
their threshold exists: the search tests DeepTh with 1000 documents, and CloseTh with 1 to 10, one of which must be
enough.

Labels are whole numbers. Every intent has one document with the largest label, 10, that is not retrieved. Labels 1,
2 and 5 are therefore worth little (1/1024, 3/1024 and 31/1024 with ``gain="exp"``), as the paper requires. If a measure
refuses such labels, the largest is 4 or 3. Sat is tested with a label of 50. In topics of Red and MRed, both intents
have equally many relevant documents.

The rankings are the same for all measures: all short ones, and longer ones of up to 9 documents that differ in only
a few places. Two values count as equal if they agree to ten decimals.

AspRel is only tested without other documents of the two intents. With a later document of the heavier intent, RBU
breaks it too; the paper's proof considers a single rank.

The table differs from Table 1 of the paper. `counterexample` shows a case of each difference:

- A measure with a cutoff of at most n meets DeepTh: ``nDCG@20`` does, ``nDCG`` does not.
- ``P@k`` and ``IA(P@k)`` meet CloseTh: two relevant documents at ranks 3 and 4 are better than one. Ad-hoc measures
  of graded labels meet AspDiv, and RR meets Sat; the paper does not apply these constraints to them.
- Binary measures (``RBP(rel=1)``, ``NRBP``, ``alpha_nDCG``) break Pri, Deep and AspDiv, in which grades matter.
  ``NRBP_IA``, ``alpha_DCG_IA`` and ``NRBP_IA(alpha=0)``, which is graded RBP-IA, use grades.
- ``IA(AP)`` and ``IA(nDCG)`` break AspRel if the heavier intent has more relevant documents, because they normalise
  each intent separately.
- Alpha measures (``NRBP_IA``, ``alpha_DCG_IA``, ``EU``, ``CT_rank``) break Pri and AspDiv: a document of little
  relevance can take more novelty from a better one below it than it adds. With a large alpha, they also break
  CloseTh.
- ``NRBP_IA`` and ``alpha_DCG_IA`` weight the intents and meet AspRel, unlike NRBP and alpha-nDCG in the paper.
- ``IA(ERR)`` breaks Sat, because gdeval's best label leaves 1 user in 16 unsatisfied. ERR-IA as in the paper is
  ``UserModel(model=3, stop="ERR", gain="linear")``.
- ``RBU`` breaks Sat if the fraction of users that its best label leaves unsatisfied exceeds the effort, as in
  ``RBU(max_rel=4)``.
- ``CT_rank`` breaks Red if both intents are saturated. It cannot meet both Red and Sat.
"""

from .constraints import CONSTRAINTS, Constraint, Pair
from .search import axiom_table, counterexample

__all__ = ["CONSTRAINTS", "Constraint", "Pair", "axiom_table", "counterexample"]
