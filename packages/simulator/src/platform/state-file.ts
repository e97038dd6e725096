import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { restoreSnapshot, snapshotSchema, takeSnapshot } from './guild-snapshot.ts';
import type { Platform } from './platform.ts';

const SAVE_AFTER_MS = 500;
/** Of a large state: saving may take this share of the time, no more. */
const SAVING_SHARE = 0.1;
const stateSchema = z.object({ guilds: z.record(z.string(), snapshotSchema) });

/** Guilds outlive a restart: read at the start, written half a second after a change and at the end. */
export const keepStateInFile = async (platform: Platform, path: string) => {
  await load(platform, path);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let saving = Promise.resolve();
  let lastTookMs = 0;
  const timedWrite = async () => {
    const startedAt = performance.now();
    await write(platform, path);
    lastTookMs = performance.now() - startedAt;
  };
  const save = () => {
    timer = undefined;
    saving = saving.then(timedWrite);
    return saving;
  };
  platform.world.onChange(() => {
    timer ??= setTimeout(save, Math.max(SAVE_AFTER_MS, lastTookMs / SAVING_SHARE));
  });
  return {
    close: async () => {
      clearTimeout(timer);
      await save();
    },
  };
};

const load = async ({ world, identities }: Platform, path: string) => {
  const file = Bun.file(path);
  if (!(await file.exists())) return;
  const { guilds } = stateSchema.parse(await file.json());
  for (const [id, snapshot] of Object.entries(guilds)) {
    restoreSnapshot(world, identities, id, snapshot);
  }
};

/** Written beside and renamed, so that a kill leaves the old or the new state, never half of one. */
const write = async ({ world }: Platform, path: string) => {
  const guilds = Object.fromEntries(
    [...world.guilds.values()].map((guild) => [guild.id, takeSnapshot(world, guild)]),
  );
  await mkdir(dirname(path), { recursive: true });
  // One left by a kill may have other permissions, which a write would keep.
  await rm(`${path}.new`, { force: true });
  await writeFile(`${path}.new`, JSON.stringify({ guilds }), { mode: 0o600 });
  await rename(`${path}.new`, path);
};
