import type { Overwrite } from '../../../platform/guild.ts';
import { dangerous, without } from '../../../platform/permissions.ts';
import type { GivableOverwrite } from '../../../platform/port.ts';

/** What an overwrite decides. */
export type OverwriteBits = { allow: bigint; deny: bigint };

/**
 * The overwrite of somebody in a channel, with what they are given back added to what they have there: all
 * that they were denied, and of what they were allowed only what gives no power. What is decided there now
 * stays as it is. Whatever gives a person an overwrite asks this.
 */
export const judgeOverwrite = (present: Overwrite, had: OverwriteBits): GivableOverwrite => {
  const [allow, deny] = [BigInt(present.allow), BigInt(present.deny)];
  const given = {
    ...present,
    allow: String(allow | without(had.allow, dangerous | deny | had.deny)),
    deny: String(deny | without(had.deny, allow)),
  };
  // The only place that makes one.
  return given as GivableOverwrite;
};
