# An image for the nodes of a Ray cluster: docs/clusters.md. For nodes without GPUs: --build-arg RAY=2.60.0-py311
ARG RAY=2.60.0-py311-gpu
FROM rayproject/ray:${RAY}
ENV RAY_USAGE_STATS_ENABLED=0
COPY --chown=ray:users pyproject.toml README.md LICENSE /home/ray/subitize/
COPY --chown=ray:users src /home/ray/subitize/src
RUN pip install --no-cache-dir "/home/ray/subitize[ray,local,detect,corpus,postgres]" s3fs gcsfs
