"""What a user would write instead: AsyncOpenAI's calls gathered, each answer a line of a file.

As a program, python -m benchmarks.bare_client URL FOLDER OUT asks about every picture of a folder.
"""

import asyncio
import base64
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CONCURRENCY = 32
QUESTION = "How many apples are there? Answer with a number."


async def gather(url: str, pictures: Sequence[Path], out: Path) -> None:
    """Ask the question about every picture file, and append the answers as they come."""
    from openai import AsyncOpenAI

    slots = asyncio.Semaphore(CONCURRENCY)
    out.unlink(missing_ok=True)
    async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
        with out.open("a") as file:

            async def ask(number: int, picture: Path) -> None:
                async with slots:
                    image_url = f"data:image/png;base64,{base64.b64encode(picture.read_bytes()).decode()}"
                    image = {"type": "image_url", "image_url": {"url": image_url}}
                    content: Any = [image, {"type": "text", "text": QUESTION}]
                    answer = await client.chat.completions.create(
                        model="test-model", messages=[{"role": "user", "content": content}]
                    )
                    file.write(json.dumps({"id": number, "answer": answer.choices[0].message.content}) + "\n")
                    file.flush()

            await asyncio.gather(*(ask(number, picture) for number, picture in enumerate(pictures)))


if __name__ == "__main__":
    _, url, folder, out = sys.argv
    asyncio.run(gather(url, sorted(Path(folder).iterdir()), Path(out)))
