import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { restoreGuild, snapshotGuild, snapshotSchema } from '../guild/snapshot.ts';
import type { Platform } from '../platform.ts';

const SAVE_AFTER_MS = 500;
/** Saving a large state may take at most this share of the time. */
const MAX_SAVING_SHARE = 0.1;
const stateSchema = z.object({ guilds: z.record(z.string(), snapshotSchema) });

/** Reads the guilds at the start and writes them half a second after a change and at the end. */
export const persistState = async (platform: Platform, path: string) => {
  await load(platform, path);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let saving = Promise.resolve();
  let lastSaveMs = 0;
  const timedWrite = async () => {
    const startedAt = performance.now();
    await write(platform, path);
    lastSaveMs = performance.now() - startedAt;
  };
  const save = () => {
    timer = undefined;
    saving = saving.then(timedWrite);
    return saving;
  };
  platform.world.onChange(() => {
    timer ??= setTimeout(save, Math.max(SAVE_AFTER_MS, lastSaveMs / MAX_SAVING_SHARE));
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
    restoreGuild(world, identities, id, snapshot);
  }
};

/** Written to another file and renamed, so that a kill leaves either the old state or the new one. */
const write = async ({ world }: Platform, path: string) => {
  const guilds = Object.fromEntries(
    [...world.guilds.values()].map((guild) => [guild.id, snapshotGuild(world, guild)]),
  );
  await mkdir(dirname(path), { recursive: true });
  // A file left by a kill may have other permissions, which a write would keep.
  await rm(`${path}.new`, { force: true });
  await writeFile(`${path}.new`, JSON.stringify({ guilds }), { mode: 0o600 });
  await rename(`${path}.new`, path);
};
