import { z } from 'zod';
import { type AskForTokens, seedMembers as seed } from '../../features/members/seed.ts';
import { requireRingFits } from '../sealed-data.ts';
import { findSimulator } from '../simulator-process.ts';
import { askSimulatorForTokens } from '../simulator-tokens.ts';
import { loadKeyRing } from '../storage.ts';
import { type CommandContext, command, wholeNumber } from './command.ts';

export const seedMembers = command(
  'Fill a server with made-up members, for trying things out.',
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
    return seed(context.db, server, { count, pullable }, askForTokens);
  },
);

/** Undefined where the platform is no simulator, and nobody can be asked. */
const findTokenGiver = async ({
  db,
  config,
}: CommandContext): Promise<AskForTokens | undefined> => {
  const url = await findSimulator(config);
  if (url === undefined) return undefined;
  const ring = await loadKeyRing(config);
  // What is sealed under a ring that the service does not have would keep it from starting.
  await requireRingFits(db, ring);
  return askSimulatorForTokens(url, ring);
};
