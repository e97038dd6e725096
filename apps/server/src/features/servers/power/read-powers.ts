import { PlatformFailure } from '../../../platform/failures.ts';
import { dangerous, grantsOf } from '../../../platform/permissions.ts';
import type { BotPlatform } from '../../../platform/port.ts';
import { clientOf } from '../../bots/refused-guilds/ask-once.ts';

/** Power is a set of dangerous permissions, in the server or in any of its channels. */
export type RolePower = { roleId: string; name: string; power: bigint };

type Powers = ReadonlyMap<string, RolePower>;
type Reading = { begunAtMs: number; powers: Promise<Powers> };

/** A role that becomes dangerous is given for no longer than this: many are given by one reading. */
export const maxAgeMs = 2000;

/** By the bot's client, which every caller of this process shares. */
const readings = new WeakMap<BotPlatform, Map<string, Reading>>();

/** What each role of the guild gives its holders. A reading that failed is none. */
export const readPowers = async (
  bot: BotPlatform,
  guildId: string,
  notOlderThanMs: number,
): Promise<Powers> => {
  const client = clientOf(bot);
  const ofBot = readings.get(client) ?? new Map<string, Reading>();
  readings.set(client, ofBot);
  const now = performance.now();
  for (const [id, { begunAtMs }] of ofBot) if (now - begunAtMs > maxAgeMs) ofBot.delete(id);
  const last = ofBot.get(guildId);
  if (last && now - last.begunAtMs < notOlderThanMs) return last.powers;
  const reading: Reading = {
    begunAtMs: now,
    powers: askUntilFresh(bot, guildId, (atMs) => {
      reading.begunAtMs = atMs;
    }),
  };
  ofBot.set(guildId, reading);
  return reading.powers.catch((error: unknown) => {
    if (ofBot.get(guildId) === reading) ofBot.delete(guildId);
    throw error;
  });
};

const mostReadings = 3;

/** Roles and channels are asked for side by side: where one of them waits, the other grows old. */
const askUntilFresh = async (
  bot: BotPlatform,
  guildId: string,
  onRepeat: (atMs: number) => void,
): Promise<Powers> => {
  let begunAtMs = performance.now();
  for (let count = 0; count < mostReadings; count++) {
    const powers = await askGuild(bot, guildId);
    const now = performance.now();
    if (now - begunAtMs <= maxAgeMs) return powers;
    begunAtMs = now;
    onRepeat(now);
  }
  throw new PlatformFailure('unreachable');
};

const askGuild = async (bot: BotPlatform, guildId: string): Promise<Powers> => {
  // Whoever asks tries again, or the call that asked does.
  const guild = bot.guild(guildId, { attempts: 1 });
  const [{ roles }, channels] = await Promise.all([guild.read(), guild.readChannels()]);
  return new Map(
    roles.map((role) => {
      const power = grantsOf(role, channels) & dangerous;
      return [role.id, { roleId: role.id, name: role.name, power }];
    }),
  );
};
