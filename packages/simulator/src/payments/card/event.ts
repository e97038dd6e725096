import { newCardId } from './card-id.ts';
import { apiVersion } from './objects.ts';

export type CardEvent = { id: string; type: string; body: string };

export const eventOf = (type: string, object: object, now: number): CardEvent => {
  const id = newCardId('evt');
  const event = {
    id,
    object: 'event',
    api_version: apiVersion,
    created: now,
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: newCardId('req'), idempotency_key: null },
    type,
  };
  // Indented, as the real provider sends them.
  return { id, type, body: JSON.stringify(event, null, 2) };
};
