import base64
import http.client
import io
import json
import re
from contextlib import closing
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from subitize.errors import BadFileError, BadValueError
from subitize.io.prices import (
    ChatRates,
    Fixed,
    Patches,
    Price,
    Tiles,
    estimate_text_tokens,
    load_prices,
    read_ours,
    warn_of_age,
)
from tests.cases import Case
from tests.models.openai_server import Behaviour, Server, serving

OPENAI = "https://api.openai.com/v1"
COSTS_PAGE = Path(__file__).parents[2] / "docs" / "costs.md"


@cache
def listed(model: str) -> Price:
    price = load_prices().find(OPENAI, model)
    assert price is not None
    return price


def entry(host: str = "*", models: str = '["m"]', rest: str = "") -> str:
    return (
        f'[[price]]\nhost = "{host}"\nmodels = {models}\nas_of = 2026-01-01\nsource = "test"\n'
        f"chat_usd_per_million = {{ input = 1, output = 2 }}\n{rest}\n"
    )


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


# By hand: what the sides become, the tiles along each, and 85 + 170 per tile.
TILES = {
    (1024, 1024): 85 + 170 * 2 * 2,  # 768 × 768
    (2048, 4096): 85 + 170 * 2 * 3,  # 1024 × 2048, then 768 × 1536
    (512, 512): 85 + 170 * 1 * 1,  # as it is: nothing is enlarged
    (513, 512): 85 + 170 * 2 * 1,  # one pixel more is one tile more
    (128, 64): 85 + 170 * 1 * 1,
    (1500, 2000): 85 + 170 * 2 * 2,  # 768 × 1024 exactly
    (10_000, 10): 85 + 170 * 4 * 1,  # 2048 × 2.05
    (1, 1): 85 + 170 * 1 * 1,
}


def test_tiles_are_counted_as_by_hand(case: Case) -> None:
    for (width, height), tokens in TILES.items():
        with case((width, height)):
            assert listed("gpt-4o").image_in_chat.count(width, height) == tokens
            assert listed("gpt-4o").image_in_chat.count(width, height, is_low_detail=True) == 85


# The first three are worked out by hand; the others are from a table of token counts published for gpt-6 and gpt-5.5.
PATCHES = [
    (Patches(1.0, 1536), 1024, 1024, 32 * 32),
    (Patches(1.0, 1536), 1800, 2400, 33 * 44),  # 57 × 75 is too many: 1086 × 1448, then 33 × 44
    (Patches(1.62, 1536), 1800, 2400, 2353),  # 1452 · 1.62 = 2352.24
    (Patches(1.2), 256, 256, 77),
    (Patches(1.2), 768, 768, 692),
    (Patches(1.2), 1280, 720, 1104),
    (Patches(1.2), 4032, 3024, 14_364),
    (Patches(1.2, 2500), 2560, 1440, 2931),
    (Patches(1.2, 2500), 3840, 2160, 2931),
    (Patches(1.2, 2500), 4032, 3024, 2942),
    (Patches(1.2, 10_000), 4032, 3024, 11_868),
]


def test_patches_are_counted_as_published(case: Case) -> None:
    for rule, width, height, tokens in PATCHES:
        with case((rule, width, height)):
            assert rule.count(width, height) == tokens


@given(width=st.integers(1, 20_000), height=st.integers(1, 20_000))
def test_no_image_has_more_patches_than_the_cap(width: int, height: int) -> None:
    assert 1 <= Patches(1.0, 1536).count(width, height) <= 1536


def test_a_fixed_rule_counts_every_image_the_same() -> None:
    assert {Fixed(300).count(width, 10) for width in (1, 5000)} == {300}


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("four", 1), ("fünf", 2), ("🍎" * 3, 3), ("\ud800", 1)]
)
def test_text_counts_a_quarter_of_its_bytes(text: str, tokens: int) -> None:
    assert estimate_text_tokens(text) == tokens


def test_a_chat_is_summed_up_as_by_hand() -> None:
    usd = listed("gpt-4o").of_chat(1000, 100, cached_in=400)
    assert usd == pytest.approx((600 * 2.50 + 400 * 1.25 + 100 * 10.00) / 1e6)


def test_cached_input_costs_as_much_as_other_input_where_nothing_else_is_said() -> None:
    price = Price("*", ("m",), date(2026, 1, 1), "test", ChatRates(input=3.0, output=0.0))
    assert price.of_chat(1_000_000, 0, cached_in=250_000) == 3.0


def estimate(price: Price, text: str, sizes: list[tuple[int, int]], tokens_out: int) -> tuple[int, float]:
    tokens_in = estimate_text_tokens(text) + sum(price.image_in_chat.count(*size) for size in sizes)
    return tokens_in, price.of_chat(tokens_in, tokens_out)


def test_a_chat_is_estimated_from_its_text_and_images() -> None:
    tokens_in, usd = estimate(listed("gpt-4o"), "How many?", [(1024, 1024), (512, 512)], 20)
    assert tokens_in == 3 + 765 + 255
    assert usd == pytest.approx((1023 * 2.50 + 20 * 10.00) / 1e6)


def test_a_chat_with_a_model_priced_for_images_only_is_refused() -> None:
    with pytest.raises(BadValueError, match="gpt-image-1 has no price for chats; add chat_usd_per_million"):
        listed("gpt-image-1").of_chat(1, 1)


# Prices per image as published, rounded there to a tenth of a cent in one way or another.
PUBLISHED = [
    ("dall-e-2", "256x256", "standard", 0.016),
    ("dall-e-3", "1024x1024", "standard", 0.040),
    ("dall-e-3", "1792x1024", "hd", 0.120),
    ("gpt-image-1", "1024x1024", "low", 0.011),
    ("gpt-image-1", "1024x1536", "low", 0.016),
    ("gpt-image-1", "1024x1024", "medium", 0.042),
    ("gpt-image-1", "1536x1024", "medium", 0.063),
    ("gpt-image-1", "1024x1024", "high", 0.167),
    ("gpt-image-1", "1024x1536", "high", 0.250),
    ("gpt-image-1-mini", "1024x1024", "high", 0.036),
    ("gpt-image-1.5", "1024x1024", "low", 0.009),
    ("gpt-image-1.5", "1024x1536", "medium", 0.050),
    ("gpt-image-1.5", "1024x1536", "high", 0.200),
    ("gpt-image-2", "1024x1024", "low", 0.006),
    ("gpt-image-2", "1024x1024", "medium", 0.053),
    ("gpt-image-2", "1024x1024", "high", 0.211),
    ("gpt-image-2.5-flare", "1024x1024", "medium", 0.013),
    ("gpt-image-2.6-sunburst", "1024x1024", "max", 0.211),
]


def test_images_cost_what_is_published(case: Case) -> None:
    for model, size, quality, usd in PUBLISHED:
        with case((model, size, quality)):
            assert listed(model).of_images(size, quality, 1) == pytest.approx(usd, abs=0.001)
            assert listed(model).of_images(size, quality, 3) == pytest.approx(3 * usd, abs=0.003)


def test_tokens_that_were_counted_go_before_those_expected() -> None:
    price = listed("gpt-image-1")
    assert price.of_images("1024x1024", "low", 2, 50, 600) == pytest.approx((50 * 5.00 + 600 * 40.00) / 1e6)
    assert price.of_images("1024x1024", "low", 2, 50) == pytest.approx((50 * 5.00 + 2 * 272 * 40.00) / 1e6)
    assert price.of_images("2048x2048", "low", 1, 50, 600) is not None


def test_counted_tokens_do_not_change_a_price_per_image() -> None:
    assert listed("dall-e-3").of_images("1024x1024", "hd", 2, 50, 600) == pytest.approx(0.16)


@pytest.mark.parametrize(("size", "quality"), [("640x480", "low"), ("1024x1024", "hd"), (None, "best")])
def test_an_image_that_is_not_listed_has_no_price(size: str | None, quality: str) -> None:
    assert listed("gpt-image-1").of_images(size, quality, 1) is None


@pytest.mark.parametrize("left_open", [None, "", "auto"])
def test_what_is_left_to_the_server_is_taken_to_be_the_first_listed(left_open: str | None) -> None:
    assert listed("gpt-image-1").of_images(left_open, left_open, 1) == pytest.approx(6240 * 40.00 / 1e6)
    assert listed("dall-e-3").of_images(left_open, left_open, 1) == pytest.approx(0.04)


@pytest.mark.parametrize(
    ("base_url", "model"),
    [
        ("https://api.openai.com.example.org/v1", "gpt-4o"),
        ("https://openrouter.ai/api/v1", "gpt-4o"),
        ("http://127.0.0.1:8000/v1", "gpt-4o"),
        ("gpt-4o", "gpt-4o"),
        (OPENAI, "gpt-4o-audio-preview"),
        (OPENAI, "gpt-4o-transcribe"),
        (OPENAI, "GPT-4o"),
        (OPENAI, ""),
    ],
)
def test_our_prices_are_for_the_providers_own_server_and_models(base_url: str, model: str) -> None:
    assert load_prices().find(base_url, model) is None


@pytest.mark.parametrize("base_url", [OPENAI, "https://api.openai.com:443", "https://me:key@API.openai.com/v1/"])
def test_a_server_is_known_however_its_address_is_written(base_url: str) -> None:
    assert load_prices().find(base_url, "gpt-4o") is not None


def test_every_price_of_ours_is_found_under_each_of_its_names() -> None:
    prices = load_prices()
    for price in read_ours():
        for name in price.models:
            assert prices.find(OPENAI, name) == price
        assert price.as_of <= date.today()


def test_a_users_price_wins_over_ours_and_leaves_the_others(tmp_path: Path) -> None:
    prices = load_prices(write(tmp_path, entry(host="*", models='["gpt-4*"]')))
    found = prices.find(OPENAI, "gpt-4o")
    assert found is not None
    assert found.of_chat(1_000_000, 1_000_000) == 3.0
    assert prices.find(OPENAI, "o3") == listed("o3")


def test_the_most_specific_entry_wins_in_whatever_order(tmp_path: Path) -> None:
    patterns = ["*", "qwen*", "qwen2-*", "qwen2-7b"]
    for order in (patterns, patterns[::-1]):
        prices = load_prices(write(tmp_path, "".join(entry(models=f'["{one}"]') for one in order)))
        for model, pattern in [("llama", "*"), ("qwen3", "qwen*"), ("qwen2-72b", "qwen2-*"), ("qwen2-7b", "qwen2-7b")]:
            found = prices.find("http://localhost:8000/v1", model)
            assert found is not None
            assert found.models == (pattern,)


@pytest.mark.parametrize(
    ("host", "is_found"),
    [("localhost", True), ("LOCALHOST:8000", True), ("localhost:*", True), ("local*", True), ("localhost:9", False)],
)
def test_a_host_is_named_with_or_without_port(host: str, is_found: bool, tmp_path: Path) -> None:
    prices = load_prices(write(tmp_path, entry(host=host)))
    assert (prices.find("http://localhost:8000/v1", "m") is not None) == is_found


def test_an_image_counts_as_with_gpt_4o_where_no_rule_is_given(tmp_path: Path) -> None:
    found = load_prices(write(tmp_path, entry())).find("http://x/v1", "m")
    assert found is not None
    assert found.image_in_chat == Tiles(base=85, per_tile=170)


BAD_FILES = [
    (entry().replace("input = 1", "input = -1"), "price.1.chat_usd_per_million.input: -1: should be greater than"),
    (entry().replace("input = 1", "input = nan"), "price.1.chat_usd_per_million.input: nan: should be a finite"),
    (entry().replace("input = 1", "input = inf"), "price.1.chat_usd_per_million.input: inf: should be a finite"),
    (entry().replace("input = 1", 'input = "1"'), "price.1.chat_usd_per_million.input: '1': should be a valid num"),
    (entry().replace("input = 1", "input = true"), "price.1.chat_usd_per_million.input: True: should be a valid"),
    (entry().replace("input = 1, ", ""), "price.1.chat_usd_per_million.input: not there; add it"),
    (entry().replace("input =", "inputs ="), "price.1.chat_usd_per_million.input: not there; add it"),
    (
        entry() + entry().replace("output = 2", "output = 2, cache = 1"),
        "price.2.chat_usd_per_million.cache: unknown key; known: cached_input, input, output",
    ),
    (entry(rest="chat = 1"), "price.1.chat: unknown key; known: as_of, chat_usd_per_million, host, image_in_chat"),
    (entry().replace('source = "test"\n', ""), "price.1.source: not there; add it"),
    (entry().replace("as_of = 2026-01-01\n", ""), "price.1.as_of: not there; add it"),
    (entry().replace("2026-01-01", '"May"'), "price.1.as_of: 'May': should be a valid date"),
    (entry().replace("2026-01-01", "20260101"), "price.1.as_of: 20260101: should be a valid date"),
    (entry(models='"m"'), "price.1.models: 'm': should be a list"),
    (entry(models="[]"), "price.1.models: []: should name at least one"),
    (entry(models='[""]'), "price.1.models.1: '': should not be empty"),
    (re.sub("= {.*}", "= 3", entry()), "price.1.chat_usd_per_million: 3: should be a table"),
    (entry(rest="usd_per_image = 3"), "price.1.usd_per_image: 3: should be a table"),
    (entry(rest="image_in_chat = { tokens = 3 }"), "price.1.image_in_chat: no rule; add rule = tiles, patches"),
    (entry(host="http://localhost/v1"), "host 'http://localhost/v1' should be a name such as api.openai.com"),
    (entry(rest='image_in_chat = { rule = "squares" }'), "'squares'"),
    (entry(rest='image_in_chat = { rule = "fixed" }'), "price.1.image_in_chat.fixed.tokens: not there; add it"),
    (entry(rest='image_in_chat = { rule = "patches", multiplier = 0 }'), "multiplier: 0: should be greater than 0"),
    (
        entry(rest='usd_per_image.low."big" = 1'),
        "price.1.usd_per_image.low.big: 'big': should be a size such as 1024x1024",
    ),
    (entry(rest='usd_per_image.low."1x1" = -1'), "price.1.usd_per_image.low.1x1: -1: should be greater than"),
    (entry(rest='tokens_per_image.low."1x1" = 5'), "tokens_per_image has no price; add images_usd_per_million"),
    (re.sub("chat_usd.*", "", entry()), "price.1: no price; add chat_usd_per_million"),
    (entry() + entry(), "model 'm' at host '*' stands there twice; keep one"),
    ("", "no [[price]] in it; add one"),
    ("prices = []", "prices: 'prices': should be 'price'"),
    ("[[price]\n", "no TOML: "),
    ("price = 3", "price: 3: should be a list"),
]


def test_a_bad_file_is_refused_with_key_value_and_remedy(tmp_path: Path, case: Case) -> None:
    for text, message in BAD_FILES:
        with case(message):
            with pytest.raises(BadFileError) as refused:
                load_prices(write(tmp_path, text))
            assert str(refused.value).startswith("mine.toml: ")
            assert message in str(refused.value)
            assert "\n" not in str(refused.value)


def test_a_file_that_is_missing_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match=r"cannot read .*none\.toml"):
        load_prices(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadFileError, match=r"binary\.toml line 1: not UTF-8"):
        load_prices(tmp_path / "binary.toml")


def test_prices_are_called_old_after_half_a_year() -> None:
    used = {"o3": listed("o3"), "gpt-6-luna": listed("gpt-6-luna")}  # of 2026-03-21 and 2026-10-03
    assert warn_of_age(used, date(2026, 9, 17)) is None
    assert warn_of_age(used, date(2026, 9, 18)) == (
        "prices older than 180 days: o3 (2026-03-21); give newer ones with `prices` FILE"
    )
    assert warn_of_age({}, date(2030, 1, 1)) is None


def test_the_file_in_the_documentation_says_what_its_comments_say(tmp_path: Path) -> None:
    block = re.search(r"```toml \S+\n(.*?)```", COSTS_PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert block is not None
    prices = load_prices(write(tmp_path, block[1]))
    chat = prices.find("http://localhost:8000/v1", "qwen2.5-vl-7b")
    images = prices.find("https://images.example.org/v1", "anything")
    assert chat is not None
    assert images is not None
    assert chat.of_chat(1_000_000, 1_000_000) == pytest.approx(0.80)
    assert images.of_images(None, None, 1) == 0.03


def ask(server: Server, text: str, sizes: list[tuple[int, int]]) -> None:
    content: list[object] = [{"type": "text", "text": text}]
    for size in sizes:
        file = io.BytesIO()
        Image.new("L", size).save(file, "PNG")
        url = f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
        content.append({"type": "image_url", "image_url": {"url": url}})
    body = json.dumps({"model": "test-model", "messages": [{"role": "user", "content": content}]})
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as connection:
        connection.request("POST", "/v1/chat/completions", body, {"content-type": "application/json"})
        assert connection.getresponse().status == 200


def test_an_estimate_is_within_a_tenth_of_the_bill(tmp_path: Path) -> None:
    rates = "chat_usd_per_million = { input = 2.5, output = 10 }"
    mine = re.sub("chat_usd.*", rates, entry(host="127.0.0.1", models='["test-model"]'))
    behaviour = Behaviour(text="There are 3 apples.", chat_usd_per_million=(2.5, 10.0))
    with serving(behaviour) as server:
        price = load_prices(write(tmp_path, mine)).find(server.base_url, "test-model")
        assert price is not None
        for text in ("How many apples are there in the picture?", "Wie viele Äpfel?", "x" * 3000):
            for sizes in ([], [(1024, 1024)], [(512, 512)], [(300, 1700)], [(1333, 777), (2100, 64)]):
                before = server.counters()
                ask(server, text, sizes)
                after = server.counters()
                tokens_in, usd = estimate(price, text, sizes, estimate_text_tokens(behaviour.text))
                assert tokens_in == pytest.approx(after.prompt_tokens - before.prompt_tokens, rel=0.1)
                assert usd == pytest.approx(after.billed_usd - before.billed_usd, rel=0.1)
