# The image holds one file, the binary of scripts/build, the C library it is linked to, and an empty folder: no shell, no package manager. It runs with a
# read-only file system and without privileges. How to build and run it: OPERATIONS.md.

ARG BUN_IMAGE=oven/bun:1.4.5-slim
FROM ${BUN_IMAGE} AS build
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
COPY patches ./patches
# With the package.json of each product, which the lockfile names.
COPY src ./src
RUN bun install --frozen-lockfile --production --ignore-scripts
COPY tsconfig.json ./
COPY scripts ./scripts
COPY workers ./workers
ARG TRIBUTARY_COMMIT
RUN TRIBUTARY_COMMIT=$TRIBUTARY_COMMIT bun scripts/releasing/build-binaries.ts image
RUN ldd image/tributary | grep -o '/[^ ]*' | xargs -I {} cp --parents --dereference {} image
RUN mkdir --mode=700 files

FROM scratch
COPY --from=build /app/image /
# A new volume that is mounted here belongs to the user, as the folder does.
COPY --from=build --chown=65532:65532 /app/files /var/lib/tributary-files
USER 65532:65532
ENV HOST=0.0.0.0
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["/tributary", "health"]
ENTRYPOINT ["/tributary"]
CMD ["serve"]
