import type { PartsPlatform } from '../../../platform/parts-port.ts';
import type { GuildPlatform, Image } from '../../../platform/port.ts';
import type { StoredImage } from '../../backups/snapshot/snapshot.ts';
import type { ActionOf, PartAction } from '../plan/action.ts';
import { type IdMap, resolveRef } from '../plan/id-map.ts';
import {
  channelIn,
  emojiIn,
  resolveOnboarding,
  resolveRule,
  resolveScreen,
} from '../plan/parts/resolve-parts.ts';
import { DependencyMissing } from './step-failure.ts';

type PartsContext = {
  guild: Pick<GuildPlatform, Exclude<keyof PartsPlatform, `read${string}`> | 'deleteInvite'>;
  map: IdMap;
  loadImage(image: NonNullable<StoredImage>): Promise<Image>;
};

/** Makes the one call of a step about a part. Returns what was created; undefined for other actions. */
export const runPart = async (
  context: PartsContext,
  action: PartAction,
): Promise<{ id: string } | undefined> => {
  const { guild, map } = context;
  switch (action.do) {
    case 'createAutomodRule':
      return guild.createAutomodRule(requireRule(context, action));
    case 'createEvent':
      return guild.createEvent(await eventInput(context, action));
    case 'createSound':
      return guild.createSound({
        ...action.wish,
        ...emojiIn(map, action.wish),
        sound: await context.loadImage(action.sound),
      });
    case 'createWebhook':
      return guild.createWebhook({
        name: action.name,
        channelId: requireChannel(map, action.channelId),
        avatar: await load(context, action.avatar),
      });
    default:
      await changePart(context, action);
      return undefined;
  }
};

const changePart = async (
  context: PartsContext,
  action: Exclude<PartAction, { oldId: string }>,
): Promise<unknown> => {
  const { guild, map } = context;
  switch (action.do) {
    case 'editAutomodRule':
      return guild.editAutomodRule(action.ruleId, requireRule(context, action));
    case 'deleteAutomodRule':
      return guild.deleteAutomodRule(action.ruleId);
    case 'editEvent':
      return guild.editEvent(action.eventId, await eventInput(context, action));
    case 'deleteEvent':
      return guild.deleteEvent(action.eventId);
    case 'editSound':
      return guild.editSound(action.soundId, { ...action.wish, ...emojiIn(map, action.wish) });
    case 'deleteSound':
      return guild.deleteSound(action.soundId);
    case 'editWebhook':
      return editWebhook(context, action);
    case 'deleteWebhook':
      return guild.deleteWebhook(action.webhookId);
    case 'pauseOnboarding':
      return guild.pauseOnboarding();
    case 'setOnboarding':
      return guild.setOnboarding(resolveOnboarding(action.wish, map));
    case 'setWelcomeScreen':
      return guild.setWelcomeScreen(resolveScreen(action.wish, map));
    case 'setWidget':
      return guild.setWidget({
        isEnabled: action.isEnabled,
        channelId: action.channelId === null ? null : requireChannel(map, action.channelId),
      });
    case 'deleteInvite':
      return guild.deleteInvite(action.inviteCode);
    case 'setRoleIcon':
      return setRoleIcon(context, action);
  }
};

const requireChannel = (map: IdMap, oldId: string): string => {
  const id = channelIn(map, oldId);
  if (id === null) throw new DependencyMissing('channel');
  return id;
};

/** A rule whose every action lost its channel would do nothing, and the platform refuses it. */
const requireRule = (
  { map }: PartsContext,
  { wish }: ActionOf<'createAutomodRule'> | ActionOf<'editAutomodRule'>,
) => {
  const rule = resolveRule(wish, map);
  if (rule.actions.length === 0) throw new DependencyMissing('channel');
  return rule;
};

const load = async ({ loadImage }: PartsContext, image: StoredImage): Promise<Image | null> =>
  image && loadImage(image);

const eventInput = async (
  context: PartsContext,
  { wish, image }: ActionOf<'createEvent'> | ActionOf<'editEvent'>,
) => ({
  ...wish,
  channelId:
    wish.venue === 'external' || wish.channelId === null
      ? null
      : requireChannel(context.map, wish.channelId),
  ...(image === undefined ? {} : { image: await load(context, image) }),
});

const editWebhook = async (
  context: PartsContext,
  { webhookId, name, channelId, avatar }: ActionOf<'editWebhook'>,
) =>
  context.guild.editWebhook(webhookId, {
    ...(name === undefined ? {} : { name }),
    ...(channelId === undefined ? {} : { channelId: requireChannel(context.map, channelId) }),
    ...(avatar === undefined ? {} : { avatar: await load(context, avatar) }),
  });

const setRoleIcon = async (context: PartsContext, { role, icon }: ActionOf<'setRoleIcon'>) => {
  const roleId = resolveRef(context.map.roles, role);
  if (roleId === undefined) throw new DependencyMissing('role');
  return context.guild.setRoleIcon(roleId, await load(context, icon));
};
