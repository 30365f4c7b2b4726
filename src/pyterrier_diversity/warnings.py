"""Warnings about data. Each kind is a class, so that Python's filters can hide it, or make it an error."""

# A docstring says what happened, and what to do: the page of warnings has both in a table.


class DataWarning(UserWarning):
    """Qrels, runs or results are probably not what you want. Read the message; each kind is a class of its own."""


class WordsWarning(DataWarning):
    """Words for the importance or assignment of nuggets are unknown. Pass ``importance`` or ``levels`` with them."""


class NuggetsWarning(DataWarning):
    """Nuggets have no judgement, or are not read exactly as their format intends. Look at the cases it counts."""


class DifferenceWarning(DataWarning):
    """Queries are left out, because their answers were assigned different nuggets. Judge them with the same ones."""


class SupportWarning(DataWarning):
    """No label of the qrels means full support. Pass the label that does, as in ``NuggetScore(full=1)``."""


class IntentsWarning(DataWarning):
    """No query has several intents. Read the qrels with ``io.read_qrels``, which keeps the intents."""


class RelevanceWarning(DataWarning):
    """Queries have no relevant document. Leave them out if they should not count: most measures score 0 there."""


class EmptyWarning(DataWarning):
    """A run has no documents. Find out why: every query gets each measure's default value."""


class MissingWarning(DataWarning):
    """Queries or judgements are missing on one side. Compare means only on the queries that all runs answer."""


class IdsWarning(DataWarning):
    """No query, or no judged document, of a run is in the qrels. Compare the two ids that the message names."""


class RepeatsWarning(DataWarning):
    """A run repeats documents within a query. Remove the repeats: only the best rank of each document counts."""


class RanksWarning(DataWarning):
    """Scores contradict ranks, or do not order the documents. Read the run by rank if the ranks are right."""


class RowsWarning(DataWarning):
    """Rows are not what they seem: means, several rankings, or unread columns. Look at what the message names."""


class LabelsWarning(DataWarning):
    """Measures of ir_measures read one of a document's several labels. Write ``Adhoc(M)``: it reads the highest."""


class LengthsWarning(DataWarning):
    """The lengths of documents are unknown. Add them with ``io.add_lengths``, with the same document ids."""


class SignificanceWarning(UserWarning):
    """There are too few queries for a test or an interval. ``meta.topics_needed`` estimates how many a test needs."""


#: The classes by name.
KINDS = {kind.__name__: kind for kind in (*DataWarning.__subclasses__(), SignificanceWarning)}
