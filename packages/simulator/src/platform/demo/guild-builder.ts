import { drawDiscPng } from '../cdn/png.ts';
import type { Channel, Guild, StoredImage } from '../guild/guild.ts';
import { snowflakeAt, timeOfSnowflake } from '../snowflakes.ts';

const MAX_CREATED_AT_MS = Date.UTC(2024, 0, 1);

export type GuildBuilder = {
  guild: Guild;
  random: SeededRandom;
  /** Ids in order of time from the guild's own; every run gives the same ones. */
  nextId: () => string;
  roleIds: Map<string, string>;
  images: Map<string, StoredImage>;
};

export const createDemoIds = (guildId: string, random: SeededRandom) => {
  let timeMs = Math.min(timeOfSnowflake(guildId), MAX_CREATED_AT_MS);
  return () => {
    timeMs += 1 + random.below(40_000_000);
    return snowflakeAt(timeMs, random.below(2 ** 22));
  };
};

const drawImage = (colour: number): StoredImage => ({
  mime: 'image/png',
  base64: drawDiscPng(96, colour).toString('base64'),
});

/** Drawn once and shared by all guilds. */
const drawnImages = [
  0xe74c3c, 0xe67e22, 0xf1c40f, 0x2ecc71, 0x1abc9c, 0x3498db, 0x5865f2, 0x9b59b6, 0xe91e63,
  0x795548, 0x607d8b, 0x34495e,
].map(drawImage);

/** Generated channels have names of their own. */
export const findChannel = ({ channels }: Guild, name: string): Channel => {
  for (const channel of channels.values()) if (channel.name === name) return channel;
  throw new Error(`No channel is called ${name}`);
};

/** One of the drawn ones: they are many times the same object. */
export const pickDrawnImage = (random: SeededRandom): StoredImage =>
  drawnImages[random.below(drawnImages.length)] ?? drawImage(0);

/** The same numbers for the same seed (mulberry32), so that an id always gives the same guild. */
export const createSeededRandom = (seed: string) => {
  let state = Number(Bun.hash.crc32(seed)) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    /** A whole number from 0 to below `bound`. */
    below: (bound: number): number => Math.floor(next() * bound),
    isChance: (chance: number): boolean => next() < chance,
    pick: <Item>(items: readonly [Item, ...Item[]]): Item =>
      items[Math.floor(next() * items.length)] ?? items[0],
  };
};

type SeededRandom = ReturnType<typeof createSeededRandom>;
