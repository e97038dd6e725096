import { z } from 'zod';
import {
  type RequestTokens,
  seedMembers as seed,
} from '../../features/members/seed/seed-members.ts';
import { systemClock } from '../../kernel/clock.ts';
import { askSimulatorForTokens } from '../local-mode/simulator-client.ts';
import { findSimulator } from '../local-mode/simulator-process.ts';
import { requireRingFits } from '../sealed-data.ts';
import { loadKeyRing } from '../storage.ts';
import { type CommandContext, command, wholeNumber } from './command.ts';

export const seedMembers = command(
  'Fill a server with generated members, for trying things out.',
  {
    server: z.guid().describe('the id of the server'),
    count: wholeNumber.pipe(z.int().min(1).max(10_000_000)).describe('how many members'),
    pullable: wholeNumber.default(0).describe('how many of them can be pulled'),
    tokens: z
      .enum(['yes', 'no'])
      .default('yes')
      .describe('whether the simulator, where one runs, gives them tokens'),
  },
  async (context, { server, count, pullable, tokens }) => {
    const askForTokens = tokens === 'yes' ? await findTokenGiver(context) : undefined;
    return seed({ db: context.db, clock: systemClock }, server, { count, pullable }, askForTokens);
  },
);

/** Undefined if the platform is not a simulator. */
const findTokenGiver = async ({
  db,
  config,
}: CommandContext): Promise<RequestTokens | undefined> => {
  const url = await findSimulator(config);
  if (url === undefined) return undefined;
  const ring = await loadKeyRing(config);
  // Data sealed under a ring that the service does not have would keep it from starting.
  await requireRingFits(db, ring);
  return askSimulatorForTokens(url, ring);
};
