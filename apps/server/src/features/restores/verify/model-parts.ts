import { PlatformFailure } from '../../../platform/failures.ts';
import type { PartsPlatform } from '../../../platform/parts-port.ts';
import type { LiveParts } from '../plan/parts/live-parts.ts';
import type { WholeGuild } from '../plan/step.ts';

/** A guild in memory always has its parts. */
type ModelState = WholeGuild & { parts: LiveParts };

export const createEmptyParts = (): LiveParts => ({
  widget: { isEnabled: false, channelId: null },
  vanityCode: null,
  automod: [],
  onboarding: { isEnabled: false, mode: 0, defaultChannelIds: [], prompts: [] },
  welcomeScreen: null,
  events: [],
  soundboard: [],
  webhooks: [],
});

const refuse = (status: number, code: number) => new PlatformFailure('refused', { status, code });

const find = <Thing extends { id: string }>(things: Thing[] | undefined, id: string): Thing => {
  const found = things?.find((thing) => thing.id === id);
  if (!found) throw refuse(404, 10000);
  return found;
};

const remove = <Thing extends { id: string }>(things: Thing[] | undefined, id: string) => {
  const found = find(things, id);
  things?.splice(things.indexOf(found), 1);
};

const MAX_KEYWORD_RULES = 6;
const KEYWORD = 1;
const MAX_EVENTS = 100;
const MAX_WEBHOOKS = 15;
const soundSlots = [8, 24, 36, 48];

type Writes<Name extends keyof PartsPlatform> = Pick<PartsPlatform, Name>;

/** The parts of a guild in memory, with the platform's limits and references. */
export const partCalls = (state: ModelState, nextId: () => string) => ({
  ...automodCalls(state, nextId),
  ...eventCalls(state, nextId),
  ...soundCalls(state, nextId),
  ...webhookCalls(state, nextId),
  ...newcomerCalls(state),
  ...roleIconCalls(state, nextId),
  deleteInvite: async (code: string) => {
    const { inviteCodes = [] } = state.parts;
    state.parts.inviteCodes = inviteCodes.filter((one) => one !== code);
  },
});

const requireChannel = ({ channels }: ModelState, id: string | null) => {
  if (id !== null) find(channels, id);
};

const automodCalls = (
  state: ModelState,
  nextId: () => string,
): Writes<'createAutomodRule' | 'editAutomodRule' | 'deleteAutomodRule'> => {
  const check = (rule: Parameters<PartsPlatform['createAutomodRule']>[0]) => {
    for (const id of rule.exemptChannelIds) requireChannel(state, id);
    for (const { channelId } of rule.actions) requireChannel(state, channelId);
    for (const id of rule.exemptRoleIds) find(state.roles, id);
  };
  return {
    createAutomodRule: async (input) => {
      check(input);
      const { automod = [] } = state.parts;
      const alike = automod.filter(({ triggerType }) => triggerType === input.triggerType).length;
      if (alike >= (input.triggerType === KEYWORD ? MAX_KEYWORD_RULES : 1))
        throw refuse(400, 30037);
      const rule = { ...structuredClone(input), id: nextId() };
      state.parts.automod = [...automod, rule];
      return rule;
    },
    editAutomodRule: async (ruleId, input) => {
      check(input);
      Object.assign(find(state.parts.automod, ruleId), structuredClone(input));
    },
    deleteAutomodRule: async (ruleId) => remove(state.parts.automod, ruleId),
  };
};

const eventCalls = (
  state: ModelState,
  nextId: () => string,
): Writes<'createEvent' | 'editEvent' | 'deleteEvent'> => ({
  createEvent: async ({ image, ...input }) => {
    requireChannel(state, input.channelId);
    const { events = [] } = state.parts;
    if (events.length >= MAX_EVENTS) throw refuse(400, 30038);
    const event = { ...structuredClone(input), id: nextId(), imageHash: image ? nextId() : null };
    state.parts.events = [...events, event];
    return event;
  },
  editEvent: async (eventId, { image, ...input }) => {
    requireChannel(state, input.channelId);
    const event = find(state.parts.events, eventId);
    const imageHash = image === undefined ? event.imageHash : image && nextId();
    Object.assign(event, structuredClone(input), { imageHash });
  },
  deleteEvent: async (eventId) => remove(state.parts.events, eventId),
});

const soundCalls = (
  state: ModelState,
  nextId: () => string,
): Writes<'createSound' | 'editSound' | 'deleteSound'> => ({
  createSound: async ({ sound: _, ...input }) => {
    const { soundboard = [] } = state.parts;
    if (soundboard.length >= (soundSlots[state.premiumTier ?? 0] ?? 0)) throw refuse(400, 30045);
    const sound = { ...input, id: nextId() };
    state.parts.soundboard = [...soundboard, sound];
    return sound;
  },
  editSound: async (soundId, input) => {
    Object.assign(find(state.parts.soundboard, soundId), input);
  },
  deleteSound: async (soundId) => remove(state.parts.soundboard, soundId),
});

const webhookCalls = (
  state: ModelState,
  nextId: () => string,
): Writes<'createWebhook' | 'editWebhook' | 'deleteWebhook'> => ({
  createWebhook: async ({ avatar, ...input }) => {
    requireChannel(state, input.channelId);
    const { webhooks = [] } = state.parts;
    const siblings = webhooks.filter(({ channelId }) => channelId === input.channelId).length;
    if (siblings >= MAX_WEBHOOKS) throw refuse(400, 30007);
    const fixed = { id: nextId(), kind: 'incoming', source: null } as const;
    const webhook = { ...input, ...fixed, avatarHash: avatar ? nextId() : null };
    state.parts.webhooks = [...webhooks, webhook];
    return webhook;
  },
  editWebhook: async (webhookId, { avatar, ...changes }) => {
    requireChannel(state, changes.channelId ?? null);
    const webhook = find(state.parts.webhooks, webhookId);
    const avatarHash = avatar === undefined ? webhook.avatarHash : avatar && nextId();
    Object.assign(webhook, changes, { avatarHash });
  },
  deleteWebhook: async (webhookId) => remove(state.parts.webhooks, webhookId),
});

const newcomerCalls = (
  state: ModelState,
): Writes<'pauseOnboarding' | 'setOnboarding' | 'setWelcomeScreen' | 'setWidget'> => ({
  pauseOnboarding: async () => {
    const { onboarding } = state.parts;
    if (onboarding) Object.assign(onboarding, { isEnabled: false, defaultChannelIds: [] });
  },
  setOnboarding: async (wish) => {
    for (const id of wish.defaultChannelIds) requireChannel(state, id);
    state.parts.onboarding = structuredClone(wish);
  },
  setWelcomeScreen: async (screen) => {
    if (!state.settings.features.includes('COMMUNITY')) throw refuse(403, 50013);
    for (const { channelId } of screen.channels) requireChannel(state, channelId);
    state.parts.welcomeScreen = structuredClone(screen);
  },
  setWidget: async ({ isEnabled, channelId }) => {
    requireChannel(state, channelId);
    state.parts.widget = { isEnabled, channelId };
  },
});

const roleIconCalls = (state: ModelState, nextId: () => string): Writes<'setRoleIcon'> => ({
  setRoleIcon: async (roleId, icon) => {
    if (!state.settings.features.includes('ROLE_ICONS')) throw refuse(400, 50101);
    find(state.roles, roleId).iconHash = icon && nextId();
  },
});

/** What a channel takes with it when it is deleted. */
export const forgetChannel = ({ parts }: WholeGuild, channelId: string): void => {
  if (!parts) return;
  const isOther = (id: string) => id !== channelId;
  parts.webhooks = parts.webhooks?.filter((webhook) => webhook.channelId !== channelId);
  for (const rule of parts.automod ?? []) {
    rule.exemptChannelIds = rule.exemptChannelIds.filter(isOther);
  }
  const { onboarding, welcomeScreen, widget } = parts;
  if (onboarding) onboarding.defaultChannelIds = onboarding.defaultChannelIds.filter(isOther);
  if (welcomeScreen) {
    welcomeScreen.channels = welcomeScreen.channels.filter((one) => one.channelId !== channelId);
  }
  if (widget.channelId === channelId) widget.channelId = null;
};
