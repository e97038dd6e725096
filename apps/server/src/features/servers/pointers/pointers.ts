import type { RestoredSort, servers } from '../table.ts';

/**
 * The settings of a server that name a role or a channel of its guild. `missing` is where is kept that
 * the named thing was seen to be gone.
 */
export const pointers = [
  { name: 'verifiedRoleId', sort: 'roles', missing: 'missingRoleId' },
  { name: 'logChannelId', sort: 'channels', missing: 'missingChannelId' },
] as const satisfies {
  name: keyof typeof servers.$inferSelect;
  sort: RestoredSort;
  missing: keyof typeof servers.$inferSelect;
}[];

type PointerName = (typeof pointers)[number]['name'];
export const pointerNames: readonly PointerName[] = pointers.map(({ name }) => name);

/** What an owner names anew counts as there until it is seen not to be. */
export const markedAsThere = (names: readonly PointerName[]) =>
  Object.fromEntries(
    pointers.filter(({ name }) => names.includes(name)).map(({ missing }) => [missing, null]),
  );

export type PointerSort = (typeof pointers)[number]['sort'];

type Missing = {
  verifiedRoleId: string | null;
  logChannelId: string | null;
  missingRoleId: string | null;
  missingChannelId: string | null;
};

/** The pointers that name what is gone. One that was changed since points elsewhere. */
export const brokenPointers = (server: Missing): PointerName[] =>
  pointers
    .filter(({ name, missing }) => server[name] !== null && server[name] === server[missing])
    .map(({ name }) => name);
