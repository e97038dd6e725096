import type { BackupComponent } from '@holdfast/contract';
import type { Action, PartAction } from '../plan/action.ts';
import type { IdMap } from '../plan/id-map.ts';
import { isSameRule } from '../plan/parts/automod.ts';
import { isSameEvent } from '../plan/parts/events.ts';
import type { LiveParts } from '../plan/parts/live-parts.ts';
import { channelIn, emojiIn, resolveRule } from '../plan/parts/resolve-parts.ts';
import { isSameSound } from '../plan/parts/soundboard.ts';

/** What must be read to find out whether an action had its effect. */
export const componentCreatedBy = ({ do: name }: Action): BackupComponent | undefined => {
  switch (name) {
    case 'createAutomodRule':
      return 'automod';
    case 'createEvent':
      return 'events';
    case 'createSound':
      return 'soundboard';
    case 'createWebhook':
      return 'webhooks';
    default:
      return undefined;
  }
};

type IsNew = (thing: { id: string }) => boolean;

/** A part that no other step claims and that is exactly what the step asks for. */
export const findCreatedPart = (
  action: PartAction,
  parts: LiveParts,
  isNew: IsNew,
  map: IdMap,
): string | undefined => {
  switch (action.do) {
    case 'createAutomodRule': {
      const expected = resolveRule(action.wish, map);
      return parts.automod?.find((rule) => isNew(rule) && isSameRule(expected, rule))?.id;
    }
    case 'createEvent': {
      const { wish } = action;
      const channelId = channelIn(map, wish.channelId);
      return parts.events?.find(
        (event) => isNew(event) && isSameEvent({ ...event, ...wish, channelId }, event),
      )?.id;
    }
    case 'createSound': {
      const expected = { ...action.wish, ...emojiIn(map, action.wish) };
      return parts.soundboard?.find((sound) => isNew(sound) && isSameSound(expected, sound))?.id;
    }
    case 'createWebhook': {
      const channelId = channelIn(map, action.channelId);
      return parts.webhooks?.find(
        (one) => isNew(one) && one.name === action.name && one.channelId === channelId,
      )?.id;
    }
    default:
      return undefined;
  }
};
