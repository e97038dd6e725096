import { isDeepStrictEqual } from 'node:util';
import type { ScheduledEvent } from '../../../../platform/guild-parts.ts';
import type { SectionEntry } from '../../../backups/snapshot/snapshot.ts';
import type { DraftStep } from '../step.ts';
import { draftStep } from '../step.ts';
import { isSettled, type KnownIds, willExist } from './known-ids.ts';
import { matchParts, planList } from './match-parts.ts';
import type { PartsPlan, PlanParts } from './parts-context.ts';
import { channelIn } from './resolve-parts.ts';

/** So many may be scheduled at a time. */
const limit = 100;

type SavedEvent = SectionEntry<'events'>;

export const planEvents = (input: PlanParts): PartsPlan => {
  const { context, earlierIds, deletesSurplus, now } = input;
  const current = context.current.parts?.events ?? [];
  const saved = (context.snapshot.events ?? []).map((event) => nextOccurrence(event, now));
  const keyOf = ({ name, startsAt }: ScheduledEvent) =>
    context.matchesOnlyIds ? undefined : `${startsAt} ${name}`;
  const pairs = matchParts(saved, current, earlierIds?.events, keyOf, keyOf);
  const steps = planList(
    context,
    {
      type: 'event',
      saved,
      current,
      pairs,
      create: (event) => createEvent(input, event),
      edit: (event, live) => editEvent(input, event, live),
      remove: ({ id: eventId, name }) =>
        draftStep({
          key: `delete event ${eventId}`,
          stage: 'sweep',
          name,
          action: { do: 'deleteEvent', eventId },
        }),
      limit,
    },
    deletesSurplus,
  );
  return { steps, pairs };
};

const weekMs = 7 * 24 * 60 * 60 * 1000;
/** The platform's numbers of what recurs by weeks: each week, or on some days of each. */
const weekly = 2;
const daily = 3;

const periodOf = ({ recurrence }: ScheduledEvent): number | undefined => {
  if (recurrence?.frequency === daily) return weekMs;
  return recurrence?.frequency === weekly ? weekMs * Math.max(1, recurrence.interval) : undefined;
};

/** An event that recurs by weeks is made for the next time; the platform takes no start in the past. */
export const nextOccurrence = <Event extends ScheduledEvent>(event: Event, now: Date): Event => {
  const periodMs = periodOf(event);
  const lateMs = now.getTime() - Date.parse(event.startsAt);
  if (periodMs === undefined || lateMs < 0) return event;
  const shiftMs = (Math.floor(lateMs / periodMs) + 1) * periodMs;
  const later = (at: string) => new Date(Date.parse(at) + shiftMs).toISOString();
  return {
    ...event,
    startsAt: later(event.startsAt),
    endsAt: event.endsAt === null ? null : later(event.endsAt),
    recurrence: event.recurrence && {
      ...event.recurrence,
      startsAt: later(event.recurrence.startsAt),
    },
  };
};

export const isPast = ({ startsAt }: ScheduledEvent, now: Date): boolean =>
  Date.parse(startsAt) <= now.getTime();

const isPlaceMissing = (known: KnownIds, { venue, channelId }: ScheduledEvent): boolean =>
  venue !== 'external' && (channelId === null || !willExist(known, 'channels', channelId));

/** Says in the plan why not. */
const canTakePlace = ({ context, known, now }: PlanParts, event: SavedEvent): boolean => {
  const { name } = event;
  if (isPast(event, now)) context.notes.push({ code: 'eventPast', name });
  else if (!isPlaceMissing(known, event)) return true;
  else context.lose('event', name, { code: 'eventChannelMissing' });
  return false;
};

const createEvent = (input: PlanParts, event: SavedEvent): DraftStep[] => {
  const { context } = input;
  const { id: oldId, imageHash, image, ...wish } = event;
  if (!canTakePlace(input, event)) return [];
  if (imageHash !== null && !image) context.lose('event', event.name, { code: 'imageNotStored' });
  const action = { do: 'createEvent', oldId, wish, image } as const;
  return [draftStep({ key: `event ${oldId}`, stage: 'finish', name: event.name, action })];
};

const editEvent = (input: PlanParts, event: SavedEvent, live: ScheduledEvent): DraftStep[] => {
  const { known } = input;
  const resolved = { ...event, channelId: channelIn(known.map, event.channelId) };
  const isSettledNow = isSettled(known, { channels: [event.channelId] });
  const isSameImage =
    event.id === live.id
      ? event.imageHash === live.imageHash
      : (event.imageHash === null) === (live.imageHash === null);
  if (isSettledNow && isSameEvent(resolved, live) && isSameImage) return [];
  if (!canTakePlace(input, event)) return [];
  const { id: _, imageHash, image, ...wish } = event;
  const isStored = imageHash === null || image !== null;
  const action = {
    do: 'editEvent' as const,
    eventId: live.id,
    wish,
    ...(isSameImage || !isStored ? {} : { image }),
  };
  return [draftStep({ key: `edit event ${live.id}`, stage: 'finish', name: event.name, action })];
};

/** With the ids of one guild. Of what recurs by weeks, any week is the same. */
export const isSameEvent = (one: ScheduledEvent, other: ScheduledEvent): boolean =>
  isDeepStrictEqual(comparable(one), comparable(other));

const comparable = (event: ScheduledEvent) => {
  const periodMs = periodOf(event);
  const moment = (at: string) => (periodMs ? Date.parse(at) % weekMs : Date.parse(at));
  return {
    name: event.name,
    description: event.description,
    venue: event.venue,
    channelId: event.venue === 'external' ? null : event.channelId,
    location: event.venue === 'external' ? event.location : null,
    startsAt: moment(event.startsAt),
    endsAt: event.endsAt === null ? null : moment(event.endsAt),
    recurrence: event.recurrence && {
      ...event.recurrence,
      startsAt: moment(event.recurrence.startsAt),
    },
  };
};
