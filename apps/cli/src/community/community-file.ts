import { HoldfastError } from '@holdfast/sdk';
import { CommandError } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { readGivenFile } from '../operations/given-file.ts';
import { isRecord } from '../output/record.ts';
import { type Images, readAssets } from './assets.ts';
import type { CommunityDocument } from './document.ts';
import { escapeName, placeChannels } from './names.ts';
import { findMistakes, type Mistake } from './validate.ts';
import { decodeText, type ParsedYaml, parseYaml } from './yaml.ts';

/** Standard input or output instead of a file. */
export const isStream = (file: string): boolean => file === '-';

export type CommunityFile = {
  file: string;
  document: CommunityDocument;
  images: Images;
  placeOf: ParsedYaml['placeOf'];
  /** What can be applied, but not as it is written. */
  warnings: string[];
};

/** A file with its images; what is wrong in it is told with its place, before anything is asked. */
export const readCommunityFile = async (
  io: Pick<Io, 'stdin'>,
  given: string,
): Promise<CommunityFile> => {
  const file = isStream(given) ? 'standard input' : given;
  const bytes = isStream(given) ? await readBytes(io) : await readGivenFile(given);
  const { value, placeOf } = await parseYaml(decodeText(bytes, file), file);
  if (!isRecord(value)) {
    throw new CommandError('usage', `${file} is not the document of a server`, [
      'Write one with: holdfast export <server>',
    ]);
  }
  const mistakes = findMistakes(value);
  if (mistakes.length > 0) throw refuse(file, mistakes, value, placeOf);
  // It has the shape that was just checked.
  const document = value as CommunityDocument;
  const warnings = renamedChannels(document).map((text) => `${file}: ${text}`);
  return { file, placeOf, warnings, ...(await readAssets(given, document)) };
};

const spokenTypes = ['CATEGORY', 'VOICE', 'STAGE'];

/** The platform writes these names in its own way, so that a file with another never comes true. */
const renamedChannels = ({ channels }: CommunityDocument): string[] =>
  placeChannels(channels).flatMap(({ channel: { type, name }, path }) => {
    const written = name.trim().toLowerCase().replace(/\s+/g, '-');
    if (spokenTypes.includes(type) || written === name) return [];
    return [`channel ${path}: the platform makes its name ${written}; write it so in the file too`];
  });

const readBytes = async ({ stdin }: Pick<Io, 'stdin'>): Promise<Uint8Array> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
};

const refuse = (
  file: string,
  mistakes: Mistake[],
  value: unknown,
  placeOf: ParsedYaml['placeOf'],
): CommandError =>
  new CommandError(
    'usage',
    `${file} is not a document that can be applied`,
    mistakes.map((mistake) => {
      const label = labelOf(value, mistake.path);
      return `${file}:${placeOf(mistake)}: ${label}${label && ': '}${mistake.message}`;
    }),
  );

const words: Record<string, string> = {
  ...{ roles: 'role', channels: 'channel', emojis: 'emoji', stickers: 'sticker' },
  ...{ soundboard: 'sound', automod: 'AutoMod rule' },
};

/** What people call the place: `channel Deck/general: topic`, `role Crew: color`, `settings.name`. */
const labelOf = (value: unknown, path: Mistake['path']): string => {
  const [section = '', index] = path;
  const word = words[section];
  const entry = childOf(childOf(value, section), index);
  const name = childOf(entry, 'name');
  if (word === undefined || typeof name !== 'string') return formatPath(path);
  const inner = childOf(childOf(childOf(entry, path[2]), path[3]), 'name');
  const isChild = section === 'channels' && path[2] === 'channels' && typeof inner === 'string';
  const parts = isChild ? [name, inner] : [name];
  const rest = formatPath(path.slice(isChild ? 4 : 2));
  const shown = section === 'channels' ? parts.map(escapeName).join('/') : name;
  return `${word} ${shown}${rest && ': '}${rest}`;
};

const childOf = (value: unknown, key: string | number | undefined): unknown => {
  if (key === undefined || typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === String(key))?.[1];
};

const formatPath = (path: Mistake['path']): string =>
  path.map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at ? '.' : ''}${key}`)).join('');

/** What the service finds in the document, with its places in the file. */
export const inFile = (error: unknown, { file, document, placeOf }: CommunityFile): unknown => {
  const issues = error instanceof HoldfastError ? error.details?.fieldErrors?.document : undefined;
  if (!issues || issues.length === 0) return error;
  const channels = channelPlaces(document);
  const mistakes = issues.map((issue) => mistakeOf(issue, channels));
  return refuse(file, mistakes, document, placeOf);
};

type ChannelPlace = { prefix: string; path: Mistake['path'] };

/** The service names channels by their path. */
const channelPlaces = ({ channels }: CommunityDocument): ChannelPlace[] => {
  const places = channels.flatMap((channel, index): Mistake['path'][] => {
    const children = channel.type === 'CATEGORY' ? (channel.channels ?? []) : [];
    const inner = children.map((_, at) => ['channels', index, 'channels', at]);
    return [['channels', index], ...inner];
  });
  return placeChannels(channels)
    .map(({ path }, at) => ({ prefix: `channel ${path}.`, path: places[at] ?? [] }))
    .sort((one, other) => other.prefix.length - one.prefix.length);
};

/** `roles[3].permissions: There is no permission FLY` as a place and a message. */
const mistakeOf = (issue: string, channels: ChannelPlace[]): Mistake => {
  const channel = channels.find(({ prefix }) => issue.startsWith(prefix));
  const rest = channel ? issue.slice(channel.prefix.length) : issue;
  const [place = '', ...message] = rest.split(': ');
  if (message.length === 0) return { path: [], message: issue };
  const inner = [...place.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name = '', index]) =>
    index === undefined ? name : Number(index),
  );
  return { path: [...(channel?.path ?? []), ...inner], message: message.join(': ') };
};
