import { z } from 'zod';

/** Typed by a person who gives power to others on purpose. */
export const confirmRoleName = z.string().max(200).optional().meta({
  description:
    'The name of a role with dangerous permissions, typed by the person who chooses it. In the dashboard only, with a fresh code of the second factor.',
  example: 'Moderator',
});

export const noPowerByKey = (field: string): string =>
  `A role that has dangerous permissions, in the server or by an overwrite of a channel, is refused with 400 on \`${field}\`: only a person can choose it, in the dashboard. One that gets them later is given to nobody until a person confirms it or they are taken away; an alert says so.`;
