import { findDifferences } from './differences.ts';
import type { Groundwork } from './groundwork.ts';
import type { IdMap } from './id-map.ts';
import { type endRestore, listSteps } from './queries.ts';
import { readPresent } from './read-present.ts';
import type { RestoreWork } from './restore-work.ts';

const sentencesKept = 200;

/** Looks at the result rather than trust the steps: what is missing, by whatever cause, is named. */
export const judge = async (
  { tools, owner, restore, guildId, guild, readDesired }: RestoreWork,
  { losses, warnings }: Groundwork,
  idMap: IdMap,
): Promise<Parameters<typeof endRestore>[2]> => {
  const { components } = restore;
  const [desired, actual] = await Promise.all([
    readDesired(),
    readPresent(guildId, guild, components),
  ]);
  const missing = new Set([
    ...(await failedSteps(tools.db, owner)),
    ...losses.map(({ type, name, reason }) => `${type} ${name}: ${reason}`),
    ...findDifferences(desired, actual, idMap, components),
  ]);
  return {
    status: missing.size === 0 ? 'completed' : 'partial',
    warnings: [...warnings, ...shortened([...missing])],
  };
};

const failedSteps = async (
  db: RestoreWork['tools']['db'],
  owner: RestoreWork['owner'],
): Promise<string[]> => {
  const steps = await listSteps(db, owner);
  return steps
    .filter(({ status }) => status === 'failed')
    .map(({ effect, type, name, error }) => `${type} ${name}: ${effect} failed: ${error}`);
};

const shortened = (sentences: string[]): string[] =>
  sentences.length <= sentencesKept
    ? sentences
    : [...sentences.slice(0, sentencesKept), `and ${sentences.length - sentencesKept} more`];
