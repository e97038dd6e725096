import { z } from 'zod';

/** Only what the product asks of it. Fields that the platform leaves out where they are empty are optional. */
export const application = z.object({
  id: z.string(),
  name: z.string(),
  verify_key: z.string(),
  flags: z.number().default(0),
  redirect_uris: z.array(z.string()).default([]),
  approximate_guild_count: z.number().default(0),
  bot: z.object({ id: z.string(), avatar: z.string().nullish() }).optional(),
});
