"""The arms of recall: each looks at memories in its own way and gives them scores from 0 to 1. One arm, one file.

text            BM25 of the memory's own words                                                              `words`
text_window     BM25 of the memory with the message before and after it in the same session                 `words`
vector          cosine of query and memory                                                                  `vectors`
vector_window   mean cosine of the memory and its two neighbours                                            `vectors`
session         the best text-and-vector score in the memory's session                                      `sessions`
names           share of the names in the query that the memory holds                                       `names`
when            how near the memory lies to the days the query speaks of                                    `when`
own             1 for what the owner said or what is known of them, 0 for what an assistant or a tool said  `own`
tokens          for each word of the query the likeliest word of the memory, by their states                `tokens`
tokens_window   the best `tokens` of the two neighbours, as far as they are candidates                      `tokens`

The first eight look at every memory in view, the last two at candidates. An arm that has nothing to say of a query
(no name in it, no date, no vector) is not there.
"""

from retentive.arms.first import First, first_arms
from retentive.arms.narrow import LARGE, narrowed
from retentive.arms.question import Question, read_question
from retentive.arms.ranking import PRESETS, Ranking
from retentive.arms.sessions import answers_of_sessions
from retentive.arms.tokens import token_arms
from retentive.arms.tuned import ranking_of
from retentive.arms.vectors import lacks_part, likeness

__all__ = [
    "LARGE",
    "PRESETS",
    "First",
    "Question",
    "Ranking",
    "answers_of_sessions",
    "first_arms",
    "lacks_part",
    "likeness",
    "narrowed",
    "ranking_of",
    "read_question",
    "token_arms",
]
