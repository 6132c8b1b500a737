"""A client of Tributary's export for Python 3.9 or newer: one file, to be copied, that needs nothing but Python.

    client = Client("https://apply.example.gov")  # the API key is in TRIBUTARY_USERNAME and TRIBUTARY_PASSWORD
    for application in client.walk("utility-assistance"):
        ...

Every application arrives once and in order, whatever fails on the way. An interrupted page is requested again with the same token, which
returns the same applications. A page is handed over only when all of it has arrived and matches the count and SHA-256 in its last line.
See PYTHON.md, next to this file.
"""

from __future__ import annotations

import base64
import datetime
import email.utils
import gzip
import hashlib
import http.client
import json
import os
import random
import socket
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib
from array import array
from collections import deque
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional, TypeVar, Union

__all__ = ["Client", "GaveUp", "Page", "Refused", "TributaryError", "Unreachable", "Walk", "WalkDiffers"]

NDJSON = "application/x-ndjson"
JSON = "application/json"
PAGE_BYTES_MAX = 256 * 1024 * 1024
"""Maximum bytes of a page. A page is held in memory before any of it is handed over."""
ASKED_WAIT_SECONDS_MAX = 15 * 60
"""The longest Retry-After that is obeyed."""

When = Union[str, datetime.date, datetime.datetime, None]
T = TypeVar("T")


class TributaryError(Exception):
    """Base class of this client's errors, except ValueError for invalid arguments."""


class Refused(TributaryError):
    """The service rejected the request and would reject it again: a parameter, the API key, or a token that is no longer valid."""

    def __init__(self, status: int, problem: dict[str, Any]):
        self.status = status
        self.problem = problem
        """The problem document (RFC 9457) of the response; empty where it had none."""
        super().__init__(_refusal(status, problem))

    @property
    def codes(self) -> list[str]:
        """Error codes, one for each parameter, such as `page_token_expired`."""
        return [str(error.get("code")) for error in _errors_of(self.problem)]

    @property
    def needs_new_walk(self) -> bool:
        """The token or cursor is invalid or has expired, or the service lost what it refers to. Start a new walk."""
        ended = {"page_token_expired", "page_token_invalid", "walk_of_another_history", "cursor_of_another_history"}
        return not ended.isdisjoint(self.codes)


class GaveUp(TributaryError):
    """No attempt succeeded; `__cause__` is the last failure."""


class Unreachable(TributaryError):
    """The host does not exist, or its certificate is not trusted. Waiting does not help."""


class WalkDiffers(TributaryError):
    """The applications that arrived do not match the service's receipt."""


class _Passing(Exception):
    """A failure that may pass, with the wait in seconds that the service asked for."""

    def __init__(self, reason: str, wait_seconds: Optional[float] = None):
        super().__init__(reason)
        self.wait_seconds = wait_seconds


class Page(NamedTuple):
    applications: list[dict[str, Any]]
    next_page_token: Optional[str]
    """For `Client.walk(…, next_page_token=…)`, to continue after this page; None after the last one. Valid for seven days."""


class Client:
    """A connection to one service with one API key. Not thread-safe: use one client per thread."""

    def __init__(
        self,
        base_url: str,
        username: Optional[str] = None,
        password: Optional[str] = None,
        *,
        retries_max: int = 8,
        wait_seconds: float = 1,
        wait_seconds_max: float = 60,
        silence_seconds: float = 90,
        context: Optional[ssl.SSLContext] = None,
        on_retry: Optional[Callable[[str, float], None]] = None,
    ):
        """
        `retries_max` attempts follow a failed one. The first wait doubles up to `wait_seconds_max`, unless the service asks for another.
        A connection that is silent for `silence_seconds` counts as broken. `on_retry` is called with the reason and the seconds
        of each wait. A proxy is taken from HTTPS_PROXY, certificates from `context`, or from the system.
        """
        username = os.environ.get("TRIBUTARY_USERNAME") if username is None else username
        password = os.environ.get("TRIBUTARY_PASSWORD") if password is None else password
        if not username or not password:
            raise ValueError("The API key is missing: pass username and password, or set TRIBUTARY_USERNAME and TRIBUTARY_PASSWORD.")
        if retries_max < 0:
            raise ValueError(f"retries_max must be 0 or more, not {retries_max}.")
        self.base_url = _service_address(base_url)
        self._authorization = "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()
        self._retries_max = retries_max
        self._waits = (wait_seconds, wait_seconds_max)
        self._silence_seconds = silence_seconds
        self._on_retry = on_retry
        self._opener = urllib.request.build_opener(_NoRedirect, urllib.request.HTTPSHandler(context=context))
        self._was_reached = False

    def walk(
        self,
        program: str,
        *,
        # Filters, generated from the OpenAPI document by tests/clients/client/api-types.test.ts:
        from_date: When = None,
        to_date: When = None,
        revision_state: Optional[str] = None,
        submitter_type: Optional[str] = None,
        # End of filters.
        fields: Union[str, Iterable[str], None] = None,
        questions: Optional[str] = None,
        page_size: Optional[int] = None,
        next_page_token: Optional[str] = None,
    ) -> Walk:
        """
        Every matching application to a program, oldest submission first, as one export. `from_date` is inclusive and `to_date` is not;
        a date or a text without an offset is in the service's zone, and a datetime must have one. `fields` are question keys;
        `questions="current"` limits applications to the questions of the newest version. With `next_page_token` an earlier walk continues,
        with the filters it began with.
        """
        filters = {
            # Filters, generated from the OpenAPI document by tests/clients/client/api-types.test.ts:
            "fromDate": _time(from_date),
            "toDate": _time(to_date),
            "revisionState": revision_state,
            "submitterType": submitter_type,
            # End of filters.
            "fields": _keys(fields),
            "questions": questions,
        }
        if next_page_token is not None and any(value is not None for value in filters.values()):
            raise ValueError("A walk that continues has the filters it began with: leave them out next to next_page_token.")
        return Walk(self, program, {**filters, "pageSize": _page_size(page_size)}, next_page_token)

    def changes(
        self,
        program: str,
        after: Optional[str] = None,
        *,
        include_applications: bool = False,
        fields: Union[str, Iterable[str], None] = None,
        questions: Optional[str] = None,
        page_size: Optional[int] = None,
        wait: bool = False,
    ) -> Iterator[dict[str, Any]]:
        """
        What happened to a program's applications after a cursor, in order, each change once, page by page: each with `payload`,
        `nextCursor`, `hasMore`, `snapshotTime`, `changeCursor` and `questionsAsOf`, as EXPORT.md describes them. It ends with the changes of
        now, or with `wait` never. `after` is the `change_cursor` of a walk or the `nextCursor` of a page; without it, from the beginning.
        """
        for name, value in (("fields", fields), ("questions", questions)):
            if value is not None and not include_applications:
                raise ValueError(f"{name} selects questions of applications: it needs include_applications=True.")
        include = "application" if include_applications else None
        query = {
            "after": after,
            "include": include,
            "fields": _keys(fields),
            "questions": questions,
            "pageSize": _page_size(page_size),
        }
        questions_as_of: Any = False
        while True:
            page = self._answered(lambda: self._changes_page(program, query, 30 if wait else 0))
            is_new = bool(page["payload"]) or page["nextCursor"] != query["after"]
            # With applications, a publication is news of its own.
            if is_new or not wait or (include_applications and page["questionsAsOf"] != questions_as_of):
                yield page
            if not page["hasMore"] and not wait:
                return
            query["after"], questions_as_of = page["nextCursor"], page["questionsAsOf"]

    def sync(
        self, program: str, state: dict[str, Any], *, fields: Union[str, Iterable[str], None] = None
    ) -> Iterator[tuple[int, Optional[dict[str, Any]]]]:
        """
        What brings a copy of a program up to date: pairs of an application's id and the application to store under it, or None to delete
        it. Of several pairs with one id the last counts. `state` is a dict, empty for an empty copy, that is written as the pairs go
        by: store it with the copy when all of them are stored. A round that was interrupted may be repeated from the stored state. Refused
        with `needs_new_walk` means: empty the copy and the state.
        """
        keys = _keys(fields)
        questions = None
        if "cursor" in state:
            for page in self.changes(program, state["cursor"], include_applications=True, fields=keys):
                for change in page["payload"]:
                    application = change.get("application")
                    if change["kind"] == "superseded":
                        application = self._superseded(program, change["application_id"], keys)
                    # An application that was erased since is missing here, and its own change follows.
                    if application is not None or change["kind"] == "erased":
                        yield change["application_id"], application
                state["cursor"], questions = page["nextCursor"], page["questionsAsOf"]
        # A publication gives every application the unanswered forms of new questions, which no change reports.
        if "cursor" not in state or questions != state["questionsAsOf"]:
            walk = self.walk(program, fields=keys)
            for application in walk:
                yield application["application_id"], application
            state["questionsAsOf"] = walk.questions_as_of
            # A later walk does not move the cursor: erasures since then are in the changes alone.
            state.setdefault("cursor", walk.change_cursor)

    def application(self, program: str, application_id: int, *, fields: Union[str, Iterable[str], None] = None) -> dict[str, Any]:
        """One application, as a walk that begins now would return it. Raises Refused with status 404 if it does not exist."""
        return self._json(_path(program, f"applications/{int(application_id)}", {"fields": _keys(fields)}), {"application_id": int})

    def _superseded(self, program: str, application_id: int, keys: Optional[str]) -> Optional[dict[str, Any]]:
        try:
            return self.application(program, application_id, fields=keys)
        except Refused as refusal:
            if refusal.status == 404:
                return None
            raise

    def receipt(self, program: str, walk_token: str) -> dict[str, Any]:
        """
        `applications` (count), `sha256` (hexadecimal, over their ids in order, each followed by a line feed) and `erased_application_ids` of
        a whole walk, by its `walk_token` or any token of it. `Walk.verify` compares them. A walk of millions takes several requests.
        """
        members = {"applications": int, "erased_application_ids": list}
        erased: list[int] = []
        token: Any = walk_token
        while token is not None:
            receipt = self._json(_path(program, "receipt", {"walk": token}), members)
            erased += receipt["erased_application_ids"]
            token = receipt.get("next_token")
        if not isinstance(receipt.get("sha256"), str):
            raise TributaryError("The response did not come from a Tributary service: it is a receipt without a digest.")
        return {**receipt, "erased_application_ids": erased}

    def programs(self) -> list[dict[str, Any]]:
        """The programs that the key may read, each with `program_name` and its number of `applications`."""
        payload: list[dict[str, Any]] = self._json("/api/v1/admin/programs", {"payload": list})["payload"]
        return payload

    def check_auth(self) -> dict[str, Any]:
        """The API key: its name, when it expires, and which programs it may read."""
        return self._json("/api/v1/checkAuth", {"name": str, "expires_at": str, "programs": list})

    def _json(self, path: str, members: dict[str, type]) -> dict[str, Any]:
        def ask() -> dict[str, Any]:
            _, body = self._get(path, {"Accept": JSON})
            document = _object(body)
            if not all(isinstance(document.get(name), kind) for name, kind in members.items()):
                raise _Passing("The response did not come from a Tributary service: it is JSON of an unexpected shape.")
            return document

        return self._answered(ask)

    def _changes_page(self, program: str, query: dict[str, Optional[str]], wait_seconds: int) -> dict[str, Any]:
        prefer = {"Prefer": f"wait={wait_seconds}"} if wait_seconds else {}
        _, body = self._get(_path(program, "changes", query), {"Accept": NDJSON, **prefer}, wait_seconds)
        payload, end = _whole_lines(body)
        if not isinstance(end.get("nextCursor"), str) or not isinstance(end.get("hasMore"), bool):
            raise _Passing("The response did not come from a Tributary service: its last line has no cursor.")
        return {"payload": payload, **end}

    def _answered(self, ask: Callable[[], T]) -> T:
        """Repeats a request until its response is complete."""
        first, longest = self._waits
        attempt = 0
        while True:
            try:
                return ask()
            except _Passing as failure:
                wait = min(longest, first * 2 ** min(attempt, 30)) * random.uniform(0.5, 1)
                asked = failure.wait_seconds
                if asked is not None:
                    # A little longer than requested, so that not all clients that were refused return at the same moment.
                    wait = asked + min(wait, 1)
                if attempt >= self._retries_max or (asked or 0) > ASKED_WAIT_SECONDS_MAX:
                    raise GaveUp(f"Gave up after {attempt + 1} attempts; the last one failed: {failure}") from failure
                if self._on_retry is not None:
                    self._on_retry(str(failure), wait)
                time.sleep(wait)
                attempt += 1

    def _get(self, path: str, headers: dict[str, str], wait_seconds: int = 0) -> tuple[http.client.HTTPMessage, bytes]:
        """Headers and body of a response with status 200 in the type that was requested."""
        sent = {"Authorization": self._authorization, "Accept-Encoding": "gzip", "User-Agent": "tributary-python", **headers}
        request = urllib.request.Request(self.base_url + path, headers=sent)
        try:
            with self._opener.open(request, timeout=self._silence_seconds + wait_seconds) as response:
                self._was_reached = True
                kind = response.headers.get_content_type()
                if response.status != 200 or kind != headers["Accept"]:
                    raise _Passing(f"The response did not come from a Tributary service: status {response.status}, type {kind}.")
                zipped = response.headers.get("Content-Encoding") == "gzip"
                body = (gzip.GzipFile(fileobj=response) if zipped else response).read(PAGE_BYTES_MAX + 1)
        except urllib.error.HTTPError as error:
            self._was_reached = True
            with error:
                raise _refused(error) from None
        except (OSError, EOFError, zlib.error, http.client.HTTPException) as error:
            raise self._failure(error) from error
        if len(body) > PAGE_BYTES_MAX:
            raise TributaryError(f"A page is larger than {PAGE_BYTES_MAX} bytes. Use a smaller page_size.")
        return response.headers, body

    def _failure(self, error: Exception) -> Exception:
        """What a broken connection means: Unreachable where the service was never reached and waiting does not help."""
        reason = getattr(error, "reason", error)
        host = urllib.parse.urlsplit(self.base_url).hostname
        if not self._was_reached and isinstance(reason, ssl.SSLCertVerificationError):
            return Unreachable(f"The certificate of {host} is not trusted: {reason.verify_message}.")
        if not self._was_reached and isinstance(reason, socket.gaierror) and reason.errno != socket.EAI_AGAIN:
            return Unreachable(f"The host {host}, or the proxy in HTTPS_PROXY, does not exist: {reason.strerror}.")
        return _Passing(f"The connection broke: {reason!r}.")


class Walk:
    """
    One export, iterated once: over applications, or over pages by `pages`. The attributes are those of its first page, None before that
    and in a walk that continues another.
    """

    def __init__(self, client: Client, program: str, parameters: dict[str, Optional[str]], next_page_token: Optional[str]):
        self.program = program
        self.snapshot_time: Optional[str] = None
        """The `from_date` of the next walk, which continues from this one."""
        self.walk_token: Optional[str] = None
        """The name of the walk, for its receipt."""
        self.change_cursor: Optional[str] = None
        """Where `Client.changes` continues from this walk."""
        self.questions_as_of: Optional[str] = None
        """Walk again when a page of changes with applications has another `questionsAsOf`."""
        self._client = client
        self._parameters = parameters
        self._token = next_page_token
        self._is_first = next_page_token is None
        self._is_whole = self._is_first
        self._has_more = True
        self._rest: deque[dict[str, Any]] = deque()
        self._ids = array("q")

    def __iter__(self) -> Walk:
        return self

    def __next__(self) -> dict[str, Any]:
        while not self._rest:
            if not self._has_more:
                raise StopIteration
            self._rest.extend(self._fetch())
        return self._rest.popleft()

    def pages(self) -> Iterator[Page]:
        """The same by pages: store a page and its `next_page_token` together, and an interrupted export continues after it."""
        while self._rest or self._has_more:
            applications = list(self._rest) or self._fetch()
            self._rest.clear()
            yield Page(applications, self._token)

    def verify(self) -> int:
        """
        Compares what arrived with the service's receipt of the walk, and returns the number of applications; raises WalkDiffers. Applications
        that were erased in the meantime are not counted. The service reads the ids of the whole walk for it.
        """
        if not self._is_whole or self.walk_token is None or self._has_more or self._rest:
            raise ValueError("Only a walk that was read from its first page to its last can be verified.")
        receipt = self._client.receipt(self.program, self.walk_token)
        erased = set(receipt["erased_application_ids"])
        digest, count = hashlib.sha256(), 0
        for application_id in self._ids:
            if application_id not in erased:
                digest.update(b"%d\n" % application_id)
                count += 1
        if count != receipt["applications"] or digest.hexdigest() != receipt["sha256"]:
            raise WalkDiffers(f"The receipt for this walk of {self.program} states {receipt['applications']} applications; the {count} that arrived do not match it.")
        return count

    def _fetch(self) -> list[dict[str, Any]]:
        filters = self._parameters if self._is_first else {"nextPageToken": self._token, "pageSize": self._parameters["pageSize"]}
        path = _path(self.program, "applications", filters)
        headers, applications, token = self._client._answered(lambda: self._page(path))
        if self._is_first:
            self.snapshot_time = headers["Snapshot-Time"]
            self.walk_token = headers["Walk-Token"]
            self.change_cursor = headers["Change-Cursor"]
            self.questions_as_of = headers["Questions-As-Of"]
        self._ids.extend(application["application_id"] for application in applications)
        self._token, self._is_first, self._has_more = token, False, token is not None
        return applications

    def _page(self, path: str) -> tuple[http.client.HTTPMessage, list[dict[str, Any]], Optional[str]]:
        headers, body = self._client._get(path, {"Accept": NDJSON})
        # The first page alone names its walk: anything else is another page, from a cache on the way.
        if ("Walk-Token" in headers) != self._is_first:
            raise _Passing("The response is not the page that was requested.")
        applications, end = _whole_lines(body)
        token = end.get("nextPageToken", 0)
        if token is not None and not isinstance(token, str):
            raise _Passing("The page is incomplete, or lacks a valid nextPageToken.")
        if token is not None and (not applications or token == self._token):
            raise _Passing("The page is empty or leads back to itself, but claims to have a next page.")
        return headers, applications, token


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The service never redirects; a credential must not follow a redirect."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _whole_lines(body: bytes) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """All lines but the last, and the members of the last one besides `count` and `sha256`, which must be those of the lines before it."""
    if not body.endswith(b"\n"):
        raise _Passing("The page is incomplete.")
    start = body.rfind(b"\n", 0, -1) + 1
    end = _object(body[start:])
    lines = body[:start].split(b"\n")[:-1]
    if end.pop("count", None) != len(lines) or end.pop("sha256", None) != hashlib.sha256(body[:start]).hexdigest():
        raise _Passing("The page is incomplete or was altered in transit: its count or SHA-256 does not match its last line.")
    return [_object(line) for line in lines], end


def _object(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text.decode())
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise _Passing("The response is incomplete, or is not JSON.")
    return value


def _refused(error: urllib.error.HTTPError) -> Exception:
    """Refused, or _Passing where the same request may succeed later."""
    problem: dict[str, Any] = {}
    try:
        problem = _object(error.read(1024 * 1024))
    except (_Passing, OSError, http.client.HTTPException):
        pass
    if error.code in (408, 429) or error.code >= 500:
        return _Passing(_refusal(error.code, problem), _asked_wait(error.headers.get("Retry-After")))
    return Refused(error.code, problem)


def _asked_wait(field: Optional[str]) -> Optional[float]:
    """`Retry-After` in seconds, which is a number or a date."""
    if field is None or field.strip().isdecimal():
        return None if field is None else float(field)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(field).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _errors_of(problem: dict[str, Any]) -> list[dict[str, Any]]:
    errors = problem.get("errors")
    return [error for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []


def _refusal(status: int, problem: dict[str, Any]) -> str:
    request = f" (request {problem['request_id']})" if "request_id" in problem else ""
    if status == 401:
        return f"The service responded with 401: the API key has no access, or the program does not exist.{request}"
    if 300 <= status < 400:
        return f"The service responded with {status}, a redirect, which is not followed. Use the address of the service itself."
    detail = problem.get("detail") or problem.get("title")
    errors = [f"{error.get('parameter') or error.get('path') or ''} {error.get('detail')}".strip() for error in _errors_of(problem)]
    return " ".join([f"The service responded with {status}" + (f": {detail}" if detail else "."), *errors]) + request


def _service_address(text: str) -> str:
    """Removes a trailing slash. An API key is sent over HTTPS only, except to this machine."""
    wrong = ValueError(f"The address must be a URL such as https://apply.example.gov, not {text!r}.")
    try:
        url = urllib.parse.urlsplit(text)
        # What no request could have: a port above 65535, a label of more than 63 letters, another letter than ASCII's.
        _ = url.port, (url.hostname or "").encode("idna"), text.encode("ascii")
    except (AttributeError, TypeError, ValueError):
        raise wrong from None
    if not url.hostname or url.scheme not in ("http", "https") or any(character <= " " for character in text):
        raise wrong
    if url.username is not None or url.query or url.fragment:
        raise ValueError("The address must not contain a username, password, question mark or hash.")
    if url.scheme == "http" and url.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise ValueError(f"The address must begin with https://, so that the API key is encrypted in transit: {text!r}.")
    return text.rstrip("/")


def _path(program: str, part: str, query: dict[str, Optional[str]]) -> str:
    if not program:
        raise ValueError("Enter the slug of a program, such as utility-assistance.")
    sent = urllib.parse.urlencode({name: value for name, value in query.items() if value is not None})
    return f"/api/v1/admin/programs/{urllib.parse.quote(program, safe='')}/{part}" + (f"?{sent}" if sent else "")


def _time(value: When) -> Optional[str]:
    if isinstance(value, datetime.datetime):
        if value.utcoffset() is None:
            raise ValueError(
                f"The time {value.isoformat()} has no time zone. Use datetime.now(timezone.utc), or astimezone()."
            )
        # In UTC, because an offset may have seconds, which the service does not take.
        return value.astimezone(datetime.timezone.utc).isoformat()
    return value.isoformat() if isinstance(value, datetime.date) else value


def _keys(fields: Union[str, Iterable[str], None]) -> Optional[str]:
    return fields if fields is None or isinstance(fields, str) else ",".join(fields)


def _page_size(value: Optional[int]) -> Optional[str]:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise ValueError(f"page_size must be a whole number, at least 1, not {value!r}.")
    return None if value is None else str(value)
