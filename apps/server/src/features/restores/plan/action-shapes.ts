import { z } from 'zod';
import { sectionEntries } from '../../backups/snapshot/snapshot.ts';

/** What the shapes of all actions are made of. */

export const id = z.string();
export const ref = z.union([z.object({ backup: id }), z.object({ present: id })]);
export const storedImage = sectionEntries.emojis.shape.image.unwrap();

export const call = <Do extends string, Fields extends z.ZodRawShape>(name: Do, fields: Fields) =>
  z.object({ do: z.literal(name), ...fields });
