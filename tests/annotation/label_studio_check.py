"""Label Studio's own SDK looks at exported projects; run by the Python of an environment that has it."""

import json
import sys
from pathlib import Path

from label_studio_sdk.label_interface import LabelInterface
from label_studio_sdk.label_interface.objects import TaskValue


def find_faults(folder: Path) -> list[str]:
    """List what the SDK finds wrong with the projects of a folder; a configuration that is wrong raises."""
    faults = []
    for config in sorted(folder.glob("config-*.xml")):
        interface = LabelInterface(config.read_text(encoding="utf-8"))
        interface.validate()
        tasks = json.loads((folder / f"tasks-{config.stem[7:]}.json").read_text(encoding="utf-8"))
        for task in tasks:
            TaskValue.model_validate(task)
            if not interface.validate_task({"data": task["data"]}):
                faults.append(f"{config.name}: task {task['id']} lacks data")
            for annotation in task["annotations"]:
                if not interface.validate_annotation(annotation):
                    faults += interface.validate_prediction(annotation, return_errors=True)
    return faults


if __name__ == "__main__":
    print(json.dumps(find_faults(Path(sys.argv[1]))))
