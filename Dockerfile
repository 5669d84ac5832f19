# syntax=docker/dockerfile:1
# Images of the command: see docs/install.md.
#   docker build -t portatune .                            for CPUs
#   docker build -t portatune:cuda13 --target cuda13 .     for NVIDIA GPUs
# Debian offers one version of each package, so none is pinned.
# hadolint global ignore=DL3008
FROM debian:12-slim AS build
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates make python3 python3-pip \
  && rm -rf /var/lib/apt/lists/*
COPY . /source
WORKDIR /source
RUN make wheel

# The libraries that the command opens are those of Debian; all others are in the wheel.
FROM debian:12-slim AS base
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates libcurl4 libssl3 python3-venv \
  && rm -rf /var/lib/apt/lists/* \
  && python3 -m venv /opt/portatune
ENV PATH=/opt/portatune/bin:$PATH
RUN --mount=type=bind,from=build,source=/source/dist,target=/dist \
  pip install --no-cache-dir --no-compile "$(echo /dist/portatune-*.whl)[arrow]"
WORKDIR /work
ENTRYPOINT ["portatune"]
CMD ["--help"]

# CUDA's libraries are Python packages, so the image needs no CUDA toolkit, and the machine only the driver.
FROM base AS cuda13
RUN --mount=type=bind,from=build,source=/source/dist,target=/dist \
  pip install --no-cache-dir --no-compile "$(echo /dist/portatune-*.whl)[cuda13]"
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility

FROM base AS cpu
