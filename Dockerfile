# syntax=docker/dockerfile:1
# Any service of TriRAG: docker build --build-arg SERVICE=perception -t trirag-perception .
# SERVICE is perception, retrieval, validation or orchestrator; the image holds that service's packages and no others.
ARG PYTHON_VERSION=3.11

FROM python:${PYTHON_VERSION}-slim AS build
ARG SERVICE
RUN case "${SERVICE}" in perception|retrieval|validation|orchestrator) ;; \
      *) echo "SERVICE=${SERVICE}: must be perception, retrieval, validation or orchestrator" >&2; exit 1 ;; esac
RUN python -m venv /opt/venv
WORKDIR /src
COPY pyproject.toml hatch_build.py constraints.txt README.md LICENSE ./
COPY protos protos
COPY services services
COPY cli cli
# The build hook generates the protobuf code and the descriptor image.
RUN --mount=type=cache,target=/root/.cache/pip \
    /opt/venv/bin/pip install -c constraints.txt ".[${SERVICE}]"

FROM python:${PYTHON_VERSION}-slim
ARG SERVICE
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    TRIRAG_SERVICE=${SERVICE} \
    TRIRAG_CONFIG_DIR=/app/config \
    TRIRAG_HOST=0.0.0.0
RUN groupadd --gid 10001 trirag && useradd --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin trirag
WORKDIR /app
COPY --from=build /opt/venv /opt/venv
COPY --from=build /src/gen/image.binpb gen/image.binpb
COPY config config
# What a start would compute is in the image: the root file system may be read-only.
RUN if [ "${SERVICE}" = perception ]; then python -m services.perception.prepare; fi
USER 10001:10001
# exec: the service is process 1 and gets SIGTERM.
ENTRYPOINT ["/bin/sh", "-c", "exec python -m services.${TRIRAG_SERVICE}"]
