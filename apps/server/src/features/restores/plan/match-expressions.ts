import type { Emoji, Sticker } from '../../../platform/guild.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { IdMap } from './id-map.ts';
import type { GuildState } from './step.ts';

/** From ids in the backup to the emojis and stickers of the target that they are. */
export type ExpressionMatch = { emojis: Map<string, Emoji>; stickers: Map<string, Sticker> };

type Saved = { id: string; name: string; image: { hash: string } | null };
type Live = { id: string; name: string };

/** Matches by id, else by name and picture: the picture of an emoji or a sticker never changes. */
export const matchExpressions = (
  snapshot: Snapshot,
  { emojis, stickers, pictureHashes = {} }: GuildState,
  earlierIds: IdMap | undefined,
): ExpressionMatch => ({
  emojis: match(snapshot.emojis ?? [], emojis, earlierIds?.emojis ?? {}, pictureHashes),
  stickers: match(snapshot.stickers ?? [], stickers, earlierIds?.stickers ?? {}, pictureHashes),
});

const match = <Thing extends Live>(
  saved: Saved[],
  current: Thing[],
  earlierIds: Record<string, string>,
  hashes: Record<string, string>,
): Map<string, Thing> => {
  const matched = new Map<string, Thing>();
  const free = new Map(current.map((thing) => [thing.id, thing]));
  const pair = (one: Saved, found: Thing | undefined) => {
    if (!found || matched.has(one.id)) return;
    matched.set(one.id, found);
    free.delete(found.id);
  };
  for (const one of saved) pair(one, free.get(one.id));
  for (const one of saved) pair(one, free.get(earlierIds[one.id] ?? ''));
  for (const one of saved) {
    const isSame = ({ id, name }: Thing) => name === one.name && hashes[id] === one.image?.hash;
    if (one.image) pair(one, [...free.values()].find(isSame));
  }
  return matched;
};

/** The emojis and stickers of the target whose pictures decide: those that only their name matches. */
export const findPicturesToCompare = (
  snapshot: Snapshot,
  current: GuildState,
  earlierIds: IdMap | undefined,
): { emojis: Emoji[]; stickers: Sticker[] } => {
  const { emojis, stickers } = matchExpressions(snapshot, current, earlierIds);
  return {
    emojis: namesakes(snapshot.emojis ?? [], current.emojis, emojis),
    stickers: namesakes(snapshot.stickers ?? [], current.stickers, stickers),
  };
};

const namesakes = <Thing extends Live>(
  saved: Saved[],
  current: Thing[],
  matched: Map<string, Thing>,
): Thing[] => {
  const known = new Set([...matched.values()].map(({ id }) => id));
  const missing = new Set(saved.flatMap(({ id, name }) => (matched.has(id) ? [] : [name])));
  return current.filter(({ id, name }) => !known.has(id) && missing.has(name));
};
