import { neededIntents, type PrivilegedIntent } from '@holdfast/contract';

type RefusedBot = { refusedAt: Date | null; secretRefusedAt: Date | null };

/** What the owner has to change before the bot works again; null where it works. */
export const describeTrouble = ({ refusedAt, secretRefusedAt }: RefusedBot): string | null => {
  if (refusedAt) return "The platform refuses this bot's token: send a new botToken";
  if (secretRefusedAt) {
    return "The platform refuses this bot's client secret, so nobody can verify: send a new clientSecret";
  }
  return null;
};

/** Both are empty where the intents of the bot are not known yet. */
export const describeIntents = (granted: PrivilegedIntent[] | null) => ({
  granted: granted ?? [],
  missing: granted ? neededIntents.filter((intent) => !granted.includes(intent)) : [],
});
