import type { Ref } from './action.ts';
import { byPosition } from './channel-kinds.ts';
import type { PlanContext } from './plan-context.ts';

/** Some kinds of channels exist only in a community, which itself must have two text channels. */
export type Community = {
  isNow: boolean;
  /** The restore makes the guild a community; only an administrator may. */
  becomes: boolean;
  isFinally: boolean;
  rules: Ref | undefined;
  updates: Ref | undefined;
};

export const planCommunity = (context: PlanContext): Community => {
  const { snapshot, current, bot, restores } = context;
  const isNow = current.settings.features.includes('COMMUNITY');
  const saved = restores('settings') ? snapshot.settings?.[0] : undefined;
  const isTarget = saved ? saved.features.includes('COMMUNITY') : isNow;
  const rules = findTextChannel(context, saved?.rulesChannelId ?? null);
  const updates = findTextChannel(context, saved?.publicUpdatesChannelId ?? null);
  const becomes = isTarget && !isNow && bot.isAdministrator && rules !== undefined;
  const isFinally = becomes || (isNow && (isTarget || !bot.isAdministrator));
  return { isNow, becomes, isFinally, rules, updates };
};

/** The channel of the backup, or the first text channel there will be. */
const findTextChannel = (context: PlanContext, savedId: string | null): Ref | undefined => {
  const isRestored = context.restores('channels');
  const channels = isRestored ? context.savedChannels : context.current.channels;
  const texts = channels.filter(({ kind }) => kind === 'text').sort(byPosition);
  const found = texts.find(({ id }) => id === savedId) ?? texts[0];
  if (!found) return undefined;
  return isRestored ? { backup: found.id } : { present: found.id };
};
