# The gateway as a container: no compiler, no development packages, no root.
#   docker build -t sextant .
#   docker run --read-only --tmpfs /tmp -v sextant-data:/data -p 127.0.0.1:8080:8080 --env-file .env sextant

# By its digest, so that a build gets what was tested. It is that of public builds of this tag (amd64 and arm64, read 2026-11-26), and could
# not be compared with the registry here. Renew it: docker buildx imagetools inspect node:22-bookworm-slim
ARG NODE_IMAGE=node:22.23.2-bookworm-slim@sha256:83f487e0a63425e5b4d146fb5e5be574bcbe1b7b843d3ebafdd95eaf7767a7e5

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY vite.package.config.ts vite.console.config.ts tsconfig.json ./
COPY src ./src
COPY docs ./docs
COPY README.md ./
RUN npm run build

FROM ${NODE_IMAGE} AS packages
WORKDIR /packages
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

FROM ${NODE_IMAGE}
WORKDIR /app
COPY --from=packages /packages/node_modules ./node_modules
# Optional packages, for spans: used only when OTEL_EXPORTER_OTLP_ENDPOINT is set.
COPY --from=build /build/node_modules/@opentelemetry ./node_modules/@opentelemetry
COPY --from=build /build/dist ./dist
COPY package.json LICENSE ./
COPY catalog ./catalog
COPY models ./models
COPY profiles ./profiles

ENV NODE_ENV=production SEXTANT_HOST=0.0.0.0 SEXTANT_PORT=8080 SEXTANT_DATA_DIR=/data
# Has glibc return what is freed, instead of keeping it for each thread: some 45 MB less, and none of it grows.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 8080
# Whether it lives: swarms replace what is unhealthy, and a restart mends nothing that is not ready.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SEXTANT_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=8", "--v8-pool-size=1", "/app/dist/cli/main.js"]
CMD ["serve"]
