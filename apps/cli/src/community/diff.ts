import type { Holdfast } from '@holdfast/sdk';
import { type CommandSpec, serverArgument } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../exit-codes.ts';
import { findServer } from '../operations/resolve.ts';
import { compareDocuments } from './compare.ts';
import { type CommunityDocument, namesPeople } from './document.ts';
import { countLine, formatChanges } from './format-changes.ts';
import { isFile, readCommunityFile, readNamedBackup, withReading } from './source.ts';

const sides = 'a file, `live`, or a backup: its id, `latest` or `good`';

export const diffCommand: CommandSpec = {
  words: ['diff'],
  summary: 'Compare a file, a backup and the server as it is',
  description: `Says what turns the first side into the second. Each side is ${sides}. The exit code is 0 where nothing differs and 7 where something does.`,
  arguments: [
    serverArgument,
    { name: 'from', description: sides },
    { name: 'to', description: `${sides}; live, unless given`, isOptional: true },
  ],
  examples: [
    { does: 'Has somebody changed the server', line: 'holdfast diff Harbour harbour.yaml' },
    { does: 'What an apply would change', line: 'holdfast diff Harbour live harbour.yaml' },
    { does: 'Since the last good backup', line: 'holdfast diff Harbour good live' },
  ],
  async run({ context, args }) {
    const [given = '', from = '', to = 'live'] = args;
    const holdfast = await context.holdfast();
    const server = await findServer(holdfast, given);
    const [before, after] = await readSides(context, holdfast, server, [from, to]);
    const comparison = compareDocuments(before, after, (one) => isFile(one === before ? from : to));
    const { changes, notes } = comparison;
    await context.output.show({ differs: changes.length > 0, from, to, changes, notes }, () =>
      formatChanges(comparison, context.output),
    );
    if (changes.length > 0) throw new CommandError('drift', countLine(changes));
  },
};

/** Files first: whether one names people decides how the others are read. */
const readSides = async (
  context: Context,
  holdfast: Holdfast,
  server: { id: string; name: string },
  given: [string, string],
): Promise<[CommunityDocument, CommunityDocument]> => {
  const files = new Map<string, CommunityDocument>();
  for (const side of given.filter(isFile))
    files.set(side, (await readCommunityFile(side)).document);
  const withPeople = [...files.values()].some(namesPeople);
  const read = async (side: string): Promise<CommunityDocument> => {
    const known = files.get(side);
    if (known) return known;
    return side === 'live'
      ? withReading(context, server, withPeople, async (_, { document }) => document)
      : (await readNamedBackup(holdfast, server, side, withPeople)).document;
  };
  return [await read(given[0]), await read(given[1])];
};
