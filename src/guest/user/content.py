"""The worker: bytes that servers send inside JSON, in the spellings that are seen in the wild."""
import base64
import binascii


def decoded(value):
    """(bytes, MIME type or None) of what stands for bytes: base64, also with line breaks, in the URL's alphabet, without its
    padding, as a `data:` URL, or the way Node writes a Buffer. ValueError says why it is none of these; nothing is guessed.
    """
    if isinstance(value, dict) and value.get("type") == "Buffer":
        value = value.get("data")
    if isinstance(value, list):
        return from_numbers(value), None
    if not isinstance(value, str):
        raise ValueError("there is none" if value is None else "it is of type %s, not base64 text" % type(value).__name__)
    text = value.strip("\ufeff \t\r\n")
    if text[:5].lower() == "data:":
        return from_url(text[5:])
    return from_base64(text), None


def from_numbers(numbers):
    if not all(type(number) is int and 0 <= number <= 255 for number in numbers):
        raise ValueError("it is a list, but not of bytes")
    return bytes(numbers)


def from_url(text):
    """What follows `data:`."""
    head, comma, body = text.partition(",")
    if not comma or len(head) > 500:
        raise ValueError("it is a data: URL without a comma before its content")
    from urllib.parse import unquote, unquote_to_bytes  # here: hardly any program needs it, and each would wait for it
    kind = head.partition(";")[0].strip().lower() or None
    if not head.lower().replace(" ", "").endswith(";base64"):
        return unquote_to_bytes(body), kind
    return from_base64(unquote(body) if "%" in body else body), kind


def from_base64(text):
    if any(space in text for space in " \t\r\n\v\f"):
        text = "".join(text.split())
    if "-" in text or "_" in text:
        if "+" in text or "/" in text:
            raise ValueError("it mixes base64's two alphabets")
        text = text.replace("-", "+").replace("_", "/")
    text = text.rstrip("=")
    try:
        return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise ValueError("it is no base64: %s" % fault_of(text)) from None


def fault_of(text):
    allowed = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    at = next((index for index, character in enumerate(text) if character not in allowed), None)
    if at is None:
        return "%d characters cannot be whole bytes, so something is missing" % len(text)
    return "it has %r at character %d" % (text[at], at + 1)
