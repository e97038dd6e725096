import type { Holdfast } from '@holdfast/sdk';
import type { Context } from '../context.ts';
import { backupIdOf, isUuid } from '../operations/resolve.ts';
import { clean } from '../output/style.ts';
import type { Images } from './assets.ts';
import type { Side } from './compare.ts';

export type Server = { id: string; name: string };

/** A backup as a document, with what could not be read for it and why. */
export type Reading = Required<Pick<Side, 'document' | 'unread'>> & {
  backupId: string;
  warnings: string[];
};

/** What a document says, which is also what a reading of the server must hold. */
export const sections = [
  ...(['settings', 'roles', 'channels', 'emojis', 'stickers', 'soundboard'] as const),
  ...(['automod', 'onboarding', 'welcomeScreen'] as const),
];

/** Where the words `live`, `latest` and `good`, the id of a backup, or a file are meant. */
export const isFile = (given: string): boolean =>
  !['live', 'latest', 'good'].includes(given) && !isUuid(given);

export const readBackup = async (
  holdfast: Holdfast,
  server: Server,
  backupId: string,
  withPeople: boolean,
): Promise<Reading> => {
  const params = { id: server.id, backupId };
  const query = { people: withPeople ? ('true' as const) : ('false' as const) };
  const document = await holdfast.getBackupDocument({ params, query });
  const { components, warnings } = await holdfast.getBackup({ params });
  const unread = sections.filter((section) => !components.includes(section));
  return { backupId, document, unread, warnings };
};

export const readNamedBackup = async (
  holdfast: Holdfast,
  server: Server,
  given: string,
  withPeople: boolean,
): Promise<Reading> =>
  readBackup(holdfast, server, await backupIdOf(holdfast, server.id, given), withPeople);

/** Also where no terminal is: whoever reads the log of a pipeline must see it. */
export const tell = ({ io, output }: Context, text: string): void => {
  if (!output.isQuiet) io.stderr.write(`${text}\n`);
};

export const tellWarnings = (context: Context, warnings: readonly string[]): void => {
  for (const text of warnings) {
    tell(context, `${context.output.noteStyle.yellow('warning:')} ${clean(text)}`);
  }
};

export const readImages = async (
  holdfast: Holdfast,
  server: Server,
  backupId: string,
): Promise<Images> => {
  const images: Images = new Map();
  let after: string | undefined;
  do {
    const answer = await holdfast.getBackupImages({
      params: { id: server.id, backupId },
      query: after === undefined ? {} : { after },
    });
    for (const { name, data } of answer.images) images.set(name, Buffer.from(data, 'base64'));
    after = answer.next ?? undefined;
  } while (after !== undefined);
  return images;
};
