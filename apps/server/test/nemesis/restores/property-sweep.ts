import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { arbitraryGuild } from '../../harness/guilds/arbitrary-guild.ts';
import { arbitraryDamage, damageGuild } from '../../harness/guilds/damage.ts';
import { type RestoreFixture, startRestoreFixture } from '../../harness/restores/fixture.ts';
import { type Outcome, runSafely } from '../outcome.ts';
import type { SweepOptions } from '../sweep.ts';

/** Random guilds, damaged at random, then restored through the API on the simulator; `--runs` of them. */
export const sweepProperty = async ({
  seed,
  randomKills: numRuns,
  say,
}: SweepOptions): Promise<Outcome[]> => {
  const someGuild = arbitraryGuild({ channels: 40, roles: 15 }).filter(({ channels }) =>
    channels.some(({ kind }) => kind === 'text'),
  );
  const cases = fc.sample(fc.tuple(someGuild, arbitraryDamage), { numRuns, seed });
  const fixture = await startRestoreFixture();
  const outcomes: Outcome[] = [];
  try {
    for (const [index, [guild, damages]] of cases.entries()) {
      const name = `guild ${index + 1} of seed ${seed}`;
      outcomes.push(
        await runSafely(name, () => restoreOne(fixture, name, guild, damageGuild(guild, damages))),
      );
      say(`${outcomes.length} of ${cases.length} runs`);
    }
  } finally {
    await fixture.stop();
  }
  return outcomes;
};

type Guild = Parameters<RestoreFixture['restoreOver']>[0];

const restoreOne = async (
  fixture: RestoreFixture,
  name: string,
  guild: Guild,
  damaged: Guild,
): Promise<Outcome> => {
  const { status, losses, summary, violations: seen } = await fixture.restoreOver(guild, damaged);
  const isRestored = isDeepStrictEqual(summary.after, summary.expected);
  const violations = [
    ...(status === 'completed' ? [] : [`it ended ${status}`]),
    ...(isRestored ? [] : ['the server is not what it was']),
    ...losses,
    ...seen,
  ];
  return { name, kills: 0, isResumed: false, violations };
};
