import type { RestoreStage } from '@holdfast/contract';
import type { Webhook } from '../../../../platform/guild-parts.ts';
import type { SectionEntry } from '../../../backups/snapshot/snapshot.ts';
import type { DraftStep } from '../step.ts';
import { draftStep } from '../step.ts';
import { isSettled, willExist } from './known-ids.ts';
import { matchParts } from './match-parts.ts';
import type { PartsPlan, PlanParts } from './parts-context.ts';
import { channelIn } from './resolve-parts.ts';

const MAX_PER_CHANNEL = 15;

type SavedWebhook = SectionEntry<'webhooks'>;

const isIncoming = ({ kind }: Webhook) => kind === 'incoming';

/**
 * One that the target still has is moved to its channel and keeps its address. Only the others are made
 * anew, with new addresses. Those that repeat another guild's channel, or belong to an application,
 * cannot be made and are noted.
 */
export const planWebhooks = (input: PlanParts): PartsPlan => {
  const { context, known, earlierIds } = input;
  const live = (context.current.parts?.webhooks ?? []).filter(isIncoming);
  const saved = context.snapshot.webhooks ?? [];
  for (const { name, source } of saved.filter((one) => !isIncoming(one))) {
    context.notes.push({ code: 'webhookNotMade', name: source ?? name ?? 'webhook' });
  }
  const incoming = saved.filter(isIncoming);
  const pairs = matchParts(
    incoming,
    live,
    earlierIds?.webhooks,
    ({ channelId, name }) =>
      context.matchesOnlyIds ? undefined : keyOf(channelIn(known.map, channelId), name),
    ({ channelId, name }) => keyOf(channelId, name),
  );
  const matched = new Set([...pairs.values()].map(({ id }) => id));
  const surplus = live.filter(
    ({ id, channelId }) => !matched.has(id) && isStaying(input, channelId),
  );
  const creates = incoming
    .filter(({ id }) => !pairs.has(id))
    .flatMap((webhook) => createWebhook(input, webhook));
  const edits = incoming.flatMap((webhook) => editWebhook(input, webhook, pairs.get(webhook.id)));
  const held = [
    ...incoming.filter(({ id }) => pairs.has(id)).map((one) => channelIn(known.map, one.channelId)),
    // Those of applications and of followed channels count as well.
    ...(context.current.parts?.webhooks ?? [])
      .filter((one) => !isIncoming(one))
      .map(({ channelId }) => channelId),
  ];
  return { steps: [...edits, ...fitIntoChannels(input, creates, { surplus, held })], pairs };
};

/** Whether the channel is not deleted by the restore, and its webhooks with it. */
const isStaying = ({ context, known }: PlanParts, channelId: string | null): boolean =>
  !context.restores('channels') || Object.values(known.map.channels).some((id) => id === channelId);

const keyOf = (channelId: string | null, name: string | null) =>
  channelId === null ? undefined : `${channelId} ${name}`;

const nameOf = ({ name }: Webhook) => name ?? 'webhook';

const createWebhook = ({ context, known }: PlanParts, webhook: SavedWebhook): DraftStep[] => {
  const { id: oldId, channelId, avatar, avatarHash } = webhook;
  const name = nameOf(webhook);
  if (channelId === null || !willExist(known, 'channels', channelId)) {
    context.lose('webhook', name, { code: 'webhookChannelMissing' });
    return [];
  }
  if (avatarHash !== null && !avatar) context.lose('webhook', name, { code: 'imageNotStored' });
  const action = { do: 'createWebhook', oldId, name, channelId, avatar } as const;
  return [draftStep({ key: `webhook ${oldId}`, stage: 'finish', name, action })];
};

const editWebhook = (
  { context, known }: PlanParts,
  webhook: SavedWebhook,
  now: Webhook | undefined,
): DraftStep[] => {
  if (!now) return [];
  const { channelId, avatar, avatarHash } = webhook;
  const name = nameOf(webhook);
  if (channelId === null || !willExist(known, 'channels', channelId)) {
    context.lose('webhook', name, { code: 'webhookChannelMissing' });
    return [];
  }
  const isPlaced =
    isSettled(known, { channels: [channelId] }) &&
    channelIn(known.map, channelId) === now.channelId;
  const isSamePicture =
    webhook.id === now.id
      ? avatarHash === now.avatarHash
      : (avatarHash === null) === (now.avatarHash === null);
  const isStored = avatarHash === null || avatar !== null;
  const changes = {
    ...(name === nameOf(now) ? {} : { name }),
    ...(isPlaced ? {} : { channelId }),
    ...(isSamePicture || !isStored ? {} : { avatar }),
  };
  if (Object.keys(changes).length === 0) return [];
  const action = { do: 'editWebhook' as const, webhookId: now.id, ...changes };
  return [draftStep({ key: `edit webhook ${now.id}`, stage: 'finish', name, action })];
};

/** Only so many fit into a channel: where there are too many, surplus ones go before others come. */
const fitIntoChannels = (
  { context, known, deletesSurplus }: PlanParts,
  creates: DraftStep[],
  { surplus, held }: { surplus: Webhook[]; held: (string | null)[] },
): DraftStep[] => {
  const targetOf = ({ action }: DraftStep) =>
    action.do === 'createWebhook' ? channelIn(known.map, action.channelId) : null;
  const countIn = (channelId: string | null) =>
    channelId === null
      ? 0
      : surplus.filter((one) => one.channelId === channelId).length +
        held.filter((one) => one === channelId).length;
  const isCrowded = (channelId: string | null) =>
    creates.filter((step) => targetOf(step) === channelId).length + countIn(channelId) >
    MAX_PER_CHANNEL;
  if (deletesSurplus) {
    const deletes = surplus.map((one) =>
      deleteWebhook(one, isCrowded(one.channelId) ? 'build' : 'sweep'),
    );
    return [...creates, ...deletes];
  }
  const used = new Map<string, number>();
  return creates.filter((step) => {
    const channelId = targetOf(step);
    if (channelId === null) return true;
    const before = used.get(channelId) ?? countIn(channelId);
    used.set(channelId, before + 1);
    if (before < MAX_PER_CHANNEL) return true;
    context.lose('webhook', step.name, { code: 'noRoom', limit: MAX_PER_CHANNEL });
    return false;
  });
};

const deleteWebhook = (webhook: Webhook, stage: RestoreStage): DraftStep =>
  draftStep({
    key: `delete webhook ${webhook.id}`,
    stage,
    name: nameOf(webhook),
    action: { do: 'deleteWebhook', webhookId: webhook.id },
  });
