import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { arbitraryGuild } from '../guild-arbitraries.ts';
import { arbitraryWreck, wreck } from '../guild-wreck.ts';
import { createRestoreTrial, type RestoreTrial } from '../restore-trial.ts';
import { type Outcome, runSafely } from './outcome.ts';
import type { SweepOptions } from './sweep.ts';

/** Random servers, wrecked at random and restored, through the API and on the simulator; `--runs` of them. */
export const sweepProperty = async ({
  seed,
  randomKills: numRuns,
  say,
}: SweepOptions): Promise<Outcome[]> => {
  const someGuild = arbitraryGuild({ channels: 40, roles: 15 }).filter(({ channels }) =>
    channels.some(({ kind }) => kind === 'text'),
  );
  const trials = fc.sample(fc.tuple(someGuild, arbitraryWreck), { numRuns, seed });
  const trial = await createRestoreTrial();
  const outcomes: Outcome[] = [];
  try {
    for (const [index, [guild, blows]] of trials.entries()) {
      const name = `guild ${index + 1} of seed ${seed}`;
      outcomes.push(await runSafely(name, () => tryOne(trial, name, guild, wreck(guild, blows))));
      say(`${outcomes.length} of ${trials.length} runs`);
    }
  } finally {
    await trial.stop();
  }
  return outcomes;
};

type Guild = Parameters<RestoreTrial['restoreOver']>[0];

const tryOne = async (
  trial: RestoreTrial,
  name: string,
  guild: Guild,
  wrecked: Guild,
): Promise<Outcome> => {
  const { status, losses, likeness, wrongs } = await trial.restoreOver(guild, wrecked);
  const isAlike = isDeepStrictEqual(likeness.after, likeness.wanted);
  const violations = [
    ...(status === 'completed' ? [] : [`it ended ${status}`]),
    ...(isAlike ? [] : ['the server is not what it was']),
    ...losses,
    ...wrongs,
  ];
  return { name, kills: 0, isResumed: false, violations };
};
