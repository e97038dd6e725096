import type { PlanParts } from './parts-context.ts';

/** What no API brings back: it is noted, so that the owner knows what to do by hand. */
export const noteWhatStaysLost = ({ context }: PlanParts): void => {
  const { snapshot, current, notes } = context;
  const saved = snapshot.settings?.[0];
  const vanityCode = saved?.vanityCode ?? null;
  if (vanityCode !== null && vanityCode !== current.parts?.vanityCode) {
    notes.push({ code: 'vanityNotSet', name: vanityCode });
  }
  const live = new Set(current.parts?.inviteCodes ?? []);
  const invites = saved?.invites ?? [];
  const gone = invites.filter(({ code }) => !live.has(code));
  // Where all channels are made anew, their invites go with the old ones.
  const isReplaced = context.restores('channels') && !context.isRepair;
  const count = isReplaced ? invites.length : gone.length;
  if (count > 0) notes.push({ code: 'invitesNotMade', name: String(count) });
};
