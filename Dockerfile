# Retentive with its server and the drivers of Postgres, Kafka and Qdrant, at the versions that were tested.
FROM python:3.13-slim

WORKDIR /app
COPY requirements/server.txt requirements/build.txt requirements/
RUN pip install --no-cache-dir --only-binary :all: --require-hashes -r requirements/server.txt -r requirements/build.txt
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src src
RUN pip install --no-cache-dir --no-deps --no-build-isolation . && useradd --uid 1000 --create-home retentive

USER retentive
EXPOSE 8377
ENTRYPOINT ["retentive"]
CMD ["--help"]
