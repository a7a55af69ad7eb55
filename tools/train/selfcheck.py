"""Trains tiny models end to end on generated texts and checks what the tool promises, in about two minutes on two free
cores.

python tools/train/selfcheck.py
"""

import os
import sys
import tempfile
import time

import folder

folder.require()


def main():
    started = time.monotonic()
    from selfchecks.hub import Hub

    with tempfile.TemporaryDirectory() as tmp:
        hub = Hub(os.path.join(tmp, "pretrained"))
        # Read when the library is imported. No self-check asks anyone but this hub.
        os.environ.update(HF_ENDPOINT=hub.url, HF_HOME=os.path.join(tmp, "hub"), HF_HUB_DISABLE_TELEMETRY="1")
        os.environ.pop("HF_HUB_OFFLINE", None)
        import train  # sets the number of threads before anything is imported  # noqa: F401
        from selfchecks import exporting, reading, support, training

        edition = os.path.join(tmp, "edition")
        support.write_edition(edition)
        reading.check_reader(tmp)
        reading.check_left_out_source(tmp)
        reading.check_help()
        reading.check_ties()
        reading.check_pools()
        reading.check_hard_negatives(edition)
        reading.check_arm_adds_rows_alone(edition)
        deberta, distilbert = training.check_training(tmp, edition)
        reading.check_tokenizers(deberta, distilbert)
        exporting.check_storage(tmp)
        exporting.check_bases(tmp, edition, exporting.checkpoints(tmp, deberta, distilbert))
        exporting.check_export(tmp, edition, deberta)
    print(f"all well, {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
