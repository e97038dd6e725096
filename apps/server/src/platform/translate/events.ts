import {
  GuildScheduledEventEntityType,
  GuildScheduledEventPrivacyLevel,
} from 'discord-api-types/v10';
import type { z } from 'zod';
import { PlatformFailure } from '../failures.ts';
import type { ScheduledEvent } from '../guild-parts.ts';
import type { EventInput } from '../parts-port.ts';
import type { scheduledEvent } from '../shapes/parts.ts';
import { dataUriOf } from './guild.ts';

const typeOfVenue = {
  stage: GuildScheduledEventEntityType.StageInstance,
  voice: GuildScheduledEventEntityType.Voice,
  external: GuildScheduledEventEntityType.External,
} as const satisfies Record<ScheduledEvent['venue'], GuildScheduledEventEntityType>;

const venues = ['stage', 'voice', 'external'] as const;

export const eventOf = (event: z.output<typeof scheduledEvent>): ScheduledEvent => {
  const venue = venues.find((one) => typeOfVenue[one] === event.entity_type);
  if (!venue) throw new PlatformFailure('badAnswer');
  return {
    id: event.id,
    name: event.name,
    description: event.description || null,
    venue,
    channelId: event.channel_id,
    location: event.entity_metadata?.location ?? null,
    startsAt: momentOf(event.scheduled_start_time),
    endsAt: event.scheduled_end_time === null ? null : momentOf(event.scheduled_end_time),
    recurrence: recurrenceOf(event.recurrence_rule),
    imageHash: event.image,
  };
};

/** The platform writes one moment in several ways; a backup has one. */
const momentOf = (text: string): string => {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new PlatformFailure('badAnswer');
  return time.toISOString();
};

const recurrenceOf = (
  rule: z.output<typeof scheduledEvent>['recurrence_rule'],
): ScheduledEvent['recurrence'] =>
  rule && {
    startsAt: momentOf(rule.start),
    frequency: rule.frequency,
    interval: rule.interval,
    byWeekday: rule.by_weekday,
    byNthWeekday: rule.by_n_weekday,
    byMonth: rule.by_month,
    byMonthDay: rule.by_month_day,
  };

export const eventBodyOf = (event: EventInput) => ({
  name: event.name,
  description: event.description,
  entity_type: typeOfVenue[event.venue],
  channel_id: event.venue === 'external' ? null : event.channelId,
  entity_metadata: event.venue === 'external' ? { location: event.location ?? '' } : null,
  privacy_level: GuildScheduledEventPrivacyLevel.GuildOnly,
  scheduled_start_time: event.startsAt,
  scheduled_end_time: event.endsAt,
  recurrence_rule: event.recurrence && {
    start: event.recurrence.startsAt,
    frequency: event.recurrence.frequency,
    interval: event.recurrence.interval,
    by_weekday: event.recurrence.byWeekday,
    by_n_weekday: event.recurrence.byNthWeekday,
    by_month: event.recurrence.byMonth,
    by_month_day: event.recurrence.byMonthDay,
  },
  image: event.image && dataUriOf(event.image),
});
