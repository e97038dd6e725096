import { z } from 'zod';
import { announce, byCaller } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import { storeImage } from '../cdn/images.ts';
import { ChannelType } from '../channel/fields.ts';
import type { ScheduledEvent } from '../guild/community.ts';
import { computeChannelPermissions, hasPermission, Permission } from '../guild/permissions.ts';
import { removeEvent } from '../guild/world.ts';
import { accessGuild, type GuildAccess, requirePermissions } from '../http/access.ts';
import {
  ApiError,
  invalidField,
  limitReached,
  unknownChannel,
  unknownEvent,
} from '../http/api-error.ts';
import { readBody, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { presentEvent } from './present.ts';

const MAX_EVENTS = 100;
const Status = { Scheduled: 1, Active: 2, Completed: 3, Cancelled: 4 } as const;
const External = 3;
const CHANNEL_TYPE_OF_ENTITY: Record<number, number> = {
  1: ChannelType.Stage,
  2: ChannelType.Voice,
};

const time = z.iso.datetime({ offset: true });

const changesSchema = z.object({
  name: z.string().min(1).max(100).optional(),
  description: z.string().max(1000).nullish(),
  image: z.string().nullish(),
  scheduled_start_time: time.optional(),
  scheduled_end_time: time.nullish(),
  privacy_level: z.literal(2).optional(),
  entity_type: z.literal([1, 2, 3]).nullish(),
  channel_id: snowflakeField.nullish(),
  entity_metadata: z.object({ location: z.string().max(100).optional() }).nullish(),
  recurrence_rule: z.looseObject({ start: time, frequency: z.literal([0, 1, 2, 3]) }).nullish(),
  status: z.literal([1, 2, 3, 4]).nullish(),
});

type Changes = z.output<typeof changesSchema>;

const newSchema = changesSchema
  .required({ name: true, scheduled_start_time: true, privacy_level: true })
  .extend({ entity_type: z.literal([1, 2, 3]) });

export const mountEventRoutes = (app: PlatformApp, platform: Platform) => {
  const path = '/guilds/:guild/scheduled-events';
  const present = (c: PlatformContext, event: ScheduledEvent) =>
    presentEvent(platform.identities, event, c.req.query('with_user_count') === 'true');
  app.get(path, (c) => {
    const access = accessGuild(platform, c);
    const events = [...access.guild.events.values()].filter(
      (event) => isOpen(event) && isVisible(access, event),
    );
    return c.json(events.map((event) => present(c, event)));
  });
  app.get(`${path}/:event`, (c) => {
    const access = accessGuild(platform, c);
    return c.json(present(c, findEvent(access, c)));
  });
  app.post(path, async (c) => c.json(present(c, await createEvent(platform, c))));
  app.patch(`${path}/:event`, async (c) => c.json(present(c, await editEvent(platform, c))));
  app.delete(`${path}/:event`, (c) => {
    const access = accessGuild(platform, c);
    const event = findEvent(access, c);
    requireManaged(access, event);
    const watched = watch(access.guild, ['events', event.id]);
    removeEvent(platform.world, access.guild, event);
    announce(platform, byCaller(c), watched);
    return c.body(null, 204);
  });
};

const isOpen = ({ status }: ScheduledEvent): boolean =>
  status === Status.Scheduled || status === Status.Active;

const isVisible = ({ guild, self }: GuildAccess, { channel_id }: ScheduledEvent): boolean => {
  const channel = guild.channels.get(channel_id ?? '');
  if (!channel) return true;
  return hasPermission(computeChannelPermissions(guild, self, channel), Permission.ViewChannel);
};

const findEvent = (access: GuildAccess, c: PlatformContext): ScheduledEvent => {
  const event = access.guild.events.get(c.req.param('event') ?? '');
  if (!event || !isVisible(access, event)) throw unknownEvent();
  return event;
};

/** Who made an event manages it; others need a permission of their own. */
const requireManaged = ({ bot, permissions }: GuildAccess, { creator_id }: ScheduledEvent) => {
  const isOwn = creator_id === bot.id && hasPermission(permissions, Permission.CreateEvents);
  if (!isOwn) requirePermissions(permissions, Permission.ManageEvents);
};

const createEvent = async (platform: Platform, c: PlatformContext) => {
  const access = accessGuild(platform, c, Permission.CreateEvents);
  const { guild, bot } = access;
  const fields = await readBody(c, newSchema);
  const open = [...guild.events.values()].filter(isOpen);
  if (open.length >= MAX_EVENTS) {
    throw limitReached(30038, 'uncompleted guild scheduled events', MAX_EVENTS);
  }
  const event: ScheduledEvent = {
    id: platform.world.nextId(),
    guild_id: guild.id,
    channel_id: null,
    creator_id: bot.id,
    name: fields.name,
    description: null,
    image: null,
    scheduled_start_time: fields.scheduled_start_time,
    scheduled_end_time: null,
    privacy_level: 2,
    status: Status.Scheduled,
    entity_type: fields.entity_type,
    entity_id: null,
    entity_metadata: null,
    recurrence_rule: null,
    user_count: 0,
  };
  const { status: _, ...changes } = fields;
  applyChanges(platform, access, event, changes);
  const watched = watch(guild, ['events', event.id]);
  guild.events.set(event.id, event);
  announce(platform, byCaller(c), watched);
  return event;
};

const editEvent = async (platform: Platform, c: PlatformContext) => {
  const access = accessGuild(platform, c);
  const event = findEvent(access, c);
  requireManaged(access, event);
  const changes = await readBody(c, changesSchema);
  if (!isOpen(event)) throw new ApiError(400, 180000, 'Cannot update a finished event');
  // Applied to a copy first, so that a refused request changes nothing.
  const edited = { ...event };
  applyChanges(platform, access, edited, changes);
  if (changes.status && changes.status !== event.status) {
    requireTransition(event.status, changes.status);
    edited.status = changes.status;
  }
  const watched = watch(access.guild, ['events', event.id]);
  Object.assign(event, edited);
  announce(platform, byCaller(c), watched);
  return event;
};

const requireTransition = (from: number, to: number) => {
  const isPossible =
    from === Status.Scheduled
      ? to === Status.Active || to === Status.Cancelled
      : to === Status.Completed;
  if (isPossible) return;
  throw invalidField(['status'], 'BASE_TYPE_CHOICES', 'The event cannot take this status.');
};

const applyChanges = (
  { world }: Platform,
  access: GuildAccess,
  event: ScheduledEvent,
  changes: Changes,
) => {
  event.name = changes.name ?? event.name;
  event.entity_type = changes.entity_type ?? event.entity_type;
  if (changes.description !== undefined) event.description = changes.description;
  if (changes.entity_metadata !== undefined) event.entity_metadata = changes.entity_metadata;
  if (changes.channel_id !== undefined) event.channel_id = changes.channel_id;
  if (changes.recurrence_rule !== undefined) {
    event.recurrence_rule = changes.recurrence_rule && completeRule(changes.recurrence_rule);
  }
  applyTimes(event, changes);
  if (changesPlace(changes)) requirePlace(access, event);
  if (changes.image === undefined) return;
  event.image = changes.image && storeImage(world, 'event_cover', event.id, changes.image, 'image');
};

const applyTimes = (event: ScheduledEvent, changes: Changes) => {
  const { scheduled_start_time: start, scheduled_end_time: end } = changes;
  if (start !== undefined && Date.parse(start) <= Date.now()) {
    const code = 'GUILD_SCHEDULED_EVENT_SCHEDULE_PAST';
    throw invalidField(['scheduled_start_time'], code, 'Cannot schedule event in the past.');
  }
  event.scheduled_start_time = toIso(start) ?? event.scheduled_start_time;
  if (end !== undefined) event.scheduled_end_time = toIso(end) ?? null;
  const { scheduled_start_time, scheduled_end_time } = event;
  if (scheduled_end_time && scheduled_end_time <= scheduled_start_time) {
    const message = 'Cannot schedule event to end before it starts.';
    throw invalidField(['scheduled_end_time'], 'BASE_TYPE_BAD', message);
  }
};

const toIso = (text: string | null | undefined): string | undefined =>
  text ? new Date(text).toISOString() : undefined;

const required = (field: string) =>
  invalidField([field], 'BASE_TYPE_REQUIRED', 'This field is required');

const changesPlace = (changes: Changes): boolean =>
  [
    changes.entity_type,
    changes.channel_id,
    changes.entity_metadata,
    changes.scheduled_end_time,
  ].some((value) => value !== undefined);

/** An event elsewhere names its place and end, any other the channel it is in. */
const requirePlace = (access: GuildAccess, event: ScheduledEvent) => {
  if (event.entity_type === External) {
    if (!event.entity_metadata?.location) throw required('entity_metadata');
    if (!event.scheduled_end_time) throw required('scheduled_end_time');
    event.channel_id = null;
    return;
  }
  if (!event.channel_id) throw required('channel_id');
  requireVoiceChannel(access, event.channel_id, event.entity_type);
  event.entity_metadata = null;
};

const requireVoiceChannel = (
  { guild, self }: GuildAccess,
  channelId: string,
  entityType: number,
) => {
  const channel = guild.channels.get(channelId);
  if (!channel) throw unknownChannel();
  if (channel.type !== CHANNEL_TYPE_OF_ENTITY[entityType]) {
    throw invalidField(['channel_id'], 'BASE_TYPE_BAD', 'The channel is not of the right type.');
  }
  const granted = computeChannelPermissions(guild, self, channel);
  requirePermissions(granted, Permission.ViewChannel, Permission.Connect);
};

const completeRule = (rule: NonNullable<Changes['recurrence_rule']>) => ({
  end: null,
  interval: 1,
  by_weekday: null,
  by_n_weekday: null,
  by_month: null,
  by_month_day: null,
  by_year_day: null,
  count: null,
  ...rule,
});
