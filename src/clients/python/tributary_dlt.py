"""A dlt source: a table for each program, kept up to date by its change feed. PYTHON.md has more. Needs dlt, and tributary.py next to it."""

import dlt

from tributary import Client


@dlt.source(name="tributary")
def tributary(base_url, programs, username=None, password=None):
    client = Client(base_url, username, password)
    for program in programs:
        yield dlt.resource(
            rows(client, program),
            name=program.replace("-", "_"),
            primary_key="application_id",
            write_disposition="merge",
            # Of several rows of one application in a load the last counts; one with `deleted` removes the application.
            columns={"deleted": {"data_type": "bool", "hard_delete": True}, "row": {"data_type": "bigint", "dedup_sort": "desc"}},
        )


def rows(client, program):
    # dlt stores the state together with the rows, so both are of one round.
    state = dlt.current.resource_state()
    for row, (application_id, application) in enumerate(client.sync(program, state)):
        yield {**(application or {"application_id": application_id}), "deleted": application is None, "row": row}
