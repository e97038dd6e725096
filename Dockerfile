# The service as an image, for amd64 and arm64: docker build -t holdfast .
# It runs as an ordinary user (10001) and writes only to its two volumes, so its root may be read-only.
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund
RUN npm run package -- --folder /opt/holdfast

FROM debian:12-slim
RUN groupadd --gid 10001 holdfast \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/holdfast \
    --shell /usr/sbin/nologin holdfast \
  && install -d -o 10001 -g 10001 -m 0700 /var/lib/holdfast
COPY --from=build /opt/holdfast /opt/holdfast
ENV NODE_ENV=production PORT=3000 DATA_DIR=/var/lib/holdfast
ENV PATH=/opt/holdfast/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
USER 10001:10001
WORKDIR /var/lib/holdfast
VOLUME ["/var/lib/holdfast", "/tmp"]
EXPOSE 3000
# The service drains before it stops: give it 30 seconds (docker stop --timeout 30).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["holdfast-health"]
CMD ["holdfast-server"]
